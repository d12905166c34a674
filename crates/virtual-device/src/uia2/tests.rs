//! The server over a stream in memory, with the demo app in front.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::UiAutomator2Server;
use crate::automation::client::{Client, Reply};
use crate::state::DeviceState;
use crate::{Fault, FaultSpec, VirtualDeviceOptions};

const APP: &str = "com.example.notes";

struct Phone {
    state: Arc<DeviceState>,
    server: Arc<UiAutomator2Server>,
    client: Client,
    session: String,
}

fn connect(server: &Arc<UiAutomator2Server>) -> Client {
    let (here, there) = tokio::io::duplex(64 * 1024);
    tokio::spawn(Arc::clone(server).serve(there));
    Client::new(here)
}

impl Phone {
    /// A phone with the demo app in front, and a session about it.
    async fn new() -> Self {
        let demo = Utf8PathBuf::from_path_buf(runner_testing::root().join("examples/demo"));
        let options = VirtualDeviceOptions {
            apps: vec![demo.unwrap()],
            ..VirtualDeviceOptions::default()
        };
        let mut phone = Self::with(&options).await;
        phone
            .state
            .phone()
            .start(APP, None, &BTreeMap::new())
            .unwrap();
        phone
            .begin(json!({ "appium:appPackage": APP, "runner:owner": "host/1" }))
            .await;
        phone
    }

    async fn with(options: &VirtualDeviceOptions) -> Self {
        let state = Arc::new(DeviceState::new(options).unwrap());
        let server = UiAutomator2Server::new(Arc::clone(&state));
        let client = connect(&server);
        let mut phone = Self {
            state,
            server,
            client,
            session: String::new(),
        };
        phone.begin(json!({})).await;
        phone
    }

    async fn begin(&mut self, capabilities: Value) {
        let body = json!({ "capabilities": { "firstMatch": [{}], "alwaysMatch": capabilities } });
        let reply = self.plain("POST", "/session", &body.to_string()).await;
        self.session = reply.json()["sessionId"].as_str().unwrap().to_owned();
    }

    async fn plain(&mut self, method: &str, path: &str, body: &str) -> Reply {
        self.client.ask(method, path, body).await.unwrap()
    }

    async fn ask(&mut self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let path = format!("/session/{}{path}", self.session);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let reply = self.plain(method, &path, &body).await;
        (reply.status, reply.json()["value"].clone())
    }

