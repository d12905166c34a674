//! Parses `dumpsys window` and `dumpsys activity` for what a dump lacks: windows, the app in front, display,
//! keyboard.
//!
//! It does no I/O and is lenient: every release prints these a little differently, and missing parts are left
//! out.

use runner_screen::{Display, Front, Rect, Window, WindowLayer};

/// Command for [`Answers::activities`]. The lines do not name their display, but its heading does; virtual
/// displays may stand first.
pub(crate) const RESUMED_ACTIVITY: &str =
    "dumpsys activity activities 2>&1 | grep -E 'ResumedActivity|^Display #'";

/// Outputs of the device.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Answers<'a> {
    pub(crate) displays: &'a str,
    pub(crate) windows: &'a str,
    /// `dumpsys activity activities`, at least its lines with `ResumedActivity`.
    pub(crate) activities: &'a str,
    /// `dumpsys input_method`, at least its line with `mInputShown`.
    pub(crate) input_method: &'a str,
}

/// Returns the visible windows of the main display, front to back. Their ids are not known here and are 0.
/// Only an app's window with the focus has an activity. Empty if the windows are not known.
pub(crate) fn windows(answers: &Answers<'_>) -> Vec<Window> {
    let focus = focused_window(answers);
    let foreground = foreground(answers);
    blocks(answers.windows)
        .into_iter()
        .filter(|block| block.display() == 0 && block.is_visible())
        .map(|block| {
            let kind = block.kind();
            let focused = focus.is_some_and(|token| token == block.token);
            // The device names only one activity, the one in front.
            let activity = foreground
                .as_ref()
                .filter(|_| focused && kind == "APPLICATION")
                .map(|(_, activity)| activity.clone());
            Window {
                id: 0,
                kind: kind.to_owned(),
                package: block.package().to_owned(),
                title: block.title.to_owned(),
                activity,
                layer: block.layer(),
                focused,
                bounds: block.bounds(),
            }
        })
        .collect()
}

/// Identity of a window of an activity or a dialog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppWindow {
    /// Hexadecimal identity, which stays as long as the window is open. Empty if it is not known.
    pub token: String,
    pub title: String,
}

/// Returns the top visible window of an activity or a dialog on the main display. Panels and popups, such as a menu of
/// selected text, belong to another window and are passed over. `None` if there is none or the windows are not known.
pub(crate) fn top_app_window(answers: &Answers<'_>) -> Option<AppWindow> {
    let top = blocks(answers.windows)
        .into_iter()
        .find(|block| block.display() == 0 && block.is_app() && block.is_visible())?;
    Some(AppWindow {
        token: top.token.to_owned(),
        title: top.title.to_owned(),
    })
}

/// Returns the visible windows of the main display with the areas in which they take touches, front to back.
/// The area is `None` if the window does not report it.
pub(crate) fn layers(answers: &Answers<'_>) -> Vec<WindowLayer> {
    let focus = focused_window(answers);
    blocks(answers.windows)
        .into_iter()
        .filter(|block| block.display() == 0 && block.is_visible())
        .map(|block| WindowLayer {
            title: block.title.to_owned(),
            package: block.package().to_owned(),
            kind: block.kind().to_owned(),
            focused: focus.is_some_and(|token| token == block.token),
            frame: block.bounds(),
            region: touchable::region(block.body, block.bounds()),
        })
        .collect()
}

/// Returns the bounds of the status bar, the navigation bar and the taskbar, as far as they are shown on the main
/// display. One that covers more than a quarter of the screen is left out: a taskbar that was pulled up is a list
/// of apps. If the screen's size is not known, none is left out.
pub(crate) fn bars(answers: &Answers<'_>) -> Vec<Rect> {
    let area = |bounds: &Rect| i64::from(bounds.width()) * i64::from(bounds.height());
    let screen = display(answers).map_or(i64::MAX, |display| area(&display.bounds()));
    blocks(answers.windows)
        .into_iter()
        .filter(|block| block.display() == 0 && block.is_bar() && block.is_visible())
        .map(|block| block.bounds())
        // A taskbar that was pulled up is a list of apps, drawn over the app.
        .filter(|bounds| !bounds.is_empty() && area(bounds) <= screen / 4)
        .collect()
}

/// Returns true if a keyboard is shown on the main display. If the list has any window of an input method, the
/// visibility of these decides; else the input method's `mInputShown=true` does.
pub(crate) fn keyboard_shown(answers: &Answers<'_>) -> bool {
    let blocks = blocks(answers.windows);
    let mut keyboards = blocks
        .iter()
        .filter(|block| block.kind() == "INPUT_METHOD")
        .peekable();
    if keyboards.peek().is_some() {
        return keyboards.any(|block| block.display() == 0 && block.is_visible());
    }
    value(answers.input_method, "mInputShown=") == Some("true")
}

