//! Replays the flow at once with an app without stored data, and shows what differs from the recording.

use std::collections::HashMap;
use std::sync::Arc;

use super::Studio;
use super::messages::RunMessage;
use super::run;
use runner_agent::record::differences;
use runner_event::{Event, EventKind, StepStatus};
use runner_flow::Flow;
use runner_run::OpenConnection;
use runner_screen::Screen;
use runner_tools::Failure;

/// Steps of a replay, to find the failed one in the recording.
#[derive(Debug, Default)]
pub(super) struct ReplayedSteps {
    /// Number of steps with this title that ended.
    ended: HashMap<String, usize>,
    /// Title of the failed step, and the number of steps with this title before it.
    failed: Option<(String, usize)>,
}

impl ReplayedSteps {
    /// Notes a step that ended; other events are ignored. The first failed step counts, with the number of earlier
    /// steps of the same title, whatever their result. Steps in blocks count like others.
    pub(super) fn add(&mut self, event: &Event) {
        let EventKind::StepFinished { title, status, .. } = &event.kind else {
            return;
        };
        let before = self.ended.entry(title.clone()).or_default();
        if *status == StepStatus::Failed && self.failed.is_none() {
            self.failed = Some((title.clone(), *before));
        }
        *before += 1;
    }

    /// Returns the index of the failed step in the recording: of recorded steps that hold a line with the title,
    /// the one after as many as had ended before. `None` if no step failed or the recording has too few of them, as
    /// of an edited flow.
    fn failed_place(&self, recorded: &[String]) -> Option<usize> {
        let (title, before) = self.failed.as_ref()?;
        let step = format!("- {title}");
        let is_it = |text: &String| {
            text.lines()
                .any(|line| line.trim() == step || line == title)
        };
        let mut places = recorded.iter().enumerate().filter(|(_, text)| is_it(text));
        places.nth(*before).map(|(place, _)| place)
    }
}

/// Clears the stored data of the flow's app. Does nothing for a flow without an app.
///
/// # Errors
/// Returns an error if the device cannot do it, for example because the app is not installed.
pub(super) async fn clear_app(opened: &OpenConnection, flow: &Flow) -> Result<(), Failure> {
    if let Some(app) = &flow.app {
        runner_device::apps::clear(opened.device().as_ref(), app).await?;
    }
    Ok(())
}

/// Reads the screen, and publishes the difference from that of the recording: before the failed step, or after the
/// last act. Never an error. Also says so if one of them is unknown, or cannot be read.
pub(super) async fn publish(studio: &Studio, opened: &OpenConnection, steps: &ReplayedSteps) {
    let recorded = studio.workspace.recorder.steps(0).steps;
    let (then, what) = match &steps.failed {
        None => (
            studio.frames().last_screen(),
            "The replay passed".to_owned(),
        ),
        Some((title, _)) => {
            let place = steps.failed_place(&recorded);
            let screen = place.and_then(|place| studio.frames().screen_before(place));
            (screen, format!("The replay failed at {title}"))
        }
    };
    let now = opened.session.look().await.ok();
    let (message, differs) = compare(&what, then.as_ref(), now.as_ref());
    run::notify(
        studio,
        &RunMessage::Replay {
            message: &message,
            differs: &differs,
        },
    );
}

/// Returns a message that begins with `what`, and the differences of the two screens, empty if they show the same:
/// another app in front, then at most 6 elements that are gone and 6 new ones. Without one of them there is nothing to
/// compare, which the message says, and the list is empty.
fn compare(
    what: &str,
    then: Option<&Arc<Screen>>,
    now: Option<&Arc<Screen>>,
) -> (String, Vec<String>) {
    let Some((then, now)) = then.zip(now) else {
        let message = format!("{what}. The recording has no screen to compare with.");
        return (message, Vec::new());
    };
    let differs = differences(then, now);
    let rest = if differs.is_empty() {
        "The screen shows what it showed then."
    } else {
        "The screen is not as it was then:"
    };
    (format!("{what}. {rest}"), differs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_failed_step_is_found_among_those_that_are_alike() {
        let recorded = ["- back\n", "# a comment\n- click: A\n", "- back\n"].map(str::to_owned);
        let failed = |title: &str, before: usize| ReplayedSteps {
            ended: HashMap::new(),
            failed: Some((title.to_owned(), before)),
        };
        assert_eq!(failed("click: A", 0).failed_place(&recorded), Some(1));
        assert_eq!(failed("back", 1).failed_place(&recorded), Some(2));
        assert_eq!(failed("back", 2).failed_place(&recorded), None);
        assert_eq!(failed("click: B", 0).failed_place(&recorded), None);
    }
}
