//! Commands for settings of the device, media, videos and animations.

use std::time::Duration;

use camino::Utf8Path;

use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::texts::at;
use runner_device::settings::{self, Coordinates, Rotation, Setting};
use runner_device::{Picture, media};
use runner_event::ArtifactKind;
use runner_flow::maestro::{MaestroCommand, RawText, file_name};
use runner_screen::Screen;
use runner_text::input_file::read_regular;
use runner_tools::Failure;
use runner_tools::everyday::wait_for_rotation;

/// Time of `waitForAnimationToEnd` without `timeout`: `ANIMATION_TIMEOUT_MS` of `Maestro.kt`.
const ANIMATION_TIMEOUT: Duration = Duration::from_secs(15);
/// Share by which two pictures may differ and still count as alike: `SCREENSHOT_DIFF_THRESHOLD` of
/// `Maestro.kt`, which is in percent.
const MAX_DIFFERENCE: f64 = 0.000_05;
/// Chosen: virtual time between two pictures, so that an animation moves visibly between them.
const PICTURE_INTERVAL: Duration = Duration::from_millis(100);
/// Places on the way from one point of `travel` to the next: `steps` of `Traveller.kt`.
const PLACES_PER_LEG: u32 = 50;
/// Chosen: limits the wait between two such places at a tiny speed.
const MAX_PLACE_PAUSE: Duration = Duration::from_mins(10);
/// Speed of `travel` in metres a second, without `speed`, from `Orchestra.kt`.
const DEFAULT_SPEED: f64 = 4.0;
/// Chosen: a larger file would fill an emulator's storage and take minutes.
const MAX_MEDIA_BYTES: u64 = 256 * 1024 * 1024;

/// Returns the quarter turns of an orientation's name, in any case and with or without `_` and spaces: 0 for
/// portrait, 1 landscape left, 2 upside down, 3 landscape right. `None` for another name.
fn quarter_turns(name: &str) -> Option<u8> {
    let plain: String = name
        .chars()
        .filter(|c| *c != '_' && *c != ' ')
        .flat_map(char::to_lowercase)
        .collect();
    match plain.as_str() {
        "portrait" => Some(0),
        "landscapeleft" => Some(1),
        "upsidedown" => Some(2),
        "landscaperight" => Some(3),
        _ => None,
    }
}

/// Returns the device's folder for a file, by its extension in any case: pictures, movies or music. `None`
/// for others.
fn media_folder(file: &Utf8Path) -> Option<&'static str> {
    let extension = file.extension()?.to_ascii_lowercase();
    match extension.as_str() {
        "png" | "jpg" | "jpeg" | "gif" | "webp" | "bmp" | "heic" => Some("/sdcard/Pictures"),
        "mp4" | "webm" | "mkv" | "3gp" | "mov" => Some("/sdcard/Movies"),
        "mp3" | "wav" | "ogg" | "m4a" | "flac" => Some("/sdcard/Music"),
        _ => None,
    }
}

impl Interpreter<'_, '_> {
    /// Runs a command about the device: radio, theme and its assertions, orientation, location, media and recordings.
    /// Settings are put back after the attempt. A recording ends by itself after three minutes; one that goes on is not
    /// started again. Other commands do nothing.
    pub(super) async fn system_command(
        &mut self,
        command: &MaestroCommand,
    ) -> Result<StepResult, FailedTry> {
        match command {
            MaestroCommand::SetAirplaneMode(on) => self.set(Setting::Airplane(*on)).await?,
            MaestroCommand::ToggleAirplaneMode => {
                let now = self.setting(&Setting::Airplane(true)).await?;
                self.set(Setting::Airplane(now != Setting::Airplane(true)))
                    .await?;
            }
            MaestroCommand::SetDarkMode(on) => self.set(Setting::dark(*on)).await?,
            MaestroCommand::ToggleDarkMode => {
                let is_dark = self.is_dark().await?;
                self.set(Setting::dark(!is_dark)).await?;
            }
            MaestroCommand::AssertDarkMode => self.assert_dark(true).await?,
            MaestroCommand::AssertLightMode => self.assert_dark(false).await?,
            MaestroCommand::SetOrientation(raw) => {
                let name = self.words(raw).await?;
                let turns = quarter_turns(&name).ok_or_else(|| {
                    let why = format!(
                        "`{name}` is none of PORTRAIT, LANDSCAPE_LEFT, LANDSCAPE_RIGHT and UPSIDE_DOWN"
                    );
                    at(raw, Failure::usage(why))
                })?;
                self.set_orientation(turns).await?;
            }
            MaestroCommand::SetLocation {
                latitude,
                longitude,
            } => {
                let place = (
                    self.degrees(latitude).await?,
                    self.degrees(longitude).await?,
                );
                self.go_to(place).await?;
            }
            MaestroCommand::Travel { points, speed } => self.travel(points, *speed).await?,
            MaestroCommand::AddMedia(files) => {
                for file in files {
                    self.add_media(file).await?;
                }
            }
            MaestroCommand::StartRecording(raw) => {
                let name = self.output_path(raw).await?;
                let session = self.context.session;
                if session.start_recording().await.map_err(Failure::from)? {
                    self.state().recording = Some(name);
                }
            }
            MaestroCommand::StopRecording => return self.stop_recording().await,
            _ => {}
        }
        Ok(StepResult::default())
    }

