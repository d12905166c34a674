//! Parser for `--env-file`: lines `KEY=VALUE` as dotenv files have them.
//!
//! Tools differ in details of these files. Where they give different values, this parser refuses the line. Its
//! rules are those of Docker Compose, without expansion.

mod doubts;
mod entry;
mod meant;

pub use doubts::doubts;

use entry::{Entry, Form};
use meant::{meant_key, no_pair};

/// Place and reason of what cannot be parsed. The reason shows no value, which may be a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Number of the line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    pub message: String,
}

/// Parses all lines `KEY=VALUE`, in order; a key may occur twice. Skips empty lines, comments and a byte order mark.
/// Allows `export` before a key. Expands nothing.
///
/// - A value without quotes ends before ` #`, and has no white space around it.
/// - In single quotes all characters are as they are; a value may have several lines.
/// - So it is in double quotes, but for the escapes `\n`, `\r`, `\t`, `\\`, `\"`, `\'` and `\$`.
/// - After the closing quote only a comment may follow.
///
/// # Errors
/// The first line without `=`, or whose key has other characters than ASCII letters, digits and `_`, or begins with a
/// digit; a quote without its end; and what tools read differently: another escape, `\'` in single quotes, backticks,
/// text after a closing quote, `#` as the first character after `=` and white space, a carriage return alone. The error
/// tells no value.
pub fn parse(text: &str) -> Result<Vec<Entry>, BadLine> {
    // Editors on Windows write a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut file = Cursor { text, at: 0 };
    let mut entries = Vec::new();
    // Lines are counted from entry to entry: counting from the begin would take long in a file with many.
    let (mut counted, mut number) = (0, 1);
    while !file.rest().is_empty() {
        file.skip_blanks();
        let line = file.line();
        if let Some(at) = line.find('\r') {
            return Err(file.bad(at, "a carriage return alone ends no line; write line feeds"));
        }
        if !line.is_empty() && !line.starts_with('#') {
            number += text[counted..file.at].matches('\n').count();
            counted = file.at;
            entries.push(file.entry(number)?);
        }
        file.next_line();
    }
    Ok(entries)
}

