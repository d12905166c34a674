//! `am` and `monkey`: starting, stopping, broadcasting.

use std::collections::BTreeMap;
use std::time::Duration;

use super::window_names::{front, short_component};
use super::{Call, Outcome, RunningCommand, appium_settings, broadcast, instrument};
use crate::app_host::{HostExtra, HostIntent};
use crate::{KeyPress, PhoneError, Quirk};

const MAIN: &str = "android.intent.action.MAIN";

/// Error of `am`'s arguments for an intent.
#[derive(Debug, thiserror::Error)]
enum IntentError {
    #[error("Error: Argument expected after \"{0}\"")]
    NoArgument(String),
    #[error("Error: Unknown option: {0}")]
    UnknownOption(String),
}

/// Intent from `am`'s arguments.
#[derive(Debug, Default)]
struct Intent {
    action: Option<String>,
    data: Option<String>,
    package: Option<String>,
    component: Option<String>,
    categories: Vec<String>,
    extras: BTreeMap<String, String>,
    /// The extras with their types.
    typed_extras: BTreeMap<String, HostExtra>,
    flags: Option<String>,
    wait: bool,
    stop_first: bool,
    /// Argument without a flag: a link, or a component.
    rest: Vec<String>,
}

impl Intent {
    /// Parses options of an intent, in any order. Options that mean nothing here are skipped with their values;
    /// other unknown ones fail, and so does a missing value. A malformed extra is kept only as text. The first free
    /// word is a link with `:`, a component with `/`, else a package, unless an option has said it.
    fn parse(words: &[String]) -> Result<Self, IntentError> {
        let mut intent = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .cloned()
                    .ok_or_else(|| IntentError::NoArgument(word.clone()))
            };
            match word.as_str() {
                "-a" => intent.action = Some(value()?),
                "-d" => intent.data = Some(value()?),
                "-p" => intent.package = Some(value()?),
                "-n" => intent.component = Some(value()?),
                "-c" => intent.categories.push(value()?),
                "-f" => intent.flags = Some(value()?),
                "-t"
                | "-i"
                | "--user"
                | "--display"
                | "--windowingMode"
                | "-R"
                | "-P"
                | "--receiver-permission" => {
                    value()?;
                }
                "-W" => intent.wait = true,
                "-S" => intent.stop_first = true,
                "-D"
                | "-N"
                | "--activity-clear-task"
                | "--activity-clear-top"
                | "--activity-new-task"
                | "--activity-single-top"
                | "--grant-read-uri-permission"
                | "--include-stopped-packages"
                | "--receiver-foreground" => {}
                "--es" | "-e" | "--ez" | "--ei" | "--el" | "--ef" | "--eu" | "--ecn" | "--esa"
                | "--eia" | "--ed" => {
                    let key = value()?;
                    let text = value()?;
                    if let Some(extra) = HostExtra::read(word, &text) {
                        intent.typed_extras.insert(key.clone(), extra);
                    }
                    intent.extras.insert(key, text);
                }
                "--esn" => {
                    value()?;
                }
                _ if word.starts_with('-') => return Err(IntentError::UnknownOption(word.clone())),
                _ => intent.rest.push(word.clone()),
            }
        }
        if let Some(rest) = intent.rest.first() {
            if rest.contains(':') {
                intent.data.get_or_insert_with(|| rest.clone());
            } else if rest.contains('/') {
                intent.component.get_or_insert_with(|| rest.clone());
            } else {
                intent.package.get_or_insert_with(|| rest.clone());
            }
        }
        Ok(intent)
    }

    /// Returns true if the intent has no data, extras and component, and at most the action `MAIN`. Then it
    /// only brings its package's app to the front.
    fn only_launches(&self) -> bool {
        let is_main = self.action.as_deref().is_none_or(|action| action == MAIN);
        is_main && self.data.is_none() && self.extras.is_empty() && self.component.is_none()
    }

    /// Returns the intent for an app in a host. With data and no action it is a `VIEW`.
    fn for_host(&self) -> HostIntent {
        let data = self.data.clone();
        let viewed = data
            .as_ref()
            .map(|_| "android.intent.action.VIEW".to_owned());
        HostIntent {
            action: self.action.clone().or(viewed),
            data,
            component: self.component.clone(),
            categories: self.categories.clone(),
            extras: self.typed_extras.clone(),
            flags: self.flags.as_deref().map_or(0, number),
        }
    }

    /// Formats the intent as Android does: `Intent { act=… }`. Of a link it has only scheme and host. Extras
    /// are only mentioned.
    fn text(&self) -> String {
        let mut parts = Vec::new();
        if let Some(action) = self
            .action
            .as_deref()
            .or_else(|| self.data.as_ref().map(|_| "android.intent.action.VIEW"))
        {
            parts.push(format!("act={action}"));
        }
        if !self.categories.is_empty() {
            parts.push(format!("cat=[{}]", self.categories.join(",")));
        }
        if let Some(data) = &self.data {
            // Android prints only the scheme and the host.
            let head = data.split_once("://").map(|(scheme, rest)| {
                let host = rest.split('/').next().unwrap_or_default();
                if rest.contains('/') {
                    format!("{scheme}://{host}/...")
                } else {
                    format!("{scheme}://{host}")
                }
            });
            parts.push(format!("dat={}", head.unwrap_or_else(|| data.clone())));
        }
        if let Some(flags) = &self.flags {
            parts.push(format!("flg={flags}"));
        }
        if let Some(package) = &self.package {
            parts.push(format!("pkg={package}"));
        }
        if let Some(component) = &self.component {
            parts.push(format!("cmp={component}"));
        }
        if !self.extras.is_empty() {
            parts.push("(has extras)".to_owned());
        }
        format!("Intent {{ {} }}", parts.join(" "))
    }
}

