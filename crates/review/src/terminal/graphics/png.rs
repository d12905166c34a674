//! Encodes pictures as PNG for the terminals that take it.

use runner_snapshot::picture::{Compression, encode};

/// Encodes a picture as PNG with fast compression. `None` if it cannot be encoded.
pub fn png(picture: &image::RgbaImage) -> Option<Vec<u8>> {
    encode(picture, Compression::Fast).ok()
}
