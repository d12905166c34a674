//! Judges an edited flow by its newest recording, or else by its goldens.

use camino::Utf8PathBuf;

use super::finding::{Finding, FindingKind};
use super::goldens::judge_on_goldens;
use super::recorded_run::rehearse;
use crate::PlannedCase;
use runner_base::context::Context;
use runner_config::Config;
use runner_recording::{Recording, find, find_below, read};
use runner_snapshot::SnapshotError;
use runner_text::diagnostic::{Code, Diagnostic};

#[derive(Debug, Default)]
pub struct EditResult {
    /// Breaks and doubts, in the order of the steps.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of steps that the recording has unchanged.
    pub unchanged: usize,
    /// Number of steps that ran on recorded screens or were looked up on goldens.
    pub judged: usize,
    /// True if a recording was used. Goldens alone do not judge a flow as a whole.
    pub has_recording: bool,
    /// Messages about recordings that cannot be read.
    pub warnings: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The folder for temporary files cannot be made.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// The folder of goldens cannot be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
}

/// Judges a case by its newest recording that passed, else by its newest, else by its goldens;
/// [`EditResult::has_recording`] says which. `paths` are files and folders of recordings that a person named, of which
/// the first of this case is used; if it is empty the history's are used. Recordings that cannot be read are warnings,
/// and the next one is tried. Without recordings and goldens the result is empty.
///
/// # Errors
/// [`EditError`] if the folder for temporary files cannot be made, or that of goldens cannot be read.
pub async fn judge_edit(
    config: &Config,
    context: &Context,
    case: &PlannedCase,
    paths: &[Utf8PathBuf],
) -> Result<EditResult, EditError> {
    let mut warnings = Vec::new();
    let Some(recording) = newest_recording(config, case, paths, &mut warnings) else {
        let result = judge_on_goldens(config, case)?;
        let findings = result.findings.iter();
        return Ok(EditResult {
            diagnostics: findings.map(|one| diagnostic(one, None)).collect(),
            judged: result.judged,
            warnings,
            ..EditResult::default()
        });
    };
    let provenance = recording.provenance();
    let result = rehearse(config, context, case, recording).await?;
    let findings = result.findings.iter();
    Ok(EditResult {
        diagnostics: findings
            .map(|one| diagnostic(one, Some(&provenance)))
            .collect(),
        unchanged: result.unchanged,
        judged: result.judged,
        has_recording: true,
        warnings,
    })
}

/// Returns the newest recording of the case that can be read: of the history those that passed go first. Of the paths
/// that a person named, the first. Unreadable ones add a warning, those of other cases are passed over, and a damaged
/// one counts up to the damage.
fn newest_recording(
    config: &Config,
    case: &PlannedCase,
    paths: &[Utf8PathBuf],
    warnings: &mut Vec<String>,
) -> Option<Recording> {
    let id = case.id();
    let files: Vec<Utf8PathBuf> = if paths.is_empty() {
        let history = config.history_folder();
        find(&history, &id, true)
            .chain(find(&history, &id, false))
            .collect()
    } else {
        paths
            .iter()
            .flat_map(|path| find_below(path, &id))
            .collect()
    };
    files.iter().find_map(|file| match read(file) {
        Ok(recording) => {
            // Another case may have the same hash in its file name.
            let recorded = recording.head.id.case_id();
            (recorded.flow == id.flow && recorded.case == id.case).then_some(recording)
        }
        Err(error) => {
            warnings.push(error.to_string());
            None
        }
    })
}

/// Converts a finding to a diagnostic, with its details and the recording's provenance as help.
fn diagnostic(finding: &Finding, provenance: Option<&str>) -> Diagnostic {
    let code = match finding.kind {
        FindingKind::Breaks => Code::BreaksOnRecording,
        FindingKind::Several => Code::SeveralOnRecording,
        FindingKind::OtherElement => Code::OtherElement,
        FindingKind::NotRecorded => Code::NotRecorded,
        FindingKind::NotChecked => Code::NotChecked,
    };
    let mut help = finding.details.clone();
    help.extend(provenance.map(str::to_owned));
    Diagnostic {
        code,
        severity: code.severity(),
        source: finding.source.clone(),
        span: finding.span.clone(),
        message: finding.message.clone(),
        labels: Vec::new(),
        help: Some(help.join("\n")),
    }
}
