//! Laws for words: labels and their fields, and texts in another letter case.

use std::time::Duration;

use super::raw::{Edges, RawNode};
use super::{Sample, check, places, samples, selector};
use crate::{EngineError, Readiness};
use runner_screen::Selector;
use runner_screen::selector::Purpose;
use serde_json::json;

/// Returns the pixels from a label to a field in the direction of a relation: `below`, else to the right.
/// `None` unless they share a column or row, or if the field begins before the label's end.
fn gap(relation: &str, field: Edges, label: Edges) -> Option<i32> {
    let share = |a: (i32, i32), b: (i32, i32)| a.0 < b.1 && b.0 < a.1;
    let (gap, shares) = match relation {
        "below" => (
            field[1] - label[3],
            share((field[0], field[2]), (label[0], label[2])),
        ),
        _ => (
            field[0] - label[2],
            share((field[1], field[3]), (label[1], label[3])),
        ),
    };
    (gap >= 0 && shares).then_some(gap)
}

#[test]
fn a_label_leads_to_the_field_nearest_to_it() {
    let mut pairs = 0;
    for sample in samples() {
        let fields: Vec<(usize, &RawNode)> = sample
            .raw
            .iter()
            .enumerate()
            .filter(|(_, node)| node.is_field())
            .collect();
        for text in sample.texts() {
            let [label] = sample.with_text(&text)[..] else {
                continue;
            };
            // In a pattern a star is any text.
            if sample.raw[label].is_field() || text.contains('*') {
                continue;
            }
            for relation in ["below", "right_of"] {
                let gap_to = |field: &RawNode| gap(relation, field.edges, sample.raw[label].edges);
                let near = fields
                    .iter()
                    .filter_map(|(place, it)| Some((gap_to(it)?, *place)));
                let Some((_, nearest)) = near.min() else {
                    continue;
                };
                pairs += 1;
                let selector =
                    selector(json!({ "editable": true, relation: { "text": text }, "index": 0 }));
                let found = places(&selector, &sample.screen);
                assert_eq!(found, [nearest], "{}: {selector}", sample.name);
            }
        }
    }
    assert!(pairs >= 50, "{pairs} pairs");
}

/// Changes the letter case of a text, to lower case or else to upper. `None` if neither differs, or the
/// screen has the result already as text, description or hint. Variants with `*` or with other letters are
/// refused.
fn recased(sample: &Sample, text: &str) -> Option<String> {
    let is_said = |words: &str| {
        let names = ["text", "content-desc", "hint"];
        let mut all = sample.raw.iter();
        all.any(|node| names.iter().any(|name| node.words(name) == words))
    };
    let variants = [text.to_lowercase(), text.to_uppercase()];
    variants
        .into_iter()
        // `ß` and the like are other letters in the other case.
        .filter(|variant| variant.to_lowercase() == text.to_lowercase())
        .find(|variant| variant != text && !is_said(variant) && !variant.contains('*'))
}

/// Returns true if a text, description or hint of the element equals `wanted`, ignoring case.
fn differs_in_case(node: &RawNode, wanted: &str) -> bool {
    ["text", "content-desc", "hint"]
        .iter()
        .any(|name| node.words(name).to_lowercase() == wanted.to_lowercase())
}

#[test]
fn another_letter_case_is_refused_and_only_that_is_said() {
    let mut asked = 0;
    check(|sample, broken| {
        for variant in sample
            .texts()
            .iter()
            .filter_map(|text| recased(sample, text))
        {
            let wanted = Selector::from_words(&variant);
            if !wanted.find(&sample.screen).is_empty() {
                broken.push(format!("{variant:?} is found"));
            }
            for purpose in [Purpose::Action, Purpose::Assertion] {
                let misses = wanted.near_misses(&sample.screen, 3, purpose);
                if misses.is_empty() {
                    broken.push(format!("{variant:?}: nothing near"));
                }
                for miss in misses {
                    let node = &sample.raw[miss.node.0 as usize];
                    if !differs_in_case(node, &variant) || !miss.why.ends_with("only in case") {
                        broken.push(format!("{variant:?}: {}: {}", miss.why, miss.selector));
                    }
                }
            }
        }
    });
    for sample in samples() {
        asked += sample
            .texts()
            .iter()
            .filter(|text| recased(sample, text).is_some())
            .count();
    }
    assert!(asked >= 1000, "{asked} texts");
}

#[tokio::test]
async fn the_message_has_no_other_advice_where_only_the_letter_case_differs() {
    for sample in samples() {
        let texts = sample.texts();
        let Some(variant) = texts.iter().find_map(|text| recased(sample, text)) else {
            continue;
        };
        let (fake, session) = sample.device(0);
        let wanted = Selector::from_words(&variant);
        let clicked = session
            .click(&wanted, Readiness::Forced, Duration::ZERO)
            .await;
        let Err(EngineError::NotFound(missing)) = clicked else {
            panic!("{}: {variant:?}: {clicked:?}", sample.name);
        };
        assert!(fake.inputs().is_empty(), "{}", sample.name);
        assert!(!missing.misses.is_empty(), "{}: {variant:?}", sample.name);
        let other = (missing.partial, missing.scroller, missing.choices);
        assert_eq!(other, (None, None, None), "{}: {variant:?}", sample.name);
    }
}
