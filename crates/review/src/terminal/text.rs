//! Makes text from devices and flows harmless for a terminal, and cuts it to a width.

use std::borrow::Cow;

/// Replaces all characters that a terminal would act on, line ends and tabs too. Control characters become their
/// symbols; invisible characters, private-use ones beyond the basic plane and those that change the direction of
/// writing become `�`.
pub fn sanitize(text: &str) -> String {
    text.chars().map(harmless).collect()
}

/// Returns a visible sign for a control character, line ends and tabs too, `�` for others that are invisible, change
/// the direction or have private meanings beyond the basic plane, and any other as it is.
fn harmless(c: char) -> char {
    match c {
        '\u{0}'..='\u{1f}' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('�'),
        '\u{7f}' => '␡',
        '\u{80}'..='\u{9f}'
        | '\u{61c}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}'
        | '\u{f0000}'..='\u{10ffff}' => '�',
        c => c,
    }
}

/// Returns the number of cells that a text takes. Escape sequences take none, wide characters two.
pub fn width(text: &str) -> usize {
    console::measure_text_width(text)
}

/// Cuts the end of a text so that it takes at most `cells` cells, and ends a cut text with `…`, which counts. A text
/// that fits stays as it is. Empty for 0 cells.
pub fn cut(text: &str, cells: usize) -> String {
    if cells == 0 {
        return String::new();
    }
    beginning(text, cells, "…").into_owned()
}

#[expect(
    clippy::disallowed_methods,
    reason = "the review reads files, whose secrets the run has masked"
)]
fn beginning<'a>(text: &'a str, cells: usize, ending: &str) -> Cow<'a, str> {
    console::truncate_str(text, cells, ending)
}

/// Cuts the middle out of a text so that it takes at most `cells` cells, and puts `…` there: for keys, which differ
/// at both ends. About two thirds of the rest are the beginning. A text that fits stays as it is. With less than 4
/// cells the end is cut off instead.
pub fn cut_middle(text: &str, cells: usize) -> String {
    if width(text) <= cells {
        return text.to_owned();
    }
    if cells < 4 {
        return cut(text, cells);
    }
    let tail_cells = (cells - 1) / 3;
    let head = beginning(text, cells - 1 - tail_cells, "");
    let mut tail = String::new();
    for c in text.chars().rev() {
        if width(&tail) + width(c.encode_utf8(&mut [0; 4])) > tail_cells {
            break;
        }
        tail.insert(0, c);
    }
    format!("{head}…{tail}")
}

/// Splits a text into pieces of at most `cells` cells, but at least 2, at the last space if it is in the
/// second half of a piece, else within a word. Nothing is left out: a space stays at the end of its piece. An
/// empty text gives one empty piece.
pub fn pieces(text: &str, cells: usize) -> Vec<String> {
    // The widest character takes two cells.
    let cells = cells.max(2);
    let mut pieces = Vec::new();
    let mut piece = String::new();
    for c in text.chars() {
        piece.push(c);
        // A piece has at least one character, however wide it is.
        if width(&piece) > cells && piece.len() > c.len_utf8() {
            piece.pop();
            let at = piece.rfind(' ').map(|at| at + 1);
            let at = at.filter(|at| *at > piece.len() / 2);
            let rest = piece.split_off(at.unwrap_or(piece.len()));
            pieces.push(std::mem::replace(&mut piece, rest));
            piece.push(c);
        }
    }
    pieces.push(piece);
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn nothing_a_terminal_acts_on_is_left() {
        for (given, expected) in [
            ("Pay", "Pay"),
            ("a\x1b]0;owned\x07b", "a␛]0;owned␇b"),
            ("line\nbreak\t", "line␊break␉"),
            ("abc\u{202e}txt.exe", "abc�txt.exe"),
            ("\u{9b}31m", "�31m"),
            ("\u{10eeee}", "�"),
            ("Grüße 漢字", "Grüße 漢字"),
        ] {
            assert_eq!(sanitize(given), expected);
        }
    }

    #[test]
    fn cut_by_cells_not_by_characters() {
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(cut_middle("sign-in/home~virtual1-34", 12), "sign-in/…-34");
        assert_eq!(cut_middle("short", 12), "short");
    }

    proptest! {
        #[test]
        fn never_wider_than_asked(text in ".{0,40}", cells in 0_usize..30) {
            let text = sanitize(&text);
            prop_assert!(width(&cut(&text, cells)) <= cells);
            prop_assert!(width(&cut_middle(&text, cells)) <= cells);
            prop_assert!(!text.chars().any(char::is_control));
            let pieces = pieces(&text, cells);
            prop_assert!(pieces.iter().all(|piece| width(piece) <= cells.max(2)), "{:?}", pieces);
            prop_assert_eq!(pieces.concat(), text);
        }
    }
}
