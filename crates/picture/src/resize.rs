//! Scales a part of a picture to another size.
//!
//! Only this module uses `fast_image_resize`: its code is generic, and each crate that calls it would compile
//! it again.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::RgbaImage;

use crate::Rect;

/// Method to compute a pixel of the new size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// Nearest pixel: enlarged pictures keep sharp edges.
    Nearest,
    /// Mean of the surrounding pixels, weighted by distance.
    Smooth,
}

/// Scales `part` of the picture to `size` pixels. Returns `None` where the part is empty or not wholly inside the
/// picture. The alpha channel is scaled like a colour. The whole picture at its own size is a copy.
pub fn resized(
    picture: &RgbaImage,
    part: Rect,
    size: (u32, u32),
    sampling: Sampling,
) -> Option<RgbaImage> {
    if part.is_empty() {
        return None;
    }
    if part == Rect::new(0, 0, picture.width() as i32, picture.height() as i32)
        && picture.dimensions() == size
    {
        return Some(picture.clone());
    }
    let algorithm = match sampling {
        Sampling::Nearest => ResizeAlg::Nearest,
        Sampling::Smooth => ResizeAlg::Convolution(FilterType::Bilinear),
    };
    // A screenshot is opaque, whatever its alpha channel holds.
    let options = ResizeOptions::new()
        .resize_alg(algorithm)
        .use_alpha(false)
        .crop(
            f64::from(part.left),
            f64::from(part.top),
            f64::from(part.width()),
            f64::from(part.height()),
        );
    let source =
        TypedImageRef::<U8x4>::from_buffer(picture.width(), picture.height(), picture.as_raw())
            .ok()?;
    let mut resized = RgbaImage::new(size.0, size.1);
    let mut target = TypedImage::from_buffer(size.0, size.1, &mut resized).ok()?;
    Resizer::new()
        .resize_typed(&source, &mut target, Some(&options))
        .ok()?;
    Some(resized)
}
