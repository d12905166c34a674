//! Checks of `runner doctor`: the adb program, its server, the devices, and what each device can do.
//!
//! It returns results; the caller prints them.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::adb::{AdbServer, ConnectedDevice, ConnectionState, list_devices, server_version};
use super::system::{self, START_ADVICE, ScreenState, UNLOCK_ADVICE};
use super::{
    Device, DeviceError, DriverKind, LookOptions, PictureOptions, Reading, ServerSystem, text,
};
use runner_text::secret::from_outside;

/// Limit of each check of a device. Chosen: as long as a dump may take on a slow device.
const PROBE_LIMIT: Duration = Duration::from_secs(30);
/// Limit of `adb version`. Chosen: it starts one process.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct CheckResult {
    pub ok: bool,
    /// Subject of the check, such as `adb server`.
    pub title: String,
    /// Finding in one line.
    pub detail: String,
    /// Instruction to the person; of a good result, a possible improvement.
    pub advice: Option<String>,
    /// Duration in milliseconds, if the feature was [tried](super::trial).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub took_ms: Option<u64>,
}

impl CheckResult {
    /// Creates a good result.
    pub fn good(title: impl Into<String>, detail: impl Into<String>) -> Self {
        Self {
            ok: true,
            title: title.into(),
            detail: detail.into(),
            advice: None,
            took_ms: None,
        }
    }

    /// Creates a good result with advice that would make it better.
    pub fn limited(
        title: impl Into<String>,
        detail: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            ok: true,
            ..Self::bad(title, detail, advice)
        }
    }

    /// Marks the result as good, as what is missing is not needed.
    fn excuse(&mut self) {
        self.ok = true;
    }

    /// Creates a bad result. `advice` says what to do.
    pub fn bad(
        title: impl Into<String>,
        detail: impl Into<String>,
        advice: impl Into<String>,
    ) -> Self {
        Self {
            ok: false,
            title: title.into(),
            detail: detail.into(),
            advice: Some(advice.into()),
            took_ms: None,
        }
    }
}

/// Checks the adb program, the server and its devices, starts the server if it has a program, and returns the
/// results and the devices that the server lists. If `needed` is false, as no device is reached through the server,
/// it checks the same and marks every result as good.
pub async fn check_host(
    server: &AdbServer,
    needed: bool,
) -> (Vec<CheckResult>, Vec<ConnectedDevice>) {
    let (mut findings, devices) = look_at_host(server).await;
    if !needed {
        findings.iter_mut().for_each(CheckResult::excuse);
    }
    (findings, devices)
}

/// Checks the adb program and server of this computer. Returns the results, with one for each known device, and
/// these devices. Without a server there are none; a missing program does not matter beside a server.
async fn look_at_host(server: &AdbServer) -> (Vec<CheckResult>, Vec<ConnectedDevice>) {
    let mut findings = vec![check_program(server.program.as_deref()).await];
    match server_version(server).await {
        Ok(version) => {
            // The program is only needed to start a server.
            findings.iter_mut().for_each(CheckResult::excuse);
            findings.push(CheckResult::good(
                "adb server",
                format!("at {}, protocol version {version}", server.address()),
            ));
        }
        Err(error) => {
            findings.push(CheckResult::bad(
                "adb server",
                error.to_string(),
                "run `adb start-server`, or name the server's host and port",
            ));
            return (findings, Vec::new());
        }
    }
    let devices = match list_devices(server).await {
        Ok(devices) => devices,
        Err(error) => {
            findings.push(CheckResult::bad(
                "devices",
                error.to_string(),
                "restart the server with `adb kill-server`",
            ));
            return (findings, Vec::new());
        }
    };
    if devices.is_empty() {
        findings.push(CheckResult::bad(
            "devices",
            "the server knows no device",
            "connect one with USB debugging on, start an emulator, or use `--device virtual`",
        ));
    }
    findings.extend(devices.iter().map(check_state));
    (findings, devices)
}

/// Checks that the adb program runs, by `adb version`, and tells its path and version. No program, a failure and no
/// end within 10 seconds are bad.
async fn check_program(program: Option<&Path>) -> CheckResult {
    const TITLE: &str = "adb program";
    const ADVICE: &str = "install Android's platform-tools and put `adb` on the PATH, or set ANDROID_HOME; the virtual device, and a phone on USB or at HOST:PORT, need none";
    let Some(program) = program else {
        return CheckResult::bad(TITLE, "none found", ADVICE);
    };
    let run = tokio::process::Command::new(program)
        .arg("version")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .output();
    let name = program.display();
    match tokio::time::timeout(VERSION_LIMIT, run).await {
        Ok(Ok(output)) if output.status.success() => {
            let text = from_outside(&output.stdout);
            let version = text
                .lines()
                .find_map(|line| line.strip_prefix("Version "))
                .or_else(|| text.lines().next())
                .unwrap_or("unknown version");
            CheckResult::good(TITLE, format!("{name}, {version}"))
        }
        Ok(Ok(output)) => CheckResult::bad(
            TITLE,
            format!("`{name} version` failed ({})", output.status),
            ADVICE,
        ),
        Ok(Err(cause)) => {
            CheckResult::bad(TITLE, format!("`{name}` does not run: {cause}"), ADVICE)
        }
        Err(_) => CheckResult::bad(
            TITLE,
            format!("`{name} version` took longer than {VERSION_LIMIT:?}"),
            ADVICE,
        ),
    }
}

