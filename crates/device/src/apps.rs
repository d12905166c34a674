//! Apps: launch, stop, install, permissions, links; which are installed, running or in front.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Duration;

use indexmap::IndexMap;

use super::command::{QUICK, failed, shorten, succeed};
use super::logs::{self, Level, LogLine, LogQuery};
use super::reading;
use super::sections::ask_texts;
use super::windows::{self, Answers};
use super::{
    Device, DeviceError, Feature, NoAnswer, Script, ServerSystem, ShellOutput, app_version,
    permissions, quote,
};
use crate::files::read_local;
use runner_text::secret::{OutsideText, from_outside};
use runner_text::units::RoundedDuration;

/// Limit for an app to come to the front. Chosen: a first start on a loaded emulator takes tens of seconds.
const LAUNCH_LIMIT: Duration = Duration::from_mins(1);
/// Time after which `am start` may be one that never returns. Chosen: longer than nearly all launches.
const USUAL_LAUNCH: Duration = Duration::from_secs(10);
/// Pause between two questions for the app in front. Chosen: each costs the device a `dumpsys`, and a launch
/// that takes so long is rare.
const FRONT_PAUSE: Duration = Duration::from_secs(3);
/// Limit of an installation. Chosen: large APKs are compiled during it, which takes minutes on old phones.
const INSTALL_LIMIT: Duration = Duration::from_mins(5);
/// Package of the system's own permissions and dialogs.
const FRAMEWORK: &str = "android";
/// Folder on the device for packages before they are installed; the shell may write there, and the package
/// manager read.
const STAGING: &str = "/data/local/tmp";

/// Options of a launch.
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own, as a flow writes it"
)]
#[derive(Debug, Clone, Copy, Default)]
pub struct Launch<'a> {
    pub package: &'a str,
    /// Activity, as `.Main` or with its package; `None` for the one that the launcher starts.
    pub activity: Option<&'a str>,
    /// Clears the app's data before the launch.
    pub clear: bool,
    /// Ends the app before the launch, so that it starts anew.
    pub stop: bool,
    /// Extras of the intent: texts, booleans, numbers, and null for a text without a value.
    pub extras: Option<&'a IndexMap<String, serde_json::Value>>,
    /// Grants all run-time permissions that the app requests, before the launch.
    pub all_permissions: bool,
    /// Run-time permissions to grant (true) or revoke (false) before the launch.
    pub permissions: Option<&'a IndexMap<String, bool>>,
    /// Skips the check that the app came to the front or runs, which the caller makes.
    pub unconfirmed: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct InstalledApp {
    pub package: String,
    /// Set for an app of the system.
    pub system: bool,
    /// Name for people, if the device reports it.
    pub label: Option<String>,
    /// `versionName`, if the device reports it.
    pub version_name: Option<String>,
    /// `versionCode`, if the device reports it.
    pub version_code: Option<u64>,
}

/// Selection of apps to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AppFilter {
    All,
    /// Apps that a person installed.
    User,
    System,
}

/// Launches an app and waits until its first frame is drawn. First it clears or ends the app and sets the
/// permissions, as `launch` demands. Without a named activity it starts the one of the launcher, or uses
/// `monkey` if the device cannot name it.
///
/// On a device with a server of its own, that server launches the app, and `unconfirmed` has no effect.
///
/// # Errors
/// Fails before any change if an extra is a list or an object. Fails if the app is not installed, if extras
/// are given and no activity can be found, if it draws nothing within a minute, or if afterwards another app
/// is in front and this one does not run (not checked for an unconfirmed launch).
pub async fn launch(device: &dyn Device, launch: &Launch<'_>) -> Result<(), DeviceError> {
    let package = launch.package;
    // Checked first: nothing may be cleared for a launch that then fails.
    let extras = launch
        .extras
        .map(extras_words)
        .transpose()?
        .unwrap_or_default();
    let named = launch.activity.map(|activity| component(package, activity));
    let prepare = prepare(device, launch);
    if let Some(system) = device.system() {
        prepare.await?;
        return match named {
            None if !extras.is_empty() => Err(activity_needed(package)),
            named => system.launch(package, named.as_deref(), &extras).await,
        };
    }
    // Run at the same time: neither depends on the other, and each is a process on the device.
    let find = async {
        match named {
            Some(named) => Ok(Some(named)),
            None => launchable(device, package).await,
        }
    };
    let (prepared, found) = tokio::join!(prepare, find);
    prepared?;
    let component = found?;
    match component {
        Some(component) => {
            let mut words = vec!["am", "start", "-W", "-n", &component];
            words.extend(extras.iter().map(String::as_str));
            start(device, &words, Some(package), !launch.unconfirmed).await
        }
        None if extras.is_empty() => monkey(device, package).await,
        // `monkey` passes no extras, so an app that needs them would start wrongly.
        None if is_installed(device, package).await? => Err(activity_needed(package)),
        None => Err(not_launched(package, None, false)),
    }
}

/// Clears the app's data or ends the app, then grants all run-time permissions, then sets the named ones, as
/// the launch demands. Clearing also ends the app, so `stop` is then not needed. The named permissions come
/// last, so that they win over `all_permissions`.
async fn prepare(device: &dyn Device, launch: &Launch<'_>) -> Result<(), DeviceError> {
    let package = launch.package;
    // `pm clear` also ends the app.
    if launch.clear {
        clear(device, package).await?;
    } else if launch.stop {
        stop(device, package).await?;
    }
    // After clearing, which revokes run-time permissions.
    if launch.all_permissions {
        grant_all(device, package).await?;
    }
    for (permission, granted) in launch.permissions.into_iter().flatten() {
        set_permission(device, package, permission, *granted).await?;
    }
    Ok(())
}

fn activity_needed(package: &str) -> DeviceError {
    DeviceError::Unsupported {
        what: format!("give extras to '{package}'"),
        missing: "which of its activities to launch is not known; name one with `activity`"
            .to_owned(),
    }
}

