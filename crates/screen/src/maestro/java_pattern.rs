//! Java regular expressions that match a whole text, as Android's `Pattern` does.

use std::sync::Arc;

use super::java::{self, Translation};

/// Largest size of a compiled pattern in bytes. Chosen: far more than an app's pattern needs, and
/// a hostile one cannot take the memory.
const MAX_COMPILED_BYTES: usize = 2 * 1024 * 1024;

/// Java regular expression without flags, except those that it sets itself.
#[derive(Debug, Clone)]
pub struct JavaPattern(Arc<fancy_regex::Regex>);

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JavaPatternError {
    /// Java refuses the pattern.
    #[error("it is no regular expression of Java's")]
    Invalid,
    /// Java accepts it, this program does not; the text names the part.
    #[error("it has {0}, which is not known here")]
    Unsupported(String),
}

impl JavaPattern {
    /// Parses a pattern of a Java regular expression. It matches whole texts, and letter case counts.
    ///
    /// # Errors
    /// [`JavaPatternError::Invalid`] if Java would refuse it, and [`JavaPatternError::Unsupported`] for what
    /// this program does not know or if it is too large.
    pub fn new(pattern: &str) -> Result<Self, JavaPatternError> {
        let inner = java::translate(pattern).map_err(|error| match error {
            Translation::Invalid => JavaPatternError::Invalid,
            Translation::Unsupported(what) => JavaPatternError::Unsupported(what),
        })?;
        java::whole_text("", &inner)
            .delegate_size_limit(MAX_COMPILED_BYTES)
            .build()
            .map(|regex| Self(Arc::new(regex)))
            .map_err(|error| JavaPatternError::Unsupported(error.to_string()))
    }

    /// Returns true if the whole text matches. A match that takes too many steps counts as none.
    pub fn matches(&self, text: &str) -> bool {
        self.0.is_match(text).unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Cases that Rust's `regex` refuses or interprets differently.
    #[test]
    fn patterns_mean_what_they_mean_to_java() {
        for (pattern, text, expected) in [
            ("a++b", "aab", true),
            ("a++ab", "aab", false),
            ("a*+", "aaa", true),
            ("(?>a|ab)c", "abc", false),
            ("(?=.*b)a.*", "acb", true),
            ("(?!x).*", "xa", false),
            ("(?<=a)b|ab", "ab", true),
            ("(?<!a)b", "b", true),
            (r"\Qa.b[\E.", "a.b[c", true),
            (r"\Qa.b\E", "axb", false),
            (r"a\hb", "a\u{a0}b", true),
            (r"a\Hb", "a b", false),
            (r"\R", "\r\n", true),
            ("[a-z&&[^aeiou]]+", "bcd", true),
            ("[a-z&&[^aeiou]]+", "bad", false),
            ("[a-c[x-z]]+", "abxz", true),
            (r"(a|b)\1", "aa", true),
            (r"(a|b)\1", "ab", false),
            (r"(?<n>a)\k<n>", "aa", true),
            (r"\w+", "é", false),
            (r"\d", "\u{663}", false),
            (r"\s", "\u{a0}", false),
            ("(?i)SIGN", "sign", true),
            ("sign", "SIGN", false),
            ("a.c", "a\nc", false),
            ("(?s)a.c", "a\nc", true),
        ] {
            let read = JavaPattern::new(pattern);
            let read = read.unwrap_or_else(|error| panic!("{pattern}: {error}"));
            assert_eq!(read.matches(text), expected, "{pattern} against {text:?}");
        }
        for pattern in ["(", "a{", "[", "*a", r"\Qa\E+*"] {
            assert!(JavaPattern::new(pattern).is_err(), "{pattern}");
        }
    }
}
