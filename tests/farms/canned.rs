//! A session without a device: one fixed screen, on which everything succeeds. Enough to launch, look and
//! click.

use base64::Engine as _;
use serde_json::{Value, json};

use super::cloud::Answer;

/// Screen with only a button.
const SOURCE: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>
<hierarchy index="0" class="hierarchy" rotation="0" width="1080" height="2400">
  <android.widget.FrameLayout index="0" package="com.example.notes" class="android.widget.FrameLayout" text="" checkable="false" checked="false" clickable="false" enabled="true" focusable="false" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[0,0][1080,2400]" displayed="true" window-id="1">
    <android.widget.Button index="0" package="com.example.notes" class="android.widget.Button" text="OK" resource-id="com.example.notes:id/ok" checkable="false" checked="false" clickable="true" enabled="true" focusable="true" focused="false" long-clickable="false" password="false" scrollable="false" selected="false" bounds="[100,200][500,320]" displayed="true" window-id="1" />
  </android.widget.FrameLayout>
</hierarchy>"#;

/// Answers the request for a session.
pub fn session(id: &str) -> Answer {
    let capabilities = json!({
        "platformName": "Android",
        "automationName": "UiAutomator2",
        "appium:automationName": "UiAutomator2",
        "platformVersion": "14",
        "deviceApiLevel": 34,
        "deviceModel": "Canned",
        "deviceManufacturer": "runner",
        "deviceName": "canned",
        "deviceUDID": "canned",
        "udid": "canned",
        "deviceScreenSize": "1080x2400",
        "deviceScreenDensity": 420,
        "pixelRatio": "2.625",
        "statBarHeight": 63,
        "viewportRect": { "left": 0, "top": 63, "width": 1080, "height": 2337 },
    });
    Answer::json(
        200,
        &json!({ "value": { "sessionId": id, "capabilities": capabilities } }),
    )
}

/// Answers a request of the session.
pub fn answer(method: &str, path: &str, body: &Value) -> Answer {
    let command = path.splitn(4, '/').nth(3).unwrap_or_default();
    let value = match (method, command) {
        ("GET", "source") => json!(SOURCE),
        ("GET", "screenshot") => json!(picture()),
        ("GET", "window/rect") => json!({ "x": 0, "y": 0, "width": 1080, "height": 2400 }),
        ("GET", "orientation") => json!("PORTRAIT"),
        ("GET", "context") => json!("NATIVE_APP"),
        ("GET", "contexts") => json!(["NATIVE_APP"]),
        ("GET", "appium/settings") => json!({}),
        ("POST", "execute/sync") => return script(body),
        (_, "" | "actions" | "timeouts") | ("POST", "appium/settings") => Value::Null,
        _ => {
            return Answer::error(
                404,
                "unknown command",
                "The requested resource could not be found",
            );
        }
    };
    Answer::json(200, &json!({ "value": value }))
}

/// Answers a `mobile:` command of the driver. Those for a shell are refused.
fn script(body: &Value) -> Answer {
    let name = body["script"].as_str().unwrap_or_default();
    let value = match name {
        "mobile: shell" => {
            return Answer::error(
                500,
                "unknown error",
                "Potentially insecure feature 'adb_shell' has not been enabled. If you want to enable this feature and accept the security ramifications, please do so by following the documented instructions",
            );
        }
        "mobile: getCurrentPackage" => json!("com.example.notes"),
        "mobile: getCurrentActivity" => json!(".SignIn"),
        "mobile: queryAppState" => json!(4),
        "mobile: isKeyboardShown" => json!(false),
        "mobile: getDeviceTime" => json!("2026-01-02T03:04:05+00:00"),
        "mobile: listWindows" => json!([{
            "windowId": 1, "displayId": 0, "packageName": "com.example.notes", "type": 1, "title": "Notes", "layer": 1,
            "isActive": true, "isFocused": true, "rect": { "x": 0, "y": 0, "width": 1080, "height": 2400 },
        }]),
        "mobile: deviceInfo" => json!({
            "apiVersion": "34", "platformVersion": "14", "model": "Canned", "manufacturer": "runner", "brand": "runner",
            "realDisplaySize": "1080x2400", "displayDensity": 420, "locale": "en_US", "timeZone": "GMT",
        }),
        name if name.starts_with("mobile: ") => Value::Null,
        _ => return Answer::error(500, "javascript error", "it is not a script of the driver"),
    };
    Answer::json(200, &json!({ "value": value }))
}

/// Returns a white PNG of the display's size, as base64.
fn picture() -> String {
    let white = image::RgbaImage::from_pixel(1080, 2400, image::Rgba([255; 4]));
    let white = runner::device::Picture::from_pixels(white).expect("a picture");
    base64::engine::general_purpose::STANDARD.encode(white.png())
}