/// Ends an app with all its processes. An app that does not run, or is not installed, is no error.
///
/// # Errors
/// Fails if the device refuses, or a process that ran before the command still runs after it. A process that
/// the system started anew is no error.
pub async fn stop(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.stop(package).await;
    }
    let command = Script::command(["am", "force-stop", package]);
    let output = device
        .shell(&with_processes(&command, package), QUICK)
        .await?;
    if is_refused(&output) || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&command, &output));
    }
    check_ended(&command, &output)
}

/// Wraps a command that ends an app. The script prints the app's process ids before it as `before=…` and
/// after it as `after=…`, and exits with the command's exit code.
fn with_processes(command: &Script, package: &str) -> Script {
    let pidof = format!("pidof {} 2>/dev/null", quote(package));
    Script::raw(
        format!(
            "b=$({pidof}); {}; r=$?; echo \"before=$b\"; echo \"after=$({pidof})\"; (exit $r)",
            command.text()
        ),
        command.label().to_owned(),
    )
}

/// Fails if a process listed before the command of [`with_processes`] still runs.
fn check_ended(command: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    still_running(&output.text()).map_or(Ok(()), |pid| {
        let what = format!("the app's process {pid} still runs");
        Err(no_effect(command, what))
    })
}

/// Returns the first process id of the line `before=` that the line `after=` has too; `None` if there is none
/// or a line is missing. A new process does not count: the system restarts some apps at once.
fn still_running(output: &str) -> Option<&str> {
    let of = |name: &str| {
        output
            .lines()
            .find_map(|line| line.trim().strip_prefix(name))
    };
    let after: Vec<&str> = of("after=")?.split_whitespace().collect();
    of("before=")?
        .split_whitespace()
        .find(|pid| after.contains(pid))
}

/// Builds the error of a command that reported success without effect. `what` says what is wrong; the error
/// has no exit code.
fn no_effect(command: &Script, what: String) -> DeviceError {
    DeviceError::Command {
        command: command.label().to_owned(),
        exit_code: None,
        output: what,
    }
}

/// Ends an app's background processes; an app in front keeps running. An app that does not run is no error,
/// and the result is not checked.
pub async fn kill_background(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    let script = Script::command(["am", "kill", package]);
    succeed(device, &script, QUICK).await.map(drop)
}

/// Clears an app's data and so ends the app.
///
/// # Errors
/// Fails if the device does not print `Success`, if the app is not installed, or if a process of before still
/// runs. Old releases report success for a missing app, so its path is asked for too.
pub async fn clear(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.clear(package).await;
    }
    let command = Script::command(["pm", "clear", package]);
    let processes = with_processes(&command, package);
    let script = Script::raw(
        format!("{}; pm path {}; true", processes.text(), quote(package)),
        processes.label().to_owned(),
    );
    let output = device.shell(&script, QUICK).await?;
    check_success(&command, &output)?;
    if !output.text().contains("package:/") {
        return Err(no_effect(&command, "the app is not installed".to_owned()));
    }
    check_ended(&command, &output)
}

/// Grants a run-time permission; a name without a dot is one of Android's own.
pub async fn grant(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, true).await
}

/// Revokes a run-time permission; a name without a dot is one of Android's own.
pub async fn revoke(
    device: &dyn Device,
    package: &str,
    permission: &str,
) -> Result<(), DeviceError> {
    set_permission(device, package, permission, false).await
}

/// Grants all run-time permissions that the app requests and does not have yet. Those that cannot be changed,
/// such as unknown or fixed ones, are passed over.
///
/// # Errors
/// Fails with the first permission that the device afterwards still lists as denied.
pub async fn grant_all(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        return system.grant_all(package).await;
    }
    let requested = permissions::run_time(device, package).await?;
    let missing = requested.into_iter().filter(|(_, granted)| !granted);
    let grants: Vec<_> = missing.map(|(name, _)| (name, true)).collect();
    let stays = permissions::set_each(device, package, &grants).await?;
    match stays.first() {
        Some((permission, granted)) => Err(not_set(permission, *granted)),
        None => Ok(()),
    }
}

/// Builds the error of a permission that did not change. `granted` is the wanted state: true gives `pm grant`
/// and "is still denied", false `pm revoke` and "is still granted".
pub fn not_set(permission: &str, granted: bool) -> DeviceError {
    let (verb, state) = if granted {
        ("grant", "is still denied")
    } else {
        ("revoke", "is still granted")
    };
    DeviceError::Command {
        command: format!("pm {verb}"),
        exit_code: None,
        output: format!("{permission} {state}"),
    }
}

async fn set_permission(
    device: &dyn Device,
    package: &str,
    permission: &str,
    granted: bool,
) -> Result<(), DeviceError> {
    let permission = if permission.contains('.') {
        permission.to_owned()
    } else {
        format!("android.permission.{permission}")
    };
    if let Some(system) = device.system() {
        return system.set_permission(package, &permission, granted).await;
    }
    let verb = if granted { "grant" } else { "revoke" };
    let command = Script::command(["pm", verb, package, &permission]);
    // The result is read in the same round trip.
    let script = Script::raw(
        format!(
            "{}; r=$?; dumpsys package {} 2>/dev/null | grep -E 'granted=|Package \\['; (exit $r)",
            command.text(),
            quote(package)
        ),
        command.label().to_owned(),
    );
    let output = device.shell(&script, QUICK).await?;
    let text = output.text();
    let is_listed = |line: &&str| line.contains(": granted=") || line.starts_with("Package [");
    let (listed, message): (Vec<&str>, Vec<&str>) =
        text.lines().map(str::trim).partition(is_listed);
    let message = format!("{}\n{}", message.join("\n"), from_outside(&output.stderr));
    // A success prints nothing; failures print an exception and older releases exit 0.
    if output.exit_code.is_some_and(|code| code != 0)
        || message.contains("Exception")
        || message.contains("Error")
    {
        return Err(failed(&command, &output));
    }
    if listed.is_empty() {
        return Err(no_effect(&command, "the app is not installed".to_owned()));
    }
    let name = format!("{permission}: granted=");
    let states: Vec<&str> = listed
        .iter()
        .filter_map(|line| line.strip_prefix(&name))
        .collect();
    let wanted = granted.to_string();
    if states.iter().any(|state| state.starts_with(&wanted)) || states.is_empty() && !granted {
        // A permission that the app does not request is never granted.
        return Ok(());
    }
    if states.is_empty() {
        let what = format!("the device does not list {permission} among the app's permissions");
        return Err(no_effect(&command, what));
    }
    Err(not_set(&permission, granted))
}

