//! Opens a session for a configured device and finds out what the device is.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::WebDriverSpec;
use crate::client::{Client, Request};
use crate::cloud_session::CloudSession;
use crate::commands::Commands;
use crate::device::WebDriverDevice;
use crate::error::WebDriverError;
use crate::session::{Session, unsupported_reason};
use crate::shell::{self, NoShell, ShellAccess};
use runner_device::source;
use runner_device::{
    Device, DeviceError, DeviceInfo, DriverKind, Features, Reading, Sections, VirtualMark, adb,
};
use runner_screen::Display;

/// Time limit for each of the first questions. Chosen: a cloud's device may just have been started.
const INFO_LIMIT: Duration = Duration::from_secs(30);

/// Opens a session on the server's device, and reads the device's description. Waits up to the `session_timeout` of
/// `spec` for a free one; `notify` receives a notice of a long wait. `label` names the device for people.
///
/// # Errors
/// Returns [`DeviceError::Unusable`] if there is no usable session, such as for capabilities of another platform or
/// of a browser, or for a `spec` that is marked as unusable; the error says what to do. No device is held then.
pub async fn connect(
    spec: &WebDriverSpec,
    label: &str,
    notify: &(dyn Fn(&str) + Send + Sync),
) -> Result<Arc<dyn Device>, DeviceError> {
    let unusable = |advice: &str| DeviceError::Unusable {
        serial: label.to_owned(),
        state: "not to be had".to_owned(),
        advice: advice.to_owned(),
    };
    if let Some(why) = &spec.unusable {
        return Err(unusable(why));
    }
    if let Some(why) = unsupported_reason(&spec.capabilities) {
        return Err(unusable(why));
    }
    let client = Client::new(spec);
    let session = Session::begin(&client, spec, label, notify)
        .await
        .map_err(|error| error.into_connect_error(label))?;
    if let Some(why) = unsupported_reason(&platform_of(&session.capabilities)) {
        return Err(unusable(why));
    }
    let lent = CloudSession::new(spec, &session).await;
    prepared(Arc::new(session), label, lent)
        .await
        .map_err(|error| error.into_connect_error(label))
}