/// Returns package and activity in front; the activity without its package (`.Main`). The window with the
/// focus decides, then the resumed activity, then the last app with the focus. `None` if none of them names a
/// component.
///
/// Assumes that the window with the focus has its component as title, or no title with a slash, such as the
/// shade (the recordings `dumpsys_window--JeffLIrion__python-androidtv__*` have a system's window before an
/// app), and that an activity stands in `ActivityRecord{… PACKAGE/ACTIVITY …}` (AOSP
/// `WindowManagerService.java`, `ActivityRecord.java`).
pub(crate) fn foreground(answers: &Answers<'_>) -> Option<(String, String)> {
    let focus = focused_component(answers);
    // The notification shade may have the focus, and its window names no activity.
    let resumed = || {
        [
            "topResumedActivity=",
            "mTopResumedActivity=",
            "mResumedActivity:",
            "ResumedActivity:",
        ]
        .iter()
        .find_map(|key| {
            lines_of_main_display(answers.activities, key)
                .into_iter()
                .find_map(component)
        })
    };
    let focused_app = || {
        lines_of_main_display(answers.displays, "mFocusedApp=")
            .into_iter()
            .chain(lines_of_main_display(answers.windows, "mFocusedApp="))
            .filter_map(component)
            .next_back()
    };
    focus.or_else(resumed).or_else(focused_app)
}

/// Returns true if the window with the focus names the activity that it shows.
pub(crate) fn focus_names_activity(answers: &Answers<'_>) -> bool {
    focused_component(answers).is_some()
}

/// Returns package and activity of the window with the focus, of the main display if it is told. Windows that are
/// not an activity's are passed over; `None` if no other has the focus.
fn focused_component(answers: &Answers<'_>) -> Option<(String, String)> {
    lines_of_main_display(answers.displays, "mCurrentFocus=")
        .into_iter()
        .chain(lines_of_main_display(answers.windows, "mCurrentFocus="))
        .find_map(component)
}

/// Returns the app that a complete look must show: [`Front::Focused`] by the window with the focus, else
/// [`Front::Resumed`] by the app in front, else [`Front::Unknown`].
///
/// The window with the focus tells it by its activity, else by its owner, as for the notification shade and a
/// popup. A dialog of the system itself (an app does not respond) is passed over, as it lies over an app that
/// stays in front.
pub(crate) fn front(answers: &Answers<'_>) -> Front {
    /// Package that owns the system's own dialogs.
    const SYSTEM: &str = "android";
    if let Some((package, _)) = focused_component(answers) {
        return Front::Focused(package);
    }
    let focus = focused_window(answers);
    let owner = blocks(answers.windows)
        .into_iter()
        .find(|block| Some(block.token) == focus)
        .map(|block| block.package())
        .filter(|owner| !owner.is_empty() && *owner != SYSTEM);
    if let Some(owner) = owner {
        return Front::Focused(owner.to_owned());
    }
    match foreground(answers) {
        Some((package, _)) => Front::Resumed(package),
        None => Front::Unknown,
    }
}

/// Returns the main display with its present rotation and size (`cur=`). The density is 0 if it is not
/// reported, and an unknown rotation is 0. `None` if the device reports no size.
///
/// Assumes `init=WxH …dpi … cur=WxH` in one line (AOSP `DisplayContent.java`, `dump`).
pub(crate) fn display(answers: &Answers<'_>) -> Option<Display> {
    let text = main_display(answers.displays);
    let line = text
        .lines()
        .find(|line| line.contains("init=") && line.contains("cur="))?;
    let (width, height) = value(line, "cur=")?.split_once('x')?;
    let dpi = |key: &str| {
        let rest = after(line, key)?;
        rest.split_whitespace()
            .nth(1)?
            .strip_suffix("dpi")?
            .parse()
            .ok()
    };
    Some(Display {
        width: width.parse().ok()?,
        height: height.parse().ok()?,
        density: dpi("base=").or_else(|| dpi("init=")).unwrap_or(0),
        rotation: rotation(text)
            .or_else(|| rotation(answers.windows))
            .unwrap_or(0),
    })
}

