//! A look: the source and the windows, asked together, as the screen that a dump would be.

use std::time::Duration;

use tokio::time::Instant;

use super::error::Uia2Error;
use super::server::Server;
use super::wire;
use crate::device::windows::{self, Answers};
use crate::device::{Device, DeviceError, DumpFailure, LookOptions, Script};
use crate::screen::{Display, DisplayContext, Rect, Screen, ScreenError, Window};

/// Before another look where the screen was in between two.
const PAUSE: Duration = Duration::from_millis(100);
/// Bars are at an edge, and at most this part of the display.
const BAR_PART: u32 = 4;

/// Looks until the answers fit together. A screen without content is no fault of the server's.
pub(super) async fn look(
    server: &Server,
    device: &dyn Device,
    options: LookOptions,
) -> Result<Screen, Uia2Error> {
    let deadline = Instant::now() + options.limit;
    let mut attempt = 1;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let error = match look_once(server, device, left).await {
            Ok(screen) if !screen.is_empty() => return Ok(screen),
            Ok(_) => Uia2Error::Device(DeviceError::NoDump {
                cause: "no window has content yet; the app may still be starting, or the screen may be off".to_owned(),
                kind: DumpFailure::NullRoot,
            }),
            Err(Uia2Error::Screen(error @ ScreenError::UnknownWindow { .. })) => error.into(),
            Err(error) => return Err(error),
        };
        if attempt >= options.attempts || Instant::now() + PAUSE >= deadline {
            return Err(error);
        }
        tokio::time::sleep(PAUSE).await;
        attempt += 1;
    }
}

async fn look_once(
    server: &Server,
    device: &dyn Device,
    limit: Duration,
) -> Result<Screen, Uia2Error> {
    device.counters().dump();
    let requests = server.session.look();
    let (answers, foreground) = tokio::join!(
        server.client.exchange(&requests, limit),
        foreground(device, limit)
    );
    let answers = answers.map_err(|failed| failed.error)?;
    let [source, listed] = answers.as_slice() else {
        return Err(Uia2Error::Cut);
    };
    let source: String = wire::value(source)?;
    let windows = wire::windows(listed)?;
    let display = turned(device.info().display, &source);
    let surroundings = DisplayContext {
        bars: display.map_or_else(Vec::new, |display| bars(&windows, display)),
        display,
        foreground,
        windows: Vec::new(),
        // A window of the input method says so.
        keyboard_shown: false,
    };
    Ok(Screen::parse_uia2(&source, &windows, &surroundings)?)
}

/// Package and activity in front: the server does not know the activity. A look goes on without.
async fn foreground(device: &dyn Device, limit: Duration) -> Option<(String, String)> {
    let script = Script::raw(
        "dumpsys activity activities 2>&1 | grep ResumedActivity",
        "dumpsys activity",
    );
    device.counters().aside();
    let output = device.shell(&script, limit).await.ok()?;
    let activities = output.text();
    windows::foreground(&Answers {
        activities: &activities,
        ..Answers::default()
    })
}

/// The display of `wm size`, turned as the source says: its own size leaves bars out on some devices.
fn turned(physical: Display, source: &str) -> Option<Display> {
    if physical.bounds().is_empty() {
        return None;
    }
    let root = source.find("<hierarchy").map(|at| &source[at..])?;
    let root = &root[..root.find('>').unwrap_or(root.len())];
    let digit = root.split_once("rotation=\"").map_or("0", |(_, rest)| rest);
    let rotation = digit
        .bytes()
        .next()
        .unwrap_or(b'0')
        .wrapping_sub(b'0')
        .min(3);
    let (width, height) = if rotation % 2 == 1 {
        (physical.height, physical.width)
    } else {
        (physical.width, physical.height)
    };
    Some(Display {
        width,
        height,
        rotation,
        ..physical
    })
}

/// Where the status bar and the navigation bar lie: windows of the system along an edge. The shade, when it is open, is
/// none.
fn bars(windows: &[Window], display: Display) -> Vec<Rect> {
    let all = display.bounds();
    let is_bar = |bounds: &Rect| {
        let lies = bounds.width() == all.width() && bounds.height() <= all.height() / BAR_PART;
        let stands = bounds.height() == all.height() && bounds.width() <= all.width() / BAR_PART;
        let at_edge = bounds.left == all.left && bounds.top == all.top
            || bounds.right == all.right && bounds.bottom == all.bottom;
        !bounds.is_empty() && (lies || stands) && at_edge
    };
    windows
        .iter()
        .filter(|window| window.kind == "SYSTEM")
        .map(|window| window.bounds)
        .filter(is_bar)
        .collect()
}
