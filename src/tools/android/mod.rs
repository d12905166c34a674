//! Catalogue A: the Android tools, as steps under their names without prefix. Texts are the reference's to the letter.
//!
//! Where the reference speaks of an accessibility service, the cause over adb is another; it stands in the details.

mod apps;
mod arguments;
mod clipboard;
mod elements;
mod errors;
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
pub use elements::{
    ClickElement, FindElements, GetElementDetails, LongClickElement, ScrollToElement,
};
pub use gestures::{CustomGesture, Pinch};
pub use logs::GetDeviceLogs;
pub use screen_state::GetScreenState;
pub use storage::{
    AppendFile, DeleteFile, DownloadFromUrl, FileReplace, ListFiles, ListStorageLocations,
    ReadFile, WriteFile,
};
pub use system::{OpenNotifications, OpenQuickSettings, PressBack, PressHome, PressRecents};
pub use text::{PressKey, TypeAppendText, TypeClearText, TypeInsertText, TypeReplaceText};
pub use touch::{DoubleTap, LongPress, Scroll, Swipe, Tap};
pub use wait::{WaitForElement, WaitForIdle};
