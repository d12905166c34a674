//! Prints the screen as rows: as TSV, and as the rows on which goldens, `inspect` and `look` are built.
//!
//! This module decides which nodes are rows and what each column holds. Code that stores or compares rows
//! starts from [`Row`].

use std::borrow::Cow;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Node, NodeIndex, Orientation, Rect, Screen, Window};
use runner_text::secret::Excerpt;

/// Format of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Node ids, and long texts cut: the format of tools.
    #[default]
    Reference,
    /// Row numbers, full texts, a hint column and more flags: the format of goldens.
    Golden,
}

/// Selection of rows and columns. The default is every row with all its columns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RowFilter<'a> {
    /// App to whose windows the rows are limited.
    pub package: Option<&'a str>,
    /// True to leave out what differs between devices: bounds, and `on` or `off`.
    pub shared: bool,
}

/// Node as a profile prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Row<'a> {
    #[serde(skip)]
    pub node: NodeIndex,
    /// Index of its window in [`Screen::windows`].
    #[serde(skip)]
    pub window: usize,
    /// `node_322967b8_w42`, or `n1` in the golden profile.
    pub id: String,
    /// Class after its last dot.
    pub class: Cow<'a, str>,
    pub text: Cow<'a, str>,
    /// Content description.
    pub desc: Cow<'a, str>,
    /// Whole resource id.
    pub res_id: Cow<'a, str>,
    /// Hint; only in the golden profile.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Cow<'a, str>>,
    /// Bounds; not in the shared form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounds: Option<Rect>,
    /// Flags in the order of the legend.
    pub flags: Vec<&'static str>,
}

const NOTES: &str = "note:structural-only nodes are omitted from the tree
note:certain elements are custom and will not be properly reported, if needed or if tools are not working as expected \
set include_screenshot=true to see the screen and take what you see into account
note:flags: on=onscreen off=offscreen clk=clickable lclk=longClickable foc=focusable scr=scrollable edt=editable \
ena=enabled";
const GOLDEN_FLAGS: &str = " chkb=checkable chk=checked sel=selected fcs=focused pwd=password";
const OFFSCREEN_NOTE: &str = "note:offscreen items require scroll_to_element before interaction";
const DEGRADED_NOTE: &str =
    "note:DEGRADED — multi-window API unavailable, showing rootInActiveWindow only";
/// Number of UTF-16 units after which the reference format cuts a text. The value is that of the reference.
const MAX_UTF16_UNITS: usize = 100;

impl Screen {
    /// Prints the whole screen as TSV: notes for agents, a line about the screen, then for each window its
    /// line, the column names and its rows. The last line has no line end.
    pub fn tsv(&self, profile: Profile) -> String {
        let mut out = String::from(NOTES);
        if profile == Profile::Golden {
            out.push_str(GOLDEN_FLAGS);
        }
        out.push('\n');
        out.push_str(OFFSCREEN_NOTE);
        out.push('\n');
        out.push_str(&self.table(profile));
        out
    }

    /// Prints the screen as [`Self::tsv`] does, without the notes for agents. A note remains if the device
    /// did not list its windows.
    pub fn table(&self, profile: Profile) -> String {
        let mut out = String::with_capacity(self.len() * 100 + 1024);
        self.write_head(&mut out);
        let filter = RowFilter::default();
        let mut rows = self.rows_with(profile, &filter).into_iter().peekable();
        for (place, window) in self.windows().iter().enumerate() {
            out.push('\n');
            write_window(window, &mut out);
            out.push('\n');
            out.push_str(header(profile, &filter));
            while let Some(row) = rows.next_if(|row| row.window == place) {
                out.push('\n');
                row.write_line(&mut out);
            }
        }
        out
    }