    async fn get(&mut self, path: &str) -> Value {
        let (status, value) = self.ask("GET", path, Value::Null).await;
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    async fn post(&mut self, path: &str, body: Value) -> Value {
        let (status, value) = self.ask("POST", path, body).await;
        assert_eq!(status, 200, "{path}: {value}");
        value
    }

    async fn error(&mut self, path: &str, body: Value) -> (u16, String) {
        let (status, value) = self.ask("POST", path, body).await;
        assert!(value["message"].is_string() && value["stacktrace"].is_string());
        (
            status,
            value["error"].as_str().unwrap_or_default().to_owned(),
        )
    }

    async fn source(&mut self) -> String {
        self.get("/source").await.as_str().unwrap().to_owned()
    }

    async fn find(&mut self, strategy: &str, selector: &str) -> String {
        let body = json!({ "strategy": strategy, "selector": selector, "context": "" });
        let found = self.post("/element", body).await;
        assert_eq!(
            found["ELEMENT"],
            found["element-6066-11e4-a52e-4f735466cecf"]
        );
        found["ELEMENT"].as_str().unwrap().to_owned()
    }

    async fn texts(&mut self, strategy: &str, selector: &str) -> Vec<String> {
        let body = json!({ "strategy": strategy, "selector": selector });
        let found = self.post("/elements", body).await;
        let mut texts = Vec::new();
        for element in found.as_array().unwrap() {
            let id = element["ELEMENT"].as_str().unwrap();
            let text = self.get(&format!("/element/{id}/text")).await;
            texts.push(text.as_str().unwrap().to_owned());
        }
        texts
    }

    async fn type_into(&mut self, id: &str, text: &str) {
        let field = self.find("id", id).await;
        let body = json!({ "text": text, "replace": true });
        self.post(&format!("/element/{field}/value"), body).await;
    }

    async fn sign_in(&mut self) {
        self.type_into("username", "ada").await;
        self.type_into("password", "lovelace").await;
        let button = self.find("id", "sign_in").await;
        self.post(&format!("/element/{button}/click"), json!({}))
            .await;
        assert!(self.source().await.contains("text=\"Inbox\""));
    }

    fn log(&self) -> Vec<String> {
        let log = self.state.log();
        log.since(0).map(|line| line.message.clone()).collect()
    }

    fn logged(&self, part: &str) -> bool {
        self.log().iter().any(|line| line.contains(part))
    }
}

#[tokio::test]
async fn a_session_begins_and_ends() {
    let mut phone = Phone::new().await;
    let status = phone.plain("GET", "/status", "").await;
    assert!(
        status
            .head
            .to_lowercase()
            .contains("content-type: application/json")
    );
    assert_eq!(
        status.json(),
        json!({ "sessionId": "None", "value": { "ready": true,
            "message": "UiAutomator2 Server is ready to accept commands",
            "build": { "version": "10.6.6", "versionCode": 278 } } })
    );
    let sessions = phone.plain("GET", "/sessions", "").await.json();
    let session = &sessions["value"][0];
    assert_eq!(session["id"], phone.session.as_str());
    assert_eq!(session["capabilities"]["runner:owner"], "host/1");
    assert_eq!(session["capabilities"]["appPackage"], APP);
    // Another session replaces it silently.
    let first = phone.session.clone();
    phone.begin(json!({ "snapshotMaxDepth": 3 })).await;
    assert_ne!(first, phone.session);
    assert_eq!(phone.get("/appium/settings").await["snapshotMaxDepth"], 3);
    let old = phone
        .plain("GET", &format!("/session/{first}/source"), "")
        .await;
    assert_eq!(
        (old.status, &old.json()["value"]["error"]),
        (404, &json!("invalid session id"))
    );
    assert_eq!(old.json()["sessionId"], first.as_str());
    let ended = phone.server.ended();
    assert_eq!(phone.ask("DELETE", "", Value::Null).await.0, 200);
    ended.cancelled().await;
    assert!(phone.client.ask("GET", "/status", "").await.is_none());
}

#[tokio::test]
async fn what_is_unknown_is_refused() {
    let mut phone = Phone::new().await;
    for (method, path, body, status, error) in [
        ("GET", "/nothing", "", 404, "unknown command"),
        ("PUT", "/status", "", 404, "unknown command"),
        (
            "GET",
            "/session/x/element/active/y/z",
            "",
            404,
            "unknown command",
        ),
        ("POST", "/session", "{", 500, "session not created"),
        ("POST", "/session", "{}", 500, "session not created"),
        ("POST", "/session/S/element", "{", 400, "invalid argument"),
        ("POST", "/session/S/element", "[]", 400, "invalid argument"),
        ("POST", "/session/S/actions", "{}", 400, "invalid argument"),
        (
            "POST",
            "/session/S/keys",
            "{\"text\":\"a\"}",
            404,
            "no such element",
        ),
        ("GET", "/session/S/alert/text", "", 404, "no such alert"),
        (
            "GET",
            "/session/S/element/x/rect",
            "",
            404,
            "no such element",
        ),
        (
            "POST",
            "/session/S/appium/device/press_keycode",
            "{\"keycode\":9999}",
            400,
            "invalid element state",
        ),
        (
            "POST",
            "/session/S/rotation",
            "{\"z\":45}",
            400,
            "invalid argument",
        ),
        (
            "POST",
            "/session/S/appium/device/set_clipboard",
            "{\"content\":\"?\"}",
            400,
            "invalid argument",
        ),
    ] {
        let path = path.replace("/S", &format!("/{}", phone.session));
        let reply = phone.plain(method, &path, body).await;
        let value = &reply.json()["value"];
        assert_eq!(
            (reply.status, value["error"].as_str()),
            (status, Some(error)),
            "{method} {path} {body}"
        );
    }
    let long = "x".repeat(70_000);
    assert_eq!(phone.plain("POST", "/session", &long).await.status, 413);
    // Bytes that are no HTTP end their connection, and nothing else.
    for bytes in [
        &b"\0\xff\xfe\r\n\r\n"[..],
        b"GET / HTTP/9.9\r\n\r\n",
        b"POST /session HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    ] {
        let mut other = connect(&phone.server);
        other.write(bytes).await;
        let _ = other.receive().await;
    }
    assert_eq!(
        connect(&phone.server)
            .ask("GET", "/status", "")
            .await
            .unwrap()
            .status,
        200
    );
}

#[tokio::test]
async fn settings_are_kept_and_change_the_source() {
    let mut phone = Phone::new().await;
    let body =
        json!({ "settings": { "waitForIdleTimeout": 0, "unknown": 1, "snapshotMaxDepth": 9999 } });
    phone.post("/appium/settings", body).await;
    let settings = phone.get("/appium/settings").await;
    assert_eq!(settings["waitForIdleTimeout"], 0);
    // As on phones, what cannot be had changes nothing.
    assert_eq!(settings["snapshotMaxDepth"], 70);
    assert_eq!(settings["unknown"], Value::Null);
    assert_eq!(settings.as_object().unwrap().len(), 35);
    let wrong = json!({ "settings": { "enableMultiWindows": "yes" } });
    assert_eq!(
        phone.error("/appium/settings", wrong).await,
        (400, "invalid argument".into())
    );

    let one = phone.source().await;
    let set = |name: &str, value: Value| {
        let mut settings = serde_json::Map::new();
        settings.insert(name.to_owned(), value);
        json!({ "settings": settings })
    };
    phone
        .post("/appium/settings", set("enableMultiWindows", json!(true)))
        .await;
    let all = phone.source().await;
    assert!(!one.contains("com.android.systemui") && all.contains("com.android.systemui"));
    let windows = phone
        .post("/appium/list_windows", json!({ "skipScreenshots": true }))
        .await;
    for window in windows.as_array().unwrap() {
        let id = format!("window-id=\"{}\"", window["windowId"]);
        assert!(all.contains(&id), "{window}");
        assert_eq!(window["screenshot"], Value::Null);
    }
    let app = &windows
        .as_array()
        .unwrap()
        .iter()
        .find(|window| window["packageName"] == APP)
        .unwrap();
    assert_eq!(
        (&app["type"], &app["isActive"], &app["isFocused"]),
        (&json!(1), &json!(true), &json!(true))
    );
    assert_eq!(
        app["rect"],
        json!({ "x": 0, "y": 0, "width": 1080, "height": 2400 })
    );
    let filter = json!({ "filters": { "packageName": "com.example.*" }, "skipScreenshots": true });
    assert_eq!(
        phone
            .post("/appium/list_windows", filter)
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );

    phone
        .post("/appium/settings", set("enableMultiWindows", json!(false)))
        .await;
    phone
        .post("/appium/settings", set("snapshotMaxDepth", json!(1)))
        .await;
    assert_eq!(phone.source().await.matches("bounds=").count(), 1);
    phone
        .post("/appium/settings", set("snapshotMaxDepth", json!(70)))
        .await;
    phone
        .post(
            "/appium/settings",
            set("includeA11yActionsInPageSource", json!(true)),
        )
        .await;
    assert!(phone.source().await.contains("ACTION_SET_TEXT"));
}

#[tokio::test]
async fn the_source_is_written_as_the_server_does() {
    let mut phone = Phone::new().await;
    let source = phone.source().await;
    let head = "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy index=\"0\" class=\"hierarchy\" rotation=\"0\" width=\"1080\" height=\"2400\">\r\n  <android.";
    assert!(source.starts_with(head), "{source}");
    assert!(source.ends_with("\r\n</hierarchy>"));
    let field = source
        .lines()
        .find(|line| line.contains("id/username"))
        .unwrap();
    assert_eq!(
        field.trim(),
        "<android.widget.EditText index=\"3\" package=\"com.example.notes\" class=\"android.widget.EditText\" text=\"Username\" resource-id=\"com.example.notes:id/username\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" focused=\"false\" long-clickable=\"true\" password=\"false\" scrollable=\"false\" selected=\"false\" bounds=\"BOUNDS\" displayed=\"true\" hint=\"Username\" a11y-important=\"true\" screen-reader-focusable=\"false\" input-type=\"1\" drawing-order=\"4\" showing-hint=\"true\" text-entry-key=\"false\" dismissable=\"false\" a11y-focused=\"false\" heading=\"false\" live-region=\"0\" context-clickable=\"false\" content-invalid=\"false\" window-id=\"1\" />"
            .replace("BOUNDS", field.split("bounds=\"").nth(1).unwrap().split('"').next().unwrap())
    );
    assert!(
        source.contains("content-desc=\"Hills at dawn\"") && !source.contains("content-desc=\"\"")
    );
    // A toast is in the source while it is shown.
    let forgot = phone.find("id", "forgot").await;
    phone
        .post(&format!("/element/{forgot}/click"), json!({}))
        .await;
    let source = phone.source().await;
    assert!(source.contains("<android.widget.Toast index=\"1\" package=\"com.android.settings\" class=\"android.widget.Toast\" text=\"Ask the administrator for a new password\" displayed=\"true\" />"), "{source}");
    let toast = "//android.widget.Toast[1]";
    let text = phone.texts("xpath", toast).await;
    assert_eq!(text, ["Ask the administrator for a new password"]);
    assert!(
        phone
            .texts("class name", "android.widget.Toast")
            .await
            .is_empty()
    );
    phone.state.pass(Duration::from_secs(3));
    assert!(!phone.source().await.contains("Toast"));
    assert!(phone.texts("xpath", toast).await.is_empty());
}

#[tokio::test]
async fn elements_are_found_by_every_strategy() {
    let mut phone = Phone::new().await;
    for (strategy, selector) in [
        ("id", "username"),
        ("id", "com.example.notes:id/username"),
        ("class name", "android.widget.EditText"),
        ("class name", ".EditText"),
        ("xpath", "//android.widget.EditText[1]"),
        ("xpath", "//*[@text='Username']"),
        (
            "xpath",
            "//*[@resource-id='com.example.notes:id/username' and @clickable='true']",
        ),
        ("xpath", "/hierarchy//*[@hint='Username']"),
        (
            "-android uiautomator",
            "new UiSelector().text(\"Username\")",
        ),
        (
            "-android uiautomator",
            "new UiSelector().resourceIdMatches(\".*/user.*\")",
        ),
        (
            "-android uiautomator",
            "new UiSelector().className(\"android.widget.EditText\").instance(0)",
        ),
        (
            "-android uiautomator",
            "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().textContains(\"user\"))",
        ),
    ] {
        let id = phone.find(strategy, selector).await;
        let name = phone
            .get(&format!("/element/{id}/attribute/resource-id"))
            .await;
        assert_eq!(
            name, "com.example.notes:id/username",
            "{strategy} {selector}"
        );
    }
    let image = phone.find("accessibility id", "Hills at dawn").await;
    assert_eq!(
        phone.get(&format!("/element/{image}/name")).await,
        "Hills at dawn"
    );
    assert_eq!(
        phone.texts("xpath", "//android.widget.EditText").await,
        ["Username", "Password"]
    );
    assert_eq!(
        phone
            .texts("-android uiautomator", ".classNameMatches(\".*EditText\")")
            .await,
        ["Username", "Password"]
    );
    assert!(phone.texts("id", "nothing").await.is_empty());

    let find =
        |strategy: &str, selector: &str| json!({ "strategy": strategy, "selector": selector });
    assert_eq!(
        phone.error("/element", find("id", "nothing")).await,
        (404, "no such element".into())
    );
    for (strategy, selector) in [
        ("css selector", "#a"),
        ("xpath", "//*["),
        ("-android uiautomator", "new UiSelector().foo(1)"),
    ] {
        assert_eq!(
            phone.error("/element", find(strategy, selector)).await,
            (400, "invalid selector".into())
        );
    }
    // In another element only.
    let field = phone.find("id", "password").await;
    let inside =
        json!({ "strategy": "class name", "selector": "android.widget.Button", "context": field });
    assert_eq!(
        phone.error("/element", inside).await,
        (404, "no such element".into())
    );

    let rect = phone.get(&format!("/element/{field}/rect")).await;
    assert!(rect["width"].as_i64().unwrap() > 500, "{rect}");
    let picture = phone.get(&format!("/element/{field}/screenshot")).await;
    let picture = STANDARD.decode(picture.as_str().unwrap()).unwrap();
    let picture = image::load_from_memory(&picture).unwrap();
    assert_eq!(
        (i64::from(picture.width()), i64::from(picture.height())),
        (
            rect["width"].as_i64().unwrap(),
            rect["height"].as_i64().unwrap()
        )
    );
    let (status, value) = phone
        .ask(
            "GET",
            &format!("/element/{field}/attribute/foo"),
            Value::Null,
        )
        .await;
    assert_eq!((status, &value["error"]), (404, &json!("unknown command")));
}

#[tokio::test]
async fn elements_that_are_gone_are_stale() {
    let mut phone = Phone::new().await;
    let button = phone.find("id", "sign_in").await;
    phone.sign_in().await;
    let (status, value) = phone
        .ask("POST", &format!("/element/{button}/click"), json!({}))
        .await;
    assert_eq!(
        (status, &value["error"]),
        (404, &json!("stale element reference"))
    );
    // An element outlives a change of its text.
    let search = phone.find("class name", "android.widget.EditText").await;
    let body = json!({ "text": "sch", "replace": true });
    phone.post(&format!("/element/{search}/value"), body).await;
    assert_eq!(phone.get(&format!("/element/{search}/text")).await, "sch");
}

#[tokio::test]
async fn texts_of_any_script_are_set_and_logged() {
    let mut phone = Phone::new().await;
    let field = phone.find("id", "username").await;
    let value = format!("/element/{field}/value");
    phone
        .post(&value, json!({ "text": "Zürich 東京 🙂", "replace": true }))
        .await;
    let text = format!("/element/{field}/text");
    assert_eq!(phone.get(&text).await, "Zürich 東京 🙂");
    assert!(phone.logged("Sending text to element: Zürich 東京 🙂"));
    assert!(
        phone
            .source()
            .await
            .contains("text=\"Zürich 東京 &#128578;\"")
    );
    phone
        .post(&value, json!({ "text": "!", "replace": false }))
        .await;
    // The server takes the hint that shows once the field is cleared for all that there was.
    assert_eq!(phone.get(&text).await, "!");
    phone
        .post(&format!("/element/{field}/clear"), json!({}))
        .await;
    assert_eq!(phone.get(&text).await, "Username");
    // A hint is not appended to.
    phone.post(&value, json!({ "text": "a" })).await;
    assert_eq!(phone.get(&text).await, "a");
    let secret = phone.find("id", "password").await;
    let value = format!("/element/{secret}/value");
    phone.post(&value, json!({ "text": "ab" })).await;
    assert_eq!(phone.get(&format!("/element/{secret}/text")).await, "••");
    let button = phone.find("id", "sign_in").await;
    let refused = phone
        .error(&format!("/element/{button}/value"), json!({ "text": "x" }))
        .await;
    assert_eq!(refused, (400, "invalid element state".into()));
    // What has the focus takes keys without a name.
    phone
        .post(&format!("/element/{field}/click"), json!({}))
        .await;
    let active = phone.get("/element/active").await;
    assert_eq!(active["ELEMENT"], field.as_str());
    phone
        .post("/keys", json!({ "text": "grace", "replace": true }))
        .await;
    assert_eq!(phone.get(&text).await, "grace");
}

#[tokio::test]
async fn fields_without_a_hint_are_appended_to() {
    let mut phone = Phone::with(&VirtualDeviceOptions::new(crate::stub::factory())).await;
    for (text, shown) in [("ab", "ab"), ("c", "abc"), ("\\n", "abc\\n")] {
        phone.post("/keys", json!({ "text": text })).await;
        let field = phone.find("class name", "android.widget.EditText").await;
        let text = phone.get(&format!("/element/{field}/text")).await;
        assert_eq!(text, shown);
    }
}

#[tokio::test]
async fn bars_have_numbers() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    phone
        .state
        .phone()
        .start(APP, Some(".Form"), &BTreeMap::new())
        .unwrap();
    let scroll = "new UiScrollable(new UiSelector().scrollable(true)).scrollIntoView(new UiSelector().className(\"android.widget.SeekBar\"))";
    let bar = phone.find("-android uiautomator", scroll).await;
    let text = format!("/element/{bar}/text");
    let before = phone.get(&text).await;
    assert!(before.as_str().unwrap().ends_with(".0"), "{before}");
    phone
        .post(&format!("/element/{bar}/value"), json!({ "text": "4" }))
        .await;
    assert_eq!(phone.get(&text).await, "4.0");
    assert!(phone.source().await.contains("text=\"4.0\""));
    let wrong = phone
        .error(&format!("/element/{bar}/value"), json!({ "text": "x" }))
        .await;
    assert_eq!(wrong, (400, "invalid argument".into()));
    assert_eq!(
        phone
            .texts("xpath", "//android.widget.SeekBar[@text='4.0']")
            .await,
        ["4.0"]
    );
}

