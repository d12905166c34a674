//! Variable of a file, with the form of its value.

/// Variable that a file sets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub key: String,
    pub value: String,
    /// Number of the line where it begins, from 1.
    pub line: usize,
    pub form: Form,
}

/// Quotes around a value, by which `doubts` tells if a `$` in it is meant as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Without quotes.
    Plain,
    /// In double quotes.
    Quoted,
    /// In single quotes, or in double quotes with the escape `\$`: no tool expands anything in it.
    Literal,
}
