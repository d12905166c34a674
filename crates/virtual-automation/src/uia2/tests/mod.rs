//! Tests of the server over a stream in memory, with the demo app in front.

mod input;
mod protocol;
mod screen;

use std::collections::BTreeMap;
use std::sync::Arc;

use camino::Utf8PathBuf;
use serde_json::{Value, json};

use super::UiAutomator2Server;
use crate::other_clients::testing::{Client, Reply};
use runner_virtual_device::VirtualDeviceOptions;
use runner_virtual_device::automation::DeviceState;

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
    /// Starts a phone with the demo app in front, and a session for it.
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
        let reply = self.request("POST", "/session", &body.to_string()).await;
        self.session = reply.json()["sessionId"].as_str().unwrap().to_owned();
    }

    async fn request(&mut self, method: &str, path: &str, body: &str) -> Reply {
        self.client.ask(method, path, body).await.unwrap()
    }

    async fn ask(&mut self, method: &str, path: &str, body: Value) -> (u16, Value) {
        let path = format!("/session/{}{path}", self.session);
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let reply = self.request(method, &path, &body).await;
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

    /// Returns the source without the device's time.
    async fn source(&mut self) -> String {
        without_clock(self.get("/source").await.as_str().unwrap())
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
        self.state.messages()
    }

    fn logged(&self, part: &str) -> bool {
        self.log().iter().any(|line| line.contains(part))
    }
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

/// Removes the device's time from a source.
fn without_clock(source: &str) -> String {
    let Some((before, rest)) = source.split_once(" runner-clock=\"") else {
        return source.to_owned();
    };
    let (_, after) = rest.split_once('"').unwrap();
    format!("{before}{after}")
}