    async fn set(&mut self, setting: Setting) -> Result<(), FailedTry> {
        let changed = self.context.session.change(&[setting]).await;
        Ok(changed.map_err(Failure::from)?)
    }

    /// Turns the display by `turns` quarters, and waits until it shows that; a failure after 2 s, but none if no screen
    /// could be read. If another app is in front, such as a launcher that stays upright, it does not wait: the flow's
    /// app turns when it comes to the front. Nor does it if the flow names no app.
    async fn set_orientation(&mut self, turns: u8) -> Result<(), FailedTry> {
        self.set(Setting::Rotation(Rotation::Fixed(turns))).await?;
        let Ok(app) = self.app_of(None).await else {
            return Ok(());
        };
        let is_other = |screen: &Screen| screen.front().package() != Some(app.as_str());
        let session = self.context.session;
        wait_for_rotation(session, (turns, None), Duration::ZERO, is_other).await?;
        Ok(())
    }

    async fn setting(&mut self, kind: &Setting) -> Result<Setting, FailedTry> {
        let current = settings::current(self.context.session.device(), kind).await;
        Ok(current.map_err(Failure::from)?)
    }

    async fn is_dark(&mut self) -> Result<bool, FailedTry> {
        Ok(self.setting(&Setting::dark(true)).await? == Setting::dark(true))
    }

    /// Fails unless the device's theme is the wanted one now. Does not wait for it.
    async fn assert_dark(&mut self, wanted: bool) -> Result<(), FailedTry> {
        let name = |dark| if dark { "dark" } else { "light" };
        let is_dark = self.is_dark().await?;
        if is_dark == wanted {
            return Ok(());
        }
        let failure = Failure::assertion("the device has the other theme");
        Err(failure.comparing(name(wanted), name(is_dark)).into())
    }

    /// Evaluates and parses a number of degrees from -180 to 180. Any other text is a failure at its place.
    async fn degrees(&mut self, raw: &RawText) -> Result<f64, FailedTry> {
        let text = self.words(raw).await?;
        let degrees = text.trim().parse::<f64>().ok();
        degrees
            .filter(|degrees| degrees.abs() <= 180.0)
            .ok_or_else(|| {
                let why = format!("`{text}` is not a number of degrees, such as 52.37");
                at(raw, Failure::usage(why))
            })
    }

    /// Sets the device's location until the attempt ends. A latitude beyond 90° is a failure of usage.
    async fn go_to(&mut self, (latitude, longitude): (f64, f64)) -> Result<(), FailedTry> {
        let place = Coordinates::new(latitude, longitude).ok_or_else(|| {
            let why = format!("there is no place at {latitude}, {longitude}");
            Failure::usage(why)
        })?;
        self.set(Setting::Place(Some(place))).await
    }

    /// Moves the device's location from point to point, in [`PLACES_PER_LEG`] steps a leg with pauses for the speed in
    /// metres a second; 4 without a speed above 0. A pause is never longer than [`MAX_PLACE_PAUSE`], so a slow journey
    /// goes faster. Without points it does nothing.
    async fn travel(&mut self, points: &[(f64, f64)], speed: Option<f64>) -> Result<(), FailedTry> {
        let Some(first) = points.first() else {
            return Ok(());
        };
        self.go_to(*first).await?;
        let speed = speed.filter(|speed| *speed > 0.0).unwrap_or(DEFAULT_SPEED);
        for way in points.windows(2) {
            let &[from, to] = way else { continue };
            let seconds = metres(from, to) / speed;
            let pause = Duration::try_from_secs_f64(seconds / f64::from(PLACES_PER_LEG));
            let pause = pause.unwrap_or(MAX_PLACE_PAUSE).min(MAX_PLACE_PAUSE);
            for place in 1..=PLACES_PER_LEG {
                let part = f64::from(place) / f64::from(PLACES_PER_LEG);
                let between = |from: f64, to: f64| from + (to - from) * part;
                self.go_to((between(from.0, to.0), between(from.1, to.1)))
                    .await?;
                let session = self.context.session;
                session.pause(pause).await.map_err(Failure::from)?;
            }
        }
        Ok(())
    }

