//! Finds apps that crashed or hang in the log: exceptions, signals in native code, apps that do not respond.
//!
//! Android writes each in its own form: `AndroidRuntime` the exception with its calls, from the process that
//! crashes; `crash_dump` a tombstone under the tag `DEBUG`; the system `ANR in …` once it has asked all
//! processes for their state. The events `am_crash` and `am_anr` name the process in one line, and may come
//! before or after.

use std::time::Duration;

use super::logs::{Level, LogLine};
use super::{Device, Script};

/// Limit of the crashes stored of one log. Chosen: a report shows a few; an app that restarts for ever must
/// not fill memory.
const MAX_CRASHES: usize = 20;
/// Limit of the lines stored of a stack. Chosen: longer ones are endless recursions.
const MAX_STACK_LINES: usize = 100;
/// Limit of a line in bytes. Chosen: Android's log cuts at 4 KB, so a longer one is not about a crash.
const MAX_LINE_BYTES: usize = 8 * 1024;
/// Beginning of lines between `backtrace:` and the calls: libraries within an APK cannot be read (AOSP
/// `libdebuggerd/tombstone_proto_to_text.cpp`).
const BACKTRACE_NOTE: &str = "NOTE: ";
/// Limit of time for the system's report on a hanging app, and of the bytes read of it. Chosen: it only adds
/// a stack to a failure; all reports of a phone have megabytes, and the last one is at the end.
const TRACE_LIMIT: Duration = Duration::from_secs(3);
const MAX_TRACE_BYTES: u32 = 400_000;

/// Filters of `logcat` for lines about crashes.
pub const TAGS: [&str; 5] = [
    "AndroidRuntime:E",
    "DEBUG:I",
    "ActivityManager:E",
    "am_crash:I",
    "am_anr:I",
];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CrashKind {
    /// Uncaught exception.
    Exception,
    /// Signal in native code.
    Native,
    /// ANR: the app does not respond.
    NotResponding,
}

/// Process of an app that crashed or hangs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppCrash {
    pub kind: CrashKind,
    /// Name of the process, mostly the package; `PACKAGE:NAME` for an app's further processes.
    pub process: String,
    /// Process id, if it is known.
    pub pid: Option<u32>,
    /// The exception, the signal, or the input that is not answered, in one line.
    pub reason: String,
    /// Calls, innermost first, with the causes of an exception between them.
    pub stack: Vec<String>,
}

impl AppCrash {
    /// Returns true for the processes of this app: `package` itself and `package:NAME`.
    pub fn is_of(&self, package: &str) -> bool {
        self.process
            .strip_prefix(package)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    }
}

/// Report in progress, to which the next lines may belong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OpenReport {
    /// Lines of a process's exception.
    Exception { pid: u32 },
    /// Tombstone that a process writes; `calls` is set once its backtrace began.
    Native { writer: u32, calls: bool },
    /// The system's report on a hanging app.
    NotResponding { writer: u32 },
}

/// Parser that finds crashes in a log, line by line.
#[derive(Debug, Default)]
pub struct CrashReader {
    crashes: Vec<AppCrash>,
    /// Report that the next lines may continue, with the index of its crash.
    open: Option<(OpenReport, usize)>,
}

impl CrashReader {
    /// Returns the crashes so far, each with its index, in the order of the log. Those without a process name are
    /// left out, but count in the index.
    pub fn crashes(&self) -> impl Iterator<Item = (usize, &AppCrash)> {
        let named = |(_, crash): &(usize, &AppCrash)| !crash.process.is_empty();
        self.crashes.iter().enumerate().filter(named)
    }

    /// Parses the next line, which begins a crash, continues the last one, or is ignored. Lines of other tags
    /// than those of [`TAGS`], and messages of more than 8 KiB, are ignored.
    pub fn read(&mut self, line: &LogLine) {
        if line.message.len() > MAX_LINE_BYTES {
            return;
        }
        match line.tag.as_str() {
            "AndroidRuntime" => self.exception(line),
            "DEBUG" => self.tombstone(line),
            "ActivityManager" => self.not_responding(line),
            "am_crash" => self.crash_event(&line.message),
            "am_anr" => self.anr_event(&line.message),
            _ => {}
        }
    }