/// Text and the place of the next character.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Returns the rest of the line, without its end.
    fn line(&self) -> &'a str {
        let rest = self.rest();
        let line = rest.split_once('\n').map_or(rest, |(line, _)| line);
        line.strip_suffix('\r').unwrap_or(line)
    }

    fn next_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }

    fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    /// Builds the error for a place, in bytes after the present one, with its line and column.
    fn bad(&self, after: usize, message: &str) -> BadLine {
        let before = &self.text[..self.at + after];
        let line = before.rsplit('\n').next().unwrap_or(before);
        BadLine {
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
            message: message.to_owned(),
        }
    }

    /// Reads one `KEY=VALUE` with an optional `export` before it, and moves behind it. `number` is that of its line.
    fn entry(&mut self, number: usize) -> Result<Entry, BadLine> {
        let line = self.line();
        if let Some(rest) = line.strip_prefix("export") {
            let key = rest.trim_start_matches([' ', '\t']);
            // `export = 1` has a key of this name.
            if key.len() < rest.len() && !key.starts_with('=') {
                self.at += line.len() - key.len();
            }
        }
        let line = self.line();
        let Some((key, _)) = line.split_once('=') else {
            return Err(self.bad(0, &no_pair(line)));
        };
        let name = key.trim_end();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let strange = name.find(|c| !plain(c));
        if let Some(at) = strange.or(name.is_empty().then_some(0)) {
            if let Some((first, behind)) = name.split_once(':')
                && behind.starts_with([' ', '\t'])
                && first.trim_end().chars().all(plain)
            {
                // A line of YAML, whose value has a `=`.
                return Err(self.bad(0, &no_pair(line)));
            }
            // The `=` at the end of a value in Base64 is none behind a key.
            let has_value = line.len() > key.len() + line[key.len()..].matches('=').count();
            let meant = meant_key(name).filter(|_| has_value);
            let meant = meant.map(|key| format!(": write `{key}=…`"));
            let message = format!(
                "a key is letters, digits and `_`{}",
                meant.unwrap_or_default()
            );
            return Err(self.bad(at, &message));
        }
        if name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(self.bad(0, "a key begins with a letter or `_`"));
        }
        self.at += key.len() + 1;
        let (value, form) = self.value()?;
        Ok(Entry {
            key: name.to_owned(),
            value,
            line: number,
            form,
        })
    }

    /// Reads a value up to the end of its line, without quotes or in them. A `#` behind a blank begins a
    /// comment; behind blanks right after the `=` it is refused, as it may be meant as a value too. Directly
    /// after the `=`, as in `A=#fff`, it belongs to the value. A backtick at the begin is refused.
    fn value(&mut self) -> Result<(String, Form), BadLine> {
        let begin = self.at;
        self.skip_blanks();
        let line = self.line();
        match line.chars().next() {
            Some(quote @ ('"' | '\'')) => {
                let value = self.quoted(quote)?;
                let is_literal = quote == '\'' || self.text[begin..self.at].contains("\\$");
                let form = if is_literal {
                    Form::Literal
                } else {
                    Form::Quoted
                };
                return Ok((value, form));
            }
            Some('`') => {
                return Err(self.bad(0, "write quotes, `'` or `\"`, in place of backticks"));
            }
            Some('#') if self.at > begin => {
                let message = "`#` may begin a comment or the value here: put the value in quotes, `\"\"` for none";
                return Err(self.bad(0, message));
            }
            _ => {}
        }
        self.at += line.len();
        let is_comment = |(at, _): &(usize, &str)| line[..*at].ends_with([' ', '\t']);
        let end = line.match_indices('#').find(is_comment);
        let value = &line[..end.map_or(line.len(), |(at, _)| at)];
        Ok((value.trim().to_owned(), Form::Plain))
    }

    /// Reads a value in quotes, which may have several lines; each of them ends with a line feed alone. Escapes count
    /// in double quotes only; behind the end only a comment may follow.
    fn quoted(&mut self, quote: char) -> Result<String, BadLine> {
        let inner = &self.rest()[1..];
        let mut value = String::new();
        let mut letters = inner.char_indices();
        while let Some((at, letter)) = letters.next() {
            let next = letters.as_str();
            match letter {
                '\\' if quote == '"' => {
                    let Some(letter) = letters.next().and_then(|(_, letter)| unescape(letter))
                    else {
                        let message = "this is no escape: write `\\\\` for a backslash, or single quotes around the value";
                        return Err(self.bad(1 + at, message));
                    };
                    value.push(letter);
                }
                '\\' if next.starts_with(quote) => {
                    let message = "`\\'` is the end for some tools and a quote for others: write double quotes around the value";
                    return Err(self.bad(1 + at, message));
                }
                '\r' if next.starts_with('\n') => {}
                _ if letter == quote => {
                    self.at += 1 + at + 1;
                    return self.end_of_line().map(|()| value);
                }
                _ => value.push(letter),
            }
        }
        Err(self.bad(0, "this quote has no end"))
    }

    /// Checks that the line has nothing more but white space and a comment, with a space before its `#`, and moves to
    /// its end.
    fn end_of_line(&mut self) -> Result<(), BadLine> {
        let line = self.line();
        let rest = line.trim_start();
        let before = line.len() - rest.len();
        if rest.is_empty() || before > 0 && rest.starts_with('#') {
            self.at += line.len();
            return Ok(());
        }
        let message = "only a comment may follow the closing quote, with a space before its `#`; write `\\\"` for a quote in the value";
        Err(self.bad(before, message))
    }
}

