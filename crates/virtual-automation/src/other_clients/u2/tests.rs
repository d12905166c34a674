//! Tests of the server over a stream in memory, with the demo app in front.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::Server;
use crate::other_clients::testing::Client;
use runner_virtual_device::automation::DeviceState;
use runner_virtual_device::{Quirk, VirtualDeviceOptions};

const APP: &str = "com.example.notes";

struct Phone {
    state: Arc<DeviceState>,
    server: Arc<Server>,
    client: Client,
}

fn connect(server: &Arc<Server>) -> Client {
    let (here, there) = tokio::io::duplex(64 * 1024);
    tokio::spawn(Arc::clone(server).serve(there));
    Client::new(here)
}

/// Returns a selector by text.
fn text(text: &str) -> Value {
    json!({ "mask": 1, "childOrSibling": [], "childOrSiblingSelector": [], "text": text })
}

fn class(name: &str) -> Value {
    json!({ "mask": 0x10, "childOrSibling": [], "childOrSiblingSelector": [], "className": name })
}

fn id(name: &str) -> Value {
    json!({ "mask": 0x20_0000, "resourceId": format!("{APP}:id/{name}") })
}

impl Phone {
    fn new() -> Self {
        Self::with(Vec::new())
    }

    fn with(quirks: Vec<Quirk>) -> Self {
        let demo = Utf8PathBuf::from_path_buf(runner_testing::root().join("examples/demo"));
        let options = VirtualDeviceOptions {
            apps: vec![demo.unwrap()],
            quirks,
            ..VirtualDeviceOptions::default()
        };
        let state = Arc::new(DeviceState::new(&options).unwrap());
        state.phone().start(APP, None, &BTreeMap::new()).unwrap();
        let server = Server::new(Arc::clone(&state));
        let client = connect(&server);
        Self {
            state,
            server,
            client,
        }
    }