    /// Reads a line about an uncaught exception: its begin, process, reason (the first other line) and calls. Lines
    /// of other processes are ignored while one is open.
    fn exception(&mut self, line: &LogLine) {
        let message = line.message.trim_end();
        if message.starts_with("FATAL EXCEPTION") || message.starts_with("*** FATAL EXCEPTION") {
            let at = self.begin(CrashKind::Exception, String::new(), Some(line.pid));
            self.open = at.map(|at| (OpenReport::Exception { pid: line.pid }, at));
            return;
        }
        let Some((OpenReport::Exception { pid }, at)) = self.open else {
            return;
        };
        let Some(crash) = self.crashes.get_mut(at).filter(|_| pid == line.pid) else {
            return;
        };
        if let Some(process) = message.strip_prefix("Process: ") {
            let name = process
                .split_once(", PID:")
                .map_or(process, |(name, _)| name);
            crash.process = name.to_owned();
        } else if message.starts_with("PID: ") && crash.reason.is_empty() {
            // A system process, which is not named elsewhere.
        } else if crash.reason.is_empty() {
            crash.reason = message.to_owned();
        } else {
            push(&mut crash.stack, message);
        }
    }

    /// Reads a line of a tombstone: process, signal, abort message, and the calls below `backtrace:`. A crash that
    /// is known already is completed by it. Behind `backtrace:`, the first line that is no call and no
    /// [`BACKTRACE_NOTE`] ends it, and so does the head of another. Lines of another writer are ignored.
    fn tombstone(&mut self, line: &LogLine) {
        let message = line.message.trim_end();
        if message.starts_with("*** ***") {
            self.open = None;
            return;
        }
        if let Some((pid, process)) = native_process(message) {
            let known = self.known(CrashKind::Native, &process, Some(pid));
            let at = known.or_else(|| self.begin(CrashKind::Native, process, Some(pid)));
            if let Some(crash) = at.and_then(|at| self.crashes.get_mut(at)) {
                crash.pid = Some(pid);
                crash.reason.clear();
            }
            let open = OpenReport::Native {
                writer: line.pid,
                calls: false,
            };
            self.open = at.map(|at| (open, at));
            return;
        }
        let Some((OpenReport::Native { writer, calls }, at)) = &mut self.open else {
            return;
        };
        let Some(crash) = self.crashes.get_mut(*at).filter(|_| *writer == line.pid) else {
            return;
        };
        let text = message.trim_start();
        if text == "backtrace:" {
            *calls = true;
        } else if *calls && text.starts_with('#') {
            push(&mut crash.stack, text);
        } else if *calls && !text.is_empty() && !text.starts_with(BACKTRACE_NOTE) {
            // Registers and memory, which come after the calls, are of no use in a report.
            self.open = None;
        } else if text.starts_with("signal ") {
            crash.reason = text.to_owned();
        } else if (text.starts_with("Abort message: ") || text.starts_with("Cause: "))
            && crash.reason.len() < MAX_LINE_BYTES
        {
            crash.reason = format!("{}; {text}", crash.reason);
        }
    }

    /// Reads a line about a hanging app: its begin `ANR in …`, process id and reason, which ends it. One that is
    /// known already is completed.
    fn not_responding(&mut self, line: &LogLine) {
        let message = line.message.trim_end();
        if let Some(rest) = hanging(message) {
            let process = rest.split([' ', '(']).next().unwrap_or_default();
            let known = self.known(CrashKind::NotResponding, process, None);
            let name = process.to_owned();
            let at = known.or_else(|| self.begin(CrashKind::NotResponding, name, None));
            self.open = at.map(|at| (OpenReport::NotResponding { writer: line.pid }, at));
            return;
        }
        let Some((OpenReport::NotResponding { writer }, at)) = self.open else {
            return;
        };
        let Some(crash) = self.crashes.get_mut(at).filter(|_| writer == line.pid) else {
            return;
        };
        if let Some(pid) = message.strip_prefix("PID: ") {
            crash.pid = pid.trim().parse().ok().or(crash.pid);
        } else if let Some(reason) = message.strip_prefix("Reason: ") {
            crash.reason = reason.to_owned();
            self.open = None;
        }
    }

