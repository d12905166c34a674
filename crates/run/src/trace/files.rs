//! Files of a trace: looks as compressed dumps, screenshots as small JPEGs.

use std::io::Write as _;
use std::sync::Arc;

use camino::Utf8Path;
use flate2::Compression;
use flate2::write::GzEncoder;

use crate::artifacts::ArtifactFolder;
use runner_device::Picture;
use runner_event::{Artifact, ArtifactKind};
use runner_screen::{Rect, Screen, annotate};
use runner_snapshot::picture::in_turn;
use runner_text::secret::Scrubber;

/// Folder of a trace, below that of its attempt.
pub(super) const FOLDER: &str = "trace";
/// Pixels around a password field that are painted over too. Chosen: scaling a picture down mixes
/// neighbouring pixels.
const MARGIN: i32 = 2;

#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    /// The disk is full, or the folder cannot be written.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The device's picture cannot be decoded.
    #[error("{0}")]
    Picture(String),
}

/// Stores a look under its number.
pub(super) fn keep_screen(
    folder: &ArtifactFolder,
    scrubber: &Scrubber,
    number: usize,
    screen: &Screen,
) -> Result<Artifact, FileError> {
    let packed = packed_screen(screen, scrubber)?;
    let name = format!("{FOLDER}/{number:04}.xml.gz");
    Ok(folder.write(ArtifactKind::Screen, &name, &packed)?)
}

/// Returns a look as a compressed dump, with secrets masked.
///
/// # Errors
/// Compressing into memory does not fail.
pub fn packed_screen(screen: &Screen, scrubber: &Scrubber) -> std::io::Result<Vec<u8>> {
    let dump = screen.to_dump();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(scrubber.scrub_outside(&dump).as_bytes())?;
    packed.finish()
}

/// Stores a screenshot under the number of its look. Paints over the `hidden` areas.
pub(super) fn keep_picture(
    folder: &ArtifactFolder,
    number: usize,
    picture: &Picture,
    hidden: &[Rect],
) -> Result<Artifact, FileError> {
    let jpeg = in_turn(|| small_jpeg(picture, hidden))?;
    let name = format!("{FOLDER}/{number:04}.jpg");
    Ok(folder.write(ArtifactKind::Screenshot, &name, &jpeg)?)
}

/// Returns the bounds of the password fields.
pub(super) fn password_fields(screen: &Screen) -> Vec<Rect> {
    let fields = screen.nodes().filter(|node| node.flags().password);
    fields.map(runner_screen::Node::bounds).collect()
}

/// Removes the trace in the folder of an attempt. A missing one is no error.
pub(super) fn remove(folder: &Utf8Path) -> std::io::Result<()> {
    match fs_err::remove_dir_all(folder.join(FOLDER)) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Returns the picture shrunk, as JPEG, with the `hidden` areas (in the picture's pixels) painted black, a margin
/// around each. Fails if the picture cannot be decoded.
fn small_jpeg(picture: &Picture, hidden: &[Rect]) -> Result<Vec<u8>, FileError> {
    let unreadable = |error: &dyn std::fmt::Display| FileError::Picture(error.to_string());
    let whole = picture.pixels().map_err(|error| unreadable(&error))?;
    let mut small = annotate::shrink(&whole);
    let (width, height) = (small.width(), small.height());
    let scale = f64::from(width) / f64::from(whole.width().max(1));
    drop::<Arc<_>>(whole);
    let edge = |at: i32, by: i32, most: u32| {
        let at = (f64::from(at) * scale).round() as i32;
        at.saturating_add(by).clamp(0, most as i32) as u32
    };
    for field in hidden {
        let columns = edge(field.left, -MARGIN, width)..edge(field.right, MARGIN, width);
        for y in edge(field.top, -MARGIN, height)..edge(field.bottom, MARGIN, height) {
            for x in columns.clone() {
                small.put_pixel(x, y, image::Rgba([0, 0, 0, 255]));
            }
        }
    }
    annotate::to_jpeg(&small).map_err(|error| unreadable(&error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_painted_over_in_the_small_picture() {
        let white = image::RgbaImage::from_pixel(1080, 2400, image::Rgba([255; 4]));
        let picture = Picture::from_pixels(white).unwrap();
        let plain = small_jpeg(&picture, &[]).unwrap();
        let hidden = small_jpeg(&picture, &[Rect::new(100, 200, 900, 400)]).unwrap();
        assert!(plain.starts_with(&[0xff, 0xd8]));
        assert_ne!(plain, hidden);
        // Outside of the picture there is nothing to paint.
        let outside = [Rect::new(-50, -50, -10, -10), Rect::new(5000, 0, 6000, 9)];
        small_jpeg(&picture, &outside).unwrap();
        assert!(small_jpeg(&Picture::from_png(*b"no PNG"), &[]).is_err());
    }
}
