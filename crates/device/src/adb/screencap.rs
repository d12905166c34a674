//! Parses the output of `screencap`: a PNG, perhaps after a warning, or raw pixels.

use super::super::sections::find;
use super::super::{DeviceError, Picture};
use runner_text::secret::Excerpt;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Bytes of a PNG chunk besides its data: length, type, checksum (PNG specification, 5.3).
const CHUNK_OVERHEAD: usize = 12;
/// Longest text before a PNG, in bytes. Chosen: warnings have some lines; a longer search only delays the
/// error.
const MAX_PREAMBLE_BYTES: usize = 64 * 1024;
/// Pixel format with four bytes a pixel (AOSP `system/graphics.h`, `HAL_PIXEL_FORMAT_RGBA_8888`).
const RGBA_8888: u32 = 1;
/// Largest plausible side of a display in pixels. Chosen: twice that of an 8K display; it keeps width times
/// height from overflowing.
const MAX_SIDE_PIXELS: u32 = 16_384;

/// Parses the output of `screencap -p`, or a PNG from elsewhere. Text before the PNG (within the first 64 KiB) and
/// bytes behind it are cut off. Neither pixels nor checksums are checked.
///
/// # Errors
/// Returns [`DeviceError::NoPicture`] if it is no complete PNG.
pub fn read_png(output: &[u8]) -> Result<Picture, DeviceError> {
    let preamble = &output[..output.len().min(MAX_PREAMBLE_BYTES)];
    let Some(start) = find(preamble, SIGNATURE) else {
        let begins = String::from_utf8_lossy(preamble);
        let begins = begins.trim();
        return Err(DeviceError::NoPicture(if begins.is_empty() {
            "`screencap` printed nothing".to_owned()
        } else {
            let begins = Excerpt::new(begins, 200).in_quotes();
            format!("`screencap` printed no PNG but {begins}")
        }));
    };
    let png = &output[start..];
    match find_end(png) {
        Some(end) => Ok(Picture::from_png(&png[..end])),
        None => Err(DeviceError::NoPicture(format!(
            "the PNG is cut off after {} bytes",
            png.len()
        ))),
    }
}

/// Returns the length of a complete PNG, up to the end of its chunk `IEND`; `None` if it is cut. Goes from
/// chunk to chunk, as bytes may be missing in its middle.
fn find_end(png: &[u8]) -> Option<usize> {
    let mut at = SIGNATURE.len();
    loop {
        let length: [u8; 4] = png.get(at..at + 4)?.try_into().ok()?;
        let kind = png.get(at + 4..at + 8)?;
        at = at
            .checked_add(u32::from_be_bytes(length) as usize)?
            .checked_add(CHUNK_OVERHEAD)?;
        if at > png.len() {
            return None;
        }
        if kind == b"IEND" {
            return Some(at);
        }
    }
}

/// Parses the output of `screencap` without `-p`: width, height, format, a colour space on newer releases,
/// pixels.
///
/// # Errors
/// Returns [`DeviceError::NoPicture`] for any format but RGBA of 8 bits, an empty or too large size, or a
/// length that does not fit the size.
pub(super) fn read_raw(output: &[u8]) -> Result<Picture, DeviceError> {
    let wrong = |what: &str| DeviceError::NoPicture(format!("raw `screencap`: {what}"));
    let word = |index: usize| {
        output
            .get(index * 4..index * 4 + 4)
            .and_then(|bytes| bytes.try_into().ok())
            .map(u32::from_le_bytes)
    };
    let (Some(width), Some(height), Some(format)) = (word(0), word(1), word(2)) else {
        return Err(wrong("too short for its header"));
    };
    if format != RGBA_8888 || width == 0 || height == 0 || width.max(height) > MAX_SIDE_PIXELS {
        return Err(wrong(&format!("{width}×{height} in format {format}")));
    }
    let length = width as usize * height as usize * 4;
    let header = [12, 16]
        .into_iter()
        .find(|header| output.len() == header + length)
        .ok_or_else(|| wrong(&format!("{} bytes for {width}×{height}", output.len())))?;
    let pixels = image::RgbaImage::from_raw(width, height, output[header..].to_vec());
    Ok(Picture::from_pixels(pixels.unwrap_or_default())?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn small_png() -> Vec<u8> {
        let pixels = image::RgbaImage::from_raw(2, 1, vec![1, 2, 3, 255, 4, 5, 6, 255]);
        Picture::from_pixels(pixels.unwrap())
            .unwrap()
            .png()
            .to_vec()
    }

    #[test]
    fn a_png_is_found_behind_a_warning_and_before_more() {
        let mut output = b"[Warning] Multiple displays were found.\n".to_vec();
        output.extend(small_png());
        output.extend(b"\ntrailing");
        let picture = read_png(&output).unwrap();
        assert_eq!(picture.png(), small_png());
        assert_eq!(picture.pixels().unwrap().get_pixel(1, 0).0, [4, 5, 6, 255]);
    }

    #[test]
    fn what_is_no_whole_png_is_refused() {
        let png = small_png();
        // Bytes may be missing at the end and in the middle.
        let holed = [&png[..20], &png[24..]].concat();
        for bytes in [
            &b""[..],
            b"Failed to open display",
            &png[..png.len() - 3],
            &png[..10],
            &holed,
        ] {
            assert!(matches!(read_png(bytes), Err(DeviceError::NoPicture(_))));
        }
    }

    #[test]
    fn raw_pixels_read_with_both_headers() {
        for header in [3, 4] {
            let mut output = Vec::new();
            for word in [2u32, 1, 1, 0].iter().take(header) {
                output.extend(word.to_le_bytes());
            }
            output.extend([9, 8, 7, 255, 6, 5, 4, 255]);
            let pixels = read_raw(&output).unwrap().pixels().unwrap();
            assert_eq!(pixels.get_pixel(0, 0).0, [9, 8, 7, 255]);
            output.pop();
            assert!(read_raw(&output).is_err());
        }
        let huge: Vec<u8> = [u32::MAX, u32::MAX, 1]
            .iter()
            .flat_map(|w| w.to_le_bytes())
            .collect();
        assert!(read_raw(&huge).is_err());
    }
}
