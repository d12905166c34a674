//! Parameters of a flow's run: keys of its header, options, settings, devices.

/// Keys of a header, with their consequences by the documents.
#[derive(Debug, Clone, Copy)]
pub struct Header {
    /// The keys as JSON.
    pub keys: &'static str,
    pub cases: usize,
    pub retries: u32,
    pub quarantined: bool,
    pub skipped: bool,
    pub unfit: bool,
    pub teardown_fails: bool,
}

const PLAIN: Header = Header {
    keys: "{}",
    cases: 1,
    retries: 0,
    quarantined: false,
    skipped: false,
    unfit: false,
    teardown_fails: false,
};

const fn header(keys: &'static str) -> Header {
    Header { keys, ..PLAIN }
}

const fn quarantined(keys: &'static str) -> Header {
    Header {
        quarantined: true,
        ..header(keys)
    }
}

pub const HEADERS: [Header; 27] = [
    header("{}"),
    header(r#"{ "name": "A flow" }"#),
    header(r#"{ "tags": ["red", "smoke"] }"#),
    header(r#"{ "timeout": "20m" }"#),
    header(r#"{ "step_timeout": "1s" }"#),
    header(r#"{ "teardown_timeout": "5s" }"#),
    header(r#"{ "env": { "USER": "ada" } }"#),
    header(r#"{ "env": { "PIN": "1234" }, "secrets": ["PIN"] }"#),
    header(r#"{ "skip": { "if": "${1 > 2}", "because": "never" } }"#),
    header(r#"{ "needs": { "sdk": ">=1" } }"#),
    header(r#"{ "quarantine": false }"#),
    header(r#"{ "quarantine": { "because": "it was mended", "until": "2020-02-29" } }"#),
    Header {
        cases: 2,
        ..header(r#"{ "each": [{ "row": "one" }, { "row": "two" }] }"#)
    },
    Header {
        cases: 2,
        ..header(r#"{ "matrix": { "dark": ["no", "yes"] } }"#)
    },
    Header {
        cases: 2,
        ..header(
            r#"{ "each": [{ "row": "one" }, { "row": "two" }], "matrix": { "dark": ["no"] } }"#,
        )
    },
    Header {
        cases: 1,
        ..header(r#"{ "matrix": {} }"#)
    },
    Header {
        retries: 1,
        ..header(r#"{ "retries": 1 }"#)
    },
    Header {
        retries: 2,
        ..header(r#"{ "retries": 2, "matrix": {} }"#)
    },
    Header {
        retries: 1,
        ..quarantined(r#"{ "retries": 1, "quarantine": "a bad day" }"#)
    },
    quarantined(r#"{ "quarantine": true }"#),
    quarantined(
        r#"{ "quarantine": { "because": "no card", "until": "2999-12-31", "issue": "PAY-1" } }"#,
    ),
    Header {
        skipped: true,
        ..header(r#"{ "skip": { "if": "${1 < 2}", "because": "not today" } }"#)
    },
    Header {
        unfit: true,
        ..header(r#"{ "needs": { "sdk": ">=99" } }"#)
    },
    header(r##"{ "setup": [{ "set": { "S": "1" } }] }"##),
    header(r#"{ "on_failure": [{ "assert": { "that": "${1 > 2}" } }] }"#),
    header(r#"{ "teardown": [{ "set": { "T": "1" } }] }"#),
    Header {
        teardown_fails: true,
        ..header(r#"{ "teardown": [{ "assert": { "that": "${1 > 2}" } }] }"#)
    },
];

/// Options and variables of a run, with their consequences by the documents.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    pub arguments: &'static [&'static str],
    pub variables: &'static [(&'static str, &'static str)],
    pub retries: u32,
    /// True if flows behind a failure may not run.
    pub stops: bool,
    pub turns: usize,
    /// Goldens that are written: new ones, changed ones.
    pub writes: (bool, bool),
    pub fails_on_flaky: bool,
    pub passes_over_unfit: bool,
    pub limits_quarantine: bool,
    /// Exit code if no flow is chosen.
    pub chooses_none: Option<i32>,
    pub only_lists: bool,
    pub shards: usize,
}

const NONE: Options = Options {
    arguments: &[],
    variables: &[],
    retries: 0,
    stops: false,
    turns: 1,
    writes: (false, false),
    fails_on_flaky: false,
    passes_over_unfit: false,
    limits_quarantine: false,
    chooses_none: None,
    only_lists: false,
    shards: 1,
};

const fn option(arguments: &'static [&'static str]) -> Options {
    Options { arguments, ..NONE }
}

const fn variable(variables: &'static [(&'static str, &'static str)]) -> Options {
    Options { variables, ..NONE }
}

const fn writes(arguments: &'static [&'static str], new: bool, changed: bool) -> Options {
    Options {
        arguments,
        writes: (new, changed),
        ..NONE
    }
}

pub const OPTIONS: [Options; 46] = [
    NONE,
    option(&["flows"]),
    option(&["--tag", "red"]),
    option(&["--tags", "red and not blue"]),
    option(&["--exclude-tag", "blue"]),
    option(&["--grep", "flows/"]),
    option(&["--grep-invert", "nobody"]),
    option(&["--shuffle=3"]),
    option(&["--seed", "7"]),
    option(&["-q"]),
    option(&["-v"]),
    option(&["-e", "UNUSED=1"]),
    option(&["--junit-strict"]),
    option(&["--strict-pixels"]),
    option(&["--trace", "--video=off"]),
    option(&["--trace=retain-on-failure"]),
    option(&["--video=on"]),
    option(&["--device-wait", "1s"]),
    option(&["--last-failed=or-all"]),
    option(&["--no-flows=pass"]),
    option(&["--test-suite-name", "one"]),
    option(&["--artifacts", "out/artifacts"]),
    option(&["--log", "log.txt"]),
    option(&["--max-failures", "100"]),
    option(&["--update=pending"]),
    option(&["--update=none"]),
    writes(&["--update=new"], true, false),
    writes(&["--update=changed"], false, true),
    writes(&["--update=all"], true, true),
    writes(&["--update"], true, true),
    Options {
        variables: &[("RUNNER_UPDATE", "new")],
        ..writes(&[], true, false)
    },
    variable(&[("CI", "1")]),
    variable(&[("GITHUB_ACTIONS", "true")]),
    variable(&[("GITLAB_CI", "true"), ("RUNNER_TRACE", "on-first-retry")]),
    Options {
        retries: 1,
        ..option(&["--retries", "1"])
    },
    Options {
        retries: 2,
        ..option(&["--retries", "2", "--retry-last"])
    },
    Options {
        retries: 1,
        ..variable(&[("RUNNER_RETRIES", "1")])
    },
    Options {
        retries: 1,
        fails_on_flaky: true,
        ..option(&["--retries", "1", "--fail-on-flaky"])
    },
    Options {
        stops: true,
        ..option(&["--fail-fast"])
    },
    Options {
        stops: true,
        ..option(&["--max-failures", "1"])
    },
    Options {
        turns: 2,
        ..option(&["--repeat-each", "2"])
    },
    Options {
        passes_over_unfit: true,
        ..option(&["--allow-unfit"])
    },
    Options {
        limits_quarantine: true,
        ..variable(&[("RUNNER_QUARANTINE_LIMIT", "0")])
    },
    Options {
        chooses_none: Some(0),
        ..option(&["--tag", "nobody", "--no-flows=pass"])
    },
    Options {
        only_lists: true,
        ..option(&["--list"])
    },
    Options { shards: 2, ..NONE },
];

/// Lines of `runner.yaml`, with their consequences by the documents.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    pub lines: &'static str,
    pub retries: u32,
    pub setup_fails: bool,
    pub teardown_fails: bool,
    pub device_setup_fails: bool,
    pub device_teardown_fails: bool,
    pub limits_quarantine: bool,
    pub spreads: bool,
}

const EMPTY: Settings = Settings {
    lines: "",
    retries: 0,
    setup_fails: false,
    teardown_fails: false,
    device_setup_fails: false,
    device_teardown_fails: false,
    limits_quarantine: false,
    spreads: false,
};

const fn setting(lines: &'static str) -> Settings {
    Settings { lines, ..EMPTY }
}

pub const SETTINGS: [Settings; 20] = [
    EMPTY,
    setting("env: { COLOUR: red }\nsecrets: [COLOUR]\n"),
    setting("timeout: 20m\nstep_timeout: 2s\nteardown_timeout: 10s\n"),
    setting("slow_after: 1ms\n"),
    setting("trace: retain-on-failure\n"),
    setting("matrix: { dark: [no] }\n"),
    setting("quarantine_limit: 100%\n"),
    setting("retry_last: true\n"),
    setting("snapshot: { image: none }\n"),
    setting("on_dialog: [ { when: Rate this app, do: { press: BACK } } ]\n"),
    setting("setup: [ { set: { BEFORE: '1' } } ]\nteardown: [ { set: { AFTER: '1' } } ]\n"),
    setting("on_failure: [ { assert: { that: '${1 > 2}' } } ]\n"),
    setting("on_device: { setup: [ { set: { DEVICE: '1' } } ] }\n"),
    Settings {
        retries: 1,
        ..setting("retries: 1\n")
    },
    Settings {
        setup_fails: true,
        ..setting("setup: [ { assert: { that: '${1 > 2}' } } ]\n")
    },
    Settings {
        teardown_fails: true,
        ..setting("teardown: [ { assert: { that: '${1 > 2}' } } ]\n")
    },
    Settings {
        device_setup_fails: true,
        ..setting("on_device: { setup: [ { assert: { that: '${1 > 2}' } } ] }\n")
    },
    Settings {
        device_teardown_fails: true,
        ..setting("on_device: { teardown: [ { assert: { that: '${1 > 2}' } } ] }\n")
    },
    Settings {
        limits_quarantine: true,
        ..setting("quarantine_limit: 0\n")
    },
    Settings {
        spreads: true,
        ..setting("spread: true\n")
    },
];

/// Devices of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Devices {
    BuiltIn,
    Named,
    Stock,
    Uia2,
    /// A device over the network, by adb's protocol.
    Remote,
    RemoteUia2,
    Two,
    Three,
    SpreadOverTwo,
    /// A device that exists, and one that does not.
    OneMissing,
}

impl Devices {
    pub const ALL: [Self; 10] = [
        Self::BuiltIn,
        Self::Named,
        Self::Stock,
        Self::Remote,
        Self::Two,
        Self::Three,
        Self::SpreadOverTwo,
        Self::OneMissing,
        // Those that need packages come last: they are not everywhere.
        Self::Uia2,
        Self::RemoteUia2,
    ];

    pub fn count(self) -> usize {
        match self {
            Self::Two | Self::OneMissing => 2,
            Self::Three => 3,
            _ => 1,
        }
    }

    pub fn is_remote(self) -> bool {
        matches!(self, Self::Remote | Self::RemoteUia2)
    }

    pub fn needs_apks(self) -> bool {
        matches!(self, Self::Uia2 | Self::RemoteUia2)
    }

    pub fn arguments(self) -> &'static [&'static str] {
        const ONE: [&str; 2] = ["--device", "virtual"];
        match self {
            Self::BuiltIn => &[],
            Self::Named => &ONE,
            Self::Stock => &["--device", "virtual", "--driver", "stock"],
            Self::Uia2 => &["--device", "virtual", "--driver", "uia2"],
            Self::Remote => &["--driver", "stock"],
            Self::RemoteUia2 => &["--driver", "uia2"],
            Self::Two => &["--device", "virtual", "--device", "virtual"],
            Self::Three => &[
                "--device", "virtual", "--device", "virtual", "--device", "virtual",
            ],
            Self::SpreadOverTwo => &["--device", "virtual", "--device", "virtual", "--spread"],
            // Nothing listens at the port for discarding.
            Self::OneMissing => &["--device", "virtual", "--device", "127.0.0.1:9"],
        }
    }
}

/// Command after the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Nothing,
    /// Makes the reports again from the stream.
    Report,
    /// Lists the flows that failed.
    ListFailed,
    /// Runs the failed flows again.
    RunFailed,
}

impl After {
    pub const ALL: [Self; 4] = [
        Self::Nothing,
        Self::Report,
        Self::ListFailed,
        Self::RunFailed,
    ];
}
