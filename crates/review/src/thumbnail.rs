//! Makes small pictures of pending goldens, for lists.

use runner_picture::{Compression, Picture, encode};
use runner_screen::annotate::shrink_to;
use runner_snapshot::{FileKind, GoldenKey};

use super::{Review, ReviewError};
use runner_text::input_file::read_regular;

/// Pixels of a thumbnail's longer side. Chosen: lists show it at half of that or less, so that it is sharp on
/// dense displays.
const MAX_SIDE_PIXELS: u32 = 160;

/// Bytes of the largest file that is decoded. Chosen: a raw screenshot of a tablet fits; larger files are no
/// screenshots.
const MAX_FILE_BYTES: u64 = 64 << 20;

impl Review {
    /// Returns a small picture of the pending golden as PNG, or of the golden if no picture is pending. A picture
    /// that is a link or larger than `MAX_FILE_BYTES` counts as missing. `None` if there is none, or the one found
    /// cannot be decoded. The key is not checked.
    ///
    /// It reads the project's folder, not what an archive proposes.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read.
    pub fn thumbnail(&self, key: &GoldenKey) -> Result<Option<Vec<u8>>, ReviewError> {
        for is_pending in [true, false] {
            let path = self.path(key, FileKind::Picture, is_pending);
            let Ok(about) = fs_err::symlink_metadata(&path) else {
                continue;
            };
            if !about.is_file() || about.len() > MAX_FILE_BYTES {
                continue;
            }
            return Ok(small(&Picture::from_png(
                read_regular(&path, MAX_FILE_BYTES).map_err(std::io::Error::from)?,
            )));
        }
        Ok(None)
    }
}

/// Shrinks a picture in proportion to sides of at most [`MAX_SIDE_PIXELS`] and encodes it as PNG. `None` if
/// it cannot be decoded.
pub(super) fn small(picture: &Picture) -> Option<Vec<u8>> {
    let pixels = picture.pixels().ok()?;
    encode(&shrink_to(&pixels, MAX_SIDE_PIXELS), Compression::Fast).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::RgbaImage;

    #[test]
    fn a_screen_becomes_small_and_keeps_its_shape() {
        let of = |width, height| {
            let pixels = RgbaImage::from_pixel(width, height, image::Rgba([9, 90, 200, 255]));
            let made = small(&Picture::from_pixels(pixels).unwrap()).unwrap();
            Picture::from_png(made).dimensions().unwrap()
        };
        assert_eq!(of(1080, 2400), (72, 160));
        assert_eq!(of(2400, 1080), (160, 72));
        assert_eq!(of(4000, 1), (160, 1));
        assert_eq!(of(20, 40), (20, 40));
        assert!(small(&Picture::from_png(vec![1, 2, 3])).is_none());
    }
}
