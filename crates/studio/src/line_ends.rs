//! Converts between line ends of pages and files. Browsers use `\n` only; the file keeps its own.

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// Returns a file's text for pages: without its byte order mark, with `\n` at the end of each line.
pub(super) fn normalize(file: &str) -> String {
    let text = file.strip_prefix(BYTE_ORDER_MARK).unwrap_or(file);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Returns a page's text in the form to write over `file`. Lines unchanged at the start and at the end of the file
/// keep their ends, all others get the end that most lines have. A byte order mark is kept. Only the page's text
/// counts; `file` gives line ends and mark.
pub(super) fn written_over(file: &str, text: &str) -> String {
    let text = normalize(text);
    let (mark, file) = match file.strip_prefix(BYTE_ORDER_MARK) {
        Some(rest) => (BYTE_ORDER_MARK, rest),
        None => ("", file),
    };
    if !file.contains('\r') {
        return format!("{mark}{text}");
    }
    let old = lines(file);
    let new: Vec<&str> = text.split('\n').collect();
    let same = |(old, new): &(&(&str, &str), &&str)| old.0 == **new;
    let head = old.iter().zip(&new).take_while(same).count();
    let rest = old.len().min(new.len()) - head;
    let ends = old.iter().rev().zip(new.iter().rev()).take(rest);
    let tail = ends.take_while(same).count();
    let usual = usual_end(&old);
    let mut written = mark.to_owned();
    for (place, line) in new.iter().enumerate() {
        written.push_str(line);
        if place + 1 == new.len() {
            break;
        }
        let stays = if place < head {
            old.get(place)
        } else if place + tail >= new.len() {
            old.get(place + old.len() - new.len())
        } else {
            None
        };
        // The last line of the file has no end.
        let end = stays.map(|line| line.1).filter(|end| !end.is_empty());
        let end = end.unwrap_or(usual);
        // After a line that ends with `\r`, the `\n` of an empty line would join with it.
        let is_joined = end == "\n" && written.ends_with('\r');
        written.push_str(if is_joined { "\r" } else { end });
    }
    written
}

/// Splits a text into lines with their ends: `\n`, `\r\n` or `\r`. The last has none, so there is always one; it is
/// empty if the text ends with a line end.
fn lines(text: &str) -> Vec<(&str, &str)> {
    let mut lines = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['\r', '\n']) {
        let (line, behind) = rest.split_at(at);
        let length = if behind.starts_with("\r\n") { 2 } else { 1 };
        let (end, next) = behind.split_at(length);
        lines.push((line, end));
        rest = next;
    }
    lines.push((rest, ""));
    lines
}

/// Returns the most frequent line end; of equally frequent ones `\r\n` first, then `\n`. Without any, `\r\n`.
fn usual_end(lines: &[(&str, &str)]) -> &'static str {
    let many = |end: &&&str| lines.iter().filter(|line| line.1 == **end).count();
    ["\r", "\n", "\r\n"]
        .iter()
        .max_by_key(many)
        .unwrap_or(&"\n")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_stays_keeps_its_end() {
        for (file, text, written) in [
            ("a\nb\n", "a\nx\nb\n", "a\nx\nb\n"),
            ("a\r\nb\r\n", "a\nx\nb\n", "a\r\nx\r\nb\r\n"),
            ("a\r\nb", "a\nb\n", "a\r\nb\r\n"),
            ("a\r\nb\nc\r\n", "a\nb\nc\nd\n", "a\r\nb\nc\r\nd\r\n"),
            ("a\r\nb\nc\r\n", "b\nc\n", "b\nc\r\n"),
            ("a\rb\r", "a\nc\nb\n", "a\rc\rb\r"),
            ("\u{feff}a\r\n", "b\n", "\u{feff}b\r\n"),
            ("\u{feff}a\n", "b\n", "\u{feff}b\n"),
            ("\ra\n", "\n\n", "\r\r"),
            ("a\r\n", "", ""),
            ("", "a\r\nb", "a\nb"),
        ] {
            assert_eq!(written_over(file, text), written, "{file:?} {text:?}");
        }
    }

    proptest! {
        #[test]
        fn nothing_changes_where_nobody_changed_it(file in "\u{feff}?([ab]{0,2}(\r\n|\n|\r)?){0,12}") {
            prop_assert_eq!(written_over(&file, &normalize(&file)), file);
        }

        #[test]
        fn a_page_gets_back_what_it_wrote(
            file in "\u{feff}?([ab]{0,2}(\r\n|\n|\r)?){0,12}", text in "([ab]{0,2}\n?){0,12}",
        ) {
            prop_assert_eq!(normalize(&written_over(&file, &text)), text);
        }
    }
}
