//! Limit for the number of flows in quarantine.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// Limit for the number of flows in quarantine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuarantineLimit {
    /// Number of flows.
    Flows(u32),
    /// Percentage of all flows.
    Percent(u8),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a limit; write a share such as `5%`, or a number of flows")]
pub struct LimitError(String);

impl QuarantineLimit {
    /// Returns true if `flows` flows in quarantine out of `of` are within the limit. Exactly the limit is
    /// allowed; a share is not rounded.
    pub fn allows(self, flows: usize, of: usize) -> bool {
        match self {
            Self::Flows(most) => flows <= most as usize,
            Self::Percent(share) => flows * 100 <= of * usize::from(share),
        }
    }
}

impl FromStr for QuarantineLimit {
    type Err = LimitError;

    /// Parses a number such as `3`, or a share such as `5%` up to `100%`. White space around it and before the `%` is
    /// allowed. Signs and fractions are refused.
    fn from_str(text: &str) -> Result<Self, LimitError> {
        let wrong = || LimitError(text.to_owned());
        let written = text.trim();
        let digits = written.strip_suffix('%').unwrap_or(written).trim_end();
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number: u32 = digits.parse().map_err(|_| wrong())?;
        match u8::try_from(number) {
            _ if !is_number => Err(wrong()),
            Ok(share) if share <= 100 && written.ends_with('%') => Ok(Self::Percent(share)),
            _ if written.ends_with('%') => Err(wrong()),
            _ => Ok(Self::Flows(number)),
        }
    }
}

impl fmt::Display for QuarantineLimit {
    /// Writes `3` or `5%`, which is read as the same limit again.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flows(most) => write!(f, "{most}"),
            Self::Percent(share) => write!(f, "{share}%"),
        }
    }
}

impl<'de> Deserialize<'de> for QuarantineLimit {
    /// Accepts a number, or a text that is parsed like an option's.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let text = value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned);
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_read_and_are_written_again() {
        for (text, limit) in [
            ("5%", QuarantineLimit::Percent(5)),
            (" 100 % ", QuarantineLimit::Percent(100)),
            ("0", QuarantineLimit::Flows(0)),
            ("12", QuarantineLimit::Flows(12)),
        ] {
            let read: QuarantineLimit = text.parse().unwrap();
            assert_eq!(read, limit, "{text}");
            assert_eq!(read.to_string().parse(), Ok(limit));
        }
        for text in ["", "%", "101%", "-1", "+1", "5.5%", "five", "99999999999"] {
            assert!(text.parse::<QuarantineLimit>().is_err(), "{text}");
        }
    }
}
