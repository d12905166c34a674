//! Splits texts with `${…}` by Maestro's rules.

/// Length of a text that scripts may make, in bytes. Chosen; docs/reference/javascript.md and an error name it.
pub(super) const MAX_TEXT_BYTES: usize = 1 << 20;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    /// Text outside of scripts.
    Plain(&'a str),
    /// Script between `${` and `}`. If it is blank its result is empty.
    Script(&'a str),
}

/// Splits a text into plain pieces and scripts. A script ends at the last `}` before the next `$`; without one it is
/// plain text. `\${` starts none. Empty plain pieces are left out, blank scripts and backslashes are not.
pub(super) fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut plain = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find("${") {
        let start = at + found;
        let body = start + 2;
        let end = text[body..]
            .find('$')
            .map_or(text.len(), |next| body + next);
        let close = text[body..end].rfind('}').map(|close| body + close);
        match close {
            Some(close) if !text[..start].ends_with('\\') => {
                if plain < start {
                    pieces.push(Piece::Plain(&text[plain..start]));
                }
                pieces.push(Piece::Script(&text[body..close]));
                plain = close + 1;
                at = plain;
            }
            _ => at = body,
        }
    }
    if plain < text.len() {
        pieces.push(Piece::Plain(&text[plain..]));
    }
    pieces
}

/// Replaces `\${…}` by `${…}`, if a `}` follows before the next `$`. All else stays. As in Maestro, callers apply
/// this to the results of scripts too.
pub(super) fn unescape(text: String) -> String {
    if !text.contains("\\${") {
        return text;
    }
    let mut result = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(found) = rest.find("\\${") {
        let body = found + 3;
        let end = rest[body..]
            .find('$')
            .map_or(rest.len(), |next| body + next);
        let is_closed = rest[body..end].contains('}');
        result.push_str(&rest[..found]);
        result.push_str(if is_closed { "${" } else { "\\${" });
        rest = &rest[body..];
    }
    result.push_str(rest);
    result
}

/// Returns true if a text is one `${…}` and nothing else.
pub fn is_one_script(text: &str) -> bool {
    matches!(pieces(text).as_slice(), [Piece::Script(_)])
}

/// Returns true if an evaluated condition holds: after trimming, it is neither empty, nor `false` in any case, nor
/// `undefined` or `null` in lower case, nor a number equal to zero.
pub fn is_true(text: &str) -> bool {
    // A block scalar of YAML ends with a line feed.
    let text = text.trim();
    let is_zero = text.parse::<f64>().is_ok_and(|number| number == 0.0);
    !(text.is_empty()
        || text.eq_ignore_ascii_case("false")
        || ["undefined", "null"].contains(&text)
        || is_zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_run_to_the_last_brace_before_the_next_dollar() {
        use Piece::{Plain, Script};
        for (text, expected) in [
            ("", vec![]),
            ("plain", vec![Plain("plain")]),
            ("${A}", vec![Script("A")]),
            ("a ${A} b", vec![Plain("a "), Script("A"), Plain(" b")]),
            ("${A}${B}", vec![Script("A"), Script("B")]),
            ("$${A}", vec![Plain("$"), Script("A")]),
            ("${ {a: 1}.a }", vec![Script(" {a: 1}.a ")]),
            ("${A} and }", vec![Script("A} and ")]),
            ("${a + `${b}`}", vec![Plain("${a + `"), Script("b}`")]),
            ("${}", vec![Script("")]),
            ("${A\n|| 'b'}", vec![Script("A\n|| 'b'")]),
            ("\\${A}", vec![Plain("\\${A}")]),
            ("\\${A} ${B}", vec![Plain("\\${A} "), Script("B")]),
            ("${A", vec![Plain("${A")]),
            ("cost: $5", vec![Plain("cost: $5")]),
            ("ü${A}ü", vec![Plain("ü"), Script("A"), Plain("ü")]),
        ] {
            assert_eq!(pieces(text), expected, "{text}");
        }
    }

    #[test]
    fn a_backslash_goes_where_a_script_would_stand() {
        for (text, expected) in [
            ("\\${A}", "${A}"),
            ("a \\${A} \\${B} c", "a ${A} ${B} c"),
            ("\\${A", "\\${A"),
            ("\\${A $ }", "\\${A $ }"),
            ("\\$A", "\\$A"),
        ] {
            assert_eq!(unescape(text.to_owned()), expected, "{text}");
        }
    }

    #[test]
    fn conditions_are_texts() {
        for (text, holds) in [
            ("true", true),
            ("1", true),
            ("a", true),
            ("NULL", true),
            ("", false),
            (" ", false),
            ("False", false),
            ("undefined", false),
            ("null", false),
            ("0", false),
            ("-0.0", false),
            ("false\n", false),
            ("undefined\n", false),
            ("null \n", false),
            ("0\n", false),
            ("true\n", true),
            ("0.5", true),
        ] {
            assert_eq!(is_true(text), holds, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn nothing_is_lost(text in "[a${}\\\\ ü]{0,20}") {
            let written: String = pieces(&text)
                .iter()
                .map(|piece| match piece {
                    Piece::Plain(plain) => (*plain).to_owned(),
                    Piece::Script(script) => format!("${{{script}}}"),
                })
                .collect();
            proptest::prop_assert_eq!(written, text.clone());
            unescape(text);
        }
    }
}
