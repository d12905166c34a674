//! Limits the depth and the number of values of JSON before it is parsed: a few bytes of text can stand for a
//! value of much memory.

/// Levels of arrays and objects within each other. Chosen: half of `serde_json`'s own limit of 128, and far
/// above any tool's arguments.
pub(super) const MAX_DEPTH: usize = 64;

/// Texts, numbers, arrays, objects and other values together; names of fields do not count. Chosen: far above
/// any flow. Without it, a message of 16 MiB could hold eight million.
pub(super) const MAX_VALUES: usize = 100_000;

/// Limit that a text exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExceededLimit {
    Depth,
    Values,
}

/// Checks that JSON has at most [`MAX_DEPTH`] levels of lists and objects and [`MAX_VALUES`] values, in one
/// pass, without memory. Every list, object and scalar is a value; names of fields are not. Invalid JSON may
/// pass; the parser will report it.
pub(super) fn check(bytes: &[u8]) -> Result<(), ExceededLimit> {
    let (mut depth, mut values) = (0_usize, 0_usize);
    let mut in_scalar = false;
    let mut rest = bytes.iter();
    while let Some(byte) = rest.next() {
        let was_in_scalar = std::mem::replace(&mut in_scalar, false);
        match byte {
            b'"' => {
                values += 1;
                skip_text(&mut rest);
            }
            b'[' | b'{' => {
                values += 1;
                depth += 1;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            // The string before the colon was a field's name.
            b':' => values = values.saturating_sub(1),
            b',' | b' ' | b'\t' | b'\r' | b'\n' => {}
            _ => {
                in_scalar = true;
                values += usize::from(!was_in_scalar);
            }
        }
        if depth > MAX_DEPTH {
            return Err(ExceededLimit::Depth);
        }
        if values > MAX_VALUES {
            return Err(ExceededLimit::Values);
        }
    }
    Ok(())
}

/// Advances behind the closing quote of a string, or to the end if there is none. `rest` begins behind the
/// opening quote.
fn skip_text(rest: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = rest.next() {
        match byte {
            b'\\' => {
                rest.next();
            }
            b'"' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    fn many(count: usize, value: &str) -> String {
        format!("[{}]", vec![value; count - 1].join(","))
    }

    #[test]
    fn what_is_too_deep_or_too_much_is_known_before_it_is_read() {
        assert_eq!(check(nested(MAX_DEPTH).as_bytes()), Ok(()));
        assert_eq!(
            check(nested(MAX_DEPTH + 1).as_bytes()),
            Err(ExceededLimit::Depth)
        );
        for value in [
            "[]",
            "{}",
            "1",
            "-1.5e3",
            "true",
            "null",
            "\"\"",
            "\"[[,\\\"\"",
        ] {
            let most = many(MAX_VALUES, value);
            assert_eq!(check(most.as_bytes()), Ok(()), "{value}");
            let more = many(MAX_VALUES + 1, value);
            assert_eq!(
                check(more.as_bytes()),
                Err(ExceededLimit::Values),
                "{value}"
            );
        }
        // Brackets and quotes within a text are a part of it.
        let text = json!([format!("\\\"{}", nested(1000))]).to_string();
        assert_eq!(check(text.as_bytes()), Ok(()));
    }

    fn count(value: &Value) -> usize {
        1 + match value {
            Value::Array(items) => items.iter().map(count).sum(),
            Value::Object(fields) => fields.values().map(count).sum(),
            _ => 0,
        }
    }

    /// Returns how many values `check` counts, found by adding values until it fails.
    fn count_values(text: &str) -> usize {
        let (mut low, mut high) = (0, MAX_VALUES);
        while low < high {
            let beside = (low + high).div_ceil(2);
            let padded = format!("{} {text}", "1 ".repeat(beside));
            if check(padded.as_bytes()).is_ok() {
                low = beside;
            } else {
                high = beside - 1;
            }
        }
        MAX_VALUES - low
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "[\\[\\]{}:,\"\\\\ a]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map("[\":{a]{0,3}", inner, 0..4)
                    .prop_map(|map| map.into_iter().collect::<serde_json::Map<_, _>>().into()),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]
        #[test]
        fn every_value_counts_once(value in values()) {
            prop_assert_eq!(count_values(&value.to_string()), count(&value));
        }
    }
}
