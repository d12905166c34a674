//! Records video of the screen with `screenrecord`.
//!
//! The tool is stopped with SIGINT, so that it finalises the file, and the file is fetched only after the
//! tool has ended. Nothing of it stays on the device, even if the video is discarded.

use std::time::Duration;

use super::command::QUICK;
use super::message::{is_missing, shorten};
use super::{Device, DeviceError, LineStream, Script};
use runner_text::secret::OutsideText;

/// Longest video that every `screenrecord` makes: the default of `--time-limit` (AOSP `screenrecord.cpp`).
/// Only newer ones can make longer ones.
pub const MAX_DURATION: Duration = Duration::from_mins(3);
/// Checks whether the tool runs, and the pause between them. Chosen: with the 0.2 s of each check about six
/// seconds, in which a slow phone starts it.
const START_CHECKS: usize = 20;
const START_PAUSE: Duration = Duration::from_millis(100);
/// Limit for stopping the tool and finalising the file. Chosen: a slow phone writes the index of three
/// minutes within seconds.
pub const FINALISE_LIMIT: Duration = Duration::from_secs(20);
const TOOL: &str = "screenrecord";
/// Bits a second of a video. The tool's own default is 20 Mbit/s (AOSP `screenrecord.cpp`), at which three
/// minutes of a moving screen have 450 MB. Chosen: [`MAX_DURATION`] has 90 MB with it; a still screen needs
/// far less, and with half of it a moving one would blur.
pub const BIT_RATE: u64 = 4_000_000;
/// Largest video to fetch, in bytes. Chosen: it is read into memory; an encoder may exceed [`BIT_RATE`] by
/// almost a half.
pub const MAX_VIDEO_BYTES: u64 = 128 * 1024 * 1024;
/// Limit of the tool's lines to store. Chosen: its errors have a few.
const MAX_OUTPUT_LINES: usize = 20;

/// Recording in progress.
pub struct Recording(Source);

enum Source {
    /// `screenrecord` on the device.
    Tool(Tool),
    /// The device's server, with the video once it was stopped.
    Server(Option<Vec<u8>>),
}

impl Recording {
    /// Starts recording the screen, for [`MAX_DURATION`] at most. Without a server it returns once the tool runs.
    ///
    /// # Errors
    /// Returns [`DeviceError::Unsupported`] if the device has no `screenrecord` or it ends at once. Returns
    /// [`DeviceError::Timeout`] if the tool prints nothing within 15 s.
    pub async fn start(device: &dyn Device) -> Result<Self, DeviceError> {
        Ok(Self(match device.system() {
            Some(system) => {
                system.start_recording(MAX_DURATION).await?;
                Source::Server(None)
            }
            None => Source::Tool(Tool::start(device).await?),
        }))
    }

    /// Waits until the recording has ended by itself: after its longest time, or for another reason. For a
    /// server's recording it waits [`MAX_DURATION`] from now, as the server does not report the end.
    pub async fn ended(&mut self) {
        match &mut self.0 {
            Source::Tool(tool) => tool.ended().await,
            Source::Server(_) => tokio::time::sleep(MAX_DURATION).await,
        }
    }

    /// Stops recording and waits until the video is complete. May be called again if it was interrupted.
    ///
    /// # Errors
    /// Returns [`DeviceError::Timeout`] if that takes longer than `limit`.
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

    /// Fetches the video (MP4) of a stopped recording. Call [`Recording::discard`] afterwards. The video of a
    /// server can be fetched once.
    ///
    /// # Errors
    /// Returns [`DeviceError::Unsupported`] if there is no video or an empty one, and [`DeviceError::Command`]
    /// for more than [`MAX_VIDEO_BYTES`].
    pub async fn fetch(&mut self, device: &dyn Device) -> Result<Vec<u8>, DeviceError> {
        match &mut self.0 {
            Source::Tool(tool) => tool.fetch(device).await,
            Source::Server(video) => match video.take() {
                Some(video) if !video.is_empty() => Ok(video),
                _ => Err(unsupported("its server gave no video")),
            },
        }
    }

    /// Discards the recording: drops the tool's stream, which stops a tool that still runs, and removes its file.
    /// Does not wait for the tool's end; call [`Recording::stop`] before to get a whole video. Does nothing for a
    /// server's recording: it leaves no file and ends with the session. Fails if the file cannot be removed.
    pub async fn discard(self, device: &dyn Device) -> Result<(), DeviceError> {
        match self.0 {
            Source::Tool(tool) => tool.discard(device).await,
            // A stopped recording has left no file; a running one ends with the server's session.
            Source::Server(_) => Ok(()),
        }
    }
}

/// Running tool on the device. Dropping it stops it and leaves a file that cannot be played.
struct Tool {
    lines: Box<dyn LineStream>,
    process: u32,
    remote: String,
    output: Vec<String>,
}

