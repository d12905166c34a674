//! Methods without fingers.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::error::RpcError;
use super::parameters::Parameters;
use super::server::Server;
use super::{dump, gestures, object};
use crate::input;
use crate::other_clients::selector::{Criterion, Flag, UiSelector};
use crate::other_clients::touch;
use runner_virtual_device::automation::dump::active;
use runner_virtual_device::{AccessibilityAction, Fault, KeyPress, Setting};

/// Duration of a look. Chosen: typical of phones.
const LOOK: Duration = Duration::from_millis(200);
/// Default depth limit for dumps.
const MAX_DEPTH: f64 = 50.0;

/// Methods that touch or type, and are affected by simulated faults of input.
const INPUTS: [&str; 31] = [
    "clearInputText",
    "clearTextField",
    "click",
    "drag",
    "dragTo",
    "flingBackward",
    "flingForward",
    "flingToBeginning",
    "flingToEnd",
    "gesture",
    "injectInputEvent",
    "longClick",
    "openNotification",
    "openQuickSettings",
    "pasteClipboard",
    "pinchIn",
    "pinchOut",
    "pressKey",
    "pressKeyCode",
    "scrollBackward",
    "scrollForward",
    "scrollTo",
    "scrollToBeginning",
    "scrollToEnd",
    "setOrientation",
    "freezeRotation",
    "setText",
    "swipe",
    "swipePoints",
    "sleep",
    "wakeUp",
];

pub(super) fn is_input(method: &str) -> bool {
    INPUTS.contains(&method)
}

/// Runs a method. An input may be refused by a fault, or get lost, which looks like success; an unknown method is
/// an error.
pub(super) fn run(server: &Server, method: &str, params: &Parameters) -> Result<Value, RpcError> {
    if is_input(method) {
        if server.state.shows(Fault::RefusedInput) {
            return Err(RpcError::internal(
                "java.lang.SecurityException: Injecting input events requires the caller to have the INJECT_EVENTS permission.",
            ));
        }
        if input::is_lost(&server.state) {
            return Ok(Value::from(true));
        }
    }
    if let Some(result) = gestures::run(server, method, params) {
        return result;
    }
    match method {
        "dumpWindowHierarchy"
        | "takeScreenshot"
        | "deviceInfo"
        | "exist"
        | "count"
        | "objInfo"
        | "objInfoOfAllInstances"
        | "getText" => look(server, method, params),
        "setText" | "clearTextField" | "clearInputText" | "pasteClipboard" | "setClipboard"
        | "getClipboard" => text(server, method, params),
        _ => system(server, method, params),
    }
}

/// Runs a method that looks. Of objects that are missing, only `objInfo` and `getText` make an error. Only the dump
/// takes time, 200 ms.
fn look(server: &Server, method: &str, params: &Parameters) -> Result<Value, RpcError> {
    Ok(match method {
        "dumpWindowHierarchy" => {
            input::spend(&server.state, LOOK);
            let mut windows = server.state.displayed_windows();
            let rotation = server.state.phone().display().rotation;
            // Only a third parameter asks for the active window alone.
            if params.flag(2) {
                let id = active(&windows).map(|window| window.id);
                windows.retain(|window| Some(window.id) == id);
            }
            let depth = params.number(1).unwrap_or(MAX_DEPTH).max(0.0) as usize;
            Value::from(dump::xml(&windows, rotation, params.flag(0), depth))
        }
        "takeScreenshot" => {
            let quality = params.number(1).unwrap_or(80.0).clamp(1.0, 100.0) as u8;
            let picture = server.state.phone().draw();
            runner_picture::to_jpeg(&picture, quality)
                .map_or(Value::Null, |jpeg| Value::from(STANDARD.encode(jpeg)))
        }
        "deviceInfo" => device_info(server),
        "exist" => Value::from(!object::all(server, params.get(0))?.is_empty()),
        "count" => Value::from(object::all(server, params.get(0))?.len()),
        "objInfo" => object::find(server, params.get(0))?.info,
        "getText" => Value::from(object::find(server, params.get(0))?.text),
        _ => object::all(server, params.get(0))?
            .into_iter()
            .map(|object| object.info)
            .collect(),
    })
}

/// Returns facts about the device; the package is `null` without an active window.
fn device_info(server: &Server) -> Value {
    let state = &server.state;
    let (windows, display) = {
        let phone = state.phone();
        (phone.windows(), phone.display())
    };
    let dp = |pixels: u32| (f64::from(pixels) * 160.0 / f64::from(display.density)).round() as i64;
    json!({
        "currentPackageName": active(&windows).map(|window| window.package.clone()),
        "displayHeight": display.height,
        "displayRotation": display.rotation,
        "displaySizeDpX": dp(display.width),
        "displaySizeDpY": dp(display.height),
        "displayWidth": display.width,
        "naturalOrientation": display.rotation.is_multiple_of(2),
        "productName": state.property("ro.product.name"),
        "screenOn": state.is_awake(),
        "sdkInt": state.property("ro.build.version.sdk").parse().unwrap_or(0),
    })
}

