//! A part of a picture in another size.
//!
//! The only place that names `fast_image_resize`: its code is generic, and each crate that calls it compiles it anew.

use fast_image_resize::images::{TypedImage, TypedImageRef};
use fast_image_resize::pixels::U8x4;
use fast_image_resize::{FilterType, ResizeAlg, ResizeOptions, Resizer};
use image::RgbaImage;

use crate::Rect;

/// How a pixel of the new size is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The nearest pixel: what is enlarged keeps its edges.
    Nearest,
    /// The mean of the pixels around, weighted by distance.
    Smooth,
}

/// `part` of the picture in `size` pixels. `None` where the part is empty or not wholly inside the picture.
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
