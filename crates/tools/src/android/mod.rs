//! Catalogue A: the Android tools, steps by their names without prefix. A number such as A37 identifies a
//! tool in comments and begins the names of its tests. Texts are the reference's to the letter.
//!
//! Where the reference blames an accessibility service, the cause over adb is another one; it is in the
//! details.

mod apps;
mod arguments;
mod clipboard;
mod download;
mod element_details;
mod elements;
mod errors;
mod files;
mod gestures;
mod logs;
mod screen_state;
mod storage;
mod system;
mod text;
mod touch;
mod wait;

pub use apps::{CloseApp, ListApps, OpenApp};
pub use clipboard::{GetClipboard, SetClipboard};
pub use download::DownloadFromUrl;
pub(crate) use download::without_credentials;
pub use element_details::GetElementDetails;
pub use elements::{ClickElement, FindElements, LongClickElement, ScrollToElement};
pub use files::{AppendFile, DeleteFile, FileReplace, ReadFile, WriteFile};
pub use gestures::{CustomGesture, Pinch};
pub use logs::GetDeviceLogs;
pub use screen_state::GetScreenState;
pub use storage::{ListFiles, ListStorageLocations};
pub use system::{OpenNotifications, OpenQuickSettings, PressBack, PressHome, PressRecents};
pub use text::{PressKey, TypeAppendText, TypeClearText, TypeInsertText, TypeReplaceText};
pub use touch::{DoubleTap, LongPress, Scroll, Swipe, Tap};
pub use wait::{WaitForElement, WaitForIdle};

use super::{Catalogue, Entry};

/// Returns the catalogue's tools in the order of the docs. A failure of any of them gets an error code.
pub(super) fn entries() -> Vec<Entry> {
    let tools = tools().into_iter();
    tools
        .map(|entry| entry.answering(errors::with_code))
        .collect()
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::new::<GetScreenState>(Catalogue::Android),
        Entry::new::<PressBack>(Catalogue::Android),
        Entry::new::<PressHome>(Catalogue::Android),
        Entry::new::<PressRecents>(Catalogue::Android),
        Entry::new::<OpenNotifications>(Catalogue::Android),
        Entry::new::<OpenQuickSettings>(Catalogue::Android),
        Entry::new::<GetDeviceLogs>(Catalogue::Android),
        Entry::new::<Tap>(Catalogue::Android),
        Entry::new::<LongPress>(Catalogue::Android),
        Entry::new::<DoubleTap>(Catalogue::Android),
        Entry::new::<Swipe>(Catalogue::Android),
        Entry::new::<Scroll>(Catalogue::Android),
        Entry::new::<Pinch>(Catalogue::Android),
        Entry::new::<CustomGesture>(Catalogue::Android),
        Entry::new::<FindElements>(Catalogue::Android),
        Entry::new::<ClickElement>(Catalogue::Android),
        Entry::new::<LongClickElement>(Catalogue::Android),
        Entry::new::<ScrollToElement>(Catalogue::Android),
        Entry::new::<TypeAppendText>(Catalogue::Android),
        Entry::new::<TypeInsertText>(Catalogue::Android),
        Entry::new::<TypeReplaceText>(Catalogue::Android),
        Entry::new::<TypeClearText>(Catalogue::Android),
        Entry::new::<PressKey>(Catalogue::Android),
        Entry::new::<GetClipboard>(Catalogue::Android),
        Entry::new::<SetClipboard>(Catalogue::Android),
        Entry::new::<WaitForElement>(Catalogue::Android),
        Entry::new::<WaitForIdle>(Catalogue::Android),
        Entry::new::<GetElementDetails>(Catalogue::Android),
        Entry::new::<ListStorageLocations>(Catalogue::Android),
        Entry::new::<ListFiles>(Catalogue::Android),
        Entry::new::<ReadFile>(Catalogue::Android),
        Entry::new::<WriteFile>(Catalogue::Android),
        Entry::new::<AppendFile>(Catalogue::Android),
        Entry::new::<FileReplace>(Catalogue::Android),
        Entry::new::<DownloadFromUrl>(Catalogue::Android),
        Entry::new::<DeleteFile>(Catalogue::Android),
        Entry::new::<OpenApp>(Catalogue::Android),
        Entry::new::<ListApps>(Catalogue::Android),
        Entry::new::<CloseApp>(Catalogue::Android),
    ]
}
