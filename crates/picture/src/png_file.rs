//! Encodes PNG files, and adds and removes text chunks without touching the pixels.

use std::collections::HashMap;
use std::io::Write as _;

use image::RgbaImage;

use crate::Rect;

use crate::PictureError;

/// Size in bytes of a chunk of compressed pixels. Chosen: a golden has one or two.
const CHUNK_BYTES: usize = 64 * 1024;

/// Trade between the time to encode and the size of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// Quick, for artifacts, which nobody keeps.
    Fast,
    /// Small, for goldens, which are kept in version control.
    Small,
}

/// Encodes a picture as PNG, without loss. A picture whose pixels are all opaque is stored without alpha.
/// [`Compression::Small`] stores opaque pictures of at most 256 colours with a palette. No text chunks are written.
///
/// # Errors
/// [`PictureError::Encoding`] for a picture without pixels.
pub fn encode(image: &RgbaImage, compression: Compression) -> Result<Vec<u8>, PictureError> {
    let (pixels, _) = image.as_raw().as_chunks::<4>();
    let opaque = pixels.iter().fold(255, |all, pixel| all & pixel[3]) == 255;
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, image.width(), image.height());
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(match compression {
        Compression::Fast => png::Compression::Fast,
        // `High` takes six times as long and saves 5 to 10 %: measured 2026-11-29 on the demo's goldens.
        Compression::Small => png::Compression::Balanced,
    });
    let indexed = (compression == Compression::Small && opaque)
        .then(|| IndexedPixels::from_pixels(pixels))
        .flatten();
    let written = match indexed {
        Some(IndexedPixels { palette, places }) => {
            encoder.set_palette(palette);
            encoder.set_color(png::ColorType::Indexed);
            // Filters do not help, since neighbouring palette indexes have nothing in common.
            encoder.set_filter(png::Filter::NoFilter);
            write(encoder, &places)
        }
        None => {
            if compression == Compression::Small {
                // As small as with a filter chosen for each row, and read in half the time.
                encoder.set_filter(png::Filter::Up);
            }
            match (compression, opaque) {
                (Compression::Small, true) => {
                    write_without_alpha(encoder, pixels, image.width() as usize)
                }
                (Compression::Fast, true) => {
                    encoder.set_color(png::ColorType::Rgb);
                    write(encoder, &without_alpha(pixels))
                }
                (_, false) => {
                    encoder.set_color(png::ColorType::Rgba);
                    write(encoder, image.as_raw())
                }
            }
        }
    };
    written.map_err(|error| PictureError::Encoding(error.to_string()))?;
    Ok(out)
}

fn write(encoder: png::Encoder<'_, &mut Vec<u8>>, data: &[u8]) -> Result<(), png::EncodingError> {
    let mut writer = encoder.write_header()?;
    writer.write_image_data(data)?;
    writer.finish()
}

/// Writes the pixels as RGB, row by row; alpha is dropped. A copy of all of them would be 8 MB for a phone's screen,
/// and take as long as compressing them. The `png` crate compresses rows slower than a whole picture with
/// [`png::Compression::Fast`] only.
fn write_without_alpha(
    mut encoder: png::Encoder<'_, &mut Vec<u8>>,
    pixels: &[[u8; 4]],
    width: usize,
) -> Result<(), png::EncodingError> {
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer_with_size(CHUNK_BYTES)?;
    for row in pixels.chunks(width) {
        stream.write_all(&without_alpha(row))?;
    }
    stream.finish()?;
    writer.finish()
}

/// Drops the alpha of each pixel; colours are not blended.
fn without_alpha(pixels: &[[u8; 4]]) -> Vec<u8> {
    let mut rgb = vec![0; pixels.len() * 3];
    let (triples, _) = rgb.as_chunks_mut::<3>();
    for (triple, [red, green, blue, _]) in triples.iter_mut().zip(pixels) {
        *triple = [*red, *green, *blue];
    }
    rgb
}

/// Picture of at most 256 colours, as PNG stores it with a palette.
struct IndexedPixels {
    /// Red, green and blue of each colour, in the order of their first pixels.
    palette: Vec<u8>,
    /// Index into the palette for each pixel.
    places: Vec<u8>,
}

impl IndexedPixels {
    /// Builds the palette, in order of the first use of each colour. Returns `None` where there are more than
    /// 256 colours. Alpha is not in the palette, so the pixels should be opaque.
    fn from_pixels(pixels: &[[u8; 4]]) -> Option<Self> {
        let mut known = HashMap::new();
        let mut palette = Vec::new();
        let mut places = Vec::with_capacity(pixels.len());
        // Neighbouring pixels often have the same colour, so each run is looked up once.
        for run in pixels.chunk_by(|one, other| one == other) {
            let place = match known.get(&run[0]) {
                Some(place) => *place,
                None => {
                    let place = u8::try_from(known.len()).ok()?;
                    known.insert(run[0], place);
                    palette.extend_from_slice(&run[0][..3]);
                    place
                }
            };
            places.resize(places.len() + run.len(), place);
        }
        Some(Self { palette, places })
    }
}

/// Returns a copy of the part of `image` inside `part`, as far as it reaches; `None` where they do not meet.
pub fn crop(image: &RgbaImage, part: Rect) -> Option<RgbaImage> {
    let whole = Rect::new(0, 0, image.width() as i32, image.height() as i32);
    let part = part.intersection(&whole)?;
    let view = image::imageops::crop_imm(
        image,
        part.left as u32,
        part.top as u32,
        part.width(),
        part.height(),
    );
    Some(view.to_image())
}

const SIGNATURE: usize = 8;
/// Length in bytes of the signature and of the `IHDR` chunk, which is always first and always this long.
const HEADER_END: usize = SIGNATURE + 25;

