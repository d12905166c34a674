//! Parses the XML of Appium's UiAutomator2 server into the arena of nodes, as a dump of the same moment would
//! fill it.
//!
//! It differs from a dump: elements are named by class, roots are numbered and have their window in
//! `window-id`, a toast is a root, and a node with a range has its number as text.

use quick_xml::events::{BytesStart, Event};

use super::node_data::NodeData;
use super::parse::{Builder, Document, check_size, each_attribute, lenient, unescaped};
use super::{ScreenError, Window};
use runner_text::secret::Excerpt;

/// Class of the roots that are toasts.
const TOAST: &str = "android.widget.Toast";
/// Ends of the classes whose text is a number that a dump does not have.
const RANGES: [&str; 3] = ["SeekBar", "ProgressBar", "RatingBar"];

/// Parses a source of UiAutomator2. `windows` are those that the device lists; each root must name one of them.
/// Toasts are no nodes; their texts are kept apart. Whatever comes before `<hierarchy` is ignored. All of
/// `windows` are in the result, also those without a root.
///
/// # Errors
/// [`ScreenError::NotADump`], [`ScreenError::Truncated`], [`ScreenError::TooLarge`], or
/// [`ScreenError::NoWindowIds`] and [`ScreenError::UnknownWindow`] for a root without a known window.
pub(super) fn parse(source: &str, windows: &[Window]) -> Result<Document, ScreenError> {
    check_size(source.as_bytes())?;
    let Some(start) = source.find("<hierarchy") else {
        return Err(ScreenError::NotADump {
            begins: Excerpt::new(source, 80).in_quotes().to_string(),
        });
    };
    let truncated = || ScreenError::Truncated {
        bytes: source.len(),
    };
    let mut reader = lenient(&source[start..]);
    let mut builder = Builder::new(source.len());
    builder.document.has_windows = true;
    builder.document.windows = windows.to_vec();
    let mut in_hierarchy = false;
    // Depth inside a toast, whose nodes are no elements.
    let mut in_toast = 0_usize;
    loop {
        let (tag, is_empty) = match reader.read_event() {
            Ok(Event::Start(tag)) => (tag, false),
            Ok(Event::Empty(tag)) => (tag, true),
            Ok(Event::End(tag)) if tag.name().as_ref() == b"hierarchy" => {
                return if builder.open.is_empty() && in_toast == 0 {
                    Ok(builder.document)
                } else {
                    Err(truncated())
                };
            }
            Ok(Event::End(_)) => {
                if in_toast > 0 {
                    in_toast -= 1;
                } else {
                    builder.end_node();
                }
                continue;
            }
            Ok(Event::Eof) | Err(_) => return Err(truncated()),
            Ok(_) => continue,
        };
        if !in_hierarchy {
            in_hierarchy = true;
            builder.document.rotation = rotation(&tag);
            if is_empty {
                return Ok(builder.document);
            }
        } else if in_toast > 0 {
            in_toast += usize::from(!is_empty);
        } else if builder.open.is_empty() && is_toast(&tag) {
            builder.document.toasts.extend(attribute(&tag, b"text"));
            in_toast = usize::from(!is_empty);
        } else {
            start_node(&mut builder, &tag)?;
            if is_empty {
                builder.end_node();
            }
        }
    }
}

/// Adds a node. A root begins the window that it names, which must be a known one. The node stays open until the
/// builder ends it.
fn start_node(builder: &mut Builder, tag: &BytesStart<'_>) -> Result<(), ScreenError> {
    let is_root = builder.open.is_empty();
    if is_root {
        let id = attribute(tag, b"window-id").and_then(|id| id.trim().parse().ok());
        let id = id.ok_or(ScreenError::NoWindowIds)?;
        let mut windows = builder.document.windows.iter();
        let window = windows.position(|window| window.id == id);
        let window = window.ok_or(ScreenError::UnknownWindow { id })?;
        builder.open_windows = vec![window as u32];
    }
    builder.add_node(tag, |node, index, text| {
        take_range(node, text);
        // A root is the first of its window; this source numbers the roots instead.
        if is_root { Some(0) } else { index }
    })
}

/// Moves the number of a node with a range, such as a slider, from its text to its value. A text that is no
/// number stays.
fn take_range(node: &mut NodeData, text: &str) {
    let class = node.class.slice(text);
    let is_range = RANGES.iter().any(|end| class.ends_with(end));
    if is_range && node.text.slice(text).parse::<f64>().is_ok() {
        node.value = std::mem::take(&mut node.text);
    }
}

/// Returns the quarter turns that a hierarchy's tag names, modulo 4; 0 without a number.
fn rotation(tag: &BytesStart<'_>) -> u8 {
    let rotation = attribute(tag, b"rotation").and_then(|turns| turns.parse::<u8>().ok());
    rotation.unwrap_or(0) % 4
}

/// Returns true for a toast: a root without bounds whose class is that of toasts.
fn is_toast(tag: &BytesStart<'_>) -> bool {
    attribute(tag, b"bounds").is_none()
        && attribute(tag, b"class").is_some_and(|class| class == TOAST)
}