    /// Returns all rows, windows in the device's order.
    pub fn rows(&self, profile: Profile) -> Vec<Row<'_>> {
        self.rows_with(profile, &RowFilter::default())
    }

    /// Returns the rows that pass `filter`, in document order, windows in the device's order. Nodes off the
    /// screen are rows too; those without words, id and operation are none. Row numbers of goldens count only
    /// these, from 1.
    pub fn rows_with(&self, profile: Profile, filter: &RowFilter<'_>) -> Vec<Row<'_>> {
        let mut rows = Vec::with_capacity(self.len());
        for (place, window) in self.windows().iter().enumerate() {
            if filter
                .package
                .is_some_and(|package| package != window.package)
            {
                continue;
            }
            for node in self.window_nodes(place).filter(|node| is_row(*node)) {
                let number = rows.len() + 1;
                rows.push(row(node, place, number, profile, filter));
            }
        }
        rows
    }

    /// Returns the contents of the TSV as JSON, with columns as fields, without the notes, and also `degraded`,
    /// `keyboard_shown` and `foreground` (null if it is not known). Windows and rows are in the order of the TSV.
    pub fn to_json(&self, profile: Profile) -> serde_json::Value {
        let mut rows = self.rows(profile).into_iter().peekable();
        let mut windows = Vec::new();
        for (place, window) in self.windows().iter().enumerate() {
            let mut own = Vec::new();
            while let Some(row) = rows.next_if(|row| row.window == place) {
                own.push(row);
            }
            windows.push(serde_json::json!({
                "id": window.id,
                "type": window.kind,
                "package": window.package,
                "title": window.title,
                "activity": window.activity,
                "layer": window.layer,
                "focused": window.focused,
                "bounds": window.bounds,
                "rows": own,
            }));
        }
        let display = self.display();
        let foreground = self.foreground().map(
            |(package, activity)| serde_json::json!({ "package": package, "activity": activity }),
        );
        serde_json::json!({
            "screen": {
                "width": display.width,
                "height": display.height,
                "density": display.density,
                "orientation": orientation(display.orientation()),
                "rotation": display.rotation,
            },
            "degraded": self.is_degraded(),
            "keyboard_shown": self.keyboard_shown(),
            "foreground": foreground,
            "windows": windows,
        })
    }

    /// Writes the line about the display, below a note if the device did not list its windows. No line end
    /// follows.
    fn write_head(&self, out: &mut String) {
        if self.is_degraded() {
            out.push_str(DEGRADED_NOTE);
            out.push('\n');
        }
        let display = self.display();
        let _ = write!(
            out,
            "screen:{}x{} density:{} orientation:{}",
            display.width,
            display.height,
            display.density,
            orientation(display.orientation())
        );
    }
}

impl Row<'_> {
    /// Returns the row's cells in the order of [`header`], `-` for an empty one: id, class, text,
    /// description, resource id, hint, bounds, flags. Columns that the filter or the profile leaves out are
    /// missing.
    pub fn cells(&self) -> Vec<Cow<'_, str>> {
        let mut cells = vec![
            Cow::Borrowed(self.id.as_str()),
            or_dash(&self.class),
            or_dash(&self.text),
            or_dash(&self.desc),
            or_dash(&self.res_id),
        ];
        cells.extend(self.hint.as_deref().map(or_dash));
        cells.extend(self.bounds.map(|bounds| Cow::Owned(bounds.to_string())));
        cells.push(match self.flags.as_slice() {
            [] => Cow::Borrowed("-"),
            flags => Cow::Owned(flags.join(",")),
        });
        cells
    }

    /// Returns the row as a line of TSV, without a line end.
    pub fn to_line(&self) -> String {
        let mut line = String::new();
        self.write_line(&mut line);
        line
    }

    /// Writes [`Self::cells`] with tabs between them, without allocating a string for each. No line end
    /// follows.
    fn write_line(&self, out: &mut String) {
        out.push_str(&self.id);
        let texts = [&self.class, &self.text, &self.desc, &self.res_id];
        for cell in texts.into_iter().chain(&self.hint) {
            out.push('\t');
            out.push_str(if cell.is_empty() { "-" } else { cell });
        }
        if let Some(bounds) = self.bounds {
            let _ = write!(out, "\t{bounds}");
        }
        for (place, flag) in self.flags.iter().enumerate() {
            out.push(if place == 0 { '\t' } else { ',' });
            out.push_str(flag);
        }
        if self.flags.is_empty() {
            out.push_str("\t-");
        }
    }
}

/// Returns the line of column names: `id`, `class`, `text`, `desc`, `res_id`, `hint`, `bounds` and `flags`,
/// with tabs between them. Only the golden profile has `hint`, and a `shared` filter leaves out `bounds`. No
/// line end follows.
pub fn header(profile: Profile, filter: &RowFilter<'_>) -> &'static str {
    match (profile, filter.shared) {
        (Profile::Reference, false) => "id\tclass\ttext\tdesc\tres_id\tbounds\tflags",
        (Profile::Reference, true) => "id\tclass\ttext\tdesc\tres_id\tflags",
        (Profile::Golden, false) => "id\tclass\ttext\tdesc\tres_id\thint\tbounds\tflags",
        (Profile::Golden, true) => "id\tclass\ttext\tdesc\tres_id\thint\tflags",
    }
}

/// Formats a value for a column: trimmed, with tabs and line breaks as spaces, `-` if empty. Long values are
/// not cut.
pub fn cell(value: &str) -> Cow<'_, str> {
    match clean(value) {
        Cow::Borrowed("") => Cow::Borrowed("-"),
        Cow::Owned(empty) if empty.is_empty() => Cow::Borrowed("-"),
        cleaned => cleaned,
    }
}

