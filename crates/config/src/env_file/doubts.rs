//! Warnings of values of an `--env-file` that read, and that other tools or other files mean in another way. No value
//! is told: it may be a secret.

use std::collections::{HashMap, HashSet};

use super::entry::{Entry, Form};
use crate::doubts::variable;

/// Most warnings of a file. Chosen: they fit on a screen, and a file of another kind gives one for each line.
const MAX_DOUBTS: usize = 10;

/// Returns the number of the line and a sentence for each value that was probably meant in another way, and for each
/// key that stands twice, in the order of the file; at most [`MAX_DOUBTS`]. No sentence has a value.
pub fn doubts(entries: &[Entry]) -> Vec<(usize, String)> {
    let keys: HashSet<&str> = entries.iter().map(|entry| entry.key.as_str()).collect();
    let mut lines: HashMap<&str, usize> = HashMap::new();
    let mut found = Vec::new();
    for entry in entries {
        if let Some(earlier) = lines.insert(&entry.key, entry.line) {
            let said = format!(
                "`{}` stands in line {earlier} too, and this value counts: take one out",
                entry.key
            );
            found.push((entry.line, said));
        }
        found.extend(doubt(entry, &keys).map(|said| (entry.line, said)));
    }
    found.truncate(MAX_DOUBTS);
    found
}

/// Returns what is odd about a value; `None` for most. Quotes around a value say that it is meant as it is.
fn doubt(entry: &Entry, keys: &HashSet<&str>) -> Option<String> {
    let Entry {
        key, value, form, ..
    } = entry;
    // A variable alone is told with the variables of the command line.
    let is_told = variable(value).is_some();
    if *form != Form::Literal && !is_told && has_reference(value, keys) {
        return Some(format!(
            "nothing is expanded: the `$` belongs to the value of `{key}`; write the whole value, or single quotes around it"
        ));
    }
    if *form != Form::Plain {
        return None;
    }
    if let Some(other) = joined_key(value) {
        return Some(format!(
            "`{other}=` belongs to the value of `{key}`: write it on a line of its own, or quotes around the value"
        ));
    }
    if let Some(sign) = ["//", ";"]
        .into_iter()
        .find(|sign| value.contains(&format!(" {sign} ")))
    {
        return Some(format!(
            "a comment begins with `#`: what begins with `{sign}` belongs to the value of `{key}`; write `#`, or quotes around the value"
        ));
    }
    let end = value
        .chars()
        .next_back()
        .filter(|c| [';', ','].contains(c))?;
    // Lists, such as those of a connection to a database, may end so.
    let is_alone = value.matches(end).count() == 1;
    is_alone.then(|| {
        format!(
            "the `{end}` at the end belongs to the value of `{key}`: take it out, or write quotes around the value"
        )
    })
}

/// Returns true if other tools put another value into this one: for `${NAME}`, for `$NAME` if the file has the key,
/// and for `$(COMMAND)`.
fn has_reference(value: &str, keys: &HashSet<&str>) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    value.split('$').skip(1).any(|behind| {
        let braced = behind.strip_prefix('{');
        if let Some((name, _)) = braced.and_then(|behind| behind.split_once('}')) {
            // `${NAME:-default}` of shells, and `${os.NAME}` of flows.
            let name = name.split([':', '-']).next().unwrap_or(name);
            return !name.is_empty() && name.chars().all(|c| is_letter(c) || c == '.');
        }
        let end = behind.find(|c| !is_letter(c)).unwrap_or(behind.len());
        behind.starts_with('(') || keys.contains(&behind[..end])
    })
}

/// Returns the name of a variable behind a blank or a comma in a value, if `=` follows it: `B` of `1 B=2`. Only names
/// in upper case count. `None` without one.
fn joined_key(value: &str) -> Option<&str> {
    let is_name = |text: &&str| {
        text.starts_with(|first: char| first.is_ascii_uppercase())
            && text
                .chars()
                .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
    };
    let words = value.split([' ', '\t', ',']).skip(1);
    let mut keys = words.filter_map(|word| Some(word.split_once('=')?.0));
    keys.find(is_name)
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    #[test]
    fn a_value_that_other_tools_read_differently_is_told() {
        for (text, line, says) in [
            ("BASE=https://x\nURL=$BASE/api", 2, "nothing is expanded"),
            ("URL=${BASE}/api", 1, "nothing is expanded"),
            ("URL=\"${BASE:-x}/api\"", 1, "single quotes"),
            ("NOW=$(date)", 1, "nothing is expanded"),
            ("USER_NAME=ada // the user", 1, "a comment begins with `#`"),
            ("USER_NAME=ada ; the user", 1, "a comment begins with `#`"),
            ("USER_NAME=ada;", 1, "the `;` at the end"),
            ("USER_NAME=ada,", 1, "the `,` at the end"),
            ("USER_NAME=ada PASSWORD=hunter2", 1, "`PASSWORD=` belongs"),
            ("A=1, B=2", 1, "`B=` belongs"),
            ("A=1; B=2", 1, "`B=` belongs"),
            (
                "USER_NAME=ada\nX=1\nUSER_NAME=hunter2",
                3,
                "stands in line 1 too",
            ),
        ] {
            let found = doubts(&parse(text).unwrap());
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].0, line, "{text}");
            assert!(found[0].1.contains(says), "{text}: {found:?}");
            assert!(!found[0].1.contains("hunter2"), "{found:?}");
        }
    }

    #[test]
    fn a_value_that_may_be_meant_is_left_alone() {
        for text in [
            "A=pa$$word",
            "A=pa$word",
            "A='$B ${C}'\nB=1",
            "A=\"\\${B}\"",
            "A=\"ada;\"",
            "A='x B=2'",
            "URL=https://x//y?A=1&B=2",
            "A=Server=x;UID=sa;PWD=y;",
            "A=-Dx=1 -DFOO=2",
            "A=a, b, c",
            "A=x # comment",
            // Told with the variables of the command line.
            "A=${HOME}",
        ] {
            let found = doubts(&parse(text).unwrap());
            assert!(found.is_empty(), "{text}: {found:?}");
        }
    }

    #[test]
    fn not_every_line_of_a_file_of_another_kind_is_told() {
        let lines: Vec<String> = (0..100).map(|number| format!("A{number}=1;")).collect();
        assert_eq!(doubts(&parse(&lines.join("\n")).unwrap()).len(), MAX_DOUBTS);
    }
}
