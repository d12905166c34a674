//! Advice for lines that do not fit the lines above them: a dash that is too deep, a key without its colon.

/// Returns the number of blanks before a line's text.
fn depth(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

fn is_item(line: &str) -> bool {
    line.trim_start().starts_with("- ")
}

/// Returns the lines of `above` from the last to the first, without empty ones and comments.
fn upwards(above: &str) -> impl Iterator<Item = &str> {
    let has_text = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
    above.lines().rev().filter(has_text)
}

/// Returns advice for `line`, an item that is deeper than the item before it, which has its value already.
/// `above` is the text before the line. Returns `None` for other lines.
pub(super) fn deep_item(above: &str, line: &str) -> Option<String> {
    if !is_item(line) {
        return None;
    }
    let mut has_sibling = false;
    let mut has_deeper = false;
    for before in upwards(above) {
        if depth(before) >= depth(line) {
            has_sibling |= depth(before) == depth(line) && is_item(before);
            has_deeper |= depth(before) > depth(line);
            continue;
        }
        // An item such as `- group:` may have a list below it, but no list beside other lines.
        let is_open = before.trim_end().ends_with(':') && (has_sibling || !has_deeper);
        let help = "begin this `-` in the same column as the `-` of the item before it";
        return (is_item(before) && !is_open).then(|| help.to_owned());
    }
    None
}

/// Returns advice if `before`, the line before the item `line`, is an item whose dash has no space behind it: YAML takes
/// the dash for a part of its text. Returns `None` for other lines.
pub(super) fn joined_dash(before: &str, line: &str) -> Option<String> {
    let text = before.trim().strip_prefix('-')?;
    let is_joined = text.starts_with(char::is_alphabetic);
    (is_joined && is_item(line) && depth(before) == depth(line))
        .then(|| format!("put a space after the dash: `- {text}`"))
}

/// Returns advice for `line`, a key that is deeper than the key above it, whose value ends on its line with a bracket
/// or a quote: `flows: [flows/]` and `  devices: virtual`. Returns `None` for other lines.
pub(super) fn deep_key(above: &str, line: &str) -> Option<String> {
    let before = upwards(above).next()?;
    let (key, _) = line.trim_start().split_once(':')?;
    let (_, value) = before.split_once(": ")?;
    let value = value.split(" #").next()?.trim_end();
    let is_whole = value.ends_with([']', '}', '"', '\'']) && value.len() > 1;
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    let begin = |line: &str| line.len() - line.trim_start_matches([' ', '-']).len();
    (is_word && is_whole && begin(line) > begin(before)).then(|| {
        format!("`{key}` is indented too deep: begin it in the same column as the key above it")
    })
}

/// Returns advice for `line`, a key in the first column below a file's first key that is indented. Returns `None` for
/// other lines.
pub(super) fn deep_begin(above: &str, line: &str) -> Option<String> {
    let first = upwards(above).last()?;
    let (key, _) = first.trim_start().split_once(':')?;
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    (is_word && depth(first) > 0 && depth(line) == 0 && line.contains(':'))
        .then(|| format!("`{key}` is indented too deep: begin it in the first column"))
}

/// Returns advice for `line`, a key below `before`, an item that is a text, and deeper than its dash. Returns `None` for
/// other lines.
pub(super) fn key_below_item(before: &str, line: &str) -> Option<String> {
    let item = before.trim_start().strip_prefix("- ")?;
    let (key, _) = line.trim_start().split_once(':')?;
    let is_word = !key.is_empty() && key.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_text = !item.contains(':') && !item.starts_with(['[', '{', '"', '\'']);
    (is_word && is_text && depth(line) > depth(before)).then(|| {
        format!("begin `{key}` in the same column as the key that it stands beside: here it goes on the item above")
    })
}

/// Returns advice for a line with a comment behind a text that goes on below it; `None` for other messages.
pub(super) fn below_comment(line: &str, message: &str) -> Option<String> {
    let (key, _) = line.trim_start().split_once(':')?;
    message.contains("comment intercepting").then(|| {
        format!("the line below is indented too deep: begin it in the same column as `{key}`")
    })
}

/// Returns advice for a line `[word]`, a section of other formats; `None` for other lines.
pub(super) fn section(line: &str) -> Option<String> {
    let word = line.trim().strip_prefix('[')?.strip_suffix(']')?.trim();
    let is_word = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_alphanumeric() || "_.-".contains(c));
    is_word.then(|| {
        format!("there are no sections in YAML: take `[{word}]` out, and write `KEY: VALUE` in each line")
    })
}

/// Returns the key and value of a line such as `app com.example` or `app=com.example`, which lacks its colon;
/// the value may be empty. Returns `None` for items and for lines with a colon.
fn without_colon(line: &str) -> Option<(&str, &str)> {
    let text = line.trim();
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    let (key, rest) = text.split_at(end);
    let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic());
    let goes_on = rest.is_empty() || rest.starts_with([' ', '=']);
    let has_colon = text.contains(": ") || text.ends_with(':');
    (is_key && goes_on && !has_colon).then(|| (key, rest.trim_matches([' ', '='])))
}