fn finger(id: &str, items: Value) -> Value {
    json!({ "type": "pointer", "id": id, "parameters": { "pointerType": "touch" }, "actions": items })
}

fn way(from: (i32, i32), to: (i32, i32)) -> Value {
    json!([
        { "type": "pointerMove", "duration": 0, "x": from.0, "y": from.1, "origin": "viewport" },
        { "type": "pointerDown", "button": 0 },
        { "type": "pointerMove", "duration": 200, "x": to.0, "y": to.1 },
        { "type": "pointerUp", "button": 0 },
    ])
}

#[tokio::test]
async fn several_fingers_arrive_together() {
    let mut phone = Phone::new().await;
    let pinch = json!({ "actions": [
        finger("a", way((500, 1200), (500, 800))),
        finger("b", way((500, 1300), (500, 1700))),
    ] });
    phone.post("/actions", pinch).await;
    assert!(phone.logged("2 fingers, (500, 1200) to (500, 800) until 200 ms, (500, 1300) to (500, 1700) until 200 ms, scale 9.00"), "{:?}", phone.log());
    let body =
        json!({ "area": { "left": 100, "top": 400, "width": 800, "height": 800 }, "percent": 0.5 });
    phone
        .post("/appium/gestures/pinch_open", body.clone())
        .await;
    phone.post("/appium/gestures/pinch_close", body).await;
    let pinches: Vec<String> = phone
        .log()
        .into_iter()
        .filter(|line| line.contains("scale"))
        .collect();
    assert_eq!(pinches.len(), 3);
    assert!(
        pinches[1].starts_with("2 fingers, (495, 805) to (300, "),
        "{pinches:?}"
    );
}

