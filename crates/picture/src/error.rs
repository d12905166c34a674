//! Errors of pictures. They do not say which picture: the caller that asked for it knows.

/// Reason why a picture has no pixels or no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error("it has no pixels")]
    Empty,
    /// The bytes are not PNG, or the file is cut off.
    #[error("it is not a readable PNG: {0}")]
    Unreadable(String),
    /// The header claims more pixels than any display has.
    #[error("it has {width} × {height} pixels, more than a screenshot has")]
    TooLarge { width: u32, height: u32 },
    /// The encoder refused the pixels.
    #[error("it cannot be written as PNG: {0}")]
    Encoding(String),
}
