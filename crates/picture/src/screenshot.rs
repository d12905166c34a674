//! Screenshots as bytes and as pixels. Each form is made from the other only when it is needed.

use std::io::Cursor;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use image::RgbaImage;

use crate::png_file::{self, Compression};
use crate::{Frame, PictureError};

/// Full-size screenshot without annotations. Clones share its memory.
#[derive(Debug, Clone)]
pub struct Picture {
    encoded: Arc<OnceLock<Arc<[u8]>>>,
    /// Pixels of a picture that was made from pixels.
    drawn: Option<Arc<Frame>>,
    /// Pixels of a decoded picture, while somebody uses them. They are about a hundred times as large as the
    /// bytes, so they are not kept longer.
    decoded: Arc<Mutex<Weak<Frame>>>,
}

impl Picture {
    /// Creates a picture from PNG bytes, which are decoded only when the pixels are needed. Bytes that are
    /// not PNG are an error only then.
    pub fn from_png(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            encoded: Arc::new(OnceLock::from(bytes.into())),
            drawn: None,
            decoded: Arc::default(),
        }
    }

    /// Creates a picture from pixels, which are encoded only when the bytes are needed.
    ///
    /// # Errors
    /// [`PictureError::Empty`] where there are no pixels.
    pub fn from_pixels(pixels: impl Into<Frame>) -> Result<Self, PictureError> {
        let pixels = pixels.into();
        if pixels.is_empty() {
            return Err(PictureError::Empty);
        }
        Ok(Self {
            encoded: Arc::default(),
            drawn: Some(Arc::new(pixels)),
            decoded: Arc::default(),
        })
    }

    /// Returns the PNG bytes: those it was made from, unchanged. A picture that was made from pixels is encoded at
    /// the first call, for itself and its clones.
    pub fn png(&self) -> &[u8] {
        self.encoded.get_or_init(|| {
            let pixels = self.drawn.as_ref();
            // Any picture with pixels can be encoded.
            pixels
                .and_then(|pixels| png_file::encode(pixels, Compression::Fast).ok())
                .unwrap_or_default()
                .into()
        })
    }

    /// Returns true if both are known to have the same bytes, without decoding or encoding anything. False
    /// says nothing.
    pub fn is_same_file(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.encoded, &other.encoded)
            || matches!((self.encoded.get(), other.encoded.get()), (Some(one), Some(two)) if one == two)
    }

    /// Returns the pixels. They are decoded at each call unless another caller still holds them, or the
    /// picture was made from pixels.
    ///
    /// # Errors
    /// [`PictureError::Unreadable`] where the bytes are not PNG; [`PictureError::TooLarge`] above
    /// [`MAX_PIXELS`].
    pub fn pixels(&self) -> Result<Arc<Frame>, PictureError> {
        if let Some(known) = self.known_pixels() {
            return Ok(known);
        }
        // The lock is not held meanwhile, so two threads may both decode.
        let pixels = Arc::new(decode(self.png())?);
        *self.decoded() = Arc::downgrade(&pixels);
        Ok(pixels)
    }

    fn known_pixels(&self) -> Option<Arc<Frame>> {
        let drawn = self.drawn.as_ref().map(Arc::clone);
        drawn.or_else(|| self.decoded().upgrade())
    }

    fn decoded(&self) -> MutexGuard<'_, Weak<Frame>> {
        self.decoded.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the pixels of two pictures, in this order, as [`Picture::pixels`] does. Two threads decode them if
    /// both still need it.
    ///
    /// # Errors
    /// Each result has the errors of [`Picture::pixels`].
    pub fn pixels_of_both(one: &Self, other: &Self) -> [Result<Arc<Frame>, PictureError>; 2] {
        if one.known_pixels().is_some() || other.known_pixels().is_some() {
            return [one.pixels(), other.pixels()];
        }
        std::thread::scope(|scope| {
            let decoding = std::thread::Builder::new().spawn_scoped(scope, || one.pixels());
            let other = other.pixels();
            // If the thread could not start or panicked, this one does its work.
            let one = match decoding.map(std::thread::ScopedJoinHandle::join) {
                Ok(Ok(pixels)) => pixels,
                _ => one.pixels(),
            };
            [one, other]
        })
    }

    /// Returns width and height in pixels from the header; nothing is decoded. A picture that is too large to
    /// decode is no error here.
    ///
    /// # Errors
    /// [`PictureError::Unreadable`] where the bytes are not PNG.
    pub fn dimensions(&self) -> Result<(u32, u32), PictureError> {
        if let Some(pixels) = self.known_pixels() {
            return Ok(pixels.dimensions());
        }
        let mut decoder = png::Decoder::new(Cursor::new(self.png()));
        let header = decoder
            .read_header_info()
            .map_err(|error| unreadable(&error))?;
        Ok((header.width, header.height))
    }
}

