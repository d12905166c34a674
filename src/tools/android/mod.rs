//! Catalogue A: the Android tools, as steps under their names without prefix. Texts are the reference's to the letter.
//!
//! Where the reference speaks of an accessibility service, the cause over adb is another; it stands in the details.

mod arguments;
mod elements;
mod errors;
mod gestures;
mod system;
mod text;
mod touch;
mod wait;

pub use elements::{
    ClickElement, FindElements, GetElementDetails, LongClickElement, ScrollToElement,
};
pub use gestures::{CustomGesture, Pinch};
pub use system::{PressBack, PressHome, PressRecents};
pub use text::{PressKey, TypeAppendText, TypeClearText, TypeInsertText, TypeReplaceText};
pub use touch::{DoubleTap, LongPress, Scroll, Swipe, Tap};
pub use wait::{WaitForElement, WaitForIdle};
