//! Apps that crash or hang: Android's log entries about them, and its dialogs.

use std::time::Duration;

use super::{VirtualPhone, WindowName};

/// Time that an app has to answer an input before Android reports that it does not respond: five seconds, as
/// on Android.
const ANSWER_LIMIT: Duration = Duration::from_secs(5);
/// Two crashes of an app within this time make Android show a dialog, once in this time: two minutes since
/// Android 12 (`ActivityManagerConstants.DEFAULT_MIN_CRASH_INTERVAL`).
const CRASH_INTERVAL: Duration = Duration::from_mins(2);

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AppErrorDialog {
    pub package: String,
    pub kind: AppErrorKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppErrorKind {
    /// The app crashed twice in a short time.
    KeepsStopping,
    /// The app does not answer input.
    NotResponding,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppErrorAnswer {
    Close,
    Wait,
}

#[derive(Debug, Clone)]
pub(crate) struct Hang {
    /// The call in which it hangs.
    reason: String,
    /// Time at which the system reports it. `None` from the report until a person chooses to wait.
    due: Option<Duration>,
}

/// An exception as an app's action words it.
struct Exception<'a> {
    class: &'a str,
    message: &'a str,
}

impl<'a> Exception<'a> {
    /// Parses `java.lang.IllegalStateException: no account`, or a class or a message alone. A class has a dot
    /// and only ASCII letters and digits. A message alone is of a `java.lang.RuntimeException`.
    fn read(text: &'a str) -> Self {
        let is_class = |word: &str| {
            word.contains('.') && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '.')
        };
        match text.split_once(": ") {
            Some((class, message)) if is_class(class) => Self { class, message },
            _ if is_class(text) => Self {
                class: text,
                message: "",
            },
            _ => Self {
                class: "java.lang.RuntimeException",
                message: text,
            },
        }
    }

    /// Formats the exception as `class: message`, or the class alone if the message is empty.
    fn line(&self) -> String {
        if self.message.is_empty() {
            self.class.to_owned()
        } else {
            format!("{}: {}", self.class, self.message)
        }
    }
}

impl VirtualPhone {
    /// Returns the class of the app's front activity, such as `com.example.notes.Inbox`. If the app is not in
    /// front, it is `.Main` in its package.
    fn class_in_front(&self, package: &str) -> String {
        let screen = self
            .tasks
            .front()
            .filter(|(task, _)| task.package == package);
        let activity = screen.map_or(".Main", |(_, screen)| screen.activity.as_str());
        if activity.starts_with('.') {
            format!("{package}{activity}")
        } else {
            activity.to_owned()
        }
    }

    /// Returns a plausible stack trace of the app's main thread, innermost call first. `innermost` is put before the
    /// calls that are otherwise always the same.
    fn calls(&self, package: &str, innermost: Option<&str>) -> Vec<String> {
        let class = self.class_in_front(package);
        let name = class.rsplit('.').next().unwrap_or_default().to_owned();
        let own = format!("at {class}.onEvent({name}.kt:12)");
        let innermost = innermost.map(str::to_owned);
        let system = [
            "at android.view.View.performClick(View.java:7659)",
            "at android.os.Handler.dispatchMessage(Handler.java:106)",
            "at android.os.Looper.loop(Looper.java:317)",
            "at android.app.ActivityThread.main(ActivityThread.java:8592)",
        ];
        innermost
            .into_iter()
            .chain([own])
            .chain(system.map(str::to_owned))
            .collect()
    }

    /// Ends the app's process by an uncaught exception, with Android's log entries. `message` may begin with the
    /// exception's class. It may open a dialog, as [`Self::end_crashed`] says. An app without a process is left
    /// alone.
    pub(super) fn crash(&mut self, package: &str, message: &str) {
        let Some(pid) = self.packages.pid(package) else {
            return;
        };
        let exception = Exception::read(message);
        let mut text = format!(
            "FATAL EXCEPTION: main\nProcess: {package}, PID: {pid}\n{}",
            exception.line()
        );
        for call in self.calls(package, None) {
            text.push_str("\n\t");
            text.push_str(&call);
        }
        let event = format!(
            "[{pid},0,{package},952680006,{},{},Main.kt,12]",
            exception.class, exception.message
        );
        self.log.write('E', "AndroidRuntime", text, Some(pid));
        self.log.write('I', "am_crash", event, None);
        self.log.write(
            'I',
            "Process",
            format!("Sending signal. PID: {pid} SIG: 9"),
            Some(pid),
        );
        self.end_crashed(package, pid);
    }