/// Parses the quarter turns in `mCurrentRotation=ROTATION_90` or `mRotation=1`; the first of them that holds
/// a known value counts. `None` if neither does.
fn rotation(text: &str) -> Option<u8> {
    ["mCurrentRotation=", "mRotation="].iter().find_map(|key| {
        let word = value(text, key)?.trim_end_matches([',', '}']);
        match word.strip_prefix("ROTATION_").unwrap_or(word) {
            "0" => Some(0),
            "1" | "90" => Some(1),
            "2" | "180" => Some(2),
            "3" | "270" => Some(3),
            _ => None,
        }
    })
}

/// Returns the part about display 0 of `dumpsys window displays`, or of [`RESUMED_ACTIVITY`]'s output; all of
/// it if it is not split by display.
fn main_display(text: &str) -> &str {
    ["Display: mDisplayId=", "Display #"]
        .iter()
        .find_map(|heading| {
            let mut starts: Vec<usize> = text.match_indices(heading).map(|(at, _)| at).collect();
            starts.push(text.len());
            starts
                .windows(2)
                .map(|range| &text[range[0]..range[1]])
                .find(|part| {
                    part[heading.len()..]
                        .strip_prefix('0')
                        .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit()))
                })
        })
        .unwrap_or(text)
}

/// Returns the rests of the lines after `key`, in order: only those of the main display if there are any,
/// else those of all displays.
fn lines_of_main_display<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    let find = |text: &'a str| -> Vec<&'a str> {
        text.lines().filter_map(|line| after(line, key)).collect()
    };
    let of_main = find(main_display(text));
    if of_main.is_empty() {
        find(text)
    } else {
        of_main
    }
}

/// Returns the token (hexadecimal identity) of the window with the input focus on the main display; `None` if
/// none has it or it is not reported.
fn focused_window<'a>(answers: &Answers<'a>) -> Option<&'a str> {
    lines_of_main_display(answers.displays, "mCurrentFocus=")
        .into_iter()
        .chain(lines_of_main_display(answers.windows, "mCurrentFocus="))
        .find_map(|line| line.strip_prefix("Window{")?.split_whitespace().next())
}

/// Parses the first component in `ActivityRecord{2a37d19 u0 com.example/.Main t12}` and similar texts into
/// package and activity. An activity that begins with the package is shortened to `.Main`. `None` if no word
/// has a slash in it, other than at its begin.
fn component(text: &str) -> Option<(String, String)> {
    let word = text
        .split([' ', '{', '}'])
        .find(|word| word.contains('/') && !word.starts_with('/'))?;
    let (package, activity) = word.split_once('/')?;
    let short = activity
        .strip_prefix(package)
        .filter(|rest| rest.starts_with('.'))
        .unwrap_or(activity);
    Some((package.to_owned(), short.to_owned()))
}

/// One `Window #N Window{token u0 Title}:` with the lines below it.
#[derive(Debug)]
struct Block<'a> {
    token: &'a str,
    title: &'a str,
    body: &'a str,
}

/// Splits `dumpsys window windows` into windows, in their order. A part whose head cannot be parsed is left
/// out.
///
/// Assumes that each begins with `Window #N Window{TOKEN USER TITLE}` (AOSP `WindowState.java`, `dump`;
/// recordings `dumpsys_window--catapult-project__catapult__*`).
fn blocks(text: &str) -> Vec<Block<'_>> {
    const HEAD: &str = "Window #";
    let mut starts: Vec<usize> = text
        .match_indices(HEAD)
        .map(|(at, _)| at)
        .filter(|at| text[..*at].ends_with([' ', '\n']) || *at == 0)
        .collect();
    starts.push(text.len());
    starts
        .windows(2)
        .filter_map(|range| block(&text[range[0]..range[1]]))
        .collect()
}

/// Parses a window of `dumpsys window windows` into its identity, title and text. The user's id and states behind
/// the title are left out. `None` without a `Window{`.
fn block(text: &str) -> Option<Block<'_>> {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let inside = after(head, "Window{")?;
    let inside = &inside[..inside.rfind('}').unwrap_or(inside.len())];
    let (token, title) = inside.split_once(' ').unwrap_or((inside, ""));
    let title = match title.split_once(' ') {
        Some((user, rest)) if is_user(user) => rest,
        None if is_user(title) => "",
        _ => title,
    };
    let title = title
        .trim_end_matches(" EXITING")
        .trim_end_matches(" paused=false")
        .trim_end_matches(" paused=true");
    // The text after the last window belongs to none.
    let body = rest.find("\n\n").map_or(rest, |end| &rest[..end]);
    Some(Block { token, title, body })
}

/// Returns true for `u0`, `u10` and the like.
fn is_user(word: &str) -> bool {
    word.strip_prefix('u')
        .is_some_and(|number| !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()))
}

impl<'a> Block<'a> {
    fn display(&self) -> i32 {
        value(self.body, "mDisplayId=")
            .and_then(|id| id.parse().ok())
            .unwrap_or(0)
    }

