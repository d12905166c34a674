//! Port of the element list of mobile-mcp 1.0.4 (`mobile_list_elements_on_screen`, robot mode "legacy", its
//! default format "text") for a dump; `cargo bench --bench look -- FOLDER_OF_MOBILE_MCP` compares it with the
//! real one.

use std::fmt::Write as _;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

const HEADER: &str = "One element per line: @ref Type text= label= name= value= id= at=x,y size=WxH [focused] [selected] [checked] [disabled]";

/// Returns mobile-mcp's list of a dump, but with the elements in document order (it lists children before
/// their parents).
pub fn list(dump: &str) -> String {
    let mut reader = Reader::from_str(dump);
    let mut depth = 0;
    let mut roots = 0;
    let mut lines = Vec::new();
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) if tag.name().as_ref() == b"node" => {
                roots += usize::from(depth == 0);
                depth += 1;
                lines.extend(line(&tag));
            }
            Ok(Event::Empty(tag)) if tag.name().as_ref() == b"node" => {
                roots += usize::from(depth == 0);
                lines.extend(line(&tag));
            }
            Ok(Event::End(tag)) if tag.name().as_ref() == b"node" => depth -= 1,
            Ok(Event::Eof) | Err(_) => break,
            Ok(_) => {}
        }
    }
    // With several roots it takes the list of them for an element and finds nothing in it.
    if roots != 1 {
        lines.clear();
    }
    lines.insert(0, HEADER.to_owned());
    lines.join("\n")
}

fn attribute(tag: &BytesStart<'_>, name: &str) -> Option<String> {
    let attribute = tag.try_get_attribute(name).ok()??;
    // Numeric entities stay as they are: its parser leaves them.
    let mut value = String::from_utf8_lossy(&attribute.value).into_owned();
    for (entity, character) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&apos;", "'"),
        ("&amp;", "&"),
    ] {
        value = value.replace(entity, character);
    }
    Some(value.trim().to_owned())
}

fn line(tag: &BytesStart<'_>) -> Option<String> {
    let get = |name: &str| attribute(tag, name).unwrap_or_default();
    let (text, id) = (get("text"), get("resource-id"));
    let label = Some(get("content-desc"))
        .filter(|label| !label.is_empty())
        .unwrap_or_else(|| get("hint"));
    let listed =
        !text.is_empty() || !label.is_empty() || !id.is_empty() || get("checkable") == "true";
    if !listed {
        return None;
    }
    let [left, top, right, bottom] = edges(&get("bounds"))?;
    let (width, height) = (right - left, bottom - top);
    if width <= 0 || height <= 0 {
        return None;
    }
    let class = get("class");
    let kind = if class.is_empty() { "text" } else { &class };
    let mut line = kind.rsplit('.').next().unwrap_or_default().to_owned();
    for (name, value) in [("text", text), ("label", label), ("id", id)] {
        if !value.is_empty() {
            let quoted = serde_json::Value::String(value);
            let _ = write!(line, " {name}={quoted}");
        }
    }
    let _ = write!(line, " at={left},{top} size={width}x{height}");
    if get("focused") == "true" {
        line.push_str(" focused");
    }
    Some(line)
}

/// Parses bounds such as `[0,0][1,1]`. Returns `None` for negative edges, which mobile-mcp does not read.
fn edges(bounds: &str) -> Option<[i64; 4]> {
    let inner = bounds
        .strip_prefix('[')?
        .strip_suffix(']')?
        .replace("][", ",");
    let edges: Vec<i64> = inner
        .split(',')
        .map(|edge| {
            edge.parse()
                .ok()
                .filter(|_| edge.bytes().all(|byte| byte.is_ascii_digit()))
        })
        .collect::<Option<_>>()?;
    edges.try_into().ok()
}
