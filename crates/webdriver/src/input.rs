//! Sends touches, keys and text as requests to the server.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use crate::client::Request;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use runner_device::uia2::{actions, keys};
use runner_device::{Device, DeviceError, INPUT_LIMIT, Input, Key, Script, shorten};

/// Limit for the characters typed by one request. Chosen: one request stays within its time limit on a slow
/// device.
const MAX_TEXT_CHARS: usize = 400;
/// Number of attempts to find the focused field, and the pause between them. Chosen: an app moves the focus
/// within a few frames.
const ATTEMPTS: u32 = 5;
const PAUSE: Duration = Duration::from_millis(100);
/// Keys that WebDriver has characters for.
const CHARACTERS: [(&str, char); 14] = [
    ("DEL", '\u{e003}'),
    ("TAB", '\u{e004}'),
    ("ENTER", '\u{e007}'),
    ("ESCAPE", '\u{e00c}'),
    ("SPACE", '\u{e00d}'),
    ("PAGE_UP", '\u{e00e}'),
    ("PAGE_DOWN", '\u{e00f}'),
    ("MOVE_END", '\u{e010}'),
    ("MOVE_HOME", '\u{e011}'),
    ("DPAD_LEFT", '\u{e012}'),
    ("DPAD_UP", '\u{e013}'),
    ("DPAD_RIGHT", '\u{e014}'),
    ("DPAD_DOWN", '\u{e015}'),
    ("FORWARD_DEL", '\u{e017}'),
];

/// Sends inputs in order. Texts in a row become one request, with the short presses between them of keys that
/// WebDriver has characters for. `limit` is that of each request, besides the time that its inputs need. A
/// pause is waited for here and not on the device.
///
/// # Errors
/// Stops at the first input that fails; those before it have been sent.
pub(crate) async fn send(
    device: &WebDriverDevice,
    inputs: &[Input],
    limit: Duration,
) -> Result<(), DeviceError> {
    let mut rest = inputs;
    while let Some(first) = rest.first() {
        let typed: Vec<String> = rest.iter().map_while(characters).collect();
        // A single key has a command of its own, which takes its key code.
        let take = if typed.len() > 1 || matches!(first, Input::Text(_)) {
            typed.len().max(1)
        } else {
            1
        };
        let (these, after) = rest.split_at(take);
        rest = after;
        let limit = limit + these.iter().map(Input::needs).sum::<Duration>();
        match first {
            Input::Pause(time) => tokio::time::sleep(*time).await,
            _ if take > 1 => type_characters(device, &typed.concat(), limit).await?,
            Input::Text(text) => type_characters(device, text, limit).await?,
            Input::Key { key, long } => press(device, key, *long, limit).await?,
            Input::Combination(held) => match keys::combination(held) {
                Some((code, meta)) => press_code(device, code, meta, false, limit).await?,
                None => by_shell(device, held, limit).await?,
            },
            touch => {
                let sources = actions::from_input(touch).unwrap_or_default();
                act(device, &sources, limit).await?;
            }
        }
    }
    Ok(())
}

/// Returns the text that an input types: its text, or the character of a short key press that stands for one.
/// `None` for all other inputs.
fn characters(input: &Input) -> Option<String> {
    match input {
        Input::Text(text) => Some(text.clone()),
        Input::Key { key, long: false } => {
            let known = CHARACTERS.iter().find(|(name, _)| *name == key.name());
            known.map(|(_, character)| character.to_string())
        }
        _ => None,
    }
}

/// Types the characters in pieces of `MAX_TEXT_CHARS`, each within the limit. An empty text does nothing; an error
/// leaves the pieces before it typed.
async fn type_characters(
    device: &WebDriverDevice,
    text: &str,
    limit: Duration,
) -> Result<(), DeviceError> {
    let all: Vec<char> = text.chars().collect();
    for piece in all.chunks(MAX_TEXT_CHARS) {
        let strokes: Vec<Value> = piece
            .iter()
            .flat_map(|character| {
                let value = character.to_string();
                [
                    json!({ "type": "keyDown", "value": value }),
                    json!({ "type": "keyUp", "value": value }),
                ]
            })
            .collect();
        let source = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        act(device, &[source], limit).await?;
    }
    Ok(())
}

/// Lets time pass on the device by an action that only waits, and then moves the device's clock on by it.
pub(crate) async fn pause(device: &WebDriverDevice, time: Duration) -> Result<(), DeviceError> {
    let rest = json!({ "type": "pause", "duration": time.as_millis() as u64 });
    let source = json!({ "type": "none", "id": "time", "actions": [rest] });
    act(device, &[source], time + INPUT_LIMIT).await?;
    // Only looks report the time here.
    device.clock.advance(time);
    Ok(())
}

