//! A pattern of paths, as `flows` of `runner.yaml` writes them.

use globset::GlobMatcher;

/// A pattern of paths with `/`: `*` stays within a folder, `**` goes below. Small and capital letters differ.
#[derive(Debug, Clone)]
pub struct PathPattern {
    text: String,
    matcher: GlobMatcher,
}

/// A text that is not a pattern.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{pattern}` is not a pattern: {reason}; `*`, `**`, `?`, `[a-z]` and `{{a,b}}` are known")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

/// Returns how many folders up a path begins.
fn steps_out(path: &str) -> usize {
    path.split('/').take_while(|part| *part == "..").count()
}

impl PathPattern {
    /// Reads one.
    ///
    /// # Errors
    /// [`PatternError`].
    pub fn new(pattern: &str) -> Result<Self, PatternError> {
        let matcher = super::matcher(pattern).map_err(|error| PatternError {
            pattern: pattern.to_owned(),
            reason: error.kind().to_string(),
        })?;
        Ok(Self {
            text: pattern.to_owned(),
            matcher,
        })
    }

    /// Returns true if it means this path. `**` stays in its folder: only a pattern that begins with `../` itself means
    /// what lies outside.
    pub fn is_match(&self, path: &str) -> bool {
        steps_out(path) == steps_out(&self.text) && self.matcher.is_match(path)
    }

    /// As it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}
