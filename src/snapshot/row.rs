//! A row of a golden: one element as it is compared, apart from the screen it came from.

use crate::screen::{Flags, Node, Rect};

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
    /// The row of an element; `None` where it says nothing and does nothing.
    pub fn of(node: Node<'_>) -> Option<Self> {
        let flags = node.flags();
        let says =
            !node.text().is_empty() || !node.desc().is_empty() || !node.resource_id().is_empty();
        let does =
            flags.clickable || flags.long_clickable || flags.scrollable || node.is_editable();
        (says || does).then(|| Self {
            class: clean(node.short_class()),
            text: clean(node.text()),
            desc: clean(node.desc()),
            res_id: clean(node.resource_id()),
            hint: clean(node.hint()),
            flags: flag_list(flags, node.is_editable()),
            on: Some(node.is_on_screen()),
            bounds: Some(node.bounds()),
        })
    }

    /// The head of a window.
    pub fn window(kind: &str, package: &str) -> Self {
        Self {
            class: format!("{WINDOW}{}", clean(kind)),
            text: clean(package),
            ..Self::default()
        }
    }

    /// Whether it opens a window.
    pub fn is_window(&self) -> bool {
        self.class.starts_with(WINDOW)
    }

    /// Whether a mask lies on it.
    pub fn is_masked(&self) -> bool {
        self.flags == MASKED
    }

    /// Lays a mask on it.
    pub fn mask(&mut self) {
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

    /// What a person calls it: `Button#pay`, `TextView "Total"`, `Button n7`; `number` counts rows from 1.
    pub fn name(&self, number: usize) -> String {
        if self.is_window() {
            let kind = self.class.trim_start_matches(WINDOW);
            return format!("window {} ({kind})", self.text);
        }
        let class = if self.class.is_empty() {
            "element"
        } else {
            &self.class
        };
        let id = self.res_id.rsplit('/').next().unwrap_or_default();
        if !id.is_empty() {
            return format!("{class}#{id}");
        }
        match [&self.text, &self.desc]
            .into_iter()
            .find(|part| !part.is_empty() && *part != MASKED)
        {
            Some(label) => format!("{class} {}", quoted(label)),
            None => format!("{class} n{number}"),
        }
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

/// One line of text: tab, newline and return become a space; trimmed.
fn clean(text: &str) -> String {
    text.replace(['\t', '\n', '\r'], " ").trim().to_owned()
}

fn flag_list(flags: Flags, editable: bool) -> String {
    [
        (flags.clickable, "clk"),
        (flags.long_clickable, "lclk"),
        (flags.focusable, "foc"),
        (flags.scrollable, "scr"),
        (editable, "edt"),
        (flags.enabled, "ena"),
        (flags.checkable, "chkb"),
        (flags.checked, "chk"),
        (flags.selected, "sel"),
        (flags.focused, "fcs"),
        (flags.password, "pwd"),
    ]
    .into_iter()
    .filter_map(|(set, name)| set.then_some(name))
    .collect::<Vec<_>>()
    .join(",")
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
