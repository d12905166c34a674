//! `takeScreenshot`, `assertScreenshot`, and the comparison of two pictures.

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use image::RgbaImage;

use super::super::baseline::read_picture;
use super::super::evaluate::picture_work;
use super::super::step_result::{FailedTry, StepResult};
use super::Interpreter;
use super::find::USUAL;
use super::texts::{at, finite_number};
use runner_device::Picture;
use runner_engine::CaptureOptions;
use runner_event::{Artifact, ArtifactKind};
use runner_flow::maestro::{self, RawText, file_name};
use runner_screen::Rect;
use runner_snapshot::picture::{Compression, crop, encode};
use runner_tools::Failure;

/// Percent of pixels that must be alike, without `thresholdPercentage`: `DEFAULT_DIFF_THRESHOLD` of
/// `YamlAssertScreenshot.kt`.
const THRESHOLD: f64 = 95.0;
/// Distance up to which two colours are alike, as a share of that between black and white:
/// `DEFAULT_PIXEL_TOLERANCE` of `ScreenshotMatch.kt`.
const TOLERANCE: f64 = 0.1;

/// Returns the mean difference of the colour channels, 0 for equal pictures to 1; transparency does not
/// count. Pictures of different sizes differ by 1. An undecodable picture is an error, unless both are the
/// same file.
pub(super) fn difference(one: &Picture, other: &Picture) -> Result<f64, Failure> {
    if one.is_same_file(other) {
        return Ok(0.0);
    }
    let (one, other) = (one.clone(), other.clone());
    let work = move || -> Result<f64, Failure> {
        let (one, other) = (one.pixels()?, other.pixels()?);
        if one.dimensions() != other.dimensions() {
            return Ok(1.0);
        }
        let apart = |(a, b): (&image::Rgba<u8>, &image::Rgba<u8>)| {
            let channels = a.0.iter().zip(b.0).take(3);
            channels.map(|(a, b)| u64::from(a.abs_diff(b))).sum::<u64>()
        };
        let sum: u64 = one.pixels().zip(other.pixels()).map(apart).sum();
        let most = u64::from(one.width()) * u64::from(one.height()) * 3 * 255;
        Ok(sum as f64 / most.max(1) as f64)
    };
    picture_work(work)
}

/// Returns the percent of pixels that are alike: those whose colours are at most 10 % apart. Both pictures
/// must have the same size. 100 for empty ones.
fn similarity(expected: &RgbaImage, actual: &RgbaImage) -> f64 {
    let most = TOLERANCE * TOLERANCE * 255.0 * 255.0 * 3.0;
    let is_other = |(a, b): &(&image::Rgba<u8>, &image::Rgba<u8>)| {
        let channels = a.0.iter().zip(b.0).take(3);
        let apart: u32 = channels.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum();
        f64::from(apart) > most
    };
    let others = expected.pixels().zip(actual.pixels()).filter(is_other);
    let all = f64::from(expected.width()) * f64::from(expected.height());
    if all > 0.0 {
        100.0 - others.count() as f64 / all * 100.0
    } else {
        100.0
    }
}

impl Interpreter<'_, '_> {
    /// Takes a picture of the screen, once it rests or after ten looks, with password fields painted over. Waits for
    /// the element as [`Self::find`] does, and fails without it. That the device gives no picture is its fault. With an
    /// element the picture is cut to its bounds.
    async fn still_picture(
        &mut self,
        crop_on: Option<&maestro::RawSelector>,
        optional: bool,
    ) -> Result<Picture, FailedTry> {
        self.wait_for_idle().await?;
        let part = match crop_on {
            Some(selector) => Some(self.find(selector, optional).await?.place()?),
            None => None,
        };
        let session = self.context.session;
        session.begin_step(USUAL);
        let options = CaptureOptions {
            limit: Duration::ZERO,
            picture: true,
        };
        let capture = session.capture(options).await.map_err(Failure::from)?;
        let still = picture_work(|| -> Result<Picture, Failure> {
            let picture = capture
                .storable_picture()?
                .ok_or_else(|| Failure::device("the device gave no picture"))?;
            match part {
                Some(part) => cut_out(&picture, part),
                None => Ok(picture),
            }
        });
        Ok(still?)
    }

    /// Writes a picture into the attempt's folder, under a name that may get a number. A failure is one of the
    /// infrastructure.
    fn keep_picture(&self, name: &str, png: &[u8]) -> Result<Artifact, Failure> {
        let written = self
            .context
            .folder
            .write(ArtifactKind::Screenshot, name, png);
        written
            .map_err(|error| Failure::infrastructure(format!("{name} could not be kept: {error}")))
    }

