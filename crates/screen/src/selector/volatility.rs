//! Detects words that another run will not show again: times, dates, counters, generated numbers.

use std::sync::OnceLock;

use regex::RegexSet;

const MONTH: &str = r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?";
const DAY: &str = r"(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?,?";

/// Returns true if the words are likely to change in the next run: they hold times, dates, counters or generated
/// numbers, such as `12:30`, `May 4`, `45 %`, `3 notes`, `Order 1234567`. A small number behind a word, as in
/// `Level 3`, does not count, unless the word begins like a month or a weekday: `Monitor 2`.
///
/// In doubt it returns true: an element with a better name is named by that, and one without keeps its words.
pub(super) fn is_volatile(words: &str) -> bool {
    static PATTERNS: OnceLock<Option<RegexSet>> = OnceLock::new();
    PATTERNS
        .get_or_init(|| patterns().ok())
        .as_ref()
        .is_some_and(|patterns| patterns.is_match(words))
}

/// Builds the patterns of words that change.
fn patterns() -> Result<RegexSet, regex::Error> {
    RegexSet::new([
        // 12:30, 9:05:12
        r"\b\d{1,2}:\d{2}(:\d{2})?\b".to_owned(),
        // 2026-05-04, 4.5.2026, 04/05/26
        r"\b\d{4}-\d{1,2}-\d{1,2}\b|\b\d{1,2}[./]\d{1,2}[./](\d{4}|\d{2})\b".to_owned(),
        // May 4, 4 May, 4. Mai; Mon 4
        format!(r"(?i)\b{MONTH} \d{{1,2}}\b|\b\d{{1,2}}\.? {MONTH}\b|\b{DAY} \d{{1,2}}\b"),
        // just now, 5 min ago, in 3 days
        r"(?i)\bjust now\b|\d+ ?[a-z]+ ago\b|\bin \d+ (s|m|h|sec|min|hour|day|week|month)"
            .to_owned(),
        // 3, 1,204, 12.50 €, 45 %, -3°
        r"^[-+−~≈]?\p{Sc}? ?[\d.,'\s\u{a0}]*\d ?(%|°[CF]?|\p{Sc}|[kKMGT]?i?B|[kKM]|EUR|USD)?$"
            .to_owned(),
        // 3 notes, 12 new messages, Inbox (3), 3/10, 3 of 10
        r"^\d+\+? \p{L}|\(\d+\+?\)|\b\d+ ?/ ?\d+\b|\b\d+ of \d+\b".to_owned(),
        // 4f9c2c1e-…, a hash, a number of an order
        r"(?i)\b[0-9a-f]{8}-[0-9a-f]{4}-|\d{5,}|\b[0-9a-f]*[0-9][a-f][0-9a-f]*[0-9][0-9a-f]*\b"
            .to_owned(),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_is_told_from_what_stays() {
        assert!(patterns().is_ok());
        for words in [
            "12:30",
            "Saved at 9:05",
            "2026-05-04",
            "4.5.2026",
            "May 4",
            "Mon 12",
            "4 October 2026",
            "5 min ago",
            "just now",
            "42",
            "1,204",
            "45 %",
            "$ 12.50",
            "3 notes",
            "Inbox (3)",
            "3/10",
            "Page 3 of 10",
            "123e4567-e89b-12d3-a456-426614174000",
            "Order 1234567",
            "3f9a0c4d2b1e",
        ] {
            assert!(is_volatile(words), "{words}");
        }
        for words in [
            "Sign in",
            "Wi-Fi",
            "Version 2",
            "Maybe later",
            "May",
            "Monday",
            "Add",
            "Welcome, Ada",
            "Two days by the sea",
            "Level 3",
            "Windows 11",
            "deadbeef",
            "A4",
            "",
        ] {
            assert!(!is_volatile(words), "{words}");
        }
    }
}