async fn act(
    device: &WebDriverDevice,
    sources: &[Value],
    limit: Duration,
) -> Result<(), DeviceError> {
    let body = json!({ "actions": sources });
    let request = Request::post(device.session.path("/actions"), &body, limit);
    perform(device, request.called("POST actions")).await
}

/// Presses a key by its number, or else by its name through the shell. A key without a number cannot be held long.
async fn press(
    device: &WebDriverDevice,
    key: &Key,
    long: bool,
    limit: Duration,
) -> Result<(), DeviceError> {
    match keys::code(key) {
        Some(code) => press_code(device, code, 0, long, limit).await,
        None if long => Err(unknown(key)),
        None => by_shell(device, std::slice::from_ref(key), limit).await,
    }
}

/// Presses the key with this number. A `meta` of 0 holds no other key.
async fn press_code(
    device: &WebDriverDevice,
    code: u32,
    meta: u32,
    long: bool,
    limit: Duration,
) -> Result<(), DeviceError> {
    let mut arguments = json!({ "keycode": code });
    if meta != 0 {
        arguments["metastate"] = meta.into();
    }
    if long {
        arguments["isLongPress"] = true.into();
    }
    let request = device.session.mobile("pressKey", &arguments, limit);
    perform(device, request).await
}

/// Sends keys by the device's `input` command, for keys whose numbers only the device knows. Several are held
/// together.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] without a shell, and [`DeviceError::InputRefused`] if the command
/// fails.
async fn by_shell(
    device: &WebDriverDevice,
    held: &[Key],
    limit: Duration,
) -> Result<(), DeviceError> {
    let names: Vec<&str> = held.iter().map(Key::name).collect();
    device
        .shell
        .needed_for(|| format!("press {}", names.join(" + ")))?;
    let verb = if names.len() > 1 {
        "keycombination"
    } else {
        "keyevent"
    };
    let words = [&["input", verb][..], &names].concat();
    let output = device.shell(&Script::command(words), limit).await?;
    if output.succeeded() {
        return Ok(());
    }
    Err(DeviceError::InputRefused {
        exit_code: output.exit_code,
        output: shorten(&output.message()),
    })
}

/// Returns the error for holding a key whose number is unknown.
fn unknown(key: &Key) -> DeviceError {
    DeviceError::Unsupported {
        what: format!("hold {} long", key.name()),
        missing: "the key's number is not known here; write its number".to_owned(),
    }
}

/// Sends an input. A refusal of the server is `InputRefused`; after other errors the input may have arrived, and
/// is not sent again.
async fn perform(device: &WebDriverDevice, request: Request) -> Result<(), DeviceError> {
    match device.send::<Value>(request).await {
        Ok(_) => Ok(()),
        Err(error @ WebDriverError::ServerError { .. }) if !error.is_end() => {
            Err(DeviceError::InputRefused {
                exit_code: None,
                output: error.to_string(),
            })
        }
        // The input may have arrived, so it is not sent again.
        Err(error) => Err(device.error(error)),
    }
}

#[derive(Deserialize)]
struct Element {
    #[serde(rename = "element-6066-11e4-a52e-4f735466cecf")]
    id: String,
}

/// Replaces the text of the focused field. Asks up to five times for the field, each within `limit`, as it gets its
/// focus a moment after a touch. Returns `false`, and changes nothing, if no field has the focus, if it refuses, or
/// if the text ends in a backslash and `n`, which the server would take for ENTER.
///
/// # Errors
/// Fails if the session is over or the server does not answer.
pub(crate) async fn set_text(
    device: &WebDriverDevice,
    text: &str,
    limit: Duration,
) -> Result<bool, DeviceError> {
    // The server on the device reads a trailing backslash and n as a request to press ENTER.
    if text.ends_with("\\n") {
        return Ok(false);
    }
    let mut attempt = 1;
    let element = loop {
        let path = device.session.path("/element/active");
        let request = Request::get(path, limit).called("GET element/active");
        match device.send::<Element>(request).await {
            Ok(element) => break element,
            // A field gets its focus a moment after it was touched.
            Err(WebDriverError::ServerError { .. }) if attempt < ATTEMPTS => {
                attempt += 1;
                tokio::time::sleep(PAUSE).await;
            }
            Err(error) if error.is_end() => return Err(device.error(error)),
            Err(WebDriverError::ServerError { .. }) => return Ok(false),
            Err(error) => return Err(device.error(error)),
        }
    };
    let arguments = json!({ "elementId": element.id, "text": text });
    let request = device
        .session
        .mobile("replaceElementValue", &arguments, limit);
    match device.send::<Value>(request).await {
        Ok(_) => Ok(true),
        Err(error) if error.is_end() => Err(device.error(error)),
        // Its message may repeat the text, so it is not logged.
        Err(WebDriverError::ServerError { error, .. }) => {
            tracing::info!(target: "webdriver", ?error, "the field takes no text at once");
            Ok(false)
        }
        Err(error) => Err(device.error(error)),
    }
}