#[tokio::test]
async fn pointers_and_keys_share_one_line_of_time() {
    let mut phone = Phone::new().await;
    let field = phone.find("id", "username").await;
    let element = json!({ "element-6066-11e4-a52e-4f735466cecf": field });
    let tap = finger(
        "f",
        json!([
            { "type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": element },
            { "type": "pointerDown" }, { "type": "pause", "duration": 60 }, { "type": "pointerUp" },
        ]),
    );
    let keys = json!({ "type": "key", "id": "k", "actions": [
        { "type": "pause", "duration": 100 },
        { "type": "keyDown", "value": "a" }, { "type": "keyUp", "value": "a" },
        { "type": "keyDown", "value": "B" }, { "type": "keyUp", "value": "B" },
        { "type": "keyDown", "value": "\u{e003}" }, { "type": "keyUp", "value": "\u{e003}" },
    ] });
    phone
        .post("/actions", json!({ "actions": [tap, keys] }))
        .await;
    assert_eq!(phone.get(&format!("/element/{field}/text")).await, "a");
    assert!(phone.logged("1 finger"));
    let japanese =
        json!({ "type": "key", "id": "k", "actions": [{ "type": "keyDown", "value": "東" }] });
    assert_eq!(
        phone
            .error("/actions", json!({ "actions": [japanese] }))
            .await,
        (400, "invalid element state".into())
    );
    for wrong in [
        json!([{ "type": "wheel", "id": "w", "actions": [] }]),
        json!([finger("f", json!([{ "type": "pointerDown" }]))]),
        json!([finger("f", json!([{ "type": "pause" }]))]),
        json!([finger("f", json!([{ "type": "pause", "duration": -1 }]))]),
        json!([finger("f", json!([{ "type": "keyDown", "value": "a" }]))]),
        json!([finger("f", json!([])), finger("f", json!([]))]),
        json!([finger(
            "f",
            json!([{ "type": "pointerMove", "duration": 1, "origin": "pointer" }])
        )]),
    ] {
        let error = phone.error("/actions", json!({ "actions": wrong })).await;
        assert_eq!(error, (400, "invalid argument".into()), "{wrong}");
    }
    let far = finger("f", way((i32::MAX, i32::MIN), (i32::MIN, i32::MAX)));
    phone.post("/actions", json!({ "actions": [far] })).await;
}

