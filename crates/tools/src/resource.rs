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
    /// Media type of the body.
    pub media_type: &'static str,
    /// The contents themselves.
    pub body: Body,
    /// They stay as they are while the program runs.
    pub lasts: bool,
}

/// What a resource holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text, in which secrets are masked.
    Text(String),
    /// A picture.
    Bytes(Vec<u8>),
}

impl Contents {
    /// A text that another reading may find changed.
    pub fn text(media_type: &'static str, text: String) -> Self {
        Self {
            media_type,
            body: Body::Text(text),
            lasts: false,
        }
    }

    /// The same, which stays as it is while the program runs.
    #[must_use]
    pub fn lasting(self) -> Self {
        Self {
            lasts: true,
            ..self
        }
    }
}

/// What reading comes to: `None` where no resource has this name.
pub type Reading = Result<Option<Contents>, Failure>;