/// Adds a `tEXt` chunk right behind the header, without looking for an earlier one of this keyword. Characters of
/// the text that are not printable ASCII become `_`; the keyword is written as it is. Returns `None` where the
/// bytes are not PNG.
pub fn add_text(png: &[u8], keyword: &str, text: &str) -> Option<Vec<u8>> {
    let (head, tail) = png.split_at_checked(HEADER_END)?;
    if head.get(12..16)? != b"IHDR" {
        return None;
    }
    // The standard demands Latin-1; this program writes ASCII only.
    let text: String = text
        .chars()
        .map(|c| {
            if c.is_ascii_graphic() || c == ' ' {
                c
            } else {
                '_'
            }
        })
        .collect();
    let mut body = b"tEXt".to_vec();
    body.extend_from_slice(keyword.as_bytes());
    body.push(0);
    body.extend_from_slice(text.as_bytes());
    let mut out = Vec::with_capacity(png.len() + body.len() + 8);
    out.extend_from_slice(head);
    out.extend_from_slice(&((body.len() - 4) as u32).to_be_bytes());
    out.extend_from_slice(&body);
    out.extend_from_slice(&crc32(&body).to_be_bytes());
    out.extend_from_slice(tail);
    Some(out)
}

/// Returns the text of the first `tEXt` chunk with this keyword; `None` without one, and for bytes that are
/// not PNG.
pub fn read_text(png: &[u8], keyword: &str) -> Option<String> {
    text_chunks(png)
        .find(|chunk| chunk.keyword == keyword.as_bytes())
        .map(|chunk| String::from_utf8_lossy(chunk.text).into_owned())
}

/// Returns the file without the `tEXt` chunks of this keyword. A file without them, or one that is not PNG,
/// is returned as it is.
pub fn remove_text(png: &[u8], keyword: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(png.len());
    let mut copied = 0;
    for chunk in text_chunks(png).filter(|chunk| chunk.keyword == keyword.as_bytes()) {
        out.extend_from_slice(&png[copied..chunk.range.start]);
        copied = chunk.range.end;
    }
    out.extend_from_slice(&png[copied..]);
    out
}

struct TextChunk<'a> {
    range: std::ops::Range<usize>,
    keyword: &'a [u8],
    text: &'a [u8],
}

/// Lists the `tEXt` chunks of a PNG file, wherever they stand. Ends at the first chunk that is cut off; neither
/// signature nor checksums are checked.
fn text_chunks(png: &[u8]) -> impl Iterator<Item = TextChunk<'_>> {
    let mut at = SIGNATURE;
    std::iter::from_fn(move || {
        loop {
            let head = png.get(at..at.checked_add(8)?)?;
            let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]) as usize;
            let end = at.checked_add(length)?.checked_add(12)?;
            let body = png.get(at + 8..end - 4)?;
            let range = at..end;
            at = end;
            if head[4..] == *b"tEXt"
                && let Some(zero) = body.iter().position(|byte| *byte == 0)
            {
                return Some(TextChunk {
                    range,
                    keyword: &body[..zero],
                    text: &body[zero + 1..],
                });
            }
        }
    })
}

/// Computes the CRC-32 of a chunk, bit by bit: texts are short.
fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            if crc & 1 == 1 {
                (crc >> 1) ^ 0xEDB8_8320
            } else {
                crc >> 1
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;
    use crate::Picture;

    #[test]
    fn pixels_come_back_as_they_were() {
        let opaque = RgbaImage::from_fn(7, 5, |x, y| Rgba([x as u8, y as u8, 99, 255]));
        let clear = RgbaImage::from_fn(7, 5, |x, y| Rgba([x as u8, y as u8, 99, (x * y) as u8]));
        // As many colours as a palette holds, and one more.
        let [few, many] = [256, 257].map(|colours| {
            RgbaImage::from_fn(300, 2, |x, _| {
                let colour = x % colours;
                Rgba([colour as u8, (colour >> 8) as u8, 3, 255])
            })
        });
        for image in [opaque, clear, few, many] {
            for compression in [Compression::Fast, Compression::Small] {
                let png = encode(&image, compression).unwrap();
                assert_eq!(image::load_from_memory(&png).unwrap().into_rgba8(), image);
                let pixels = Picture::from_png(png).pixels().unwrap();
                assert_eq!(*pixels, image, "as a screenshot");
            }
        }
    }

    #[test]
    fn text_is_added_read_and_removed_without_a_trace() {
        let image = RgbaImage::new(2, 2);
        let png = encode(&image, Compression::Small).unwrap();
        let marked = add_text(&png, "runner", "schema=1 app=ä").unwrap();
        let twice = add_text(&marked, "runner-pending", "against=none").unwrap();
        assert_eq!(read_text(&twice, "runner").unwrap(), "schema=1 app=_");
        assert_eq!(read_text(&twice, "runner-pending").unwrap(), "against=none");
        assert_eq!(read_text(&png, "runner"), None);
        assert_eq!(
            image::load_from_memory(&twice).unwrap().into_rgba8(),
            image,
            "checksums hold"
        );
        assert_eq!(remove_text(&twice, "runner-pending"), marked);
        assert_eq!(remove_text(&marked, "runner"), png);
    }

    #[test]
    fn bytes_that_are_no_png_are_left_alone() {
        for bytes in [&b""[..], b"hello", &[0xFF; 64], &[0; 40]] {
            assert_eq!(add_text(bytes, "k", "v"), None);
            assert_eq!(read_text(bytes, "k"), None);
            assert_eq!(remove_text(bytes, "k"), bytes);
        }
    }
}