/// Opens a link by an intent `VIEW`, as if a person had tapped it. With a package only that app may take it;
/// without one the system chooses, and may show a question. Waits until the first frame is drawn.
///
/// # Errors
/// Fails if no app takes the link, if nothing is drawn within a minute, or if the named app afterwards
/// neither is in front nor runs.
pub async fn open_link(
    device: &dyn Device,
    link: &str,
    package: Option<&str>,
) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.open_link(link, package).await;
    }
    let mut words = vec![
        "am",
        "start",
        "-W",
        "-a",
        "android.intent.action.VIEW",
        "-d",
        link,
    ];
    if let Some(package) = package {
        words.extend(["-p", package]);
    }
    start(device, &words, package, true).await
}

/// Installs an APK, or a folder that is an app of the virtual device. An installed app is replaced and keeps
/// its data; test-only APKs are allowed. The copy on the device is removed afterwards, even if the
/// installation fails.
///
/// # Errors
/// Fails if the source cannot be read or the device refuses it. If both the installation and the removal of
/// the copy fail, the error is that of the installation.
pub async fn install(device: &dyn Device, source: &Path) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.install(source).await;
    }
    let name = format!("runner-install-{:012x}", fastrand::u64(..1 << 48));
    let (remote, sent) = if is_folder(source).await {
        let remote = format!("{STAGING}/{name}");
        let sent = super::files::push_tree(device, source, &remote).await;
        (remote, sent)
    } else {
        let remote = format!("{STAGING}/{name}.apk");
        let bytes = read_local(source)
            .await
            .map_err(|why| DeviceError::Command {
                command: format!("install {}", source.display()),
                exit_code: None,
                output: why.to_string(),
            })?;
        let sent = device.push(&bytes, &remote, 0o644).await;
        (remote, sent)
    };
    // `-t` allows the test-only APKs that Android Studio builds.
    let install = Script::command(["pm", "install", "-r", "-t", &remote]);
    let result = match sent {
        Ok(()) => install_package(device, &install).await,
        Err(error) => Err(error),
    };
    let clean_up = Script::command(["rm", "-rf", &remote]);
    let cleaned = device.shell(&clean_up, QUICK).await;
    // The installation's error matters more than that of removing the copy.
    result?;
    cleaned.map(drop)
}

/// Uninstalls an app with its data.
///
/// # Errors
/// Fails if the device does not print `Success`, such as for an app that is not installed, or if the package
/// still has a path below `/data/`. A system app that falls back to its built-in version is no error.
pub async fn uninstall(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    if let Some(system) = device.system() {
        return system.uninstall(package).await;
    }
    let command = Script::command(["pm", "uninstall", package]);
    let script = Script::raw(
        format!("{}; pm path {}; true", command.text(), quote(package)),
        command.label().to_owned(),
    );
    let output = device.shell(&script, INSTALL_LIMIT).await?;
    check_success(&command, &output)?;
    // Uninstalling a system app removes its updates only.
    match output
        .text()
        .lines()
        .find(|line| line.trim().starts_with("package:/data/"))
    {
        Some(path) => Err(no_effect(
            &command,
            format!("it is still at {}", path.trim()),
        )),
        None => Ok(()),
    }
}

/// Lists the installed apps of the selection, sorted by package name. Versions and labels are `None` if the
/// device does not report them. If the list for all users is refused, that of user 0 is taken.
///
/// # Errors
/// Fails if the list is empty and a command complained. An empty list without a complaint is a result. A
/// server without a shell can list [`AppFilter::All`] only.
pub async fn list(
    device: &dyn Device,
    filter: AppFilter,
) -> Result<Vec<InstalledApp>, DeviceError> {
    if let Some(system) = device.system().filter(|system| !system.has_shell()) {
        return list_from_server(system, filter).await;
    }
    // `pm list packages` does not say which apps are the system's, so both lists are asked for.
    let versions = format!(
        "dumpsys package packages 2>/dev/null | {}",
        app_version::FILTER
    );
    // A private folder of Samsung's is a user that the shell may not read, so listing all users fails.
    // Source: mobile-dev-inc/Maestro#418.
    let [of_people, of_system] = ["-3", "-s"]
        .map(|kind| format!("pm list packages {kind} || pm list packages {kind} --user 0"));
    let mut questions = vec![of_people.as_str(), &of_system, &versions];
    if device.info().offers(Feature::AppLabels) {
        questions.push("cmd runner labels");
    }
    let answers = device.ask(&questions, "pm list packages", QUICK).await?;
    let part = |index: usize| {
        let text = answers.get(index).map(ShellOutput::text);
        text.unwrap_or_default().into_owned()
    };
    let versions = app_version::read(&part(2));
    let labels = part(3);
    let labels: HashMap<&str, &str> = labels
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .collect();
    let packages = |index: usize, system: bool| {
        package_names(&part(index))
            .map(|package| {
                let version = versions.get(&package).cloned().unwrap_or_default();
                InstalledApp {
                    label: labels
                        .get(package.as_str())
                        .map(|label| (*label).to_owned()),
                    version_name: version.name,
                    version_code: version.code,
                    package,
                    system,
                }
            })
            .collect::<Vec<_>>()
    };
    let mut apps = Vec::new();
    if filter != AppFilter::System {
        apps.extend(packages(0, false));
    }
    if filter != AppFilter::User {
        apps.extend(packages(1, true));
    }
    // An empty list without an error message is an answer: the phone has no such apps.
    let complaint = answers.iter().find(|answer| !answer.stderr.is_empty());
    if let Some(complaint) = complaint.filter(|_| apps.is_empty()) {
        let words = from_outside(&complaint.stderr);
        return Err(DeviceError::Command {
            command: "pm list packages".to_owned(),
            exit_code: complaint.exit_code,
            output: shorten(&OutsideText::new(&words).lines(1, |_| true)),
        });
    }
    apps.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(apps)
}