/// Returns the character that an escape in double quotes stands for. `None` for unknown escapes.
fn unescape(letter: char) -> Option<char> {
    match letter {
        'n' => Some('\n'),
        'r' => Some('\r'),
        't' => Some('\t'),
        '\\' | '"' | '\'' | '$' => Some(letter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> String {
        let entries = parse(&format!("A={text}")).unwrap();
        assert_eq!(entries.len(), 1, "{text}");
        entries[0].value.clone()
    }

    #[test]
    fn reads_what_people_write() {
        assert_eq!(parse("\u{feff}A=1").unwrap(), parse("A=1").unwrap());
        let text = "# comment\r\n\n  # another\nA=1\r\nexport B=two words\nexport\tC = 3\n\tD=\n\
                    export=4\nE=\"first\r\nsecond\" # both\nF=6";
        let expected = [
            (4, "A", "1"),
            (5, "B", "two words"),
            (6, "C", "3"),
            (7, "D", ""),
            (8, "export", "4"),
            (9, "E", "first\nsecond"),
            (11, "F", "6"),
        ];
        let entries = parse(text).unwrap();
        let read = entries.iter();
        let read = read.map(|it| (it.line, it.key.as_str(), it.value.as_str()));
        assert_eq!(read.collect::<Vec<_>>(), expected);
    }

    /// The values of Docker Compose's page on these files.
    #[test]
    fn quotes_and_comments_are_those_of_dotenv_files() {
        for (text, expected) in [
            ("VAL", "VAL"),
            ("\"VAL\"", "VAL"),
            ("'VAL'", "VAL"),
            ("VAL # comment", "VAL"),
            ("VAL\t# comment", "VAL"),
            ("VAL# no comment", "VAL# no comment"),
            ("#1", "#1"),
            ("\"VAL # no comment\"", "VAL # no comment"),
            ("\"VAL\" # comment", "VAL"),
            ("'$OTHER # ${X}'  # it's \"one\"", "$OTHER # ${X}"),
            ("$OTHER", "$OTHER"),
            ("{\"a\": 1}", "{\"a\": 1}"),
            (r#""{\"a\": \"\\\t\$\"}""#, "{\"a\": \"\\\t$\"}"),
            (r"some\tvalue", r"some\tvalue"),
            (r"'some\tvalue'", r"some\tvalue"),
            ("\"x=y\"", "x=y"),
            ("'a\nb'", "a\nb"),
            ("it's", "it's"),
            ("\"\"", ""),
            ("' '", " "),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
    }

    #[test]
    fn says_where_it_is_wrong() {
        for (text, line, column) in [
            ("A=1\nB", 2, 1),
            ("export A", 1, 8),
            ("A B=1", 1, 2),
            ("  export ü=1", 1, 10),
            ("=1", 1, 1),
            ("A=1\rB=2", 1, 4),
            ("A='x", 1, 3),
            ("ü", 1, 1),
            ("A=\"x\nB=\"y\"", 2, 4),
            ("A=\"x\"y", 1, 6),
            ("A=\"x\"# comment", 1, 6),
            ("A=\"é\" y", 1, 7),
            ("1A=x", 1, 1),
            (r#"A="a\d""#, 1, 5),
            (r"A='it\'s'", 1, 6),
            ("A=`x`", 1, 3),
            ("A= # comment", 1, 4),
            ("A=\"x\\", 1, 5),
        ] {
            let bad = parse(text).unwrap_err();
            assert_eq!((bad.line, bad.column), (line, column), "{text}: {bad:?}");
        }
    }

    #[test]
    fn another_format_is_told_with_what_to_write() {
        for (text, says) in [
            ("A: hunter2", "write `A=…`"),
            ("A : hunter2", "write `A=…`"),
            ("{\"A\": \"hunter2\"}", "this is JSON"),
            ("[default]\nA=1", "no sections"),
            ("hunter2", "write KEY=VALUE"),
            ("// hunter2", "a comment begins with `#`"),
            ("; hunter2", "a comment begins with `#`"),
            ("set A=hunter2", "`_`: write `A=…`"),
            ("$env:A=\"hunter2\"", "`_`: write `A=…`"),
            ("- A=hunter2", "`_`: write `A=…`"),
            ("my-key=hunter2", "`_`: write `my_key=…`"),
            ("USER NAME=hunter2", "`_`: write `USER_NAME=…`"),
            ("declare -x A=hunter2", "`_`: write `A=…`"),
            ("A: hunter2=", "write `A=…`, with `=` in place of `:`"),
            ("A hunter2=1", "letters, digits and `_`"),
            ("a hunter2==", "letters, digits and `_`"),
            ("1A=hunter2", "begins with a letter"),
        ] {
            let message = parse(text).unwrap_err().message;
            assert!(message.contains(says), "{text}: {message}");
            assert!(!message.contains("hunter2"), "{message}");
        }
    }
}
