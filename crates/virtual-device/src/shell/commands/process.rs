//! Commands for processes, time and users.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{Call, Outcome, RunningCommand, find};
use crate::state::DeviceState;

const IDENTITY: &str = "uid=2000(shell) gid=2000(shell) groups=2000(shell),1004(input),1007(log),1011(adb),1015(sdcard_rw),1028(sdcard_r),3001(net_bt_admin),3002(net_bt),3003(inet),3006(net_bw_stats),3009(readproc),3011(uhid) context=u:r:shell:s0";

pub(super) fn nothing(_: &mut Call) -> Outcome {
    Outcome::Exit(0)
}

pub(super) fn fail(_: &mut Call) -> Outcome {
    Outcome::Exit(1)
}

/// `id [-u | -un]`: the shell's user, for any other argument in full.
pub(super) fn id(call: &mut Call) -> Outcome {
    match call.args.get(1).map(String::as_str) {
        Some("-u") => call.say("2000"),
        Some("-un") => call.say("shell"),
        _ => call.say(IDENTITY),
    }
    Outcome::Exit(0)
}

pub(super) fn whoami(call: &mut Call) -> Outcome {
    call.say("shell");
    Outcome::Exit(0)
}

pub(super) fn pwd(call: &mut Call) -> Outcome {
    let cwd = call.cwd().to_owned();
    call.say(cwd);
    Outcome::Exit(0)
}

/// Prints the name of the system, or the part that `-a`, `-m` or `-r` asks for. Other arguments count as none.
pub(super) fn uname(call: &mut Call) -> Outcome {
    let text = match call.args.get(1).map(String::as_str) {
        Some("-a") => "Linux localhost 6.1.0-virtual #1 SMP PREEMPT aarch64 Toybox",
        Some("-m") => "aarch64",
        Some("-r") => "6.1.0-virtual",
        _ => "Linux",
    };
    call.say(text);
    Outcome::Exit(0)
}

/// `uptime`: the device's time; the rest is made up.
pub(super) fn uptime(call: &mut Call) -> Outcome {
    let now = call.device.now().format("%H:%M:%S").to_string();
    call.say(format!(
        " {now} up 1 min,  0 users,  load average: 0.00, 0.00, 0.00"
    ));
    Outcome::Exit(0)
}

