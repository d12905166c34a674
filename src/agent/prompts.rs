//! Prompts: how to begin, for agents.

use std::collections::BTreeMap;

use crate::tools::Failure;

/// A prompt as it is listed.
#[derive(Debug, Clone, Copy)]
pub struct Prompt {
    /// Name for programs.
    pub name: &'static str,
    /// One line of what it is for.
    pub description: &'static str,
    /// Its arguments.
    pub arguments: &'static [PromptArgument],
}

/// An argument of a prompt.
#[derive(Debug, Clone, Copy)]
pub struct PromptArgument {
    /// Name.
    pub name: &'static str,
    /// What it means.
    pub description: &'static str,
    /// Whether it must be given.
    pub required: bool,
}

/// All prompts.
pub fn prompts() -> &'static [Prompt] {
    &[]
}

/// The text of a prompt; `None` where no prompt has this name.
///
/// # Errors
/// A required argument is missing.
pub fn fill(name: &str, arguments: &BTreeMap<String, String>) -> Result<Option<String>, Failure> {
    let _ = (name, arguments);
    Ok(None)
}