    /// Parses `[PID,USER,PROCESS,FLAGS,EXCEPTION,MESSAGE,FILE,LINE]`; one with fewer than six fields is ignored.
    /// Names a crash of the same process id that has no name yet; else adds a crash, unless it is known already.
    /// Its reason is the exception with the rest. For a signal the id is the system's, so it is left out.
    fn crash_event(&mut self, message: &str) {
        let fields: Vec<&str> = brackets(message).splitn(6, ',').collect();
        let [pid, _, process, _, exception, rest] = fields[..] else {
            return;
        };
        let (kind, pid) = if exception == "Native crash" {
            (CrashKind::Native, None)
        } else {
            (CrashKind::Exception, pid.parse().ok())
        };
        let nameless = self.crashes.iter().position(|crash| {
            crash.kind == kind && crash.process.is_empty() && crash.pid == pid && pid.is_some()
        });
        if let Some(crash) = nameless.and_then(|at| self.crashes.get_mut(at)) {
            crash.process = process.to_owned();
        } else if self.known(kind, process, pid).is_none()
            && let Some(at) = self.begin(kind, process.to_owned(), pid)
        {
            self.crashes[at].reason = format!("{exception}: {rest}");
        }
    }

    /// Parses `[USER,PID,PROCESS,FLAGS,REASON]` and adds the ANR, unless it is known already. An event with
    /// fewer fields is ignored.
    fn anr_event(&mut self, message: &str) {
        let fields: Vec<&str> = brackets(message).splitn(5, ',').collect();
        let [_, pid, process, _, reason] = fields[..] else {
            return;
        };
        let pid = pid.parse().ok();
        let is_known = self.known(CrashKind::NotResponding, process, pid).is_some();
        if !is_known && let Some(at) = self.begin(CrashKind::NotResponding, process.to_owned(), pid)
        {
            self.crashes[at].reason = reason.to_owned();
        }
    }

    /// Returns the index of the last crash of this kind and process; `None` if there is none. A crash with
    /// another process id is another one; a missing id fits any.
    fn known(&self, kind: CrashKind, process: &str, pid: Option<u32>) -> Option<usize> {
        let is_same = |crash: &AppCrash| {
            let other = pid.is_some() && crash.pid.is_some() && crash.pid != pid;
            crash.kind == kind && crash.process == process && !other
        };
        self.crashes.iter().rposition(is_same)
    }

    /// Adds a crash without reason and stack, and returns its index; `None` if there are already
    /// [`MAX_CRASHES`]. Following lines no longer belong to the crash before.
    fn begin(&mut self, kind: CrashKind, process: String, pid: Option<u32>) -> Option<usize> {
        self.open = None;
        if self.crashes.len() >= MAX_CRASHES {
            return None;
        }
        self.crashes.push(AppCrash {
            kind,
            process,
            pid,
            reason: String::new(),
            stack: Vec::new(),
        });
        Some(self.crashes.len() - 1)
    }
}

/// Returns true if this line alone shows the beginning of a crash or of an ANR: `FATAL EXCEPTION` of
/// `AndroidRuntime`, a fatal line with a signal of `DEBUG` or `libc`, or `ANR in …` of `ActivityManager`.
pub fn begins(line: &LogLine) -> bool {
    match line.tag.as_str() {
        "AndroidRuntime" => line.message.contains("FATAL EXCEPTION"),
        "DEBUG" | "libc" => line.level == Level::Fatal && line.message.contains("signal "),
        "ActivityManager" => hanging(&line.message).is_some(),
        _ => false,
    }
}

/// Returns the rest of a line of the system that reports an ANR.
fn hanging(message: &str) -> Option<&str> {
    message.strip_prefix("ANR in ")
}

/// Parses `pid: 11618, tid: 11618, name: main  >>> com.example <<<` into the process id and the name between
/// the arrows; `None` for other texts.
fn native_process(message: &str) -> Option<(u32, String)> {
    let rest = message.trim_start().strip_prefix("pid: ")?;
    let (pid, rest) = rest.split_once(',')?;
    let (_, process) = rest.split_once(">>> ")?;
    let (process, _) = process.split_once(" <<<")?;
    Some((pid.trim().parse().ok()?, process.to_owned()))
}

