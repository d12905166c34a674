//! Faults of a flow, and their places in it.

use serde_json::{Value, json};

/// Fault of a flow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    Expression,
    UnlikeKinds,
    NotBoolean,
    NotFound,
    StillThere,
    Several,
    Disabled,
    NewSnapshot,
    OtherSnapshot,
    MissingApp,
    ShellFails,
    HostNotNamed,
    NoVariable,
    TooManyRounds,
    Crash,
    OutOfTime,
    NoLog,
    Maestro,
    /// Passes at the second try.
    FirstTry,
    /// Passes at the second attempt.
    FirstAttempt,
    UnknownStep,
    UnknownName,
    NoYaml,
    NoSubFlow,
    Junk,
}

impl Wrong {
    pub const ALL: [Self; 25] = [
        Self::Expression,
        Self::UnlikeKinds,
        Self::NotBoolean,
        Self::NotFound,
        Self::StillThere,
        Self::Several,
        Self::Disabled,
        Self::NewSnapshot,
        Self::OtherSnapshot,
        Self::MissingApp,
        Self::ShellFails,
        Self::HostNotNamed,
        Self::NoVariable,
        Self::TooManyRounds,
        Self::Crash,
        Self::OutOfTime,
        Self::NoLog,
        Self::Maestro,
        Self::FirstTry,
        Self::FirstAttempt,
        Self::UnknownStep,
        Self::UnknownName,
        Self::NoYaml,
        Self::NoSubFlow,
        Self::Junk,
    ];

    /// Returns true if the file cannot be read: exit code 2, whatever else it holds.
    pub fn is_unreadable(self) -> bool {
        matches!(
            self,
            Self::UnknownStep | Self::UnknownName | Self::NoYaml | Self::NoSubFlow | Self::Junk
        )
    }

    pub fn is_snapshot(self) -> bool {
        matches!(self, Self::NewSnapshot | Self::OtherSnapshot)
    }

    /// Returns true if `soft` may stand beside the step.
    fn is_assertion(self) -> bool {
        matches!(
            self,
            Self::Expression | Self::UnlikeKinds | Self::NotFound | Self::StillThere
        )
    }

    /// Returns the steps before the faulty one, outside of the block that it stands in.
    pub fn preparation(self) -> Vec<Value> {
        let fresh = json!({ "launch": { "clear": true } });
        match self {
            Self::StillThere
            | Self::NotFound
            | Self::Several
            | Self::Disabled
            | Self::NewSnapshot
            | Self::OtherSnapshot
            | Self::Crash
            | Self::OutOfTime => vec![fresh],
            Self::FirstTry => vec![json!({ "set": { "N": "${0}" } })],
            _ => vec![json!({ "set": { "N": "${1}" } })],
        }
    }

    /// Returns the failing step, with steps before it that it needs.
    pub fn steps(self) -> Vec<Value> {
        let that = |text: &str| json!({ "assert": { "that": text } });
        let one = match self {
            Self::Expression | Self::NoYaml | Self::Maestro => that("${1 > 2}"),
            Self::UnlikeKinds => that("${N == 'one'}"),
            Self::NotBoolean => that("${N}"),
            Self::NotFound => json!({ "assert visible": "Nowhere" }),
            Self::StillThere => json!({ "assert not visible": "Welcome to Notes" }),
            Self::Several => json!({ "find": { "class": "EditText" } }),
            Self::Disabled => json!({ "click": { "id": "sign_in" } }),
            Self::NewSnapshot => json!({ "snapshot": "fresh" }),
            Self::OtherSnapshot => json!({ "snapshot": "home" }),
            Self::MissingApp => json!({ "launch": "com.example.gone" }),
            Self::ShellFails => json!({ "shell": ["false"] }),
            Self::HostNotNamed => json!({ "http": "http://127.0.0.1:9/" }),
            Self::NoVariable => that("${os.LAW_HAS_NONE == 'x'}"),
            Self::TooManyRounds => json!({
                "repeat": { "while": "${1 < 2}", "max": 2, "steps": [{ "set": { "M": "1" } }] },
            }),
            Self::Crash => {
                return vec![
                    json!({ "click": "Forgot password?" }),
                    json!({ "assert visible": "Nowhere" }),
                ];
            }
            Self::OutOfTime => json!({ "wait_for": "Nowhere", "timeout": "10m" }),
            Self::NoLog => json!({ "assert log": "nothing" }),
            Self::FirstTry => {
                return vec![json!({ "set": { "N": "${N + 1}" } }), that("${N > 1}")];
            }
            Self::FirstAttempt => that("${flow.attempt > 1}"),
            Self::UnknownStep => json!({ "clik": "Save" }),
            Self::UnknownName => that("${NOBODY_SET_IT == 'x'}"),
            Self::NoSubFlow => json!({ "run": "_gone.yaml" }),
            Self::Junk => that("${1 < 2 && true}"),
        };
        vec![one]
    }
}

