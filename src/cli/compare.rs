//! `runner compare`: compares two picture files by the rules of snapshots, without a project.

use std::str::FromStr;

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use serde::Serialize;

use super::error::CliError;
use super::output;
use crate::context::Context;
use crate::exit_code::ExitCode;
use crate::files::real_path;
use runner_base::output_file::{Form, OutputFile};
use runner_picture::{
    Comparison, Compression, Frame, Picture, PixelMask, Rect, compare, difference, encode,
};
use runner_text::input_file::{MAX_PICTURE, read_named};

/// Changed places printed for people; the rest is counted. Chosen: they fit on a terminal's screen.
const MAX_PLACES: usize = 10;

#[derive(Debug, Args)]
pub struct CompareArguments {
    /// The picture that is expected, a PNG
    #[arg(value_name = "EXPECTED")]
    expected: Utf8PathBuf,
    /// The picture that is compared with it, a PNG
    #[arg(value_name = "ACTUAL")]
    actual: Utf8PathBuf,
    /// Where they differ, write a picture of the difference (PNG)
    #[arg(long, value_name = "FILE")]
    diff: Option<Utf8PathBuf>,
    /// Leave out a rectangle, in pixels; may be given several times
    #[arg(long = "mask", value_name = "LEFT,TOP,RIGHT,BOTTOM")]
    masks: Vec<Area>,
    /// Pixels that the largest change may have
    #[arg(long, value_name = "N", default_value_t = 0)]
    cluster: u64,
    /// Pixels that all smaller changes may have together
    #[arg(long, value_name = "N", default_value_t = 0)]
    specks: u64,
    /// Print a JSON object
    #[arg(long)]
    json: bool,
}

/// A rectangle as `--mask` takes it: LEFT,TOP,RIGHT,BOTTOM.
#[derive(Debug, Clone, Copy)]
struct Area(Rect);

impl FromStr for Area {
    type Err = CliError;