/// Converts a device's state: good, with the model, if online, else bad with the advice for it.
fn check_state(device: &ConnectedDevice) -> CheckResult {
    let title = format!("device {}", device.serial);
    match &device.state {
        ConnectionState::Online => CheckResult::good(
            title,
            device.model.clone().unwrap_or_else(|| "ready".to_owned()),
        ),
        ConnectionState::Other(state) => CheckResult::bad(
            title,
            state.clone(),
            device.state.advice().unwrap_or_default(),
        ),
    }
}

/// Checks the abilities of one device: description, driver, state of the screen, dump, screenshot and
/// keyboard, in this order. For a device behind a server, what the server can and cannot do is listed in
/// place of screen and keyboard. Each check reports its own failure; none ends the others.
pub async fn check_device(device: &dyn Device) -> Vec<CheckResult> {
    if let Some(system) = device.system() {
        let mut findings = vec![
            check_info(device),
            check_driver(device),
            check_dump(device).await,
            check_picture(device).await,
        ];
        findings.extend(check_server(system));
        return findings;
    }
    vec![
        check_info(device),
        check_driver(device),
        check_screen_state(device).await,
        check_dump(device).await,
        check_picture(device).await,
        check_keyboard(device).await,
    ]
}

/// Checks that the device answered all questions about itself; if not, it is bad and names the first open one.
/// Asks nothing more.
fn check_info(device: &dyn Device) -> CheckResult {
    let info = device.info();
    let display = match &info.display {
        Reading::Said(display) => format!(
            "{}×{} at {} dpi",
            display.width, display.height, display.density
        ),
        _ => "display unknown".to_owned(),
    };
    let detail = format!(
        "{} {}, Android {} (SDK {}), {display}, {}",
        info.manufacturer, info.model, info.release, info.sdk, info.locale
    );
    match info.open_questions().first() {
        Some(question) => CheckResult::bad(
            "device",
            format!("{detail}; {question}"),
            "unlock or restart the device and look again; what it does not answer, no snapshot and no `needs` can use",
        ),
        None => CheckResult::good("device", detail),
    }
}

/// Says which driver is in use and which is installed. Always good.
fn check_driver(device: &dyn Device) -> CheckResult {
    let detail = match (device.info().driver, device.uia2_installed()) {
        (Some(DriverKind::Webdriver), _) => {
            "webdriver: a session of the server, which ends with this command".to_owned()
        }
        (Some(DriverKind::Uia2), _) => {
            "uia2: its server runs already, and is looked through".to_owned()
        }
        (_, true) => {
            "stock now; uia2 is installed, and `runner test` uses it unless `driver` says otherwise"
                .to_owned()
        }
        (_, false) => "stock; uia2 is not installed".to_owned(),
    };
    CheckResult::good("driver", detail)
}

/// Lists what a server can do, in one result, and what it cannot, in one each. A missing ability counts as good,
/// with advice.
fn check_server(system: &dyn ServerSystem) -> Vec<CheckResult> {
    let abilities = system.abilities();
    let can: Vec<&str> = abilities
        .iter()
        .filter(|ability| ability.missing.is_none())
        .map(|ability| ability.what)
        .collect();
    let mut findings = vec![CheckResult::good("the server can", can.join("; "))];
    findings.extend(abilities.into_iter().filter_map(|ability| {
        let missing = ability.missing?;
        Some(CheckResult::limited(
            "the server cannot",
            ability.what,
            missing,
        ))
    }));
    findings
}

/// Asks whether the screen is on and unlocked. Changes nothing. Off, locked, starting and no answer are bad.
async fn check_screen_state(device: &dyn Device) -> CheckResult {
    const TITLE: &str = "screen on";
    match system::screen_state(device).await {
        Ok(ScreenState::Ready) => CheckResult::good(TITLE, "on and unlocked"),
        Ok(ScreenState::Off) => CheckResult::bad(TITLE, "off", UNLOCK_ADVICE),
        Ok(ScreenState::Locked) => CheckResult::bad(TITLE, "locked", UNLOCK_ADVICE),
        Ok(ScreenState::Starting) => CheckResult::bad(TITLE, "starting", START_ADVICE),
        Err(error) => CheckResult::bad(TITLE, error.to_string(), advice(&error)),
    }
}

