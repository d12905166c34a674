//! Comparing what was seen with a golden: the verdict, and what changed in words and in pictures.

use std::sync::Arc;

use image::{RgbImage, RgbaImage};

use super::SnapshotError;
use super::cause::{Cause, ChangeKind};
use super::golden::Golden;
use super::options::Tolerance;
use super::picture::{self, Comparison, PixelMask};
use super::row::Row;
use super::rows_diff::{self, Change, RowChange};
use super::subject::{Subject, Taken, name_of_place};
use super::tsv::{self, Metadata, Table};
use crate::screen::Rect;

/// Masks over more of the screen than this are an error, in percent.
const MASK_LIMIT_PERCENT: u64 = 40;

/// So many places are named in lines; the rest is counted.
const PLACE_LINES: usize = 10;

/// What holds for all snapshots of a run, unless the step says otherwise.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// A golden without picture of this class fails.
    pub strict_pixels: bool,
    /// How many changed pixels still pass.
    pub tolerance: Tolerance,
}

/// What came of a check. "Unstable" is the taking loop's to say, "written" the update's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Equal, or within the tolerance.
    Passed,
    /// There is no golden; with strict pixels also: no picture of this class.
    New,
    /// Rows, bounds or picture differ.
    Differs,
    /// The step's masks are not those the golden was taken with.
    MaskChanged,
    /// The masks cover so many percent of the screen that hardly anything is compared.
    MaskTooLarge(u64),
}

impl Verdict {
    /// As the event stream has it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::New => "new",
            Self::Differs => "differs",
            Self::MaskChanged => "mask_changed",
            Self::MaskTooLarge(_) => "mask_too_large",
        }
    }
}

/// What came of the two pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureVerdict {
    /// No pixel changed.
    Equal,
    /// Changed pixels, as many as are allowed.
    Tolerated,
    /// More changed pixels than allowed.
    Differs,
    /// Mostly another screen.
    Replaced,
    /// Another size.
    OtherSize,
}

/// Both pictures and what comparing them came to.
#[derive(Debug, Clone)]
pub struct PictureCheck {
    /// The verdict.
    pub verdict: PictureVerdict,
    /// Counts and clusters.
    pub comparison: Comparison,
    /// The limits it was judged by.
    pub tolerance: Tolerance,
    /// The golden's pixels.
    pub golden: Arc<RgbaImage>,
    /// The pixels seen.
    pub actual: Arc<RgbaImage>,
    /// What was compared.
    pub mask: PixelMask,
}

/// Likeness of two pictures for a report; no verdict rests on it.
#[derive(Debug, Clone)]
pub struct Similarity {
    /// From 0 (nothing in common) to 1 (equal).
    pub score: f64,
    /// Where they are unlike.
    pub map: RgbImage,
}

impl PictureCheck {
    /// Whether the pictures alone would pass.
    pub fn passed(&self) -> bool {
        matches!(
            self.verdict,
            PictureVerdict::Equal | PictureVerdict::Tolerated
        )
    }

    /// The picture of the difference.
    pub fn difference(&self) -> RgbaImage {
        let clusters: Vec<Rect> = self
            .comparison
            .clusters
            .iter()
            .map(|cluster| cluster.bounds)
            .collect();
        picture::difference(&self.golden, &self.actual, &self.mask, &clusters)
    }

    /// Similarity outside the masks; slow, and only for pictures of the same size.
    pub fn similarity(&self) -> Option<Similarity> {
        let rgb = |image: &RgbaImage| {
            image::DynamicImage::ImageRgba8(picture::paint_masks(image, &self.mask)).into_rgb8()
        };
        let found =
            image_compare::rgb_hybrid_compare(&rgb(&self.golden), &rgb(&self.actual)).ok()?;
        Some(Similarity {
            score: found.score,
            map: found.image.to_color_map().into_rgb8(),
        })
    }

    /// The counts against the limits; said whether it passed or not.
    fn counts(&self) -> String {
        let Comparison {
            changed,
            smoothed,
            faint,
            compared,
            ..
        } = self.comparison;
        let Tolerance { cluster, specks } = self.tolerance;
        match self.verdict {
            PictureVerdict::OtherSize => format!(
                "picture: {}x{} px instead of {}x{} px",
                self.actual.width(),
                self.actual.height(),
                self.golden.width(),
                self.golden.height()
            ),
            PictureVerdict::Replaced => {
                format!("picture: replaced, {changed} of {compared} px changed")
            }
            _ => format!(
                "picture: largest change {} px (limit {cluster}), other changes {} px (limit {specks}); \
                 left out: {smoothed} px of smoothing, {faint} px too faint",
                self.comparison.largest(),
                self.comparison.specks()
            ),
        }
    }

