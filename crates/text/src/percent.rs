//! Percent-encoding of URLs.

use std::fmt::Write as _;

/// Percent-encodes `text` byte by byte in UTF-8, a space as `%20`, except the unreserved characters of RFC 3986 (ASCII
/// letters, digits, `-`, `.`, `_`, `~`) and those in `also`. The digits are in upper case.
pub fn encoded(text: &str, also: &[u8]) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || also.contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(encoded, "%{byte:02X}");
        }
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::encoded;

    #[test]
    fn what_is_not_unreserved_is_encoded() {
        for (text, also, expected) in [
            ("a b/50%/\u{fc}.png", "/", "a%20b/50%25/%C3%BC.png"),
            ("a/b-._~", "", "a%2Fb-._~"),
        ] {
            assert_eq!(encoded(text, also.as_bytes()), expected);
        }
    }
}
