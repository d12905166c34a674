//! Routes that concern the whole device.

#![expect(
    clippy::unnecessary_wraps,
    reason = "all handlers share one signature, and most may fail"
)]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::input;
use crate::uia2::call::Call;
use crate::uia2::error::{ErrorKind, WireError};
use crate::uia2::windows::{self, PHYSICAL_DISPLAY};
use runner_virtual_device::{Fault, Setting};

/// `KEYCODE_BACK`.
const KEYCODE_BACK: i64 = 4;
/// Bit of Wi-Fi in the protocol's network mask.
const WIFI: i64 = 2;
/// Height of the status bar in dp, `status_bar_height` in AOSP's `dimens.xml`.
const STATUS_BAR_DP: f32 = 24.0;

pub(super) fn nothing(_call: &Call<'_>) -> Result<Value, WireError> {
    Ok(Value::Null)
}

/// Returns a picture of the display as PNG in Base64, after 100 ms. An error with [`Fault::BadScreenshot`].
pub(super) fn screenshot(call: &Call<'_>) -> Result<Value, WireError> {
    input::spend(call.device, std::time::Duration::from_millis(100));
    let bounds = call.device.phone().display().bounds();
    let picture = if call.device.shows(Fault::BadScreenshot) {
        None
    } else {
        windows::picture(call, bounds)
    };
    picture.map(Value::from).ok_or_else(|| {
        WireError::new(
            ErrorKind::UNABLE_TO_CAPTURE,
            "Failed to capture a screenshot. Does the current view have 'secure' flag set?",
        )
    })
}

pub(super) fn back(call: &Call<'_>) -> Result<Value, WireError> {
    input::key(call.device, KEYCODE_BACK, false);
    Ok(Value::Null)
}

pub(super) fn open_notifications(call: &Call<'_>) -> Result<Value, WireError> {
    call.device.phone().status_bar("notifications");
    Ok(Value::Null)
}

/// Refuses clips that are not text. A missing kind is text. Case does not matter.
fn check_content(kind: Option<&str>) -> Result<(), WireError> {
    match kind {
        Some(kind) if !kind.eq_ignore_ascii_case("plaintext") => Err(WireError::argument(format!(
            "Only '[PLAINTEXT]' content types are supported. '{kind}' is given instead"
        ))),
        _ => Ok(()),
    }
}

/// Sets the clipboard to a text in base64. An error for bad base64 or another type of content.
pub(super) fn set_clipboard(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        content: String,
        content_type: Option<String>,
    }
    let body: Body = call.model()?;
    let bytes = STANDARD
        .decode(body.content.trim())
        .map_err(|_| WireError::argument("java.lang.IllegalArgumentException: bad base-64"))?;
    check_content(body.content_type.as_deref())?;
    let text = String::from_utf8_lossy(&bytes);
    call.device.phone().set_clipboard(&text);
    Ok(Value::Null)
}

/// Returns the clipboard in Base64. From Android 10 on only the app in front may read it, and a server is not
/// in front, so it is empty there.
pub(super) fn get_clipboard(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Body {
        content_type: Option<String>,
    }
    let body: Body = call.model()?;
    check_content(body.content_type.as_deref())?;
    let api: u32 = call
        .device
        .property("ro.build.version.sdk")
        .parse()
        .unwrap_or(0);
    let text = if api < 29 {
        call.device.phone().clipboard().unwrap_or_default()
    } else {
        String::new()
    };
    Ok(Value::from(STANDARD.encode(text)))
}

/// Returns facts about the device. There are never networks or a carrier, and an empty locale reads `en`.
pub(super) fn info(call: &Call<'_>) -> Result<Value, WireError> {
    let property = |name: &str| call.device.property(name);
    let display = call.device.phone().display();
    let (locale, time_zone) = (
        call.device.phone().locale(),
        property("persist.sys.timezone"),
    );
    let android_id = call.device.setting("secure", "android_id");
    Ok(json!({
        "androidId": android_id,
        "manufacturer": property("ro.product.manufacturer"),
        "model": property("ro.product.model"),
        "brand": property("ro.product.brand"),
        "apiVersion": property("ro.build.version.sdk"),
        "platformVersion": property("ro.build.version.release"),
        "carrierName": "",
        "realDisplaySize": format!("{}x{}", display.width, display.height),
        "displayDensity": display.density,
        "networks": [],
        "locale": if locale.is_empty() { "en".to_owned() } else { locale.replace('-', "_") },
        "timeZone": time_zone,
        "bluetooth": { "state": "OFF" },
    }))
}

/// Lists the apps that can be launched, with the full name of their activity.
pub(super) fn apps(call: &Call<'_>) -> Result<Value, WireError> {
    let packages = call.device.phone().packages();
    let apps: Vec<Value> = packages
        .into_iter()
        .filter_map(|app| {
            let activity = app.launchable?;
            let activity = if activity.starts_with('.') {
                format!("{}{activity}", app.package)
            } else {
                activity
            };
            Some(json!({
                "packageName": app.package,
                "packageActivity": activity,
                "appName": app.label,
            }))
        })
        .collect();
    Ok(Value::from(apps))
}