    /// `rows` name the places.
    fn lines<'a>(&self, rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone)) -> Vec<String> {
        let mut lines = Vec::new();
        if !matches!(
            self.verdict,
            PictureVerdict::OtherSize | PictureVerdict::Replaced
        ) {
            let places = self.places(rows);
            lines.extend(places.iter().take(PLACE_LINES).map(ToString::to_string));
            if places.len() > PLACE_LINES {
                lines.push(format!("and {} smaller places", places.len() - PLACE_LINES));
            }
        }
        lines.push(self.counts());
        lines
    }

    /// The changed places: clusters in the same element are one, for a changed word is many letters.
    fn places<'a>(&self, rows: &(impl Iterator<Item = (usize, &'a Row)> + Clone)) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for cluster in &self.comparison.clusters {
            let name = name_of_place(cluster.bounds, rows);
            let known = places
                .iter_mut()
                .find(|place| name.is_some() && place.name == name);
            if let Some(place) = known {
                place.pixels += cluster.pixels;
                place.bounds = place.bounds.union(&cluster.bounds);
            } else {
                let (pixels, bounds) = (cluster.pixels, cluster.bounds);
                places.push(Place {
                    name,
                    pixels,
                    bounds,
                });
            }
        }
        places
    }
}

/// Where pixels changed.
struct Place {
    name: Option<String>,
    pixels: u64,
    bounds: Rect,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{name}: ")?;
        }
        write!(f, "{} px at {}", self.pixels, self.bounds)
    }
}

/// The result of a check, with all that reports and updates need.
#[derive(Debug, Clone)]
pub struct Check {
    /// The verdict.
    pub verdict: Verdict,
    /// What changed, for people, most weighty first; empty where it passed.
    pub changes: Vec<String>,
    /// What is worth knowing beside: exact counts, a missing picture.
    pub notes: Vec<String>,
    /// What somebody should look at.
    pub warnings: Vec<String>,
    /// Changes of the shared rows.
    pub rows: Vec<RowChange>,
    /// Changes of the class's bounds.
    pub bounds: Vec<RowChange>,
    /// The pictures; `None` where there is none on either side.
    pub picture: Option<PictureCheck>,
    /// Why it did not pass, where that can be reviewed.
    pub cause: Option<Cause>,
    pub(super) proposal: Proposal,
}

/// What a golden would be made of.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub rows: Vec<Row>,
    pub metadata: Metadata,
    pub pixels: Option<Arc<RgbaImage>>,
    pub annotated: bool,
    pub rewrite: Rewrite,
}

/// Which files an update would write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each file is written or not, whatever the others"
)]
pub(super) struct Rewrite {
    pub shared: bool,
    pub rows: bool,
    pub picture: bool,
    /// A picture of this class is missing, and the rest passes.
    pub only_missing: bool,
}

impl Check {
    /// Whether it passed.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// The rows seen, as a golden's shared TSV.
    pub fn actual_tsv(&self) -> String {
        tsv::write(&self.proposal.metadata, &self.proposal.rows, false)
    }

    /// The rows seen, with bounds.
    pub fn actual_class_tsv(&self) -> String {
        tsv::write(&self.proposal.metadata, &self.proposal.rows, true)
    }

    /// The pixels seen: what a golden would hold.
    pub fn actual_pixels(&self) -> Option<&Arc<RgbaImage>> {
        self.proposal.pixels.as_ref()
    }

    /// The picture of the difference, where the pictures differ.
    pub fn difference(&self) -> Option<RgbaImage> {
        let picture = self.picture.as_ref()?;
        (!picture.passed()).then(|| picture.difference())
    }
}