#[tokio::test]
async fn gestures_scroll_and_click() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    let area = json!({ "left": 0, "top": 600, "width": 1080, "height": 1500 });
    let scroll = |direction: &str| json!({ "area": area, "direction": direction, "percent": 1.0 });
    let top = phone.source().await;
    assert_eq!(
        phone.post("/appium/gestures/scroll", scroll("down")).await,
        true
    );
    let below = phone.source().await;
    assert_ne!(top, below);
    phone.post("/appium/gestures/swipe", scroll("down")).await;
    assert_eq!(
        phone.post("/appium/gestures/scroll", scroll("up")).await,
        false
    );
    assert_eq!(phone.source().await, top);
    let fling = json!({ "area": area, "direction": "down" });
    assert_eq!(phone.post("/appium/gestures/fling", fling).await, true);
    for (path, body) in [
        ("click", json!({ "offset": { "x": 100, "y": 100 } })),
        ("double_click", json!({ "offset": { "x": 100, "y": 100 } })),
        (
            "long_click",
            json!({ "locator": { "strategy": "class name", "selector": "android.widget.EditText" }, "duration": 700 }),
        ),
        (
            "drag",
            json!({ "start": { "x": 500, "y": 1500 }, "end": { "x": 500, "y": 900 } }),
        ),
    ] {
        phone.post(&format!("/appium/gestures/{path}"), body).await;
        let empty = phone
            .error(&format!("/appium/gestures/{path}"), json!({}))
            .await;
        assert_eq!(empty, (400, "invalid argument".into()), "{path}");
    }
    let sideways = json!({ "area": area, "direction": "sideways", "percent": 1.0 });
    assert_eq!(phone.error("/appium/gestures/swipe", sideways).await.0, 400);
}

