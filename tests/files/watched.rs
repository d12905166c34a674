//! Runs of the program with limits for time and memory.

use std::process::Stdio;
use std::time::{Duration, Instant};

use tokio::io::AsyncReadExt as _;

use crate::common::{Project, Ran};

/// Limit for a run. Chosen: a loaded machine needs so long for what takes ten seconds alone.
const MAX_TIME: Duration = Duration::from_secs(30);
/// Limit for the program's memory, in KiB.
const MAX_MEMORY: u64 = 200 * 1024;

/// Runs the program. A run over a limit ends with -1 and a message.
pub async fn watched(project: &Project, arguments: &[String]) -> Ran {
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let mut command = tokio::process::Command::from(project.command(&arguments));
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("the program starts");
    let status = format!("/proc/{}/status", child.id().expect("an id"));
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reading = tokio::spawn(async move {
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let _ = tokio::join!(stdout.read_to_end(&mut out), stderr.read_to_end(&mut err));
        [out, err].map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    });
    let begun = Instant::now();
    let fault = loop {
        if let Some(ended) = child.try_wait().expect("a status") {
            break Ok(ended.code().unwrap_or(-1));
        }
        if peak(&status) > MAX_MEMORY {
            break Err("takes more than 200 MB");
        }
        if begun.elapsed() > MAX_TIME {
            break Err("hangs");
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    if fault.is_err() {
        child.kill().await.expect("it is killed");
    }
    let [stdout, stderr] = reading.await.expect("what it said");
    match fault {
        Ok(code) => Ran {
            code,
            stdout,
            stderr,
        },
        Err(why) => Ran {
            code: -1,
            stdout,
            stderr: format!("{stderr}it {why}"),
        },
    }
}

/// Returns the peak memory of the process, in KiB.
fn peak(status: &str) -> u64 {
    let text = std::fs::read_to_string(status).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let words = line.and_then(|line| line.split_whitespace().next());
    words.and_then(|word| word.parse().ok()).unwrap_or_default()
}
