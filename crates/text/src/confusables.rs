//! Names of characters that are invisible or look like others.

/// Ranges of characters that are invisible or look like others, with a name for each range. Ranges overlap; the first
/// that fits counts.
const LOOK_ALIKES: &[(char, char, &str)] = &[
    ('\u{a0}', '\u{a0}', "no-break space"),
    ('\u{ad}', '\u{ad}', "soft hyphen"),
    ('\u{34f}', '\u{34f}', "combining grapheme joiner"),
    ('\u{61c}', '\u{61c}', "Arabic letter mark"),
    ('\u{2000}', '\u{200a}', "wide or thin space"),
    ('\u{200b}', '\u{200b}', "zero width space"),
    ('\u{200c}', '\u{200c}', "zero width non-joiner"),
    ('\u{200d}', '\u{200d}', "zero width joiner"),
    ('\u{200e}', '\u{200e}', "left-to-right mark"),
    ('\u{200f}', '\u{200f}', "right-to-left mark"),
    ('\u{2010}', '\u{2010}', "hyphen"),
    ('\u{2011}', '\u{2011}', "non-breaking hyphen"),
    ('\u{2013}', '\u{2013}', "en dash"),
    ('\u{2014}', '\u{2014}', "em dash"),
    ('\u{2012}', '\u{2015}', "hyphen or dash"),
    ('\u{2028}', '\u{2029}', "line separator"),
    ('\u{202a}', '\u{202e}', "direction mark"),
    ('\u{202f}', '\u{202f}', "narrow no-break space"),
    ('\u{205f}', '\u{205f}', "wide or thin space"),
    ('\u{2060}', '\u{2060}', "word joiner"),
    ('\u{2066}', '\u{2069}', "direction mark"),
    ('\u{3000}', '\u{3000}', "ideographic space"),
    ('\u{fb01}', '\u{fb01}', "ligature fi"),
    ('\u{fb02}', '\u{fb02}', "ligature fl"),
    ('\u{fb00}', '\u{fb06}', "ligature"),
    ('\u{feff}', '\u{feff}', "byte order mark"),
    ('\u{300}', '\u{36f}', "combining accent"),
];

/// Returns the name of a character that is invisible, looks like a space or a dash, or changes a letter: ligatures
/// and combining accents. Returns `None` for all others.
pub fn name(character: char) -> Option<&'static str> {
    let mut rows = LOOK_ALIKES.iter();
    let row = rows.find(|(first, last, _)| (*first..=*last).contains(&character));
    row.map(|(_, _, name)| *name)
}

/// Returns true for a character that takes no room at all, unlike a space: soft hyphens, zero-width characters,
/// marks of the direction and the byte order mark. Control characters and spaces with a width are false.
pub fn is_unseen(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'
            | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// Returns the first character of a text that has a [`name`]; `None` if none has. The second part is that name with
/// the number: `no-break space (U+00A0)`.
pub fn first(text: &str) -> Option<(char, String)> {
    let mut named = text.chars().filter_map(|it| Some((it, name(it)?)));
    let (character, name) = named.next()?;
    Some((
        character,
        format!("{name} (U+{:04X})", u32::from(character)),
    ))
}
