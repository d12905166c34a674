//! Checks that the device's faults become answers, and that the next call finds the device again.

use camino::Utf8PathBuf;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};

use super::*;

struct Fixture {
    device: VirtualDevice,
    client: Client,
    _project: Project,
}

impl Fixture {
    async fn start() -> Self {
        let apps = Utf8PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo"));
        let device = VirtualDevice::start(VirtualDeviceOptions {
            apps: vec![apps],
            ..VirtualDeviceOptions::default()
        })
        .await
        .expect("a virtual device");
        let project = Project::with_demo_app();
        let address = device.address().to_string();
        let client = Client::start(&project, &["--dialect", "scenario", "--device", &address]);
        let mut fixture = Self {
            device,
            client,
            _project: project,
        };
        fixture.says(
            "startTestingScenario",
            json!({ "appPackage": APP }),
            "OK: launched",
        );
        fixture
    }

    /// Asserts the beginning of the answer while the device has this fault.
    #[track_caller]
    fn faulty(&mut self, fault: &str, tool: &str, arguments: Value, start: &str) -> String {
        self.device.clear_faults();
        self.device
            .inject(fault.parse::<FaultSpec>().expect("a fault"));
        let text = self.says(tool, arguments, start);
        self.device.clear_faults();
        text
    }

    #[track_caller]
    fn says(&mut self, tool: &str, arguments: Value, start: &str) -> String {
        begins(&mut self.client, tool, arguments, start)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d04_get_screen_dump_tells_two_failures_apart() {
    let mut fixture = Fixture::start().await;
    fixture.faulty(
        "null-root",
        "getScreenDump",
        json!({}),
        "ERROR: Failed to dump UI hierarchy: ",
    );
    let text = fixture.faulty("truncated-dump", "getScreenDump", json!({}), "ERROR: ");
    assert_eq!(text, "ERROR: Failed to read UI hierarchy XML.");
    fixture.says("getScreenDump", json!({}), "<hierarchy");
}

#[tokio::test(flavor = "multi_thread")]
async fn d03_d06_d15_an_unreadable_screen_is_an_answer() {
    let mut fixture = Fixture::start().await;
    let text = json!({ "text": "Sign in" });
    for tool in [
        "findUiElementsByText",
        "tap",
        "verifyElementVisible",
        "verifyElementNotVisible",
    ] {
        let start = "ERROR: Failed to dump UI hierarchy: ";
        fixture.faulty("slot-taken", tool, text.clone(), start);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn d05_get_screen_size_could_not_be_read() {
    let mut fixture = Fixture::start().await;
    let text = fixture.faulty("command-killed", "getScreenSize", json!({}), "ERROR");
    assert_eq!(text, "ERROR: could not read screen size");
}

#[tokio::test(flavor = "multi_thread")]
async fn d08_input_text_that_does_not_arrive_failed() {
    let mut fixture = Fixture::start().await;
    fixture.faulty(
        "lost-input",
        "inputText",
        json!({ "fieldSelector": "username", "text": "ada" }),
        "ERROR: input text failed: ",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn d06_d07_d08_d09_d13_d14_a_lost_device_is_an_answer_and_is_found_again() {
    let mut fixture = Fixture::start().await;
    for (tool, arguments, start) in [
        (
            "tapByCoordinates",
            json!({ "x": 5, "y": 5 }),
            "ERROR: tap failed: ",
        ),
        ("goBack", json!({}), "ERROR: back failed: "),
        ("hideKeyboard", json!({}), "ERROR: hide keyboard failed: "),
        ("swipeUp", json!({}), "ERROR: vertical scroll failed: "),
        ("swipeDown", json!({}), "ERROR: vertical scroll failed: "),
        (
            "scrollVertically",
            json!({}),
            "ERROR: vertical scroll failed: ",
        ),
        (
            "scrollHorizontally",
            json!({}),
            "ERROR: horizontal scroll failed: ",
        ),
        (
            "launchAppByPackage",
            json!({ "packageName": APP }),
            "ERROR: launch failed: ",
        ),
        (
            "takeScreenshot",
            json!({ "goalName": "lost" }),
            "ERROR: screenshot failed: ",
        ),
        (
            "startScreenRecording",
            json!({}),
            "ERROR: screen recording failed: ",
        ),
    ] {
        fixture.says("getScreenSize", json!({}), "OK: ");
        let text = fixture.faulty("dropped-connection:1", tool, arguments, start);
        assert!(text.contains("was lost"), "{text}");
        fixture.says("getScreenSize", json!({}), "OK: ");
    }
    // The screen is read, then the device goes away.
    for (tool, arguments, start) in [
        (
            "tap",
            json!({ "text": "Sign in", "selectorType": "text" }),
            "ERROR: tap failed: ",
        ),
        (
            "inputText",
            json!({ "fieldSelector": "username", "text": "ada" }),
            "ERROR: input text failed: ",
        ),
    ] {
        fixture.says("getScreenSize", json!({}), "OK: ");
        let text = fixture.faulty("dropped-connection=3:1", tool, arguments, start);
        assert!(text.contains("was lost"), "{text}");
    }
    // The scenario goes on after all of it.
    let start = "ERROR: startTestingScenario was already called";
    fixture.says("startTestingScenario", json!({ "appPackage": APP }), start);
}

#[test]
fn d01_no_device_is_an_answer() {
    let project = Project::with_demo_app();
    let mut client = Client::start(
        &project,
        &["--dialect", "scenario", "--device", "127.0.0.1:1"],
    );
    let text = begins(
        &mut client,
        "startTestingScenario",
        json!({ "appPackage": APP }),
        "ERROR: ",
    );
    assert!(text.contains("127.0.0.1:1"), "{text}");
}

/// R5: what needs no dump asks for none, and works where there is none to be had.
#[tokio::test(flavor = "multi_thread")]
async fn d05_d11_d13_d14_d18_a_size_and_a_picture_need_no_dump() {
    let mut fixture = Fixture::start().await;
    let dumps = |fixture: &Fixture| fixture.device.served("uiautomator");
    let before = dumps(&fixture);
    for (tool, arguments, start) in [
        ("getScreenSize", json!({}), "OK: 1080x2400"),
        ("swipeUp", json!({}), "OK: swiped up on 1080x2400"),
        ("swipeDown", json!({}), "OK: swiped down on 1080x2400"),
        (
            "scrollVertically",
            json!({ "distance": 200 }),
            "OK: scrolled vertically",
        ),
        (
            "scrollHorizontally",
            json!({ "distance": 200 }),
            "OK: scrolled horizontally",
        ),
        (
            "tapByCoordinates",
            json!({ "x": 5, "y": 5 }),
            "TAPPED: (5,5)",
        ),
        ("goBack", json!({}), "OK: pressed back"),
        ("wait", json!({ "ms": 50 }), "OK: waited 50ms"),
    ] {
        fixture.faulty("null-root", tool, arguments, start);
    }
    assert_eq!(dumps(&fixture), before, "no dump was asked for");
    let path = fixture.faulty(
        "null-root",
        "takeScreenshot",
        json!({ "goalName": "A video" }),
        "",
    );
    assert!(path.ends_with("1-a-video.png"), "{path}");
}
