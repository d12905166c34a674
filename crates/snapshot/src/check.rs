//! Compares a screen with its golden. The result is a verdict, and the changes in words and in pictures.

use std::sync::Arc;

use camino::Utf8PathBuf;
use image::RgbaImage;

use super::areas::Areas;
use super::caret::CaretAreas;
use super::cause::{self, Cause};
use super::difference::{self, Difference, GoldenProposal, Tables};
use super::golden::Golden;
use super::hints;
use super::mask_limit::MASK_LIMIT_PERCENT;
use super::options::{Image, Tolerance};
use super::pending::MaskedArea;
use super::picture_check::PictureCheck;
use super::redact::Redactions;
use super::row::Row;
use super::row_lines::{self, RowLine, row_lines};
use super::rows_diff::RowChange;
use super::subject::{PreparedSubject, Subject};
use super::tsv::{self, Metadata};
use super::{MovedContent, SnapshotError, disagreement, numbered_rows};
use runner_picture::{Frame, PictureError};

use runner_device::Picture;
use runner_screen::Rect;

/// Defaults for all snapshots of a run, which a step may override.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Options {
    /// True if a golden without a picture of this class fails.
    pub strict_pixels: bool,
    /// Number of changed pixels that still pass.
    pub tolerance: Tolerance,
}

/// Result of a check. The capture loop adds "unstable", and the update "written".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Equal, within the tolerance, or without a picture of this class to compare.
    Passed,
    /// There is no golden; with strict pixels also if there is no picture of this class.
    New,
    /// Rows, bounds or picture differ, or the picture of a class is missing beside its rows.
    Differs,
    /// The step's masks differ from those with which the golden was taken.
    MaskChanged,
    /// The masks cover this many percent of the screen, so hardly anything is compared.
    MaskTooLarge(u64),
}

/// Result of comparing a screen with its golden; nothing is written yet.
#[derive(Debug, Clone)]
pub struct Check {
    pub verdict: Verdict,
    /// Changes for people, the most important first; empty if the check passed.
    pub changes: Vec<String>,
    /// Facts beside the verdict: counts of tolerated changes, or that hints were not compared.
    pub notes: Vec<String>,
    /// Note that this class has no picture yet; `None` if it has one, and for a new golden, whose changes say so.
    pub no_picture: Option<String>,
    /// Masks that match nothing, or rows of the class that disagree with the shared ones.
    pub warnings: Vec<String>,
    /// Changes of the shared rows.
    pub rows: Vec<RowChange>,
    /// Changes of the class's bounds.
    pub bounds: Vec<RowChange>,
    /// Content that moved and is otherwise unchanged.
    pub moved: Vec<MovedContent>,
    /// Comparison of the pictures; `None` if one side has no picture.
    pub picture: Option<PictureCheck>,
    /// Cause of the failure; `None` if the check passed or the masks are too large.
    pub cause: Option<Cause>,
    /// Areas that differ; `None` if the check passed or the masks are too large.
    pub areas: Option<Areas>,
    /// True if the golden's rows of this class show another screen than the shared rows.
    pub(super) disagrees: bool,
    pub(super) proposal: Proposal,
}

/// Contents of a golden that an update would write.
#[derive(Debug, Clone)]
pub(super) struct Proposal {
    pub rows: Vec<Row>,
    pub metadata: Metadata,
    /// Area under the step's masks.
    pub masked: MaskedArea,
    /// Areas that are not compared, relative to the picture's corner.
    pub left_out: Vec<Rect>,
    /// Part of the screenshot that is compared.
    pub picture: Option<Picture>,
    pub annotated: bool,
    pub rewrite: Rewrite,
}

/// Files that an update would write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each file is written independently of the others"
)]
pub(super) struct Rewrite {
    pub shared: bool,
    pub rows: bool,
    pub picture: bool,
    /// True if only the picture of this class is missing, and the rest passes.
    pub only_missing: bool,
}

