//! The screenshot as a PNG. It is encoded once for each frame, since stable captures ask for the same one
//! repeatedly.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use image::{ImageEncoder as _, RgbaImage};

use runner_picture::in_turn;

use super::Phone;

/// The last PNG that was asked for.
#[derive(Debug, Default)]
pub(super) struct Screenshot {
    last: Mutex<Option<EncodedFrame>>,
}

#[derive(Debug)]
struct EncodedFrame {
    /// Number of its picture, from [`Phone::drawing`].
    number: u64,
    png: Arc<[u8]>,
}

impl Screenshot {
    /// Returns the screen as a PNG, or `None` if it cannot be encoded. The last one is returned again as long
    /// as the phone's drawing has not changed. A new one waits until a processor is free. The phone is locked only
    /// while it draws.
    pub(super) fn png<'a>(
        &self,
        phone: impl Fn() -> MutexGuard<'a, Box<dyn Phone>>,
    ) -> Option<Arc<[u8]>> {
        let number = phone().drawing();
        if let Some(last) = &*self.last()
            && last.number == number
        {
            return Some(Arc::clone(&last.png));
        }
        // Others may use the phone while this waits for its turn, and while it encodes.
        let (number, png) = in_turn(|| {
            let (number, frame) = {
                let mut phone = phone();
                (phone.drawing(), phone.draw())
            };
            Some((number, encode(&frame)?))
        })?;
        let png: Arc<[u8]> = png.into();
        *self.last() = Some(EncodedFrame {
            number,
            png: Arc::clone(&png),
        });
        Some(png)
    }

    fn last(&self) -> MutexGuard<'_, Option<EncodedFrame>> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Encodes a picture as a PNG, fast rather than small. Returns `None` if that fails.
pub fn encode(picture: &RgbaImage) -> Option<Vec<u8>> {
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
        let options = crate::PhoneOptions::default();
        let phone: Mutex<Box<dyn Phone>> =
            Mutex::new(Box::new(crate::VirtualPhone::new(&options).unwrap()));
        let screenshot = Screenshot::default();
        let png = || screenshot.png(|| phone.lock().unwrap()).unwrap();
        let turn_dark = |on| {
            let dark = crate::Setting::Switch(crate::Switch::Dark, on);
            phone.lock().unwrap().set(dark);
        };
        let light = png();
        assert!(Arc::ptr_eq(&light, &png()));
        turn_dark(true);
        assert_ne!(light, png());
        turn_dark(false);
        assert_eq!(light, png());
    }
}