/// Place of the faulty step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stand {
    Bare,
    Group,
    Nested,
    Repeat,
    RetryBlock,
    Then,
    Else,
    SubFlow,
    Message,
    Retried,
    WhenTrue,
    Soft,
    AfterPasses,
    Setup,
    Teardown,
    Optional,
    OptionalGroup,
    WhenFalse,
    BranchNotTaken,
    NoRound,
    OnFailure,
}

impl Stand {
    pub const ALL: [Self; 21] = [
        Self::Bare,
        Self::Group,
        Self::Nested,
        Self::Repeat,
        Self::RetryBlock,
        Self::Then,
        Self::Else,
        Self::SubFlow,
        Self::Message,
        Self::Retried,
        Self::WhenTrue,
        Self::Soft,
        Self::AfterPasses,
        Self::Setup,
        Self::Teardown,
        Self::Optional,
        Self::OptionalGroup,
        Self::WhenFalse,
        Self::BranchNotTaken,
        Self::NoRound,
        Self::OnFailure,
    ];

    /// Returns true if the documents state the result of the fault at this place.
    pub fn takes(self, wrong: Wrong) -> bool {
        match self {
            Self::Bare => true,
            _ if wrong == Wrong::Maestro || wrong == Wrong::NoYaml => false,
            Self::Soft => wrong.is_assertion(),
            // What `optional` makes of the flow's own limit is not said.
            Self::Optional | Self::OptionalGroup => wrong != Wrong::OutOfTime,
            // A golden belongs to the flow: each round has one, and a sub-flow's lie elsewhere.
            Self::Repeat | Self::Nested | Self::SubFlow | Self::NoRound => !wrong.is_snapshot(),
            Self::Teardown | Self::OnFailure => !wrong.is_snapshot(),
            _ => true,
        }
    }

    /// Returns true if the step runs, and its failure is the flow's.
    pub fn counts(self) -> bool {
        !matches!(
            self,
            Self::Optional
                | Self::OptionalGroup
                | Self::WhenFalse
                | Self::BranchNotTaken
                | Self::NoRound
                | Self::OnFailure
        )
    }

    /// Returns true if the step never runs.
    pub fn is_passed_over(self) -> bool {
        matches!(
            self,
            Self::WhenFalse | Self::BranchNotTaken | Self::NoRound | Self::OnFailure
        )
    }

    /// Puts the steps into a flow's header and steps. Returns the sub-flow, if they are in another file.
    pub fn put(self, wrong: Wrong, header: &mut Value) -> Option<Value> {
        let mut steps = wrong.steps();
        let mut before = wrong.preparation();
        let mut sub = None;
        if let Some(last) = steps.last_mut() {
            match self {
                Self::Message => last["message"] = json!("it went wrong"),
                Self::Retried => last["retry"] = json!(1),
                Self::WhenTrue => last["when"] = json!("${1 < 2}"),
                Self::Soft => last["soft"] = json!(true),
                _ => {}
            }
        }
        let passes = json!({ "assert": { "that": "${1 < 2}" } });
        let all = match self {
            Self::Group => json!([{ "group": steps }]),
            Self::Nested => {
                let inner = json!({ "if": "${1 < 2}", "then": [{ "group": steps }] });
                json!([{ "repeat": { "times": 2, "steps": [inner] } }])
            }
            Self::Repeat => json!([{ "repeat": { "times": 1, "steps": steps } }]),
            Self::RetryBlock => json!([{ "retry": { "times": 1, "steps": steps } }]),
            Self::Then => json!([{ "if": "${1 < 2}", "then": steps }]),
            Self::Else => json!([{ "if": "${1 > 2}", "then": [passes], "else": steps }]),
            Self::SubFlow => {
                // A sub-flow sees its own names only.
                before.append(&mut steps);
                sub = Some(json!({ "steps": before }));
                before = Vec::new();
                json!([{ "run": "_sub.yaml" }])
            }
            Self::AfterPasses => {
                before.extend([passes.clone(), passes.clone()]);
                steps.push(passes);
                json!(steps)
            }
            Self::Optional => json!([{ "group": steps, "optional": true }]),
            Self::OptionalGroup => {
                json!([{ "group": [{ "group": steps }, passes], "optional": true }])
            }
            Self::WhenFalse => json!([{ "group": steps, "when": "${1 > 2}" }]),
            Self::BranchNotTaken => json!([{ "if": "${1 > 2}", "then": steps }]),
            Self::NoRound => {
                json!([{ "repeat": { "while": "${1 > 2}", "max": 2, "steps": steps } }])
            }
            _ => json!(steps),
        };
        before.extend(all.as_array().cloned().unwrap_or_default());
        let list = match self {
            Self::Setup => "setup",
            Self::Teardown => "teardown",
            Self::OnFailure => "on_failure",
            _ => "steps",
        };
        header["steps"] = json!([{ "assert": { "that": "${1 < 2}" } }]);
        header[list] = json!(before);
        sub
    }
}
