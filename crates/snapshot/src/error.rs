//! Errors of goldens, each with what to do next.

use camino::Utf8PathBuf;

use runner_picture::PictureError;

use super::mask_limit::MASK_LIMIT_PERCENT;
use runner_screen::{NodeIndex, Rect};
use runner_text::input_file::InputProblem;

/// Error of the store or of a check. A difference is not an error: see [`super::Verdict`].
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// A file cannot be read or written.
    #[error("{path}: {error}")]
    Io {
        path: Utf8PathBuf,
        #[source]
        error: std::io::Error,
    },
    /// Something that is not a readable file stands in a file's place.
    #[error("{path} {problem}")]
    Unread {
        /// Path where a golden or another file of this program should be.
        path: Utf8PathBuf,
        #[source]
        problem: InputProblem,
    },
    /// The redactions leave almost nothing of the words that a person reads.
    #[error(
        "the redactions replace nearly every word of this screen, so next to nothing of it would be compared; let each pattern say only what differs from run to run"
    )]
    AllRedacted,
    /// A name, variant, class or key cannot be a file name.
    #[error("{what} {given:?} cannot be used: {why}")]
    Name {
        /// Kind of name: `snapshot name`, `variant`, `key`, `flow`.
        what: &'static str,
        given: String,
        /// Rule that it breaks.
        why: &'static str,
    },
    /// A golden cannot be parsed.
    #[error("{path}:{line}: {why}; restore it from version control, or remove it and take it anew")]
    BrokenGolden {
        path: Utf8PathBuf,
        /// Line, from 1.
        line: usize,
        why: String,
    },
    /// A golden's picture cannot be decoded.
    #[error("{path}: {error}; restore it from version control, or remove it and take it anew")]
    BrokenPicture {
        path: Utf8PathBuf,
        error: PictureError,
    },
    /// Git LFS did not download a golden's file.
    #[error("{0} is a pointer of Git LFS, the file itself was not downloaded; run `git lfs pull`")]
    LfsPointer(Utf8PathBuf),
    /// The screenshot cannot be decoded.
    #[error("the screenshot cannot be read: {0}")]
    Picture(String),
    /// The element of `of:` lies outside the screenshot.
    #[error("the element's bounds {0} lie outside the screenshot")]
    OutsidePicture(Rect),
    /// The tolerance lets almost any picture pass.
    #[error(
        "`tolerance` lets {allowed} of the {compared} pixels change, more than {MASK_LIMIT_PERCENT} %, so hardly anything is compared; allow less, or take `image: none`"
    )]
    ToleranceTooLarge {
        /// Number of pixels that may change.
        allowed: u64,
        /// Number of pixels that are compared.
        compared: u64,
    },
    /// The picture of a golden cannot be encoded.
    #[error("the picture of a golden: {0}")]
    Encoding(PictureError),
    /// The selector of `of:` matches nothing.
    #[error("`of: {0}` finds no element on this screen")]
    NoElement(String),
    /// The selector of `of:` matches several elements.
    #[error("`of: {selector}` finds {} elements; make it pick one", nodes.len())]
    Several {
        /// Selector as YAML on one line.
        selector: String,
        /// Elements that it matches.
        nodes: Vec<NodeIndex>,
    },
    /// No window of the app is on the screen.
    #[error(
        "no window of {app} is on the screen (shown: {displayed}); bring the app to the front, or take `windows: all`"
    )]
    AppNotShown {
        /// Package of the flow's app.
        app: String,
        /// Packages of the windows that are on the screen.
        displayed: String,
    },
    /// The golden, below the root, is no longer the one that was compared.
    #[error("{0} changed since it was compared; run the flow again, then review")]
    GoldenChanged(Utf8PathBuf),
    /// The file was not written by this program as a pending file, or somebody edited it.
    #[error("{0} does not say which golden it was compared with; remove it and run the flow again")]
    NotPending(Utf8PathBuf),
    /// Files that are proposed together show different screens.
    #[error(
        "{rows} and {shared} do not show the same screen: row n{row} differs; take the artifacts of a run as it left them"
    )]
    TwoScreens {
        /// Rows of a class.
        rows: Utf8PathBuf,
        /// Rows for all devices.
        shared: Utf8PathBuf,
        /// Number of the row, from 1.
        row: usize,
    },
    /// A part of a proposal is missing, or is not the one that was proposed with the others.
    #[error(
        "{0} is missing or not what the run proposed with the other files, and a part alone is not accepted; run the flow again, then review"
    )]
    NotWhole(Utf8PathBuf),
    /// No pending golden has this key.
    #[error("no pending golden matches {given:?}; there are: {there}")]
    NoSuchPending {
        /// Key or glob as given.
        given: String,
        /// Existing keys.
        there: String,
    },
    /// The golden is not pending any more.
    #[error("{0} does not wait any more: somebody else decided about it, or a run passed")]
    Gone(String),
    /// The pending golden is not the one that the person looked at.
    #[error("{0} is not what was looked at: a run proposed something else since; look again")]
    LookAgain(String),
    /// A patch to a flow is not written.
    #[error("{0}")]
    Selector(String),
    /// Two devices propose different shared rows.
    #[error(
        "{0}: another device's rows, accepted with it, differ from its own, and all devices share this file; accept one of them, then run the others again"
    )]
    Rival(Utf8PathBuf),
    /// Two devices of a run that writes goldens show different shared rows.
    #[error(
        "{0}: another device of this run shows other rows, and both share this file; give one of them a variant (`devices` or `snapshot.variants` in runner.yaml), or update with one of them alone"
    )]
    OtherDevice(Utf8PathBuf),
    /// Two turns of a run that writes goldens show different screens.
    #[error(
        "{path}: {writer} saw another screen in this run, and both share this golden, which stays as it is; let the flow begin in the same state each time, mask what changes (`mask`), or update with one of them alone"
    )]
    OtherTurn {
        path: Utf8PathBuf,
        /// Turn and device that wrote or matched the file.
        writer: String,
    },
    /// The last decision cannot be undone.
    #[error(
        "{0} changed since it was decided about and stays as it is, and so does all that was decided with it; restore it from version control where an older one is wanted"
    )]
    UndoRefused(Utf8PathBuf),
    /// The bytes that a decision replaced do not exist any more.
    #[error(
        "{stored} does not hold what {path} was before the last decision; restore {path} from version control"
    )]
    NotStored {
        /// File that was replaced or removed.
        path: Utf8PathBuf,
        /// Path of the kept copy.
        stored: Utf8PathBuf,
    },
    /// An operation failed after the journal was in place.
    #[error(
        "{0}; what was begun is written down in .runner/goldens.journal, and the next command brings it to its end"
    )]
    Unfinished(Box<SnapshotError>),
    /// The path leads out of the folder of goldens.
    #[error("{0} leads out of the folder of goldens; remove the link or the `..`")]
    Outside(Utf8PathBuf),
    /// Another process holds the lock.
    #[error(
        "{0} is held by another runner that is writing goldens; try again when it has finished"
    )]
    Locked(Utf8PathBuf),
    /// The journal of an unfinished change cannot be parsed.
    #[error(
        "{path} cannot be read ({why}); compare the goldens with version control, then remove this file"
    )]
    BrokenJournal { path: Utf8PathBuf, why: String },
}

impl SnapshotError {
    pub(super) fn io(path: impl Into<Utf8PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}
