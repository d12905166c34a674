//! Translates keys beside a step that repeat it or choose it in other tools: `until`, `times`, `unless`.

use super::element::{quoted, yaml};
use super::tables::{lists, plain};
use crate::yaml::{Node, NodeKind};

/// Returns advice for a key beside a step that says how often or whether the step runs: a `repeat`, `when`, `each` or
/// `if`. `step` and `key` are names with their values. A value that cannot be taken over becomes `…`, and a wrong
/// number of rounds becomes 3. Returns `None` for other keys, and for `else` beside `if`.
pub(crate) fn rounds(step: (&str, &Node), key: (&str, &Node)) -> Option<String> {
    let ((step, value), (key, given)) = (step, key);
    let word = plain(key);
    let code = match value.scalar() {
        _ if step == "repeat" => "…".to_owned(),
        Some(_) if value.is_missing() => step.to_owned(),
        Some(text) => format!("{step}: {}", yaml(&text.text)),
        None => format!("{step}: …"),
    };
    let repeat = |how: &str| Some(format!("write `repeat: {{ {how}, steps: [ {code} ] }}`"));
    let is = |words: &str| lists(words, &word);
    if is("until repeatuntil till dountil") {
        return repeat(&format!("while: {}", condition(given, true)));
    }
    if is("while repeatwhile aslongas dowhile") {
        return repeat(&format!("while: {}", condition(given, false)));
    }
    if is("unless ifnot whennot onlyifnot skipif") {
        return Some(format!("write `when: {}`", condition(given, true)));
    }
    if is("times count repeattimes repeats iterations rounds loops loop") {
        let times = given.scalar().filter(|times| times.number().is_some());
        return repeat(&format!(
            "times: {}",
            times.map_or("3", |times| times.text.as_str())
        ));
    }
    if is("each foreach withitems eachitem") {
        let help = "`each: [ { NAME: a }, { NAME: b } ]` in the header runs the flow once for each row; `repeat` repeats steps";
        return Some(help.to_owned());
    }
    if is("else otherwise") && step != "if" {
        let help = "write `if: …`, with `then: […]` and `else: […]` beside it";
        return Some(help.to_owned());
    }
    None
}

/// Writes a condition of another tool for a flow, or its negation if `is_denied`: an expression stays one, a text or
/// the value of a map's only key becomes `{ visible: … }` or `{ not_visible: … }`. A key such as `gone` denies once
/// more; any other key means `visible`. All else becomes `{ visible: … }` with `…` itself.
fn condition(given: &Node, is_denied: bool) -> String {
    match &given.kind {
        NodeKind::Scalar(text) if text.text.starts_with("${") && text.text.ends_with('}') => {
            let inner = &text.text[2..text.text.len() - 1];
            if is_denied {
                quoted(&format!("${{not ({inner})}}"))
            } else {
                quoted(&text.text)
            }
        }
        NodeKind::Scalar(text) if !given.is_missing() && text.boolean().is_none() => {
            element(&yaml(&text.text), is_denied)
        }
        NodeKind::Map(entries) => match entries.as_slice() {
            [(key, value)] => {
                const ABSENT: &str =
                    "notvisible gone hidden invisible absent notexists doesnotexist";
                let text = value.scalar().filter(|_| !value.is_missing());
                let text = text.map_or_else(|| "…".to_owned(), |text| yaml(&text.text));
                element(&text, is_denied != lists(ABSENT, &plain(&key.text)))
            }
            _ => element("…", is_denied),
        },
        _ => element("…", is_denied),
    }
}

/// Writes `{ visible: TEXT }`, or with `not_visible` if it is denied. The text is in YAML's form already.
fn element(text: &str, is_denied: bool) -> String {
    let key = if is_denied { "not_visible" } else { "visible" };
    format!("{{ {key}: {text} }}")
}
