//! Shrinks pictures for agents, as JPEG.

use std::io::Cursor;

use camino::Utf8Path;
use image::RgbaImage;

use runner_screen::annotate::{shrink, to_jpeg};
use runner_snapshot::picture::{Frame, MAX_PIXELS};
use runner_text::input_file::{MAX_PICTURE, read_regular};

/// Returns a shrunken picture as JPEG, with its media type first. `None` if it cannot be encoded, such as an empty one.
pub(super) fn small(picture: &RgbaImage) -> Option<(String, Vec<u8>)> {
    let jpeg = to_jpeg(&shrink(picture)).ok()?;
    Some(("image/jpeg".to_owned(), jpeg))
}

/// Returns a shrunken copy of a picture file as JPEG, with its media type; the file stays as it is. `None` if it is
/// missing, too large or no picture.
pub(super) fn small_file(path: &Utf8Path) -> Option<(String, Vec<u8>)> {
    let bytes = read_regular(path, MAX_PICTURE).ok()?;
    let mut reader = image::ImageReader::new(Cursor::new(&bytes))
        .with_guessed_format()
        .ok()?;
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(4 * MAX_PIXELS);
    reader.limits(limits);
    small(&reader.decode().ok()?.into_rgba8())
}

/// Returns the pictures side by side from left to right, each shrunken, as one JPEG with its media type.
/// `None` if there is no picture or it cannot be encoded.
pub(super) fn side_by_side(pictures: &[&Frame]) -> Option<(String, Vec<u8>)> {
    // Chosen: the border between two pictures is visible.
    const GAP: u32 = 8;
    let panels: Vec<RgbaImage> = pictures.iter().map(|picture| shrink(picture)).collect();
    let height = panels.iter().map(RgbaImage::height).max()?;
    let width = panels.iter().map(|panel| panel.width() + GAP).sum::<u32>() - GAP;
    let mut sheet = RgbaImage::from_pixel(width, height, image::Rgba([128, 128, 128, 255]));
    let mut left = 0;
    for panel in &panels {
        image::imageops::replace(&mut sheet, panel, i64::from(left), 0);
        left += panel.width() + GAP;
    }
    let jpeg = to_jpeg(&sheet).ok()?;
    Some(("image/jpeg".to_owned(), jpeg))
}