    /// Returns the path of a picture or video with its scripts evaluated. A failure of usage if it names no
    /// file, as it is empty or ends with a separator, `.` or `..`, or if it holds a secret.
    pub(super) async fn output_path(&mut self, raw: &RawText) -> Result<String, FailedTry> {
        let path = self.words(raw).await?;
        let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
        if ["", ".", ".."].contains(&last.trim()) {
            let why = format!("the path `{path}` names no file; write one such as `home`");
            return Err(at(raw, Failure::usage(why)));
        }
        self.refuse_secret_name(raw, &path)?;
        Ok(path)
    }

    /// Refuses a path of a flow that holds a secret, and one whose file would have a secret in its name.
    fn refuse_secret_name(&self, raw: &RawText, path: &str) -> Result<(), FailedTry> {
        let folder = &self.context.folder;
        let written = file_name(path);
        [path, written.as_str()]
            .into_iter()
            .try_for_each(|name| folder.refuse_secret_name(Utf8Path::new(name)))
            .map_err(|refused| at(raw, refused))
    }

    /// Takes a picture of the screen at rest, or of one element, and keeps it under the last part of `path` with `.png`
    /// added. A later `assertScreenshot` of this name compares with the newest, unless the flow's folder has a file of
    /// the name.
    pub(super) async fn take_screenshot(
        &mut self,
        path: &RawText,
        crop_on: Option<&maestro::RawSelector>,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        let name = self.output_path(path).await?;
        let picture = self.still_picture(crop_on, optional).await?;
        let name = format!("{}.png", file_name(&name));
        let artifact = self.keep_picture(&name, picture.png())?;
        if let Some(stored) = artifact.path.file_name() {
            self.state().pictures.insert(name, stored.to_owned());
        }
        Ok(StepResult {
            artifacts: vec![artifact],
            ..StepResult::default()
        })
    }

    /// Compares the screen, or one element, with a picture file. The threshold is the least share of like pixels in
    /// percent, 95 by default; a text that is no number is a failure of usage, and so is a path that holds a secret. A
    /// picture of another size, or below the threshold, fails and is kept; one of the same size with a picture of the
    /// differences. The file must exist before any picture is taken.
    pub(super) async fn assert_screenshot(
        &mut self,
        path: &RawText,
        threshold: Option<&RawText>,
        crop_on: Option<&maestro::RawSelector>,
        optional: bool,
    ) -> Result<StepResult, FailedTry> {
        let least = match threshold {
            Some(raw) => {
                let text = self.words(raw).await?;
                finite_number(&text).ok_or_else(|| {
                    let why = format!("the threshold `{text}` is not a number of percent");
                    at(raw, Failure::usage(why))
                })?
            }
            None => THRESHOLD,
        };
        let name = self.words(path).await?;
        self.refuse_secret_name(path, &name)?;
        let file = self.baseline(path, &name)?;
        let expected = read_picture(&file).map_err(|failure| at(path, failure))?;
        let picture = self.still_picture(crop_on, optional).await?;
        let compared = picture_work(|| -> Result<_, Failure> {
            let (expected, actual) = (expected.pixels()?, picture.pixels()?);
            let sizes = (expected.dimensions(), actual.dimensions());
            if sizes.0 != sizes.1 {
                return Ok((sizes, 0.0, None));
            }
            let percent = similarity(&expected, &actual);
            let drawn = (percent < least).then(|| difference_of(&expected, &actual));
            Ok((sizes, percent, drawn.flatten()))
        });
        let (((wide, high), (width, height)), percent, drawn) = compared?;
        let failure = if (wide, high) != (width, height) {
            Failure::assertion(format!("the screen has another size than {file}"))
                .comparing(format!("{wide} × {high}"), format!("{width} × {height}"))
        } else if percent < least {
            Failure::assertion(format!(
                "the screen is not as {file}: {percent:.2} % of the pixels are alike"
            ))
            .comparing(format!("at least {least} %"), format!("{percent:.2} %"))
        } else {
            return Ok(StepResult::default());
        };
        let folder = &self.context.folder;
        let base = folder.unused_name(&file_name(&name), "actual.png");
        let actual = self.keep_picture(&format!("{base}.actual.png"), picture.png())?;
        let help = format!("if the screen is right, copy {} over {file}", actual.path);
        let mut artifacts = vec![actual];
        if let Some(drawn) = drawn {
            artifacts.push(self.keep_picture(&format!("{base}.difference.png"), &drawn)?);
        }
        Err(FailedTry {
            failure: failure.with_details([help]),
            artifacts,
            at: None,
        })
    }

