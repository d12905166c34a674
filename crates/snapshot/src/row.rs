//! Row of a golden: one element as it is compared, independent of the screen it came from.

use runner_screen::Rect;

/// Text in place of masked text.
pub const MASKED: &str = "[masked]";

/// Prefix of the class of a window's head row, whose text is the window's package.
const WINDOW: &str = "window:";

/// Row for an element, or the head of a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Class after the last dot; `window:APPLICATION` for the head of a window.
    pub class: String,
    /// Text, empty where there is none.
    pub text: String,
    /// Content description.
    pub desc: String,
    pub res_id: String,
    pub hint: String,
    /// Flags without `on` and `off`, joined by commas.
    pub flags: String,
    /// True if it is on the screen; only class files have this.
    pub on: Option<bool>,
    /// Bounds; only class files have them.
    pub bounds: Option<Rect>,
}

impl Row {
    /// Converts a row of a screen in the profile of goldens. Visibility moves from the flags to `on`, which
    /// is true only with the flag `on`. A missing hint is an empty one.
    pub fn from_screen(row: &runner_screen::Row<'_>) -> Self {
        let flags = row
            .flags
            .iter()
            .filter(|flag| !matches!(**flag, "on" | "off"));
        Self {
            class: row.class.clone().into_owned(),
            text: row.text.clone().into_owned(),
            desc: row.desc.clone().into_owned(),
            res_id: row.res_id.clone().into_owned(),
            hint: row.hint.clone().unwrap_or_default().into_owned(),
            flags: flags.copied().collect::<Vec<_>>().join(","),
            on: Some(row.flags.contains(&"on")),
            bounds: row.bounds,
        }
    }

    /// Creates the head row of a window, whose class holds the kind and whose text is the package. All else is empty.
    pub fn window(kind: &str, package: &str) -> Self {
        Self {
            class: format!("{WINDOW}{kind}"),
            text: package.to_owned(),
            ..Self::default()
        }
    }

    /// Returns true for the head of a window.
    pub fn is_window(&self) -> bool {
        self.class.starts_with(WINDOW)
    }

    /// Returns the kind of the window that the row opens; `None` for a row of an element.
    pub(super) fn window_kind(&self) -> Option<&str> {
        self.class.strip_prefix(WINDOW)
    }

    pub fn is_masked(&self) -> bool {
        self.flags == MASKED
    }

    /// Masks the row: text, description, hint and flags, also empty ones, become [`MASKED`]. Class, id, bounds and
    /// `on` stay.
    pub fn mask(&mut self) {
        // Class and id stay, because they pair the rows of both sides, and a masked row that is removed is
        // still a change.
        for part in [
            &mut self.text,
            &mut self.desc,
            &mut self.hint,
            &mut self.flags,
        ] {
            MASKED.clone_into(part);
        }
    }

    /// Returns true if the rows are equal in all that devices share, which is all but bounds and visibility.
    pub fn same_shared(&self, other: &Self) -> bool {
        self.class == other.class
            && self.text == other.text
            && self.desc == other.desc
            && self.res_id == other.res_id
            && self.hint == other.hint
            && self.flags == other.flags
    }

    /// Returns the index of the first row that differs from the one in `others` in more than bounds and
    /// visibility. If one side has more rows, that is the first one that the other lacks. Returns `None` if
    /// all are equal.
    pub(super) fn first_difference(rows: &[Self], others: &[Self]) -> Option<usize> {
        let pairs = rows.iter().zip(others);
        let at = pairs
            .take_while(|(one, other)| one.same_shared(other))
            .count();
        (at < rows.len().max(others.len())).then_some(at)
    }

    /// Returns the name for people: `Button#pay`, `TextView "Total"`, `window com.example (APPLICATION)`, and with
    /// the number only if there is neither id nor text nor description: `Button n7`. `number` counts rows from 1.
    pub fn name(&self, number: usize) -> String {
        self.own_name()
            .unwrap_or_else(|| format!("{} n{number}", self.plain_class()))
    }

    /// Returns the name without a number. Rows of one class that have neither id nor text share it.
    pub fn label(&self) -> String {
        self.own_name()
            .unwrap_or_else(|| self.plain_class().to_owned())
    }

    /// Returns the class, or `element` if it is empty.
    fn plain_class(&self) -> &str {
        if self.class.is_empty() {
            "element"
        } else {
            &self.class
        }
    }

    /// Returns the name by a window's package, else by the end of the id, else by the text or description that is not
    /// masked: `Button#pay`, `TextView "Total"`. Returns `None` without any of these.
    fn own_name(&self) -> Option<String> {
        if self.is_window() {
            let kind = self.class.trim_start_matches(WINDOW);
            return Some(format!("window {} ({kind})", self.text));
        }
        let class = self.plain_class();
        let id = self.res_id.rsplit('/').next().unwrap_or_default();
        if !id.is_empty() {
            return Some(format!("{class}#{id}"));
        }
        [&self.text, &self.desc]
            .into_iter()
            .find(|part| !part.is_empty() && *part != MASKED)
            .map(|label| format!("{class} {}", quoted(label)))
    }
}

/// Returns `text` in double quotes, cut to 80 characters and `…`. Quotes in it are not escaped.
pub(super) fn quoted(text: &str) -> String {
    // Chosen: two such texts fit on a line or two of a terminal.
    const MAX_CHARS: usize = 80;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}

/// Returns the meaning of a flag in words; a flag that is not known is returned as it is.
pub(super) fn flag_in_words(flag: &str) -> &str {
    match flag {
        "clk" => "clickable",
        "lclk" => "long-clickable",
        "foc" => "focusable",
        "scr" => "scrollable",
        "edt" => "editable",
        "ena" => "enabled",
        "chkb" => "checkable",
        "chk" => "checked",
        "sel" => "selected",
        "fcs" => "focused",
        "pwd" => "a password field",
        other => other,
    }
}
