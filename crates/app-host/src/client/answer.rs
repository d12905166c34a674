//! Parses answers of a host.

use std::sync::Arc;

use runner_virtual_device::Frame as Pixels;
use runner_virtual_device::app_host::{HostFrame, HostReply};
use serde::Deserialize;

use super::Frame;
use crate::process::HostError;

/// Header of an answer, with the id of its request.
#[derive(Deserialize)]
struct Header {
    id: u64,
    #[serde(flatten)]
    reply: HostReply,
}

/// Window that was drawn: its size, and where its pixels are in the payload.
#[derive(Deserialize)]
struct DrawnWindow {
    id: i32,
    width: u32,
    height: u32,
    #[serde(default)]
    offset: u64,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DrawnWindows {
    windows: Vec<DrawnWindow>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct DrawingHeader {
    ok: DrawnWindows,
}

/// Parses a frame into the request's id and its reply. The pixels in the payload become the reply's pictures, one
/// for each drawn window, and the answer loses its field `windows`. A frame without payload has no pictures. Fails
/// if the header is not the expected JSON, or the payload has too few pixels for a window.
pub(super) fn read(frame: &Frame) -> Result<(u64, HostReply), HostError> {
    let wrong =
        |error: serde_json::Error| HostError::Protocol(format!("an answer does not read: {error}"));
    // Without a payload no windows were drawn; the header only describes them.
    if frame.payload.is_empty() {
        let Header { id, reply } = serde_json::from_slice(&frame.header).map_err(wrong)?;
        return Ok((id, reply));
    }
    let mut header: serde_json::Value = serde_json::from_slice(&frame.header).map_err(wrong)?;
    let drawing: DrawingHeader = serde_json::from_value(header.clone()).map_err(wrong)?;
    if let Some(answer) = header.get_mut("ok").and_then(|ok| ok.as_object_mut()) {
        answer.remove("windows");
    }
    let Header { id, mut reply } = serde_json::from_value(header).map_err(wrong)?;
    for window in drawing.ok.windows {
        let picture = window.pixels(&frame.payload).ok_or_else(|| {
            HostError::Protocol(format!(
                "window {} has fewer pixels than it says",
                window.id
            ))
        })?;
        reply.pictures.push(HostFrame {
            window: window.id,
            picture: Arc::new(picture),
        });
    }
    Ok((id, reply))
}

impl DrawnWindow {
    /// Copies the window's pixels from the payload, 4 bytes each, from `offset`. `None` if the payload ends before the
    /// last one.
    fn pixels(&self, payload: &[u8]) -> Option<Pixels> {
        let pixels = u64::from(self.width) * u64::from(self.height);
        let length = usize::try_from(pixels.checked_mul(4)?).ok()?;
        let begin = usize::try_from(self.offset).ok()?;
        let bytes = payload.get(begin..begin.checked_add(length)?)?;
        let mut memory = Pixels::memory(length);
        memory.clear();
        memory.extend_from_slice(bytes);
        let picture = image::RgbaImage::from_raw(self.width, self.height, memory)?;
        Some(Pixels::from(picture))
    }
}
