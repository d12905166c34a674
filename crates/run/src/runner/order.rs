//! Orders items so that long ones begin first: otherwise all devices may wait for one long flow at the end.

use std::cmp::Reverse;
use std::time::Duration;

/// Sorts items by their known durations, longest first. An item of unknown duration counts as the median of
/// the known ones and comes before those of the same duration. Otherwise the order stays.
pub(super) fn longest_first<T>(items: Vec<T>, known: impl Fn(&T) -> Option<Duration>) -> Vec<T> {
    let mut timed: Vec<(Option<Duration>, T)> =
        items.into_iter().map(|item| (known(&item), item)).collect();
    let mut times: Vec<Duration> = timed.iter().filter_map(|(took, _)| *took).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or_default();
    timed.sort_by_key(|(took, _)| (Reverse(took.unwrap_or(median)), took.is_some()));
    timed.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_come_first_and_unknown_ones_in_the_middle() {
        let known = |name: &&str| match *name {
            "short" => Some(Duration::from_millis(10)),
            "long" => Some(Duration::from_millis(900)),
            "middle" => Some(Duration::from_millis(50)),
            _ => None,
        };
        let items = vec!["a", "short", "middle", "long", "b"];
        assert_eq!(
            longest_first(items, known),
            ["long", "a", "b", "middle", "short"]
        );
        assert_eq!(longest_first(vec!["c", "a", "b"], known), ["c", "a", "b"]);
    }
}
