//! Which item is taken first: what takes long, so that nobody waits for one long flow in the end.

/// Puts what takes longest in front, by what is known of it. What is not known counts as long as half of what is known,
/// and stands before what is known to take as long. Otherwise the order stays.
pub(super) fn longest_first<T>(items: Vec<T>, known_ms: impl Fn(&T) -> Option<u64>) -> Vec<T> {
    let mut timed: Vec<(Option<u64>, T)> = items
        .into_iter()
        .map(|item| (known_ms(&item), item))
        .collect();
    let mut known: Vec<u64> = timed.iter().filter_map(|(ms, _)| *ms).collect();
    known.sort_unstable();
    let median = known.get(known.len() / 2).copied().unwrap_or_default();
    timed.sort_by_key(|(ms, _)| {
        let is_known = ms.is_some();
        (std::cmp::Reverse(ms.unwrap_or(median)), is_known)
    });
    timed.into_iter().map(|(_, item)| item).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_ones_come_first_and_unknown_ones_in_the_middle() {
        let known = |name: &&str| match *name {
            "short" => Some(10),
            "long" => Some(900),
            "middle" => Some(50),
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