/// Lists the apps that a server reports, sorted by package name. Labels and version names are `None`, and all
/// apps are marked as not the system's, as the server knows neither.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for any filter but [`AppFilter::All`].
async fn list_from_server(
    system: &dyn ServerSystem,
    filter: AppFilter,
) -> Result<Vec<InstalledApp>, DeviceError> {
    if filter != AppFilter::All {
        return Err(DeviceError::Unsupported {
            what: "tell apps of the system from others".to_owned(),
            missing: "its server lists them together; ask for all apps".to_owned(),
        });
    }
    let apps = system.apps().await?.into_iter();
    let mut apps: Vec<InstalledApp> = apps
        .map(|app| InstalledApp {
            package: app.package,
            system: false,
            label: None,
            version_name: None,
            version_code: app.version_code,
        })
        .collect();
    apps.sort_by(|a, b| a.package.cmp(&b.package));
    Ok(apps)
}

/// Returns true if the package is installed. An empty answer counts as "no" only if the same question finds
/// the package `android`, which always exists; then the package is asked for once more.
///
/// # Errors
/// Fails if the package manager does not answer, or exits with a code other than 0 and 1.
pub async fn is_installed(device: &dyn Device, package: &str) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        let apps = system.apps().await?;
        return Ok(apps.iter().any(|app| app.package == package));
    }
    let script = Script::command(["pm", "path", package]);
    let output = device.shell(&script, QUICK).await?;
    if output.text().contains("package:") {
        return Ok(true);
    }
    // For an unknown package `pm` prints nothing and exits with 1, in old releases with 0. All other output is no answer.
    match output.exit_code {
        Some(0 | 1) if package == FRAMEWORK => Ok(false),
        // An empty output counts only if `pm` finds the framework, which always exists.
        Some(0 | 1) if Box::pin(is_installed(device, FRAMEWORK)).await? => {
            let again = device.shell(&script, QUICK).await?;
            Ok(again.text().contains("package:"))
        }
        Some(0 | 1) => Err(not_answered("pm path", output.message())),
        _ => Err(failed(&script, &output)),
    }
}

fn not_answered(question: &'static str, answer: OutsideText) -> DeviceError {
    let why = NoAnswer {
        question: question.into(),
        answer,
    };
    DeviceError::NotAnswered(why.to_string())
}

/// Returns package and activity (`.Main`) in front; `None` if no app's window is found. Reads the displays
/// and windows of `dumpsys window`, and the resumed activity.
pub async fn foreground(device: &dyn Device) -> Result<Option<(String, String)>, DeviceError> {
    if let Some(system) = device.system() {
        return system.foreground().await;
    }
    let questions = [
        "dumpsys window displays 2>&1",
        "dumpsys window windows 2>&1 | grep -E 'mCurrentFocus|mFocusedApp'",
        windows::RESUMED_ACTIVITY,
    ];
    let [displays, windows, activities] =
        ask_texts(device, "dumpsys window", questions, QUICK).await?;
    Ok(windows::foreground(&Answers {
        displays: &displays,
        windows: &windows,
        activities: &activities,
        input_method: "",
    }))
}

/// Returns the ids of the processes whose name is exactly the package; empty if the app does not run. Asks
/// `pidof`, or `ps` where that is missing, up to three times, each time for at most `limit`.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the last output is neither a list of numbers nor a table of
/// processes.
pub async fn process_ids(
    device: &dyn Device,
    package: &str,
    limit: Duration,
) -> Result<Vec<u32>, DeviceError> {
    let name = quote(package);
    let script = Script::raw(
        format!("pidof {name} 2>/dev/null || ps -A 2>/dev/null || ps"),
        "pidof",
    );
    let mut tries_left = reading::TRIES;
    loop {
        device.counters().mark_read_only();
        let output = device.shell(&script, limit).await?;
        if let Some(ids) = read_process_ids(&output.text(), package) {
            return Ok(ids);
        }
        tries_left -= 1;
        if tries_left == 0 {
            // Without the table's heading, a missing process proves nothing.
            return Err(not_answered("ps", output.message()));
        }
        tokio::time::sleep(reading::PAUSE).await;
    }
}

/// Returns true if the app has a process, whether in front or not.
///
/// # Errors
/// Returns [`DeviceError::NotAnswered`] if the device does not list its processes.
pub async fn is_running(device: &dyn Device, package: &str) -> Result<bool, DeviceError> {
    if let Some(system) = device.system() {
        return system.is_running(package).await;
    }
    Ok(!process_ids(device, package, QUICK).await?.is_empty())
}

/// Builds a component such as `com.example/.Main` from a package and the activity that a flow names. An
/// activity with a slash is returned as it is, one with a dot gets the package in front, and one with neither
/// also the dot.
fn component(package: &str, activity: &str) -> String {
    if activity.contains('/') {
        activity.to_owned()
    } else if activity.contains('.') {
        format!("{package}/{activity}")
    } else {
        format!("{package}/.{activity}")
    }
}

/// Returns the package of the home screen: the part before the slash in the last line of the answer. `None`
/// if that line has no slash. The exit code is not checked.
pub async fn home(device: &dyn Device) -> Result<Option<String>, DeviceError> {
    let words = "cmd package resolve-activity --brief -a android.intent.action.MAIN -c android.intent.category.HOME";
    let script = Script::command(words.split(' '));
    let output = device.shell(&script, QUICK).await?;
    let text = output.text();
    let last = text.lines().map(str::trim).next_back().unwrap_or_default();
    Ok(last.split_once('/').map(|(package, _)| package.to_owned()))
}

