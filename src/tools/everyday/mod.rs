//! The everyday steps: what a test case says most.

mod element;
mod expect;
mod scroll;
mod text;

pub use element::{Click, DoubleClick, Find, LongClick, WaitFor};
pub use expect::{Assert, AssertNotVisible, AssertVisible, expect_element};
pub use scroll::ScrollTo;
pub use text::{Back, Erase, HideKeyboard, Home, NoArgs, Press, Type};
