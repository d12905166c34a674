//! Reads pictures of other tools, such as design exports, that a snapshot is compared with.

use std::io::Cursor;

use camino::{Utf8Path, Utf8PathBuf};
use image::ImageFormat;

use runner_device::Picture;
use runner_snapshot::picture::{Compression, MAX_PIXELS, PictureError, encode};
use runner_text::input_file::{MAX_PICTURE, read_regular};
use runner_tools::Failure;

/// Bytes that decoding may allocate: four for each pixel of the largest picture. A small file may claim to be
/// very large.
const MAX_DECODED_BYTES: u64 = 4 * MAX_PIXELS;
/// Chosen: far above any display. It rejects a file with absurd dimensions before it is decoded.
const MAX_SIDE_PIXELS: u32 = 16_384;

/// Reads the picture that a step's `baseline` names, relative to `root`. Returns its path below the root with
/// links resolved, and the picture as PNG.
///
/// # Errors
/// There is no such file, its link leads nowhere, it is outside the project, also by a link, or [`read_picture`]
/// refuses it. All are failures of usage.
pub(super) fn read_baseline(
    root: &Utf8Path,
    name: &str,
) -> Result<(Utf8PathBuf, Picture), Failure> {
    let none = || {
        Failure::usage(format!("there is no picture {name}"))
            .with_details(["take `baseline` out of the step, or name a picture of the project"])
    };
    let named = root.join(name);
    if named.is_symlink() && !named.exists() {
        return Err(Failure::usage(format!(
            "{name} is a link that leads nowhere"
        )));
    }
    let real_root = root.canonicalize_utf8().map_err(|_| none())?;
    let file = named.canonicalize_utf8().map_err(|_| none())?;
    let Ok(below) = file.strip_prefix(&real_root) else {
        return Err(Failure::usage(format!("{name} is outside the project")));
    };
    Ok((below.to_owned(), read_picture(&file)?))
}

/// Reads a picture file of PNG, JPEG, GIF or BMP by its content and converts it to PNG; of an animation it takes the
/// first frame, and a PNG stays as it is. Fails as usage if it cannot be read, does not decode, or is too large. The
/// file is not changed.
pub(super) fn read_picture(file: &Utf8Path) -> Result<Picture, Failure> {
    let wrong = |why: String| Failure::usage(format!("{file} {why}"));
    let bytes =
        read_regular(file, MAX_PICTURE).map_err(|error| wrong(error.problem.to_string()))?;
    let bytes = match image::guess_format(&bytes) {
        Ok(ImageFormat::Jpeg | ImageFormat::Gif | ImageFormat::Bmp) => as_png(bytes)?,
        _ => bytes,
    };
    let picture = Picture::from_png(bytes);
    match picture.pixels() {
        Ok(_) => Ok(picture),
        Err(error @ PictureError::TooLarge { .. }) => {
            Err(wrong(format!("cannot be used: {error}")))
        }
        Err(_) => Err(wrong(
            "is not a picture of PNG, JPEG, GIF or BMP".to_owned(),
        )),
    }
}

/// Converts JPEG, GIF or BMP to PNG. Returns bytes that do not decode, or that decode to more than the limits, as
/// they are: the caller rejects them. Fails only if the PNG cannot be encoded.
fn as_png(bytes: Vec<u8>) -> Result<Vec<u8>, Failure> {
    let mut limits = image::Limits::default();
    limits.max_alloc = Some(MAX_DECODED_BYTES);
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    let reader = image::ImageReader::new(Cursor::new(&bytes)).with_guessed_format();
    let pixels = reader.ok().and_then(|mut reader| {
        reader.limits(limits);
        reader.decode().ok()
    });
    match pixels {
        Some(pixels) => Ok(encode(&pixels.into_rgba8(), Compression::Fast)?),
        None => Ok(bytes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn m6_a_baseline_may_be_of_another_format() {
        let folder = tempfile::tempdir().unwrap();
        let folder = Utf8Path::from_path(folder.path()).unwrap();
        let orange = image::RgbImage::from_pixel(8, 4, image::Rgb([250, 120, 30]));
        for format in [
            ImageFormat::Png,
            ImageFormat::Jpeg,
            ImageFormat::Gif,
            ImageFormat::Bmp,
        ] {
            let file = folder.join("picture");
            orange.save_with_format(&file, format).unwrap();
            let pixels = read_picture(&file).unwrap().pixels().unwrap();
            assert_eq!(pixels.dimensions(), (8, 4), "{format:?}");
            let near = pixels.get_pixel(3, 3).0.iter().zip([250, 120, 30, 255]);
            let is_near = near.into_iter().all(|(one, other)| one.abs_diff(other) < 8);
            assert!(is_near, "{format:?}: {:?}", pixels.get_pixel(3, 3));
            // Cut off, it is none, and the file's name says which.
            let bytes = fs_err::read(&file).unwrap();
            fs_err::write(&file, &bytes[..12]).unwrap();
            let failure = read_picture(&file).unwrap_err();
            assert!(
                failure.message.contains("picture is not a picture"),
                "{failure:?}"
            );
        }
    }
}
