//! Steps for the device itself: rotation, settings, its shell.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::language;
use crate::arguments::Arguments;
use crate::{Call, Failure, FailureKind, FrontEffect, Outcome, StepSyntax, StepValue, Tool, Words};
use runner_device::settings::{Coordinates, Rotation, Setting};
use runner_device::{DeviceError, Script};
use runner_engine::Session;
use runner_screen::{Display, Orientation, Screen};
use std::time::Duration;

/// Which way round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrientationArg {
    /// Higher than wide.
    Portrait,
    /// Wider than high.
    Landscape,
    /// Portrait, upside down.
    ReversePortrait,
    /// Landscape, the other way.
    ReverseLandscape,
    /// As the sensor says.
    Sensor,
}

/// Arguments of `rotate`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateArgs {
    /// Which way round.
    pub to: OrientationArg,
}

impl OrientationArg {
    /// Returns the side that is longer on the turned display. `None` for `sensor`.
    fn orientation(self) -> Option<Orientation> {
        match self {
            Self::Portrait | Self::ReversePortrait => Some(Orientation::Portrait),
            Self::Landscape | Self::ReverseLandscape => Some(Orientation::Landscape),
            Self::Sensor => None,
        }
    }
}

/// Returns the orientation of the display without a rotation, as it is now: its size may have been changed since the
/// session began. A device behind a server, and one that does not tell its display, has that of the session's begin.
///
/// # Errors
///
/// If the device does not answer.
async fn natural_orientation(session: &Session) -> Result<Orientation, Failure> {
    let device = session.device();
    let now = match device.system() {
        Some(_) => None,
        None => session.display_now().await?,
    };
    Ok(match now {
        Some(now) if now.rotation.is_multiple_of(2) => now.orientation(),
        Some(now) => Display {
            width: now.height,
            height: now.width,
            ..now
        }
        .orientation(),
        None => device.info().display.needed()?.orientation(),
    })
}

/// Returns the rotation in quarter turns from the device's natural orientation, `upright`: on a tablet,
/// portrait is 1. `sensor` leaves the rotation to the device.
fn rotation(turn: OrientationArg, upright: Orientation) -> Rotation {
    let quarter = match turn {
        OrientationArg::Sensor => return Rotation::Sensor,
        OrientationArg::Portrait => 0,
        OrientationArg::Landscape => 1,
        OrientationArg::ReversePortrait => 2,
        OrientationArg::ReverseLandscape => 3,
    };
    // A tablet's natural orientation is landscape, so portrait is a quarter turn.
    Rotation::Fixed(match upright {
        Orientation::Portrait => quarter,
        Orientation::Landscape => [1, 0, 3, 2][usize::from(quarter)],
    })
}

#[derive(Debug)]
pub struct Rotate;

impl Tool for Rotate {
    const NAME: &'static str = "rotate";
    const EXAMPLE: &'static str = "- rotate: landscape";
    const SUMMARY: &'static str = "Turns the display; it is put back after the flow.";
    const WRITING: StepSyntax = StepSyntax::Scalar("to");
    type Args = RotateArgs;

    /// Rotates the display and waits until it has turned, for the step's limit but at least 2 s. It is put back when
    /// the attempt ends. A display that does not turn, as when the app in front fixes its orientation, is a failed
    /// assertion. `sensor` is not waited for; it only takes a look.
    async fn call(session: &Session, args: RotateArgs, call: &Call) -> Result<Outcome, Failure> {
        let rotation = rotation(args.to, natural_orientation(session).await?);
        session.change(&[Setting::Rotation(rotation)]).await?;
        // The session knows the display from its last look, which snapshots and gestures rely on.
        let Rotation::Fixed(turns) = rotation else {
            session.look().await?;
            return Ok(Outcome::text("Left the rotation to the sensor"));
        };
        let wanted = args.to.orientation();
        wait_for_rotation(session, (turns, wanted), call.timeout, |_| false).await?;
        Ok(Outcome::text("Rotated"))
    }
}

