//! Converts what the UiAutomator2 server reports into a screen, for the driver uia2 and, through Appium, for
//! the driver webdriver, so that both give the same screen.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::windows::{self, Answers};
use crate::{Device, Script};
use runner_screen::{
    Display, DisplayContext, Front, PartialScreen, Rect, Screen, ScreenError, Window,
};

/// Largest part of the display that a bar at an edge may take, as a divisor. Chosen: bars take far less; a
/// window that takes more is a panel or the shade.
const BAR_PART: u32 = 4;

/// Returns the settings of the server's session: no waits for a quiet screen, all windows, 500 levels of
/// elements, uncut bounds, and no wake lock.
pub fn settings() -> Value {
    json!({ "settings": {
        // The default is ten seconds, which every look of a restless screen would take.
        "waitForIdleTimeout": 0,
        "waitForSelectorTimeout": 0,
        "actionAcknowledgmentTimeout": 0,
        "enableMultiWindows": true,
        // By default a loose cable would end the server.
        "shutdownOnPowerDisconnect": false,
        // The default of 70 cuts deep screens.
        "snapshotMaxDepth": 500,
        // By default bounds are cut at a scrolling ancestor, unlike those of a dump.
        "simpleBoundsCalculation": true,
        // By default the screen is kept on for a day.
        "wakeLockTimeout": 0,
    }})
}

/// Window as the server reports it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WindowModel {
    window_id: Option<i32>,
    #[serde(default)]
    display_id: i32,
    #[serde(default)]
    rect: RectModel,
    #[serde(default, rename = "type")]
    kind: i32,
    title: Option<String>,
    #[serde(default)]
    layer: i32,
    #[serde(default)]
    is_focused: bool,
}

#[derive(Deserialize, Default)]
struct RectModel {
    x: i32,
    y: i32,
    width: i32,
    height: i32,
}

/// Converts the windows of the main display (id 0), in the device's order. A window without an id is left
/// out. One without a title is called `unknown`; package is empty and activity is `None`, as the server does
/// not report them.
pub fn windows(models: Vec<WindowModel>) -> Vec<Window> {
    let models = models.into_iter().filter(|model| model.display_id == 0);
    models
        .filter_map(|model| {
            let RectModel {
                x,
                y,
                width,
                height,
            } = model.rect;
            Some(Window {
                id: model.window_id?,
                kind: kind(model.kind).to_owned(),
                package: String::new(),
                title: model
                    .title
                    .filter(|title| !title.trim().is_empty())
                    .unwrap_or_else(|| "unknown".to_owned()),
                activity: None,
                layer: model.layer,
                focused: model.is_focused,
                bounds: Rect::new(x, y, x.saturating_add(width), y.saturating_add(height)),
            })
        })
        .collect()
}

/// Names a type of window (`AccessibilityWindowInfo.TYPE_…`). All other numbers, also unknown ones, are
/// `SYSTEM`.
fn kind(number: i32) -> &'static str {
    match number {
        1 => "APPLICATION",
        2 => "INPUT_METHOD",
        4 => "ACCESSIBILITY_OVERLAY",
        5 => "SPLIT_SCREEN_DIVIDER",
        6 => "MAGNIFICATION_OVERLAY",
        _ => "SYSTEM",
    }
}

/// Cache of the app in front. It is valid as long as the apps' windows stay the same, as a window belongs to
/// one activity.
#[derive(Default)]
pub struct FrontCache(Mutex<Option<KnownFront>>);

struct KnownFront {
    /// Ids of the apps' windows, each with whether it has the focus.
    windows: Vec<(i32, bool)>,
    component: (String, String),
}

impl FrontCache {
    /// Returns the cached answer for these windows, or asks. The answer counts for as long as the ids and the
    /// focus of the windows of apps are the same; other windows do not matter, and without any app's window
    /// it always asks. Only a known activity is stored.
    pub async fn known(
        &self,
        windows: &[Window],
        ask: impl Future<Output = FrontAnswer>,
    ) -> FrontAnswer {
        let apps = windows.iter().filter(|window| window.kind == "APPLICATION");
        let apps: Vec<(i32, bool)> = apps.map(|window| (window.id, window.focused)).collect();
        let known = self.lock().as_ref().and_then(|known| {
            let same = !apps.is_empty() && known.windows == apps;
            same.then(|| known.component.clone())
        });
        if let Some((package, activity)) = known {
            return FrontAnswer::Activity(package, activity);
        }
        let answer = ask.await;
        if let FrontAnswer::Activity(package, activity) = &answer {
            *self.lock() = Some(KnownFront {
                windows: apps,
                component: (package.clone(), activity.clone()),
            });
        }
        answer
    }