#[tokio::test]
async fn the_device_is_asked_and_turned() {
    let mut phone = Phone::new().await;
    assert_eq!(
        phone.get("/window/current/size").await,
        json!({ "width": 1080, "height": 2400 })
    );
    assert_eq!(phone.get("/appium/device/display_density").await, 420);
    assert_eq!(phone.get("/appium/device/pixel_ratio").await, 2.625);
    assert_eq!(
        phone.get("/appium/device/system_bars").await["statusBar"],
        63
    );
    let info = phone.get("/appium/device/info").await;
    assert_eq!(
        (&info["apiVersion"], &info["realDisplaySize"]),
        (&json!("34"), &json!("1080x2400"))
    );
    let apps = phone.get("/appium/device/apps").await;
    assert!(apps.as_array().unwrap().contains(&json!({ "packageName": APP, "packageActivity": "com.example.notes.SignIn", "appName": "Notes" })), "{apps}");
    assert_eq!(
        phone
            .post("/orientation", json!({ "orientation": "LANDSCAPE" }))
            .await,
        "LANDSCAPE"
    );
    assert_eq!(phone.get("/rotation").await["z"], 270);
    assert!(
        phone
            .source()
            .await
            .contains("rotation=\"3\" width=\"2400\" height=\"1080\"")
    );
    assert_eq!(
        phone.post("/rotation", json!({ "z": 0 })).await,
        "ROTATION_0"
    );
    assert_eq!(phone.get("/orientation").await, "PORTRAIT");
    let text = STANDARD.encode("Zürich 🙂");
    phone
        .post(
            "/appium/device/set_clipboard",
            json!({ "content": text, "contentType": "plaintext" }),
        )
        .await;
    assert_eq!(
        phone.state.phone().clipboard().as_deref(),
        Some("Zürich 🙂")
    );
    // Android 10 and later do not let it read.
    assert_eq!(
        phone.post("/appium/device/get_clipboard", json!({})).await,
        ""
    );
    phone
        .post("/appium/device/open_notifications", json!({}))
        .await;
    assert!(phone.source().await.contains("com.android.systemui"));
    phone.post("/back", json!({})).await;
    phone
        .post("/appium/device/press_keycode", json!({ "keycode": 3 }))
        .await;
    assert!(phone.source().await.contains("com.android.launcher"));
    let picture = phone.get("/screenshot").await;
    let picture =
        image::load_from_memory(&STANDARD.decode(picture.as_str().unwrap()).unwrap()).unwrap();
    assert_eq!((picture.width(), picture.height()), (1080, 2400));
    phone.post("/appium/reset_ax_cache", json!({})).await;
    assert_eq!(
        phone.post("/appium/list_displays", json!({})).await[0]["metrics"]["densityDpi"],
        420
    );
}

