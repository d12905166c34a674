//! Removes Markdown marks from text.

/// Replaces `*word*` by `word`, which may hold spaces. A star without a partner or with a space on its inner
/// side stays.
fn without_emphasis(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('*') {
        out.push_str(before);
        let inner = after
            .split_once('*')
            .filter(|(inner, _)| !inner.is_empty() && inner.trim() == *inner);
        if let Some((inner, behind)) = inner {
            out.push_str(inner);
            rest = behind;
        } else {
            out.push('*');
            rest = after;
        }
    }
    out.push_str(rest);
    out
}

/// Replaces `[text](address)` by `text`. Links that are not closed stay, as do texts with a bracket in them.
fn without_links(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('[') {
        out.push_str(before);
        // Looking no further than the next bracket: a text may be nothing but brackets.
        let end = after.find(['[', ']']).unwrap_or(after.len());
        let (text, behind) = after.split_at(end);
        let Some(address) = behind.strip_prefix("](") else {
            out.push('[');
            rest = after;
            continue;
        };
        let Some((_, behind)) = address.split_once(')') else {
            out.push('[');
            out.push_str(after);
            return out;
        };
        out.push_str(text);
        rest = behind;
    }
    out.push_str(rest);
    out
}

/// Returns a text without its Markdown marks, and true if it is a single line with a heading. Emphasis, code
/// and links are known, but not inside each other and not in headings. A bullet becomes `•`.
pub(super) fn strip_markdown(text: &str) -> (String, bool) {
    let one_line = !text.contains('\n');
    let mut heading = false;
    let lines: Vec<String> = text
        .split('\n')
        .map(|line| {
            let text = line.trim_start_matches('#');
            if text.len() < line.len() && text.starts_with(' ') {
                heading = one_line;
                return text.trim_start().to_owned();
            }
            let line = line
                .strip_prefix("- ")
                .or_else(|| line.strip_prefix("* "))
                .map_or_else(|| line.to_owned(), |item| format!("• {item}"));
            let line = line.replace("**", "").replace('`', "");
            without_links(&without_emphasis(&line))
        })
        .collect();
    (lines.join("\n"), heading)
}

#[cfg(test)]
mod tests {
    use super::strip_markdown;

    #[test]
    fn marks_are_left_out_and_text_stays() {
        for (text, expected) in [
            ("## Heading", ("Heading", true)),
            ("#tag", ("#tag", false)),
            ("# One\nmore", ("One\nmore", false)),
            ("- item\n* other", ("• item\n• other", false)),
            ("**bold** and `code`", ("bold and code", false)),
            ("*em* 2 * 3 * 4", ("em 2 * 3 * 4", false)),
            ("[a](b) [c] [d](e", ("a [c] [d](e", false)),
        ] {
            let (plain, heading) = strip_markdown(text);
            assert_eq!((plain.as_str(), heading), expected, "{text}");
        }
    }
}
