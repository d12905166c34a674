//! What can be wrong with a picture. It does not say whose it is: who asked for the picture knows that.

/// Why there are no pixels, or no bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It has no pixels.
    #[error("it has no pixels")]
    Empty,
    /// The bytes are not PNG, or only a part of one.
    #[error("it is not a readable PNG: {0}")]
    Unreadable(String),
    /// Its header claims more pixels than any display has.
    #[error("it has {width} × {height} pixels, more than a screenshot has")]
    TooLarge {
        /// Columns.
        width: u32,
        /// Rows.
        height: u32,
    },
    /// It cannot be written as PNG.
    #[error("it cannot be written as PNG: {0}")]
    Encoding(String),
}
