//! Files that a snapshot step leaves among the artifacts: the proposed golden, and the evidence of a difference.

use super::capture::CheckedCapture;
use super::error::{artifact_failure, snapshot_failure};
use crate::call_stack::CallStack;
use crate::context::AttemptContext;
use runner_event::{Artifact, ArtifactKind};
use runner_screen::RowFilter;
use runner_screen::annotate::annotate_full_size;
use runner_snapshot::picture::{Compression, encode};
use runner_snapshot::{Golden, GoldenKey, StepOptions, Store, UpdateMode, UpdateResult};
use runner_tools::Failure;

impl AttemptContext<'_> {
    /// Writes the proposed golden among the artifacts if the run writes no pending files, so that a person
    /// can accept it elsewhere. Removes proposals of earlier attempts first. Nothing is written if the
    /// snapshot passes or the screen still moved, nor where another turn of the run proposes another screen:
    /// then returns that turn, also for pending files.
    pub(super) fn propose(
        &self,
        store: &Store,
        golden: &Golden,
        capture: &CheckedCapture,
        applied: &UpdateResult,
    ) -> Result<(Vec<Artifact>, Option<String>), Failure> {
        if self.settings.config.update.value == UpdateMode::Pending {
            return Ok((Vec::new(), applied.other_turn.clone()));
        }
        let (key, device) = (&golden.key, &self.reporter.id().device);
        if applied.passes || !capture.moving.is_empty() {
            if store.withdraw_proposal(key, device) {
                self.remove_proposal(key)?;
            }
            return Ok((Vec::new(), None));
        }
        let files =
            Store::proposal(golden, &capture.check).map_err(|error| snapshot_failure(&error))?;
        if let Some(turn) = store.claim_proposal(key, device, &files) {
            return Ok((Vec::new(), Some(turn)));
        }
        self.remove_proposal(key)?;
        let written = files
            .iter()
            .map(|(path, bytes)| self.folder.write_proposal(path, bytes))
            .collect::<std::io::Result<_>>()
            .map_err(|error| artifact_failure(&error))?;
        Ok((written, None))
    }

    /// Removes what earlier attempts and runs proposed for a golden among the artifacts.
    fn remove_proposal(&self, key: &GoldenKey) -> Result<(), Failure> {
        Store::proposal_paths(key)
            .iter()
            .try_for_each(|path| self.folder.remove_proposal(path))
            .map_err(|error| artifact_failure(&error))
    }

    /// Writes actual, difference and golden as artifacts that outlive the run: rows always, pictures if there
    /// are any. The annotated picture is left out for a part of the screen. Stops at the first file that
    /// cannot be written.
    pub(super) fn keep(
        &self,
        name: &str,
        options: &StepOptions,
        golden: &Golden,
        captured: &CheckedCapture,
    ) -> std::io::Result<Vec<Artifact>> {
        let mut stored = Vec::new();
        stored.push(self.folder.write_text(
            ArtifactKind::Tsv,
            &format!("{name}.actual.tsv"),
            &captured.check.actual_numbered_tsv(),
        )?);
        if let Some(pixels) = captured.check.actual_pixels() {
            stored.extend(self.keep_picture(
                ArtifactKind::Screenshot,
                &format!("{name}.actual.png"),
                &pixels,
            )?);
            // The boxes are for the whole screen and do not fit the picture of one element.
            if options.of.is_none() {
                let boxes =
                    annotate_full_size(&pixels, &captured.capture.screen, &RowFilter::default());
                stored.extend(self.keep_picture(
                    ArtifactKind::Annotated,
                    &format!("{name}.annotated.png"),
                    &boxes,
                )?);
            }
        }
        if let Some(difference) = captured.check.difference() {
            stored.extend(self.keep_picture(
                ArtifactKind::Difference,
                &format!("{name}.difference.png"),
                &difference,
            )?);
        }
        if let Ok(Some(rows)) = captured.check.row_difference(golden) {
            stored.push(self.folder.write_text(
                ArtifactKind::Rows,
                &format!("{name}.rows.tsv"),
                &rows,
            )?);
        }
        if let Some(picture) = &golden.picture {
            stored.push(self.folder.write(
                ArtifactKind::Golden,
                &format!("{name}.golden.png"),
                picture.png(),
            )?);
        }
        Ok(stored)
    }

    fn keep_picture(
        &self,
        kind: ArtifactKind,
        name: &str,
        pixels: &image::RgbaImage,
    ) -> std::io::Result<Option<Artifact>> {
        let png = encode(pixels, Compression::Fast).map_err(std::io::Error::other)?;
        self.folder.write(kind, name, &png).map(Some)
    }
}

/// Returns the base name of the artifacts: the snapshot's name below the labels of its callers, as sub-flows
/// may take snapshots of the same name.
pub(super) fn artifact_name(stack: &CallStack, options: &StepOptions) -> String {
    let parts: Vec<&str> = stack.callers().chain([options.name.as_str()]).collect();
    parts.join("/")
}
