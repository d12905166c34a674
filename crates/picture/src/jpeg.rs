//! Encodes pictures as JPEG.
//!
//! Only this module uses `jpeg_encoder`: its code is generic, and each crate that calls it would compile it
//! again.

use image::RgbaImage;
use jpeg_encoder::{Encoder, ImageBuffer, JpegColorType, rgb_to_ycbcr};

/// Refusal of a picture: it is empty, or longer than 65,535 pixels on a side.
#[derive(Debug, thiserror::Error)]
#[error("no JPEG: {0}")]
pub struct JpegError(#[from] jpeg_encoder::EncodingError);

/// Encodes the picture as JPEG of a quality from 1 to 100. Alpha is left out; the colours are not blended.
///
/// # Errors
/// The picture is empty, or too large for the format.
pub fn to_jpeg(picture: &RgbaImage, quality: u8) -> Result<Vec<u8>, JpegError> {
    let mut jpeg = Vec::new();
    Encoder::new(&mut jpeg, quality).encode_image(OpaqueImage(picture))?;
    Ok(jpeg)
}

/// Picture as the encoder reads it. The encoder's own function for bytes would compile nine kinds of
/// pictures; this is one.
struct OpaqueImage<'a>(&'a RgbaImage);

impl ImageBuffer for OpaqueImage<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    // A side that is too long becomes 0, which the encoder refuses.
    fn width(&self) -> u16 {
        self.0.width().try_into().unwrap_or(0)
    }

    fn height(&self) -> u16 {
        self.0.height().try_into().unwrap_or(0)
    }

    /// Appends the colours of row `y` to the first three buffers; alpha is left out. Appends nothing for a row
    /// outside the picture.
    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        let length = self.0.width() as usize * 4;
        let start = usize::from(y) * length;
        let row = self.0.get(start..start + length).unwrap_or_default();
        let [luma, blue, red, _] = buffers;
        for pixel in row.chunks_exact(4) {
            let (y, cb, cr) = rgb_to_ycbcr(pixel[0], pixel[1], pixel[2]);
            luma.push(y);
            blue.push(cb);
            red.push(cr);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_encoders_own_conversion() {
        let picture = RgbaImage::from_fn(97, 61, |x, y| {
            image::Rgba([(x * 7 + y) as u8, (y * 5) as u8, (x * y) as u8, x as u8])
        });
        for quality in [30, 80, 95] {
            let mut theirs = Vec::new();
            Encoder::new(&mut theirs, quality)
                .encode(&picture, 97, 61, jpeg_encoder::ColorType::Rgba)
                .unwrap();
            assert_eq!(to_jpeg(&picture, quality).unwrap(), theirs, "{quality}");
        }
    }

    #[test]
    fn pictures_without_pixels_and_too_long_ones_are_refused() {
        for (width, height) in [(0, 10), (10, 0), (65_536, 1), (1, 70_000)] {
            assert!(to_jpeg(&RgbaImage::new(width, height), 80).is_err());
        }
    }
}
