//! What a look shows: the app's windows, and the nodes in them.

use serde::Deserialize;

/// Left, top, right and bottom, in pixels of the display.
pub type Bounds = [i32; 4];

/// A window of the app; they come back to front.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are what the protocol says"
)]
pub struct WindowInfo {
    /// Names it in requests.
    pub id: i64,
    /// What it is.
    pub kind: WindowKind,
    /// `LayoutParams.type`.
    #[serde(rename = "type")]
    pub window_type: i64,
    /// Its title.
    pub title: String,
    /// The activity that it belongs to.
    pub component: String,
    /// Where it stands.
    pub frame: Bounds,
    /// `LayoutParams.flags`; Java's numbers have a sign.
    pub flags: i64,
    /// How far what lies below is dimmed, from 0 to 1.
    pub dim: f32,
    /// It may have the focus.
    pub focusable: bool,
    /// It takes touches.
    pub touchable: bool,
    /// It takes touches beside it too.
    pub touch_modal: bool,
    /// It hears of touches beside it.
    pub watch_outside: bool,
    /// It has the focus.
    pub focused: bool,
    /// Pictures must not show it.
    pub secure: bool,
    /// Where it takes touches, where that is not its frame.
    pub touch_region: Vec<Bounds>,
    /// Its nodes.
    pub root: Option<Node>,
}

/// What a window is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WindowKind {
    /// An activity's.
    Activity,
    /// A dialog.
    Dialog,
    /// A popup, such as a menu.
    Popup,
    /// A toast.
    Toast,
    /// Something else.
    #[default]
    #[serde(other)]
    Other,
}

/// A view, or a virtual view of Compose, that can be seen.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "they are what the protocol says"
)]
pub struct Node {
    /// Names it in requests, as long as the view is there.
    pub id: i64,
    /// Its text.
    pub text: String,
    /// Its resource, as `package:id/name`.
    pub res: String,
    /// Its class.
    pub class: String,
    /// Its package.
    pub pkg: String,
    /// Its content description.
    pub desc: String,
    /// What stands in an empty field.
    pub hint: String,
    /// It can be checked.
    pub checkable: bool,
    /// It is checked.
    pub checked: bool,
    /// It can be clicked.
    pub clickable: bool,
    /// It is enabled.
    pub enabled: bool,
    /// It can have the focus.
    pub focusable: bool,
    /// It has the focus.
    pub focused: bool,
    /// It can be scrolled.
    pub scrollable: bool,
    /// It can be clicked for long.
    pub long_clickable: bool,
    /// It hides what is typed.
    pub password: bool,
    /// It is selected.
    pub selected: bool,
    /// It can be typed into.
    pub editable: bool,
    /// It takes several lines.
    pub multiline: bool,
    /// Where it stands.
    pub bounds: Bounds,
    /// Its place among all children.
    pub index: i64,
    /// Its place in the order of drawing.
    pub order: i64,
    /// What a slider stands at.
    pub range: Option<Range>,
    /// What is selected of its text.
    pub selection: Option<[i64; 2]>,
    /// The longest text that it takes.
    pub max_length: i64,
    /// `EditorInfo.inputType`.
    pub input_type: i64,
    /// The nodes in it.
    pub children: Vec<Node>,
}

/// What a slider stands at.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct Range {
    /// Lowest.
    pub min: f32,
    /// Highest.
    pub max: f32,
    /// Now.
    pub now: f32,
}

/// The pixels of a window in the payload of `draw`: RGBA, premultiplied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Pixels {
    /// The window.
    pub id: i64,
    /// Columns.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Where its bytes begin in the payload.
    pub offset: u64,
}

impl Pixels {
    /// Its bytes; none where the payload has not as many.
    pub fn of<'a>(&self, payload: &'a [u8]) -> Option<&'a [u8]> {
        let length = u64::from(self.width)
            .checked_mul(u64::from(self.height))?
            .checked_mul(4)?;
        let end = self.offset.checked_add(length)?;
        payload.get(usize::try_from(self.offset).ok()?..usize::try_from(end).ok()?)
    }
}
