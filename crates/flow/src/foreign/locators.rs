//! Translates steps of other tools that name an element in a value: `waitForSelector: '#save'`, and locators with
//! what is done beside them or in them.

use super::calls;
use super::element::{Element, fill, property};
use super::tables::{STEPS, lists, plain, rows};
use crate::yaml::{Key, Node, NodeKind};

/// Keys that hold the name of an action.
const ACTIONS: &str = "perform action do check then and step method";

/// Returns advice for a step that finds an element in another tool, such as `onView`, with an action in its map or
/// in `beside`, the other keys of the step. Returns `None` for other steps, and without a known action.
pub(crate) fn located(word: &str, value: &Node, beside: &[&(Key, Node)]) -> Option<String> {
    let name = plain(word);
    let finds = |[ours, words]: &[&str; 2]| ours.starts_with("`find") && lists(words, &name);
    rows(STEPS).find(finds)?;
    let inside = match &value.kind {
        NodeKind::Map(entries) => entries.as_slice(),
        _ => &[],
    };
    let mut entries = beside.iter().copied().chain(inside);
    let (ours, text) = entries.find_map(|(key, node)| action(&key.text, node))?;
    let found = element(word, value)?;
    Some(format!("write {}", fill(ours, Some(&found), text)))
}

/// Returns advice for a selector in two keys, such as `{ by: id, value: save }` and `{ using: xpath, value: //a }`,
/// together with the key that says how the element is found; `None` for all else.
pub(crate) fn strategy(entries: &[(Key, Node)]) -> Option<(&Key, String)> {
    const KINDS: &str = "by using strategy how type locatortype findby kind";
    const VALUES: &str = "value locator selector element target query name";
    let find = |words: &str| {
        let mut entries = entries.iter();
        entries.find(|(key, _)| lists(words, &plain(&key.text)))
    };
    let (key, kind) = find(KINDS)?;
    let (_, value) = find(VALUES)?;
    let (kind, value) = (&kind.scalar()?.text, value.scalar()?);
    let element = property(kind).map(|property| Element::new(property, &value.text));
    let help = match element {
        Some(element) => format!("write `{}`", element.in_braces()),
        None if ["xpath", "css", "cssselector"].contains(&plain(kind).as_str()) => {
            "there is no XPath and no CSS; write `{ id: … }`, `{ text: … }` or `{ desc: … }`"
                .to_owned()
        }
        None => return None,
    };
    Some((key, help))
}

/// Returns the equivalent of an action and the text that it is given: `perform: click`, `perform: { typeText: ada }`
/// and `performTextInput: ada`. Returns `None` for keys of a selector, for a name or title, and for what is no action.
fn action<'n>(key: &str, node: &'n Node) -> Option<(&'static str, Option<&'n str>)> {
    let text = |node: &'n Node| {
        let given = node.scalar().filter(|given| given.boolean().is_none());
        given.map(|given| given.text.as_str())
    };
    if property(key).is_some() {
        return None;
    }
    if !lists(ACTIONS, &plain(key)) {
        // `name: text` says what is read of the element.
        let ours = calls::equivalent(key, false).filter(|ours| !ours.starts_with("`label"))?;
        return Some((ours, text(node)));
    }
    match &node.kind {
        NodeKind::Scalar(name) => {
            let given = name.text.split('"').nth(1);
            Some((calls::equivalent(&name.text, false)?, given))
        }
        NodeKind::Map(entries) => {
            let (key, given) = entries.first()?;
            Some((calls::equivalent(&key.text, false)?, text(given)))
        }
        NodeKind::Sequence(_) => None,
    }
}

/// Returns the element that the step `word`, which finds one, and its value name: in a map the first key that means a
/// property, else the text as a locator or as what the step finds by. Returns `None` for a list, and for a map
/// without such a key.
fn element(word: &str, value: &Node) -> Option<Element> {
    match &value.kind {
        NodeKind::Map(entries) => entries.iter().find_map(|(key, node)| {
            let text = &node.scalar()?.text;
            // In `onNodeWithTag: { tag: … }` the key says the same.
            Some(Element::new(property(&key.text)?, text))
        }),
        NodeKind::Scalar(given) => {
            let kind = property(word).unwrap_or("text");
            locator(&given.text).or_else(|| Some(Element::new(kind, &given.text)))
        }
        NodeKind::Sequence(_) => None,
    }
}

/// Returns the element that a text names as a locator of another tool, such as `#save`, `~Save` and `text=Save`;
/// `None` for a text that an app may show.
fn locator(text: &str) -> Option<Element> {
    let is_locator =
        text.starts_with(['#', '~', '/', '(', '[']) || text.contains('=') || text.contains(":id/");
    let is_locator = is_locator && !text.contains("${");
    is_locator
        .then(|| calls::element(&format!("'{text}'")))
        .flatten()
}

/// Puts the element that a step's value names as a locator into the code of advice, such as `` write `wait_for: …` ``.
/// Other advice stays.
pub(crate) fn with_element(help: String, value: &Node) -> String {
    let found = value.scalar().and_then(|given| locator(&given.text));
    match (help.strip_prefix("write "), found) {
        (Some(ours), Some(found)) => format!("write {}", fill(ours, Some(&found), None)),
        _ => help,
    }
}
