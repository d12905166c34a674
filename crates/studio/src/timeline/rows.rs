//! Rebuilds a screen from its rows, if a run kept no more of it. Nesting and all else that rows do not show
//! is missing.

use std::fmt::Write as _;

use runner_report::html::COLUMNS;
use runner_screen::{Display, DisplayContext, Screen};

/// Rows of a screen. Chosen: far more than a screen has; it bounds a damaged report.
const MAX_ROWS: usize = 20_000;

/// Builds a screen from the first [`MAX_ROWS`] rows, with the report's columns; its elements are not nested. Successive
/// rows with the same title are one window; the first is on top, and all fill the display. Bounds that do not read are
/// left out, and no rows give a screen without elements. Returns `None` if a row has another number of columns.
pub(super) fn screen_of(rows: &[&[String]], [width, height]: [u32; 2]) -> Option<Screen> {
    let mut dump = String::from("<displays><display id=\"0\">");
    let mut window: Option<&str> = None;
    for row in rows.iter().take(MAX_ROWS) {
        let [class, text, desc, res_id, hint, bounds, flags, title] = row else {
            return None;
        };
        if window != Some(title) {
            if window.is_some() {
                dump.push_str("</hierarchy></window>");
            }
            let layer = usize::from(window.is_none());
            let _ = write!(
                dump,
                "<window id=\"{layer}\" title=\"{}\" type=\"1\" bounds=\"[0,0][{width},{height}]\" layer=\"{layer}\"><hierarchy rotation=\"0\">",
                escape(title)
            );
            window = Some(title);
        }
        dump.push_str("<node");
        for (name, value) in [
            ("class", class),
            ("text", text),
            ("content-desc", desc),
            ("resource-id", res_id),
            ("hint", hint),
        ] {
            let _ = write!(dump, " {name}=\"{}\"", escape(value));
        }
        let has = |flag: &str| flags.split(' ').any(|own| own == flag);
        for (name, flag) in [
            ("clickable", "clk"),
            ("long-clickable", "lclk"),
            ("focusable", "foc"),
            ("scrollable", "scr"),
            ("enabled", "ena"),
            ("checkable", "chkb"),
            ("checked", "chk"),
            ("selected", "sel"),
            ("focused", "fcs"),
            ("password", "pwd"),
            ("visible-to-user", "on"),
        ] {
            let _ = write!(dump, " {name}=\"{}\"", has(flag));
        }
        let edges: Vec<i32> = bounds
            .split([',', ' ', '[', ']'])
            .filter_map(|edge| edge.parse().ok())
            .collect();
        if let [left, top, right, bottom] = edges[..] {
            let _ = write!(dump, " bounds=\"[{left},{top}][{right},{bottom}]\"");
        }
        dump.push_str("/>");
    }
    if window.is_some() {
        dump.push_str("</hierarchy></window>");
    }
    dump.push_str("</display></displays>");
    let surroundings = DisplayContext {
        display: Some(Display {
            width,
            height,
            ..Display::default()
        }),
        ..DisplayContext::default()
    };
    debug_assert_eq!(COLUMNS.len(), 8, "as they are taken apart above");
    Screen::parse(dump.as_bytes(), &surroundings).ok()
}

/// Escapes `&`, `<`, `>`, `"` and line feeds for an XML attribute. All else stays.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
        .replace('\n', "&#10;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_report::html::rows_of;
    use runner_screen::Selector;

    #[test]
    fn selectors_find_on_rows_what_they_found_on_the_screen() {
        let dump = r#"<hierarchy rotation="0"><node class="android.widget.FrameLayout" bounds="[0,0][100,200]">
            <node class="android.widget.Button" text="Save &lt;all&gt;" resource-id="a.b:id/save" clickable="true" enabled="true" bounds="[0,0][50,20]"/>
            <node class="android.widget.CheckBox" content-desc="Later" checkable="true" checked="true" enabled="true" bounds="[0,20][50,40]"/>
        </node></hierarchy>"#;
        let surroundings = DisplayContext {
            display: Some(Display {
                width: 100,
                height: 200,
                ..Display::default()
            }),
            ..DisplayContext::default()
        };
        let whole = Screen::parse(dump.as_bytes(), &surroundings).unwrap();
        let rows = rows_of(&whole);
        let rows: Vec<&[String]> = rows.iter().map(Vec::as_slice).collect();
        let again = screen_of(&rows, [100, 200]).unwrap();
        for written in [
            serde_json::json!({ "id": "save" }),
            serde_json::json!("Save <all>"),
            serde_json::json!({ "desc": "Later", "checked": true }),
            serde_json::json!({ "class": "Button", "clickable": true }),
        ] {
            let selector = Selector::from_value(&written).unwrap();
            let found = selector.find(&again);
            assert_eq!(found.len(), 1, "{written}");
            let bounds = again.node(found[0]).bounds();
            let before = whole.node(selector.find(&whole)[0]).bounds();
            assert_eq!(bounds, before, "{written}");
        }
        assert!(screen_of(&[&["a".to_owned()][..]], [1, 1]).is_none());
    }
}