/// Runs `am`. An unknown verb or none, and a malformed intent, exit with 255. `kill` ends only apps that are not in
/// front. Packages that are unknown are no error for `force-stop` and `kill`.
pub(super) fn am(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let Some((verb, args)) = words.split_first() else {
        return call.fail(255, "Activity manager (activity) commands:\n  help\n      Print this help text.\n  start-activity, force-stop, kill, broadcast, …");
    };
    match verb.as_str() {
        "start" | "start-activity" => match Intent::parse(args) {
            Ok(intent) => start(call, &intent),
            Err(error) => call.fail(255, error.to_string()),
        },
        "broadcast" => match Intent::parse(args) {
            Ok(intent) => {
                let action = intent.action.as_deref().unwrap_or_default();
                broadcast::broadcast(call, &intent.text(), action, &intent.extras)
            }
            Err(error) => call.fail(255, error.to_string()),
        },
        "force-stop" | "stop-app" => {
            for package in packages(args) {
                call.device.end_package(&package);
            }
            call.spend(Duration::from_millis(50));
            Outcome::Exit(0)
        }
        "kill" => {
            // Only apps in the background are killed.
            for package in packages(args) {
                let phone = call.device.phone();
                let windows = phone.windows();
                let hidden = front(&windows).is_none_or(|window| window.package != package);
                drop(phone);
                if hidden {
                    call.device.end_package(&package);
                }
            }
            Outcome::Exit(0)
        }
        // Nothing here has memory to give back.
        "send-trim-memory" => Outcome::Exit(0),
        "get-current-user" => {
            call.say("0");
            Outcome::Exit(0)
        }
        "stack" | "task" => {
            let windows = call.device.phone().windows();
            if let Some(name) = front(&windows).and_then(short_component) {
                call.say(format!("RootTask id=1 bounds=[0,0][0,0] displayId=0 userId=0\n  taskId=1: {name} bounds=[0,0][0,0] userId=0 visible=true topActivity=ComponentInfo{{{name}}}"));
            }
            Outcome::Exit(0)
        }
        "start-foreground-service"
        | "startservice"
        | "start-service"
        | "stopservice"
        | "stop-service" => match Intent::parse(args) {
            Ok(intent) => service(call, verb, &intent),
            Err(error) => call.fail(255, error.to_string()),
        },
        "instrument" => instrument::instrument(call, args),
        other => call.fail(255, format!("Unknown command: {other}")),
    }
}

