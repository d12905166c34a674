//! Encodes pictures as iTerm2's inline images: a PNG in base64, with its size in cells.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::RgbaImage;

use super::png::png;

/// Returns the escape sequence that shows `picture` at the cursor, stretched over `cells` (columns and rows). The
/// cursor stays. The function writes nothing. `None` if the picture cannot be encoded.
pub fn show(picture: &RgbaImage, cells: (u16, u16)) -> Option<Vec<u8>> {
    let png = png(picture)?;
    Some(
        format!(
            "\x1b]1337;File=inline=1;size={};width={};height={};preserveAspectRatio=0;doNotMoveCursor=1:{}\x07",
            png.len(),
            cells.0,
            cells.1,
            STANDARD.encode(&png)
        )
        .into_bytes(),
    )
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    #[test]
    fn the_picture_comes_back() {
        let picture = RgbaImage::from_fn(9, 5, |x, y| Rgba([x as u8, y as u8, 7, 255]));
        let text = String::from_utf8(show(&picture, (3, 2)).unwrap()).unwrap();
        let text = text.strip_prefix("\x1b]1337;File=").unwrap();
        let (keys, data) = text.strip_suffix('\x07').unwrap().split_once(':').unwrap();
        let png = STANDARD.decode(data).unwrap();
        assert_eq!(image::load_from_memory(&png).unwrap().to_rgba8(), picture);
        assert!(keys.contains(&format!("size={};", png.len())), "{keys}");
        assert!(keys.contains("width=3;height=2;"), "{keys}");
    }
}