/// Returns the text between the brackets of an event; a text without brackets as it is.
fn brackets(message: &str) -> &str {
    let inner = message.trim().trim_start_matches('[');
    inner.strip_suffix(']').unwrap_or(inner)
}

fn push(stack: &mut Vec<String>, line: &str) {
    if stack.len() < MAX_STACK_LINES {
        stack.push(line.trim().to_owned());
    }
}

/// Returns the calls of a hanging app's main thread, innermost first, from the newest report that the system stored
/// (in its last 400,000 bytes). Empty if there is none: the system may still be asking the processes, or not let
/// the shell read it, or the device answers nothing within three seconds.
pub async fn trace_of(device: &dyn Device, process: &str, pid: Option<u32>) -> Vec<String> {
    let script = Script::raw(
        format!("dumpsys dropbox --print data_app_anr | tail -c {MAX_TRACE_BYTES}"),
        "dumpsys dropbox",
    );
    let asking = device.shell(&script, TRACE_LIMIT);
    match asking.await {
        Ok(output) => main_thread(&output.text(), process, pid),
        Err(_) => Vec::new(),
    }
}

/// Finds the calls of the main thread in the last trace of a process, by its id or by its name in `Cmd
/// line:`. Keeps the lines with `at `, `- ` or `native: ` up to the first empty one, at most
/// [`MAX_STACK_LINES`]. Empty if there is no such trace.
fn main_thread(text: &str, process: &str, pid: Option<u32>) -> Vec<String> {
    let head = pid.map(|pid| format!("----- pid {pid} at "));
    let command = format!("Cmd line: {process}");
    let mut stack = Vec::new();
    let (mut is_its, mut is_main) = (false, false);
    for line in text.lines().map(str::trim) {
        if line.starts_with("----- pid ") {
            is_its = head.as_ref().is_some_and(|head| line.starts_with(head));
            is_main = false;
        } else if line == command || line == format!("Cmdline: {process}") {
            is_its = true;
        } else if line.starts_with("\"main\" ") {
            is_main = is_its;
            if is_its {
                stack.clear();
            }
        } else if line.is_empty() {
            is_main = false;
        } else if is_main
            && ["at ", "- ", "native: "]
                .iter()
                .any(|word| line.starts_with(word))
        {
            push(&mut stack, line);
        }
    }
    stack
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::logs;

    fn crashes(text: &str) -> Vec<AppCrash> {
        let mut reader = CrashReader::default();
        for line in text.lines().filter_map(logs::parse) {
            reader.read(&line);
        }
        reader.crashes().map(|(_, crash)| crash.clone()).collect()
    }

    /// The words are those of Android 14, with other lines between them as they occur there.
    #[test]
    fn an_exception_is_told_once_with_its_calls_and_causes() {
        let found = crashes(
            "03-07 18:09:43.199  3503  3503 E AndroidRuntime: FATAL EXCEPTION: main
03-07 18:09:43.199  3503  3503 E AndroidRuntime: Process: com.example.shop, PID: 3503
03-07 18:09:43.199   860  2059 E ActivityManager: something else
03-07 18:09:43.199  3503  3503 E AndroidRuntime: java.lang.IllegalStateException: no account
03-07 18:09:43.199  3503  3503 E AndroidRuntime: \tat com.example.shop.Cart.pay(Cart.kt:41)
03-07 18:09:43.199  3503  3503 E AndroidRuntime: Caused by: java.io.IOException
03-07 18:09:43.199  3503  3503 E AndroidRuntime: \t... 9 more
03-07 18:09:43.200   860  2059 I am_crash: [3503,0,com.example.shop,952647237,java.lang.IllegalStateException,no account,Cart.kt,41]
",
        );
        let [crash] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(crash.kind, CrashKind::Exception);
        assert_eq!(
            (crash.process.as_str(), crash.pid),
            ("com.example.shop", Some(3503))
        );
        assert_eq!(crash.reason, "java.lang.IllegalStateException: no account");
        assert_eq!(
            crash.stack,
            [
                "at com.example.shop.Cart.pay(Cart.kt:41)",
                "Caused by: java.io.IOException",
                "... 9 more"
            ]
        );
    }

    #[test]
    fn an_event_alone_is_a_crash_too_and_names_one_without_a_name() {
        let found = crashes(
            "03-07 18:10:00.000   860  2059 I am_crash: [5094,0,com.example.a,8,java.lang.Error,length=1; index=1,A.java,176,0]
03-07 18:10:01.000  77  77 E AndroidRuntime: FATAL EXCEPTION: main
03-07 18:10:01.000  77  77 E AndroidRuntime: java.lang.Error
03-07 18:10:01.000   860  2059 I am_crash: [77,0,com.example.b,8,java.lang.Error,,B.java,1]
",
        );
        let reported: Vec<_> = found
            .iter()
            .map(|crash| (crash.process.as_str(), crash.reason.as_str()))
            .collect();
        assert_eq!(
            reported,
            [
                (
                    "com.example.a",
                    "java.lang.Error: length=1; index=1,A.java,176,0"
                ),
                ("com.example.b", "java.lang.Error"),
            ]
        );
    }

    #[test]
    fn a_tombstone_is_told_with_its_signal_and_calls() {
        let found = crashes(
            "05-24 13:49:47.863 11618 11618 F libc    : Fatal signal 11 (SIGSEGV), code 1, fault addr 0x1 in tid 11618 (.shop), pid 11618 (.shop)
05-24 13:49:47.900   860  2059 I am_crash: [991,0,com.example.shop,581451334,Native crash,Segmentation fault,unknown,0]
05-24 13:49:47.934 12008 12008 F DEBUG   : *** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***
05-24 13:49:47.934 12008 12008 F DEBUG   : ABI: 'arm64'
05-24 13:49:47.934 12008 12008 F DEBUG   : pid: 11618, tid: 11640, name: .shop  >>> com.example.shop:web <<<
05-24 13:49:47.934 12008 12008 F DEBUG   : signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x1
05-24 13:49:47.934 12008 12008 F DEBUG   : Abort message: 'no'
05-24 13:49:47.934 12008 12008 F DEBUG   :     r0 422c5ee0  r1 4233a780
05-24 13:49:47.934 12008 12008 F DEBUG   : backtrace:
05-24 13:49:47.934 12008 12008 F DEBUG   :       #00 pc 00029158  /system/lib/libc.so (abort+4)
05-24 13:49:47.934 12008 12008 F DEBUG   :       #01 pc 0000001c  /data/app/lib.so
05-24 13:49:47.934 12008 12008 F DEBUG   : stack:
05-24 13:49:47.934 12008 12008 F DEBUG   :       #00 752cbe5c
",
        );
        let [event, tombstone] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(event.reason, "Native crash: Segmentation fault,unknown,0");
        assert_eq!(
            tombstone.reason,
            "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x1; Abort message: 'no'"
        );
        assert_eq!(tombstone.stack.len(), 2, "{tombstone:?}");
        for crash in [event, tombstone] {
            assert_eq!(crash.kind, CrashKind::Native);
            assert!(crash.is_of("com.example.shop"), "{crash:?}");
            assert!(!crash.is_of("com.example.sho"), "{crash:?}");
        }
    }

    /// Android 11 and later write the notes for each app whose libraries stay within its APK.
    #[test]
    fn notes_before_the_calls_of_a_tombstone_do_not_hide_them() {
        for notes in [
            &[] as &[&str],
            &["NOTE: Function names and BuildId information is missing for some frames due"],
            &[
                "NOTE: to unreadable libraries.",
                "",
                "NOTE: found under the lib/ directory",
            ],
        ] {
            let head = [
                "pid: 11618, tid: 11640, name: .shop  >>> com.example.shop <<<",
                "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------",
                "2 total frames",
                "backtrace:",
            ];
            let calls = [
                "#00 pc 00029158  /apex/libc.so (abort+4)",
                "#01 pc 0000001c  base.apk",
            ];
            let after = ["stack:", "#00 752cbe5c"];
            let lines = [&head[..], notes, &calls, &after].concat();
            let log: String = lines
                .iter()
                .map(|line| format!("05-24 13:49:47.934 12008 12008 F DEBUG   :   {line}\n"))
                .collect();
            let found = crashes(&log);
            let [crash] = &found[..] else {
                panic!("{log}");
            };
            assert_eq!(crash.stack, calls, "{log}");
        }
    }

    #[test]
    fn the_event_of_a_hang_and_the_report_of_it_are_one() {
        let found = crashes(
            "03-24 11:45:46.097   860  2059 I am_anr  : [0,4960,com.example.shop,952647237,Input dispatching timed out (a, b)]
03-24 11:45:56.097  2479  2510 E ActivityManager: ANR in com.example.shop (com.example.shop/.Main)
03-24 11:45:56.097  2479  2510 E ActivityManager: PID: 4960
03-24 11:45:56.097  2479  2510 E ActivityManager: Reason: Input dispatching timed out (a, b). Waited 5001ms
03-24 11:45:56.097  2479  2510 E ActivityManager: Load: 10.83 / 7.19 / 3.16
",
        );
        let [crash] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(crash.kind, CrashKind::NotResponding);
        assert_eq!(crash.pid, Some(4960));
        assert_eq!(
            crash.reason,
            "Input dispatching timed out (a, b). Waited 5001ms"
        );
    }

    #[test]
    fn the_main_thread_of_the_last_trace_is_read() {
        let text = "Subject: x\n\n----- pid 7 at 2026-01-01 -----\nCmd line: com.example.shop\n\"main\" prio=5 tid=1 Sleeping\n  | group\n  at a.Old.call(Old.java:1)\n\n----- pid 8 at 2026-01-01 -----\nCmd line: com.example.other\n\"main\" prio=5 tid=1 Native\n  at b.Other(B.java)\n\n----- pid 9 at 2026-01-02 -----\nCmd line: com.example.shop\n\"main\" prio=5 tid=1 Blocked\n  at c.New.call(New.java:2)\n  - waiting to lock <0x1>\n\n\"two\" tid=2\n  at d.D(D.java)\n";
        assert_eq!(
            main_thread(text, "com.example.shop", None),
            ["at c.New.call(New.java:2)", "- waiting to lock <0x1>"]
        );
        assert!(main_thread("(No entries found.)", "com.example.shop", Some(9)).is_empty());
    }

    proptest! {
        /// The stored part of any log is bounded.
        #[test]
        fn no_log_makes_it_panic_or_grow(
            lines in prop::collection::vec(
                ("(AndroidRuntime|DEBUG|ActivityManager|am_crash|am_anr)",
                 "(FATAL EXCEPTION|Process: |PID: |ANR in |Reason: |pid: |>>> |signal |backtrace:|#0|\\[|,|a| ){0,9}",
                 1_u32..4),
                0..200,
            ),
        ) {
            let mut reader = CrashReader::default();
            for (tag, message, pid) in lines {
                reader.read(&LogLine {
                    time: String::new(),
                    pid,
                    level: logs::Level::Error,
                    tag,
                    message,
                    raw: String::new(),
                });
            }
            prop_assert!(reader.crashes().count() <= MAX_CRASHES);
            prop_assert!(reader.crashes.iter().all(|crash| crash.stack.len() <= MAX_STACK_LINES));
        }
    }

    /// Android 4.3 names no process in an exception, so only those with `Process:` count. A log that begins
    /// in the middle of one (`logcat_threadtime--the-themis-benchmarks__home__crash_stack_10840.txt`) is not
    /// read.
    #[test]
    fn no_recorded_exception_is_passed_over() {
        let head =
            regex::Regex::new(r"AndroidRuntime: FATAL EXCEPTION: .*\n\S+ \S+ +(\d+) +\d+ E AndroidRuntime: Process: (\S+), PID:")
                .unwrap();
        for (name, bytes) in runner_testing::recorded_files("commands", "txt") {
            if !name.contains("/logcat_threadtime--") {
                continue;
            }
            let text = String::from_utf8_lossy(&bytes);
            let found = crashes(&text);
            for lines in head.captures_iter(&text) {
                let pid: Option<u32> = lines[1].parse().ok();
                let is_it = |crash: &AppCrash| crash.process == lines[2] && crash.pid == pid;
                let is_full = found.len() >= MAX_CRASHES;
                assert!(is_full || found.iter().any(is_it), "{name}: {}", &lines[0]);
            }
            for crash in found {
                assert!(!crash.process.is_empty(), "{name}: {crash:?}");
                assert!(crash.stack.len() <= MAX_STACK_LINES, "{name}");
            }
        }
    }
}
