//! Tests of the engine on a scripted device: waits, refusals, and the number of requests.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

mod dialogs;
mod faults;
mod finding;
mod hiding_keyboard;
mod hints;
mod looks;
mod obstacles;
mod passwords;
mod readiness;
mod scroll_by_id;
mod scroll_center;
mod scroll_containers;
mod scrolls;
mod settings;
mod taken_text;
mod twins;
mod typing;

use super::*;
use runner_device::fake::{Fake, answer_keyboard, node};
use runner_device::settings::Setting;
use runner_device::{Cost, Device, DeviceError, DumpFailure, Input, Picture, ShellOutput};
use runner_screen::{Point, Selector};

const LIMIT: Duration = Duration::from_secs(5);

fn selector(json: serde_json::Value) -> Selector {
    serde_json::from_value(json).unwrap()
}

fn session(fake: &Arc<Fake>) -> Session {
    Session::new(Arc::clone(fake) as Arc<dyn Device>)
}

fn button(text: &str, top: i32) -> String {
    node(
        "Button",
        &format!(r#"text="{text}" clickable="true""#),
        [0, top, 1080, top + 100],
        "",
    )
}

fn field(attributes: &str, text: &str) -> String {
    node(
        "EditText",
        &format!(
            r#"resource-id="com.example:id/name" text="{text}" clickable="true" focusable="true" {attributes}"#
        ),
        [0, 100, 1080, 200],
        "",
    )
}

/// A device with one focused field. `takes` maps typed text to what arrives.
fn typewriter(takes: impl Fn(&str) -> String + Send + 'static) -> Arc<Fake> {
    let fake = Fake::showing([&field(r#"focused="true""#, "")]);
    let content = Mutex::new(String::new());
    fake.on_input(move |input| {
        let mut content = content.lock().unwrap();
        match input {
            Input::Text(text) => content.push_str(&takes(text)),
            Input::Key { key, .. } if key.name() == "DEL" => {
                content.pop();
            }
            _ => return None,
        }
        Some(field(r#"focused="true""#, &content))
    })
}

fn list(rows: std::ops::Range<i32>) -> String {
    let rows: String = rows
        .clone()
        .map(|row| {
            let top = 200 + (row - rows.start) * 100;
            node(
                "TextView",
                &format!(r#"text="row {row}" resource-id="com.example:id/row_{row}""#),
                [0, top, 1080, top + 100],
                "",
            )
        })
        .collect();
    node(
        "ListView",
        r#"scrollable="true""#,
        [0, 200, 1080, 1200],
        &rows,
    )
}

fn down() -> ScrollOptions<'static> {
    ScrollOptions {
        within: None,
        direction: Direction::Down,
        max: 10,
        visible: 0.0,
        center: false,
    }
}

fn no_dump(kind: DumpFailure) -> DeviceError {
    DeviceError::NoDump {
        cause: "no dump".to_owned(),
        kind,
    }
}