/// Returns advice to write a colon after the key. It quotes `line`, trimmed.
fn with_colon(key: &str, value: &str, line: &str) -> String {
    let separator = if value.is_empty() { ":" } else { ": " };
    format!(
        "a colon is missing: write `{key}{separator}{value}` for `{}`",
        line.trim()
    )
}

/// Returns advice for `line` if it is a key without its colon. Returns `None` for other lines.
pub(super) fn no_colon(line: &str) -> Option<String> {
    let (key, value) = without_colon(line)?;
    Some(with_colon(key, value, line))
}

/// Returns advice if the line before `line` is a key of the same map without its colon. `above` is the text before
/// the line. Returns `None` for other lines, also for a key without a value and a text that goes on from a line
/// above it.
pub(super) fn no_colon_above(above: &str, line: &str) -> Option<String> {
    let mut lines = upwards(above);
    let before = lines.next()?;
    let (key, value) = without_colon(before)?;
    let (next, _) = line.trim().split_once(':')?;
    let is_beside = depth(before) == depth(line) && !next.contains([' ', '"', '{']);
    let outer = lines.find(|outer| depth(outer) < depth(before));
    let goes_on = outer.is_some_and(|outer| !outer.trim_end().ends_with(':'));
    (is_beside && !goes_on && !value.is_empty()).then(|| with_colon(key, value, before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dash_that_is_too_deep_is_told_from_a_list_in_an_item() {
        for (above, line, is_told) in [
            ("- launch\n", " - click: A", true),
            ("- launch\n  - back\n", "  - click: A", true),
            ("- click: A\n", "  - back", true),
            ("- click:\n    text: A\n", "  - back", true),
            ("- group:\n", "    - click: A: b", false),
            ("- group:\n    - back\n", "    - click: A: b", false),
            (
                "- group:\n    - type:\n        text: a\n",
                "    - click: A: b",
                false,
            ),
            ("steps:\n", "  - click: A: b", false),
            ("- launch\n", "- click: A: b", false),
        ] {
            assert_eq!(deep_item(above, line).is_some(), is_told, "{above}{line}");
        }
    }

    #[test]
    fn a_dash_without_its_space_is_told_at_the_item_below_it() {
        let told = |before| joined_dash(before, "  - back");
        assert_eq!(
            told("  -click: A").as_deref(),
            Some("put a space after the dash: `- click: A`")
        );
        for before in ["  - click: A", "  --- ", "-click: A", "  -1"] {
            assert_eq!(told(before), None, "{before}");
        }
    }

    #[test]
    fn a_key_below_a_whole_value_is_too_deep() {
        for (above, line, is_told) in [
            ("flows: [flows/]\n", "  devices: [virtual]", true),
            ("flows: [flows/] # all\n", " retries: 2", true),
            ("label: \"A\"\n\n", "   icon: edit", true),
            ("flows: [flows/]\n", "devices: [virtual]", false),
            ("flows: [flows/,\n", "  devices: [virtual]", false),
            ("flows:\n", "  devices: [virtual]", false),
            ("flows: [flows/]\n", "  - devices: [virtual]", false),
        ] {
            assert_eq!(deep_key(above, line).is_some(), is_told, "{above}{line}");
        }
    }

    #[test]
    fn lines_of_other_formats_and_lines_too_deep_are_told() {
        assert!(deep_begin("  app: com.a.b\n", "steps:").is_some());
        assert!(deep_begin("app: com.a.b\n", "steps:").is_none());
        assert!(section("[devices]").is_some());
        assert!(section("[a, b]").is_none());
        let deep = |before, line| key_below_item(before, line).is_some();
        assert!(deep("- apps/hello", " retries: 2"));
        assert!(!deep("- apps/hello", "retries: 2"));
        assert!(!deep("- click: A", "  timeout: 2s"));
        let message = "comment intercepting the multiline text";
        let told = below_comment("timeout: 5m # five", message).unwrap();
        assert!(told.ends_with("the same column as `timeout`"), "{told}");
    }

    #[test]
    fn a_key_without_its_colon_is_told_from_a_text_that_goes_on() {
        let told = |above, line| no_colon_above(above, line);
        for above in ["app com.a.b\n", "app= com.a.b\n", "app=com.a.b\n# c\n"] {
            let help = told(above, "steps:").expect(above);
            assert!(help.contains("write `app: com.a.b`"), "{help}");
        }
        assert!(told("name: A\n  text that\n", "  goes: on").is_none());
        assert!(told("- launch\n", "- click: A: b").is_none());
        assert_eq!(
            no_colon("steps").as_deref(),
            Some("a colon is missing: write `steps:` for `steps`")
        );
    }
}
