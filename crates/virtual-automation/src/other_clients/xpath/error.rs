//! Errors of expressions.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum XPathError {
    /// The expression cannot be parsed.
    #[error("{0}")]
    Syntax(String),
    /// The expression exceeds a limit, or uses something unsupported.
    #[error("{0}")]
    Evaluation(String),
}
