//! Patterns for paths, as in `flows` of `runner.yaml`.

use globset::{GlobBuilder, GlobMatcher};

/// Pattern for paths with `/`: `*` matches within a folder, `**` across folders. Case-sensitive.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    matcher: GlobMatcher,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern: {reason}; `*`, `**`, `?`, `[a-z]` and `{{a,b}}` are known")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

/// Counts the leading `..` of a path.
fn steps_out(path: &str) -> usize {
    path.split('/').take_while(|part| *part == "..").count()
}

impl PathPattern {
    /// Compiles a pattern, in which `*`, `**`, `?`, `[a-z]` and `{a,b}` are known. Only `**` goes beyond a folder, and
    /// case counts.
    ///
    /// # Errors
    ///
    /// [`PatternError`] with the reason.
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let matcher = matcher(pattern).map_err(|error| PatternError {
            pattern: pattern.to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(Self {
            text: pattern.to_owned(),
            matcher,
        })
    }

    /// Returns true if the pattern matches the whole path, with `/`. The number of leading `..` must be the
    /// same, so `**` never matches `..`.
    pub fn is_match(&self, path: &str) -> bool {
        steps_out(path) == steps_out(&self.text) && self.matcher.is_match(path)
    }

    /// Returns a pattern that matches this path and no other, but for its backslashes: they become `?`, as no pattern
    /// has one.
    pub fn escape(path: &str) -> String {
        let mut pattern = String::new();
        for letter in path.chars() {
            match letter {
                '*' | '?' | '[' | '{' | '}' => {
                    pattern.push('[');
                    pattern.push(letter);
                    pattern.push(']');
                }
                '\\' => pattern.push('?'),
                letter => pattern.push(letter),
            }
        }
        pattern
    }

    /// Returns the pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

pub(super) fn matcher(pattern: &str) -> Result<GlobMatcher, globset::Error> {
    // `*` stays within a folder; `**` goes below.
    let glob = GlobBuilder::new(pattern).literal_separator(true).build()?;
    Ok(glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escaped_path_is_matched_by_its_pattern() {
        let names = [
            "a.kt",
            "a[b].kt",
            "[",
            "]",
            "[]",
            "{a,b}",
            "{",
            "}",
            "a*",
            "**",
            "what?",
            "!a",
            "[!a]",
            "a,b",
            "back\\slash",
            "^",
            "a-b",
            "é [1]/{x}.kt",
            "../src/[id].tsx",
        ];
        for name in names {
            let pattern = PathPattern::new(&PathPattern::escape(name)).unwrap();
            for other in names {
                assert_eq!(pattern.is_match(other), name == other, "{name} {other}");
            }
        }
    }
}
