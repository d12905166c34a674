//! Many flows in one run of the program, on a device that shows one screen.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::PoisonError;

use runner::virtual_automation::SERVERS;
use runner::virtual_device::{FaultSpec, VirtualDevice, VirtualDeviceOptions};
use serde_json::Value;

use super::phone::{Windows, factory};
use super::screen::Screen;
use crate::common::{Project, Ran, needs};

/// Result of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    /// Failure of the app: its kind and message.
    Fail(String, String),
    /// Error of the device: its message.
    Error(String),
}

impl Verdict {
    /// Reads the verdict of a `flow_finished` event.
    fn read(event: &Value) -> Self {
        let text = |key: &str| {
            event["failure"][key]
                .as_str()
                .unwrap_or_default()
                .to_owned()
        };
        match event["status"].as_str().unwrap_or_default() {
            "passed" => Self::Pass,
            "failed" => Self::Fail(text("kind"), text("message")),
            other => Self::Error(format!("{other}: {}", text("message"))),
        }
    }

    pub fn is_pass(&self) -> bool {
        *self == Self::Pass
    }

    pub fn is_error(&self) -> bool {
        matches!(self, Self::Error(_))
    }

    /// Formats the verdict in a line.
    pub fn told(&self) -> String {
        let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
        match self {
            Self::Pass => "pass".to_owned(),
            Self::Fail(kind, message) => format!("fail ({kind}: {})", first(message)),
            Self::Error(message) => format!("error ({})", first(message)),
        }
    }
}

/// Driver with which the device is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Driver {
    Stock,
    Uia2,
}

/// Returns the folder of the UiAutomator2 server's packages; `None` if the clients are not installed.
pub fn apks() -> Option<PathBuf> {
    needs::client_program("appium/node_modules/.bin/appium")?;
    let folder = "target/clients/appium/node_modules/appium-uiautomator2-driver/node_modules/appium-uiautomator2-server/apks";
    needs::root().join(folder).canonicalize().ok()
}

/// A device that shows a screen, and the flows that run on it.
pub struct Bench {
    device: VirtualDevice,
    windows: Windows,
    pub project: Project,
    driver: Driver,
}

impl Bench {
    pub async fn start(driver: Driver) -> Self {
        let windows = Windows::default();
        let mut options = VirtualDeviceOptions::new(factory(&windows));
        options.servers = Some(SERVERS);
        let device = VirtualDevice::start(options).await.expect("a device");
        Self {
            device,
            windows,
            project: Project::empty(),
            driver,
        }
    }

    /// Sets the screen, and replaces all faults by these.
    pub fn show(&self, screen: &Screen, faults: &[&str]) {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        *windows = screen.phone();
        self.device.show_dump(&screen.dump());
        self.device.clear_faults();
        for fault in faults {
            let fault: FaultSpec = fault.parse().expect("a fault");
            self.device.inject(fault);
        }
    }

    /// Runs the flows of the project. Returns the verdicts by the flow's path and its case.
    pub async fn run(&self, arguments: &[&str]) -> (BTreeMap<String, Verdict>, Ran) {
        let address = self.device.address().to_string();
        let driver = match self.driver {
            Driver::Stock => "stock",
            Driver::Uia2 => "uia2",
        };
        let mut command = self.project.command(&["test", "flows"]);
        command.args(["--json", "events.ndjson", "--device", &address]);
        command.args(["--driver", driver]).args(arguments);
        let running = tokio::process::Command::from(command)
            .kill_on_drop(true)
            .output();
        let ran = Ran::from(running.await.expect("the program starts"));
        let events = std::fs::read_to_string(self.project.path("events.ndjson"));
        (verdicts(&events.unwrap_or_default()), ran)
    }
}

/// Reads the verdicts of a stream: the last attempt of each flow and case, and files that do not read.
pub fn verdicts(events: &str) -> BTreeMap<String, Verdict> {
    let mut found = BTreeMap::new();
    for event in events.lines() {
        let Ok(event) = serde_json::from_str::<Value>(event) else {
            continue;
        };
        let name = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        if event["event"] == "flow_finished" {
            let id = &event["id"];
            let mut key = name(&id["flow"]);
            if let Some(case) = id["case"].as_str() {
                key = format!("{key} [{case}]");
            }
            found.insert(key, Verdict::read(&event));
        } else if event["event"] == "unreadable" {
            let why = format!("unreadable: {event}");
            found.insert(name(&event["flow"]), Verdict::Error(why));
        }
    }
    found
}
