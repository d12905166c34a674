//! Model of the ends of flows by the documents, with the only ways in which a run with a fault has the exit
//! code 0.

use super::runs::{Header, Options, Settings};
use super::wrong::{Stand, Wrong};

/// Way to the exit code 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    Optional,
    NotRun,
    TriedAgain,
    Flaky,
    Quarantine,
    Skipped,
    Unfit,
    Written,
    NothingChosen,
    Listed,
}

/// All ways, each with the words of the documents that allow it.
pub const WAYS: [(Way, &str); 10] = [
    (
        Way::Optional,
        "flows.md: `optional`: a failure is a warning",
    ),
    (
        Way::NotRun,
        "flows.md: `when`: if it does not hold, the step is skipped; so with `if`, `while` and `on_failure`",
    ),
    (
        Way::TriedAgain,
        "flows.md: `retry` begins again with the first of these steps",
    ),
    (
        Way::Flaky,
        "ci.md: flaky flows count as passed; with `--fail-on-flaky` flaky flows fail",
    ),
    (
        Way::Quarantine,
        "history.md: if it fails, the run does not fail for it",
    ),
    (Way::Skipped, "ci.md: skipped flows count as passed"),
    (
        Way::Unfit,
        "many-devices.md: with `--allow-unfit` such a flow is skipped instead",
    ),
    (
        Way::Written,
        "snapshots.md: `--update` writes goldens, and the step passes for those",
    ),
    (
        Way::NothingChosen,
        "flows.md: with `--no-flows=pass` it passes and says so",
    ),
    (Way::Listed, "flows.md: `--list` shows what would run"),
];

/// A flow: its fault, the fault's place, and the keys of its header.
#[derive(Debug, Clone, Copy)]
pub struct Flow {
    pub wrong: Wrong,
    pub stand: Stand,
    pub header: &'static Header,
}

/// Allowed statuses of a flow, and the exit codes that it may give the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct End {
    pub statuses: Vec<&'static str>,
    pub codes: Vec<i32>,
    pub way: Option<Way>,
}

impl End {
    fn new(status: &'static str, code: i32) -> Self {
        Self {
            statuses: vec![status],
            codes: vec![code],
            way: None,
        }
    }

    fn by(way: Way, status: &'static str) -> Self {
        Self {
            way: Some(way),
            ..Self::new(status, 0)
        }
    }

    /// Allows the other end too, as the documents do not say which of both is right.
    fn or(mut self, other: Self) -> Self {
        self.statuses.extend(other.statuses);
        self.codes.extend(other.codes);
        self.way = None;
        self
    }

    pub fn is_red(&self) -> bool {
        !self.codes.contains(&0)
    }
}

/// Returns the end of a flow without a fault, with these settings.
pub fn good(settings: &Settings) -> End {
    surrounded(End::new("passed", 0), false, settings)
}

/// Returns the end of a flow.
pub fn end(flow: Flow, options: &Options, settings: &Settings) -> End {
    let Flow { wrong, header, .. } = flow;
    if wrong.is_unreadable() {
        return End::new("unreadable", 2);
    }
    let passed_over = match (header.skipped, header.unfit) {
        (true, _) => Some(Way::Skipped),
        (_, true) => Some(Way::Unfit),
        _ => None,
    };
    if let Some(way) = passed_over {
        let skipped = End::by(way, "skipped");
        // Whether a device that takes no flows is asked if it would skip them is not said.
        return match settings.device_setup_fails {
            true => skipped.or(End::new("error", 3)),
            false => skipped,
        };
    }
    let retries = header.retries.max(options.retries).max(settings.retries);
    let end = alone(flow, options, retries);
    let end = surrounded(end, header.teardown_fails, settings);
    if !header.quarantined || end.statuses == ["passed"] {
        return end;
    }
    let quarantined = End::by(Way::Quarantine, "quarantined");
    match end.statuses[..] {
        // What becomes of a fault of the device is said only of a device that is lost.
        _ if end.codes.contains(&3) => quarantined.or(end),
        // Whether a flaky flow in quarantine fails a run with `--fail-on-flaky` is not said.
        ["flaky"] => End {
            codes: vec![0, 1],
            ..end
        },
        _ if end.is_red() => quarantined,
        _ => quarantined.or(end),
    }
}

/// Returns the end of a flow with the device's setup and teardown around it.
fn surrounded(end: End, teardown_fails: bool, settings: &Settings) -> End {
    if settings.device_setup_fails {
        return End::new("error", 3);
    }
    if settings.setup_fails {
        return End::new("error", 1);
    }
    if !teardown_fails && !settings.teardown_fails {
        return end;
    }
    if !end.is_red() && !end.codes.contains(&1) {
        return End::new("error", 1);
    }
    // Which of two failures names the end is not said.
    let codes = end.codes.clone();
    End {
        codes,
        ..end.or(End::new("error", 1))
    }
}

/// Returns the end of a flow without setup and teardown.
fn alone(flow: Flow, options: &Options, retries: u32) -> End {
    let Flow {
        wrong,
        stand,
        header,
    } = flow;
    let red = match (wrong, stand) {
        (Wrong::NoLog, _) => End::new("error", 3),
        (_, Stand::Setup | Stand::Teardown) => End::new("error", 1),
        _ => End::new("failed", 1),
    };
    if stand.is_passed_over() {
        return End::by(Way::NotRun, "passed");
    }
    match wrong {
        // A crash is not hidden.
        Wrong::Crash => red,
        _ if !stand.counts() => End::by(Way::Optional, "passed"),
        Wrong::FirstTry if stand == Stand::RetryBlock => End::by(Way::TriedAgain, "passed"),
        Wrong::FirstAttempt if retries > 0 && options.fails_on_flaky => End::new("flaky", 1),
        Wrong::FirstAttempt if retries > 0 => End::by(Way::Flaky, "flaky"),
        Wrong::NewSnapshot if options.writes.0 => End::by(Way::Written, "passed"),
        // A row of a table has goldens of its own, so there is none that differs.
        Wrong::OtherSnapshot if header.keys.contains("each") => match options.writes {
            (true, _) => End::by(Way::Written, "passed"),
            _ => red,
        },
        // Whether a variant that differs from the plain golden is new or changed is not said.
        Wrong::OtherSnapshot if options.writes.0 != options.writes.1 => {
            let is_variant = header.keys.contains("matrix");
            match (is_variant, options.writes.1) {
                (true, _) => End::by(Way::Written, "passed").or(red),
                (false, true) => End::by(Way::Written, "passed"),
                (false, false) => red,
            }
        }
        Wrong::OtherSnapshot if options.writes.1 => End::by(Way::Written, "passed"),
        _ => red,
    }
}
