//! Names of tools that nearly are what a client asked for.

/// Names that are less alike than that (0–1) are of different tools.
const LIKE: f64 = 0.7;

/// Words for one thing to do, as the tools of all clients call it.
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

/// How alike two names are, from 0 to 1; nothing where they are of different tools. Where they are of the same verb or the same noun only, the other word decides:
/// `launch_app` is `open_app`, and neither `close_app` nor `launch_scenario`.
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
    (likeness >= LIKE).then_some(likeness)
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
