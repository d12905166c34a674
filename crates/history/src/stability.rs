//! Measures how stable flows are: how often their newest results flipped, and how often they passed in a row.

use std::collections::BTreeMap;

use super::format::Outcome;
use super::read::History;

/// Stability of a flow. Of several cases and devices, the worst counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stability {
    /// Flips among the newest results, of the case and device with the most. A pass after a failed attempt
    /// within one run counts too.
    pub flips: usize,
    /// Number of results in which flips were counted.
    pub results: usize,
    /// Number of newest results in a row that passed at the first attempt, of the case and device with the
    /// fewest.
    pub passes: usize,
}

impl Stability {
    /// Computes the stability of one case on one device. `outcomes` are oldest first. A flip is a change
    /// between passed and not passed, or a flaky result; flips are counted in the newest `window` of them.
    /// The passes at the end are counted in all, and a flaky result ends them.
    fn new(outcomes: &[Outcome], window: usize) -> Self {
        let newest = &outcomes[outcomes.len().saturating_sub(window)..];
        let turns = newest
            .windows(2)
            .filter(|pair| pair[0].is_passed() != pair[1].is_passed())
            .count();
        let flaky = newest.iter().filter(|it| **it == Outcome::Flaky).count();
        let passed = |outcome: &&Outcome| **outcome == Outcome::Passed;
        Self {
            flips: turns + flaky,
            results: newest.len(),
            passes: outcomes.iter().rev().take_while(passed).count(),
        }
    }

    /// Returns the one with more flips, or `self` if they are equal, but with the fewer passes of both.
    fn worst(self, other: Self) -> Self {
        let worse = if other.flips > self.flips {
            other
        } else {
            self
        };
        Self {
            passes: self.passes.min(other.passes),
            ..worse
        }
    }
}

/// Path of the flow, case and label of the device.
type Sequence<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// Computes the stability of all flows by path. Flips are counted in the newest `window` results of each case
/// on each device; skipped and interrupted results do not count. A flow has the flips of its worst case and
/// the fewest passes of all. Flows without results are left out.
pub fn stability(history: &History, window: usize) -> BTreeMap<String, Stability> {
    let mut outcomes: BTreeMap<Sequence<'_>, Vec<Outcome>> = BTreeMap::new();
    let results = history.runs.iter().flat_map(|run| &run.flows);
    for result in results.filter(|result| result.outcome.is_verdict()) {
        let id = &result.id;
        let key = (id.flow.as_str(), id.case.as_deref(), id.device.as_deref());
        outcomes.entry(key).or_default().push(result.outcome);
    }
    let mut flows: BTreeMap<String, Stability> = BTreeMap::new();
    for ((flow, ..), outcomes) in outcomes {
        let one = Stability::new(&outcomes, window);
        flows
            .entry(flow.to_owned())
            .and_modify(|all| *all = all.worst(one))
            .or_insert(one);
    }
    flows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcomes(signs: &str) -> Vec<Outcome> {
        let outcome = |sign| match sign {
            '.' => Outcome::Passed,
            '~' => Outcome::Flaky,
            _ => Outcome::Failed,
        };
        signs.chars().map(outcome).collect()
    }

    #[test]
    fn flips_and_passes_are_counted() {
        for (signs, flips, results, passes) in [
            ("", 0, 0, 0),
            ("....", 0, 4, 4),
            ("xxxx", 0, 4, 0),
            // Broken once, and mended.
            ("..xx..", 2, 6, 2),
            (".x.x.x", 5, 6, 0),
            (".~.~.", 2, 5, 1),
            // What is older than the window does not count as a flip, but passes do.
            ("x.x...........", 0, 10, 11),
        ] {
            let expected = Stability {
                flips,
                results,
                passes,
            };
            assert_eq!(Stability::new(&outcomes(signs), 10), expected, "{signs}");
        }
        let steady = Stability::new(&outcomes("..........."), 10);
        let shaky = Stability::new(&outcomes(".x.x."), 10);
        assert_eq!(steady.worst(shaky), shaky.worst(steady));
        assert_eq!(
            (steady.worst(shaky).flips, steady.worst(shaky).passes),
            (4, 1)
        );
    }
}
