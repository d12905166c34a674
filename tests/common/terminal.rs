//! Programs in a terminal, as a person uses them: tmux gives the terminal, and tests press keys and read the
//! screen.

use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use super::needs;

/// Limit for the screen to show something. Chosen: a slow machine decodes several pictures.
pub const LIMIT: Duration = Duration::from_mins(1);

/// A terminal with its own tmux server; killed on drop.
pub struct Terminal {
    socket: String,
}

impl Terminal {
    /// Starts a shell script in a terminal of this size. `None` without tmux.
    pub fn with_script(size: (u16, u16), script: &str) -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        if !needs::program("tmux") {
            return None;
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let terminal = Self {
            socket: format!("runner-test-{}-{count}", std::process::id()),
        };
        let (width, height) = (size.0.to_string(), size.1.to_string());
        let arguments = [
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-s",
            "t",
            "-x",
            &width,
            "-y",
            &height,
        ];
        let started = terminal.tmux(&[&arguments[..], &["sh", "-c", script]].concat());
        assert!(started.0, "{}", started.1);
        Some(terminal)
    }

    /// Runs a tmux command. Returns whether it succeeded, and its output.
    pub fn tmux(&self, arguments: &[&str]) -> (bool, String) {
        let output = Command::new("tmux")
            .args(["-L", &self.socket])
            .args(arguments)
            .stdin(Stdio::null())
            .env_remove("TMUX")
            .output()
            .expect("tmux starts");
        let text = String::from_utf8_lossy(if output.status.success() {
            &output.stdout
        } else {
            &output.stderr
        });
        (output.status.success(), text.into_owned())
    }

    /// Presses keys, by tmux's names.
    pub fn keys(&self, keys: &[&str]) -> &Self {
        self.tmux(&[&["send-keys", "-t", "t"], keys].concat());
        self
    }

    /// Returns the text on the terminal's screen.
    pub fn screen(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-t", "t"]).1
    }

    /// Waits until `wanted` accepts the screen.
    #[track_caller]
    pub fn until(&self, what: &str, wanted: impl Fn(&str) -> bool) -> &Self {
        let end = Instant::now() + LIMIT;
        loop {
            let screen = self.screen();
            if wanted(&screen) {
                return self;
            }
            assert!(Instant::now() < end, "never: {what}\n{screen}");
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Waits until the screen shows a text.
    #[track_caller]
    pub fn shows(&self, text: &str) -> &Self {
        self.until(text, |screen| screen.contains(text))
    }

    /// Returns the process id of the program.
    pub fn process(&self) -> Option<String> {
        let shell = self
            .tmux(&["display-message", "-p", "-t", "t", "#{pane_pid}"])
            .1;
        let output = Command::new("pgrep")
            .args(["-P", shell.trim()])
            .output()
            .ok()?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        (!text.is_empty()).then_some(text)
    }

    /// Waits until the system reports the new size, rows before columns; tmux sets it a little later.
    #[track_caller]
    pub fn has_size(&self, size: &str) -> &Self {
        let device = self
            .tmux(&["display-message", "-p", "-t", "t", "#{pane_tty}"])
            .1;
        self.until("the new size", |_| {
            let output = Command::new("stty")
                .args(["-F", device.trim(), "size"])
                .output();
            output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).trim() == size)
        })
    }

    /// Sends the program a signal, such as `-STOP`.
    #[track_caller]
    pub fn signal(&self, name: &str) {
        let process = self.process().expect("the program");
        let sent = Command::new("kill").args([name, &process]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{name}");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}
