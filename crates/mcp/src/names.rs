//! Finds the tool that a client probably meant by a wrong name.

/// Similarity (0–1) from which a name is suggested. Chosen: the tests below name pairs on both sides of it.
const MIN_SIMILARITY: f64 = 0.7;

/// Verbs that different clients use for one thing.
const VERBS: [&[&str]; 8] = [
    &["open", "launch", "start", "run"],
    &["close", "stop", "kill", "terminate", "quit"],
    &["tap", "click", "touch", "press"],
    &["type", "input", "enter", "write", "set"],
    &["get", "read", "list", "show", "take", "capture"],
    &["find", "search", "locate"],
    &["clear", "erase", "delete", "remove"],
    &["wait", "await"],
];

/// Returns the similarity of two names from 0 to 1; `None` below [`MIN_SIMILARITY`]. Case counts.
///
/// Names of the form `verb_noun` are equal if their verbs are synonyms and the nouns equal: `launch_app` is
/// `open_app`. With equal nouns and other known verbs they are not similar at all: it is not `close_app`. All
/// other names are compared by their spelling.
pub(super) fn similarity(known: &str, wanted: &str) -> Option<f64> {
    let spelling = strsim::jaro_winkler(known, wanted);
    let verb_and_noun = |name: &str| {
        let (verb, noun) = name.split_once('_')?;
        let verb = VERBS.iter().position(|verbs| verbs.contains(&verb))?;
        Some((verb, noun.to_owned()))
    };
    let likeness = match (verb_and_noun(known), verb_and_noun(wanted)) {
        (Some((known, noun)), Some((wanted, other))) if known != wanted && noun == other => 0.0,
        (Some(known), Some(wanted)) if known == wanted => 1.0,
        _ => spelling,
    };
    (likeness >= MIN_SIMILARITY).then_some(likeness)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t5_the_verb_of_a_name_counts() {
        let known = [
            "open_app",
            "close_app",
            "tap",
            "long_press",
            "launch",
            "get_screen_state",
        ];
        for (wanted, suggestion) in [
            ("launch_app", Some("open_app")),
            ("stop_app", Some("close_app")),
            ("long_tap", Some("long_press")),
            ("tab", Some("tap")),
            ("quxx", None),
        ] {
            let likeness = |name: &&&str| similarity(name, wanted).unwrap_or_default();
            let best = known
                .iter()
                .filter(|name| similarity(name, wanted).is_some())
                .max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
            assert_eq!(best.copied(), suggestion, "{wanted}");
        }
    }
}
