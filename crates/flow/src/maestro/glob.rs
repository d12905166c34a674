//! Compiles the patterns of `flows` in `config.yaml` by the rules of Java's file systems: `**/a` needs a
//! folder before `a`.

use regex::Regex;

/// Compiles a glob pattern to a regular expression for whole paths below the workspace, with `/`. `*` and `?` match
/// no `/`, `**` does; `{a,b}` is a choice, `[…]` and `[!…]` are sets, and a backslash escapes. Case counts, and names
/// that begin with a dot match too.
///
/// # Errors
/// For an invalid pattern, such as one with an open `{` or an empty set. An open `[` ends with the pattern.
pub(super) fn compile(pattern: &str) -> Result<Regex, regex::Error> {
    let mut text = String::from("^");
    let mut depth = 0_u32;
    let mut letters = pattern.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '*' if letters.next_if_eq(&'*').is_some() => text.push_str(".*"),
            '*' => text.push_str("[^/]*"),
            '?' => text.push_str("[^/]"),
            '{' => {
                depth += 1;
                text.push_str("(?:");
            }
            '}' if depth > 0 => {
                depth -= 1;
                text.push(')');
            }
            ',' if depth > 0 => text.push('|'),
            '[' => {
                text.push('[');
                if letters.next_if_eq(&'!').is_some() {
                    text.push_str("^/");
                }
                for letter in letters.by_ref() {
                    if letter == ']' {
                        break;
                    }
                    if matches!(letter, '\\' | '[' | '&' | '~' | '^') {
                        text.push('\\');
                    }
                    text.push(letter);
                }
                text.push(']');
            }
            '\\' => {
                let escaped = letters.next().unwrap_or('\\');
                text.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
            }
            letter => text.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    text.push('$');
    Regex::new(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_javas_do() {
        for (pattern, path, matches) in [
            ("*", "a.yaml", true),
            ("*", "b/a.yaml", false),
            ("**", "b/c/a.yaml", true),
            ("**/*.yaml", "a.yaml", false),
            ("**/*.yaml", "b/a.yaml", true),
            ("b/*", "b/a.yaml", true),
            ("b/*", "b/c/a.yaml", false),
            ("b/**", "b/c/a.yaml", true),
            ("{a,b}/*.yaml", "b/a.yaml", true),
            ("?.yaml", "a.yaml", true),
            ("[a-c].yaml", "b.yaml", true),
            ("[!a-c].yaml", "b.yaml", false),
            ("a.yaml", "abyaml", false),
            ("", "a.yaml", false),
        ] {
            let found = compile(pattern).unwrap().is_match(path);
            assert_eq!(found, matches, "{pattern} {path}");
        }
        assert!(compile("{a").is_err());
    }
}