#[tokio::test]
async fn requests_may_come_together() {
    let mut phone = Phone::new().await;
    let path = |end: &str| format!("/session/{}{end}", phone.session);
    let (source, windows) = (path("/source"), path("/appium/list_windows"));
    phone.client.send("GET", &source, "").await;
    phone
        .client
        .send("POST", &windows, "{\"skipScreenshots\":true}")
        .await;
    let first = phone.client.receive().await.unwrap().json();
    let second = phone.client.receive().await.unwrap().json();
    assert!(first["value"].is_string() && second["value"].is_array());
    assert_eq!(phone.state.served("uia2 GET /source"), 1);
}

#[tokio::test]
async fn without_automation_only_the_status_answers() {
    let mut phone = Phone::new().await;
    phone.server.disconnect_automation();
    assert_eq!(phone.plain("GET", "/status", "").await.status, 200);
    for (method, path, body) in [
        ("GET", "/source", Value::Null),
        ("GET", "/screenshot", Value::Null),
        ("POST", "/back", json!({})),
        ("POST", "/actions", json!({ "actions": [] })),
        (
            "POST",
            "/element",
            json!({ "strategy": "id", "selector": "a" }),
        ),
    ] {
        let (status, value) = phone.ask(method, path, body).await;
        assert_eq!(status, 500, "{path}");
        assert!(
            value["message"]
                .as_str()
                .unwrap()
                .contains("UiAutomation not connected!")
        );
    }
}

#[tokio::test]
async fn faults_show() {
    let mut phone = Phone::new().await;
    let source = format!("/session/{}/source", phone.session);
    let whole = phone.plain("GET", &source, "").await;
    phone
        .state
        .faults
        .inject(FaultSpec::once(Fault::Uia2CutLook));
    assert!(phone.client.ask("GET", &source, "").await.is_none());
    let mut client = connect(&phone.server);
    phone
        .state
        .faults
        .inject(FaultSpec::once(Fault::Uia2HugeLook));
    let huge = client.ask("GET", &source, "").await.unwrap();
    assert_eq!(
        (huge.body.len(), huge.json()),
        (50 * 1024 * 1024, whole.json())
    );
    phone
        .state
        .faults
        .inject(FaultSpec::once(Fault::Uia2HungLook));
    let mut hung = connect(&phone.server);
    let waiting = tokio::time::timeout(Duration::from_millis(50), hung.ask("GET", &source, ""));
    assert!(waiting.await.is_err());
    phone
        .state
        .faults
        .inject(FaultSpec::once(Fault::Uia2StaleSession));
    let stale = client.ask("GET", &source, "").await.unwrap();
    assert_eq!(stale.json()["value"]["error"], "invalid session id");
    phone.client = connect(&phone.server);
    phone.begin(json!({})).await;
    phone
        .state
        .faults
        .inject(FaultSpec::once(Fault::Uia2Killed));
    let source = format!("/session/{}/source", phone.session);
    assert!(phone.client.ask("GET", &source, "").await.is_none());
    assert!(phone.server.ended().is_cancelled());
}

