//! The screenshot as a file, encoded once for each frame: stable captures ask for the same one again and again.

use std::sync::{Arc, Mutex, PoisonError};

use image::{ImageEncoder as _, RgbaImage};

/// The last frame that was asked for, and its PNG.
#[derive(Debug, Default)]
pub(super) struct Screenshot {
    last: Mutex<Option<EncodedFrame>>,
}

#[derive(Debug)]
struct EncodedFrame {
    frame: Arc<RgbaImage>,
    png: Arc<[u8]>,
}

impl Screenshot {
    /// The PNG of a frame; `None` where it cannot be encoded.
    pub(super) fn png(&self, frame: &Arc<RgbaImage>) -> Option<Arc<[u8]>> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = &*last
            && Arc::ptr_eq(&last.frame, frame)
        {
            return Some(Arc::clone(&last.png));
        }
        let png: Arc<[u8]> = encode(frame)?.into();
        *last = Some(EncodedFrame {
            frame: Arc::clone(frame),
            png: Arc::clone(&png),
        });
        Some(png)
    }
}

pub(crate) fn encode(picture: &RgbaImage) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let encoder = image::codecs::png::PngEncoder::new_with_quality(
        &mut bytes,
        image::codecs::png::CompressionType::Fast,
        image::codecs::png::FilterType::Up,
    );
    encoder
        .write_image(
            picture.as_raw(),
            picture.width(),
            picture.height(),
            image::ExtendedColorType::Rgba8,
        )
        .ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_frame_has_another_file() {
        let screenshot = Screenshot::default();
        let frame = |value| Arc::new(RgbaImage::from_pixel(2, 2, image::Rgba([value; 4])));
        let (one, two) = (frame(1), frame(2));
        let png = screenshot.png(&one).unwrap();
        assert!(Arc::ptr_eq(&png, &screenshot.png(&one).unwrap()));
        assert_ne!(png, screenshot.png(&two).unwrap());
        assert_eq!(png, screenshot.png(&one).unwrap());
    }
}