/// Returns the component (`com.example/.Main`) of an app that the launcher starts. If the app has several
/// launcher icons, and so no single answer, it is the first in the app's manifest. `None` if the device does
/// not report any; `monkey` launches the app then.
pub async fn launchable(device: &dyn Device, package: &str) -> Result<Option<String>, DeviceError> {
    let ask = async |question| {
        let script = Script::command(["cmd", "package", question, "--brief", package]);
        device.shell(&script, QUICK).await
    };
    let resolved = ask("resolve-activity").await?;
    if let Some(component) = components(&resolved.text(), package).next_back() {
        return Ok(Some(component.to_owned()));
    }
    // An app may have two icons, such as one with LeakCanary, and Android would ask which. The app's own is first in its manifest.
    let listed = ask("query-activities").await?;
    Ok(components(&listed.text(), package)
        .next()
        .map(str::to_owned))
}

/// Filters the lines that are a component of the package. Other lines hold priorities, or a chooser of
/// another package.
fn components<'a>(text: &'a str, package: &str) -> impl DoubleEndedIterator<Item = &'a str> {
    text.lines().map(str::trim).filter(move |line| {
        line.split_once('/')
            .is_some_and(|(owner, activity)| owner == package && !activity.contains(' '))
    })
}

/// Runs an `am start -W`. On some phones it never returns although the app is there (appium/appium#12081), so
/// after 10 seconds the wait also ends with success once `package` was in front twice in a row.
///
/// # Errors
/// Fails if `am` refuses, if the app draws nothing within a minute, or, with `confirm` and a package, if
/// afterwards another app is in front and this one does not run. An activity of the package in the output of
/// `am` is proof enough. If the limit passes and the app has no process, the error is
/// [`DeviceError::Timeout`].
async fn start(
    device: &dyn Device,
    words: &[&str],
    package: Option<&str>,
    confirm: bool,
) -> Result<(), DeviceError> {
    let script = Script::command(words);
    let output = tokio::select! {
        output = device.shell(&script, LAUNCH_LIMIT) => output,
        () = wait_for_front(device, package) => {
            tracing::info!(target: "adb", ?package, "`am start -W` does not return; the app is in front");
            return Ok(());
        }
    };
    let output = match output {
        // The system started nothing: an app that merely draws nothing would have a process.
        Err(error @ DeviceError::Timeout { .. }) if has_no_process(device, package).await => {
            return Err(error);
        }
        // The device answers, so it is the app that draws nothing.
        Err(DeviceError::Timeout { limit, .. }) => {
            return Err(DeviceError::Command {
                command: script.label().to_owned(),
                exit_code: None,
                output: format!("the app drew nothing within {}", RoundedDuration(limit)),
            });
        }
        output => output?,
    };
    if is_refused(&output) || output.exit_code.is_some_and(|code| code != 0) {
        return Err(failed(&script, &output));
    }
    let Some(package) =
        package.filter(|package| confirm && !starts_activity_of(&output.text(), package))
    else {
        return Ok(());
    };
    // `am` does not report that the app's activity started, so the app in front decides. Another one may be there for it: a
    // question of the system, a browser.
    match foreground(device).await? {
        Some((front, _)) if front != package && !is_running(device, package).await? => {
            let query = LogQuery {
                level: Some(Level::Info),
                ..LogQuery::default()
            };
            let log = logs::read(device, &query).await.unwrap_or_default();
            let end = match find_exit_code(&log, package) {
                Some(code) => format!("the app has ended itself with exit code {code}"),
                None => "the app does not run".to_owned(),
            };
            Err(no_effect(&script, format!("{end}; in front is {front}")))
        }
        _ => Ok(()),
    }
}

/// Returns the exit code with which the app's last process ended itself, from the system's log. Takes the
/// newest line that says that a process of the package died, then the newest line of `Zygote` that this
/// process exited cleanly. `None` if either is missing.
fn find_exit_code<'l>(log: &'l [LogLine], package: &str) -> Option<&'l str> {
    let died = format!("Process {package} (pid ");
    let pid = log.iter().rev().find_map(|line| {
        let (pid, rest) = line.message.strip_prefix(&died)?.split_once(')')?;
        rest.contains("died").then_some(pid)
    })?;
    let exited = format!("Process {pid} exited cleanly (");
    let mut said = log.iter().rev().filter(|line| line.tag == "Zygote");
    said.find_map(|line| line.message.strip_prefix(&exited)?.strip_suffix(')'))
}

/// Returns true if the output of `am start -W` names an activity of the package as started.
fn starts_activity_of(output: &str, package: &str) -> bool {
    output.lines().any(|line| {
        let activity = line.trim().strip_prefix("Activity:").map(str::trim);
        activity
            .and_then(|it| it.split_once('/'))
            .is_some_and(|(owner, _)| owner == package)
    })
}

/// Returns true if the package certainly has no process. False without a package, and if the device does not
/// answer.
async fn has_no_process(device: &dyn Device, package: Option<&str>) -> bool {
    match package {
        Some(package) => is_running(device, package).await.is_ok_and(|runs| !runs),
        None => false,
    }
}

/// Returns once the package was in front in two looks in a row, 3 seconds apart. The first look is 13 seconds
/// after the call, as a usual launch takes up to 10. Errors of a look count as "not in front". Never returns
/// without a package, so the caller must bound it.
async fn wait_for_front(device: &dyn Device, package: Option<&str>) {
    let mut seen = 0;
    tokio::time::sleep(USUAL_LAUNCH).await;
    while seen < 2 {
        tokio::time::sleep(FRONT_PAUSE).await;
        let front = foreground(device).await.ok().flatten();
        let is_there = front.is_some_and(|(front, _)| Some(front.as_str()) == package);
        seen = if is_there { seen + 1 } else { 0 };
    }
}

/// Finds the first line with which `am start` reports that it started nothing, without the spaces around it:
/// `Error: …`, `Exception occurred while executing 'start':`, `Security exception: …`,
/// `java.lang.SecurityException: …`. `None` if there is no such line. The bare words elsewhere in a line do
/// not count, as they may stand in an app's names.
pub fn refusal(output: &str) -> Option<&str> {
    output.lines().map(str::trim).find(|line| is_refusal(line))
}

