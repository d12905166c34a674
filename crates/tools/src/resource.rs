//! What a client may read besides calling tools.

use crate::Failure;

/// A resource as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// `ui://tree`; a pattern of RFC 6570 where `template` is set.
    pub uri: String,
    /// Name for programs.
    pub name: String,
    /// One line of what it holds.
    pub description: String,
    /// Media type of its text.
    pub media_type: &'static str,
    /// Whether `uri` is a pattern for many resources.
    pub template: bool,
}

/// A resource's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Media type of the text.
    pub media_type: &'static str,
    /// The contents.
    pub text: String,
}

/// What reading comes to: `None` where no resource has this name.
pub type Reading = Result<Option<Contents>, Failure>;
