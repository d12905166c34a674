//! Decodes the bytes of a dump, and the escaped values of attributes.
//!
//! This module owns encodings (UTF-8, UTF-16, surrogates that are written one by one) and character
//! references. It never fails: bytes without a meaning become U+FFFD, and unknown references stay as written.

use std::borrow::Cow;

use runner_text::secret::unmarkable;

/// Decodes a dump in UTF-8 or UTF-16 and removes its byte order mark. Bytes that cannot be decoded become
/// U+FFFD. Characters that the scrubber of secrets uses as marks are replaced.
pub(super) fn decode(dump: &[u8]) -> Cow<'_, str> {
    unmarkable(match dump {
        [0xEF, 0xBB, 0xBF, rest @ ..] => decode_utf8(rest),
        [0xFF, 0xFE, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_le_bytes)),
        [0xFE, 0xFF, rest @ ..] => Cow::Owned(decode_utf16(rest, u16::from_be_bytes)),
        _ => match unmarked_utf16(dump) {
            Some(unit) => Cow::Owned(decode_utf16(dump, unit)),
            None => decode_utf8(dump),
        },
    })
}

/// Detects UTF-16 without a byte order mark and returns its byte order; `None` for UTF-8. Markup is ASCII, so in UTF-16
/// nearly every second of the first 64 bytes is zero.
fn unmarked_utf16(dump: &[u8]) -> Option<fn([u8; 2]) -> u16> {
    let head = &dump[..dump.len().min(64)];
    let zeroes = |parity: usize| {
        let bytes = head.iter().skip(parity).step_by(2);
        bytes.filter(|byte| **byte == 0).count()
    };
    let (even, odd) = (zeroes(0), zeroes(1));
    let is_most = |zeroes: usize, others: usize| zeroes * 4 > head.len() && zeroes > others * 4;
    if is_most(odd, even) {
        Some(u16::from_le_bytes)
    } else if is_most(even, odd) {
        Some(u16::from_be_bytes)
    } else {
        None
    }
}

/// Decodes UTF-16 in the byte order of `unit`. Lone halves become U+FFFD, and an odd byte at the end is dropped.
fn decode_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> String {
    let (pairs, _) = bytes.as_chunks::<2>();
    char::decode_utf16(pairs.iter().map(|pair| unit(*pair)))
        .map(|decoded| decoded.unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect()
}

/// Decodes UTF-8 in which Java may have written each half of a surrogate pair as three bytes of its own. A
/// lone half and other invalid bytes become U+FFFD.
fn decode_utf8(mut bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len());
    while !bytes.is_empty() {
        let error = match std::str::from_utf8(bytes) {
            Ok(rest) => {
                text.push_str(rest);
                break;
            }
            Err(error) => error,
        };
        let (valid, rest) = bytes.split_at(error.valid_up_to());
        // The bytes are valid UTF-8 here; `lossy` only avoids an `expect`.
        text.push_str(&String::from_utf8_lossy(valid));
        let (decoded, used) = match (half_at(rest), half_at(rest.get(3..).unwrap_or_default())) {
            (Some(high), Some(low)) if is_high(high) && is_low(low) => (join(high, low), 6),
            (Some(_), _) => (char::REPLACEMENT_CHARACTER, 3),
            (None, _) => (
                char::REPLACEMENT_CHARACTER,
                error.error_len().unwrap_or(rest.len()),
            ),
        };
        text.push(decoded);
        bytes = rest.get(used..).unwrap_or_default();
    }
    Cow::Owned(text)
}

/// Returns the half of a surrogate pair that the next three bytes encode; `None` for other bytes.
fn half_at(bytes: &[u8]) -> Option<u32> {
    match bytes {
        [0xED, second @ 0xA0..=0xBF, third @ 0x80..=0xBF, ..] => {
            Some(0xD000 | (u32::from(second & 0x3F) << 6) | u32::from(third & 0x3F))
        }
        _ => None,
    }
}

fn is_high(unit: u32) -> bool {
    (0xD800..0xDC00).contains(&unit)
}

fn is_low(unit: u32) -> bool {
    (0xDC00..0xE000).contains(&unit)
}