/// Returns the first attribute of a name, unescaped. `None` if the tag lacks it.
fn attribute(tag: &BytesStart<'_>, wanted: &[u8]) -> Option<String> {
    let mut found = None;
    each_attribute(tag, |name, value| {
        if name == wanted && found.is_none() {
            found = Some(unescaped(value));
        }
    });
    found
}

#[cfg(test)]
mod tests {
    use super::super::{DisplayContext, Rect, Screen};
    use super::*;

    fn window(id: i32, kind: &str) -> Window {
        Window {
            id,
            kind: kind.to_owned(),
            package: String::new(),
            title: format!("window {id}"),
            activity: None,
            layer: id,
            focused: id == 7,
            bounds: Rect::new(0, 0, 100, 200),
        }
    }

    fn read(inside: &str) -> Result<Screen, ScreenError> {
        let source = format!(
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy index=\"0\" class=\"hierarchy\" rotation=\"1\" width=\"100\" height=\"200\">{inside}</hierarchy>"
        );
        let windows = [
            window(7, "APPLICATION"),
            window(9, "SYSTEM"),
            window(11, "INPUT_METHOD"),
        ];
        Screen::parse_uia2(&source, &windows, &DisplayContext::default())
    }

    const APP: &str = "<android.widget.FrameLayout index=\"0\" package=\"com.a\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][100,200]\" displayed=\"true\" window-id=\"7\"><android.view.View index=\"2\" package=\"com.a\" class=\"com.a.Main$Row\" text=\"caf&#233; 👍\" clickable=\"true\" bounds=\"[0,10][50,20]\" window-id=\"7\"/></android.widget.FrameLayout>";

    #[test]
    fn it_is_the_screen_of_a_dump() {
        let system = "<android.widget.FrameLayout index=\"1\" package=\"com.android.systemui\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][100,10]\" window-id=\"9\"/>";
        let screen = read(&format!("{APP}{system}")).unwrap();
        let dump = "<displays><display id=\"0\">\
            <window index=\"0\" title=\"window 7\" bounds=\"[0,0][100,200]\" active=\"true\" focused=\"true\" id=\"7\" layer=\"7\" type=\"1\"><hierarchy rotation=\"1\"><node index=\"0\" package=\"com.a\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][100,200]\"><node index=\"2\" package=\"com.a\" class=\"com.a.Main$Row\" text=\"caf&#233; 👍\" clickable=\"true\" bounds=\"[0,10][50,20]\"/></node></hierarchy></window>\
            <window index=\"1\" title=\"window 9\" bounds=\"[0,0][100,200]\" active=\"false\" focused=\"false\" id=\"9\" layer=\"9\" type=\"3\"><hierarchy rotation=\"1\"><node index=\"0\" package=\"com.android.systemui\" class=\"android.widget.FrameLayout\" bounds=\"[0,0][100,10]\"/></hierarchy></window>\
            </display></displays>";
        let stock = Screen::parse(dump.as_bytes(), &DisplayContext::default()).unwrap();
        assert_eq!(screen.windows(), stock.windows());
        let ids = |screen: &Screen| {
            screen
                .nodes()
                .map(super::super::Node::id)
                .collect::<Vec<_>>()
        };
        assert_eq!(ids(&screen), ids(&stock));
        assert_eq!(
            screen.tsv(super::super::Profile::Golden),
            stock.tsv(super::super::Profile::Golden)
        );
        // A keyboard may have no root.
        assert!(screen.keyboard_shown());
        assert_eq!(screen.display().rotation, 1);
        assert!(!screen.is_degraded());
    }

    #[test]
    fn toasts_and_the_numbers_of_ranges_are_no_text_of_nodes() {
        let screen = read(&format!(
            "{APP}<android.widget.Toast index=\"1\" package=\"com.android.settings\" class=\"android.widget.Toast\" text=\"Saved &amp; sent\" displayed=\"true\"/><android.widget.SeekBar index=\"2\" class=\"android.widget.SeekBar\" text=\"5.0\" bounds=\"[0,0][9,9]\" window-id=\"9\"/>"
        ))
        .unwrap();
        assert_eq!(screen.toasts(), ["Saved & sent"]);
        assert_eq!(screen.len(), 3);
        let bar = screen.nodes().last().unwrap();
        assert_eq!((bar.text(), bar.value()), ("", "5.0"));
    }

    #[test]
    fn what_does_not_fit_together_is_told_apart() {
        let root = |window: &str| format!("<a class=\"a\" bounds=\"[0,0][1,1]\" {window}/>");
        for (inside, expected) in [
            (
                root("window-id=\"8\""),
                ScreenError::UnknownWindow { id: 8 },
            ),
            (root(""), ScreenError::NoWindowIds),
        ] {
            assert_eq!(read(&inside).unwrap_err(), expected);
        }
        assert!(matches!(
            Screen::parse_uia2(
                "<hierarchy><a class=\"a\" window-id=\"7\">",
                &[window(7, "SYSTEM")],
                &DisplayContext::default()
            ),
            Err(ScreenError::Truncated { .. })
        ));
        assert!(matches!(
            Screen::parse_uia2("{}", &[], &DisplayContext::default()),
            Err(ScreenError::NotADump { .. })
        ));
        assert_eq!(read("").unwrap_err(), ScreenError::Empty);
    }
}
