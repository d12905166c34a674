//! The service `framebuffer:`: the screen's pixels behind a header, as adbd makes it from the output of
//! `screencap`.

use std::sync::Arc;

use super::stream::{StreamClosedError, StreamWriter};
use crate::Fault;
use crate::state::DeviceState;

/// Version of the header. Version 2, of Android 9, adds the colour space.
const VERSION: u32 = 2;
/// Android's number for sRGB.
const COLOUR_SPACE: u32 = 1;

/// Sends one picture of the screen and ends the stream. If the screenshot fails by a fault, the stream ends without a
/// byte; if it hangs by a fault, this never returns.
pub(super) async fn run(
    state: Arc<DeviceState>,
    writer: StreamWriter,
) -> Result<(), StreamClosedError> {
    if state.faults.shows(Fault::HungScreenshot) {
        std::future::pending::<()>().await;
    }
    if state.faults.shows(Fault::BadScreenshot) {
        return Ok(());
    }
    // Drawing takes its time.
    let drawn = tokio::task::spawn_blocking(move || picture(&state));
    match drawn.await {
        Ok(bytes) => writer.write(&bytes).await,
        Err(_) => Ok(()),
    }
}

/// Draws the screen, header first. Waits until app hosts have drawn theirs. Faults make the pixels black, or cut header
/// and pixels to their first half.
fn picture(state: &DeviceState) -> Vec<u8> {
    state.draw_hosts();
    let frame = state.phone().draw();
    let (width, height) = frame.dimensions();
    let mut bytes = Vec::with_capacity(56 + frame.as_raw().len());
    bytes.extend(header(width, height));
    if state.faults.shows(Fault::SecureWindow) {
        let black = [0, 0, 0, 255].into_iter().cycle();
        bytes.extend(black.take(frame.as_raw().len()));
    } else {
        bytes.extend_from_slice(frame.as_raw());
    }
    if state.faults.shows(Fault::TruncatedScreenshot) {
        bytes.truncate(bytes.len() / 2);
    }
    bytes
}

/// Formats the header of an RGBA picture, 14 little-endian words: version, bits of a pixel, colour space,
/// size in bytes, width, height, then the offset and length in bits of red, blue, green and alpha.
fn header(width: u32, height: u32) -> impl Iterator<Item = u8> {
    let bits = 32;
    // A display's pixels fit many times.
    let size = width.saturating_mul(height).saturating_mul(bits / 8);
    let words = [
        VERSION,
        bits,
        COLOUR_SPACE,
        size,
        width,
        height,
        // Red, blue, green, alpha.
        0,
        8,
        16,
        8,
        8,
        8,
        24,
        8,
    ];
    words.into_iter().flat_map(u32::to_le_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_fourteen_words() {
        let bytes: Vec<u8> = header(1080, 2400).collect();
        let word = |at: usize| {
            let at = at * 4;
            u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        assert_eq!(bytes.len(), 56);
        assert_eq!([word(0), word(1), word(2)], [2, 32, 1]);
        assert_eq!([word(3), word(4), word(5)], [1080 * 2400 * 4, 1080, 2400]);
        // Blue comes before green.
        assert_eq!([word(6), word(8), word(10), word(12)], [0, 16, 8, 24]);
    }
}