fn join(high: u32, low: u32) -> char {
    let scalar = 0x1_0000 + ((high - 0xD800) << 10) + (low - 0xDC00);
    char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Appends an attribute's value with its references resolved, the five of XML and numbers. Two references may form
/// a surrogate pair; a lone half becomes U+FFFD. An unknown or unfinished reference stays as written. Marks of the
/// scrubber that a reference encodes are replaced.
pub(super) fn unescape_into(mut value: &str, text: &mut String) {
    while let Some(at) = value.find('&') {
        text.push_str(&value[..at]);
        value = &value[at..];
        let (decoded, used) = match reference(value) {
            Some((high, used)) if is_high(high) => match reference(&value[used..]) {
                Some((low, more)) if is_low(low) => (join(high, low), used + more),
                _ => (char::REPLACEMENT_CHARACTER, used),
            },
            Some((scalar, used)) => (
                char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER),
                used,
            ),
            None => ('&', 1),
        };
        let mut letters = [0; 4];
        let decoded: &str = decoded.encode_utf8(&mut letters);
        // A reference could encode a mark of the scrubber.
        text.push_str(&unmarkable(decoded.into()));
        value = &value[used..];
    }
    text.push_str(value);
}

/// Returns the code point of the reference at the beginning of `value`, and its length in bytes. The code point may
/// be half of a surrogate pair or none at all. Returns `None` for a reference that is unknown, unfinished or longer
/// than 12 bytes.
fn reference(value: &str) -> Option<(u32, usize)> {
    // No valid reference is longer. Without the limit a lone `&` would search the whole text.
    let longest = value.as_bytes().iter().take(12);
    let end = longest.copied().position(|byte| byte == b';')?;
    let name = value.get(1..end).filter(|_| value.starts_with('&'))?;
    let code = match name {
        "amp" => u32::from(b'&'),
        "lt" => u32::from(b'<'),
        "gt" => u32::from(b'>'),
        "quot" => u32::from(b'"'),
        "apos" => u32::from(b'\''),
        _ => {
            let number = name.strip_prefix('#')?;
            match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            }
        }
    };
    Some((code, end + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_become_characters() {
        let cases = [
            ("plain", "plain"),
            ("a &amp; b &lt;&gt;&quot;&apos;", "a & b <>\"'"),
            ("&#128512;&#x1F600;", "😀😀"),
            ("&#55357;&#56832;", "😀"),
            ("&#xD83D;", "\u{FFFD}"),
            ("&#56832;x", "\u{FFFD}x"),
            ("&#10;&#x9;", "\n\t"),
            ("&nbsp; & &; &#; &#x; &amp", "&nbsp; & &; &#; &#x; &amp"),
            ("&#99999999;", "\u{FFFD}"),
            // Marks of excerpts, which only this program may write.
            ("&#64976;x&#xFDD1;", "\u{FFFD}x\u{FFFD}"),
            ("&😀;", "&😀;"),
        ];
        for (written, suggestion) in cases {
            let mut text = String::new();
            unescape_into(written, &mut text);
            assert_eq!(text, suggestion, "{written}");
        }
    }

    #[test]
    fn every_encoding_reads_the_same() {
        let text = "<hierarchy>é😀</hierarchy>";
        let units: Vec<u16> = text.encode_utf16().collect();
        let little: Vec<u8> = units.iter().flat_map(|unit| unit.to_le_bytes()).collect();
        let big: Vec<u8> = units.iter().flat_map(|unit| unit.to_be_bytes()).collect();
        let marked = |mark: &[u8], bytes: &[u8]| [mark, bytes].concat();
        let cases = [
            text.as_bytes().to_vec(),
            marked(&[0xEF, 0xBB, 0xBF], text.as_bytes()),
            marked(&[0xFF, 0xFE], &little),
            marked(&[0xFE, 0xFF], &big),
            little,
            big,
        ];
        for bytes in cases {
            assert_eq!(decode(&bytes), text);
        }
    }

    #[test]
    fn surrogates_written_one_by_one_are_joined_or_replaced() {
        assert_eq!(decode(b"a\xED\xA0\xBD\xED\xB8\x80b"), "a😀b");
        assert_eq!(decode(b"a\xED\xA0\xBDb"), "a\u{FFFD}b");
        assert_eq!(decode(b"a\xFFb\xE2\x82"), "a\u{FFFD}b\u{FFFD}");
        assert_eq!(decode(&[0xFF, 0xFE, 0x3D, 0xD8, b'a', 0]), "\u{FFFD}a");
    }
}