    /// Empties the cache if a screen lacks the elements of the app in front or of the focused window, as
    /// another app may show a window with the same id. Does nothing for other screens.
    pub fn check(&self, screen: &Screen) {
        if let Err(PartialScreen::FrontMissing { .. } | PartialScreen::FocusMissing { .. }) =
            screen.as_whole()
        {
            *self.lock() = None;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<KnownFront>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Answer to the question for the app in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FrontAnswer {
    /// Package and activity.
    Activity(String, String),
    /// The question was not asked or not answered.
    Unknown,
    /// The server refuses the question.
    Unavailable,
}

impl FrontAnswer {
    /// Converts package and activity; `None` becomes [`Self::Unknown`].
    pub fn from_activity(answer: Option<(String, String)>) -> Self {
        answer.map_or(Self::Unknown, |(package, activity)| {
            Self::Activity(package, activity)
        })
    }
}

/// Asks the shell for package and activity in front, as the server does not know the activity. A failure
/// gives [`FrontAnswer::Unknown`].
pub async fn ask_front(device: &dyn Device, limit: Duration) -> FrontAnswer {
    FrontAnswer::from_activity(ask_activity(device, limit).await)
}

/// Asks the shell for the resumed activity. `None` if it does not answer within `limit`, or names none.
async fn ask_activity(device: &dyn Device, limit: Duration) -> Option<(String, String)> {
    let script = Script::raw(windows::RESUMED_ACTIVITY, "dumpsys activity");
    device.counters().mark_read_only();
    let output = device.shell(&script, limit).await.ok()?;
    windows::foreground(&Answers {
        activities: &output.text(),
        ..Answers::default()
    })
}

/// Parses a source into a screen. `physical` is the display of `wm size`, which does not turn; the rotation
/// is that of the source. Touchable regions are not known.
///
/// # Errors
/// Returns a [`ScreenError`] if the source is empty, names a window that `windows` lacks, or is malformed.
pub fn screen(
    source: &str,
    windows: &[Window],
    front: FrontAnswer,
    physical: Display,
) -> Result<Screen, ScreenError> {
    let display = rotate(physical, source);
    let (front, foreground) = match front {
        FrontAnswer::Activity(package, activity) => {
            (Front::Resumed(package.clone()), Some((package, activity)))
        }
        FrontAnswer::Unknown => (Front::Unknown, None),
        FrontAnswer::Unavailable => (Front::Unavailable, None),
    };
    let surroundings = DisplayContext {
        bars: display.map_or_else(Vec::new, |display| bars(windows, display)),
        // The server's list of windows has no touchable regions.
        layers: Vec::new(),
        display,
        foreground,
        front,
        windows: Vec::new(),
        // A window of the input method says so.
        keyboard_shown: false,
        lacks_windows: false,
    };
    Screen::parse_uia2(source, windows, &surroundings)
}

/// Parses the device's time in microseconds, which the source of a virtual device contains in its root.
/// `None` for other devices.
pub fn time(source: &str) -> Option<Duration> {
    let (_, rest) = root(source)?.split_once("runner-clock=\"")?;
    let (micros, _) = rest.split_once('"')?;
    micros.parse().ok().map(Duration::from_micros)
}

/// Returns the first tag `<hierarchy …`, without its `>`; `None` if there is none.
fn root(source: &str) -> Option<&str> {
    let root = source.find("<hierarchy").map(|at| &source[at..])?;
    Some(&root[..root.find('>').unwrap_or(root.len())])
}

/// Turns the display of `wm size` to the rotation in the source's root. The source's own size lacks the bars
/// on some devices. A root without a rotation from 0 to 3 is upright. `None` if the display has no area or the
/// source has no root.
fn rotate(physical: Display, source: &str) -> Option<Display> {
    if physical.bounds().is_empty() {
        return None;
    }
    let rotation = root(source)?
        .split_once("rotation=\"")
        .and_then(|(_, rest)| rest.bytes().next())
        .map_or(0, quarter_turns);
    Some(physical.turned(rotation))
}

/// Returns the quarter turns that the digit of a dump's `rotation` means; 0 for anything but 0 to 3.
pub(crate) fn quarter_turns(digit: u8) -> u8 {
    let turns = digit.wrapping_sub(b'0');
    if turns < 4 { turns } else { 0 }
}

/// Returns the bounds of the status bar and the navigation bar: windows of the system that fill an edge of
/// the display from corner to corner and take at most a quarter of it. A larger one, such as an open
/// notification shade, is none.
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
