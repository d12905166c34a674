//! Translates steps that choose from a list in other tools, such as `select: { id: folder, option: Travel }`.

use super::element::{Element, property, yaml};
use super::tables::{lists, plain};
use crate::yaml::{Key, Node};

/// Returns advice for the map of a step that chooses an entry of a list: two clicks. Returns `None` for other steps,
/// and where nothing says which entry is meant.
pub(super) fn chosen(step: &str, entries: &[(Key, Node)]) -> Option<String> {
    const STEPS: &str = "select selectoption selectitem selectfrom selectfromlist selectbyvisibletext selectbyvalue selectbytext selectvalue choose chooseoption pick pickitem dropdown spinner setpicker picker";
    const ENTRIES: &str = "option options value item choice entry to visibletext select choose";
    if !lists(STEPS, step) {
        return None;
    }
    let is_entry = |(key, _): &&(Key, Node)| lists(ENTRIES, &plain(&key.text));
    let (_, entry) = entries.iter().find(is_entry)?;
    let entry = entry.scalar().filter(|_| !entry.is_missing())?;
    let field = entries
        .iter()
        .filter_map(|(key, node)| Some((property(&key.text)?, node)));
    let field = Element::from_entries(field).map_or_else(|| "…".to_owned(), |it| it.shortest());
    Some(format!(
        "write two steps: `click: {field}`, which opens the list, and `click: {}`",
        yaml(&entry.text)
    ))
}
