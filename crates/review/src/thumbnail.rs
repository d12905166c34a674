//! What waits as a small picture, for lists.

use runner_picture::{Compression, Picture, encode};
use runner_screen::annotate::shrink_to;
use runner_snapshot::{FileKind, GoldenKey};

use super::{Review, ReviewError};
use runner_text::input_file::read_regular;

/// Pixels of its longer side: a list shows it at half of that, or less.
const SIDE: u32 = 160;

/// Larger files are no screenshots.
const LARGEST: u64 = 64 << 20;

impl Review {
    /// What was seen, small, as a PNG; of an obsolete golden the golden. `None` where there is no picture that reads.
    /// It looks in the project's folder, not in what an archive proposes.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn thumbnail(&self, key: &GoldenKey) -> Result<Option<Vec<u8>>, ReviewError> {
        for is_pending in [true, false] {
            let path = self.path(key, FileKind::Picture, is_pending);
            let Ok(about) = fs_err::symlink_metadata(&path) else {
                continue;
            };
            if !about.is_file() || about.len() > LARGEST {
                continue;
            }
            return Ok(small(&Picture::from_png(
                read_regular(&path, LARGEST).map_err(std::io::Error::from)?,
            )));
        }
        Ok(None)
    }
}

/// The picture with the shape that it has.
pub(super) fn small(picture: &Picture) -> Option<Vec<u8>> {
    let pixels = picture.pixels().ok()?;
    encode(&shrink_to(&pixels, SIDE), Compression::Fast).ok()
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
