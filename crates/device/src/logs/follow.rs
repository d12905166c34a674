//! The device's log as it grows: one follower for all who watch it.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;

use super::{LogLine, LogQuery, parse, read};
use crate::{Device, DeviceError, LineStream, Script, apps};

/// What of the log is followed.
#[derive(Debug, Clone, Copy)]
pub struct FollowOptions<'a> {
    /// How many lines that were logged before come first. A device cannot be asked for none.
    pub last: usize,
    /// The log's buffers; where there are none, those that `logcat` reads by itself.
    pub buffers: &'a [&'a str],
    /// Filters of lines, each as `TAG:LEVEL`; without any, all lines.
    pub filters: &'a [&'a str],
    /// A server gives all of its log at once: how far apart it is asked for it. `None`: it is not followed.
    pub poll: Option<Duration>,
}

/// What comes of a followed log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FollowedLine {
    /// A line of the log.
    Log(LogLine),
    /// A header of `logcat`, or why there is no log.
    Other(String),
}

impl FollowedLine {
    /// A line that was printed.
    pub fn of(raw: String) -> Self {
        parse(&raw).map_or(Self::Other(raw), Self::Log)
    }

    /// Its bytes as they were printed.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Log(line) => line.raw.len(),
            Self::Other(raw) => raw.len(),
        }
    }
}

/// A log that is followed. Dropping it ends what reads it on the device.
pub struct LogFollower {
    source: Source,
}

enum Source {
    Stream(Box<dyn LineStream>),
    Server(mpsc::Receiver<Result<LogLine, DeviceError>>),
}

/// Begins to follow the log of a device.
///
/// # Errors
/// [`DeviceError`] where the device gives no log, or its server's is not to be asked for again and again.
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
    /// The next line; `None` where the log ended. A wait for it may be given up and begun anew.
    ///
    /// # Errors
    /// [`DeviceError`] where the device does not give it any more.
    pub async fn next(&mut self) -> Result<Option<FollowedLine>, DeviceError> {
        match &mut self.source {
            Source::Stream(lines) => Ok(lines.next_line().await?.map(FollowedLine::of)),
            Source::Server(lines) => {
                let line = lines.recv().await.transpose()?;
                Ok(line.map(FollowedLine::Log))
            }
        }
    }
}

/// Reads the log of a server until nobody wants it any more. It reads once before it returns, so that an unreadable log
/// fails at once.
async fn poll_server(
    device: &Arc<dyn Device>,
    last: usize,
    poll: Duration,
) -> Result<mpsc::Receiver<Result<LogLine, DeviceError>>, DeviceError> {
    let device = Arc::clone(device);
    let mut known = None;
    let mut new = unread(device.as_ref(), last, &mut known).await?;
    let (sender, receiver) = mpsc::channel(1);
    tokio::spawn(async move {
        let reading = async {
            loop {
                for line in new {
                    // Nobody takes it: the follower was dropped.
                    let _ = sender.send(Ok(line)).await;
                }
                tokio::time::sleep(poll).await;
                new = match unread(device.as_ref(), last, &mut known).await {
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

/// The lines behind the one that was `known` last, the newest `most` of them.
async fn unread(
    device: &dyn Device,
    most: usize,
    known: &mut Option<String>,
) -> Result<VecDeque<LogLine>, DeviceError> {
    let mut lines = VecDeque::from(read(device, &LogQuery::default()).await?);
    let is_known = |line: &LogLine| known.as_ref() == Some(&line.raw);
    let new = lines
        .iter()
        .rposition(is_known)
        .map_or(0, |place| place + 1);
    let newest = lines.len().saturating_sub(most).max(new);
    if let Some(line) = lines.back() {
        *known = Some(line.raw.clone());
    }
    lines.drain(..newest);
    Ok(lines)
}

/// The processes of an app that run now, as far as the device reports them within `limit`: a server reports none, but
/// [`super::started`] finds those in the log.
pub async fn processes(device: &dyn Device, package: &str, limit: Duration) -> BTreeSet<u32> {
    if device.system().is_some() {
        return BTreeSet::new();
    }
    let pids = apps::process_ids(device, package, limit).await;
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