    async fn answer(&mut self, method: &str, params: Value) -> Value {
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let reply = self
            .client
            .ask("POST", "/jsonrpc/0", &body.to_string())
            .await
            .unwrap();
        assert_eq!(reply.status, 200);
        let answer = reply.json();
        assert_eq!(
            (&answer["jsonrpc"], &answer["id"]),
            (&json!("2.0"), &json!(1))
        );
        answer
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        let answer = self.answer(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    async fn error(&mut self, method: &str, params: Value) -> (i64, String) {
        let error = self.answer(method, params).await["error"].clone();
        assert!(error["data"].is_string());
        (
            error["code"].as_i64().unwrap(),
            error["message"].as_str().unwrap().to_owned(),
        )
    }

    fn logged(&self, part: &str) -> bool {
        let messages = self.state.messages();
        messages.iter().any(|message| message.contains(part))
    }

    async fn sign_in(&mut self) {
        self.call("setText", json!([id("username"), "ada"])).await;
        self.call("setText", json!([id("password"), "lovelace"]))
            .await;
        self.call("click", json!([id("sign_in")])).await;
        assert_eq!(self.call("exist", json!([text("Inbox")])).await, true);
    }
}

#[tokio::test]
async fn the_server_answers_and_ends() {
    let mut phone = Phone::new();
    let pong = phone.client.ask("GET", "/ping", "").await.unwrap();
    assert_eq!(pong.body, b"pong");
    assert_eq!(phone.client.ask("GET", "/x", "").await.unwrap().status, 404);
    let info = phone.call("deviceInfo", json!({})).await;
    assert_eq!(
        info,
        json!({ "currentPackageName": APP, "displayHeight": 2400, "displayRotation": 0,
            "displaySizeDpX": 411, "displaySizeDpY": 914, "displayWidth": 1080,
            "naturalOrientation": true, "productName": "virtual", "screenOn": true, "sdkInt": 34 })
    );
    for (key, on) in [("sleep", false), ("wakeUp", true)] {
        phone.call(key, json!([])).await;
        let info = phone.call("deviceInfo", json!({})).await;
        let said = phone.call("isScreenOn", json!([])).await;
        assert_eq!((&info["screenOn"], said), (&json!(on), json!(on)), "{key}");
    }
    assert_eq!(phone.error("nothing", json!([])).await.0, -32601);
    assert_eq!(phone.error("click", json!(["x"])).await.0, -32602);
    assert_eq!(phone.error("exist", json!([1])).await.0, -32602);
    for (body, code) in [("{", -32700), ("[]", -32600), ("{\"id\":1}", -32600)] {
        let reply = phone.client.ask("POST", "/jsonrpc/0", body).await.unwrap();
        assert_eq!(reply.json()["error"]["code"], code, "{body}");
    }
    phone.client.ask("GET", "/stop", "").await.unwrap();
    phone.server.ended().cancelled().await;
}

#[tokio::test]
async fn the_hierarchy_has_all_windows() {
    let mut phone = Phone::new();
    phone.call("setText", json!([id("username"), "a🙂"])).await;
    let all = phone.call("dumpWindowHierarchy", json!([false, 50])).await;
    let all = all.as_str().unwrap();
    assert!(all.starts_with("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\r\n<hierarchy rotation=\"0\">\r\n  <node index=\"0\" text=\"\""), "{all}");
    assert!(all.contains("com.android.systemui") && all.ends_with("\r\n</hierarchy>"));
    // As in its own dumps, emoji are lost.
    assert!(all.contains("text=\"a..\""));
    let active = phone
        .call("dumpWindowHierarchy", json!([false, 50, true]))
        .await;
    assert!(!active.as_str().unwrap().contains("com.android.systemui"));
    let flat = phone
        .call("dumpWindowHierarchy", json!([false, 0, true]))
        .await;
    assert_eq!(flat.as_str().unwrap().matches("<node").count(), 1);
}

#[tokio::test]
async fn objects_are_found_and_typed_into() {
    let mut phone = Phone::new();
    assert_eq!(
        phone
            .call("count", json!([class("android.widget.EditText")]))
            .await,
        2
    );
    let mut second = class("android.widget.EditText");
    second["mask"] = json!(0x0100_0010);
    second["instance"] = json!(1);
    let info = phone.call("objInfo", json!([second])).await;
    assert_eq!(info["resourceName"], "com.example.notes:id/password");
    assert_eq!(info["bounds"], info["visibleBounds"]);
    let mut sibling = id("username");
    sibling["childOrSibling"] = json!(["sibling"]);
    sibling["childOrSiblingSelector"] = json!([id("password")]);
    assert_eq!(phone.call("getText", json!([sibling])).await, "Password");
    let all = phone
        .call(
            "objInfoOfAllInstances",
            json!([class("android.widget.EditText")]),
        )
        .await;
    assert_eq!(all.as_array().unwrap().len(), 2);
    let (code, message) = phone.error("objInfo", json!([text("x")])).await;
    assert_eq!(code, -32002);
    assert!(message.contains("uiautomator.UiObjectNotFoundException: UiSelector[TEXT=x]"));
    phone.call("setText", json!([id("username"), "東京"])).await;
    assert_eq!(phone.call("getText", json!([id("username")])).await, "東京");
    phone.call("clearInputText", json!({})).await;
    assert_eq!(
        phone.call("getText", json!([id("username")])).await,
        "Username"
    );
    phone.call("setClipboard", json!([null, "Zürich"])).await;
    assert_eq!(phone.call("getClipboard", json!({})).await, "Zürich");
    phone.call("pasteClipboard", json!({})).await;
    assert_eq!(
        phone.call("getText", json!([id("username")])).await,
        "Zürich"
    );
    phone.call("clearTextField", json!([id("username")])).await;
    phone.sign_in().await;
}

#[tokio::test]
async fn waits_end() {
    let mut phone = Phone::new();
    assert_eq!(
        phone
            .call("waitForExists", json!([id("username"), 1000]))
            .await,
        true
    );
    assert_eq!(
        phone
            .call("waitForExists", json!([text("x"), 20_000]))
            .await,
        false
    );
    assert_eq!(
        phone.call("waitUntilGone", json!([text("x"), 1000])).await,
        true
    );
    assert_eq!(
        phone
            .call("waitUntilGone", json!([id("username"), 500]))
            .await,
        false
    );
}

#[tokio::test]
async fn fingers_keys_and_pictures() {
    let mut phone = Phone::new();
    let info = phone.call("objInfo", json!([id("forgot")])).await;
    let bounds = &info["bounds"];
    let middle =
        |a: &str, b: &str| f64::midpoint(bounds[a].as_f64().unwrap(), bounds[b].as_f64().unwrap());
    let (x, y) = (middle("left", "right"), middle("top", "bottom"));
    phone.call("click", json!([x, y])).await;
    assert_eq!(
        phone.call("getLastToast", json!({})).await,
        "Ask the administrator for a new password"
    );
    phone.call("clearLastToast", json!({})).await;
    phone.state.pass(Duration::from_secs(3));
    assert_eq!(phone.call("getLastToast", json!({})).await, Value::Null);
    for (action, y) in [(0, y), (2, y), (1, y)] {
        assert_eq!(
            phone
                .call("injectInputEvent", json!([action, x, y, 0]))
                .await,
            true
        );
    }
    assert_eq!(
        phone.call("injectInputEvent", json!([1, x, y, 0])).await,
        false
    );
    assert!(phone.call("getLastToast", json!({})).await.is_string());
    phone
        .call(
            "pinchOut",
            json!([class("android.widget.ImageView"), 80, 10]),
        )
        .await;
    phone.call("gesture", json!([class("android.widget.ImageView"), {"x": 100, "y": 200}, {"x": 300, "y": 400}, {"x": 100, "y": 100}, {"x": 300, "y": 500}, 20])).await;
    assert!(phone.logged(
        "2 fingers, (100, 200) to (100, 100) until 100 ms, (300, 400) to (300, 500) until 100 ms"
    ));
    let picture = phone.call("takeScreenshot", json!([1, 80])).await;
    let picture = STANDARD.decode(picture.as_str().unwrap()).unwrap();
    assert!(picture.starts_with(&[0xff, 0xd8, 0xff]));
    phone.sign_in().await;
    let list = json!({ "mask": 0x4000, "scrollable": true });
    assert_eq!(phone.call("scrollForward", json!([list, true])).await, true);
    phone
        .call("scrollToBeginning", json!([list, true, 50]))
        .await;
    assert_eq!(
        phone.call("scrollBackward", json!([list, true])).await,
        false
    );
    phone.call("swipe", json!([540, 1500, 540, 900, 60])).await;
    phone.call("pressKey", json!(["home"])).await;
    assert_eq!(
        phone.call("deviceInfo", json!({})).await["currentPackageName"],
        "com.android.launcher"
    );
    assert_eq!(phone.call("pressKey", json!(["nothing"])).await, false);
    phone.call("setOrientation", json!(["left"])).await;
    assert_eq!(
        phone.call("deviceInfo", json!({})).await["displayRotation"],
        1
    );
}

#[tokio::test]
async fn a_fixed_orientation_stays() {
    let mut phone = Phone::with(vec![Quirk::FixedOrientation]);
    phone.call("setOrientation", json!(["left"])).await;
    assert_eq!(
        phone.call("deviceInfo", json!({})).await["displayRotation"],
        0
    );
}

/// Each method answers any parameters: a panic would be an internal error.
#[tokio::test]
async fn no_parameters_break_a_method() {
    let mut phone = Phone::new();
    let methods = [
        "dumpWindowHierarchy",
        "takeScreenshot",
        "exist",
        "count",
        "objInfo",
        "objInfoOfAllInstances",
        "getText",
        "setText",
        "clearTextField",
        "setClipboard",
        "pressKey",
        "pressKeyCode",
        "setOrientation",
        "freezeRotation",
        "click",
        "longClick",
        "swipe",
        "swipePoints",
        "drag",
        "dragTo",
        "injectInputEvent",
        "gesture",
        "pinchIn",
        "pinchOut",
        "scrollTo",
        "flingForward",
        "scrollToEnd",
        "waitForExists",
        "waitUntilGone",
        "waitForIdle",
    ];
    let field = id("username");
    let far = json!({ "x": 1e300, "y": -1e300 });
    let mut deep = json!({ "mask": 1, "text": "a" });
    for _ in 0..50 {
        deep = json!({ "mask": -1, "childOrSibling": ["child"], "childOrSiblingSelector": [deep] });
    }
    let lists = [
        json!([]),
        json!({}),
        json!(null),
        json!([1e300, -1e300, 1e300, -1e300, 1e300]),
        json!([0, 1e300, -1e300, 0]),
        json!([field, 1e300, -1e300, 1e300, 1e300]),
        json!([field, far, far, far, far, 1e300]),
        json!([field, "up", 1e300]),
        json!([field, "\u{0}".repeat(100)]),
        json!([[1e300, -1e300, 0, 0], 1e300]),
        json!([deep, 1000]),
        json!([{ "mask": u64::MAX, "textMatches": "(", "index": -1, "instance": 1e300 }]),
        json!([true, -1e300, true]),
    ];
    for method in methods {
        for params in &lists {
            let answer = phone.answer(method, params.clone()).await;
            let code = answer["error"]["code"].as_i64();
            assert_ne!(code, Some(-32603), "{method} {params}: {answer}");
        }
    }
}

/// Requests recorded from the package are answered, or find no such object.
#[tokio::test]
async fn recorded_requests_are_answered() {
    let Some(log) = runner_testing::recorded_text("appium/uiautomator2-to-u2.log") else {
        return;
    };
    let mut phone = Phone::new();
    let mut observed = 0;
    for line in log
        .lines()
        .filter(|line| line.starts_with("{\"jsonrpc\"") && line.contains("\"method\""))
    {
        let reply = phone.client.ask("POST", "/jsonrpc/0", line).await.unwrap();
        let answer = reply.json();
        let code = answer["error"]["code"].as_i64();
        assert!(matches!(code, None | Some(-32002)), "{line}: {answer}");
        observed += 1;
    }
    assert!(observed > 50, "{observed}");
}
