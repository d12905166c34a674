//! Follows the device's log as it grows, from its own stream or by asking a server again and again.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::lines::{LogLine, LogQuery, parse, read};
use crate::processes::process_ids;
use crate::{Device, DeviceError, LineStream, Script};

#[derive(Debug, Clone, Copy)]
pub struct FollowOptions<'a> {
    /// Earlier lines to begin with. A device cannot be asked for none.
    pub last: usize,
    /// Buffers of the log; if empty, those that `logcat` reads by default.
    pub buffers: &'a [&'a str],
    /// Filters, each as `TAG:LEVEL`; if empty, all lines.
    pub filters: &'a [&'a str],
    /// Pause between two requests to a server, which returns its whole log each time. `None`: such a log is
    /// not followed.
    pub poll: Option<Duration>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowedLine {
    Log(LogLine),
    /// Header of `logcat`, or its reason that there is no log.
    Other(String),
}

impl FollowedLine {
    /// Parses a printed line; one that is no log line becomes [`Self::Other`].
    pub fn parse(raw: String) -> Self {
        parse(&raw).map_or(Self::Other(raw), Self::Log)
    }

    /// Returns the length in bytes of the line as it was printed, without its end.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Log(line) => line.raw.len(),
            Self::Other(raw) => raw.len(),
        }
    }
}

/// Stream of log lines. Dropping it stops reading on the device.
pub struct LogFollower {
    source: Source,
}

enum Source {
    Stream(Box<dyn LineStream>),
    Server(mpsc::Receiver<Result<LogLine, DeviceError>>),
}

/// Begins to follow the log of a device. A server's log is read every `poll`, whatever buffers and filters are
/// named; another device's is a stream of `logcat`, and ignores `poll`.
///
/// # Errors
/// Returns a [`DeviceError`] if a server's log cannot be read or `poll` is `None` for it, or `logcat` cannot be
/// started. Another device without a log says so in its lines.
pub async fn follow(
    device: &Arc<dyn Device>,
    options: FollowOptions<'_>,
) -> Result<LogFollower, DeviceError> {
    let source = match options.poll.filter(|_| device.system().is_some()) {
        Some(poll) => Source::Server(poll_server(device, options.last, poll).await?),
        None => Source::Stream(device.lines(&script(options)).await?),
    };
    Ok(LogFollower { source })
}

/// Builds the `logcat` command, beginning with the last lines. With filters all other tags are silent.
fn script(options: FollowOptions<'_>) -> Script {
    let mut command = "logcat -v threadtime".to_owned();
    for buffer in options.buffers {
        command.push_str(" -b ");
        command.push_str(buffer);
    }
    command.push_str(&format!(" -T {}", options.last));
    for filter in options.filters {
        command.push(' ');
        command.push_str(filter);
    }
    if !options.filters.is_empty() {
        command.push_str(" '*:S'");
    }
    Script::raw(command, "logcat")
}

impl LogFollower {
    /// Waits for the next item; `None` once the log ended. A line that is no log line becomes
    /// [`FollowedLine::Other`]; a server's log has none of these. Dropping the wait loses nothing.
    ///
    /// # Errors
    /// Returns a [`DeviceError`] if the log cannot be read any more.
    pub async fn next(&mut self) -> Result<Option<FollowedLine>, DeviceError> {
        match &mut self.source {
            Source::Stream(lines) => Ok(lines.next_line().await?.map(FollowedLine::parse)),
            Source::Server(lines) => {
                let line = lines.recv().await.transpose()?;
                Ok(line.map(FollowedLine::Log))
            }
        }
    }
}

/// Reads a server's log every `poll` until the receiver is dropped or a reading fails, and sends the new lines: the
/// newest `last` of the first reading, and all of later ones. The first reading is made before this returns, so
/// that an unreadable log fails at once; a later failure is sent as the last item. Each reading takes the server's
/// whole log.
async fn poll_server(
    device: &Arc<dyn Device>,
    last: usize,
    poll: Duration,
) -> Result<mpsc::Receiver<Result<LogLine, DeviceError>>, DeviceError> {
    let device = Arc::clone(device);
    let mut known = None;
    let mut new = unread(device.as_ref(), &mut known).await?;
    let earlier = new.len().saturating_sub(last);
    new.drain(..earlier);
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let reading = async {
            loop {
                for line in new {
                    // It fails only if the follower was dropped.
                    let _ = sender.send(Ok(line)).await;
                }
                tokio::time::sleep(poll).await;
                new = match unread(device.as_ref(), &mut known).await {
                    Ok(new) => new,
                    Err(error) => {
                        let _ = sender.send(Err(error)).await;
                        return;
                    }
                };
            }
        };
        tokio::select! {
            () = reading => {}
            () = sender.closed() => {}
        }
    });
    Ok(receiver)
}

/// Returns the lines after the one that was last `known`, and makes the newest line the known one. Without a
/// known line, or if the log no longer has it, all lines are new.
async fn unread(
    device: &dyn Device,
    known: &mut Option<String>,
) -> Result<Vec<LogLine>, DeviceError> {
    let mut lines = read(device, &LogQuery::default()).await?;
    let is_known = |line: &LogLine| known.as_ref() == Some(&line.raw);
    let new = lines
        .iter()
        .rposition(is_known)
        .map_or(0, |place| place + 1);
    if let Some(line) = lines.last() {
        *known = Some(line.raw.clone());
    }
    Ok(lines.split_off(new))
}

/// Returns the ids of an app's running processes. Empty if the app does not run, if the device does not
/// report them within `limit`, and for a server; [`super::started`] finds those in its log.
pub async fn processes(device: &dyn Device, package: &str, limit: Duration) -> BTreeSet<u32> {
    if device.system().is_some() {
        return BTreeSet::new();
    }
    let pids = process_ids(device, package, limit).await;
    pids.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_is_asked_for_by_its_buffers_its_filters_and_its_last_lines() {
        let all = FollowOptions {
            last: 2000,
            buffers: &[],
            filters: &[],
            poll: None,
        };
        assert_eq!(script(all).text(), "logcat -v threadtime -T 2000");
        let some = FollowOptions {
            last: 1,
            buffers: &["main", "events"],
            filters: &["own:I", "am_anr:I"],
            poll: None,
        };
        assert_eq!(
            script(some).text(),
            "logcat -v threadtime -b main -b events -T 1 own:I am_anr:I '*:S'"
        );
    }
}
