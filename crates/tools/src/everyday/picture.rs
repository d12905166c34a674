//! Steps that save screenshots and videos.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Call, Failure, FrontEffect, Outcome, StepSyntax, StepValue, Tool, Words, blocking, paths,
};
use runner_engine::{CaptureOptions, Session};
use runner_screen::{RowFilter, annotate};

/// Arguments of `screenshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScreenshotArgs {
    /// Name of the file without a folder and its extension; by default `screenshot-1`, `screenshot-2`, ….
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"))]
    pub name: Option<String>,
    /// Draw a box with its row number around each element.
    #[serde(default)]
    pub annotated: bool,
}

#[derive(Debug)]
pub struct Screenshot;

impl Tool for Screenshot {
    const NAME: &'static str = "screenshot";
    const EXAMPLE: &'static str = "- screenshot: signed-in";
    const KEEPS: StepValue = StepValue::new(&[("path", "the file")]);
    const SUMMARY: &'static str =
        "Keeps a screenshot among the artifacts; password fields are painted over.";
    const WRITING: StepSyntax = StepSyntax::Scalar("name");
    const VALUE_OPTIONAL: bool = true;
    const FRONT: FrontEffect = FrontEffect::Nothing;
    type Args = ScreenshotArgs;

    /// Takes a screenshot of the present screen, without waiting, into the artifacts; password fields are painted over.
    /// Without a name it is numbered. A name that is taken gets a number. The path is the value.
    async fn call(
        session: &Session,
        args: ScreenshotArgs,
        call: &Call,
    ) -> Result<Outcome, Failure> {
        let name = match args.name {
            Some(name) => paths::artifact_name(&name)?.to_owned(),
            None => format!("screenshot-{}", session.next_number()),
        };
        let path = paths::below(&call.artifacts, &format!("{name}.png"))?;
        let options = CaptureOptions {
            limit: Duration::ZERO,
            picture: true,
        };
        let capture = session.capture(options).await?;
        let annotated = args.annotated;
        // Decoding and encoding take tens of milliseconds; nothing may block the runtime.
        let png = blocking(move || -> Result<Vec<u8>, Failure> {
            let picture = capture
                .storable_picture()?
                .ok_or_else(|| Failure::device("the device gave no picture"))?;
            if !annotated {
                return Ok(picture.png().to_vec());
            }
            let drawn = annotate::annotate_full_size(
                picture.pixels()?.as_ref(),
                &capture.screen,
                &RowFilter::default(),
            );
            let mut png = Vec::new();
            drawn
                .write_to(&mut std::io::Cursor::new(&mut png), image::ImageFormat::Png)
                .map_err(|error| Failure::infrastructure(error.to_string()))?;
            Ok(png)
        })
        .await??;
        let path = paths::write(path, png).await?;
        Ok(Outcome::text(Words::format("Screenshot {}", &[&path])).wrote(path))
    }
}

/// What to do with the recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RecordAction {
    /// Begin.
    Start,
    /// End and keep the video.
    Stop,
}

/// Arguments of `record`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordArgs {
    /// `start` or `stop`.
    pub action: RecordAction,
    /// With `stop`, name of the file without a folder and its extension; by default `recording-1`, `recording-2`, ….
    #[serde(default)]
    #[schemars(regex(pattern = "^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$"))]
    pub name: Option<String>,
}

#[derive(Debug)]
pub struct Record;

impl Tool for Record {
    const NAME: &'static str = "record";
    const EXAMPLE: &'static str = "- record: start";
    const KEEPS: StepValue = StepValue::new(&[("path", "the file, with `stop`")]);
    const SUMMARY: &'static str =
        "Records the screen as a video (at most three minutes) among the artifacts.";
    const WRITING: StepSyntax = StepSyntax::Scalar("action");
    type Args = RecordArgs;

    /// Starts a recording, or stops it and writes its video, whose path is the value. A second start, which leaves the
    /// recording as it is, and a stop without a start are failures of usage. A recording that is not stopped is
    /// discarded when the attempt ends.
    async fn call(session: &Session, args: RecordArgs, call: &Call) -> Result<Outcome, Failure> {
        if args.action == RecordAction::Start {
            return if session.start_recording().await? {
                Ok(Outcome::text("Recording started"))
            } else {
                Err(Failure::usage(
                    "a recording is already under way; `record: stop` ends it",
                ))
            };
        }
        let name = match args.name {
            Some(name) => paths::artifact_name(&name)?.to_owned(),
            None => format!("recording-{}", session.next_number()),
        };
        let path = paths::below(&call.artifacts, &format!("{name}.mp4"))?;
        let video = session.stop_recording().await?.ok_or_else(|| {
            Failure::usage("no recording is under way; `record: start` begins one")
        })?;
        let path = paths::write(path, video).await?;
        Ok(Outcome::text(Words::format("Recording {}", &[&path])).wrote(path))
    }
}
