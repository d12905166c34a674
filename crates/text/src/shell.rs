//! Quoting of texts as words of a shell: of a device's, and of a person's terminal.

/// Quotes `text` as one word of a POSIX shell, in single quotes unless it is one or more ASCII letters, digits and
/// `_-./:=,@%+`. It is the only way by which text from outside enters a script for a device.
///
/// A shell word cannot hold NUL. It stays in the result, and the sender refuses the whole script, so text
/// arrives whole or not at all.
pub fn quote(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./:=,@%+".contains(&byte);
    // Plain words stay unquoted, so that errors and logs are readable.
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    in_single_quotes(text)
}

/// Quotes `text` as one word of a command for a person to copy. A word of letters, digits and a few harmless signs that
/// does not begin with `~` stays without quotes. A text with a character that double quotes do not protect (dollar,
/// backquote, double quote, backslash, `!`, `%`) gets single quotes, every other one double quotes, which shells of
/// Windows know too. An empty text becomes `""`.
pub fn quote_to_copy(text: &str) -> String {
    let plain =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '~' | '@' | '+' | '=');
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('~') {
        text.to_owned()
    } else if text.contains(['$', '`', '"', '\\', '!', '%']) {
        in_single_quotes(text)
    } else {
        format!("\"{text}\"")
    }
}

/// Quotes `words` as [`quote_to_copy`] does, as the operands that end a command: with `--` before them if one begins
/// with `-`, which would be an option otherwise.
pub fn operands_to_copy<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    let words: Vec<&str> = words.into_iter().collect();
    let has_dash = words.iter().any(|word| word.starts_with('-'));
    let words = words.into_iter().map(quote_to_copy);
    let words = has_dash.then(|| "--".to_owned()).into_iter().chain(words);
    words.collect::<Vec<_>>().join(" ")
}

/// Replaces each `'` by `'\''`, for a text between single quotes. The caller writes the quotes around it.
pub(crate) fn escape_single(text: &str) -> String {
    text.replace('\'', r"'\''")
}

fn in_single_quotes(text: &str) -> String {
    format!("'{}'", escape_single(text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outside_text_stays_one_word() {
        for (text, word) in [
            ("plain", "plain"),
            ("", "''"),
            ("two words", "'two words'"),
            ("'; reboot #", r"''\''; reboot #'"),
            ("$(id)", "'$(id)'"),
            ("a\nb", "'a\nb'"),
            ("~", "'~'"),
            ("a\0b", "'a\0b'"),
        ] {
            assert_eq!(quote(text), word);
        }
    }

    #[test]
    fn what_a_person_copies_is_quoted_where_a_shell_needs_it() {
        for (text, word) in [
            ("login/home~virtual1-34", "login/home~virtual1-34"),
            ("my flow/home", "\"my flow/home\""),
            ("it's new", "\"it's new\""),
            ("a$b/home", "'a$b/home'"),
            ("it's $5", r"'it'\''s $5'"),
            ("~", "\"~\""),
            ("", "\"\""),
        ] {
            assert_eq!(quote_to_copy(text), word);
        }
    }

    #[test]
    fn an_operand_is_never_an_option() {
        for (words, written) in [
            (&["a/s", "b c"][..], "a/s \"b c\""),
            (&["-a/s"][..], "-- -a/s"),
            (&["a/s", "-b c"][..], "-- a/s \"-b c\""),
            (&[][..], ""),
        ] {
            assert_eq!(operands_to_copy(words.iter().copied()), written);
        }
    }
}
