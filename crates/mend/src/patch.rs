//! Computes a patch from evidence and the current flow: which scalar of the selector to edit, and why.

use std::sync::Arc;

use camino::Utf8PathBuf;
use runner_flow::{SelectorRole, SelectorUse, Spanned};
use runner_screen::{NodeIndex, ScreenError, Selector};
use runner_text::diagnostic::line_column;
use runner_text::secret::{self, Scrubber};
use runner_tools::SelectorPatch;

use crate::evidence::Evidence;
use crate::identity::{self, NoChange};
use crate::project::FlowSelectors;

#[derive(Debug, Clone)]
pub struct Patch {
    /// Evidence that it was computed from.
    pub evidence: Arc<Evidence>,
    /// Selector that matched nothing.
    pub used: SelectorUse,
    /// Change, with its reasons.
    pub change: SelectorPatch,
    /// Element on the screen on which the step failed.
    pub after: NodeIndex,
}

#[derive(Debug, thiserror::Error)]
pub enum NoPatchReason {
    /// The step was moved to another file, or removed.
    #[error("{file} has no step with this selector any more")]
    NoSelector { file: Utf8PathBuf },
    /// Several steps have the selector, and none is at the line of the evidence.
    #[error(
        "{file} has {count} steps with this selector, none of them at line {line}; run the flow again"
    )]
    Several {
        file: Utf8PathBuf,
        count: usize,
        /// Line of the evidence.
        line: usize,
    },
    /// The screen of the run that passed cannot be parsed.
    #[error("the screen on which it last matched does not read: {0}")]
    Before(ScreenError),
    /// The screen of the failed run cannot be parsed.
    #[error("the screen on which it failed does not read: {0}")]
    After(ScreenError),
    /// The evidence contradicts itself, or the selector was edited.
    #[error(
        "on the screen of the green run the selector does not match the element that it is said to have matched"
    )]
    OtherElement,
    /// The selector matches on the screen of the failed run.
    #[error("on the screen of the failed run the selector matches something")]
    StillMatches,
    /// The element cannot be identified.
    #[error(transparent)]
    Unknown(#[from] NoChange),
    /// The value is not a scalar of this step, but comes from elsewhere.
    #[error("its `{0}` is not written out as one text in this step")]
    NotWritten(&'static str),
}

/// Computes the patch of the step of `flow` that the evidence names. Reads and writes no file. The evidence must
/// still hold: the selector selects the element on the screen of the run that passed, and matches nothing on that of
/// the failed one. The patch has the place of the edited value, not of the selector. Its texts are safe to show.
///
/// # Errors
/// [`NoPatchReason`]: the evidence does not fit the flow, or does not say enough, the new value is masked
/// ([`NoChange::NoProperty`]), or the old one is not written out in the step.
pub fn patch(evidence: &Arc<Evidence>, flow: &FlowSelectors) -> Result<Patch, NoPatchReason> {
    let used = find_use(evidence, flow)?;
    let before = evidence.before.screen().map_err(NoPatchReason::Before)?;
    let after = evidence.after.screen().map_err(NoPatchReason::After)?;
    let element = NodeIndex(evidence.element);
    if used.selector.selected(&before) != Some(element) {
        return Err(NoPatchReason::OtherElement);
    }
    if !used.selector.find(&after).is_empty() {
        return Err(NoPatchReason::StillMatches);
    }
    let (found, change) = identity::find(&used.selector, before.node(element), &after)?;
    let is_it = |(property, value): &&(&str, Spanned<String>)| {
        *property == change.property && value.value == change.from
    };
    let written = used.values.iter().find(is_it);
    let Some((_, written)) = written else {
        return Err(NoPatchReason::NotWritten(change.property));
    };
    // A masked text is no usable value.
    if change.to.contains(secret::MASK) {
        return Err(NoChange::NoProperty.into());
    }
    let (line, column) = line_column(&used.source.text, written.span.start);
    // The run has masked the screens already, so cut texts need no scrubber with secrets.
    let plain = |text: String| Scrubber::default().scrub_outside(&text).into_owned();
    let reasons = found.reasons.iter().map(|reason| plain(reason.to_string()));
    Ok(Patch {
        evidence: Arc::clone(evidence),
        change: SelectorPatch {
            file: used.source.path.to_string(),
            line,
            column,
            property: change.property.to_owned(),
            from: change.from,
            to: change.to,
            element: plain(Selector::picking(&after, found.node).to_string()),
            reasons: reasons.collect(),
        },
        used: used.clone(),
        after: found.node,
    })
}

/// Finds the selector of the evidence among the uses of its file that fail without a match: an equal one at its line
/// and column, or else the only equal one. Fails with `NoSelector` if there is none, with `Several` if there are
/// more.
fn find_use<'f>(
    evidence: &Evidence,
    flow: &'f FlowSelectors,
) -> Result<&'f SelectorUse, NoPatchReason> {
    let is_it = |one: &&SelectorUse| {
        one.source.path == evidence.file
            && one.role == SelectorRole::Needed
            && one.selector.to_string() == evidence.selector
    };
    let found: Vec<&SelectorUse> = flow.uses.iter().filter(is_it).collect();
    let place = (evidence.line, evidence.column);
    let at = |one: &&&SelectorUse| line_column(&one.source.text, one.span.start) == place;
    let file = evidence.file.clone();
    match (found.as_slice(), found.iter().find(at)) {
        (_, Some(used)) => Ok(used),
        ([], _) => Err(NoPatchReason::NoSelector { file }),
        ([only], _) => Ok(only),
        (several, _) => Err(NoPatchReason::Several {
            file,
            count: several.len(),
            line: evidence.line,
        }),
    }
}
