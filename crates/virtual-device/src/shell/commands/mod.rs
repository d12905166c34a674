//! The device's commands. Each is a function over a [`Call`]; a new one is that function and a line of [`COMMANDS`].
//!
//! They run where blocking is allowed, hold the phone shortly, and print what Android prints.

mod activity;
mod appium_settings;
mod broadcast;
mod bug_report;
mod content;
pub(super) mod deaf;
mod dumpsys;
mod files;
mod grants;
mod grep;
mod input;
mod input_method;
mod install;
mod instrument;
mod logcat;
mod network;
mod package;
mod panel;
mod price;
mod print;
mod process;
mod properties;
mod record;
mod screen;
mod service;
mod test;
mod text;
mod toybox;
mod window;
mod window_stack;

pub use input::{crash_app, key_code, key_name};
pub(super) use price::price;

use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::run::Streams;
use crate::state::DeviceState;
use crate::storage::{Storage, StorageError};

/// A command's function.
pub(super) type Run = fn(&mut Call) -> Outcome;

/// Every command by its name.
const COMMANDS: &[(&str, Run)] = &[
    ("[", test::bracket),
    ("am", activity::am),
    ("app_process", instrument::app_process),
    ("app_process64", instrument::app_process),
    ("appops", grants::appops_command),
    ("base64", text::base64),
    ("basename", text::basename),
    ("bmgr", process::nothing),
    ("bugreport", bug_report::bugreport),
    ("bugreportz", bug_report::bugreportz),
    ("cat", text::cat),
    ("chmod", files::chmod),
    ("cmd", service::cmd),
    ("content", content::content),
    ("cp", files::copy),
    ("cut", text::cut),
    ("date", process::date),
    ("df", files::df),
    ("dirname", text::dirname),
    ("dumpsys", dumpsys::dumpsys),
    ("echo", print::echo),
    ("false", process::fail),
    ("find", files::find),
    ("getevent", panel::getevent),
    ("getprop", properties::getprop),
    ("grep", grep::grep),
    ("head", text::head),
    ("id", process::id),
    ("ifconfig", network::ifconfig),
    ("ime", input_method::ime),
    ("input", input::input),
    ("ip", network::ip),
    ("kill", process::kill),
    ("logcat", logcat::logcat),
    ("log", logcat::log),
    ("locksettings", process::locksettings),
    ("ls", files::ls),
    ("md5sum", toybox::md5sum),
    ("mkdir", files::mkdir),
    ("monkey", activity::monkey),
    ("mv", files::rename),
    ("pidof", process::pidof),
    ("pkill", process::pkill),
    ("pm", package::pm),
    ("printf", print::printf),
    ("ps", process::ps),
    ("pwd", process::pwd),
    ("readlink", files::resolve_link),
    ("rm", files::remove),
    ("rmdir", files::rmdir),
    ("screencap", screen::screencap),
    ("screenrecord", record::screenrecord),
    ("sendevent", panel::sendevent),
    ("seq", text::seq),
    ("setprop", properties::setprop),
    ("settings", properties::settings),
    ("sleep", process::sleep),
    ("sort", text::sort),
    ("stat", files::stat),
    ("svc", service::svc),
    ("sync", process::nothing),
    ("tail", text::tail),
    ("test", test::test),
    ("touch", files::touch),
    ("toybox", toybox::toybox),
    ("tr", text::translate),
    ("true", process::nothing),
    ("uiautomator", screen::uiautomator),
    ("uname", process::uname),
    ("uptime", process::uptime),
    ("wc", text::wc),
    ("which", process::which),
    ("whoami", process::whoami),
    ("wm", window::wm),
];

/// Whether a command is done in well under a millisecond on a device that takes no real time: it only reads or changes
/// what is in memory, or writes one small file.
pub(super) fn is_quick(name: &str) -> bool {
    matches!(
        name,
        "dumpsys"
            | "getprop"
            | "grep"
            | "input"
            | "sendevent"
            | "setprop"
            | "settings"
            | "uiautomator"
            | "wm"
    )
}

/// Whether the system may kill a command: most shells have these words built in.
pub(super) fn may_be_killed(name: &str) -> bool {
    !matches!(
        name,
        "[" | "echo" | "false" | "printf" | "sleep" | "test" | "true"
    )
}

/// The command of a name, or of a path into the system's folder of programs.
pub(super) fn find(name: &str) -> Option<Run> {
    let name = name
        .strip_prefix("/system/bin/")
        .or_else(|| name.strip_prefix("/bin/"))
        .unwrap_or(name);
    COMMANDS
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, run)| *run)
}

/// How a command ends, or goes on.
#[derive(Debug)]
pub(super) enum Outcome {
    /// With this exit code.
    Exit(i32),
    /// Call it again with its standard input in [`Call::stdin`].
    NeedsStdin,
    /// It takes time, until it is interrupted or through.
    Goes(RunningCommand),
}