    /// Ends an app host's process by an uncaught exception, with Android's log entries. `trace` is as Java prints
    /// it; if it is empty, the log has class and message. It may open a dialog, as [`Self::end_crashed`] says. An
    /// app without a process is left alone.
    pub(super) fn crash_hosted(
        &mut self,
        package: &str,
        thread: &str,
        class: &str,
        message: &str,
        trace: &str,
    ) {
        let Some(pid) = self.packages.pid(package) else {
            return;
        };
        let exception = Exception { class, message };
        let trace = if trace.is_empty() {
            exception.line()
        } else {
            trace.trim_end().to_owned()
        };
        let text = format!("FATAL EXCEPTION: {thread}\nProcess: {package}, PID: {pid}\n{trace}");
        let event = format!("[{pid},0,{package},952680006,{class},{message},unknown,0]");
        self.log.write('E', "AndroidRuntime", text, Some(pid));
        self.log.write('I', "am_crash", event, None);
        self.end_crashed(package, pid);
    }

    /// Reports at once that the main thread of an app in a host does not answer, with log entries and the dialog.
    /// `stack` has its calls, innermost first. Waiting requests to the host are dropped, and it gets no more. An
    /// app without a process is left alone.
    pub(super) fn hang_hosted(&mut self, package: &str, stack: &[String]) {
        let Some(pid) = self.packages.pid(package) else {
            return;
        };
        if let Some(app) = self.packages.get_mut(package) {
            if let Some(hosted) = &mut app.hosted {
                hosted.runs = false;
            }
            app.hang = Some(Hang {
                reason: String::new(),
                due: None,
            });
        }
        self.outbox.drop_requests(package);
        self.not_responding(package, pid, stack);
    }

    /// Ends the app's process by a signal in native code, with the log entries of `crash_dump`; `message` is the
    /// abort message. It may open a dialog, as [`Self::end_crashed`] says. An app without a process is left alone.
    pub(super) fn native_crash(&mut self, package: &str, message: &str) {
        let Some(pid) = self.packages.pid(package) else {
            return;
        };
        let name: String = package.chars().rev().take(15).collect();
        let name: String = name.chars().rev().collect();
        let signal = "signal 6 (SIGABRT), code -1 (SI_QUEUE), fault addr --------";
        let fatal = format!(
            "Fatal signal 6 (SIGABRT), code -1 (SI_QUEUE) in tid {pid} ({name}), pid {pid} ({name})"
        );
        self.log.write('F', "libc", fatal, Some(pid));
        let text = format!(
            "*** *** *** *** *** *** *** *** *** *** *** *** *** *** *** ***\n\
             Build fingerprint: 'runner/virtual/virtual:14/UP1A/1:userdebug/test-keys'\n\
             ABI: 'x86_64'\n\
             Cmdline: {package}\n\
             pid: {pid}, tid: {pid}, name: {name}  >>> {package} <<<\n\
             uid: 10101\n\
             {signal}\n\
             Abort message: '{message}'\n\
             backtrace:\n      \
             #00 pc 0000000000075b7c  /apex/com.android.runtime/lib64/bionic/libc.so (abort+192)\n      \
             #01 pc 0000000000012a4c  /data/app/{package}/lib/x86_64/libnative.so (onEvent+44)"
        );
        self.log.write('F', "DEBUG", text, Some(pid + 1));
        let event = format!("[1000,0,{package},952680006,Native crash,Aborted,unknown,0]");
        self.log.write('I', "am_crash", event, None);
        self.end_crashed(package, pid);
    }

    /// Ends a process that crashed. As on Android, a dialog opens only if the app crashed less than [`CRASH_INTERVAL`]
    /// before, and had no dialog in that time (`AppErrors.handleShowAppErrorUi`). Its screens are closed, and the home
    /// screen comes if it was in front.
    fn end_crashed(&mut self, package: &str, pid: u32) {
        let now = self.clock.now();
        let last = self.overlay.last_crash.insert(package.to_owned(), now);
        let is_recent = |at: Duration| now.saturating_sub(at) < CRASH_INTERVAL;
        let shown = self.overlay.last_crash_dialog.get(package).copied();
        let is_due = last.is_some_and(is_recent) && !shown.is_some_and(is_recent);
        self.end_process(package);
        self.log.system(
            "ActivityManager",
            format!("Process {package} (pid {pid}) has died: fg  TOP"),
        );
        if is_due {
            let dialogs = &mut self.overlay.last_crash_dialog;
            dialogs.insert(package.to_owned(), now);
            self.overlay.error = Some(AppErrorDialog {
                package: package.to_owned(),
                kind: AppErrorKind::KeepsStopping,
            });
        }
        self.changed();
    }

    /// Makes the app's main thread hang: it answers no input. [`ANSWER_LIMIT`] from now the system reports it, also if
    /// no input comes. An earlier hang of the app is forgotten. `reason` is the innermost call in the report; if it is
    /// empty, the thread sleeps.
    pub(super) fn hang(&mut self, package: &str, reason: &str) {
        let due = self.clock.now() + ANSWER_LIMIT;
        if let Some(app) = self.packages.get_mut(package) {
            app.hang = Some(Hang {
                reason: reason.to_owned(),
                due: Some(due),
            });
        }
    }