    /// Parses left, top, right and bottom of a rectangle in pixels, separated by commas, with or without spaces.
    /// Sides may be negative. An error if it is empty or turned around, and for more or fewer numbers.
    fn from_str(text: &str) -> Result<Self, CliError> {
        let sides: Result<Vec<i32>, _> = text.split(',').map(|side| side.trim().parse()).collect();
        match sides.as_deref() {
            Ok(&[left, top, right, bottom]) if left < right && top < bottom => {
                Ok(Self(Rect::new(left, top, right, bottom)))
            }
            _ => Err(CliError::Usage(
                "write four numbers of pixels, left before right and top before bottom: 0,0,1080,63"
                    .to_owned(),
            )),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum ComparisonVerdict {
    /// No pixel changed; those that differ by smoothing or faintly do not count.
    Same,
    /// Changes within `--cluster` and `--specks`.
    Tolerated,
    /// Changes beyond what is allowed.
    Differs,
    OtherSize,
}

impl ComparisonVerdict {
    fn is_alike(self) -> bool {
        matches!(self, Self::Same | Self::Tolerated)
    }
}

/// Output of `--json`.
#[derive(Debug, Serialize)]
struct ComparisonReport {
    verdict: ComparisonVerdict,
    /// Pixels that changed.
    changed: u64,
    /// Pixels that differ by smoothing alone; they do not count.
    smoothed: u64,
    /// Pixels that differ less than the eye sees; they do not count.
    faint: u64,
    /// Pixels that were compared.
    compared: u64,
    /// Width and height of both pictures.
    sizes: [(u32, u32); 2],
    /// Regions of changed pixels, largest first.
    places: Vec<ChangedPlace>,
}

#[derive(Debug, Serialize)]
struct ChangedPlace {
    left: i32,
    top: i32,
    right: i32,
    bottom: i32,
    pixels: u64,
}

/// Compares two pictures and prints the result. The exit code is 1 if they differ, also in size; changes that the
/// options tolerate do not count. The picture of `--diff` is written only if they differ; an earlier one stays
/// otherwise, but missing folders are always created. An error if a file is no PNG, or the place of `--diff` would be
/// lost, as that of a picture that is compared.
pub fn run(arguments: &CompareArguments, context: &Context) -> Result<ExitCode, CliError> {
    must_be_another(arguments, &context.working_folder)?;
    let output = arguments.diff.as_ref();
    let output = output
        .map(|path| OutputFile::new(&context.working_folder, path, Form::Picture, "--diff"))
        .transpose()?;
    let [expected, actual] = read_both(arguments, context)?;
    let areas: Vec<Rect> = arguments.masks.iter().map(|area| area.0).collect();
    let mask = PixelMask::new(actual.width(), actual.height(), &areas);
    let comparison = if expected.dimensions() == actual.dimensions() {
        compare(&expected, &actual, &mask)
    } else {
        Comparison::default()
    };
    let report = report(arguments, &comparison, [&expected, &actual]);
    if let Some(output) = output.filter(|_| !report.verdict.is_alike()) {
        let changed: Vec<Rect> = comparison.clusters.iter().map(|it| it.bounds).collect();
        let drawn = difference(&expected, &actual, &mask, &changed, &[]);
        let png = encode(&drawn, Compression::Fast).map_err(failed)?;
        output.write(&png)?;
    }
    if arguments.json {
        let json = serde_json::to_string(&report).map_err(failed)?;
        output::line(&json);
    } else {
        print(&report);
    }
    Ok(if report.verdict.is_alike() {
        ExitCode::Passed
    } else {
        ExitCode::Failed
    })
}

/// Returns an error if the picture of `--diff` would be written over one that is compared, links followed.
fn must_be_another(arguments: &CompareArguments, folder: &Utf8Path) -> Result<(), CliError> {
    let Some(diff) = &arguments.diff else {
        return Ok(());
    };
    let place = real_path(&folder.join(diff));
    let compared = [&arguments.expected, &arguments.actual];
    if compared
        .iter()
        .any(|path| real_path(&folder.join(path)) == place)
    {
        return Err(CliError::Usage(format!(
            "{diff} is compared itself: give --diff another path"
        )));
    }
    Ok(())
}

fn failed(error: impl ToString) -> CliError {
    CliError::Failed(error.to_string())
}

/// Reads both PNG files and decodes them; the error names the file that does not read, the first of both.
fn read_both(
    arguments: &CompareArguments,
    context: &Context,
) -> Result<[std::sync::Arc<Frame>; 2], CliError> {
    let read = |path: &Utf8Path| {
        let bytes = read_named(context.working_folder.join(path), MAX_PICTURE)?;
        Ok::<_, CliError>(Picture::from_png(bytes))
    };
    let (expected, actual) = (read(&arguments.expected)?, read(&arguments.actual)?);
    let [one, other] = Picture::pixels_of_both(&expected, &actual);
    let pixels = |path: &Utf8Path, pixels: Result<_, runner_picture::PictureError>| {
        pixels.map_err(|error| CliError::Usage(format!("{path} is no PNG that reads: {error}")))
    };
    Ok([
        pixels(&arguments.expected, one)?,
        pixels(&arguments.actual, other)?,
    ])
}

/// Judges the comparison by the options and lists the changed places. Pictures of different sizes never pass. The
/// places are in the comparison's order, also those tolerated.
fn report(
    arguments: &CompareArguments,
    comparison: &Comparison,
    pictures: [&Frame; 2],
) -> ComparisonReport {
    let sizes = pictures.map(|picture| picture.dimensions());
    let is_allowed =
        comparison.largest() <= arguments.cluster && comparison.specks() <= arguments.specks;
    let verdict = match comparison.changed {
        _ if sizes[0] != sizes[1] => ComparisonVerdict::OtherSize,
        0 => ComparisonVerdict::Same,
        _ if is_allowed => ComparisonVerdict::Tolerated,
        _ => ComparisonVerdict::Differs,
    };
    let place = |cluster: &runner_picture::Cluster| ChangedPlace {
        left: cluster.bounds.left,
        top: cluster.bounds.top,
        right: cluster.bounds.right,
        bottom: cluster.bounds.bottom,
        pixels: cluster.pixels,
    };
    ComparisonReport {
        verdict,
        changed: comparison.changed,
        smoothed: comparison.smoothed,
        faint: comparison.faint,
        compared: comparison.compared,
        sizes,
        places: comparison.clusters.iter().map(place).collect(),
    }
}

/// Prints to standard output the verdict, at most `MAX_PLACES` of the changed places with the number of the others,
/// and the smoothed pixels if there are some. Pictures of other sizes have no places.
fn print(report: &ComparisonReport) {
    let [(width, height), (other_width, other_height)] = report.sizes;
    match report.verdict {
        ComparisonVerdict::OtherSize => output::line(&format!(
            "the sizes differ: {width} × {height} and {other_width} × {other_height} pixels"
        )),
        ComparisonVerdict::Same => output::line("no pixel changed"),
        ComparisonVerdict::Tolerated | ComparisonVerdict::Differs => {
            let allowed = match report.verdict {
                ComparisonVerdict::Tolerated => ", no more than is allowed",
                _ => "",
            };
            output::line(&format!(
                "{} of {} pixels changed{allowed}",
                report.changed, report.compared
            ));
            for place in report.places.iter().take(MAX_PLACES) {
                let ChangedPlace {
                    left,
                    top,
                    right,
                    bottom,
                    pixels,
                } = place;
                output::line(&format!("  {left},{top},{right},{bottom}  {pixels} pixels"));
            }
            let more = report.places.len().saturating_sub(MAX_PLACES);
            if more > 0 {
                output::line(&format!("  and {more} smaller places"));
            }
        }
    }
    if report.smoothed > 0 {
        output::line(&format!(
            "{} pixels differ by smoothing alone, which does not count",
            report.smoothed
        ));
    }
}
