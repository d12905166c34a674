//! Catalogue A: the Android tools, as steps under their names without prefix. Texts are the reference's to the letter.
//!
//! Where the reference speaks of an accessibility service, the cause over adb is another; it stands in the details.

mod apps;
mod arguments;
mod clipboard;
mod download;
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
pub use elements::{
    ClickElement, FindElements, GetElementDetails, LongClickElement, ScrollToElement,
};
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

/// The catalogue's tools, in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    let tools = tools().into_iter();
    tools
        .map(|entry| entry.answering(errors::with_code))
        .collect()
}

fn tools() -> Vec<Entry> {
    vec![
        Entry::of::<GetScreenState>(Catalogue::Android),
        Entry::of::<PressBack>(Catalogue::Android),
        Entry::of::<PressHome>(Catalogue::Android),
        Entry::of::<PressRecents>(Catalogue::Android),
        Entry::of::<OpenNotifications>(Catalogue::Android),
        Entry::of::<OpenQuickSettings>(Catalogue::Android),
        Entry::of::<GetDeviceLogs>(Catalogue::Android),
        Entry::of::<Tap>(Catalogue::Android),
        Entry::of::<LongPress>(Catalogue::Android),
        Entry::of::<DoubleTap>(Catalogue::Android),
        Entry::of::<Swipe>(Catalogue::Android),
        Entry::of::<Scroll>(Catalogue::Android),
        Entry::of::<Pinch>(Catalogue::Android),
        Entry::of::<CustomGesture>(Catalogue::Android),
        Entry::of::<FindElements>(Catalogue::Android),
        Entry::of::<ClickElement>(Catalogue::Android),
        Entry::of::<LongClickElement>(Catalogue::Android),
        Entry::of::<ScrollToElement>(Catalogue::Android),
        Entry::of::<TypeAppendText>(Catalogue::Android),
        Entry::of::<TypeInsertText>(Catalogue::Android),
        Entry::of::<TypeReplaceText>(Catalogue::Android),
        Entry::of::<TypeClearText>(Catalogue::Android),
        Entry::of::<PressKey>(Catalogue::Android),
        Entry::of::<GetClipboard>(Catalogue::Android),
        Entry::of::<SetClipboard>(Catalogue::Android),
        Entry::of::<WaitForElement>(Catalogue::Android),
        Entry::of::<WaitForIdle>(Catalogue::Android),
        Entry::of::<GetElementDetails>(Catalogue::Android),
        Entry::of::<ListStorageLocations>(Catalogue::Android),
        Entry::of::<ListFiles>(Catalogue::Android),
        Entry::of::<ReadFile>(Catalogue::Android),
        Entry::of::<WriteFile>(Catalogue::Android),
        Entry::of::<AppendFile>(Catalogue::Android),
        Entry::of::<FileReplace>(Catalogue::Android),
        Entry::of::<DownloadFromUrl>(Catalogue::Android),
        Entry::of::<DeleteFile>(Catalogue::Android),
        Entry::of::<OpenApp>(Catalogue::Android),
        Entry::of::<ListApps>(Catalogue::Android),
        Entry::of::<CloseApp>(Catalogue::Android),
    ]
}