/// Returns the arguments that are packages: those without a `-`, except the value of `--user`.
fn packages(args: &[String]) -> Vec<String> {
    let mut packages = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        if word == "--user" {
            words.next();
        } else if !word.starts_with('-') {
            packages.push(word.clone());
        }
    }
    packages
}

/// Runs `am start`. Starting advances the device's time, less if the app runs already. Fails with 1 if nothing
/// opens. An activity that is in front already gives a warning and code 0. `-W` also prints made-up times; with
/// [`Quirk::HungStart`] it never ends. `-S` ends the package first.
fn start(call: &mut Call, intent: &Intent) -> Outcome {
    let named = intent
        .component
        .as_ref()
        .and_then(|component| component.split_once('/'));
    let package = named
        .map(|(package, _)| package.to_owned())
        .or_else(|| intent.package.clone());
    if let (true, Some(package)) = (intent.stop_first, &package) {
        call.say(format!("Stopping: {package}"));
        call.device.end_package(package);
    }
    call.say(format!("Starting: {}", intent.text()));
    let was_front = front_component(call);
    let running = package.as_ref().is_some_and(|package| {
        call.device
            .phone()
            .processes()
            .iter()
            .any(|(_, name)| name == package)
    });
    let started = if is_settings_app(call, package.as_deref(), named) {
        appium_settings::start(call);
        Ok(())
    } else {
        open(call, intent, named, package.as_deref())
    };
    call.spend(Duration::from_millis(if running { 60 } else { 350 }));
    if let Err(error) = started {
        return call.fail(1, error.to_string().trim_end());
    }
    let now_front = front_component(call);
    if was_front.is_some() && was_front == now_front && running {
        call.warn("Warning: Activity not started, intent has been delivered to currently running top-most instance.");
    }
    if intent.wait && call.device.quirks.has(Quirk::HungStart) {
        return Outcome::Running(RunningCommand::Hang);
    }
    if intent.wait {
        call.say("Status: ok");
        call.say(format!(
            "LaunchState: {}",
            if running { "HOT" } else { "COLD" }
        ));
        if let Some(name) = now_front {
            call.say(format!("Activity: {name}"));
        }
        let time = if running { 60 } else { 350 };
        call.say(format!(
            "TotalTime: {time}\nWaitTime: {}\nComplete",
            time + 3
        ));
    }
    Outcome::Exit(0)
}

/// Returns true for the main activity of Appium's helper app, or the app without an activity, if its APK is
/// installed. That activity leaves the screen at once.
fn is_settings_app(call: &Call, package: Option<&str>, named: Option<(&str, &str)>) -> bool {
    let is_it = package == Some(appium_settings::PACKAGE)
        && named
            .is_none_or(|(_, class)| [".Settings", "io.appium.settings.Settings"].contains(&class));
    if !is_it {
        return false;
    }
    let packages = call.device.phone().packages();
    packages
        .iter()
        .any(|package| package.package == appium_settings::PACKAGE && package.apk.is_some())
}

/// Runs `am start-service`, `start-foreground-service` or `stop-service` with the component of an intent. A service
/// that no APK declares, or no component at all, exits with 255. One that does not run is not stopped, with exit
/// code 0.
fn service(call: &mut Call, verb: &str, intent: &Intent) -> Outcome {
    let starts = verb.starts_with("start");
    let doing = if starts { "Starting" } else { "Stopping" };
    call.say(format!("{doing} service: {}", intent.text()));
    let named = intent
        .component
        .as_deref()
        .and_then(|name| name.split_once('/'));
    let found = named.and_then(|(package, class)| {
        let class = match class.strip_prefix('.') {
            Some(short) => format!("{package}.{short}"),
            None => class.to_owned(),
        };
        let packages = call.device.phone().packages();
        let apk = packages
            .into_iter()
            .find(|known| known.package == package)?
            .apk?;
        let there = apk.services.iter().any(|service| service.class == class);
        there.then(|| (package.to_owned(), class))
    });
    match found {
        None if starts => call.fail(255, "Error: Not found; no service started."),
        None => call.fail(255, "Service not stopped: was not running."),
        Some((package, class)) if starts => {
            let foreground = verb == "start-foreground-service";
            let device = &call.device;
            device
                .background
                .start(&package, &class, foreground, || device.next_pid());
            if package == appium_settings::PACKAGE {
                let extra = |key: &str| intent.extras.get(key).cloned().unwrap_or_default();
                appium_settings::start_service(call, &class, extra);
            }
            Outcome::Exit(0)
        }
        Some((package, class)) => {
            if call.device.background.stop(&package, &class) {
                call.say("Service stopped");
            } else {
                call.say("Service not stopped: was not running.");
            }
            Outcome::Exit(0)
        }
    }
}