fn or_dash(value: &str) -> Cow<'_, str> {
    Cow::Borrowed(if value.is_empty() { "-" } else { value })
}

/// Replaces tabs and line breaks by spaces, and trims the ends.
fn clean(value: &str) -> Cow<'_, str> {
    let trimmed = value.trim();
    if trimmed.contains(['\t', '\n', '\r']) {
        Cow::Owned(trimmed.replace(['\t', '\n', '\r'], " "))
    } else {
        Cow::Borrowed(trimmed)
    }
}

/// Marks a text to be cut after 100 UTF-16 units and appends `...truncated`. The rest stays in the result until a
/// scrubber cuts it. A surrogate pair at the limit is cut whole. A text of up to 100 units stays as it is.
fn truncate(value: Cow<'_, str>) -> Cow<'_, str> {
    // No text has more UTF-16 units than bytes.
    if value.len() <= MAX_UTF16_UNITS {
        return value;
    }
    let mut units = 0;
    for (at, character) in value.char_indices() {
        units += character.len_utf16();
        if units > MAX_UTF16_UNITS {
            let excerpt = Excerpt::until(&value, at).ending("...truncated");
            return Cow::Owned(excerpt.to_string());
        }
    }
    value
}

/// Returns true if a node is a row: it has words, a hint while it shows it, a description or an id, or it can be
/// clicked, clicked long, scrolled or typed into. Being on the screen does not count.
pub(super) fn is_row(node: Node<'_>) -> bool {
    let flags = node.flags();
    !node.display_text().is_empty()
        || !node.desc().is_empty()
        || !node.resource_id().is_empty()
        || flags.clickable
        || flags.long_clickable
        || flags.scrollable
        || node.is_editable()
}

/// Makes a node's row. Goldens are numbered and keep whole words and hints apart; the other profile marks long words to
/// be cut, and shows the hint as text while the field does. `number` is only the id of a golden's row.
fn row<'a>(
    node: Node<'a>,
    window: usize,
    number: usize,
    profile: Profile,
    filter: &RowFilter<'_>,
) -> Row<'a> {
    let golden = profile == Profile::Golden;
    let words = |value: &'a str| {
        let cleaned = clean(value);
        if golden { cleaned } else { truncate(cleaned) }
    };
    Row {
        node: node.index(),
        window,
        id: if golden {
            format!("n{number}")
        } else {
            node.id()
        },
        class: clean(node.short_class()),
        text: words(if golden {
            node.text()
        } else {
            node.display_text()
        }),
        desc: words(node.desc()),
        res_id: clean(node.resource_id()),
        hint: golden.then(|| clean(node.hint())),
        bounds: (!filter.shared).then(|| node.bounds()),
        flags: flags(node, golden, filter.shared),
    }
}

/// Returns the flags of a row in their fixed order. Being on the screen is left out of shared rows. Only goldens
/// have those from `chkb` on.
fn flags(node: Node<'_>, golden: bool, shared: bool) -> Vec<&'static str> {
    let flags = node.flags();
    let on_screen = node.is_on_in_rows();
    let all = [
        ("on", !shared && on_screen),
        ("off", !shared && !on_screen),
        ("clk", flags.clickable),
        ("lclk", flags.long_clickable),
        ("foc", flags.focusable),
        ("scr", flags.scrollable),
        ("edt", node.is_editable()),
        ("ena", flags.enabled),
        ("chkb", golden && flags.checkable),
        ("chk", golden && flags.checked),
        ("sel", golden && flags.selected),
        ("fcs", golden && flags.focused),
        ("pwd", golden && flags.password),
    ];
    let set = all.into_iter().filter(|(_, is_set)| *is_set);
    set.map(|(name, _)| name).collect()
}

/// Returns the word for the line about the screen and for JSON, in lower case.
fn orientation(orientation: Orientation) -> &'static str {
    match orientation {
        Orientation::Portrait => "portrait",
        Orientation::Landscape => "landscape",
    }
}

/// Writes the line of a window. An empty package is `unknown`. No line end follows.
fn write_window(window: &Window, out: &mut String) {
    let package = match clean(&window.package) {
        Cow::Borrowed("") => Cow::Borrowed("unknown"),
        package => package,
    };
    let _ = write!(
        out,
        "--- window:{} type:{} pkg:{} title:{}",
        window.id,
        clean(&window.kind),
        package,
        clean(&window.title)
    );
    if let Some(activity) = &window.activity {
        let _ = write!(out, " activity:{}", clean(activity));
    }
    let _ = write!(
        out,
        " layer:{} focused:{} ---",
        window.layer, window.focused
    );
}