impl Check {
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }

    /// Returns the rows of the screen as a golden's shared TSV.
    pub fn actual_tsv(&self) -> String {
        tsv::write(&self.proposal.metadata, &self.proposal.rows, false)
    }

    /// Returns the rows of the screen with bounds, as a golden's class TSV.
    pub(super) fn actual_class_tsv(&self) -> String {
        tsv::write(&self.class_metadata(), &self.proposal.rows, true)
    }

    /// Returns the rows of the screen with bounds and numbers, for people.
    pub fn actual_numbered_tsv(&self) -> String {
        numbered_rows::write(&self.class_metadata(), &self.proposal.rows)
    }

    fn class_metadata(&self) -> Metadata {
        let mut metadata = self.proposal.metadata.clone();
        difference::note_left_out(&mut metadata, &self.proposal.left_out);
        if self.proposal.picture.is_none() {
            difference::note_no_picture(&mut metadata);
        }
        metadata
    }

    /// Returns the pixels that a golden would hold. Returns `None` if no picture is compared or it cannot be
    /// decoded.
    pub fn actual_pixels(&self) -> Option<Arc<Frame>> {
        self.proposal.picture.as_ref()?.pixels().ok()
    }

    /// Returns the golden's rows beside those of the screen, as TSV: a column `change`, the row's number, then its
    /// cells. Returns `None` if all rows are the same with their bounds and visibility, or if the golden has no shared
    /// rows.
    ///
    /// # Errors
    /// The golden cannot be parsed.
    pub fn row_difference(&self, golden: &Golden) -> Result<Option<String>, SnapshotError> {
        let old = Tables::read(golden, &Redactions::default())?;
        if old.shared.is_none() {
            return Ok(None);
        }
        let lines = row_lines(old.rows(), &self.proposal.rows);
        let changed = !lines.iter().all(RowLine::is_same);
        Ok(changed.then(|| row_lines::write(&lines)))
    }

    /// Returns the notes that still hold after these files were written: all, but the note on a missing
    /// picture only if no PNG is among them.
    pub fn notes(&self, written: &[Utf8PathBuf]) -> impl Iterator<Item = &String> {
        let is_picture = |path: &Utf8PathBuf| path.extension() == Some("png");
        let missing = self.no_picture.iter();
        let missing = missing.filter(move |_| !written.iter().any(is_picture));
        self.notes.iter().chain(missing)
    }

    /// Draws the difference of the pictures. Returns `None` if they pass, which includes differences within
    /// the tolerance, or if no pictures were compared.
    pub fn difference(&self) -> Option<RgbaImage> {
        let picture = self.picture.as_ref()?;
        if picture.passed() {
            return None;
        }
        picture.difference()
    }

    /// Notes that the picture of the class is `missing`: as a change of a new golden, else beside the verdict. Does
    /// nothing if it is not.
    fn report_missing_picture(&mut self, golden: &Golden, missing: bool) {
        if missing {
            let class = golden.key.class();
            let class = class.map_or("this device", |class| class.as_str());
            let line = format!("there is no picture of {class} yet; `--update new` adds it");
            if self.verdict == Verdict::New {
                self.changes.push(line);
            } else {
                self.no_picture = Some(line);
            }
        }
    }
}