/// Lists the only display.
pub(super) fn list_displays(call: &Call<'_>) -> Result<Value, WireError> {
    let display = call.device.phone().display();
    let density = display.density as f32 / 160.0;
    Ok(json!([{
        "id": 0,
        "name": "Built-in Screen",
        "physicalId": PHYSICAL_DISPLAY,
        "virtualId": null,
        "metrics": {
            "widthPixels": display.width,
            "heightPixels": display.height,
            "density": density,
            "densityDpi": display.density,
            "scaledDensity": density,
            "xdpi": display.density as f32,
            "ydpi": display.density as f32,
        },
        "isDefault": true,
    }]))
}

pub(super) fn battery(_call: &Call<'_>) -> Result<Value, WireError> {
    // `BATTERY_STATUS_FULL`.
    Ok(json!({ "level": 1.0, "status": 5 }))
}

pub(super) fn density(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(Value::from(call.device.phone().display().density))
}

fn scale(call: &Call<'_>) -> f32 {
    call.device.phone().display().density as f32 / 160.0
}

pub(super) fn pixel_ratio(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(Value::from(scale(call)))
}

pub(super) fn system_bars(call: &Call<'_>) -> Result<Value, WireError> {
    let height = (STATUS_BAR_DP * scale(call)).round() as i64;
    Ok(json!({ "statusBar": height }))
}

pub(super) fn declared_orientation(_call: &Call<'_>) -> Result<Value, WireError> {
    // `SCREEN_ORIENTATION_UNSPECIFIED`.
    Ok(Value::from(-1))
}

pub(super) fn window_size(call: &Call<'_>) -> Result<Value, WireError> {
    let display = call.device.phone().display();
    Ok(json!({ "width": display.width, "height": display.height }))
}

/// Returns the orientation's name; only the parity of `rotation` counts.
fn orientation_of(rotation: u8) -> &'static str {
    if rotation.is_multiple_of(2) {
        "PORTRAIT"
    } else {
        "LANDSCAPE"
    }
}

pub(super) fn orientation(call: &Call<'_>) -> Result<Value, WireError> {
    Ok(Value::from(orientation_of(
        call.device.phone().display().rotation,
    )))
}

/// Rotates the screen, and disables automatic rotation.
pub(super) fn rotate(call: &Call<'_>, rotation: u8) {
    let turns = rotation.to_string();
    let settings = [("accelerometer_rotation", "0"), ("user_rotation", &turns)];
    call.device.put_settings("system", &settings);
    call.device.set(Setting::Rotation(rotation));
}

/// Turns the display to portrait or landscape, in any case of letters, and returns that name. Landscape is always
/// rotation 3. Another word is an error.
pub(super) fn set_orientation(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        orientation: String,
    }
    let body: Body = call.model()?;
    let rotation = match body.orientation.to_uppercase().as_str() {
        "PORTRAIT" => 0,
        "LANDSCAPE" => 3,
        _ => {
            return Err(WireError::argument(format!(
                "Orientation value '{}' is not supported. Only 'LANDSCAPE' and 'PORTRAIT' values could be translated into a valid screen orientation",
                body.orientation
            )));
        }
    };
    rotate(call, rotation);
    Ok(Value::from(orientation_of(rotation)))
}

pub(super) fn rotation(call: &Call<'_>) -> Result<Value, WireError> {
    let rotation = call.device.phone().display().rotation;
    Ok(json!({ "x": 0, "y": 0, "z": u32::from(rotation) * 90 }))
}

/// Turns the display by degrees, and returns `ROTATION_` with them. An error for anything but quarter turns.
pub(super) fn set_rotation(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        z: i64,
    }
    let body: Body = call.model()?;
    let rotation = match body.z {
        0 => 0,
        90 => 1,
        180 => 2,
        270 => 3,
        other => {
            return Err(WireError::argument(format!(
                "Rotation value of {other} degrees is not supported. Only 0, 90, 180 and 270 degrees could be translated into a valid screen rotation"
            )));
        }
    };
    rotate(call, rotation);
    Ok(Value::from(format!("ROTATION_{}", body.z)))
}

/// Turns the Wi-Fi on for type 2, and returns 1. Other known types are not implemented, unknown ones invalid; both
/// are errors.
pub(super) fn network_connection(call: &Call<'_>) -> Result<Value, WireError> {
    #[derive(Deserialize)]
    struct Body {
        #[serde(rename = "type")]
        kind: i64,
    }
    let body: Body = call.model()?;
    match body.kind {
        WIFI => {
            call.device.put_settings("global", &[("wifi_on", "1")]);
            Ok(Value::from(1))
        }
        0 | 1 | 4 | 6 => Err(WireError::new(
            ErrorKind::UNKNOWN,
            format!(
                "java.lang.RuntimeException: Setting Network Connection to '{}' is not implemented",
                body.kind
            ),
        )),
        other => Err(WireError::argument(format!(
            "Invalid Network Connection type: {other}"
        ))),
    }
}
