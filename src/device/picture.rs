//! A screenshot: the bytes as the device sent them, and the pixels once somebody asks.

use std::sync::{Arc, OnceLock};

use image::RgbaImage;

use super::DeviceError;

/// A full-size, undecorated screenshot. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Picture {
    encoded: Arc<[u8]>,
    pixels: Arc<OnceLock<Arc<RgbaImage>>>,
}

impl Picture {
    /// From PNG bytes; they are decoded only when the pixels are asked for.
    pub fn from_png(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            encoded: bytes.into(),
            pixels: Arc::default(),
        }
    }

    /// From PNG bytes and the pixels they hold.
    pub fn with_pixels(bytes: impl Into<Arc<[u8]>>, pixels: RgbaImage) -> Self {
        Self {
            encoded: bytes.into(),
            pixels: Arc::new(OnceLock::from(Arc::new(pixels))),
        }
    }

    /// The PNG bytes.
    pub fn png(&self) -> &[u8] {
        &self.encoded
    }

    /// The pixels, decoded at the first call.
    ///
    /// # Errors
    /// [`DeviceError::NoPicture`] where the bytes are no PNG.
    pub fn pixels(&self) -> Result<Arc<RgbaImage>, DeviceError> {
        if let Some(pixels) = self.pixels.get() {
            return Ok(Arc::clone(pixels));
        }
        let decoded = image::load_from_memory_with_format(&self.encoded, image::ImageFormat::Png)
            .map_err(|error| {
            DeviceError::NoPicture(format!("the device sent no readable PNG: {error}"))
        })?;
        let pixels = Arc::new(decoded.into_rgba8());
        Ok(Arc::clone(self.pixels.get_or_init(|| pixels)))
    }
}