    /// Returns the file of a baseline with links resolved: the first that exists in the flow's folder, among
    /// the attempt's pictures of earlier `takeScreenshot` commands (the newest of that name), or below the
    /// root. A file that is neither in the project nor among the artifacts is passed over. The failure tells
    /// why there is none and where it was looked for.
    fn baseline(&mut self, raw: &RawText, name: &str) -> Result<Utf8PathBuf, FailedTry> {
        let root = &self.context.settings.config.root;
        let [beside, below_root] = places_of_baseline(root, raw, name);
        let name_of_file = format!("{}.png", file_name(name));
        let newest = self.state().pictures.get(&name_of_file).cloned();
        let folder = self.context.folder.path();
        let retained = folder.join(newest.unwrap_or(name_of_file));
        let places = [beside, retained, below_root];
        let artifacts = &self.context.settings.config.artifacts.value;
        // Either may be named by a link.
        let [real_root, real_artifacts] = [root, artifacts].map(|folder| {
            folder
                .canonicalize_utf8()
                .unwrap_or_else(|_| folder.clone())
        });
        let mut is_outside = false;
        for place in &places {
            let Ok(real) = place.canonicalize_utf8() else {
                continue;
            };
            if real.starts_with(&real_root) || real.starts_with(&real_artifacts) {
                return Ok(real);
            }
            is_outside = true;
        }
        let message = if is_outside {
            format!("{name} is outside the project")
        } else if let Some(link) = places.iter().find(|place| place.is_symlink()) {
            format!("{link} is a link that leads nowhere")
        } else {
            let name = with_extension(name);
            format!("there is no picture {name} to compare the screen with")
        };
        let looked = places.map(|place| format!("looked for {place}"));
        Err(at(raw, Failure::usage(message).with_details(looked)))
    }
}

/// Returns the message for a `takeScreenshot` that is to be compared with a golden, and whose path has an expression.
pub(super) fn unnamed_golden(path: &RawText) -> String {
    format!(
        "`{}` names no golden, as it has an expression: write the name out, or leave `maestro.screenshots` of runner.yaml at `artifacts`",
        path.text
    )
}

/// Adds `.png` to a name without an extension.
fn with_extension(name: &str) -> Utf8PathBuf {
    match Utf8Path::new(name).extension() {
        Some(_) => Utf8PathBuf::from(name),
        None => Utf8PathBuf::from(format!("{name}.png")),
    }
}

/// Returns the places of a baseline in the project: the folder of the flow that names it, and the root.
pub(super) fn places_of_baseline(root: &Utf8Path, raw: &RawText, name: &str) -> [Utf8PathBuf; 2] {
    let name = with_extension(name);
    let folder = raw.source.path.parent().unwrap_or(Utf8Path::new(""));
    [root.join(folder).join(&name), root.join(&name)]
}

/// Cuts the part of an element out of a picture. What lies outside the picture is left out; a failure if nothing is
/// left.
fn cut_out(picture: &Picture, part: Rect) -> Result<Picture, Failure> {
    let pixels = picture.pixels()?;
    let whole = Rect::new(0, 0, pixels.width() as i32, pixels.height() as i32);
    let part = part
        .intersection(&whole)
        .ok_or_else(|| Failure::assertion("the element has no part on the screen"))?;
    let cut = crop(&pixels, part)
        .ok_or_else(|| Failure::assertion("the element has no part on the screen"))?;
    Ok(Picture::from_png(encode(&cut, Compression::Fast)?))
}

/// Draws the actual picture with pixels that differ (by the same measure as [`similarity`]) in red, all
/// others pale, as PNG. Both must have the same size. `None` if it cannot be encoded.
fn difference_of(expected: &RgbaImage, actual: &RgbaImage) -> Option<Vec<u8>> {
    let most = TOLERANCE * TOLERANCE * 255.0 * 255.0 * 3.0;
    let mut drawn = actual.clone();
    for (pixel, wanted) in drawn.pixels_mut().zip(expected.pixels()) {
        let channels = pixel.0.iter().zip(wanted.0).take(3);
        let apart: u32 = channels.map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum();
        if f64::from(apart) > most {
            pixel.0 = [255, 0, 0, 255];
        } else {
            let pale = |value: u8| 255 - (255 - value) / 4;
            pixel.0 = [pale(pixel.0[0]), pale(pixel.0[1]), pale(pixel.0[2]), 255];
        }
    }
    encode(&drawn, Compression::Fast).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_that_are_near_are_alike() {
        let plain =
            |value: u8| RgbaImage::from_pixel(10, 10, image::Rgba([value, value, value, 255]));
        let mut spotted = plain(100);
        spotted.put_pixel(0, 0, image::Rgba([255, 0, 0, 255]));
        let percent = |a: &RgbaImage, b: &RgbaImage| similarity(a, b).round() as u32;
        assert_eq!(percent(&plain(100), &plain(100)), 100);
        assert_eq!(percent(&plain(100), &plain(125)), 100);
        assert_eq!(percent(&plain(100), &plain(126)), 0);
        assert_eq!(percent(&plain(100), &spotted), 99);
        assert_eq!(
            similarity(&RgbaImage::new(0, 0), &RgbaImage::new(0, 0)).round() as u32,
            100
        );
    }
}