fn front_component(call: &Call) -> Option<String> {
    let windows = call.device.phone().windows();
    front(&windows).and_then(short_component)
}

/// Opens an intent: its component, else its link, else the home screen, else its package or a page of settings. A
/// link beside a component becomes its extra `data`. An app in a host gets the intent itself, unless it only
/// launches. Fails if nothing opens.
fn open(
    call: &Call,
    intent: &Intent,
    named: Option<(&str, &str)>,
    package: Option<&str>,
) -> Result<(), PhoneError> {
    let mut phone = call.device.phone();
    if let Some(package) = package
        && !intent.only_launches()
        && phone.start_hosted(package, intent.for_host())?
    {
        return Ok(());
    }
    if let Some((package, activity)) = named {
        // A link that comes with its component is an extra to the activity.
        let mut extras = intent.extras.clone();
        if let Some(data) = &intent.data {
            extras
                .entry("data".to_owned())
                .or_insert_with(|| data.clone());
        }
        return phone.start(package, Some(activity), &extras);
    }
    if let Some(data) = &intent.data {
        return phone.open_link(data, package);
    }
    if intent
        .categories
        .iter()
        .any(|category| category == "android.intent.category.HOME")
    {
        phone.key(&KeyPress::named("HOME"));
        return Ok(());
    }
    let settings = intent
        .action
        .as_deref()
        .is_some_and(|action| action.starts_with("android.settings."));
    match package {
        Some(package) => phone.start(package, None, &intent.extras),
        None if settings => phone.start("com.android.settings", None, &intent.extras),
        None => Err(PhoneError::Unresolved(intent.text())),
    }
}

/// `monkey -p PACKAGE [-c CATEGORY] 1` starts an app, with 252 if there is none, and 255 without a package or a
/// count. More events than one are refused, since they would be random, but only after the app has started. A
/// monkey server (`--port`) is refused too.
pub(super) fn monkey(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let mut package = None;
    let mut count = None;
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        match word.as_str() {
            "-p" => package = rest.next().cloned(),
            // A server that other programs write events to, such as `touch down 1 2`.
            "--port" => {
                return call.fail(
                    255,
                    "** Error: this virtual device has no monkey server (--port); send events with `input`",
                );
            }
            "-c" | "-s" | "--throttle" | "--pct-syskeys" => drop(rest.next()),
            _ if word.starts_with('-') => {}
            _ => count = word.parse::<u32>().ok(),
        }
    }
    call.say(format!("  bash arg: {}", words.join("\n  bash arg: ")));
    call.warn(format!("args: [{}]", words.join(", ")));
    let (Some(package), Some(count)) = (package, count) else {
        return call.fail(255, "** Error: Count not specified");
    };
    let started = call.device.phone().start(&package, None, &BTreeMap::new());
    call.spend(Duration::from_millis(350));
    if started.is_err() {
        call.say("** No activities found to run, monkey aborted.");
        return Outcome::Exit(252);
    }
    if count > 1 {
        return call.fail(
            255,
            "** Error: this virtual device injects no random events; a count of 1 starts the app",
        );
    }
    call.say("Events injected: 1\n## Network stats: elapsed time=12ms (0ms mobile, 0ms wifi, 12ms not connected)");
    Outcome::Exit(0)
}

/// Parses a number of `am`, decimal or hexadecimal with `0x`. Returns 0 for anything else.
fn number(text: &str) -> u32 {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16),
        None => text.parse(),
    }
    .unwrap_or(0)
}