/// Runs a method about text or the clipboard. A missing object is an error; `clearInputText` without a focused one
/// returns false. `setText` touches the object first, and returns true if it took the text. A clipboard that was never
/// set is `null`.
fn text(server: &Server, method: &str, params: &Parameters) -> Result<Value, RpcError> {
    let state = &server.state;
    let set = |object: &object::Object, text: &str| {
        let action = AccessibilityAction::SetText(text.to_owned());
        input::act(state, object.window, object.bounds, &action)
    };
    Ok(match method {
        "setText" => {
            let text = params.text(1)?;
            let found = object::find(server, params.get(0))?;
            input::fingers(
                state,
                &[touch::press(found.centre(), Duration::from_millis(20))],
            );
            // The keyboard that came up may have moved it.
            let found = object::find(server, params.get(0)).unwrap_or(found);
            Value::from(set(&found, text))
        }
        "clearTextField" => {
            set(&object::find(server, params.get(0))?, "");
            Value::Null
        }
        "clearInputText" => {
            let focused = UiSelector::from_criterion(Criterion::Flag(Flag::Focused, true));
            let done = object::first(server, &focused).is_some_and(|found| set(&found, ""));
            Value::from(done)
        }
        "pasteClipboard" => {
            state.phone().key(&KeyPress::named("PASTE"));
            Value::from(true)
        }
        "setClipboard" => {
            let text = params.text(1)?;
            state.phone().set_clipboard(text);
            Value::Null
        }
        _ => state.phone().clipboard().map_or(Value::Null, Value::from),
    })
}

/// Returns the key code of the server's own name for a key, such as `volume_up`. `None` for other names,
/// including Android's.
fn key_code(name: &str) -> Option<i64> {
    Some(match name {
        "home" => 3,
        "back" => 4,
        "left" => 21,
        "right" => 22,
        "up" => 19,
        "down" => 20,
        "center" => 23,
        "menu" => 82,
        "search" => 84,
        "enter" => 66,
        "delete" | "del" => 67,
        "recent" => 187,
        "volume_up" => 24,
        "volume_down" => 25,
        "volume_mute" => 164,
        "camera" => 27,
        "power" => 26,
        _ => return None,
    })
}

/// Runs any other method; an unknown one is an error. An unknown key gives false, and an unknown orientation does
/// nothing. Methods without an effect on the virtual phone return what the real server does.
fn system(server: &Server, method: &str, params: &Parameters) -> Result<Value, RpcError> {
    let state = &server.state;
    Ok(match method {
        "ping" => Value::from("pong"),
        "pressKey" => {
            let code = key_code(&params.text(0)?.to_lowercase());
            Value::from(code.is_some_and(|code| input::key(state, code, false)))
        }
        "pressKeyCode" => {
            let code = params.number(0)? as i64;
            let meta = params.get(1).as_i64().unwrap_or(0);
            Value::from(input::key_with_meta(state, code, meta))
        }
        "openNotification" => {
            state.phone().status_bar("notifications");
            Value::from(true)
        }
        "openQuickSettings" => {
            state.phone().status_bar("settings");
            Value::from(true)
        }
        "setOrientation" => {
            let rotation = match params.text(0)?.to_lowercase().as_str() {
                "left" | "l" => Some(1),
                "right" | "r" => Some(3),
                "natural" | "n" => Some(0),
                _ => None,
            };
            if let Some(rotation) = rotation {
                state.put_settings("system", &[("user_rotation", &rotation.to_string())]);
                state.set(Setting::Rotation(rotation));
            }
            Value::Null
        }
        "freezeRotation" => {
            let turns = if params.flag(0) { "0" } else { "1" };
            state.put_settings("system", &[("accelerometer_rotation", turns)]);
            Value::Null
        }
        "waitForIdle" => {
            input::spend(state, Duration::from_millis(100));
            Value::Null
        }
        "waitForWindowUpdate" => Value::from(false),
        "getLastToast" => server
            .memory()
            .toast
            .clone()
            .map_or(Value::Null, Value::from),
        "clearLastToast" => {
            server.memory().toast = None;
            Value::from(true)
        }
        "isScreenOn" => Value::from(state.is_awake()),
        "makeToast" => Value::from(true),
        "wakeUp" | "sleep" => {
            state.press(&KeyPress::named(&method.to_uppercase()));
            Value::Null
        }
        "setToastListener" | "getLastTraversedText" | "clearLastTraversedText" => Value::Null,
        "getConfigurator" | "setConfigurator" => json!({
            "actionAcknowledgmentTimeout": 500,
            "keyInjectionDelay": 0,
            "scrollAcknowledgmentTimeout": 200,
            "waitForIdleTimeout": 0,
            "waitForSelectorTimeout": 0,
        }),
        other => return Err(RpcError::no_method(other)),
    })
}
