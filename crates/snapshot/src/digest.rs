//! Digests of files, by which two people, or a person and a later run, can refer to the same bytes.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// SHA-256 of bytes that may come from an attacker. Within a store the faster [`super::golden::hash`] is
/// enough.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Digest(String);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a digest: 64 digits of 0–9 and a–f")]
pub struct DigestError(String);

impl Digest {
    /// Hashes named parts with SHA-256, in the given order, and returns the hash in lower case hex. The
    /// length of each name and content is hashed too, so the bytes cannot be split in another way.
    pub fn from_parts<'a>(parts: impl IntoIterator<Item = (&'a str, &'a [u8])>) -> Self {
        let mut hash = Sha256::new();
        for (name, bytes) in parts {
            for part in [name.as_bytes(), bytes] {
                hash.update((part.len() as u64).to_be_bytes());
                hash.update(part);
            }
        }
        Self(
            hash.finalize()
                .iter()
                .map(|byte| format!("{byte:02x}"))
                .collect(),
        )
    }
}

impl Digest {
    /// Returns the 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl TryFrom<String> for Digest {
    type Error = DigestError;

    /// Takes 64 hex digits in lower case, and refuses any other text.
    fn try_from(text: String) -> Result<Self, DigestError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() == 64 && text.bytes().all(is_digit) {
            Ok(Self(text))
        } else {
            Err(DigestError(text))
        }
    }
}

impl From<Digest> for String {
    fn from(digest: Digest) -> Self {
        digest.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_a_part_ends_counts() {
        let one = Digest::from_parts([("a", &b"bc"[..])]);
        for other in [
            Digest::from_parts([("ab", &b"c"[..])]),
            Digest::from_parts([("a", &b"b"[..]), ("", &b"c"[..])]),
        ] {
            assert_ne!(one, other);
        }
        assert_eq!(one, Digest::from_parts([("a", &b"bc"[..])]));
        assert_eq!(Digest::try_from(one.to_string()), Ok(one.clone()));
        assert!(Digest::try_from(one.to_string().to_uppercase()).is_err());
    }
}
