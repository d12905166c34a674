//! A program that ends with whoever started it, with all that it started.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Runs the program and waits for the end of its own input, which comes when the holder drops it and also when the holder
/// dies: a value in a static is never dropped. Then the whole group goes, and the folder that `LEASH_SWEEP` names.
const HOLD: &str = r#""$@" </dev/null & IFS= read -r _; [ -z "$LEASH_SWEEP" ] || rm -rf "$LEASH_SWEEP"; kill -KILL 0"#;

/// A running program and its children, in a process group of their own; ended when dropped, and with this process.
pub struct Leash {
    shell: Child,
    log: PathBuf,
}

impl Leash {
    /// Starts `program`. What it writes goes to the file `log`.
    pub fn start(program: &Command, log: &Path) -> Self {
        let file = File::create(log).expect("a log");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", HOLD, "leash"])
            .arg(program.get_program())
            .args(program.get_args());
        for (name, value) in program.get_envs() {
            match value {
                Some(value) => shell.env(name, value),
                None => shell.env_remove(name),
            };
        }
        if let Some(folder) = program.get_current_dir() {
            shell.current_dir(folder);
        }
        let shell = shell
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(file.try_clone().expect("a handle"))
            .stderr(file)
            .spawn()
            .expect("sh starts");
        Self {
            shell,
            log: log.to_owned(),
        }
    }

    /// The end of what it wrote, for a failure.
    pub fn tail(&self) -> String {
        let text = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }

    /// Waits until something holds, for as long as a loaded machine may need.
    #[track_caller]
    pub fn until<T>(&self, what: &str, mut ask: impl FnMut() -> Option<T>) -> T {
        let began = Instant::now();
        loop {
            if let Some(answer) = ask() {
                return answer;
            }
            let waited = began.elapsed();
            assert!(
                waited < LIMIT,
                "{what}: not after {waited:?}\n{}",
                self.tail()
            );
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// A server in Java needs many seconds to start, on a loaded machine more.
const LIMIT: Duration = Duration::from_mins(2);

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// A port that nobody listens on now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its number").port()
}