/// A command that takes time.
#[derive(Debug)]
pub(super) enum RunningCommand {
    /// `sleep`
    Sleep(Duration),
    /// `logcat` without `-d`
    Log(logcat::Follow),
    /// `screenrecord`
    Record(record::Recording),
    /// `am instrument`
    Instrument(instrument::Instrumenting),
    /// `app_process` with the server of `uiautomator2`
    U2(instrument::Serving),
    /// `pm install -S SIZE`
    Install(install::Receiving),
    /// A fault: it goes on until it is interrupted.
    Hang,
    /// A fault: a dump that gives up after this much real time.
    NeverIdle(Duration),
}

impl RunningCommand {
    /// Goes on to the end; the exit code.
    pub(super) async fn go(
        self,
        device: &Arc<DeviceState>,
        interrupt: CancellationToken,
        streams: &Streams,
    ) -> i32 {
        match self {
            Self::Sleep(time) => process::pause(device, time, &interrupt).await,
            Self::Log(follow) => follow.go(device, &interrupt, streams).await,
            Self::Record(recording) => recording.go(&interrupt).await,
            Self::Instrument(instrumenting) => instrumenting.go(&interrupt, streams).await,
            Self::U2(serving) => serving.go(&interrupt).await,
            Self::Install(receiving) => receiving.go(device, &interrupt, streams).await,
            Self::Hang => {
                interrupt.cancelled().await;
                130
            }
            Self::NeverIdle(after) => {
                let waiting = interrupt.run_until_cancelled(tokio::time::sleep(after));
                if waiting.await.is_none() {
                    return 130;
                }
                let error = b"ERROR: could not get idle state.\n".to_vec();
                let _ = streams.err.write(error).await;
                0
            }
        }
    }
}

/// One run of a command.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) device: Arc<DeviceState>,
    /// The command's words, its name first.
    pub(super) args: Vec<String>,
    cwd: String,
    /// `CLASSPATH`
    pub(super) classpath: String,
    /// Standard input, once it was asked for.
    pub(super) stdin: Option<Vec<u8>>,
    /// What it prints.
    pub(super) out: Vec<u8>,
    /// What it prints to standard error.
    pub(super) err: Vec<u8>,
    /// What it writes to `/dev/tty`.
    pub(super) terminal: Vec<u8>,
    /// The output goes to the peer as it comes, so the command may go on.
    pub(super) follows: bool,
}

impl Call {
    pub(super) fn new(device: Arc<DeviceState>, args: Vec<String>, cwd: String) -> Self {
        Self {
            device,
            args,
            cwd,
            classpath: String::new(),
            stdin: None,
            out: Vec::new(),
            err: Vec::new(),
            terminal: Vec::new(),
            follows: false,
        }
    }

    /// The words after the name, owned, so the call can print while they are read.
    pub(super) fn owned_args(&self) -> Vec<String> {
        self.args.iter().skip(1).cloned().collect()
    }

    /// The command's name.
    pub(super) fn name(&self) -> String {
        self.args.first().cloned().unwrap_or_default()
    }

    /// Prints a line.
    pub(super) fn say(&mut self, line: impl AsRef<str>) {
        self.out.extend(line.as_ref().as_bytes());
        self.out.push(b'\n');
    }

    /// Prints a line to standard error.
    pub(super) fn warn(&mut self, line: impl AsRef<str>) {
        self.err.extend(line.as_ref().as_bytes());
        self.err.push(b'\n');
    }

    /// Prints a line to standard error and ends with an exit code.
    pub(super) fn fail(&mut self, code: i32, line: impl AsRef<str>) -> Outcome {
        self.warn(line);
        Outcome::Exit(code)
    }

    /// A path against the shell's folder.
    pub(super) fn path(&self, path: &str) -> String {
        Storage::absolute(&self.cwd, path)
    }

    /// The shell's folder.
    pub(super) fn cwd(&self) -> &str {
        &self.cwd
    }

    /// A file's bytes.
    pub(super) fn read(&self, path: &str) -> Result<Vec<u8>, StorageError> {
        self.device.read(&self.path(path))
    }

    /// Writes a file, or the streams that have a file's name.
    pub(super) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), StorageError> {
        match self.path(path).as_str() {
            "/dev/tty" => self.terminal.extend(bytes),
            "/dev/stdout" | "/proc/self/fd/1" => self.out.extend(bytes),
            "/dev/stderr" | "/proc/self/fd/2" => self.err.extend(bytes),
            path => {
                self.device.take_storage_fault();
                self.device.write(path, bytes)?;
            }
        }
        Ok(())
    }

    /// Takes as long as a real device takes: virtual time, or real time on a realistic device.
    pub(super) fn spend(&self, time: Duration) {
        if self.device.realistic {
            // Commands run on threads that may block.
            std::thread::sleep(time);
        }
        self.device.pass(time);
        self.device.exchange();
    }
}