/// Looks at the screen, with retries for at most 30 seconds. A release that lists only one window is good; an error
/// is bad.
async fn check_dump(device: &dyn Device) -> CheckResult {
    match device.look(LookOptions::within(PROBE_LIMIT)).await {
        Ok(screen) if screen.is_degraded() => CheckResult::good(
            "screen dump",
            format!(
                "{} nodes of the active window; this release gives no other windows",
                screen.len()
            ),
        ),
        Ok(screen) => CheckResult::good(
            "screen dump",
            format!(
                "{} nodes in {} windows",
                screen.len(),
                screen.windows().len()
            ),
        ),
        Err(error) => CheckResult::bad("screen dump", error.to_string(), advice(&error)),
    }
}

/// Takes a screenshot, with retries for at most 30 seconds, and decodes it. A failure of either is bad.
async fn check_picture(device: &dyn Device) -> CheckResult {
    let picture = match device.picture(PictureOptions::within(PROBE_LIMIT)).await {
        Ok(picture) => picture,
        Err(error) => return CheckResult::bad("screenshot", error.to_string(), advice(&error)),
    };
    let decoded =
        tokio::task::spawn_blocking(move || picture.pixels().map(|pixels| pixels.dimensions()));
    match decoded.await {
        Ok(Ok((width, height))) => CheckResult::good("screenshot", format!("{width}×{height}")),
        Ok(Err(error)) => {
            let error = DeviceError::from(error);
            CheckResult::bad("screenshot", error.to_string(), advice(&error))
        }
        Err(error) => CheckResult::bad("screenshot", error.to_string(), "please report this"),
    }
}

/// Asks for a keyboard that takes text by broadcast. Without such a keyboard the result is good, with advice; an
/// error, also a device without the command `ime`, is bad.
async fn check_keyboard(device: &dyn Device) -> CheckResult {
    const TITLE: &str = "text of any script";
    match text::broadcast_keyboard(device).await {
        Ok(Some(keyboard)) => CheckResult::good(TITLE, format!("typed through {keyboard}")),
        Ok(None) => CheckResult::limited(
            TITLE,
            "only characters that have a key can be typed",
            "install a keyboard that takes text by broadcast, such as ADBKeyBoard, and enable it",
        ),
        Err(error) => CheckResult::bad(TITLE, error.to_string(), advice(&error)),
    }
}

/// Returns what a person can do about an error; for most that is to read the message.
pub(super) fn advice(error: &DeviceError) -> &'static str {
    match error {
        DeviceError::NoDump { .. } | DeviceError::Dump(_) => {
            "wake and unlock the device, close other automation tools, and look again"
        }
        DeviceError::NoPicture(_) => "wake and unlock the device; some apps forbid screenshots",
        DeviceError::Timeout { .. } => "the device is very slow or hangs; restart it",
        DeviceError::NoLog(_) => {
            "look for \"Logger buffer sizes\", or the maker's own switch for logs, in the developer options"
        }
        DeviceError::Command { .. } => "see the message",
        _ => "see the message; `adb devices -l` says how the server sees the device",
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[test]
    fn a_state_that_is_not_ready_comes_with_advice() {
        let device = |state| ConnectedDevice {
            serial: "x".to_owned(),
            state,
            model: None,
            transport_id: None,
        };
        assert!(check_state(&device(ConnectionState::Online)).ok);
        let finding = check_state(&device(ConnectionState::Other("unauthorized".to_owned())));
        assert!(!finding.ok);
        assert!(finding.advice.unwrap().contains("allow USB debugging"));
    }

    #[tokio::test]
    async fn a_list_that_the_server_refuses_is_no_list_without_devices() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = AdbServer {
            host: "127.0.0.1".to_owned(),
            port: listener.local_addr().unwrap().port(),
            program: None,
        };
        let serving = async {
            for (request, answer) in [
                ("000chost:version", "OKAY00040029"),
                ("000ehost:devices-l", "FAIL0004busy"),
            ] {
                let (mut socket, _) = listener.accept().await.unwrap();
                let mut received = vec![0; request.len()];
                socket.read_exact(&mut received).await.unwrap();
                assert_eq!(received, request.as_bytes());
                socket.write_all(answer.as_bytes()).await.unwrap();
            }
        };
        let ((findings, devices), ()) = tokio::join!(look_at_host(&server), serving);
        assert_eq!(devices, []);
        let told = findings.iter().filter(|it| it.title == "devices");
        let told: Vec<&str> = told.map(|it| it.detail.as_str()).collect();
        assert!(
            matches!(told[..], [why] if why.contains("busy")),
            "{told:?}"
        );
    }

    #[tokio::test]
    async fn a_program_that_is_not_there_is_a_finding() {
        assert!(!check_program(None).await.ok);
        let finding = check_program(Some(Path::new("/nowhere/adb"))).await;
        assert!(!finding.ok && finding.advice.is_some());
    }
}
