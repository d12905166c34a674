//! Format of what a subcommand prints: for people, or for programs.

use clap::builder::TypedValueParser;

use super::values::one_of;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Text,
    Json,
}

impl Format {
    const ALL: [Self; 2] = [Self::Text, Self::Json];

    /// Returns the format's name on the command line.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Json => "json",
        }
    }
}

/// Returns the parser of the formats, each with its help.
pub(super) fn format() -> impl TypedValueParser<Value = Format> {
    one_of(&Format::ALL, Format::name, |format| match format {
        Format::Text => "A table for people",
        Format::Json => "One JSON object for programs",
    })
}