/// Waits until the display is turned by `turns` quarters and has the `wanted` orientation, if there is one, or until
/// `is_excused` returns true for a screen. `limit` is raised to at least 2 s. Behind a WebDriver server, which chooses the
/// side, the rotation need only be portrait or landscape as wanted. If no screen was read in time, nothing is reported.
///
/// # Errors
///
/// If it did not turn in time, or the device failed.
pub async fn wait_for_rotation(
    session: &Session,
    (turns, wanted): (u8, Option<Orientation>),
    limit: Duration,
    is_excused: impl Fn(&Screen) -> bool + Send + Sync,
) -> Result<(), Failure> {
    // A WebDriver server knows only portrait and landscape, and chooses the side.
    let knows_sides = session.device().system().is_none();
    let is_turned = |screen: &Screen| {
        let display = screen.display();
        let actual = display.rotation;
        // A square has no longer side.
        let is_oriented = !knows_sides
            || display.width == display.height
            || wanted.is_none_or(|wanted| display.orientation() == wanted);
        is_oriented && (actual == turns || !knows_sides && actual % 2 == turns % 2)
    };
    let waited = session
        .wait_until(limit.max(TURN_LIMIT), |screen| {
            (is_turned(screen) || is_excused(screen)).then_some(())
        })
        .await?;
    match (waited.found, waited.screen) {
        (None, Some(screen)) => Err(not_turned(turns, &screen)),
        _ => Ok(()),
    }
}

/// Minimum time for the display to turn, however short the step's limit is. Chosen: apps are recreated by it.
const TURN_LIMIT: Duration = Duration::from_secs(2);
/// Limit of a line that a failed command printed, in characters. Chosen: events hold no more.
const MAX_LINE_CHARS: usize = 2000;

/// Builds the failed assertion for a display that did not turn, with the wanted and the actual rotation.
fn not_turned(turns: u8, screen: &Screen) -> Failure {
    let display = screen.display();
    let (width, height) = (display.width, display.height);
    Failure::assertion(
        "the display did not turn; the app in front may fix its orientation, as may a television",
    )
    .comparing(
        format!("rotation {turns}"),
        format!("rotation {}, {width}x{height} pixels", display.rotation),
    )
}

/// Arguments of `set_device`.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetDeviceArgs {
    /// Dark theme.
    #[serde(default)]
    pub dark: Option<bool>,
    /// Language as a tag, such as `de-DE`.
    #[serde(default)]
    #[schemars(extend("examples" = language::EXAMPLES))]
    pub locale: Option<String>,
    /// Size of text; 1 is normal.
    #[serde(default)]
    #[schemars(range(min = 0.25, max = 5))]
    pub font_scale: Option<f64>,
    /// Airplane mode.
    #[serde(default)]
    pub airplane: Option<bool>,
    /// Location on or off, or where the device is: `{ lat: 52.52, lon: 13.405 }`.
    #[serde(default)]
    pub location: Option<LocationArg>,
}

/// Location: a switch, or a place.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "write true, false, or a place: `{ lat: 52.52, lon: 13.405 }`"
)]
pub enum LocationArg {
    /// On or off.
    Switch(bool),
    /// Where the device is.
    Place(PlaceArg),
}

/// A place on the earth, in degrees.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaceArg {
    /// Latitude, north is positive.
    #[schemars(range(min = -90, max = 90))]
    pub lat: f64,
    /// Longitude, east is positive.
    #[schemars(range(min = -180, max = 180))]
    pub lon: f64,
}

impl LocationArg {
    /// Returns the device settings that bring the location about. A place also switches location on, first.
    ///
    /// # Errors
    ///
    /// If the coordinates are out of range.
    fn settings(self) -> Result<Vec<Setting>, Failure> {
        match self {
            Self::Switch(on) => Ok(vec![Setting::Location(on)]),
            Self::Place(PlaceArg { lat, lon }) => {
                let place = Coordinates::new(lat, lon).ok_or_else(|| {
                    Failure::usage(format!(
                        "`location` is {{ lat: {lat}, lon: {lon} }}; `lat` is between -90 and 90, `lon` between -180 and 180"
                    ))
                })?;
                // Apps do not get the place while location is off.
                Ok(vec![Setting::Location(true), Setting::Place(Some(place))])
            }
        }
    }
}

#[derive(Debug)]
pub struct SetDevice;

impl Tool for SetDevice {
    const NAME: &'static str = "set_device";
    const EXAMPLE: &'static str = "- set_device: { dark: true, locale: de-DE }";
    const SUMMARY: &'static str =
        "Changes settings of the device; they are put back after the flow.";
    const WRITING: StepSyntax = StepSyntax::Map;
    type Args = SetDeviceArgs;

    /// Checks the form of the language; other settings are checked at the call.
    fn check(args: &Arguments) -> Result<(), Failure> {
        match args.get("locale").and_then(serde_json::Value::as_str) {
            Some(locale) => language::check(locale),
            None => Ok(()),
        }
    }

