//! Translates steps that move a slider in other tools, such as `adjust: { id: volume, to: 0.5 }`.

use super::element::{Element, property};
use super::tables::{lists, plain};
use crate::yaml::{Key, Node};

/// Returns advice for the map of a step that moves a slider to a share of its length, as `0.5` or `50%`: a click at this
/// place, or a drag. Returns `None` for other steps, and if the element or the share is missing.
pub(super) fn moved(step: &str, entries: &[(Key, Node)]) -> Option<String> {
    const STEPS: &str = "adjust adjustslider adjustsliderposition adjusttonormalizedsliderposition slider setslider setslidervalue setseekbar setprogress setprogressbar moveslider slideto seekto";
    const SHARES: &str = "to value position progress percent percentage normalizedposition amount";
    if !lists(STEPS, step) {
        return None;
    }
    let is_share = |(key, _): &&(Key, Node)| lists(SHARES, &plain(&key.text));
    let (_, given) = entries.iter().find(is_share)?;
    let text = given.scalar()?.text.as_str();
    let number: f64 = text.trim_end_matches('%').trim().parse().ok()?;
    let share = if text.ends_with('%') || number > 1.0 {
        number
    } else {
        number * 100.0
    };
    if !(0.0..=100.0).contains(&share) {
        return None;
    }
    let field = entries
        .iter()
        .filter_map(|(key, node)| Some((property(&key.text)?, node)));
    let field = Element::from_entries(field)?.in_braces();
    let inside = field.strip_suffix(" }")?;
    Some(format!(
        "write `click: {inside}, at: {{ x: {}%, y: 50% }} }}`, which puts it there, or `drag: {{ from: …, to: … }}`",
        share.round()
    ))
}
