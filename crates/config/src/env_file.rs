//! Parser for `--env-file`: lines `KEY=VALUE`, as CI systems and shells write them.

/// Line that cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Number of the line, from 1.
    pub line: usize,
    pub message: String,
}

/// Parses all lines `KEY=VALUE`, in order; a key may occur twice. Skips empty lines and comments (`#` at the
/// start of a line). Allows `export ` before a key. Removes white space and single or double quotes around a
/// value. Expands nothing, and a `#` in a line belongs to the value.
///
/// # Errors
/// The first line without `=`, or whose key has other characters than ASCII letters, digits and `_`.
pub fn parse(text: &str) -> Result<Vec<(String, String)>, BadLine> {
    let mut values = Vec::new();
    // Editors on Windows write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let bad = |message: &str| BadLine {
            line: index + 1,
            message: message.to_owned(),
        };
        let line = line.strip_prefix("export ").unwrap_or(line);
        let (key, value) = line.split_once('=').ok_or_else(|| bad("write KEY=VALUE"))?;
        let key = key.trim_end();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if key.is_empty() || !key.chars().all(plain) {
            return Err(bad("a key is letters, digits and `_`"));
        }
        values.push((key.to_owned(), unquote(value.trim()).to_owned()));
    }
    Ok(values)
}

fn unquote(value: &str) -> &str {
    for quote in ['"', '\''] {
        if let Some(inner) = value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
        {
            return inner;
        }
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_people_write() {
        assert_eq!(parse("\u{feff}A=1").unwrap(), parse("A=1").unwrap());
        let text = "# comment\n\nA=1\nexport B=two words\nC='q u'\nD=\"x=y\"\nE=\n";
        let expected = [
            ("A", "1"),
            ("B", "two words"),
            ("C", "q u"),
            ("D", "x=y"),
            ("E", ""),
        ];
        let values = parse(text).unwrap();
        assert_eq!(
            values,
            expected.map(|(key, value)| (key.to_owned(), value.to_owned()))
        );
    }

    #[test]
    fn says_which_line_is_wrong() {
        assert_eq!(parse("A=1\nB").unwrap_err().line, 2);
        assert_eq!(parse("A B=1").unwrap_err().line, 1);
        assert_eq!(parse("=1").unwrap_err().line, 1);
    }
}
