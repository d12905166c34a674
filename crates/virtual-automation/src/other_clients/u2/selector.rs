//! Parses the package's selectors: fields, with a bit mask of those that count.

use serde_json::Value;

use super::error::RpcError;
use crate::other_clients::selector::{Criterion, Flag, Relation, TextKind, TextMatch, UiSelector};

/// Limit for nested selectors. Chosen: bounds recursion; tests nest one or two.
const MAX_DEPTH: usize = 8;
/// Limit for chained selectors. Chosen: bounds the search; tests chain a few.
const MAX_CHAIN: usize = 50;

/// Meaning of a field.
#[derive(Clone, Copy)]
enum Field {
    Equals(TextKind),
    Contains(TextKind),
    Matches(TextKind),
    StartsWith(TextKind),
    Flag(Flag),
}

/// Fields with their bits in the mask, as the package defines them.
const FIELDS: [(&str, u64, Field); 23] = {
    use Field::{Contains, Equals, Flag as Is, Matches, StartsWith};
    use TextKind::{ClassName, Description, PackageName, ResourceId, Text};
    [
        ("text", 0x01, Equals(Text)),
        ("textContains", 0x02, Contains(Text)),
        ("textMatches", 0x04, Matches(Text)),
        ("textStartsWith", 0x08, StartsWith(Text)),
        ("className", 0x10, Equals(ClassName)),
        ("classNameMatches", 0x20, Matches(ClassName)),
        ("description", 0x40, Equals(Description)),
        ("descriptionContains", 0x80, Contains(Description)),
        ("descriptionMatches", 0x0100, Matches(Description)),
        ("descriptionStartsWith", 0x0200, StartsWith(Description)),
        ("checkable", 0x0400, Is(Flag::Checkable)),
        ("checked", 0x0800, Is(Flag::Checked)),
        ("clickable", 0x1000, Is(Flag::Clickable)),
        ("longClickable", 0x2000, Is(Flag::LongClickable)),
        ("scrollable", 0x4000, Is(Flag::Scrollable)),
        ("enabled", 0x8000, Is(Flag::Enabled)),
        ("focusable", 0x01_0000, Is(Flag::Focusable)),
        ("focused", 0x02_0000, Is(Flag::Focused)),
        ("selected", 0x04_0000, Is(Flag::Selected)),
        ("packageName", 0x08_0000, Equals(PackageName)),
        ("packageNameMatches", 0x10_0000, Matches(PackageName)),
        ("resourceId", 0x20_0000, Equals(ResourceId)),
        ("resourceIdMatches", 0x40_0000, Matches(ResourceId)),
    ]
};
/// Bits of the fields `index` and `instance`.
const INDEX: u64 = 0x80_0000;
const INSTANCE: u64 = 0x0100_0000;

/// Parses a selector.
pub(super) fn read(value: &Value) -> Result<UiSelector, RpcError> {
    read_at(value, 0)
}

/// Reads a selector. Only fields in its mask count, a missing one as empty, false or 0. An error beyond
/// `MAX_DEPTH`, for a bad pattern, and for an unknown relation; parts beyond `MAX_CHAIN` are ignored.
fn read_at(value: &Value, depth: usize) -> Result<UiSelector, RpcError> {
    if !value.is_object() || depth > MAX_DEPTH {
        return Err(RpcError::parameters("a selector is expected"));
    }
    let mask = value.get("mask").and_then(Value::as_u64).unwrap_or(0);
    let mut selector = UiSelector::default();
    for (name, bit, field) in FIELDS {
        if mask & bit == 0 {
            continue;
        }
        let given = value.get(name).unwrap_or(&Value::Null);
        let text = given.as_str().unwrap_or_default();
        selector.criteria.push(match field {
            Field::Equals(kind) => Criterion::equals(kind, text),
            Field::Contains(kind) => Criterion::Text(kind, TextMatch::Contains(text.to_owned())),
            Field::StartsWith(kind) => {
                Criterion::Text(kind, TextMatch::StartsWith(text.to_owned()))
            }
            Field::Matches(kind) => {
                let matching = TextMatch::regex(text)
                    .map_err(|error| RpcError::parameters(error.to_string()))?;
                Criterion::Text(kind, matching)
            }
            Field::Flag(flag) => Criterion::Flag(flag, given.as_bool().unwrap_or(false)),
        });
    }
    let number = |name: &str| {
        let number = value.get(name).and_then(Value::as_u64).unwrap_or(0);
        usize::try_from(number).unwrap_or(usize::MAX)
    };
    if mask & INDEX != 0 {
        selector.criteria.push(Criterion::Index(number("index")));
    }
    if mask & INSTANCE != 0 {
        selector.instance = Some(number("instance"));
    }
    let list = |name: &str| value.get(name).and_then(Value::as_array);
    let relations = list("childOrSibling").into_iter().flatten();
    let parts = list("childOrSiblingSelector").into_iter().flatten();
    for (relation, part) in relations.zip(parts).take(MAX_CHAIN) {
        let relation = match relation.as_str() {
            Some("child") => Relation::Child,
            Some("sibling") => Relation::FromParent,
            _ => return Err(RpcError::parameters("`child` or `sibling` is expected")),
        };
        selector.append(relation, read_at(part, depth + 1)?);
    }
    Ok(selector)
}