/// Largest number of pixels of a screenshot; a display of 8K has 33 million. A larger picture is refused.
pub const MAX_PIXELS: u64 = 1 << 25;

fn unreadable(error: &dyn std::fmt::Display) -> PictureError {
    PictureError::Unreadable(error.to_string())
}

/// Decodes a PNG, at most [`MAX_PIXELS`] large. The usual kinds of screenshots and goldens are expanded row
/// by row into reused memory; others are left to the `image` crate. All become RGBA with 8 bits.
fn decode(bytes: &[u8]) -> Result<Frame, PictureError> {
    use png::ColorType::{Indexed, Rgb, Rgba};
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    // Palettes are expanded to colours.
    decoder.set_transformations(png::Transformations::EXPAND);
    // The header is enough to refuse too large a picture, whose pixels may take gigabytes.
    let header = decoder
        .read_header_info()
        .map_err(|error| unreadable(&error))?;
    let (width, height) = header.size();
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(PictureError::TooLarge { width, height });
    }
    let mut reader = decoder.read_info().map_err(|error| unreadable(&error))?;
    let info = reader.info();
    let is_usual = info.bit_depth == png::BitDepth::Eight
        && matches!(info.color_type, Indexed | Rgb | Rgba)
        && info.trns.is_none()
        && !info.interlaced;
    if !is_usual {
        return image::load_from_memory_with_format(bytes, image::ImageFormat::Png)
            .map(|picture| picture.into_rgba8().into())
            .map_err(|error| unreadable(&error));
    }
    let opaque = info.color_type != Rgba;
    let mut pixels = Frame::memory(width as usize * height as usize * 4);
    pixels.clear();
    while let Some(row) = reader.next_row().map_err(|error| unreadable(&error))? {
        if opaque {
            append_opaque(&mut pixels, row.data());
        } else {
            pixels.extend_from_slice(row.data());
        }
    }
    RgbaImage::from_raw(width, height, pixels)
        .map(Frame::from)
        .ok_or_else(|| unreadable(&"rows are missing"))
}

