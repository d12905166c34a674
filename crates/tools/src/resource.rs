//! Resources that MCP clients may read.

use crate::Failure;

/// A resource as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// URI such as `ui://tree`; a pattern of RFC 6570 if `template` is set.
    pub uri: String,
    /// Name for programs.
    pub name: String,
    /// Description in one line.
    pub description: String,
    pub media_type: &'static str,
    /// True if `uri` is a pattern for many resources.
    pub template: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    pub media_type: &'static str,
    pub body: Body,
    /// True if the contents do not change while the program runs.
    pub lasts: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A text, in which secrets are masked.
    Text(String),
    /// A picture.
    Bytes(Vec<u8>),
}

impl Contents {
    /// Builds the contents of a text resource that may change, so a client should not keep it.
    pub fn text(media_type: &'static str, text: String) -> Self {
        Self {
            media_type,
            body: Body::Text(text),
            lasts: false,
        }
    }

    /// Marks the contents as unchanging while the program runs.
    #[must_use]
    pub fn lasting(self) -> Self {
        Self {
            lasts: true,
            ..self
        }
    }
}

/// Result of reading a resource: `None` if there is none with this name.
pub type Reading = Result<Option<Contents>, Failure>;