/// Reduces capabilities to the platform. Servers answer with a browser's name of their own, which is of no
/// interest.
fn platform_of(capabilities: &Map<String, Value>) -> Map<String, Value> {
    let platform = capabilities.get_key_value("platformName").into_iter();
    platform
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Sets the session up and asks for commands and facts about the device. A server without settings or a list of
/// commands is fine; without a shell the server itself is asked. An error ends the session.
async fn prepared(
    session: Arc<Session>,
    label: &str,
    lent: CloudSession,
) -> Result<Arc<dyn Device>, WebDriverError> {
    let client = &session.client;
    let settings = Request::post(
        session.path("/appium/settings"),
        &source::settings(),
        INFO_LIMIT,
    );
    match client.send::<Value>(settings.called("POST settings")).await {
        // An automation other than UiAutomator2 has other settings; a look reports what is wrong with it.
        Ok(_) | Err(WebDriverError::ServerError { .. }) => {}
        Err(error) => return Err(error),
    }
    let extensions = Request::get(session.path("/appium/extensions"), INFO_LIMIT);
    let commands = match client.send(extensions.called("GET extensions")).await {
        Ok(listed) => Commands::parse(&listed),
        // An older Appium has no list.
        Err(WebDriverError::ServerError { .. } | WebDriverError::Strange { .. }) => {
            Commands::default()
        }
        Err(error) => return Err(error),
    };
    let (shell, info) = match ask_by_shell(&session, &commands, label).await? {
        Ok(info) => (ShellAccess::Open, info),
        Err(why) => (
            ShellAccess::Closed(why),
            ask_server(&session, &commands, label).await?,
        ),
    };
    tracing::info!(
        target: "webdriver",
        label,
        id = session.id(),
        commands = commands.count(),
        shell = shell.is_open(),
        model = %info.model,
        release = %info.release,
        sdk = %info.sdk,
        "connected"
    );
    Ok(Arc::new(WebDriverDevice::new(
        session, label, info, commands, shell, lent,
    )))
}

/// Reads the device's properties over the shell, and asks up to twice more for those that stay open. The inner
/// error says why there is no shell: the server refuses it, or has no such command, or the answers lack the API
/// level or the display.
///
/// # Errors
///
/// Fails if the server does not answer.
async fn ask_by_shell(
    session: &Session,
    commands: &Commands,
    label: &str,
) -> Result<Result<DeviceInfo, NoShell>, WebDriverError> {
    if !commands.may_have("shell") {
        return Ok(Err(NoShell::NoCommand));
    }
    let ask = async || {
        let sections = Sections::from_questions(&adb::QUESTIONS);
        let script = sections.script("getprop");
        let output = shell::run(session, &script, INFO_LIMIT).await?;
        Ok(sections.answers_in(&output, adb::QUESTIONS.len()))
    };
    let answers = match ask().await {
        Ok(answers) => answers,
        Err(error @ WebDriverError::ServerError { .. }) => return Ok(Err(shell::closed(&error))),
        // A cloud that allows some commands only may answer with nothing.
        Err(WebDriverError::Unexpected { .. }) => return Ok(Err(NoShell::SomeCommands)),
        Err(error) => return Err(error),
    };
    let info = adb::read_info(label, &answers);
    let info = if info.open_questions().is_empty() {
        info
    } else {
        let is_lost = |error: &WebDriverError| !matches!(error, WebDriverError::ServerError { .. });
        adb::ask_again(info, ask, is_lost).await?
    };
    if info.sdk.value().is_none() || info.display.value().is_none() {
        return Ok(Err(NoShell::SomeCommands));
    }
    Ok(Ok(named(session, info)))
}

/// Source of properties reported by the server, as messages name it.
const SERVER: &str = "mobile: deviceInfo";

/// Reads the device's properties from the session's capabilities and by server commands. The capabilities
/// win, but for the language. What neither of them tells stays open, but for the maker, which is then empty, and
/// the dark theme, which is off. The font scale is always 100 %.
async fn ask_server(
    session: &Session,
    commands: &Commands,
    label: &str,
) -> Result<DeviceInfo, WebDriverError> {
    let device = query(session, commands, "deviceInfo", json!({})).await?;
    let night = query(session, commands, "getUiMode", json!({ "mode": "night" })).await?;
    let reported = |names: [&str; 2]| {
        let capabilities = &session.capabilities;
        names.iter().find_map(|name| {
            let value = capabilities
                .get(&format!("appium:{name}"))
                .or_else(|| capabilities.get(*name))
                .or_else(|| device.get(*name))?;
            match value {
                Value::String(text) if !text.is_empty() => Some(text.clone()),
                Value::Number(number) => Some(number.to_string()),
                _ => None,
            }
        })
    };
    let number = |names| {
        let text = reported(names)?;
        text.parse().ok().filter(|number: &u32| *number > 0)
    };
    let size = reported(["realDisplaySize", "deviceScreenSize"]).unwrap_or_default();
    let sides = size.split_once('x').and_then(|(width, height)| {
        let sides: (u32, u32) = (width.parse().ok()?, height.parse().ok()?);
        (sides.0 > 0 && sides.1 > 0).then_some(sides)
    });
    let density = number(["deviceScreenDensity", "displayDensity"]);
    let display = match (sides, density) {
        (Some((width, height)), Some(density)) => Reading::Said(Display {
            width,
            height,
            density,
            rotation: 0,
        }),
        _ => Reading::not_answered(SERVER, "no size or density of the display"),
    };
    let sdk = to_reading(number(["deviceApiLevel", "apiVersion"]), "no API level");
    let model = reported(["deviceModel", "model"]);
    let is_model = |begins: &str| {
        model
            .as_ref()
            .is_some_and(|model| model.starts_with(begins))
    };
    let manufacturer = reported(["deviceManufacturer", "manufacturer"]).unwrap_or_default();
    // Without a shell nothing else tells a virtual device; over adb it is `ro.runner.virtual`.
    let is_virtual = manufacturer == "runner" && is_model("virtual");
    let info = DeviceInfo {
        serial: label.to_owned(),
        virtual_device: VirtualMark::new(is_virtual),
        features: if is_virtual {
            Features::all()
        } else {
            Features::default()
        },
        emulator: is_model("sdk_gphone") || is_model("Android SDK built for"),
        model: to_reading(model, "no model"),
        manufacturer,
        release: to_reading(
            reported(["platformVersion", "platformVersion"]),
            "no release of Android",
        ),
        sdk,
        display,
        locale: to_reading(language(&session.capabilities, &device), "no language"),
        dark: Reading::Said(night == json!("yes")),
        font_scale_percent: Reading::Said(100),
        driver: Some(DriverKind::Webdriver),
    };
    Ok(named(session, info))
}

/// Returns the tag of the device's language, such as `de-DE`: as `mobile: deviceInfo` tells it in `device`, else as the
/// capabilities demand it. `None` if neither does.
///
/// Appium's capability `language` is the language, and `locale` the country (its `UiAutomator2` driver's README). Alone,
/// `locale` counts only if it is a whole tag.
fn language(capabilities: &Map<String, Value>, device: &Value) -> Option<String> {
    let demanded = |name: &str| {
        let value = capabilities
            .get(&format!("appium:{name}"))
            .or_else(|| capabilities.get(name));
        value?.as_str().filter(|text| !text.is_empty())
    };
    let told = device.get("locale").and_then(Value::as_str);
    let tag = match (demanded("language"), demanded("locale")) {
        (Some(language), Some(country)) => Some(format!("{language}-{country}")),
        (Some(language), None) => Some(language.to_owned()),
        (None, locale) => locale
            .filter(|tag| tag.contains(['_', '-']))
            .map(str::to_owned),
    };
    let told = told.filter(|tag| !tag.is_empty()).map(str::to_owned);
    told.or(tag).map(|tag| tag.replace('_', "-"))
}

/// Returns the value, or the question as an open one with what its answer lacks.
fn to_reading<T>(value: Option<T>, lacking: &str) -> Reading<T> {
    value.map_or_else(|| Reading::not_answered(SERVER, lacking), Reading::Said)
}

/// Sets the serial to the name the driver gives the device (`deviceUDID`, `udid`, then `deviceName`), if
/// there is one, and the driver to this one.
fn named(session: &Session, info: DeviceInfo) -> DeviceInfo {
    let serial = ["deviceUDID", "udid", "deviceName"]
        .iter()
        .find_map(|name| {
            let capabilities = &session.capabilities;
            let prefixed = format!("appium:{name}");
            let value = capabilities
                .get(*name)
                .or_else(|| capabilities.get(&prefixed))?;
            value.as_str().filter(|text| !text.is_empty())
        });
    DeviceInfo {
        serial: serial.map_or(info.serial, str::to_owned),
        driver: Some(DriverKind::Webdriver),
        ..info
    }
}

/// Runs a `mobile:` command and returns its answer; null if the server does not have it or refuses it.
///
/// # Errors
///
/// Fails if the server does not answer, or not as WebDriver.
async fn query(
    session: &Session,
    commands: &Commands,
    name: &str,
    arguments: Value,
) -> Result<Value, WebDriverError> {
    if !commands.may_have(name) {
        return Ok(Value::Null);
    }
    match session
        .client
        .send(session.mobile(name, &arguments, INFO_LIMIT))
        .await
    {
        Err(WebDriverError::ServerError { .. }) => Ok(Value::Null),
        answer => answer,
    }
}
