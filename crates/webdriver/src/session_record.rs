//! What a cloud hears of a session's flows: it shows one name and one result for all of them.

use runner_device::remote::FlowResult;

/// What the flows of one session came to together: a session has one name and one result, and may run several flows.
#[derive(Debug, Default)]
pub(crate) struct SessionRecord {
    first: Option<String>,
    flows: u32,
    earlier_failed: bool,
    last_failed: bool,
    reported: Option<bool>,
}

impl SessionRecord {
    /// An attempt at a flow begins in the session. Gives the session's new name, where that changes.
    pub(crate) fn begin(&mut self, flow: &str, attempt: u32) -> Option<String> {
        let Some(first) = &self.first else {
            self.first = Some(flow.to_owned());
            self.flows = 1;
            return Some(flow.to_owned());
        };
        if attempt > 1 {
            // What the attempt before came to does not count any more.
            self.last_failed = false;
            return None;
        }
        self.earlier_failed |= self.last_failed;
        self.last_failed = false;
        self.flows += 1;
        Some(format!("{first} and {} more", self.flows - 1))
    }

    /// The attempt ended. Gives the session's new result, where that changes: one failed flow fails it.
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