/// Compares `subject` with `golden`.
///
/// # Errors
/// A golden or a picture that does not read, an element or an app that is not on the screen. A difference is no error.
pub fn check(
    subject: &Subject,
    golden: &Golden,
    options: &Options,
) -> Result<Check, SnapshotError> {
    let taken = subject.take()?;
    let step = &subject.options;
    let mut check = Check {
        verdict: Verdict::Passed,
        changes: Vec::new(),
        notes: Vec::new(),
        warnings: Vec::new(),
        rows: Vec::new(),
        bounds: Vec::new(),
        picture: None,
        cause: None,
        proposal: Proposal {
            rows: Vec::new(),
            metadata: subject.metadata(),
            pixels: subject.pixels(taken.frame)?,
            annotated: step.annotated,
            rewrite: Rewrite::default(),
        },
    };
    let old = Old::read(subject, golden)?;
    let percent = taken.masked_percent();
    if percent > MASK_LIMIT_PERCENT {
        check.verdict = Verdict::MaskTooLarge(percent);
        check.changes.push(format!(
            "the masks cover {percent} % of the screen, more than {MASK_LIMIT_PERCENT} %: mask less, or take one element with `of`"
        ));
    } else if let Some(shared) = &old.shared {
        compare_rows(&mut check, shared, old.class.as_ref(), &taken);
        let tolerance = step.tolerance.unwrap_or(options.tolerance);
        let same_bytes = step.of.is_none()
            && matches!((&golden.picture, &subject.picture), (Some(one), Some(other)) if one.is_same_file(other));
        check.picture = compare_pictures(
            golden,
            (&check.proposal, same_bytes),
            &old,
            &taken,
            tolerance,
        )?;
        let strict = step.strict_pixels.unwrap_or(options.strict_pixels);
        conclude(&mut check, golden, &old, &taken, strict);
    } else {
        check.verdict = Verdict::New;
        check
            .changes
            .push(format!("there is no golden {} yet", golden.key.shared()));
        check.proposal.rewrite = Rewrite {
            shared: true,
            rows: true,
            picture: true,
            only_missing: false,
        };
    }
    check.cause = cause_of(&check);
    warn_of_idle_masks(&mut check, &old, &taken);
    check.proposal.rows = taken.rows;
    Ok(check)
}

/// The golden's texts, read and redacted.
struct Old {
    shared: Option<Table>,
    class: Option<Table>,
}

impl Old {
    fn read(subject: &Subject, golden: &Golden) -> Result<Self, SnapshotError> {
        let read = |text: &Option<String>, which: usize| {
            let Some(text) = text else { return Ok(None) };
            let mut table = tsv::read(text).map_err(|error| SnapshotError::BrokenGolden {
                path: golden.found[which].clone(),
                line: error.line,
                why: error.why,
            })?;
            subject.redactions.apply(&mut table.rows);
            Ok(Some(table))
        };
        Ok(Self {
            shared: read(&golden.shared, 0)?,
            class: read(&golden.rows, 1)?,
        })
    }

    /// Where the golden's masked rows were.
    fn masked(&self) -> impl Iterator<Item = Rect> + '_ {
        let rows = self.class.iter().flat_map(|table| &table.rows);
        rows.filter(|row| row.is_masked())
            .filter_map(|row| row.bounds)
    }
}

fn compare_rows(check: &mut Check, shared: &Table, class: Option<&Table>, taken: &Taken) {
    check.rows = rows_diff::shared_changes(&shared.rows, &taken.rows);
    let Some(class) = class else { return };
    check.bounds = rows_diff::bounds_changes(&class.rows, &taken.rows);
    if !check.rows.is_empty() {
        // What came and went is said by the shared rows already.
        check
            .bounds
            .retain(|change| !matches!(change.change, Change::Added | Change::Removed));
    }
}

fn compare_pictures(
    golden: &Golden,
    (proposal, same_bytes): (&Proposal, bool),
    old: &Old,
    taken: &Taken,
    tolerance: Tolerance,
) -> Result<Option<PictureCheck>, SnapshotError> {
    let (Some(before), Some(actual)) = (&golden.picture, &proposal.pixels) else {
        return Ok(None);
    };
    let before = if same_bytes {
        Arc::clone(actual)
    } else {
        before
            .pixels()
            .map_err(|error| SnapshotError::BrokenGolden {
                path: golden.found[1].with_extension("png"),
                line: 0,
                why: error.to_string(),
            })?
    };
    let left_out: Vec<Rect> = taken.left_out().into_iter().chain(old.masked()).collect();
    let mask = PixelMask::new(actual.width(), actual.height(), &left_out);
    let mut comparison = Comparison::default();
    let verdict = if before.dimensions() == actual.dimensions() {
        if Arc::ptr_eq(&before, actual) {
            comparison.compared = mask.open_pixels();
        } else {
            comparison = picture::compare(&before, actual, &mask);
        }
        let within =
            comparison.largest() <= tolerance.cluster && comparison.specks() <= tolerance.specks;
        match (comparison.changed, within, comparison.replaced) {
            (0, ..) => PictureVerdict::Equal,
            (_, true, _) => PictureVerdict::Tolerated,
            (_, _, true) => PictureVerdict::Replaced,
            _ => PictureVerdict::Differs,
        }
    } else {
        PictureVerdict::OtherSize
    };
    Ok(Some(PictureCheck {
        verdict,
        comparison,
        tolerance,
        golden: before,
        actual: Arc::clone(actual),
        mask,
    }))
}