    /// Returns true if input to a window would reach an app that hangs. That is the app in front, if the
    /// window is its own and not one of the system. `None` stands for input to no window, and counts as the
    /// app's.
    pub(super) fn is_hung(&self, window: Option<WindowName>) -> bool {
        let is_of_app = window.is_none_or(|name| {
            matches!(
                name,
                WindowName::App
                    | WindowName::Dialog
                    | WindowName::Menu
                    | WindowName::Date
                    | WindowName::Hosted
            )
        });
        let front = self.front_package();
        let app = front.and_then(|package| self.packages.get(&package));
        is_of_app && app.is_some_and(|app| app.hang.is_some())
    }

    /// Reports the hanging apps that are due by `until`, with log entries and the dialog about the last of them. Apps
    /// without a process are left out.
    pub(super) fn report_hung(&mut self, until: Duration) {
        let is_due = |hang: &Hang| hang.due.is_some_and(|due| due <= until);
        let hung: Vec<(String, u32, String)> = self
            .packages
            .iter()
            .filter_map(|(package, app)| {
                let hang = app.hang.as_ref().filter(|hang| is_due(hang))?;
                Some((package.clone(), app.pid?, hang.reason.clone()))
            })
            .collect();
        for (package, pid, reason) in hung {
            let at = if reason.is_empty() {
                "at java.lang.Thread.sleep(Native method)".to_owned()
            } else {
                format!("at {reason}")
            };
            let calls = self.calls(&package, Some(&at));
            self.not_responding(&package, pid, &calls);
        }
    }

    /// Writes the log entries and the trace of an app that does not answer, and opens the dialog about it, in place of
    /// any open dialog about an app. The hang is not reported again until a person chooses to wait.
    fn not_responding(&mut self, package: &str, pid: u32, calls: &[String]) {
        if let Some(hang) = self
            .packages
            .get_mut(package)
            .and_then(|app| app.hang.as_mut())
        {
            hang.due = None;
        }
        let class = self.class_in_front(package);
        let short = class.strip_prefix(package).unwrap_or(&class).to_owned();
        let why = format!(
            "Input dispatching timed out (7a3f1c9 {package}/{class} (server) is not responding. Waited 5001ms for MotionEvent)"
        );
        self.log.write(
            'I',
            "am_anr",
            format!("[0,{pid},{package},952680006,{why}]"),
            None,
        );
        self.log.write(
            'E',
            "ActivityManager",
            format!(
                "ANR in {package} ({package}/{short})\nPID: {pid}\nReason: {why}\nParent: {package}/{short}\nFrozen: false\nLoad: 0.4 / 0.3 / 0.2"
            ),
            None,
        );
        self.overlay.anr_trace = Some(format!(
            "Process: {package}\nPID: {pid}\nPackage: {package}\nForeground: Yes\nActivity: {package}/{short}\nSubject: {why}\n\n\
             ----- pid {pid} at 2026-01-01 00:00:00.000000000+0000 -----\nCmd line: {package}\n\nDALVIK THREADS (2):\n\
             \"main\" prio=5 tid=1 Sleeping\n  | group=\"main\" sCount=1 ucsCount=0 flags=1 obj=0x72000000 self=0xb4000000\n  {}\n\n\
             \"Signal Catcher\" daemon prio=10 tid=2 Runnable\n  (no managed stack frames)\n\n----- end {pid} -----\n",
            calls.join("\n  ")
        ));
        self.overlay.error = Some(AppErrorDialog {
            package: package.to_owned(),
            kind: AppErrorKind::NotResponding,
        });
        self.changed();
    }

    /// Applies a person's answer to the dialog about an app, and closes it. Waiting gives a hung app
    /// [`ANSWER_LIMIT`] more; closing ends its process. The dialog about repeated crashes changes nothing more.
    /// Without a dialog nothing happens.
    pub(super) fn answer_error(&mut self, answer: AppErrorAnswer) {
        let Some(dialog) = self.overlay.error.take() else {
            return;
        };
        let package = dialog.package;
        match (dialog.kind, answer) {
            (AppErrorKind::NotResponding, AppErrorAnswer::Wait) => {
                let due = self.clock.now() + ANSWER_LIMIT;
                if let Some(hang) = self
                    .packages
                    .get_mut(&package)
                    .and_then(|app| app.hang.as_mut())
                {
                    hang.due = Some(due);
                }
            }
            (AppErrorKind::NotResponding, AppErrorAnswer::Close) => {
                if let Some(pid) = self.packages.pid(&package) {
                    self.log.system(
                        "ActivityManager",
                        format!("Killing {pid}:{package}/u0a101 (adj 0): user request after error"),
                    );
                }
                self.end_process(&package);
            }
            (AppErrorKind::KeepsStopping, _) => {}
        }
        self.changed();
    }
}
