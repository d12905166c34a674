//! Video of the screen with `screenrecord`.
//!
//! The tool is stopped with SIGINT, so that it finalises the file, and the file is fetched only after the tool has ended.
//! Nothing of it stays on the device, also where the video is given up.

use std::time::Duration;

use super::command::{QUICK, is_missing, shorten};
use super::{Device, DeviceError, LineStream, Script};

/// Longest video the tool makes.
pub const LONGEST: Duration = Duration::from_mins(3);
/// How often it is looked whether the tool runs, and the pause between.
const STARTS: usize = 20;
const START_PAUSE: Duration = Duration::from_millis(100);
/// How long stopping and finalising may take.
pub const FINALISE_LIMIT: Duration = Duration::from_secs(20);
/// The tool.
const TOOL: &str = "screenrecord";
/// Largest video that is fetched.
const MAX_VIDEO: u64 = 128 * 1024 * 1024;
/// Lines of the tool that are kept.
const MAX_LINES: usize = 20;

/// A recording under way.
pub struct Recording(Source);

/// Who records.
enum Source {
    /// The tool on the device.
    Tool(Tool),
    /// The device's server. It gives the video when it is stopped.
    Server(Option<Vec<u8>>),
}

impl Recording {
    /// Starts recording.
    pub async fn start(device: &dyn Device) -> Result<Self, DeviceError> {
        Ok(Self(match device.system() {
            Some(system) => {
                system.start_recording(LONGEST).await?;
                Source::Server(None)
            }
            None => Source::Tool(Tool::start(device).await?),
        }))
    }

    /// Comes back once it has ended by itself: after its longest time, or because something else ended it.
    pub async fn ended(&mut self) {
        match &mut self.0 {
            Source::Tool(tool) => tool.ended().await,
            Source::Server(_) => tokio::time::sleep(LONGEST).await,
        }
    }

    /// Stops recording and waits until the video is whole. May be called again where it was cut short.
    pub async fn stop(&mut self, device: &dyn Device, limit: Duration) -> Result<(), DeviceError> {
        let stopping = async {
            match (&mut self.0, device.system()) {
                (Source::Tool(tool), _) => tool.stop(device).await,
                (Source::Server(video), Some(system)) => {
                    *video = Some(system.stop_recording(limit).await?);
                    Ok(())
                }
                (Source::Server(_), None) => Ok(()),
            }
        };
        tokio::time::timeout(limit, stopping)
            .await
            .unwrap_or_else(|_| {
                Err(DeviceError::Timeout {
                    what: "finalising the recording".to_owned(),
                    limit,
                })
            })
    }

    /// Fetches the video (MP4) of a recording that was stopped; [`Recording::discard`] it then.
    pub async fn fetch(&mut self, device: &dyn Device) -> Result<Vec<u8>, DeviceError> {
        match &mut self.0 {
            Source::Tool(tool) => tool.fetch(device).await,
            Source::Server(video) => match video.take() {
                Some(video) if !video.is_empty() => Ok(video),
                _ => Err(unsupported("its server gave no video")),
            },
        }
    }

    /// Ends what still records, and leaves no file on the device.
    pub async fn discard(self, device: &dyn Device) -> Result<(), DeviceError> {
        match self.0 {
            Source::Tool(tool) => tool.discard(device).await,
            // One that was stopped has left nothing; the server ends another with the session.
            Source::Server(_) => Ok(()),
        }
    }
}

/// The tool on the device, running. Dropping it ends it and leaves a file that does not play.
struct Tool {
    lines: Box<dyn LineStream>,
    process: u32,
    remote: String,
    output: Vec<String>,
}

impl Tool {
    async fn start(device: &dyn Device) -> Result<Self, DeviceError> {
        let remote = format!("/sdcard/runner-{:012x}.mp4", fastrand::u64(..1 << 48));
        // The shell prints its own process id and then becomes the tool.
        let script = Script::raw(
            format!(
                "echo $$; exec {TOOL} --time-limit {} {remote}",
                LONGEST.as_secs()
            ),
            "screenrecord",
        );
        let mut lines = device.lines(&script).await?;
        let first = tokio::time::timeout(QUICK, lines.next_line())
            .await
            .map_err(|_| DeviceError::Timeout {
                what: "starting a recording".to_owned(),
                limit: QUICK,
            })??;
        let process = first
            .as_deref()
            .and_then(|line| line.trim().parse().ok())
            .ok_or_else(|| unsupported(&first.unwrap_or_default()))?;
        let mut tool = Self {
            lines,
            process,
            remote,
            output: Vec::new(),
        };
        tool.check_running(device).await?;
        Ok(tool)
    }

    /// A tool that is missing or cannot start ends at once.
    async fn check_running(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        // A tool that cannot start is still there for a moment.
        let alive = Script::raw(
            format!("sleep 0.2; kill -0 {} 2>/dev/null", self.process),
            "kill -0",
        );
        for _ in 0..STARTS {
            if device.shell(&alive, QUICK).await?.succeeded() {
                return Ok(());
            }
            // Silence means that it may only be about to start.
            if let Ok(line) = tokio::time::timeout(START_PAUSE, self.lines.next_line()).await {
                match line? {
                    Some(line) => self.keep_line(line),
                    None => break,
                }
            }
        }
        Err(unsupported(&self.output.join("\n")))
    }

    async fn stop(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let interrupt = Script::command(["kill", "-2", &self.process.to_string()]);
        // Where the tool ended at its own limit, nothing is left to interrupt.
        device.shell(&interrupt, QUICK).await?;
        while let Some(line) = self.lines.next_line().await? {
            self.keep_line(line);
        }
        Ok(())
    }

    /// Of a tool that prints without end only the first lines are of use.
    fn keep_line(&mut self, line: String) {
        if self.output.len() < MAX_LINES {
            self.output.push(line);
        }
    }

    async fn ended(&mut self) {
        // A stream that fails has ended too.
        while let Ok(Some(line)) = self.lines.next_line().await {
            self.keep_line(line);
        }
    }

    async fn fetch(&mut self, device: &dyn Device) -> Result<Vec<u8>, DeviceError> {
        // A transfer may take as long as its size needs, so a large allowance would let one that hangs go on for long.
        let size = Script::command(["stat", "-c", "%s", &self.remote]);
        let size = device.shell(&size, QUICK).await?.text().trim().parse();
        let video = device
            .pull(&self.remote, size.unwrap_or(MAX_VIDEO).min(MAX_VIDEO))
            .await?;
        if video.is_empty() {
            return Err(unsupported(&self.output.join("\n")));
        }
        Ok(video)
    }

    async fn discard(self, device: &dyn Device) -> Result<(), DeviceError> {
        drop(self.lines);
        let remove = Script::command(["rm", "-f", &self.remote]);
        device.shell(&remove, QUICK).await.map(drop)
    }
}

fn unsupported(message: &str) -> DeviceError {
    let missing = if is_missing(message) {
        "it has no `screenrecord`".to_owned()
    } else {
        format!("`screenrecord` did not record: {}", shorten(message))
    };
    DeviceError::Unsupported {
        what: "record its screen".to_owned(),
        missing,
    }
}
