//! Tools that save screenshots and a video among the artifacts (D18–D20).

use std::sync::atomic::{AtomicU32, Ordering};

use camino::Utf8PathBuf;
use schemars::JsonSchema;
use serde::Deserialize;

use super::status::because;
use crate::arguments::Arguments;
use crate::everyday::NoArgs;
use crate::{Call, Effect, Failure, FrontEffect, Outcome, StepSyntax, Tool, blocking, paths};
use runner_engine::{Capture, Session};

/// Limit for a slug, in characters. Chosen: sixty letters of four bytes each, with the number before them, fit into
/// the 255 bytes of a file's name.
const MAX_SLUG_CHARS: usize = 60;

/// Numbers of the files written so far.
#[derive(Debug, Default)]
struct MediaCounts {
    screenshots: AtomicU32,
    videos: AtomicU32,
}

fn next(number: &AtomicU32) -> u32 {
    number.fetch_add(1, Ordering::Relaxed) + 1
}

/// Converts a text to lower-case letters and digits of any script. Runs of spaces become one hyphen, and
/// other characters, hyphens too, vanish without a gap. The result has at most 60 characters, and is empty if
/// nothing remains.
fn slug(text: &str) -> String {
    let plain: String = text
        .to_lowercase()
        .chars()
        .filter(|character| character.is_alphanumeric() || character.is_whitespace())
        .collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let slug: String = words.join("-").chars().take(MAX_SLUG_CHARS).collect();
    slug.trim_end_matches('-').to_owned()
}

/// Returns `NUMBER-GOAL.png`, or `NUMBER.png` if nothing of the goal can stand in a name.
fn screenshot_name(number: u32, goal: &str) -> String {
    match slug(goal).as_str() {
        "" => format!("{number}.png"),
        slug => format!("{number}-{slug}.png"),
    }
}

/// Writes the file, under another number if there is one of that name. The answer is its path.
async fn keep(path: Utf8PathBuf, bytes: Vec<u8>) -> Result<Outcome, Failure> {
    let path = paths::write(path, bytes).await?;
    Ok(Outcome::text(path.to_string()).wrote(path))
}

/// Arguments of `takeScreenshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeScreenshotArgs {
    /// What the screenshot shows or proves; it names the file.
    #[schemars(length(min = 1))]
    pub goal_name: String,
}

/// Takes a screenshot as PNG. Password fields are painted over where the last look has them, or a new one if that had
/// some or text was typed since. If the screen was never readable, nothing is painted over.
async fn picture(session: &Session) -> Result<Vec<u8>, Failure> {
    let (picture, screen) = session.picture_and_screen().await?;
    // Without a readable look the screenshot is used as it is: Android shows a password as dots, but for a moment its
    // last letter.
    let Some(screen) = screen else {
        return Ok(picture.png().to_vec());
    };
    let capture = Capture::new(screen, Some(picture));
    // Decoding and encoding take tens of milliseconds; nothing may block the runtime.
    blocking(move || {
        let picture = capture
            .storable_picture()?
            .ok_or_else(|| Failure::assertion("the device gave no picture"))?;
        Ok(picture.png().to_vec())
    })
    .await?
}

#[derive(Debug)]
pub struct TakeScreenshot;

impl Tool for TakeScreenshot {
    const NAME: &'static str = "scenario.takeScreenshot";
    const SUMMARY: &'static str = "Keeps a screenshot (PNG) among the artifacts and gives its path; password fields are painted over.";
    const WRITING: StepSyntax = StepSyntax::Scalar("goalName");
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = TakeScreenshotArgs;

    fn check(args: &Arguments) -> Result<(), Failure> {
        args.filled("goalName").map(drop)
    }

    /// Stores a picture as an artifact and returns its path. Files are numbered from 1; a picture that fails uses no
    /// number.
    async fn call(
        session: &Session,
        args: TakeScreenshotArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let failed = |failure| because("screenshot failed", failure);
        let png = picture(session).await.map_err(failed)?;
        let number = next(&session.remembered::<MediaCounts>().screenshots);
        let name = screenshot_name(number, &args.goal_name);
        let path = paths::below(&call.artifacts, &name).map_err(failed)?;
        keep(path, png).await.map_err(failed)
    }
}

#[derive(Debug)]
pub struct StartScreenRecording;

impl Tool for StartScreenRecording {
    const NAME: &'static str = "scenario.startScreenRecording";
    const SUMMARY: &'static str =
        "Starts recording the screen as a video of at most three minutes; there is one at a time.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    type Args = NoArgs;

    /// Begins a recording, which ends by itself after three minutes. A second one at the same time is a failure of
    /// usage, and the first goes on.
    async fn call(session: &Session, _: NoArgs, _: &Call) -> Result<Outcome, Failure> {
        let started = session
            .start_recording()
            .await
            .map_err(|error| because("screen recording failed", error))?;
        if !started {
            return Err(Failure::usage("Screen recording is already in progress."));
        }
        Ok(Outcome::text(
            "OK: Screen recording started. Call stopScreenRecording to finish and save the video.",
        ))
    }
}

#[derive(Debug)]
pub struct StopScreenRecording;

impl Tool for StopScreenRecording {
    const NAME: &'static str = "scenario.stopScreenRecording";
    const SUMMARY: &'static str =
        "Ends the recording, keeps the video (MP4) among the artifacts and gives its path.";
    const WRITING: StepSyntax = StepSyntax::Map;
    const VALUE_OPTIONAL: bool = true;
    const EFFECT: Effect = Effect::Sets;
    type Args = NoArgs;

    /// Ends the recording, stores it as `video-NUMBER.mp4` and returns its path. Without a recording it is a failure of
    /// usage, after an error the recording is lost.
    async fn call(session: &Session, _: NoArgs, call: &Call) -> Result<Outcome, Failure> {
        let failed = |failure| because("screen recording failed", failure);
        let stopped = session.stop_recording().await;
        let Some(video) = stopped.map_err(|error| failed(error.into()))? else {
            return Err(Failure::usage("No screen recording in progress."));
        };
        let number = next(&session.remembered::<MediaCounts>().videos);
        let path = paths::below(&call.artifacts, &format!("video-{number}.mp4")).map_err(failed)?;
        keep(path, video).await.map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d18_a_goal_becomes_a_slug() {
        for (goal, name) in [
            ("Sign in", "3-sign-in.png"),
            (
                "  Notes:  the (40)\tentries! ",
                "3-notes-the-40-entries.png",
            ),
            ("../../etc/passwd", "3-etcpasswd.png"),
            ("Über uns", "3-über-uns.png"),
            ("sign-in_page", "3-signinpage.png"),
            ("/.", "3.png"),
        ] {
            assert_eq!(screenshot_name(3, goal), name);
        }
        assert_eq!(slug(&"ab ".repeat(100)).chars().count(), 59);
    }
}
