//! Patterns of `case`, of `${NAME#…}` and of file names: `*`, `?`, `[…]`.

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PatternElement {
    Char(char),
    /// `?`.
    Any,
    /// `*`.
    Many,
    /// `[a-z]`, `[!a-z]`.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

/// Makes a pattern from characters, each with true if it was quoted. Quoted characters stand for themselves,
/// and so does a `[` without its `]`.
pub(super) fn compile(chars: &[(char, bool)]) -> Vec<PatternElement> {
    let mut pieces = Vec::new();
    let mut at = 0;
    while let Some((c, quoted)) = chars.get(at) {
        at += 1;
        let piece = match c {
            _ if *quoted => PatternElement::Char(*c),
            '*' => PatternElement::Many,
            '?' => PatternElement::Any,
            '[' => match set(&chars[at..]) {
                Some((piece, length)) => {
                    at += length;
                    piece
                }
                None => PatternElement::Char('['),
            },
            _ => PatternElement::Char(*c),
        };
        pieces.push(piece);
    }
    pieces
}

/// Returns true if a pattern has more than plain characters.
pub(super) fn is_pattern(pieces: &[PatternElement]) -> bool {
    pieces
        .iter()
        .any(|piece| !matches!(piece, PatternElement::Char(_)))
}

/// Parses a set behind its `[`, with its length including the `]`. Quotes have no meaning in it. A first `!` or `^`
/// negates it, and a `]` in the first place belongs to it. Returns `None` if it is not closed.
fn set(rest: &[(char, bool)]) -> Option<(PatternElement, usize)> {
    // A bracket in the first place belongs to the set.
    let first = 1 + usize::from(matches!(rest.first(), Some(('!' | '^', _))));
    let close = first + rest.iter().skip(first).position(|(c, _)| *c == ']')?;
    let inner: Vec<char> = rest[..close].iter().map(|(c, _)| *c).collect();
    let negated = matches!(inner.first(), Some('!' | '^'));
    let inner = &inner[usize::from(negated)..];
    let mut ranges = Vec::new();
    let mut at = 0;
    while let Some(first) = inner.get(at) {
        if let (Some('-'), Some(last)) = (inner.get(at + 1), inner.get(at + 2)) {
            ranges.push((*first, *last));
            at += 3;
        } else {
            ranges.push((*first, *first));
            at += 1;
        }
    }
    Some((PatternElement::Set { negated, ranges }, close + 1))
}

/// Returns true if the element matches this one character. `*` never does.
fn is_one(piece: &PatternElement, c: char) -> bool {
    match piece {
        PatternElement::Char(wanted) => *wanted == c,
        PatternElement::Any => true,
        PatternElement::Many => false,
        PatternElement::Set { negated, ranges } => {
            ranges
                .iter()
                .any(|(first, last)| (*first..=*last).contains(&c))
                != *negated
        }
    }
}

/// Returns true if the pattern matches the whole text. Takes time of at most pattern × text.
pub(super) fn matches(pieces: &[PatternElement], text: &[char]) -> bool {
    let (mut piece, mut at) = (0, 0);
    // Only the last `*` is tried again: what an earlier one could take, it can take too.
    let mut again: Option<(usize, usize)> = None;
    while at < text.len() {
        match pieces.get(piece) {
            Some(PatternElement::Many) => {
                again = Some((piece, at));
                piece += 1;
            }
            Some(one) if is_one(one, text[at]) => {
                piece += 1;
                at += 1;
            }
            _ => match &mut again {
                Some((star, from)) => {
                    *from += 1;
                    at = *from;
                    piece = *star + 1;
                }
                None => return false,
            },
        }
    }
    pieces[piece..]
        .iter()
        .all(|piece| *piece == PatternElement::Many)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_texts() {
        for (pattern, text, expected) in [
            ("*.xml", "a.xml", true),
            ("*.xml", "a.xml.bak", false),
            ("a*b*c", "aXbYbZc", true),
            ("a?c", "abc", true),
            ("a?c", "ac", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[!]a]", "b", true),
            ("[!]a]", "]", false),
            ("[]a]", "]", true),
            ("[!", "[!", true),
            ("[", "[", true),
            ("*", "", true),
            ("", "", true),
        ] {
            let chars: Vec<(char, bool)> = pattern.chars().map(|c| (c, false)).collect();
            let text: Vec<char> = text.chars().collect();
            assert_eq!(
                matches(&compile(&chars), &text),
                expected,
                "{pattern} {text:?}"
            );
        }
    }

    #[test]
    fn quoted_characters_are_themselves() {
        assert!(!is_pattern(&compile(&[('*', true)])));
    }
}
