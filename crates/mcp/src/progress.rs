//! Reports the progress of a call to the client that asked for it.

use std::future::Future;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::client::ClientChannel;
use runner_text::secret::Scrubber;
use runner_tools::Progress;

/// Interval of progress notifications while a tool reports nothing. Chosen: well within any timeout that
/// clients restart at each notification.
const HEARTBEAT: Duration = Duration::from_secs(1);

/// Step of the progress with each such notification, because the protocol wants it to increase. Chosen: it
/// takes 1000 of them, or 17 minutes, to reach a tool's next whole step.
const HEARTBEAT_STEP: f64 = 0.001;

/// Progress that a tool reports: done, total, and a line for people.
type ProgressUpdate = (f64, Option<f64>, String);

/// Runs `work`, and reports its progress if the request has a progress token; without one `work`'s reports go nowhere.
/// Secrets in the messages are masked. All reports are sent before this returns. A client that takes none does not fail
/// the work.
///
/// After each second without a report a sign of life is sent. Until `work` reports something, its progress is the
/// seconds that have passed, of the seconds of `limit`; from then on, the last report's.
pub(super) async fn with_progress<T, F>(
    context: &RequestContext<RoleServer>,
    scrubber: &Scrubber,
    limit: Option<Duration>,
    work: impl FnOnce(Progress) -> F,
) -> T
where
    F: Future<Output = T>,
{
    let Some(token) = context.meta.get_progress_token() else {
        return work(Progress::default()).await;
    };
    let (sender, mut parsed) = mpsc::unbounded_channel::<ProgressUpdate>();
    let progress = Progress::new(move |done, total, message| {
        // Sending fails once the call is over.
        let _ = sender.send((done, total, message.to_owned()));
    });
    let mut notifier = ProgressReporter::new(context.peer.clone(), token, limit);
    let mut heartbeat = interval_at(Instant::now() + HEARTBEAT, HEARTBEAT);
    heartbeat.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut work = std::pin::pin!(work(progress));
    loop {
        tokio::select! {
            // `biased`, so that pending reports are sent before the result.
            biased;
            Some((done, total, message)) = parsed.recv() => {
                // A report of the tool replaces the next heartbeat.
                heartbeat.reset();
                notifier.report(done, total, &scrubber.scrub_outside(&message)).await;
            }
            result = &mut work => {
                while let Ok((done, total, message)) = parsed.try_recv() {
                    notifier.report(done, total, &scrubber.scrub_outside(&message)).await;
                }
                return result;
            }
            _ = heartbeat.tick() => notifier.send_heartbeat().await,
        }
    }
}

/// Sends the progress of one call to its client.
struct ProgressReporter {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    begun: Instant,
    last: f64,
    /// True once the tool itself reported progress.
    is_reported: bool,
    total: Option<f64>,
    limit: Option<Duration>,
    channel: ClientChannel,
}

impl ProgressReporter {
    /// Begins to count the time of the call. Nothing is sent yet.
    fn new(peer: Peer<RoleServer>, token: ProgressToken, limit: Option<Duration>) -> Self {
        Self {
            peer,
            token,
            begun: Instant::now(),
            last: 0.0,
            is_reported: false,
            total: None,
            limit,
            channel: ClientChannel::default(),
        }
    }

    /// Sends what the tool reported. The number never goes back, whatever the tool says.
    async fn report(&mut self, done: f64, total: Option<f64>, message: &str) {
        (self.is_reported, self.total) = (true, total);
        self.send(done, total, message).await;
    }

    /// Sends progress. It always grows, as the protocol demands: a number that does not is raised to 0.001 above the
    /// last one. An empty message is left out. Errors of the connection are ignored.
    async fn send(&mut self, done: f64, total: Option<f64>, message: &str) {
        self.last = if done > self.last {
            done
        } else {
            self.last + HEARTBEAT_STEP
        };
        let mut reported = ProgressNotificationParam::new(self.token.clone(), self.last);
        if let Some(total) = total {
            reported = reported.with_total(total);
        }
        if !message.is_empty() {
            reported = reported.with_message(message);
        }
        // A lost connection ends the call elsewhere.
        self.channel
            .notify(self.peer.notify_progress(reported))
            .await;
    }

    /// Sends a sign of life that says how long the call takes. Its progress is what the call reported last, or without
    /// that the seconds. Their total is the limit, until that is over.
    async fn send_heartbeat(&mut self) {
        let seconds = self.begun.elapsed().as_secs();
        let message = format!("still going after {seconds} s");
        let (done, total) = if self.is_reported {
            (self.last, self.total)
        } else {
            let limit = self.limit.map(|limit| limit.as_secs_f64());
            // After the limit the call only finishes its last request, so the limit is no total any more.
            (
                seconds as f64,
                limit.filter(|limit| *limit >= seconds as f64),
            )
        };
        self.send(done, total, &message).await;
    }
}