    /// Changes the named settings in a fixed order. They are put back when the attempt ends. If the device refuses one,
    /// the earlier ones are undone. An empty list of changes, and a value out of range, are failures of usage before
    /// any change.
    async fn call(session: &Session, args: SetDeviceArgs, call: &Call) -> Result<Outcome, Failure> {
        let mut settings = Vec::new();
        settings.extend(args.dark.map(Setting::dark));
        settings.extend(args.locale.map(|tag| Setting::Locale {
            tag,
            app: call.app.clone(),
        }));
        if let Some(scale) = args.font_scale {
            if !(0.25..=5.0).contains(&scale) {
                return Err(Failure::usage(Words::format(
                    "`font_scale` is {}; it must be between 0.25 and 5",
                    &[&scale],
                )));
            }
            settings.push(Setting::FontScale((scale * 100.0).round() as u32));
        }
        settings.extend(args.airplane.map(Setting::Airplane));
        if let Some(location) = args.location {
            settings.extend(location.settings()?);
        }
        if settings.is_empty() {
            return Err(Failure::usage(
                "`set_device` changes nothing; name at least one of dark, locale, font_scale, airplane, location",
            ));
        }
        session.change(&settings).await?;
        Ok(Outcome::text(Words::format(
            "Changed {} settings",
            &[&settings.len()],
        )))
    }
}

/// Arguments of `shell`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShellArgs {
    /// The command and its arguments; each is one word for the device's shell.
    #[schemars(length(min = 1))]
    pub argv: Vec<String>,
}

#[derive(Debug)]
pub struct Shell;

impl Tool for Shell {
    const NAME: &'static str = "shell";
    const EXAMPLE: &'static str = "- shell: [ getprop, ro.product.model ]";
    const KEEPS: StepValue = StepValue::new(&[
        ("stdout", "what it printed"),
        ("stderr", "what it printed as errors"),
        ("exit_code", "its exit code"),
    ]);
    const SUMMARY: &'static str =
        "Runs a command on the device, where `runner.yaml` says `allow_shell: true`.";
    const WRITING: StepSyntax = StepSyntax::Scalar("argv");
    const FRONT: FrontEffect = FrontEffect::MayLaunch;
    type Args = ShellArgs;

    /// Runs a command on the device and returns its output as text and exit code. It is a failure of usage if the
    /// project does not allow it or there is no command. A code other than 0 fails the step but keeps the output; an
    /// unknown code passes. A timeout is a failure of the kind `Timeout`, not of the device.
    async fn call(session: &Session, args: ShellArgs, call: &Call) -> Result<Outcome, Failure> {
        if !call.allow_shell {
            return Err(Failure::usage(
                "`shell` is not allowed here; `allow_shell: true` in runner.yaml allows it",
            ));
        }
        if args.argv.first().is_none_or(String::is_empty) {
            return Err(Failure::usage("`shell` needs a command"));
        }
        let script = Script::command(&args.argv);
        let output = match session.device().shell(&script, call.timeout).await {
            // A flow's command may take as long as it likes; its timeout does not mean that the device is lost.
            Err(error @ DeviceError::Timeout { .. }) => {
                return Err(Failure::new(FailureKind::Timeout, error.to_string()));
            }
            output => output?,
        };
        let stdout = output.text().into_owned();
        let value = json!({
            "stdout": stdout,
            "stderr": runner_text::secret::from_outside(&output.stderr),
            "exit_code": output.exit_code,
        });
        let outcome = Outcome::value(stdout, value);
        match output.exit_code {
            Some(0) | None => Ok(outcome),
            Some(code) => Ok(outcome.failed(
                Failure::new(
                    FailureKind::Assertion,
                    Words::format("`{}` ended with exit code {}", &[&script.label(), &code]),
                )
                .with_details(
                    output
                        .message()
                        .first_lines(10)
                        .map(|line| line.excerpt(MAX_LINE_CHARS).to_string()),
                ),
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn landscape_is_a_tablets_upright() {
        for (turn, phone, tablet) in [
            (OrientationArg::Portrait, 0, 1),
            (OrientationArg::Landscape, 1, 0),
            (OrientationArg::ReversePortrait, 2, 3),
            (OrientationArg::ReverseLandscape, 3, 2),
        ] {
            assert_eq!(
                rotation(turn, Orientation::Portrait),
                Rotation::Fixed(phone)
            );
            assert_eq!(
                rotation(turn, Orientation::Landscape),
                Rotation::Fixed(tablet)
            );
        }
    }
}
