//! The data model: JSON that is addressed by JSON pointers.

use serde_json::{Map, Value};

/// Most parts of a pointer that is written to. Chosen: dropping a value that is nested much deeper would
/// overflow the stack.
const MAX_POINTER_PARTS: usize = 100;

/// Makes a path absolute. A relative path begins at `base`, the pointer of a template's item. An empty path
/// and `.` are `base` itself, and `/` is the whole data, an empty pointer.
pub(crate) fn absolute(base: &str, path: &str) -> String {
    if path.starts_with('/') {
        if path == "/" {
            String::new()
        } else {
            path.to_owned()
        }
    } else if path.is_empty() || path == "." {
        base.to_owned()
    } else {
        format!("{base}/{path}")
    }
}

/// Returns the value at an absolute pointer, and the whole data for an empty pointer. Slashes at the end are ignored.
pub(crate) fn get<'a>(model: &'a Value, pointer: &str) -> Option<&'a Value> {
    model.pointer(pointer.trim_end_matches('/'))
}

/// Returns true if an absolute pointer leads to an item that a list has.
pub(crate) fn is_item(model: &Value, pointer: &str) -> bool {
    let above = pointer.trim_end_matches('/').rsplit_once('/');
    above.is_some_and(|(above, _)| get(model, above).is_some_and(Value::is_array))
        && get(model, pointer).is_some()
}

/// Puts a value at an absolute pointer and makes missing objects on the way. `None` removes the value there; at the
/// root it leaves an empty object. Slashes at the end are ignored, and a pointer with more than [`MAX_POINTER_PARTS`]
/// parts changes nothing.
///
/// In an array, a part is an index, or `-` for the end. The index right behind the end appends too; a greater one, and
/// any other word, changes nothing.
pub(crate) fn set(model: &mut Value, pointer: &str, value: Option<Value>) {
    let pointer = pointer.trim_end_matches('/');
    if pointer.is_empty() {
        *model = value.unwrap_or_else(|| Value::Object(Map::new()));
        return;
    }
    // Dropping a value that is nested deeper could overflow the stack.
    if pointer.bytes().filter(|byte| *byte == b'/').count() > MAX_POINTER_PARTS {
        return;
    }
    let parts: Vec<String> = pointer
        .split('/')
        .skip(1)
        // In this order, or `~01` would become a slash.
        .map(|part| part.replace("~1", "/").replace("~0", "~"))
        .collect();
    put(model, &parts, value);
}

/// Puts a value at a pointer's parts. On its way, a value that is neither object nor array becomes an object, and what
/// is missing is made. A removal makes nothing, and does nothing below what is missing. Removing an item of an array
/// closes its gap.
fn put(place: &mut Value, parts: &[String], value: Option<Value>) {
    let Some((first, rest)) = parts.split_first() else {
        if let Some(value) = value {
            *place = value;
        }
        return;
    };
    if let Value::Array(items) = place {
        let index = if first == "-" {
            Some(items.len())
        } else {
            first.parse().ok()
        };
        let Some(index) = index.filter(|index| *index <= items.len()) else {
            return;
        };
        match (rest.is_empty(), value) {
            (true, None) => {
                if index < items.len() {
                    items.remove(index);
                }
            }
            (false, None) => {
                if let Some(item) = items.get_mut(index) {
                    put(item, rest, None);
                }
            }
            (_, value) => {
                if index == items.len() {
                    items.push(Value::Null);
                }
                if let Some(item) = items.get_mut(index) {
                    put(item, rest, value);
                }
            }
        }
        return;
    }
    if !place.is_object() {
        if value.is_none() {
            return;
        }
        *place = Value::Object(Map::new());
    }
    if let Value::Object(fields) = place {
        match (rest.is_empty(), value) {
            // `remove` would put the last field in its place.
            (true, None) => drop(fields.shift_remove(first)),
            (false, None) => {
                if let Some(field) = fields.get_mut(first) {
                    put(field, rest, None);
                }
            }
            (_, value) => put(
                fields.entry(first.clone()).or_insert(Value::Null),
                rest,
                value,
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pointers_reach_and_change_what_they_name() {
        let mut model = json!({"notes": [{"title": "a"}]});
        set(&mut model, "/notes/0/title", Some(json!("b")));
        set(&mut model, "/notes/-", Some(json!({"title": "c"})));
        set(&mut model, "/user/name", Some(json!("ada")));
        set(&mut model, "/notes/7/title", Some(json!("ignored")));
        assert_eq!(
            model,
            json!({"notes": [{"title": "b"}, {"title": "c"}], "user": {"name": "ada"}})
        );
        set(&mut model, "/notes/0", None);
        set(&mut model, "/user/name", None);
        assert_eq!(model, json!({"notes": [{"title": "c"}], "user": {}}));
        let before = model.clone();
        for missing in [
            "/gone/name",
            "/user/gone/name",
            "/notes/1/title",
            "/notes/-/a",
        ] {
            set(&mut model, missing, None);
            assert_eq!(model, before, "{missing}");
        }
        assert_eq!(get(&model, "/notes/0/title"), Some(&json!("c")));
        for (pointer, expected) in [
            ("/notes/0", true),
            ("/notes/1", false),
            ("/notes/0/title", false),
            ("/notes", false),
            ("", false),
        ] {
            assert_eq!(is_item(&model, pointer), expected, "{pointer}");
        }
        assert_eq!(absolute("/notes/0", "title"), "/notes/0/title");
        assert_eq!(absolute("/notes/0", "/count"), "/count");
    }
}
