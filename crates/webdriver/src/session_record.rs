//! Combines results of flows for a cloud, which shows one name and one result for a whole session.

use runner_device::remote::FlowResult;

/// Combined name and result of the flows that ran in one session.
#[derive(Debug, Default)]
pub(crate) struct SessionRecord {
    first: Option<String>,
    flows: u32,
    earlier_failed: bool,
    last_failed: bool,
    reported: Option<bool>,
}

impl SessionRecord {
    /// Records the start of an attempt at `flow`; attempts count from 1. Returns the session's new name if it
    /// changes: that of the first flow, whatever its attempt, then with the number of further ones. A retry changes
    /// no name, and its result replaces that of the attempt before.
    pub(crate) fn begin(&mut self, flow: &str, attempt: u32) -> Option<String> {
        let Some(first) = &self.first else {
            self.first = Some(flow.to_owned());
            self.flows = 1;
            return Some(flow.to_owned());
        };
        if attempt > 1 {
            // A retry replaces the result of the attempt before.
            self.last_failed = false;
            return None;
        }
        self.earlier_failed |= self.last_failed;
        self.last_failed = false;
        self.flows += 1;
        Some(format!("{first} and {} more", self.flows - 1))
    }

    /// Records the end of an attempt. Returns the session's result, with the reason of this attempt, if it is the
    /// first one or another than before. One failed flow fails the session, unless its retry passes.
    pub(crate) fn end(&mut self, result: &FlowResult) -> Option<FlowResult> {
        self.last_failed = !result.passed;
        let passed = !self.earlier_failed && !self.last_failed;
        let changes = self.reported != Some(passed);
        self.reported = Some(passed);
        changes.then(|| FlowResult {
            passed,
            reason: result.reason.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: FlowResult = FlowResult {
        passed: true,
        reason: None,
    };

    fn failed(reason: &str) -> FlowResult {
        FlowResult {
            passed: false,
            reason: Some(reason.to_owned()),
        }
    }

    #[test]
    fn one_failed_flow_fails_the_session() {
        let mut record = SessionRecord::default();
        assert_eq!(record.begin("a", 1).as_deref(), Some("a"));
        assert_eq!(record.end(&PASSED), Some(PASSED));
        assert_eq!(record.begin("b", 1).as_deref(), Some("a and 1 more"));
        assert_eq!(record.end(&failed("x")), Some(failed("x")));
        // It is flaky.
        assert_eq!(record.begin("b", 2), None);
        assert_eq!(record.end(&PASSED), Some(PASSED));
        assert_eq!(record.begin("c", 1).as_deref(), Some("a and 2 more"));
        assert_eq!(record.end(&failed("y")), Some(failed("y")));
        assert_eq!(record.begin("d", 1).as_deref(), Some("a and 3 more"));
        assert_eq!(record.end(&PASSED), None);
        assert_eq!(record.end(&failed("z")), None);
    }
}
