//! Finds what a text with scripts writes out of its value.

use super::text::{Piece, pieces};

/// Returns what a text with `${…}` writes out of its value: the texts around the scripts, the texts and numbers in
/// scripts that have a letter or digit, and each script with such a one, without blanks around it. What is compared
/// with `==` or `!=`, names a part in brackets, or is given to a function is left out, and so is by itself a number
/// that is computed with. What functions such as `concat` are given is not.
pub fn written_parts(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) => parts.push(plain),
            Piece::Script(script) => {
                let (constants, has_operands) = constants(script);
                if has_operands || !constants.is_empty() {
                    parts.push(script.trim());
                }
                parts.extend(constants);
            }
        }
    }
    parts
}

/// Returns the texts in a script, without quotes and with their escapes, and its numbers, as [`written_parts`] takes
/// them, and whether there are numbers that it computes with. A text that does not end goes to the script's end.
fn constants(script: &str) -> (Vec<&str>, bool) {
    let (mut found, mut has_operands) = (Vec::new(), false);
    // For each open round bracket whether what stands in it is left out.
    let mut calls = Vec::new();
    let mut at = 0;
    while let Some(first) = script[at..].chars().next() {
        let before = &script[..at];
        let (end, constant) = match first {
            '\'' | '"' | '`' => {
                let end = end_of_text(script, at);
                let inner = &script[at + 1..end];
                (end, Some(inner.strip_suffix(first).unwrap_or(inner)))
            }
            _ if is_in_word(first) => {
                let end = script[at..].find(|it: char| !is_in_word(it));
                let end = end.map_or(script.len(), |length| at + length);
                let number = first.is_ascii_digit().then(|| &script[at..end]);
                (end, number)
            }
            _ => {
                match first {
                    '(' => calls.push(hides_arguments(before)),
                    ')' => drop(calls.pop()),
                    _ => {}
                }
                (at + first.len_utf8(), None)
            }
        };
        let is_given = calls.contains(&true);
        let after = &script[end..];
        let constant = constant
            .filter(|it| it.contains(char::is_alphanumeric))
            .filter(|_| !is_given && !only_decides(before, after));
        if constant.is_some() && first.is_ascii_digit() && is_computed(before, after) {
            has_operands = true;
        } else {
            found.extend(constant);
        }
        at = end;
    }
    (found, has_operands)
}

/// Returns true if what stands between these parts of a script is an operand of arithmetic. `+` may join texts too.
fn is_computed(before: &str, after: &str) -> bool {
    let signs = ['*', '/', '-', '%'];
    before.trim_end().ends_with(signs) || after.trim_start().starts_with(signs)
}

/// Returns the offset behind the text in quotes that begins at `at`; that of the script's end if it does not end.
fn end_of_text(script: &str, at: usize) -> usize {
    let mut letters = script[at..].char_indices();
    let quote = letters.next().map(|(_, quote)| quote);
    while let Some((place, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if Some(letter) == quote {
            return at + place + letter.len_utf8();
        }
    }
    script.len()
}

/// Returns true if what stands between these parts of a script is compared, or names a part of a value.
fn only_decides(before: &str, after: &str) -> bool {
    let (before, after) = (before.trim_end(), after.trim_start());
    let signs = ["==", "!="];
    let is_compared = signs
        .iter()
        .any(|sign| before.ends_with(sign) || after.starts_with(sign));
    // A bracket without a value before it begins a list.
    let owner = before.strip_suffix('[').map(str::trim_end);
    let is_index = owner.is_some_and(|owner| owner.ends_with(ends_value));
    // `!==` and `===` end like these.
    is_compared || is_index && after.starts_with(']')
}

/// Returns true if a round bracket behind this part of a script begins a call whose result has no part of its arguments.
fn hides_arguments(before: &str) -> bool {
    const KEEPING: [&str; 4] = [".concat", ".join", ".replace", ".replaceAll"];

    let function = before.trim_end();
    let keeps = KEEPING.iter().any(|name| function.ends_with(name));
    function.ends_with(ends_value) && !keeps
}

/// Returns true for the last character of a name or value, which a call or an index may follow.
fn ends_value(character: char) -> bool {
    is_in_word(character) || matches!(character, ')' | ']')
}

fn is_in_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '$')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_in_the_value_is_written_and_what_only_decides_is_not() {
        for (text, expected) in [
            ("${PIN}", vec![]),
            ("${NAME || ''}", vec![]),
            ("${output['user-1']}", vec![]),
            ("${A1 + B2}", vec![]),
            ("${json(http.get('https://a.example/1').body).pin}", vec![]),
            ("${NAME || 'else-1'}", vec!["NAME || 'else-1'", "else-1"]),
            (
                "${X == 'deciding' ? 'a1' : \"b2\"}",
                vec!["X == 'deciding' ? 'a1' : \"b2\"", "a1", "b2"],
            ),
            (
                "${'y' !== X ? 7364 : X}",
                vec!["'y' !== X ? 7364 : X", "7364"],
            ),
            ("${ ('a1' + X) }", vec!["('a1' + X)", "a1"]),
            ("${X * 1000}", vec!["X * 1000"]),
            ("${X.split('word-1')[0]}", vec![]),
            ("${X.concat('a1')}", vec!["X.concat('a1')", "a1"]),
            ("${X.replace(Y, 'a1')}", vec!["X.replace(Y, 'a1')", "a1"]),
            ("${['a1'].pop()}", vec!["['a1'].pop()", "a1"]),
            ("${X()['a1']}", vec![]),
            ("${'it\\'s' + X}", vec!["'it\\'s' + X", "it\\'s"]),
            ("${'a1", vec!["${'a1"]),
            ("${'a1 + }", vec!["'a1 +", "a1 + "]),
            ("tok-1-${X} z", vec!["tok-1-", " z"]),
            ("\\${X} a", vec!["\\${X} a"]),
        ] {
            assert_eq!(written_parts(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_can_be_looked_at(text in "[a1${}()\\[\\]'\"`\\\\ ü=]{0,30}") {
            for part in written_parts(&text) {
                proptest::prop_assert!(text.contains(part));
            }
        }
    }
}
