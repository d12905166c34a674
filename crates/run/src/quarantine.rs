//! Quarantine of flows, whose failures do not fail the run: notes about it, and the limit of their number.

use chrono::NaiveDate;

use runner_config::QuarantineLimit;
use runner_event::QuarantineNote;
use runner_flow::{Flow, Quarantine};

/// Days before the end of a quarantine from which on each run mentions it. Chosen: a week leaves time to mend
/// the flow.
const SOON: i64 = 7;

/// Returns today's date on this computer. Quarantines end by it.
pub fn today() -> NaiveDate {
    chrono::Local::now().date_naive()
}

/// Number of flows in quarantine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QuarantineCount {
    /// Flows whose quarantine has not ended.
    pub flows: usize,
    /// All flows that can be read.
    pub of: usize,
}

impl QuarantineCount {
    /// Counts one more flow.
    pub(super) fn count(&mut self, flow: &Flow, today: NaiveDate) {
        self.of += 1;
        let is_in = |quarantine: &Quarantine| !quarantine.has_ended(today);
        self.flows += usize::from(flow.quarantine.as_ref().is_some_and(is_in));
    }

    /// Returns a message if the number of flows in quarantine exceeds the limit, which may be a number or a
    /// share of all flows; else `None`.
    pub fn exceeds(self, limit: QuarantineLimit) -> Option<String> {
        if limit.allows(self.flows, self.of) {
            return None;
        }
        let Self { flows, of } = self;
        let are = if flows == 1 { "is" } else { "are" };
        Some(format!(
            "{flows} of {of} flows {are} in quarantine, more than `quarantine_limit: {limit}` allows: mend some, or take their `quarantine` out"
        ))
    }
}

/// Converts a quarantine for events. It tells too whether it had ended `today`.
pub(super) fn note(quarantine: &Quarantine, today: NaiveDate) -> QuarantineNote {
    QuarantineNote {
        because: quarantine.because.clone(),
        until: quarantine.until.map(|until| until.to_string()),
        issue: quarantine.issue.clone(),
        ended: quarantine.has_ended(today),
    }
}

/// Formats a quarantine for the end of a message: `: waits for a card (PAY-12), until 2026-12-31`. Empty if
/// it says nothing.
pub(super) fn describe(quarantine: &Quarantine) -> String {
    let mut text = String::new();
    if !quarantine.because.is_empty() {
        text.push_str(&format!(": {}", quarantine.because));
    }
    if let Some(issue) = &quarantine.issue {
        text.push_str(&format!(" ({issue})"));
    }
    if let Some(until) = quarantine.until {
        text.push_str(&format!(", until {until}"));
    }
    text
}

/// Returns a note if the quarantine ends within 7 days, or today. `None` if it ends later, never, or has
/// ended.
pub(super) fn ends_soon(quarantine: &Quarantine, today: NaiveDate) -> Option<String> {
    let left = quarantine.days_left(today).filter(|left| *left <= SOON)?;
    let when = match left {
        0 => "after today".to_owned(),
        1 => "in 1 day".to_owned(),
        days => format!("in {days} days"),
    };
    let until = quarantine.until?;
    Some(format!(
        "its quarantine ends {when}: {until} is its last day"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_end_that_is_near_is_told() {
        let day = |text: &str| text.parse::<NaiveDate>().unwrap();
        let quarantine = Quarantine {
            because: "waits for a card".to_owned(),
            until: Some(day("2026-12-31")),
            issue: Some("PAY-12".to_owned()),
        };
        assert_eq!(
            describe(&quarantine),
            ": waits for a card (PAY-12), until 2026-12-31"
        );
        assert_eq!(describe(&Quarantine::default()), "");
        for (today, says) in [
            ("2026-12-23", None),
            ("2026-12-24", Some("in 7 days")),
            ("2026-12-30", Some("in 1 day")),
            ("2026-12-31", Some("after today")),
            ("2027-01-01", None),
        ] {
            let said = ends_soon(&quarantine, day(today));
            assert_eq!(said.is_some(), says.is_some(), "{today}: {said:?}");
            assert!(said.unwrap_or_default().contains(says.unwrap_or_default()));
        }
    }

    #[test]
    fn a_limit_is_exceeded_by_more_than_it() {
        let limit = |text: &str| text.parse::<QuarantineLimit>().unwrap();
        for (flows, of, text, exceeds) in [
            (2, 40, "5%", false),
            (3, 40, "5%", true),
            (1, 10, "5%", true),
            (0, 0, "0%", false),
            (1, 1, "0", true),
            (3, 40, "3", false),
            (4, 40, "3", true),
        ] {
            let said = QuarantineCount { flows, of }.exceeds(limit(text));
            assert_eq!(said.is_some(), exceeds, "{flows} of {of}, {text}: {said:?}");
        }
    }
}