impl Tool {
    /// Starts the tool on the device, waits up to 15 s for its process id, and checks that it runs. If it does not,
    /// what it said becomes the error and its file is removed; else that is left to [`Self::discard`].
    async fn start(device: &dyn Device) -> Result<Self, DeviceError> {
        let remote = format!("/sdcard/runner-{:012x}.mp4", fastrand::u64(..1 << 48));
        // The shell prints its own process id and then becomes the tool.
        let script = format!("echo $$; exec {} {remote}", command());
        let mut lines = device.lines(&Script::raw(script, TOOL)).await?;
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
        if let Err(error) = tool.check_running(device).await {
            // The first error says why there is no recording.
            let _ = tool.discard(device).await;
            return Err(error);
        }
        Ok(tool)
    }

    /// Fails if the tool has already ended, as one that is missing or cannot start does at once. Asks for the
    /// process up to 20 times, each after 0.2 s, as the tool may only be about to start; ends early if the tool's
    /// output ends. The lines that the tool printed become the error.
    async fn check_running(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        // A tool that cannot start is still alive for a moment.
        let alive = Script::raw(
            format!("sleep 0.2; kill -0 {} 2>/dev/null", self.process),
            "kill -0",
        );
        for _ in 0..START_CHECKS {
            if device.shell(&alive, QUICK).await?.succeeded() {
                return Ok(());
            }
            // Without a line, the tool may only be about to start.
            if let Ok(line) = tokio::time::timeout(START_PAUSE, self.lines.next_line()).await {
                match line? {
                    Some(line) => self.keep_line(line),
                    None => break,
                }
            }
        }
        Err(unsupported(&self.output.join("\n")))
    }

    /// Interrupts the tool and waits for its end, without a limit of its own. One that has ended already is no
    /// error.
    async fn stop(&mut self, device: &dyn Device) -> Result<(), DeviceError> {
        let interrupt = Script::command(["kill", "-2", &self.process.to_string()]);
        // If the tool ended at its own limit, there is nothing to interrupt.
        device.shell(&interrupt, QUICK).await?;
        while let Some(line) = self.lines.next_line().await? {
            self.keep_line(line);
        }
        Ok(())
    }

    /// Stores a line of the tool, up to [`MAX_OUTPUT_LINES`]; further ones are dropped. A tool that prints
    /// without end is useful only by its first lines.
    fn keep_line(&mut self, line: String) {
        if self.output.len() < MAX_OUTPUT_LINES {
            self.output.push(line);
        }
    }

    /// Waits for the tool's end, without a limit; a failed stream counts as one. Keeps the tool's first lines, which
    /// become the error if the video is empty.
    async fn ended(&mut self) {
        // A failing stream has ended too.
        while let Ok(Some(line)) = self.lines.next_line().await {
            self.keep_line(line);
        }
    }

    /// Reads the video of a tool that has ended. Asks for its size first, as the limit of the transfer grows with
    /// it. An empty video is an error with what the tool said, one above [`MAX_VIDEO_BYTES`] another.
    async fn fetch(&mut self, device: &dyn Device) -> Result<Vec<u8>, DeviceError> {
        // The limit follows the size, so a large maximum would let a hanging transfer run for long.
        let size = Script::command(["stat", "-c", "%s", &self.remote]);
        let size = device.shell(&size, QUICK).await?.text().trim().parse();
        let video = device
            .pull(
                &self.remote,
                size.unwrap_or(MAX_VIDEO_BYTES).min(MAX_VIDEO_BYTES),
            )
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

/// Formats the tool's command without its file. Each limit of the video is named, as defaults differ between
/// releases.
fn command() -> String {
    let seconds = MAX_DURATION.as_secs();
    format!("{TOOL} --time-limit {seconds} --bit-rate {BIT_RATE}")
}

/// Builds the [`DeviceError::Unsupported`] of a device that cannot record, from what the tool said.
fn unsupported(message: &str) -> DeviceError {
    let missing = if is_missing(message) {
        "it has no `screenrecord`".to_owned()
    } else {
        let message = OutsideText::new(message);
        format!("`screenrecord` did not record: {}", shorten(&message))
    };
    DeviceError::Unsupported {
        what: "record its screen".to_owned(),
        missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ShellOutput;
    use crate::fake::Fake;

    #[tokio::test]
    async fn a_tool_that_ends_at_once_leaves_no_file() {
        let fake = Fake::showing([""]).on_shell(|script| ShellOutput {
            exit_code: Some(i32::from(script.contains("kill -0"))),
            ..ShellOutput::default()
        });
        let printed = ["4711", "Unable to get output buffers"];
        fake.with(|state| {
            let lines = printed.map(str::to_owned);
            state.streams.push_back(lines.to_vec());
        });
        let error = Recording::start(fake.as_ref()).await.err().unwrap();
        assert!(error.to_string().contains(printed[1]), "{error}");
        let last = fake.with(|state| state.scripts.last().cloned()).unwrap();
        assert!(last.starts_with("rm -f /sdcard/runner-"), "{last}");
    }

    #[test]
    fn the_longest_video_of_a_moving_screen_can_be_fetched() {
        let command = command();
        let option = |name: &str| -> u64 {
            let mut words = command.split(' ').skip_while(|word| *word != name);
            words.nth(1).unwrap().parse().unwrap()
        };
        let bytes = option("--time-limit") * option("--bit-rate") / 8;
        assert!(bytes < MAX_VIDEO_BYTES / 4 * 3, "{bytes}");
    }
}
