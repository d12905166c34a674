//! A look: the source and the windows, asked together, as the screen that a dump would be.

use std::sync::{Mutex, MutexGuard, PoisonError};
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

/// What is in front, kept as long as the same windows of apps are shown: a window belongs to one activity.
#[derive(Default)]
pub(super) struct Front(Mutex<Option<KnownFront>>);

struct KnownFront {
    /// Ids of the apps' windows, and whether each has the focus.
    windows: Vec<(i32, bool)>,
    component: (String, String),
}

impl Front {
    /// What is in front of `windows`; asked only where that is not known.
    async fn known(
        &self,
        windows: &[Window],
        ask: impl Future<Output = Option<(String, String)>>,
    ) -> Option<(String, String)> {
        let apps = windows.iter().filter(|window| window.kind == "APPLICATION");
        let apps: Vec<(i32, bool)> = apps.map(|window| (window.id, window.focused)).collect();
        let known = self.lock().as_ref().and_then(|known| {
            let same = !apps.is_empty() && known.windows == apps;
            same.then(|| known.component.clone())
        });
        if known.is_some() {
            return known;
        }
        let asked = ask.await?;
        *self.lock() = Some(KnownFront {
            windows: apps,
            component: asked.clone(),
        });
        Some(asked)
    }

    fn lock(&self) -> MutexGuard<'_, Option<KnownFront>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

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
        let error = match look_once(server, device, LookOptions { limit: left, ..options }).await {
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
    options: LookOptions,
) -> Result<Screen, Uia2Error> {
    let limit = options.limit;
    device.counters().dump();
    let begun = Instant::now();
    let requests = server.session.look();
    let answers = server.client.exchange(&requests, limit).await;
    let answers = answers.map_err(|failed| failed.error)?;
    let [source, listed] = answers.as_slice() else {
        return Err(Uia2Error::Cut);
    };
    let source: String = wire::value(source)?;
    let windows = wire::windows(listed)?;
    let left = limit.saturating_sub(begun.elapsed());
    // Who does not need it gets what is known already.
    let asking = async {
        if options.surroundings {
            ask_front(device, left).await
        } else {
            None
        }
    };
    let foreground = server.front.known(&windows, asking).await;
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
async fn ask_front(device: &dyn Device, limit: Duration) -> Option<(String, String)> {
    let script = Script::raw(windows::RESUMED_ACTIVITY, "dumpsys activity");
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
    Some(physical.turned(rotation))
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