    /// Returns the window's package, else the one in its title. Empty if neither has one.
    fn package(&self) -> &'a str {
        value(self.body, "package=").unwrap_or_else(|| {
            self.title
                .split_once('/')
                .map_or("", |(package, _)| package)
        })
    }

    fn layer(&self) -> i32 {
        value(self.body, "mBaseLayer=")
            .and_then(|layer| layer.parse().ok())
            .unwrap_or(0)
    }

    /// Returns true if the window says that it is visible. Older releases do not say it; there its view must be
    /// visible and its surface, if told, shown.
    fn is_visible(&self) -> bool {
        if let Some(visible) = value(self.body, "isVisible=") {
            return visible == "true";
        }
        value(self.body, "mViewVisibility=") == Some("0x0")
            && value(self.body, "Surface: shown=").is_none_or(|display| display == "true")
            && value(self.body, "mHasSurface=").is_none_or(|surface| surface == "true")
    }

    /// Parses `frame=[0,0][1080,66]`, or `mFrame=` of older releases, which is looked for first. Empty bounds
    /// if there is none.
    fn bounds(&self) -> Rect {
        ["mFrame=", " frame=", "Frame="]
            .iter()
            .find_map(|key| rect(after(self.body, key)?))
            .unwrap_or_default()
    }

    /// Returns the type in the layout (` ty=`): a name, or a number on older releases. Empty if it is
    /// missing.
    fn layout_type(&self) -> &'a str {
        after(self.body, " ty=")
            .and_then(|rest| {
                rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .next()
            })
            .unwrap_or("")
    }

    /// Returns true for the status bar, the navigation bar, and the taskbar of a large screen, which is a
    /// panel of the navigation bar (openatx/uiautomator2#816).
    fn is_bar(&self) -> bool {
        match self.layout_type() {
            "STATUS_BAR" | "2000" | "NAVIGATION_BAR" | "2019" => true,
            "NAVIGATION_BAR_PANEL" | "2024" => self.title.starts_with("Taskbar"),
            _ => false,
        }
    }

    /// Returns true for the window of an activity or a dialog that names its component. Splash screens, panels and
    /// popups are none.
    fn is_app(&self) -> bool {
        let is_own = matches!(
            self.layout_type(),
            "BASE_APPLICATION" | "1" | "APPLICATION" | "2" | "DRAWN_APPLICATION" | "4"
        );
        is_own && self.title.contains('/')
    }

    /// Converts the layout's type to the types of accessibility windows. Unknown names, and numbers from 2000
    /// on, are `SYSTEM`.
    fn kind(&self) -> &'static str {
        match self.layout_type() {
            "INPUT_METHOD" | "INPUT_METHOD_DIALOG" | "2011" | "2012" => "INPUT_METHOD",
            "ACCESSIBILITY_OVERLAY" | "2032" => "ACCESSIBILITY_OVERLAY",
            "DOCK_DIVIDER" | "2034" => "SPLIT_SCREEN_DIVIDER",
            "MAGNIFICATION_OVERLAY" | "ACCESSIBILITY_MAGNIFICATION_OVERLAY" | "2027" | "2039" => {
                "MAGNIFICATION_OVERLAY"
            }
            "APPLICATION"
            | "BASE_APPLICATION"
            | "DRAWN_APPLICATION"
            | "APPLICATION_STARTING"
            | "APPLICATION_PANEL"
            | "APPLICATION_SUB_PANEL"
            | "APPLICATION_ATTACHED_DIALOG"
            | "APPLICATION_MEDIA"
            | "APPLICATION_ABOVE_SUB_PANEL" => "APPLICATION",
            number if number.parse::<u32>().is_ok_and(|number| number < 2000) => "APPLICATION",
            _ => "SYSTEM",
        }
    }
}

/// Parses `[0,1264][1080,1920]` (left, top, right, bottom); text behind it is ignored. `None` for another
/// form.
fn rect(text: &str) -> Option<Rect> {
    let text = text.strip_prefix('[')?;
    let (first, rest) = text.split_once("][")?;
    let (second, _) = rest.split_once(']')?;
    let pair = |text: &str| -> Option<(i32, i32)> {
        let (x, y) = text.split_once(',')?;
        Some((x.trim().parse().ok()?, y.trim().parse().ok()?))
    };
    let ((left, top), (right, bottom)) = (pair(first)?, pair(second)?);
    Some(Rect::new(left, top, right, bottom))
}

mod touchable;
mod words;

use words::{after, value};

#[cfg(test)]
mod tests;