/// Compares `subject` with `golden` and writes nothing. If the masks cover more than [`MASK_LIMIT_PERCENT`] of the
/// frame, nothing is compared and the verdict is [`Verdict::MaskTooLarge`]. Without shared rows the golden is new,
/// unless files of the class are there and differ. A missing picture is a difference if the golden has rows of the
/// class that were taken with one; otherwise it makes the golden new if `strict_pixels` is set, else it passes. Masks that match nothing give a
/// warning, and so do rows of the class that disagree with the shared ones if the check passes.
///
/// # Errors
/// A golden or a picture cannot be read, an element or the app is not on the screen or a selector finds several
/// elements, the redaction rules leave next to nothing of the texts, or the tolerance is too large. A difference is no
/// error.
pub fn check(
    subject: &Subject,
    golden: &Golden,
    options: &Options,
) -> Result<Check, SnapshotError> {
    let mut acquired = subject.take()?;
    let step = &subject.options;
    let mut check = Check {
        verdict: Verdict::Passed,
        changes: Vec::new(),
        notes: Vec::new(),
        no_picture: None,
        warnings: Vec::new(),
        rows: Vec::new(),
        bounds: Vec::new(),
        moved: Vec::new(),
        picture: None,
        cause: None,
        areas: None,
        disagrees: false,
        proposal: Proposal {
            rows: Vec::new(),
            metadata: subject.metadata(),
            masked: MaskedArea {
                frame: (acquired.frame.width(), acquired.frame.height()),
                areas: acquired.masked.clone(),
            },
            left_out: acquired.left_out(),
            picture: subject.picture_of(acquired.frame)?,
            annotated: step.image == Image::Annotated,
            rewrite: Rewrite::default(),
        },
    };
    let old = Tables::read(golden, &subject.redactions)?;
    check
        .notes
        .extend(hints::leave_out(old.rows(), &mut acquired.rows));
    let percent = acquired.masked_percent();
    if percent > MASK_LIMIT_PERCENT {
        check.verdict = Verdict::MaskTooLarge(percent);
        check.changes.push(format!(
            "the masks cover {percent} % of the screen, more than {MASK_LIMIT_PERCENT} %: mask less, or take one element with `of`"
        ));
    } else {
        let tolerance = step.tolerance.unwrap_or(options.tolerance);
        if acquired.wants_picture {
            tolerance.check_against(acquired.open_pixels())?;
        }
        let density = subject.screen.display().density;
        let fields = CaretAreas::new(acquired.rows.iter().chain(old.class_rows()), density);
        let picture = compare_pictures(golden, &check.proposal, &old, &fields, tolerance)?;
        let strict = step.strict_pixels.unwrap_or(options.strict_pixels);
        conclude(&mut check, golden, (&old, &acquired), picture, strict);
    }
    warn_of_idle_masks(&mut check, &old, &acquired);
    // A change of the screen is reported by itself, and both files are written anew.
    if check.passed()
        && let Some(warning) = disagreement::warning(&old, golden)
    {
        check.disagrees = true;
        check.warnings.push(warning);
    }
    check.proposal.rows = acquired.rows;
    Ok(check)
}

/// Compares the golden's picture with the proposed one, outside of the areas left out and of the golden's own masked
/// rows. Returns `None` if either is missing, and fails if one cannot be read. Equal files are not decoded. A caret
/// that blinks in `fields` does not count.
fn compare_pictures(
    golden: &Golden,
    proposal: &Proposal,
    old: &Tables,
    fields: &CaretAreas,
    tolerance: Tolerance,
) -> Result<Option<PictureCheck>, SnapshotError> {
    let (Some(before), Some(actual)) = (&golden.picture, &proposal.picture) else {
        return Ok(None);
    };
    let unreadable = |error: PictureError| SnapshotError::Picture(error.to_string());
    let mut left_out = proposal.left_out.clone();
    // Masked on both sides, because a changing element may have been elsewhere in the golden.
    left_out.extend(difference::masked(old.class_rows()));
    // Most screenshots equal their golden byte for byte, and decoding both takes much longer than comparing
    // bytes.
    if actual.is_same_file(before) {
        let size = actual.dimensions().map_err(unreadable)?;
        return Ok(Some(PictureCheck::from_same_file(
            size, &left_out, tolerance,
        )));
    }
    let [before, actual] = Picture::pixels_of_both(before, actual);
    let before = before.map_err(|error| SnapshotError::BrokenPicture {
        path: match &golden.baseline {
            Some(path) => path.clone(),
            None => golden.found[1].with_extension("png"),
        },
        error,
    })?;
    let actual = actual.map_err(unreadable)?;
    let found = PictureCheck::new(before, actual, &left_out, fields, tolerance);
    Ok(Some(found))
}