/// Appends RGB pixels as RGBA. Four pixels are converted at a time, from three words to four, since a
/// comparison waits for the decoding.
fn append_opaque(pixels: &mut Vec<u8>, rgb: &[u8]) {
    const OPAQUE: u32 = 0xFF00_0000;
    let begin = pixels.len();
    pixels.resize(begin + rgb.len() / 3 * 4, 255);
    let (quads, rest) = rgb.as_chunks::<12>();
    let (wide, rest_wide) = pixels[begin..].split_at_mut(quads.len() * 16);
    let (wide, _) = wide.as_chunks_mut::<16>();
    for (wide, quad) in wide.iter_mut().zip(quads) {
        let word =
            |at: usize| u32::from_le_bytes([quad[at], quad[at + 1], quad[at + 2], quad[at + 3]]);
        let (first, second, third) = (word(0), word(4), word(8));
        wide[..4].copy_from_slice(&(first | OPAQUE).to_le_bytes());
        wide[4..8].copy_from_slice(&(first >> 24 | second << 8 | OPAQUE).to_le_bytes());
        wide[8..12].copy_from_slice(&(second >> 16 | third << 16 | OPAQUE).to_le_bytes());
        wide[12..].copy_from_slice(&(third >> 8 | OPAQUE).to_le_bytes());
    }
    for (pixel, triple) in rest_wide.chunks_exact_mut(4).zip(rest.chunks_exact(3)) {
        pixel[..3].copy_from_slice(triple);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_pixels_are_made_from_each_other() {
        let image = RgbaImage::from_fn(3, 2, |x, y| image::Rgba([x as u8, y as u8, 7, 255]));
        let drawn = Picture::from_pixels(image.clone()).unwrap();
        let read = Picture::from_png(drawn.png());
        assert_eq!(*read.pixels().unwrap(), image);
        assert!(drawn.is_same_file(&read));
        assert!(drawn.is_same_file(&drawn.clone()));
        let undrawn = Picture::from_pixels(image).unwrap();
        assert!(
            !undrawn.is_same_file(&read),
            "nothing is encoded to find out"
        );
        assert!(Picture::from_pixels(RgbaImage::new(0, 4)).is_err());
        assert!(Picture::from_png(*b"no PNG").pixels().is_err());
    }

    #[test]
    fn every_kind_of_png_is_read_as_the_library_reads_it() {
        use image::{DynamicImage, ExtendedColorType, ImageEncoder};
        let colours = RgbaImage::from_fn(11, 6, |x, y| {
            image::Rgba([(x * 23) as u8, (y * 41) as u8, 77, (x * y * 5) as u8])
        });
        let picture = DynamicImage::ImageRgba8(colours);
        let kinds = [
            (picture.to_rgba8().into_raw(), ExtendedColorType::Rgba8),
            (picture.to_rgb8().into_raw(), ExtendedColorType::Rgb8),
            (picture.to_luma8().into_raw(), ExtendedColorType::L8),
            (picture.to_luma_alpha8().into_raw(), ExtendedColorType::La8),
            (vec![9; 11 * 6 * 6], ExtendedColorType::Rgb16),
        ];
        for (pixels, kind) in kinds {
            let mut png = Vec::new();
            image::codecs::png::PngEncoder::new(&mut png)
                .write_image(&pixels, 11, 6, kind)
                .unwrap();
            let expected = image::load_from_memory(&png).unwrap().into_rgba8();
            assert_eq!(
                *Picture::from_png(png.clone()).pixels().unwrap(),
                expected,
                "{kind:?}"
            );
            assert_eq!(
                Picture::from_png(png.clone()).dimensions().unwrap(),
                (11, 6)
            );
            for length in 0..png.len() - 16 {
                let cut = Picture::from_png(&png[..length]);
                assert!(cut.pixels().is_err(), "{kind:?} cut after {length} bytes");
            }
        }
    }

    #[test]
    fn a_header_is_enough_to_refuse_a_picture() {
        let mut head = Vec::new();
        let mut encoder = png::Encoder::new(&mut head, 16_000, 16_000);
        encoder.set_color(png::ColorType::Rgb);
        // It has no pixels at all.
        drop(encoder.write_header().unwrap());
        let refused = Picture::from_png(head).pixels().unwrap_err();
        let (width, height) = (16_000, 16_000);
        assert_eq!(refused, PictureError::TooLarge { width, height });
    }

    #[test]
    fn two_are_decoded_at_once_and_each_fails_alone() {
        let image = RgbaImage::from_pixel(5, 4, image::Rgba([1, 2, 3, 4]));
        let good = || Picture::from_png(Picture::from_pixels(image.clone()).unwrap().png());
        let bad = Picture::from_png(*b"no PNG");
        let [one, other] = Picture::pixels_of_both(&good(), &good());
        for pixels in [one, other] {
            assert_eq!(*pixels.unwrap(), image);
        }
        let [one, other] = Picture::pixels_of_both(&good(), &bad);
        assert!(one.is_ok() && other.is_err());
        let [one, other] = Picture::pixels_of_both(&bad, &good());
        assert!(one.is_err() && other.is_ok());
        assert!(bad.dimensions().is_err());
    }
}
