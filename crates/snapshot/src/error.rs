//! What can go wrong with goldens, each with what to do next.

use camino::Utf8PathBuf;

use runner_picture::PictureError;

use super::MASK_LIMIT_PERCENT;
use runner_screen::{NodeIndex, Rect};
use runner_text::input_file::InputProblem;

/// Errors of the store and of a check. A difference is not an error: see [`super::Verdict`].
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// Reading or writing a file.
    #[error("{path}: {error}")]
    Io {
        /// The file or folder.
        path: Utf8PathBuf,
        /// What the system said.
        #[source]
        error: std::io::Error,
    },
    /// What stands in a file's place is not read.
    #[error("{path} {problem}")]
    Unread {
        /// Where a golden or another file of ours should be.
        path: Utf8PathBuf,
        /// What is there.
        #[source]
        problem: InputProblem,
    },
    /// The redactions leave nothing of what a person reads.
    #[error(
        "the redactions replace nearly every word of this screen, so next to nothing of it would be compared; let each pattern say only what differs from run to run"
    )]
    AllRedacted,
    /// A name, variant, class or key that cannot be filed.
    #[error("{what} {given:?} cannot be used: {why}")]
    Name {
        /// `snapshot name`, `variant`, `key`, `flow`.
        what: &'static str,
        /// As given.
        given: String,
        /// What is allowed.
        why: &'static str,
    },
    /// A golden that does not read.
    #[error("{path}:{line}: {why}; restore it from version control, or remove it and take it anew")]
    BrokenGolden {
        /// The file.
        path: Utf8PathBuf,
        /// From 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// A golden picture that does not read.
    #[error("{path}: {error}; restore it from version control, or remove it and take it anew")]
    BrokenPicture {
        /// The file.
        path: Utf8PathBuf,
        /// What is wrong.
        error: PictureError,
    },
    /// A file of a golden that Git LFS did not download.
    #[error("{0} is a pointer of Git LFS, the file itself was not downloaded; run `git lfs pull`")]
    LfsPointer(Utf8PathBuf),
    /// A screenshot that cannot be decoded.
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
        /// Pixels that may change.
        allowed: u64,
        /// Pixels that are compared.
        compared: u64,
    },
    /// A PNG that could not be written.
    #[error("the picture of a golden: {0}")]
    Encoding(PictureError),
    /// `of:` found nothing.
    #[error("`of: {0}` finds no element on this screen")]
    NoElement(String),
    /// `of:` found several.
    #[error("`of: {selector}` finds {} elements; make it pick one", nodes.len())]
    Several {
        /// The selector as YAML on one line.
        selector: String,
        /// The elements.
        nodes: Vec<NodeIndex>,
    },
    /// None of the app's windows is shown.
    #[error(
        "no window of {app} is on the screen (shown: {displayed}); bring the app to the front, or take `windows: all`"
    )]
    AppNotShown {
        /// The flow's app.
        app: String,
        /// Packages of the windows that are shown.
        displayed: String,
    },
    /// The golden, below the root, is no longer the one that was compared.
    #[error("{0} changed since it was compared; run the flow again, then review")]
    GoldenChanged(Utf8PathBuf),
    /// A pending file that this program did not write, or that somebody edited.
    #[error("{0} does not say which golden it was compared with; remove it and run the flow again")]
    NotPending(Utf8PathBuf),
    /// Files that are proposed together and are not of one screen.
    #[error(
        "{rows} and {shared} do not show the same screen: row n{row} differs; take the artifacts of a run as it left them"
    )]
    TwoScreens {
        /// Rows of a class.
        rows: Utf8PathBuf,
        /// Rows for all devices.
        shared: Utf8PathBuf,
        /// From 1.
        row: usize,
    },
    /// No pending golden has this key.
    #[error("no pending golden matches {given:?}; there are: {there}")]
    NoSuchPending {
        /// Key or glob as given.
        given: String,
        /// Keys there are.
        there: String,
    },
    /// A key that was decided about does not wait any more.
    #[error("{0} does not wait any more: somebody else decided about it, or a run passed")]
    Gone(String),
    /// What waits is not what was looked at.
    #[error("{0} is not what was looked at: a run proposed something else since; look again")]
    LookAgain(String),
    /// A patch to a flow that is not written.
    #[error("{0}")]
    Selector(String),
    /// Two devices propose different rows for what all devices share.
    #[error(
        "{0}: another device's rows, accepted with it, differ from its own, and all devices share this file; accept one of them, then run the others again"
    )]
    Rival(Utf8PathBuf),
    /// Two devices of a run that writes goldens show different rows for what all devices share.
    #[error(
        "{0}: another device of this run wrote other rows, and both share this file; give one of them a variant (`devices` or `snapshot.variants` in runner.yaml), or update with one of them alone"
    )]
    OtherDevice(Utf8PathBuf),
    /// The last decision cannot be taken back.
    #[error(
        "{0} changed since it was decided about and stays as it is, and so does all that was decided with it; restore it from version control where an older one is wanted"
    )]
    UndoRefused(Utf8PathBuf),
    /// What a decision replaced is not there any more.
    #[error(
        "{stored} does not hold what {path} was before the last decision; restore {path} from version control"
    )]
    NotStored {
        /// The file that was replaced or removed.
        path: Utf8PathBuf,
        /// Where it was kept.
        stored: Utf8PathBuf,
    },
    /// Something failed after the journal was in place.
    #[error(
        "{0}; what was begun is written down in .runner/goldens.journal, and the next command brings it to its end"
    )]
    Unfinished(Box<SnapshotError>),
    /// A path that would leave the folder of goldens.
    #[error("{0} leads out of the folder of goldens; remove the link or the `..`")]
    Outside(Utf8PathBuf),
    /// Another process holds the lock.
    #[error(
        "{0} is held by another runner that is writing goldens; try again when it has finished"
    )]
    Locked(Utf8PathBuf),
    /// The journal of an accept that was cut short cannot be read.
    #[error(
        "{path} cannot be read ({why}); compare the goldens with version control, then remove this file"
    )]
    BrokenJournal {
        /// The journal.
        path: Utf8PathBuf,
        /// What is wrong.
        why: String,
    },
}

impl SnapshotError {
    /// For `map_err`: an I/O error at `path`.
    pub(super) fn io(path: impl Into<Utf8PathBuf>) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.into();
        move |error| Self::Io { path, error }
    }
}
