//! Encodes pictures for kitty's graphics protocol: PNG in base64, in chunks, with an id.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use image::RgbaImage;

use super::png::png;

/// Bytes of base64 in one escape sequence, from the protocol's specification.
const MAX_CHUNK_BYTES: usize = 4096;

/// Returns the escape sequences that show `picture` at the cursor, stretched over `cells` (columns and rows), as
/// picture `id`, in place of an earlier one with this id. The terminal sends no answer, and the cursor stays. Nothing
/// is written. `None` if the picture cannot be encoded.
pub fn show(picture: &RgbaImage, id: u32, cells: (u16, u16)) -> Option<Vec<u8>> {
    // `q=2`: an answer would be read as keys. `C=1`: a cursor that moves below the last line scrolls the screen.
    let header = format!(
        "a=T,f=100,t=d,i={id},p=1,q=2,C=1,c={},r={}",
        cells.0, cells.1
    );
    Some(sequences(picture, &header)?.concat())
}

/// Returns the escape sequences, to be sent one after the other, that send `picture` to be shown where
/// placeholders of `id` are. `None` if the picture cannot be encoded.
pub fn send_virtual(picture: &RgbaImage, id: u32, cells: (u16, u16)) -> Option<Vec<Vec<u8>>> {
    let header = format!("a=T,U=1,f=100,t=d,i={id},q=2,c={},r={}", cells.0, cells.1);
    sequences(picture, &header)
}

/// Returns the escape sequence that removes the picture from the screen and from the terminal's memory. Nothing is
/// written.
pub fn remove(id: u32) -> Vec<u8> {
    format!("\x1b_Ga=d,d=I,i={id},q=2\x1b\\").into_bytes()
}

/// Returns the picture as PNG in escape sequences of at most `MAX_CHUNK_BYTES` of data each, in the order to send;
/// only the first has `header`. `None` if it cannot be encoded.
fn sequences(picture: &RgbaImage, header: &str) -> Option<Vec<Vec<u8>>> {
    let data = STANDARD.encode(png(picture)?);
    let chunks: Vec<&[u8]> = data.as_bytes().chunks(MAX_CHUNK_BYTES).collect();
    let last = chunks.len().saturating_sub(1);
    let sequences = chunks.iter().enumerate().map(|(at, chunk)| {
        let more = u8::from(at != last);
        let keys = if at == 0 {
            format!("{header},m={more}")
        } else {
            format!("q=2,m={more}")
        };
        [b"\x1b_G", keys.as_bytes(), b";", chunk, b"\x1b\\"].concat()
    });
    Some(sequences.collect())
}

#[cfg(test)]
mod tests {
    use image::Rgba;

    use super::*;

    /// Decodes the sequences: the keys of the first one, and the picture.
    fn read(bytes: &[u8]) -> (String, RgbaImage) {
        let text = std::str::from_utf8(bytes).unwrap();
        let mut keys = Vec::new();
        let mut data = String::new();
        for sequence in text.split_terminator("\x1b\\") {
            let sequence = sequence.strip_prefix("\x1b_G").unwrap();
            let (head, body) = sequence.split_once(';').unwrap();
            assert!(body.len() <= MAX_CHUNK_BYTES && body.len().is_multiple_of(4));
            keys.push(head.to_owned());
            data.push_str(body);
        }
        let (last, others) = keys.split_last().unwrap();
        assert!(last.ends_with("m=0") && others.iter().all(|keys| keys.ends_with("m=1")));
        let png = STANDARD.decode(data).unwrap();
        let picture = image::load_from_memory(&png).unwrap().to_rgba8();
        (keys[0].clone(), picture)
    }

    #[test]
    fn the_picture_comes_back_from_its_chunks() {
        // Noise: it does not compress, so there are several chunks.
        let noise = |x: u32, y: u32| (x.wrapping_mul(2_654_435_761) ^ y.wrapping_mul(40_503)) as u8;
        let picture = RgbaImage::from_fn(70, 50, |x, y| {
            Rgba([noise(x, y), noise(y, x), noise(x + y, y), 255])
        });
        let (keys, back) = read(&show(&picture, 7, (9, 4)).unwrap());
        assert_eq!(back, picture);
        assert_eq!(keys, "a=T,f=100,t=d,i=7,p=1,q=2,C=1,c=9,r=4,m=1");
        assert_eq!(remove(7), b"\x1b_Ga=d,d=I,i=7,q=2\x1b\\");
    }

    #[test]
    fn a_small_one_is_one_chunk() {
        let picture = RgbaImage::from_pixel(2, 2, Rgba([1, 2, 3, 255]));
        let (keys, back) = read(&send_virtual(&picture, 9, (1, 1)).unwrap().concat());
        assert_eq!((keys.ends_with("m=0"), back), (true, picture));
    }
}