/// `which NAME…`: the paths of commands, and 1 if one is unknown. Builtins of the shell are unknown.
pub(super) fn which(call: &mut Call) -> Outcome {
    let mut code = 0;
    for name in call.owned_args() {
        if find(&name).is_some() {
            let folder = if name.contains('/') {
                ""
            } else {
                "/system/bin/"
            };
            call.say(format!("{folder}{name}"));
        } else {
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `date [+FORMAT]`; the clock is the device's, always in UTC. A bad format gives 1. Other arguments are ignored, so
/// the clock cannot be set.
pub(super) fn date(call: &mut Call) -> Outcome {
    let now = call.device.now();
    let wanted = call
        .owned_args()
        .into_iter()
        .find_map(|arg| arg.strip_prefix('+').map(str::to_owned));
    let format = wanted.unwrap_or_else(|| "%a %b %e %H:%M:%S UTC %Y".to_owned());
    // Android's toybox has nanoseconds as %N; chrono writes them as %9f.
    let format = format.replace("%N", "%9f");
    let mut text = String::new();
    // `to_string` would panic on a bad format.
    if write!(text, "{}", now.format(&format)).is_err() {
        return call.fail(1, format!("date: bad format '{format}'"));
    }
    call.say(text);
    Outcome::Exit(0)
}

/// `sleep NUMBER[s|m|h|d]…`: the sum of all times, a day at most. A malformed one gives 1; without any it ends at
/// once.
pub(super) fn sleep(call: &mut Call) -> Outcome {
    let mut total = Duration::ZERO;
    for arg in call.owned_args() {
        let (number, unit) = match arg.char_indices().last() {
            Some((at, unit @ ('s' | 'm' | 'h' | 'd'))) => (&arg[..at], unit),
            _ => (arg.as_str(), 's'),
        };
        let factor = match unit {
            'm' => 60.0,
            'h' => 3600.0,
            'd' => 86400.0,
            _ => 1.0,
        };
        let seconds = number.parse::<f64>().ok().map(|number| number * factor);
        let Some(time) = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        else {
            return call.fail(1, format!("sleep: bad time '{arg}'"));
        };
        total = total.saturating_add(time);
    }
    // Virtual time goes no further than a day at once: apps run their timers through it.
    Outcome::Running(RunningCommand::Sleep(total.min(Duration::from_hours(24))))
}

/// Lets time pass: real time on a realistic device, where `interrupt` ends it with 130, else only virtual time, at
/// once. Returns 0 otherwise, after the log was collected.
pub(super) async fn pause(
    device: &Arc<DeviceState>,
    time: Duration,
    interrupt: &CancellationToken,
) -> i32 {
    if device.realistic {
        let slept = interrupt
            .run_until_cancelled(tokio::time::sleep(time))
            .await;
        if slept.is_none() {
            // A shell's exit code after SIGINT.
            return 130;
        }
    }
    let device = Arc::clone(device);
    let passing = tokio::task::spawn_blocking(move || {
        device.pass(time);
        device.collect_log();
    });
    let _ = passing.await;
    0
}

/// System processes that always run.
const SYSTEM: [(&str, u32, u32, &str); 5] = [
    ("root", 1, 0, "init"),
    ("logd", 320, 1, "logd"),
    ("root", 355, 1, "zygote64"),
    ("system", 1320, 355, "system_server"),
    ("shell", 2100, 1, "adbd"),
];

/// Lists user, id, parent and name of processes: made-up ones of the system, apps, services and the shell's jobs.
fn processes(call: &Call) -> Vec<(String, u32, u32, String)> {
    let mut list: Vec<_> = SYSTEM
        .iter()
        .map(|(user, id, parent, name)| ((*user).to_owned(), *id, *parent, (*name).to_owned()))
        .collect();
    for (id, name) in call.device.phone().processes() {
        if list.iter().all(|(_, _, _, known)| *known != name) {
            list.push((format!("u0_a{}", 100 + id % 100), id, 355, name));
        }
    }
    for (id, name) in background(call) {
        list.push((format!("u0_a{}", 100 + id % 100), id, 355, name));
    }
    for (id, job) in call.device.jobs() {
        list.push(("shell".to_owned(), id, 2100, job.name));
    }
    list
}

/// Returns the ids and names of processes of packages without a screen: services, and instrumented ones.
pub(super) fn background(call: &Call) -> Vec<(u32, String)> {
    let services = call.device.background.processes();
    services
        .into_iter()
        .map(|(name, id)| (id, name))
        .chain(call.device.automation.process())
        .collect()
}

/// `locksettings`: the device has no screen lock, so every credential is right. `help`, `get-disabled`, `verify`
/// and `clear` succeed; other verbs, and none, give 255.
pub(super) fn locksettings(call: &mut Call) -> Outcome {
    match call.args.get(1).map(String::as_str) {
        Some("help") => {
            call.say("lockSettings service commands:\n\n  get-disabled [--user USER_ID]\n    Checks whether lock screen is disabled.\n\n  verify [--old <CREDENTIAL>] [--user USER_ID]\n    Verifies the lock credentials.\n");
            Outcome::Exit(0)
        }
        Some("get-disabled") => {
            call.say("true");
            Outcome::Exit(0)
        }
        Some("verify") => {
            call.say("Lock credential verified successfully");
            Outcome::Exit(0)
        }
        Some("clear") => {
            call.say("Lock credential cleared");
            Outcome::Exit(0)
        }
        other => call.fail(
            255,
            format!("Unknown command: {}", other.unwrap_or_default()),
        ),
    }
}

/// `ps [-A | -e] [-o COLUMN,…]`: without `-A` only the shell's processes. Other options are ignored.
pub(super) fn ps(call: &mut Call) -> Outcome {
    let args = call.owned_args();
    if args.iter().any(|arg| arg == "--help") {
        call.say("usage: ps [-AadefLlnwZ] [-gG GROUP,] [-k FIELD,] [-o FIELD,] [-p PID,] [-t TTY,] [-uU USER,]\n\nList processes.\n\nWhich processes to show (-gGuUpPt selections may be comma separated lists):\n\n-A\tAll\n-a\tHas terminal not session leader\n-e\tSynonym for -A\n-o\tShow FIELDs instead of defaults");
        return Outcome::Exit(0);
    }
    let all = args
        .iter()
        .any(|arg| arg.starts_with('-') && (arg.contains('A') || arg.contains('e')));
    let columns = args
        .iter()
        .position(|arg| arg == "-o")
        .and_then(|at| args.get(at + 1));
    let list = processes(call);
    let list: Vec<_> = list
        .into_iter()
        .filter(|(user, ..)| all || user == "shell")
        .collect();
    if let Some(columns) = columns {
        say_columns(call, columns, &list);
        return Outcome::Exit(0);
    }
    call.say("USER           PID  PPID     VSZ    RSS WCHAN            ADDR S NAME                       ");
    for (user, id, parent, name) in list {
        call.say(format!(
            "{user:<12} {id:>5} {parent:>5} {:>7} {:>6} 0                   0 S {name}",
            13_000_000, 90_000
        ));
    }
    Outcome::Exit(0)
}

/// `ps -o`: prints columns with numbers aligned to the right, texts to the left, and no spaces at the end of
/// a line. Unknown columns have `-`.
fn say_columns(call: &mut Call, columns: &str, list: &[(String, u32, u32, String)]) {
    let columns: Vec<String> = columns.split(',').map(str::to_uppercase).collect();
    let cell = |column: &str, text: &str| match column {
        "PID" | "PPID" => format!("{text:>5}"),
        "USER" => format!("{text:<12}"),
        "NAME" | "ARGS" | "COMM" => format!("{text:<27}"),
        "CMD" => format!("{text:<15}"),
        _ => text.to_owned(),
    };
    let head: Vec<String> = columns.iter().map(|name| cell(name, name)).collect();
    call.say(head.join(" "));
    for (user, id, parent, name) in list {
        let cells: Vec<String> = columns
            .iter()
            .map(|column| {
                let text = match column.as_str() {
                    "PID" => id.to_string(),
                    "PPID" => parent.to_string(),
                    "USER" => user.clone(),
                    "S" => "S".to_owned(),
                    "NAME" | "CMD" | "ARGS" | "COMM" => name.clone(),
                    _ => "-".to_owned(),
                };
                cell(column, &text)
            })
            .collect();
        call.say(cells.join(" ").trim_end());
    }
}

/// `pidof NAME…`: the ids of processes with exactly these names, in one line, or 1 without any.
pub(super) fn pidof(call: &mut Call) -> Outcome {
    let wanted: Vec<String> = call
        .owned_args()
        .into_iter()
        .filter(|arg| !arg.starts_with('-'))
        .collect();
    let ids: Vec<String> = processes(call)
        .into_iter()
        .filter(|(_, _, _, name)| wanted.contains(name))
        .map(|(_, id, _, _)| id.to_string())
        .collect();
    if ids.is_empty() {
        return Outcome::Exit(1);
    }
    call.say(ids.join(" "));
    Outcome::Exit(0)
}

/// Splits off the signal of `-9`, `-INT`, `-SIGINT`, `-s INT` or `-l SIGNAL`, and `TERM` by default. Returns it
/// with the other arguments. The last signal counts; flags of `pkill` are dropped. Behind `--` nothing is a signal.
fn signal(args: &[String]) -> (String, Vec<String>) {
    let mut signal = "TERM".to_owned();
    let mut rest = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            "-s" | "-l" => signal = words.next().cloned().unwrap_or_default(),
            "-f" | "-x" | "-n" => {}
            "--" => rest.extend(words.by_ref().cloned()),
            _ => match word.strip_prefix('-') {
                Some(name) => name.trim_start_matches("SIG").clone_into(&mut signal),
                None => rest.push(word.clone()),
            },
        }
    }
    (signal, rest)
}

/// `kill [SIGNAL] ID…`: only the shell's jobs can be ended. Another process, or an unknown one, gives a message
/// and 1; all ids are tried.
pub(super) fn kill(call: &mut Call) -> Outcome {
    let (signal, ids) = signal(&call.owned_args());
    let mut code = 0;
    for id in ids {
        if !send(call, &signal, |pid, _| pid.to_string() == id) {
            let known = processes(call)
                .iter()
                .any(|(_, pid, _, _)| pid.to_string() == id);
            let problem = if known {
                "Operation not permitted"
            } else {
                "No such process"
            };
            call.warn(format!("/system/bin/sh: kill: {id}: {problem}"));
            code = 1;
        }
    }
    Outcome::Exit(code)
}

/// `pkill [SIGNAL] NAME…`: ends jobs of the shell whose names contain a text. Gives 1 if there is none.
pub(super) fn pkill(call: &mut Call) -> Outcome {
    let (signal, names) = signal(&call.owned_args());
    let mut any = false;
    for name in names {
        any |= send(call, &signal, |_, job| job.contains(&name));
    }
    Outcome::Exit(i32::from(!any))
}

/// Sends a signal to those of the shell's jobs that `wanted` accepts by id and name. Returns true if there is
/// any. Signal `0` only checks that; every other one ends the job.
fn send(call: &Call, signal: &str, wanted: impl Fn(u32, &str) -> bool) -> bool {
    let mut any = false;
    for (id, job) in call.device.jobs() {
        if wanted(id, &job.name) {
            any = true;
            if signal != "0" {
                job.interrupt.cancel();
            }
        }
    }
    any
}
