//! A screenshot: bytes and pixels, each made from the other only when somebody asks.

use std::sync::{Arc, OnceLock};

use image::RgbaImage;

use super::DeviceError;

/// A full-size, undecorated screenshot. Cloning shares it.
#[derive(Debug, Clone)]
pub struct Picture {
    encoded: Arc<OnceLock<Arc<[u8]>>>,
    pixels: Arc<OnceLock<Arc<RgbaImage>>>,
}

impl Picture {
    /// From PNG bytes; they are decoded only when the pixels are asked for.
    pub fn from_png(bytes: impl Into<Arc<[u8]>>) -> Self {
        Self {
            encoded: Arc::new(OnceLock::from(bytes.into())),
            pixels: Arc::default(),
        }
    }

    /// From pixels; they are encoded only when the bytes are asked for.
    ///
    /// # Errors
    /// [`DeviceError::NoPicture`] where there are no pixels.
    pub fn from_pixels(pixels: RgbaImage) -> Result<Self, DeviceError> {
        if pixels.is_empty() {
            return Err(DeviceError::NoPicture("it has no pixels".to_owned()));
        }
        Ok(Self {
            encoded: Arc::default(),
            pixels: Arc::new(OnceLock::from(Arc::new(pixels))),
        })
    }

    /// The PNG bytes, encoded at the first call where the picture was made from pixels.
    pub fn png(&self) -> &[u8] {
        self.encoded.get_or_init(|| {
            let pixels = self.pixels.get();
            // A picture that has pixels at all can be encoded.
            pixels
                .and_then(|pixels| encode(pixels).ok())
                .unwrap_or_default()
                .into()
        })
    }

    /// Whether both are known to be the same without decoding or encoding anything.
    pub fn is_same_file(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.encoded, &other.encoded)
            || matches!((self.encoded.get(), other.encoded.get()), (Some(one), Some(two)) if one == two)
    }

    /// The pixels, decoded at the first call.
    ///
    /// # Errors
    /// [`DeviceError::NoPicture`] where the bytes are no PNG.
    pub fn pixels(&self) -> Result<Arc<RgbaImage>, DeviceError> {
        if let Some(pixels) = self.pixels.get() {
            return Ok(Arc::clone(pixels));
        }
        let decoded = image::load_from_memory_with_format(self.png(), image::ImageFormat::Png)
            .map_err(|error| {
                DeviceError::NoPicture(format!("the device sent no readable PNG: {error}"))
            })?;
        let pixels = Arc::new(decoded.into_rgba8());
        Ok(Arc::clone(self.pixels.get_or_init(|| pixels)))
    }
}

fn encode(pixels: &RgbaImage) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixels.width(), pixels.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Fast);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels.as_raw())?;
    writer.finish()?;
    Ok(bytes)
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
}