/// Returns true if standard error or output has a line of [`refusal`].
fn is_refused(output: &ShellOutput) -> bool {
    output.message().has_line(|line| is_refusal(line.trim()))
}

fn is_refusal(line: &str) -> bool {
    let first = line.split([':', ' ']).next().unwrap_or_default();
    let is_thrown = first.contains('.')
        && !first.contains('/')
        && (first.ends_with("Exception") || first.ends_with("Error"));
    is_thrown
        || first == "Error"
        || line.starts_with("Exception occurred")
        || line.starts_with("Security exception")
}

/// Launches by `monkey`, on releases whose package manager cannot resolve an app's activity. Does not check
/// that the app comes to the front.
///
/// # Errors
/// Fails if `monkey` injected no event; the error says whether the package is not installed or has no
/// activity for the launcher.
async fn monkey(device: &dyn Device, package: &str) -> Result<(), DeviceError> {
    let script = Script::command([
        "monkey",
        "-p",
        package,
        "-c",
        "android.intent.category.LAUNCHER",
        "1",
    ]);
    let output = device.shell(&script, LAUNCH_LIMIT).await?;
    if output.message().contains("Events injected: 1") {
        return Ok(());
    }
    let installed = is_installed(device, package).await?;
    Err(not_launched(package, output.exit_code, installed))
}

fn not_launched(package: &str, exit_code: Option<i32>, installed: bool) -> DeviceError {
    DeviceError::Command {
        command: format!("launch {package}"),
        exit_code,
        output: if installed {
            format!("No launchable activity found for package '{package}'")
        } else {
            format!("package '{package}' is not installed")
        },
    }
}

