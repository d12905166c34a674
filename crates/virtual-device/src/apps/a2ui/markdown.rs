//! Removes Markdown marks from text.

/// Marks around a text that stands out, the longest first.
const EMPHASIS: [&str; 6] = ["***", "**", "*", "___", "__", "_"];
/// Most `#` of a heading (`CommonMark`, "ATX headings").
const MAX_HEADING_MARKS: usize = 6;
/// Begins and ends lines of code.
const FENCE: &str = "```";

/// Appends a text to `out` without the marks of code, emphasis and links, also inside each other. As in
/// `CommonMark`, code is copied as it is, and a mark without a partner stays.
fn push_plain(text: &str, out: &mut String) {
    let mut rest = text;
    // An address that is not closed would be looked through once for each bracket.
    let last_address = text.rfind(')').unwrap_or(0);
    while let Some(at) = rest.find(['`', '*', '_', '[']) {
        let (before, marked) = rest.split_at(at);
        out.push_str(before);
        let letter = out.chars().next_back();
        let may_link = text.len() - marked.len() < last_address;
        let linked = || may_link.then(|| link(marked)).flatten();
        if let Some((code, behind)) = code(marked) {
            out.push_str(code);
            rest = behind;
        } else if let Some((inner, behind)) = emphasis(marked, letter).or_else(linked) {
            push_plain(inner, out);
            rest = behind;
        } else {
            // All marks are ASCII.
            let (mark, behind) = marked.split_at(1);
            out.push_str(mark);
            rest = behind;
        }
    }
    out.push_str(rest);
}

/// Splits `` `code` `` at the start of a text into the code and what follows. `None` without a closing mark, or with
/// nothing inside.
fn code(marked: &str) -> Option<(&str, &str)> {
    let (code, behind) = marked.strip_prefix('`')?.split_once('`')?;
    (!code.is_empty()).then_some((code, behind))
}

/// Splits `*words*`, `**words**` and the like at the start of a text into the words and what follows. Words
/// have no space on their inner sides. Underscores inside a word are no marks: `before` is the letter before.
fn emphasis(marked: &str, before: Option<char>) -> Option<(&str, &str)> {
    EMPHASIS.iter().find_map(|mark| {
        let (inner, behind) = marked.strip_prefix(mark)?.split_once(mark)?;
        let is_in_word = |letter: Option<char>| letter.is_some_and(char::is_alphanumeric);
        let is_name =
            mark.starts_with('_') && (is_in_word(before) || is_in_word(behind.chars().next()));
        (!inner.is_empty() && inner.trim() == inner && !is_name).then_some((inner, behind))
    })
}

/// Splits `[text](address)` at the start of a text into the text and what follows. `None` for other texts, for a link
/// that is not closed, and for one with a bracket in its text.
fn link(marked: &str) -> Option<(&str, &str)> {
    let after = marked.strip_prefix('[')?;
    // Looking no further than the next bracket: a text may be nothing but brackets.
    let (text, behind) = after.split_at(after.find(['[', ']'])?);
    let (_, behind) = behind.strip_prefix("](")?.split_once(')')?;
    Some((text, behind))
}

/// Returns the text of a heading such as `## Title`, or `None` for any other line. A space must follow the marks.
fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let marks = line.len() - text.len();
    ((1..=MAX_HEADING_MARKS).contains(&marks) && text.starts_with(' ')).then(|| text.trim_start())
}

/// Returns a text without its Markdown marks, and true if it is a single line with a heading. Headings,
/// emphasis, code and links are known. A bullet becomes `•`. Lines with three backticks are left out, and those
/// between them are copied as they are.
pub(super) fn strip_markdown(text: &str) -> (String, bool) {
    let mut is_code = false;
    let mut is_heading = false;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        if line.trim_start().starts_with(FENCE) {
            is_code = !is_code;
            continue;
        }
        if is_code {
            lines.push(line.to_owned());
            continue;
        }
        let mut plain = String::with_capacity(line.len());
        let title = heading(line);
        is_heading |= title.is_some();
        let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        if item.is_some() {
            plain.push_str("• ");
        }
        push_plain(title.or(item).unwrap_or(line), &mut plain);
        lines.push(plain);
    }
    (lines.join("\n"), is_heading && !text.contains('\n'))
}

#[cfg(test)]
mod tests {
    use super::strip_markdown;

    #[test]
    fn marks_are_left_out_and_text_stays() {
        for (text, expected) in [
            ("## Heading", ("Heading", true)),
            ("#tag", ("#tag", false)),
            ("####### Seven", ("####### Seven", false)),
            ("# One\nmore", ("One\nmore", false)),
            ("# **Total** of `a*b*`", ("Total of a*b*", true)),
            ("- item\n* *other*", ("• item\n• other", false)),
            ("**bold** and `code`", ("bold and code", false)),
            ("***both*** **a *b* c**", ("both a b c", false)),
            ("*em* 2 * 3 * 4", ("em 2 * 3 * 4", false)),
            ("2 ** 3, it`s 5*", ("2 ** 3, it`s 5*", false)),
            ("`a*b*c` `**`", ("a*b*c **", false)),
            (
                "_em_ __init__ snake_case_name",
                ("em init snake_case_name", false),
            ),
            ("[a](b) [c] [d](e", ("a [c] [d](e", false)),
            ("**[a](b)** [*c*](d)", ("a c", false)),
            (
                "before\n```rust\nlet a = *b * *c;\n```",
                ("before\nlet a = *b * *c;", false),
            ),
            ("****", ("****", false)),
        ] {
            let (plain, heading) = strip_markdown(text);
            assert_eq!((plain.as_str(), heading), expected, "{text}");
        }
    }

    #[test]
    fn a_text_of_marks_takes_no_longer_than_another() {
        for mark in ["*", "**", "* ", "_", "`", "[", "[](", "**a "] {
            let (plain, _) = strip_markdown(&mark.repeat(100_000));
            assert!(plain.chars().count() <= mark.len() * 100_000);
        }
    }
}
