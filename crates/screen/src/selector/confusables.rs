//! Names the difference between texts that look the same.

use runner_text::confusables::{self, is_unseen};
use unicode_normalization::UnicodeNormalization;

/// Characters that look like ASCII: letters of other scripts, and typographic signs. NFKC handles the others,
/// such as ligatures and wide digits. The letters are those of Unicode's confusables.txt that look the same
/// in Roboto.
const LIKE_ASCII: [(&str, &str); 11] = [
    // Cyrillic.
    ("аеорсухіјѕԁһӏ", "aeopcyxijsdhl"),
    ("АВЕКМНОРСТУХІЈЅ", "ABEKMHOPCTYXIJS"),
    // Greek.
    ("οι", "oi"),
    ("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ABEZHIKMNOPTYX"),
    ("\u{2010}\u{2011}\u{2012}\u{2013}\u{2014}\u{2212}", "------"),
    ("\u{2018}\u{2019}\u{201b}\u{2032}`", "'''''"),
    ("\u{201c}\u{201d}\u{201f}", "\"\"\""),
    ("\u{2044}\u{2215}", "//"),
    ("\u{2236}\u{a789}", "::"),
    ("\u{d7}", "x"),
    ("\u{131}", "i"),
];

/// Names of typographic signs. `runner_text` names the characters that look like a space, a dash, a ligature
/// or nothing. It does not name these, since nobody takes them for plain ones in a flow's syntax.
const SIGNS: [(char, &str); 6] = [
    ('\u{2018}', "left single quotation mark"),
    ('\u{2019}', "right single quotation mark"),
    ('\u{201c}', "left double quotation mark"),
    ('\u{201d}', "right double quotation mark"),
    ('\u{2026}', "ellipsis"),
    ('\u{2212}', "minus sign"),
];

/// Returns how the words of an element differ from the wanted ones, where both look the same but are not equal, for
/// people. Of letters that are only composed otherwise the form is named, else the first different character. Returns
/// `None` for equal words, for words that look different, and if both are ASCII.
pub(super) fn difference(property: &str, wanted: &str, actual: &str) -> Option<String> {
    if wanted == actual || wanted.is_ascii() && actual.is_ascii() {
        return None;
    }
    if skeleton(wanted) != skeleton(actual) {
        return None;
    }
    if let Some(form) = letter_form(wanted, actual) {
        return Some(format!("{property} is written with {form}"));
    }
    let same = wanted.chars().zip(actual.chars());
    let same = same.take_while(|(one, other)| one == other).count();
    let (wanted, actual) = (wanted.chars().nth(same), actual.chars().nth(same));
    let unseen = |character: Option<char>| character.filter(|it| is_unseen(*it));
    Some(match (unseen(actual), unseen(wanted), actual, wanted) {
        (Some(character), ..) => format!("{property} has {}", name(character)),
        (_, Some(character), ..) => {
            format!(
                "the selector has {}, its {property} has not",
                name(character)
            )
        }
        (_, _, Some(actual), _) if !actual.is_ascii() => {
            let wanted = wanted.map_or_else(String::new, |it| format!(", not `{it}`"));
            format!("{property} has {}{wanted}", name(actual))
        }
        (_, _, actual, Some(wanted)) => {
            let actual = actual.map_or_else(String::new, |it| format!(" `{it}`, not"));
            format!("{property} has{actual} {}", name(wanted))
        }
        _ => format!("{property} looks the same"),
    })
}

/// Returns the Unicode form of a text whose letters are the wanted ones, only composed otherwise: `decomposed letters
/// (Unicode's NFD)`. `None` for equal texts and for all others.
pub fn letter_form(wanted: &str, actual: &str) -> Option<&'static str> {
    if wanted == actual || !wanted.nfc().eq(actual.nfc()) {
        return None;
    }
    let is_composed = actual.nfc().eq(actual.chars());
    Some(if is_composed {
        "composed letters (Unicode's NFC)"
    } else {
        "decomposed letters (Unicode's NFD)"
    })
}

/// Reduces a text to what the eye sees: without invisible characters, and with look-alikes as ASCII.
fn skeleton(text: &str) -> String {
    let seen = text.nfkc().filter(|character| !is_unseen(*character));
    seen.map(|character| like_ascii(character).unwrap_or(character))
        .collect()
}

/// Returns the ASCII character that looks like this one, if it is in the list.
fn like_ascii(character: char) -> Option<char> {
    LIKE_ASCII.iter().find_map(|(alike, ascii)| {
        let place = alike.chars().position(|it| it == character)?;
        ascii.chars().nth(place)
    })
}

/// Returns the name of a character with its article and number: `an en dash (U+2013)`. A character without a
/// known name is shown itself.
fn name(character: char) -> String {
    let mut signs = SIGNS.iter();
    let sign = || {
        signs
            .find(|(it, _)| *it == character)
            .map(|(_, name)| *name)
    };
    let code = u32::from(character);
    match confusables::name(character).or_else(sign) {
        Some(name) => {
            let article = if name.starts_with(['A', 'a', 'e', 'i', 'o', 'u']) {
                "an"
            } else {
                "a"
            };
            format!("{article} {name} (U+{code:04X})")
        }
        None => format!("`{character}` (U+{code:04X})"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_look_alike_has_its_ascii_and_stays_so_in_nfkc() {
        for (alike, ascii) in LIKE_ASCII {
            assert_eq!(alike.chars().count(), ascii.chars().count(), "{ascii}");
            assert!(ascii.is_ascii());
            for (one, other) in alike.chars().zip(ascii.chars()) {
                assert_eq!(
                    skeleton(&one.to_string()),
                    other.to_string(),
                    "U+{:04X}",
                    u32::from(one)
                );
            }
        }
    }
}
