//! Texts that stand on the screen as they are, and that other tools would fill in.

/// Longest text that advice repeats. Chosen: a longer one would hide the advice.
const MAX_CHARS: usize = 40;

/// Signs around a name that other tools replace. The last is a pointer in braces.
const SIGNS: [(&str, &str); 3] = [("${", "}"), ("{{", "}}"), ("{/", "}")];

/// Returns a warning about a text with a placeholder, such as `${/name}` or `{{ name }}`; `None` for other texts. It
/// says how to write the text with a path or `formatString`, which alone fill something in.
pub(super) fn placeholder(text: &str) -> Option<String> {
    let (before, path, after) = SIGNS.iter().find_map(|(begin, end)| {
        let (before, rest) = text.split_once(*begin)?;
        let (inner, after) = rest.split_once(*end)?;
        let slash = if begin.ends_with('/') { "/" } else { "" };
        Some((before, format!("{slash}{}", inner.trim()), after))
    })?;
    let is_path = path
        .chars()
        .all(|c| c.is_alphanumeric() || "_-./".contains(c));
    let path = path.trim_end_matches('/').replace('.', "/");
    let is_path = is_path && !path.is_empty();
    let written = if is_path && before.is_empty() && after.is_empty() {
        format!("{{ path: {path} }}")
    } else {
        let is_plain = |text: &str| !text.contains(['$', '{', '}', '"', '\'', '`', '\\', '\n']);
        let is_short = text.chars().count() <= MAX_CHARS;
        let value = if is_path && is_short && is_plain(before) && is_plain(after) {
            format!("{before}${{{path}}}{after}")
        } else {
            "…".to_owned()
        };
        format!("{{ call: formatString, args: {{ value: \"{value}\" }} }}")
    };
    Some(format!(
        "nothing is filled into a text: write `{written}`, or it is shown as it is"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_other_tools_is_told_how_it_is_filled_in() {
        for (text, says) in [
            ("{{ /name }}", "`{ path: /name }`"),
            ("${/name}", "`{ path: /name }`"),
            ("${user.name}", "`{ path: user/name }`"),
            ("{/name}", "`{ path: /name }`"),
            ("saved ${/title}", "value: \"saved ${/title}\""),
            ("Hello {{ name }}!", "value: \"Hello ${name}!\""),
            ("${a} and ${b}", "value: \"…\""),
            ("${1 + 1}", "value: \"…\""),
            ("{{}}", "value: \"…\""),
        ] {
            let said = placeholder(text);
            assert!(
                said.as_ref().is_some_and(|said| said.contains(says)),
                "{text}: {said:?}"
            );
        }
        for text in ["", "Saved", "$5", "{a}", "{ }", "${", "a }} b", "50 %"] {
            assert_eq!(placeholder(text), None, "{text}");
        }
    }
}