    /// Copies a file of the project into the device's folder for its kind and tells Android's media store of it. A file
    /// of the same name there is replaced. A file of another kind, one that cannot be read, or one of more than 256 MiB
    /// is a failure of usage.
    async fn add_media(&mut self, file: &Utf8Path) -> Result<(), FailedTry> {
        let wrong = |why: &str| Failure::usage(format!("{file} {why}"));
        let folder = media_folder(file).ok_or_else(|| {
            wrong("is not a picture, video or sound by its name, such as a.png or a.mp4")
        })?;
        let bytes = read_regular(file, MAX_MEDIA_BYTES)
            .map_err(|error| wrong(&error.problem.to_string()))?;
        let remote = format!("{folder}/{}", file.file_name().unwrap_or("media"));
        let device = self.context.session.device();
        device
            .push(&bytes, &remote, 0o644)
            .await
            .map_err(Failure::from)?;
        let scanned = media::scan(device, &remote).await;
        scanned.map_err(Failure::from)?;
        Ok(())
    }

    /// Stops the recording that `startRecording` began and keeps its video. Without a recording, or a video from the
    /// device, it keeps nothing and passes. After an error the recording is lost.
    async fn stop_recording(&mut self) -> Result<StepResult, FailedTry> {
        let Some(name) = self.state().recording.take() else {
            return Ok(StepResult::default());
        };
        let video = self.context.session.stop_recording().await;
        let Some(video) = video.map_err(Failure::from)? else {
            return Ok(StepResult::default());
        };
        let name = format!("{}.mp4", file_name(&name));
        let written = self
            .context
            .folder
            .write(ArtifactKind::Video, &name, &video);
        let artifact = written.map_err(|error| {
            Failure::infrastructure(format!("{name} could not be kept: {error}"))
        })?;
        Ok(StepResult {
            artifacts: vec![artifact],
            ..StepResult::default()
        })
    }

    /// Waits until two pictures in a row are alike (0.005 % difference), for 15 s or `timeout` milliseconds. A screen
    /// that never rests is no failure; one without a picture is. Pictures are taken at least 0.1 s apart; at least one
    /// is taken.
    pub(super) async fn wait_for_animation(
        &mut self,
        timeout: Option<&RawText>,
    ) -> Result<StepResult, FailedTry> {
        let limit = self.time(timeout).await?.unwrap_or(ANIMATION_TIMEOUT);
        let session = self.context.session;
        session.begin_step(limit);
        let began = session.clock().now();
        let mut before: Option<Picture> = None;
        loop {
            let picture = session.picture().await.map_err(Failure::from)?;
            if let Some(before) = &before
                && super::picture::difference(before, &picture)? <= MAX_DIFFERENCE
            {
                return Ok(StepResult::default());
            }
            before = Some(picture);
            if session.clock().since(began) >= limit {
                return Ok(StepResult::default());
            }
            session
                .pause(PICTURE_INTERVAL)
                .await
                .map_err(Failure::from)?;
        }
    }
}

/// Returns the distance between two places on the earth in metres (haversine). Angles are in degrees.
fn metres((north, east): (f64, f64), (to_north, to_east): (f64, f64)) -> f64 {
    // Mean radius of the earth in metres.
    const RADIUS: f64 = 6_371_000.0;
    let half = |a: f64, b: f64| ((b - a).to_radians() / 2.0).sin().powi(2);
    let chord = half(north, to_north)
        + north.to_radians().cos() * to_north.to_radians().cos() * half(east, to_east);
    2.0 * RADIUS * chord.sqrt().asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orientations_are_read_however_they_are_spelt() {
        for (name, turns) in [
            ("PORTRAIT", Some(0)),
            ("landscapeLeft", Some(1)),
            ("LANDSCAPE_RIGHT", Some(3)),
            ("upside_down", Some(2)),
            ("sideways", None),
        ] {
            assert_eq!(quarter_turns(name), turns, "{name}");
        }
    }

    #[test]
    fn media_go_where_apps_look_for_them() {
        for (file, folder) in [
            ("/a/b.PNG", Some("/sdcard/Pictures")),
            ("c.mp4", Some("/sdcard/Movies")),
            ("d.txt", None),
            ("e", None),
        ] {
            assert_eq!(media_folder(Utf8Path::new(file)), folder, "{file}");
        }
    }

    #[test]
    fn ways_are_measured_on_the_earth() {
        let way = metres((52.52, 13.405), (48.137, 11.575));
        assert!((500_000.0..510_000.0).contains(&way), "{way}");
        assert!(metres((1.0, 2.0), (1.0, 2.0)).abs() < 1e-6);
    }
}
