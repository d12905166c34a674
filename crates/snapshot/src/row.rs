//! A row of a golden: one element as it is compared, apart from the screen it came from.

use runner_screen::Rect;

/// What stands where a mask lies.
pub const MASKED: &str = "[masked]";

/// Prefix of the class of a row that opens a window; its text is the window's package.
const WINDOW: &str = "window:";

/// One element, or the head of a window.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Row {
    /// Class after the last dot; `window:APPLICATION` for the head of a window.
    pub class: String,
    /// Text, empty where there is none.
    pub text: String,
    /// Content description.
    pub desc: String,
    /// Resource id.
    pub res_id: String,
    /// Hint.
    pub hint: String,
    /// Flags without `on` and `off`, joined by commas.
    pub flags: String,
    /// Whether it is on the screen; only class files have it.
    pub on: Option<bool>,
    /// Bounds; only class files have them.
    pub bounds: Option<Rect>,
}

impl Row {
    /// From a row of the golden profile.
    pub fn of(row: &runner_screen::Row<'_>) -> Self {
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

    /// The head of a window.
    pub fn window(kind: &str, package: &str) -> Self {
        Self {
            class: format!("{WINDOW}{kind}"),
            text: package.to_owned(),
            ..Self::default()
        }
    }

    /// Whether it opens a window.
    pub fn is_window(&self) -> bool {
        self.class.starts_with(WINDOW)
    }

    /// Returns the kind of the window that the row opens.
    pub(super) fn window_kind(&self) -> Option<&str> {
        self.class.strip_prefix(WINDOW)
    }

    /// Whether a mask lies on it.
    pub fn is_masked(&self) -> bool {
        self.flags == MASKED
    }

    /// Lays a mask on it.
    pub fn mask(&mut self) {
        // Class and id stay: they pair the rows of both sides, and a masked row that goes is still a change.
        for part in [
            &mut self.text,
            &mut self.desc,
            &mut self.hint,
            &mut self.flags,
        ] {
            MASKED.clone_into(part);
        }
    }

    /// What is shared by all devices: all but bounds and whether it is on the screen.
    pub fn same_shared(&self, other: &Self) -> bool {
        self.class == other.class
            && self.text == other.text
            && self.desc == other.desc
            && self.res_id == other.res_id
            && self.hint == other.hint
            && self.flags == other.flags
    }

    /// Where rows first say something else than `others`, but for bounds and whether they are on the screen; from 0.
    pub(super) fn first_difference(rows: &[Self], others: &[Self]) -> Option<usize> {
        let pairs = rows.iter().zip(others);
        let at = pairs
            .take_while(|(one, other)| one.same_shared(other))
            .count();
        (at < rows.len().max(others.len())).then_some(at)
    }

    /// What a person calls it: `Button#pay`, `TextView "Total"`, `Button n7`; `number` counts rows from 1.
    pub fn name(&self, number: usize) -> String {
        self.own_name()
            .unwrap_or_else(|| format!("{} n{number}", self.plain_class()))
    }

    /// The same without a number: rows that have neither id nor text are called alike.
    pub fn label(&self) -> String {
        self.own_name()
            .unwrap_or_else(|| self.plain_class().to_owned())
    }

    fn plain_class(&self) -> &str {
        if self.class.is_empty() {
            "element"
        } else {
            &self.class
        }
    }

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

/// `text` in quotes, shortened where nobody would read on.
pub(super) fn quoted(text: &str) -> String {
    const LIMIT: usize = 80;
    match text.char_indices().nth(LIMIT) {
        Some((end, _)) => format!("\"{}…\"", &text[..end]),
        None => format!("\"{text}\""),
    }
}

/// A flag in words.
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
