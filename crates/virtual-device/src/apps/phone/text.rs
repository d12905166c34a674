//! Positions in a text: words, paragraphs, and characters that consist of several code points.
//!
//! The rules are those of AOSP's `ArrowKeyMovementMethod`, `BaseKeyListener` and `WordIterator`.

/// Zero width joiner, which makes one emoji of several.
const JOINER: char = '\u{200d}';
/// Most letters of a single-line field (AOSP, `TextView`: the filter of `setSingleLine`).
pub(super) const MAX_LINE: usize = 5000;

fn is_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Returns start and end of the word at a place, also if the place is at the word's end. Without a word both are the
/// place. Letters, digits and `_` make words. `at` must not be beyond the text, as in all functions here.
pub(super) fn word_around(letters: &[char], at: usize) -> (usize, usize) {
    let begin = letters[..at].iter().rposition(|letter| !is_word(*letter));
    let end = letters[at..].iter().position(|letter| !is_word(*letter));
    (
        begin.map_or(0, |begin| begin + 1),
        end.map_or(letters.len(), |end| at + end),
    )
}

/// Returns the start of the word before a place, also if other characters lie between, or 0.
pub(super) fn word_before(letters: &[char], at: usize) -> usize {
    match letters[..at].iter().rposition(|letter| is_word(*letter)) {
        Some(last) => word_around(letters, last).0,
        None => 0,
    }
}

/// Returns the end of the word after a place, also if other characters lie between, or the end of the text.
pub(super) fn word_after(letters: &[char], at: usize) -> usize {
    match letters[at..].iter().position(|letter| is_word(*letter)) {
        Some(first) => word_around(letters, at + first).1,
        None => letters.len(),
    }
}

/// Returns the place of the line feed before a place, or the start of the text (AOSP, `ArrowKeyMovementMethod` with
/// CTRL).
pub(super) fn paragraph_before(letters: &[char], at: usize) -> usize {
    letters[..at]
        .iter()
        .rposition(|letter| *letter == '\n')
        .unwrap_or(0)
}

/// Returns the place of the line feed after a place, or the end of the text. A line feed at the place itself does not
/// count.
pub(super) fn paragraph_after(letters: &[char], at: usize) -> usize {
    let behind = (at + 1).min(letters.len());
    let feed = letters[behind..].iter().position(|letter| *letter == '\n');
    feed.map_or(letters.len(), |feed| behind + feed)
}

/// Returns true if a code point is shown together with the one before it.
fn joins(letter: char) -> bool {
    matches!(letter,
        JOINER | '\u{300}'..='\u{36f}' | '\u{20d0}'..='\u{20ff}' | '\u{fe00}'..='\u{fe0f}'
        | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

fn is_flag(letter: char) -> bool {
    matches!(letter, '\u{1f1e6}'..='\u{1f1ff}')
}

fn is_combining(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}')
}

/// Returns the start of the visible character before a place: an emoji of several parts, a flag, or a letter
/// with its marks is one. At 0 it is 0.
pub(super) fn character_before(letters: &[char], at: usize) -> usize {
    let mut begin = at;
    while begin > 0 {
        begin -= 1;
        let is_joined = begin > 0 && (joins(letters[begin]) || letters[begin - 1] == JOINER);
        if !is_joined {
            break;
        }
    }
    // Two regional indicators make a flag, counted from the first one.
    if begin + 1 == at && is_flag(letters[begin]) {
        let flags = letters[..at]
            .iter()
            .rev()
            .take_while(|letter| is_flag(**letter));
        if flags.count().is_multiple_of(2) {
            begin -= 1;
        }
    }
    begin
}

/// Returns the end of the visible character after a place: an emoji of several parts, a flag, or a letter
/// with its marks is one. It is never beyond the text.
pub(super) fn character_after(letters: &[char], at: usize) -> usize {
    let mut end = (at + 1).min(letters.len());
    if end < letters.len() && is_flag(letters[at]) && is_flag(letters[end]) {
        end += 1;
    }
    while end < letters.len() && (joins(letters[end]) || letters[end - 1] == JOINER) {
        end += 1;
    }
    end
}

/// Returns the place from which DEL deletes up to `at`. DEL deletes an emoji as a whole, but only the last mark of a
/// letter.
pub(super) fn deleted_before(letters: &[char], at: usize) -> usize {
    match at.checked_sub(1) {
        Some(last) if is_combining(letters[last]) => last,
        Some(_) => character_before(letters, at),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn letters(text: &str) -> Vec<char> {
        text.chars().collect()
    }

    #[test]
    fn words_are_found_from_any_place() {
        let text = letters("two words, here");
        for (at, around, before, after) in [
            (0, (0, 3), 0, 3),
            (2, (0, 3), 0, 3),
            (3, (0, 3), 0, 9),
            (4, (4, 9), 0, 9),
            (9, (4, 9), 4, 15),
            (10, (10, 10), 4, 15),
            (15, (11, 15), 11, 15),
        ] {
            assert_eq!(word_around(&text, at), around, "{at}");
            assert_eq!(word_before(&text, at), before, "{at}");
            assert_eq!(word_after(&text, at), after, "{at}");
        }
    }

    #[test]
    fn what_is_shown_as_one_is_passed_as_one() {
        for (text, lengths) in [
            ("ab", &[1, 1][..]),
            ("e\u{301}a", &[2, 1]),
            ("👩\u{200d}💻x", &[3, 1]),
            ("👍🏽👍", &[2, 1]),
            ("🇩🇪🇫🇷", &[2, 2]),
        ] {
            let text = letters(text);
            let (mut at, mut places) = (0, vec![0]);
            for length in lengths {
                assert_eq!(character_after(&text, at), at + length, "{text:?}");
                at += length;
                places.push(at);
            }
            assert_eq!(at, text.len());
            for pair in places.windows(2) {
                assert_eq!(character_before(&text, pair[1]), pair[0], "{text:?}");
            }
        }
        assert_eq!(deleted_before(&letters("e\u{301}"), 2), 1);
        assert_eq!(deleted_before(&letters("🇩🇪"), 2), 0);
    }
}
