//! Checks pictures of recorded screens. They may come from anywhere, and must not fill the browser's memory.

use image::{Rgba, RgbaImage};

use super::super::StudioError;
use super::super::frames::EncodedPicture;
use runner_device::Picture;

/// Bytes and pixels of a picture. Chosen: several times those of any display.
const MAX_BYTES: usize = 32 << 20;
const MAX_PIXELS: u64 = 40_000_000;
/// Factor by which the blank picture is smaller than the screen. Chosen: the browser scales it up.
const BLANK_FACTOR: u32 = 8;

/// Checks format and size of a picture of a display of `size` pixels. The result has the display's size, not the
/// picture's own, which may be shrunk. Only the header is read, so damaged content passes.
///
/// # Errors
/// Returns an error if it is no PNG or JPEG, has more than [`MAX_BYTES`], or more than [`MAX_PIXELS`].
pub(super) fn check(bytes: Vec<u8>, size: [u32; 2]) -> Result<EncodedPicture, StudioError> {
    let Some((media_type, [width, height])) = kind(&bytes) else {
        return Err(refused("it is damaged, or no PNG and no JPEG"));
    };
    if bytes.len() > MAX_BYTES || u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(refused("it is larger than any screen"));
    }
    Ok(EncodedPicture {
        media_type,
        bytes: bytes.into(),
        size: (size[0], size[1]),
    })
}

/// Returns a grey picture on which elements can be shown, for a display of `size` pixels. Its own sides are an
/// eighth of that, at least 1 and at most 1000 pixels; the result has the display's size.
pub(crate) fn blank(size: [u32; 2]) -> Result<EncodedPicture, StudioError> {
    let [width, height] = size.map(|side| (side / BLANK_FACTOR).clamp(1, 1000));
    let grey = RgbaImage::from_pixel(width, height, Rgba([128, 128, 128, 255]));
    let picture = Picture::from_pixels(grey).map_err(|_| refused("none was taken"))?;
    Ok(EncodedPicture {
        media_type: "image/png",
        bytes: picture.png().to_vec().into(),
        size: (size[0], size[1]),
    })
}

fn refused(why: &str) -> StudioError {
    StudioError::Recorded(format!("the picture of this screen is not shown: {why}"))
}

/// Reads media type, width and height from the header of a PNG or JPEG. `None` for others and damaged headers.
/// Pixels are not read.
fn kind(bytes: &[u8]) -> Option<(&'static str, [u32; 2])> {
    if let Some(header) = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR") {
        let number = |at: usize| {
            let four = header.get(at..at + 4)?;
            Some(u32::from_be_bytes(four.try_into().ok()?))
        };
        return Some(("image/png", [number(0)?, number(4)?]));
    }
    let mut rest = bytes.strip_prefix(b"\xff\xd8")?;
    loop {
        let [0xff, marker, high, low, ..] = *rest else {
            return None;
        };
        let length = usize::from(u16::from_be_bytes([high, low]));
        // A start-of-frame marker of any coding (SOF0 to SOF15, without DHT, JPG and DAC).
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let side = |at: usize| {
                let two = rest.get(at..at + 2)?;
                Some(u32::from(u16::from_be_bytes(two.try_into().ok()?)))
            };
            return Some(("image/jpeg", [side(7)?, side(5)?]));
        }
        rest = rest.get(2 + length.max(2)..)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_screen::annotate::to_jpeg;

    #[test]
    fn what_a_browser_would_choke_on_is_refused() {
        let small = RgbaImage::from_pixel(30, 20, Rgba([1, 2, 3, 255]));
        let jpeg = to_jpeg(&small).unwrap();
        assert_eq!(kind(&jpeg), Some(("image/jpeg", [30, 20])));
        assert!(check(jpeg.clone(), [30, 20]).is_ok());
        assert!(check(jpeg[..4].to_vec(), [30, 20]).is_err());
        let mut huge = blank([80, 80]).unwrap().bytes.to_vec();
        assert!(kind(&huge).is_some());
        huge[16..24].copy_from_slice(&[0, 0, 0x40, 0, 0, 0, 0x40, 0]);
        let error = check(huge, [80, 80]).unwrap_err();
        assert!(error.to_string().contains("larger"), "{error}");
        assert!(check(b"<svg>".to_vec(), [1, 1]).is_err());
        assert!(check(Vec::new(), [1, 1]).is_err());
    }
}
