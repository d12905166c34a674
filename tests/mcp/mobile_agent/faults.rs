//! Faults of the device.

use camino::Utf8PathBuf;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::{Value, json};

use super::*;

/// Virtual device of this process with faults that a test chooses, and a server on it.
struct Faulty {
    device: VirtualDevice,
    client: Client,
    _project: Project,
}

impl Faulty {
    async fn start() -> Self {
        let project = Project::with_demo_app();
        let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
        let device = VirtualDevice::start(VirtualDeviceOptions {
            apps: vec![apps],
            ..VirtualDeviceOptions::default()
        })
        .await
        .expect("a virtual device");
        let address = device.address().to_string();
        let arguments = ["--dialect", "mobile-agent", "--device", &address];
        let mut client = Client::start(&project, &arguments);
        launch(&mut client);
        Self {
            device,
            client,
            _project: project,
        }
    }

    /// Makes one call while the device has a fault.
    fn call(&mut self, fault: &str, tool: &str, args: Value) -> Answer {
        self.device.inject(fault.parse::<FaultSpec>().expect(fault));
        let answer = self.client.call(tool, args);
        self.device.clear_faults();
        answer
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn b01_capture_screenshot_raises() {
    let mut faulty = Faulty::start().await;
    for (fault, message) in [
        ("bad-screenshot", "Failed to capture screenshot on device"),
        (
            "dropped-connection",
            "Failed to pull screenshot from device",
        ),
    ] {
        let answer = faulty.call(fault, "capture_screenshot", json!({}));
        assert!(answer.is_error);
        assert_eq!(answer.text, message);
        assert!(answer.advice.starts_with("cause: "), "{}", answer.advice);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn b02_b05_a_screen_that_cannot_be_read() {
    let mut faulty = Faulty::start().await;
    let answer = faulty.call("null-root", "get_ui_tree", json!({}));
    refused(&answer, "Failed to dump UI hierarchy");
    let advice = &answer.advice;
    assert!(advice.contains("no window has content yet"), "{advice}");
    let answer = faulty.call("null-root", CONTROLS, json!({}));
    assert!(answer.is_error, "{answer:?}");
    assert_eq!(answer.text, "Failed to dump UI hierarchy");
    // Nothing of it was kept.
    assert!(!controls(&mut faulty.client).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn b03_to_b11_a_device_that_goes_away() {
    let mut faulty = Faulty::start().await;
    let lost = |answer: &Answer, begins: &str| {
        assert!(!answer.is_error, "{answer:?}");
        let error = answer.json()["error"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        assert!(error.starts_with(begins), "{error}");
        assert_eq!(
            answer.text,
            json!({ "success": false, "error": error }).to_string()
        );
    };
    let answer = faulty.call("dropped-connection", "get_device_info", json!({}));
    lost(&answer, "device ");
    let answer = faulty.call("dropped-connection", "tap", json!({ "x": 5, "y": 5 }));
    lost(&answer, "device ");
    let way = json!({ "start_x": 5, "start_y": 5, "end_x": 5, "end_y": 50 });
    lost(&faulty.call("dropped-connection", "swipe", way), "device ");
    let key = json!({ "key_code": "KEYCODE_BACK" });
    lost(
        &faulty.call("dropped-connection", "press_key", key),
        "device ",
    );
    let answer = faulty.call("dropped-connection", APPS, json!({}));
    assert!(answer.is_error);
    assert!(
        answer
            .text
            .starts_with("Failed to get mobile app target info: device "),
        "{}",
        answer.text
    );

    let id = control(&mut faulty.client, "Username", "EditText");
    let click = json!({ "control_id": id, "control_name": "Username" });
    let answer = faulty.call("dropped-connection", "click_control", click.clone());
    refused_in_part(&answer, "Failed to click control at (540, 859)");
    // An action that failed half way ended the ids too.
    let answer = faulty.client.call("click_control", click);
    refused(
        &answer,
        "Control with ID '4' not found. Please call get_app_window_controls_target_info first.",
    );
    let text = json!({ "text": "a", "control_id": control(&mut faulty.client, "Username", "EditText"), "control_name": "Username" });
    let answer = faulty.call("dropped-connection", "type_text", text.clone());
    refused_in_part(&answer, "Failed to click control at (540, 859)");
    control(&mut faulty.client, "Username", "EditText");
    lost(
        &faulty.call("dropped-connection=1", "type_text", text),
        "Failed to type text: ",
    );
}

/// Asserts what [`refused`] does, but with the real cause beside the error.
#[track_caller]
fn refused_in_part(answer: &Answer, error: &str) {
    refused(answer, error);
    let cause = &answer.advice;
    assert!(cause.starts_with("cause: device "), "{cause}");
}

/// R5: what needs no dump asks for none, and works where there is none to be had.
#[tokio::test(flavor = "multi_thread")]
async fn b01_b03_b06_b07_b10_b12_actions_and_a_picture_need_no_dump() {
    let mut faulty = Faulty::start().await;
    let before = faulty.device.served("uiautomator");
    for (tool, args) in [
        ("get_device_info", json!({})),
        ("tap", json!({ "x": 5, "y": 5 })),
        (
            "swipe",
            json!({ "start_x": 500, "start_y": 1500, "end_x": 500, "end_y": 500 }),
        ),
        ("press_key", json!({ "key_code": "KEYCODE_BACK" })),
        ("wait", json!({ "seconds": 0.1 })),
        ("invalidate_cache", json!({})),
        ("get_mobile_app_target_info", json!({})),
        ("launch_app", json!({ "package_name": "com.example.notes" })),
    ] {
        let answer = faulty.call("null-root", tool, args);
        assert!(
            !answer.is_error && !answer.text.contains("\"success\":false"),
            "{tool}: {}",
            answer.text
        );
    }
    assert_eq!(
        faulty.device.served("uiautomator"),
        before,
        "no dump was asked for"
    );
    let answer = faulty.call("null-root", "capture_screenshot", json!({}));
    assert!(answer.text.starts_with("data:image/png;base64,"));
}