fn conclude(check: &mut Check, golden: &Golden, old: &Old, taken: &Taken, strict: bool) {
    let masks = |metadata: &Metadata| metadata.get("masks").cloned();
    let mask_changed = old
        .shared
        .as_ref()
        .and_then(|shared| masks(&shared.metadata))
        .is_some_and(|before| Some(before) != masks(&check.proposal.metadata));
    let picture_failed = check
        .picture
        .as_ref()
        .is_some_and(|picture| !picture.passed());
    let differs = !check.rows.is_empty() || !check.bounds.is_empty() || picture_failed;
    let missing = golden.picture.is_none() && check.proposal.pixels.is_some();
    check.proposal.rewrite = Rewrite {
        shared: !check.rows.is_empty() || mask_changed,
        rows: differs || mask_changed || missing,
        picture: picture_failed || missing,
        only_missing: missing && !differs && !mask_changed,
    };
    check.verdict = if mask_changed {
        Verdict::MaskChanged
    } else if differs {
        Verdict::Differs
    } else if missing && strict {
        Verdict::New
    } else {
        Verdict::Passed
    };
    if mask_changed {
        check
            .changes
            .push("the step's masks are not those the golden was taken with".to_owned());
    }
    check.changes.extend(rows_diff::lines(&check.rows));
    if let Some(picture) = &check.picture {
        // What has vanished is named by the golden's rows.
        let before = old
            .class
            .iter()
            .flat_map(|table| table.rows.iter().enumerate());
        let places = taken.rows.iter().enumerate().chain(before);
        if picture.passed() {
            check.notes.push(picture.counts());
        } else {
            check.changes.extend(picture.lines(&places));
        }
    }
    check.changes.extend(rows_diff::lines(&check.bounds));
    if missing {
        let class = golden
            .key
            .class()
            .map_or("this device", |class| class.as_str());
        let line = format!("there is no picture of {class} yet; `--update new` adds it");
        if check.verdict == Verdict::New {
            check.changes.push(line);
        } else {
            check.notes.push(line);
        }
    } else if check.proposal.pixels.is_none() {
        check
            .notes
            .push("the device took no picture: only rows were compared".to_owned());
    }
}

fn cause_of(check: &Check) -> Option<Cause> {
    let picture = check.picture.as_ref();
    match check.verdict {
        Verdict::Passed | Verdict::MaskTooLarge(_) => None,
        Verdict::New => Some(Cause::new(ChangeKind::New, &[])),
        Verdict::MaskChanged => Some(Cause::new(ChangeKind::Masks, &[])),
        Verdict::Differs => {
            let pixels = picture.filter(|picture| !picture.passed());
            let is = |verdict| pixels.is_some_and(|picture| picture.verdict == verdict);
            Some(Cause::of_changes(
                &check.rows,
                &check.bounds,
                is(PictureVerdict::OtherSize),
                is(PictureVerdict::Replaced),
            ))
        }
    }
}

/// A mask that finds nothing now may still have found something in the golden: then it does its work.
fn warn_of_idle_masks(check: &mut Check, old: &Old, taken: &Taken) {
    let masked = |rows: &[Row]| rows.iter().filter(|row| row.is_masked()).count();
    let before = old.shared.as_ref().map_or(0, |table| masked(&table.rows));
    if before > masked(&taken.rows) {
        return;
    }
    check.warnings.extend(
        taken
            .idle_masks
            .iter()
            .map(|mask| format!("the mask {mask} finds nothing; remove it or correct it")),
    );
}
