//! Which item is taken first: what takes long, so that nobody waits for one long flow in the end.

use std::cmp::Reverse;
use std::time::Duration;

/// Puts what takes longest in front, by what is known of it. What is not known counts as the median of what is, and
/// stands before what is known to take as long. Otherwise the order stays.
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