/// Runs a `pm install` and verifies it. Android gives a package a new folder at each installation (AOSP
/// `InstallPackageHelper.java`), so the list of packages with their paths must differ afterwards.
///
/// # Errors
/// Fails if the device does not print `Success`, or if both lists are the same and not empty. Missing lists
/// are no error.
async fn install_package(device: &dyn Device, command: &Script) -> Result<(), DeviceError> {
    const LIST: &str = "{ pm list packages -f || pm list packages -f --user 0; } 2>/dev/null";
    let script = Script::raw(
        format!(
            "{LIST}; echo {INSTALLING}; {}; echo {INSTALLED}; {LIST}; true",
            command.text()
        ),
        command.label().to_owned(),
    );
    let output = device.shell(&script, INSTALL_LIMIT).await?;
    check_success(command, &output)?;
    let text = output.text();
    let lists = text
        .split_once(INSTALLING)
        .and_then(|(before, rest)| Some((before, rest.split_once(INSTALLED)?.1)));
    let packages = |list: &str| -> BTreeSet<String> {
        let lines = list.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with("package:"))
            .map(ToOwned::to_owned)
            .collect()
    };
    match lists.map(|(before, after)| (packages(before), packages(after))) {
        Some((before, after)) if before == after && !after.is_empty() => Err(no_effect(
            command,
            "all packages are where they were before".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// Lines that separate the outputs around a `pm install`.
const INSTALLING: &str = "runner: installing";
const INSTALLED: &str = "runner: installed";

fn check_success(script: &Script, output: &ShellOutput) -> Result<(), DeviceError> {
    // Older releases always exit with 0; this word is the same in all releases.
    if output.text().lines().any(|line| line.trim() == "Success") {
        Ok(())
    } else {
        Err(failed(script, output))
    }
}

/// Converts extras into arguments of `am start`, in their order: texts as `--es`, booleans as `--ez`, whole
/// numbers as `--ei` if they fit 32 bits and else as `--el`, other numbers as `--ef`, and null as `--esn`.
///
/// # Errors
/// Returns [`DeviceError::Unsupported`] for a list or an object.
fn extras_words(extras: &IndexMap<String, serde_json::Value>) -> Result<Vec<String>, DeviceError> {
    use serde_json::Value;
    let mut words = Vec::new();
    for (name, value) in extras {
        let (flag, text) = match value {
            Value::String(text) => ("--es", text.clone()),
            Value::Bool(flag) => ("--ez", flag.to_string()),
            // `getIntExtra` does not find a long, so a number is passed as one only if it needs to be.
            Value::Number(number) => match number.as_i64() {
                Some(whole) if i32::try_from(whole).is_ok() => ("--ei", whole.to_string()),
                Some(whole) => ("--el", whole.to_string()),
                None => ("--ef", number.to_string()),
            },
            Value::Null => {
                words.extend(["--esn".to_owned(), name.clone()]);
                continue;
            }
            Value::Array(_) | Value::Object(_) => {
                return Err(DeviceError::Unsupported {
                    what: format!("take the extra '{name}'"),
                    missing: "extras are texts, booleans or numbers".to_owned(),
                });
            }
        };
        words.extend([flag.to_owned(), name.clone(), text]);
    }
    Ok(words)
}

/// Parses package names from `package:com.example` lines, with or without the fields of newer flags. Assumes
/// no `-f`, which puts a path before the name (recordings `pm_list--vidstige__jadb__*`, AOSP
/// `PackageManagerShellCommand.java`).
fn package_names(text: &str) -> impl Iterator<Item = String> + '_ {
    text.lines().filter_map(|line| {
        let name = line.trim().strip_prefix("package:")?;
        name.split_whitespace().next().map(str::to_owned)
    })
}

/// Parses the output of `pidof` (numbers) or `ps` (a table whose columns differ by release). Of a table,
/// returns the ids of the lines whose last word is exactly the package; `Some` of an empty list if there are
/// none. `None` if no line is a list of numbers or a heading with `PID`.
///
/// Assumes that the heading names the column `PID`, that no cell before it is empty or has a space in it, and
/// that the name stands last (toybox `ps.c`; recordings of API 18, 25 and 34 `ps--mlopatkin__andlogview__*`,
/// of which 18 has a column without cells behind it). If a shell has one stream, warnings of the linker may
/// stand before either.
fn read_process_ids(text: &str, package: &str) -> Option<Vec<u32>> {
    let mut lines = text.lines();
    let column = loop {
        let line = lines.next()?;
        let numbers: Result<Vec<u32>, _> = line.split_whitespace().map(str::parse).collect();
        if let Ok(numbers) = numbers.as_deref()
            && !numbers.is_empty()
        {
            return Some(numbers.to_vec());
        }
        let is_head = |word: &str| word == "PID";
        if let Some(column) = line.split_whitespace().position(is_head) {
            break column;
        }
    };
    let of_package = lines.filter(|line| line.split_whitespace().next_back() == Some(package));
    Some(
        of_package
            .filter_map(|line| line.split_whitespace().nth(column)?.parse().ok())
            .collect(),
    )
}

async fn is_folder(path: &Path) -> bool {
    tokio::fs::metadata(path)
        .await
        .is_ok_and(|metadata| metadata.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[test]
    fn an_exit_of_the_apps_own_is_told_from_the_log() {
        let line = |tag: &str, message: &str| LogLine {
            time: String::new(),
            pid: 1,
            level: Level::Info,
            tag: tag.to_owned(),
            message: message.to_owned(),
            raw: String::new(),
        };
        let died = |pid| format!("Process com.example.shop (pid {pid}) has died: fg  TOP");
        let mut log = vec![
            line("Zygote", "Process 41 exited cleanly (7)"),
            line("Zygote", "Process 42 exited cleanly (0)"),
            line("ActivityManager", &died(41)),
        ];
        assert_eq!(find_exit_code(&log, "com.example.shop"), Some("7"));
        assert_eq!(find_exit_code(&log, "com.example"), None);
        // A crash after it.
        log.push(line("Zygote", "Process 43 exited due to signal 9 (Killed)"));
        log.push(line("ActivityManager", &died(43)));
        assert_eq!(find_exit_code(&log, "com.example.shop"), None);
    }

    #[tokio::test]
    async fn extras_are_not_dropped_where_no_activity_is_known() {
        let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
            stdout: if script.starts_with("pm path a.b") {
                b"package:/data/app/base.apk\n".to_vec()
            } else {
                Vec::new()
            },
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let extras = IndexMap::from([("id".to_owned(), serde_json::json!(7))]);
        for (package, says) in [("a.b", "`activity`"), ("c.d", "not installed")] {
            let wanted = Launch {
                package,
                extras: Some(&extras),
                ..Launch::default()
            };
            let error = launch(fake.as_ref(), &wanted)
                .await
                .unwrap_err()
                .to_string();
            assert!(error.contains(says), "{error}");
        }
    }

    #[tokio::test]
    async fn an_app_that_does_not_arrive_leaves_nothing() {
        let fake = Fake::showing([""]);
        fake.with(|state| state.refuses_files = true);
        let folder = tempfile::tempdir().unwrap();
        let apk = folder.path().join("a.apk");
        fs_err::write(&apk, "x").unwrap();
        for source in [folder.path(), &apk] {
            install(fake.as_ref(), source).await.unwrap_err();
            let last = fake.with(|state| state.scripts.pop()).unwrap();
            assert!(last.starts_with("rm -rf /"), "{last}");
        }
    }

    fn corpus(name: &str) -> Option<String> {
        runner_testing::recorded_text(&format!("commands/{name}"))
    }

    #[test]
    fn a_component_is_a_package_and_an_activity() {
        for (activity, whole) in [
            (".Main", "a.b/.Main"),
            ("Main", "a.b/.Main"),
            ("c.d.Main", "a.b/c.d.Main"),
            ("x.y/.Main", "x.y/.Main"),
        ] {
            assert_eq!(component("a.b", activity), whole);
        }
    }

    #[test]
    fn the_resolved_activity_is_the_last_line_of_the_package() {
        let text = "priority=0 preferredOrder=0 match=0x108000 specificIndex=-1 isDefault=false\ncom.example/.Main\n";
        let last = |text| components(text, "com.example").next_back();
        assert_eq!(last(text), Some("com.example/.Main"));
        assert_eq!(last("No activity found"), None);
        let chooser = "priority=0\nandroid/com.android.internal.app.ResolverActivity";
        assert_eq!(last(chooser), None);
    }

    /// Two entries in the launcher of the same package, as `LeakCanary` adds one.
    #[tokio::test]
    async fn of_two_icons_the_first_is_the_apps_own() {
        let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
            stdout: if script.contains("resolve-activity") {
                b"priority=0\nandroid/com.android.internal.app.ResolverActivity\n".to_vec()
            } else if script.contains("query-activities") {
                b"2 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0\n    a.b/.Main\n  Activity #1:\n    priority=0 preferredOrder=0\n    a.b/leakcanary.internal.activity.LeakLauncherActivity\n".to_vec()
            } else {
                b"Status: ok\nActivity: a.b/.Main\n".to_vec()
            },
            exit_code: Some(0),
            ..ShellOutput::default()
        });
        let wanted = Launch {
            package: "a.b",
            ..Launch::default()
        };
        launch(fake.as_ref(), &wanted).await.unwrap();
        let scripts = fake.with(|state| state.scripts.clone());
        assert_eq!(scripts.last().unwrap(), "am start -W -n a.b/.Main");
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_never_returns_is_over_once_the_app_is_in_front() {
        for (front, is_there) in [("a.b/.Main", true), ("other/.Main", false)] {
            let fake = Fake::showing([""]).on_shell(move |script| {
                let text = match script {
                    script if script.contains("resolve-activity") => "a.b/.Main\n".to_owned(),
                    _ => format!("  mCurrentFocus=Window{{1 u0 {front}}}\n"),
                };
                ShellOutput {
                    stdout: text.into_bytes(),
                    exit_code: Some(0),
                    ..ShellOutput::default()
                }
            });
            fake.with(|state| state.hangs_at = Some("am start"));
            let wanted = Launch {
                package: "a.b",
                ..Launch::default()
            };
            let waited = tokio::time::timeout(USUAL_LAUNCH * 2, launch(fake.as_ref(), &wanted));
            assert_eq!(waited.await.is_ok_and(|result| result.is_ok()), is_there);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_start_that_begins_nothing_is_a_fault_of_the_device() {
        for (processes, is_fault) in [("", true), ("4711\n", false)] {
            let fake = Fake::showing([""]).on_shell(move |script| ShellOutput {
                stdout: match script {
                    script if script.contains("resolve-activity") => b"a.b/.Main\n".to_vec(),
                    script if script.contains("pidof") => processes.as_bytes().to_vec(),
                    _ => b"  mCurrentFocus=Window{1 u0 other/.Main}\n".to_vec(),
                },
                exit_code: Some(0),
                ..ShellOutput::default()
            });
            fake.with(|state| state.hangs_at = Some("am start"));
            let wanted = Launch {
                package: "a.b",
                ..Launch::default()
            };
            let error = launch(fake.as_ref(), &wanted).await.unwrap_err();
            assert_eq!(error.is_infrastructure(), is_fault, "{error}");
        }
    }

    #[test]
    fn a_start_is_refused_by_what_is_said_and_not_by_a_name() {
        for line in [
            "Error: Activity class {a.b/a.b.None} does not exist.",
            "Error type 3",
            "Exception occurred while executing 'start':",
            "Security exception: Permission Denial: starting Intent { }",
            "java.lang.SecurityException: Permission Denial: starting Intent { }",
            "android.util.AndroidException",
        ] {
            let output =
                format!("Starting: Intent {{ cmp=a.b/.None }}\n{line}\n\tat a.b.C(D.java:7)");
            assert_eq!(refusal(&output), Some(line));
        }
        for name in ["ExceptionListActivity", "Error", "java.lang.Exception"] {
            let output = format!(
                "Starting: Intent {{ cmp=a.b/.{name} }}\nWarning: Activity not started, its current task has been brought to the front\nStatus: ok\nLaunchState: WARM\nActivity: a.b/.{name}\nTotalTime: 41\nWaitTime: 43\nComplete\n"
            );
            assert_eq!(refusal(&output), None);
        }
    }

    #[test]
    fn package_lists_read() {
        let Some(text) = corpus("packages--appium-adb__app-commands_L117.txt") else {
            return;
        };
        let names: Vec<String> = package_names(&text).collect();
        assert_eq!(
            names,
            [
                "com.android.managedprovisioning",
                "com.google.android.apps.wallpaper.nexus",
                "com.android.chrome"
            ]
        );
    }

    #[test]
    fn process_ids_read_from_both_tools() {
        let Some(table) = corpus("ps--appium-adb__process-commands_L95.txt") else {
            return;
        };
        assert_eq!(
            read_process_ids(&table, "com.android.phone"),
            Some(vec![929, 930])
        );
        assert_eq!(read_process_ids(&table, "com.android"), Some(Vec::new()));
        assert_eq!(read_process_ids("4711 4712\n", "x"), Some(vec![4711, 4712]));
        for no_answer in ["", "\n", "Error: out of memory\n"] {
            assert_eq!(read_process_ids(no_answer, "x"), None);
        }
        let warning = "WARNING: linker: libx.so has text relocations\n\n";
        for answer in ["7\n", "USER PID NAME\nu0_a1 7 a.b\n"] {
            let after_a_warning = format!("{warning}{answer}");
            assert_eq!(read_process_ids(&after_a_warning, "a.b"), Some(vec![7]));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_question_for_processes_that_is_repeated_still_only_reads() {
        let mut asked = 0;
        let phone = Fake::showing([""]).on_shell(move |_| {
            asked += 1;
            let said: &[u8] = if asked < 3 { b"busy\n" } else { b"7\n" };
            ShellOutput {
                stdout: said.to_vec(),
                exit_code: Some(0),
                ..ShellOutput::default()
            }
        });
        let ids = process_ids(phone.as_ref(), "a.b", QUICK).await.unwrap();
        assert_eq!(ids, [7]);
        assert_eq!(phone.counters().read().round_trips, 3);
        assert_eq!(phone.counters().changing(), 0);
    }

    #[test]
    fn every_process_of_every_recorded_table_is_found() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/ps--") {
                continue;
            }
            let text = from_outside(&bytes);
            let head = text.lines().find(|line| line.contains("PID")).unwrap();
            // A second parser: by the column's position in the heading, which the digits below it overlap.
            let end = head.find("PID").unwrap() + 3;
            let rows = text.lines().skip_while(|line| *line != head).skip(1);
            for row in rows
                .filter(|row| row.split_whitespace().count() > 5)
                .step_by(runner_testing::long(25, 1))
            {
                let process = row.split_whitespace().next_back().unwrap();
                let found = read_process_ids(&text, process).unwrap();
                assert!(!found.is_empty(), "{name}: {row}");
                let below = row
                    .get(..end)
                    .and_then(|left| left.split_whitespace().next_back()?.parse().ok());
                if let Some(id) =
                    below.filter(|_| row.get(end..).is_some_and(|rest| rest.starts_with(' ')))
                {
                    assert!(found.contains(&id), "{name}: {row}: {found:?}");
                }
            }
        }
    }

    #[test]
    fn every_recorded_package_is_listed() {
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/pm_list--") && !name.contains("/packages--") {
                continue;
            }
            let text = from_outside(&bytes);
            let written = text
                .lines()
                .filter(|line| line.trim().starts_with("package:"));
            let names: Vec<String> = package_names(&text).collect();
            assert_eq!(names.len(), written.count(), "{name}");
        }
    }

    #[test]
    fn extras_have_types() {
        let extras: IndexMap<String, serde_json::Value> = serde_json::from_str(
            r#"{"name": "Ada $(id)", "on": true, "n": 3, "big": 3000000000, "half": 0.5, "none": null}"#,
        )
        .unwrap();
        let script = Script::command(extras_words(&extras).unwrap());
        assert_eq!(
            script.text(),
            "--es name 'Ada $(id)' --ez on true --ei n 3 --el big 3000000000 --ef half 0.5 --esn none"
        );
        let nested = IndexMap::from([("x".to_owned(), serde_json::json!([1]))]);
        assert!(matches!(
            extras_words(&nested),
            Err(DeviceError::Unsupported { .. })
        ));
    }
}