/// Sets the verdict, the lines of changes, the files that an update would write, and for any verdict but passed its
/// cause and areas. The first that applies counts: new, masks changed, differs, and a missing picture as new if
/// `strict`. Files of a class without shared rows differ rather than being new, if they are not as proposed.
fn conclude(
    check: &mut Check,
    golden: &Golden,
    (old, acquired): (&Tables, &PreparedSubject),
    picture: Option<PictureCheck>,
    strict: bool,
) {
    let proposed = GoldenProposal {
        rows: &acquired.rows,
        metadata: &check.proposal.metadata,
    };
    let is_new = old.shared.is_none();
    let missing = golden.picture.is_none() && check.proposal.picture.is_some();
    // Rows of a class are stored together with their picture, or say that they have none.
    let lost = missing && golden.rows.is_some() && !old.has_no_picture();
    // Files of the class without shared rows: nothing that is there may be replaced as if it were new.
    let is_orphan = is_new && golden.has_class_files();
    let of_class = is_orphan.then(|| old.with_class_as_shared());
    let old = of_class.as_ref().unwrap_or(old);
    let found = Difference::new(old, proposed, picture);
    let replaces = is_orphan && (found.differs() || found.masks || lost);
    check.verdict = if is_new && !replaces {
        Verdict::New
    } else if found.masks {
        Verdict::MaskChanged
    } else if found.differs() || lost {
        Verdict::Differs
    } else if missing && strict {
        Verdict::New
    } else {
        Verdict::Passed
    };
    if check.verdict != Verdict::Passed {
        check.cause = Some(if is_new {
            Cause::first_golden(&golden.key)
        } else {
            cause::find_cause(&found, golden, old, proposed)
        });
        let size = |picture: &Option<Picture>| {
            let (width, height) = picture.as_ref()?.dimensions().ok()?;
            Some([width, height])
        };
        check.areas = Some(Areas {
            golden: size(&golden.picture),
            actual: size(&check.proposal.picture),
            ..Areas::new(&found, old, proposed, &check.proposal.left_out)
        });
    }
    let changes = &mut check.changes;
    if replaces {
        changes.push(format!(
            "the shared rows {} are not there, though files of this class are; restore them from version control, or accept the new ones",
            golden.found[0]
        ));
    } else if is_new {
        changes.push(format!("there is no golden {} yet", golden.key.shared()));
    }
    changes.extend(baseline_line(golden, &found));
    if found.masks {
        changes.push("the step's masks are not those the golden was taken with".to_owned());
    }
    changes.extend(found.row_lines());
    changes.extend(found.picture_lines(old, proposed));
    changes.extend(found.bounds_lines());
    let is_whole = is_new && (replaces || !is_orphan);
    let changes_class = is_whole || found.differs() || found.masks || missing;
    check.proposal.rewrite = Rewrite {
        shared: is_new
            || !found.rows.is_empty()
            || found.masks
            || changes_class && golden.has_numbered_rows(),
        rows: changes_class || is_orphan && golden.rows.is_none(),
        picture: is_whole || found.picture_failed() || missing,
        only_missing: !is_new && missing && !lost && !found.differs() && !found.masks,
    };
    check.notes.extend(
        found
            .picture
            .as_ref()
            .filter(|picture| picture.passed() && picture.tolerates_a_change())
            .map(PictureCheck::counts),
    );
    if lost && !is_new {
        let path = golden.found[1].with_extension("png");
        check.changes.push(format!(
            "the golden has rows of this class, but its picture {path} is not there; restore it from version control, or accept the new one"
        ));
    } else if !is_new && acquired.wants_picture {
        check.report_missing_picture(golden, missing);
    }
    check.rows = found.rows;
    check.bounds = found.bounds;
    check.moved = found.moved;
    check.picture = found.picture;
}

/// Returns how the picture compares with that of another tool, or `None` if there is none or no picture was compared.
fn baseline_line(golden: &Golden, found: &Difference) -> Option<String> {
    let path = golden.baseline.as_ref()?;
    let comparison = if found.picture.as_ref()?.passed() {
        "the picture is as"
    } else {
        "the picture is not as"
    };
    Some(format!("{comparison} {path}"))
}

/// Warns of masks that match nothing, one warning for each. If the golden has more masked rows than the
/// screen, a mask may have matched then, and there is no warning.
fn warn_of_idle_masks(check: &mut Check, old: &Tables, acquired: &PreparedSubject) {
    let masked = |rows: &[Row]| rows.iter().filter(|row| row.is_masked()).count();
    let before = masked(old.shared_rows());
    if before > masked(&acquired.rows) {
        return;
    }
    check.warnings.extend(
        acquired
            .idle_masks
            .iter()
            .map(|mask| format!("the mask {mask} finds nothing; remove it or correct it")),
    );
}
