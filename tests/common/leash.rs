//! Programs that end with the test process, together with their children.

use std::fs::File;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Shell script that runs the program until its own input ends: when the holder drops it, and also when the
/// holder dies, as a value in a static is never dropped. Then it kills the whole group, and removes the
/// folder that `LEASH_SWEEP` names.
const HOLD: &str = r#""$@" </dev/null & IFS= read -r _; [ -z "$LEASH_SWEEP" ] || rm -rf "$LEASH_SWEEP"; kill -KILL 0"#;

/// A running program and its children, in a process group; killed on drop, and with this process.
pub struct Leash {
    shell: Child,
    log: PathBuf,
}

impl Leash {
    /// Starts `program`. Its output goes to the file `log`.
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

    /// Returns the end of the log, for the message of a failure.
    pub fn tail(&self) -> String {
        let text = std::fs::read(&self.log).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(60)..].join("\n")
    }

    /// Calls `ask` until it returns something, for as long as a loaded machine may need.
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

/// Limit for a program's start. Chosen: a server in Java needs many seconds, on a loaded machine more.
const LIMIT: Duration = Duration::from_mins(2);

impl Drop for Leash {
    fn drop(&mut self) {
        drop(self.shell.stdin.take());
        let _ = self.shell.wait();
    }
}

/// Returns a port where nobody listens now.
pub fn free_port() -> u16 {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.local_addr().expect("its number").port()
}