#[tokio::test]
async fn permission_dialogs_are_alerts() {
    let mut phone = Phone::new().await;
    phone.sign_in().await;
    let start = |phone: &Phone| {
        let mut screen = phone.state.phone();
        screen
            .start(APP, Some(".Settings"), &BTreeMap::new())
            .unwrap();
    };
    for (path, body, result) in [
        ("dismiss", json!({}), "Notifications are off"),
        ("accept", json!({}), "Notifications are allowed"),
        (
            "accept",
            json!({ "buttonLabel": "Don’t allow" }),
            "Notifications are off",
        ),
    ] {
        phone.state.phone().clear(APP);
        phone
            .state
            .phone()
            .start(APP, None, &BTreeMap::new())
            .unwrap();
        start(&phone);
        let button = phone.find("id", "notifications_button").await;
        phone
            .post(&format!("/element/{button}/click"), json!({}))
            .await;
        let text = phone.get("/alert/text").await;
        let text = text.as_str().unwrap();
        assert!(
            text.starts_with("Allow Notes to send you notifications?"),
            "{text}"
        );
        phone.post(&format!("/alert/{path}"), body).await;
        assert!(phone.source().await.contains(result), "{path}");
        assert_eq!(phone.error("/alert/accept", json!({})).await.0, 404);
    }
}

/// Parts of locators.
const PARTS: [&str; 40] = [
    "//",
    "/",
    "*",
    "[",
    "]",
    "(",
    ")",
    "@text",
    "@*",
    "'a'",
    "\"b\"",
    "1",
    "-1",
    "9e9",
    "=",
    "!=",
    "<",
    " and ",
    " or ",
    " div ",
    " mod ",
    "+",
    "|",
    "..",
    ".",
    "::",
    "ancestor",
    "following",
    "contains(",
    "substring(",
    "translate(",
    "matches(",
    "last()",
    "position()",
    ",",
    "new UiSelector()",
    ".text(",
    ".index(1)",
    ".childSelector(",
    ";",
];

proptest::proptest! {
    #[test]
    fn no_locator_breaks(parts in proptest::collection::vec(proptest::sample::select(&PARTS[..]), 0..30), text in ".{0,40}") {
        super::finds_by(&parts.concat());
        super::finds_by(&text);
    }
}

/// A client that other people wrote, over TCP, with two requests on one connection.
#[tokio::test]
async fn curl_keeps_its_connection() {
    if !runner_testing::program("curl") {
        return;
    }
    let phone = Phone::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = Arc::clone(&phone.server);
    let accepted = tokio::spawn(async move {
        let mut connections = 0;
        while let Ok((stream, _)) = listener.accept().await {
            connections += 1;
            tokio::spawn(Arc::clone(&server).serve(stream));
            if connections == 2 {
                break;
            }
        }
    });
    let source = format!("{url}/session/{}/source", phone.session);
    let output = tokio::process::Command::new("curl")
        .args([
            "-sS",
            "-v",
            "--max-time",
            "30",
            &format!("{url}/status"),
            &source,
        ])
        .output()
        .await
        .unwrap();
    let (out, err) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );
    assert!(output.status.success(), "{err}");
    assert!(out.contains("ready to accept commands") && out.contains("<hierarchy"));
    assert!(err.contains("Re-using existing"), "{err}");
    accepted.abort();
}

/// What Appium's driver sent to a stand-in is answered without an unknown command.
#[tokio::test]
async fn recorded_requests_are_answered() {
    let Some(log) = runner_testing::recorded_text("appium/appium-to-uia2.log") else {
        return;
    };
    let mut phone = Phone::new().await;
    let mut seen = 0;
    for line in log.lines().filter_map(|line| line.strip_prefix(">>> ")) {
        let mut parts = line.splitn(3, ' ');
        let (method, path) = (parts.next().unwrap(), parts.next().unwrap());
        let body = parts.next().unwrap_or_default().trim();
        if method == "DELETE" || path.starts_with("/session/x/") {
            continue;
        }
        let path = path.replace("a1b2c3d4-0000-4000-8000-000000000001", &phone.session);
        let reply = phone.plain(method, &path, body).await;
        let answer = reply.json();
        let error = answer["value"]["error"].as_str();
        // The stand-in's elements are not the phone's.
        let expected = matches!(error, None | Some("no such element"));
        assert!(
            expected && (error.is_none() || path.contains("/element")),
            "{line}: {answer}"
        );
        if path == "/session" {
            phone.session = answer["sessionId"].as_str().unwrap().to_owned();
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen}");
}
