//! Route `list_windows`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::call::Call;
use super::error::WireError;
use runner_screen::Rect;
use runner_virtual_device::WindowDump;
use runner_virtual_device::automation::{dump, encode};

/// Name of the only display for `SurfaceFlinger`.
pub(crate) const PHYSICAL_DISPLAY: &str = "4619827259835644672";

/// Lists the windows that satisfy all filters, each with a picture unless the request skips them.
pub(super) fn list_windows(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        filters: Option<Map<String, Value>>,
        skip_screenshots: Option<bool>,
    }
    let body: Body = call.model()?;
    let screen = call.screen()?;
    let active = dump::active(&screen.windows).map(|window| window.id);
    let filters = body.filters.unwrap_or_default();
    let mut windows = Vec::new();
    for window in &screen.windows {
        let mut json = to_json(window, active == Some(window.id));
        if !filters
            .iter()
            .all(|(name, wanted)| satisfies_filter(&json, name, wanted))
        {
            continue;
        }
        if body.skip_screenshots != Some(true) {
            json["screenshot"] = Value::from(picture(call, window.bounds));
        }
        windows.push(json);
    }
    Ok(Value::from(windows))
}

/// Encodes a window as the server does, without a picture. A window without a root has no package, one without a
/// title has `null`.
fn to_json(window: &WindowDump, active: bool) -> Value {
    // The numbers of `AccessibilityWindowInfo`.
    let kind = match window.kind {
        "APPLICATION" => 1,
        "INPUT_METHOD" => 2,
        _ => 3,
    };
    let root = window.root.as_ref();
    json!({
        "windowId": window.id,
        "displayId": 0,
        "physicalDisplayId": PHYSICAL_DISPLAY,
        "virtualDisplayId": null,
        "rect": rect(window.bounds),
        "packageName": root.map(|_| &window.package),
        "screenshot": null,
        "type": kind,
        "title": (!window.title.is_empty()).then_some(&window.title),
        "layer": window.layer,
        "isAccessibilityFocused": false,
        "isActive": active,
        "isFocused": window.focused,
        "isInPictureInPictureMode": false,
    })
}

/// Encodes the rectangle by place and size.
pub(crate) fn rect(bounds: Rect) -> Value {
    json!({
        "x": bounds.left,
        "y": bounds.top,
        "width": bounds.right - bounds.left,
        "height": bounds.bottom - bounds.top,
    })
}

/// Returns true if a window satisfies a filter. Texts are matched as a whole by a pattern with `*` and `?`;
/// numbers and booleans may be given as texts. A filter that is `null` or unknown accepts every window.
fn satisfies_filter(window: &Value, name: &str, wanted: &Value) -> bool {
    let Some(has) = window.get(name) else {
        return true;
    };
    match (has, wanted) {
        (_, Value::Null) => true,
        (Value::String(text), Value::String(pattern)) => {
            let pattern = regex::escape(pattern)
                .replace(r"\*", ".*")
                .replace(r"\?", ".");
            regex::Regex::new(&format!("^{pattern}$")).is_ok_and(|regex| regex.is_match(text))
        }
        (has, Value::String(text)) => text.trim().eq_ignore_ascii_case(&has.to_string()),
        (has, wanted) => has == wanted,
    }
}

/// Returns a part of the screen as PNG in Base64. `None` if no pixel of it is on the screen, or the picture
/// cannot be made.
pub(crate) fn picture(call: &Call<'_>, bounds: Rect) -> Option<String> {
    let whole = call.device.phone().display().bounds();
    if bounds == whole {
        let png = call.device.screenshot_png()?;
        return Some(STANDARD.encode(png));
    }
    let frame = call.device.phone().draw();
    let part = bounds.intersection(&whole)?;
    let part = image::imageops::crop_imm(
        &**frame,
        part.left.unsigned_abs(),
        part.top.unsigned_abs(),
        (part.right - part.left).unsigned_abs(),
        (part.bottom - part.top).unsigned_abs(),
    )
    .to_image();
    Some(STANDARD.encode(encode(&part)?))
}
