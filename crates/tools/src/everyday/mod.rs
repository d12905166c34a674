//! The everyday steps: what a test case says most.

mod apps;
mod count;
mod device;
mod drag;
mod element;
mod expect;
mod files;
mod http;
mod language;
mod log;
mod outside;
mod picture;
mod place;
mod scroll;
mod swipe;
mod text;
mod two_fingers;

pub use apps::{Clear, Grant, Install, Launch, OpenLink, Revoke, Stop, Uninstall};
pub use count::{CountCondition, expect_count};
pub use device::{Rotate, SetDevice, Shell, wait_for_rotation};
pub use drag::{Drag, DragArgs, DragEnd};
pub use element::{Click, DoubleClick, Find, LongClick, WaitFor};
pub use expect::{Assert, AssertNotVisible, AssertVisible, expect_element};
pub use files::{Pull, Push};
#[cfg(feature = "maestro")]
pub use http::HttpRequest;
pub use http::{Http, unlisted_host};
pub use language::EXAMPLES as LANGUAGES;
pub use log::AssertLog;
pub(super) use log::level;
pub use picture::{Record, Screenshot};
pub use place::{Distance, Percent, Place};
pub use scroll::ScrollTo;
pub use swipe::SwipeAcross;
pub use text::{Back, Erase, HideKeyboard, Home, NoArgs, Press, Type};
pub(super) use two_fingers::Way;
pub use two_fingers::{FURTHEST_TURN, LARGEST_SCALE, TwoFingers, TwoFingersArgs};

use super::{Catalogue, Entry};

/// The catalogue's tools, in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::of::<Launch>(Catalogue::Everyday),
        Entry::of::<Stop>(Catalogue::Everyday),
        Entry::of::<Clear>(Catalogue::Everyday),
        Entry::of::<Install>(Catalogue::Everyday),
        Entry::of::<Uninstall>(Catalogue::Everyday),
        Entry::of::<OpenLink>(Catalogue::Everyday),
        Entry::of::<Grant>(Catalogue::Everyday),
        Entry::of::<Revoke>(Catalogue::Everyday),
        Entry::of::<Find>(Catalogue::Everyday),
        Entry::of::<Click>(Catalogue::Everyday),
        Entry::of::<LongClick>(Catalogue::Everyday),
        Entry::of::<DoubleClick>(Catalogue::Everyday),
        Entry::of::<Type>(Catalogue::Everyday),
        Entry::of::<Erase>(Catalogue::Everyday),
        Entry::of::<Press>(Catalogue::Everyday),
        Entry::of::<Back>(Catalogue::Everyday),
        Entry::of::<Home>(Catalogue::Everyday),
        Entry::of::<HideKeyboard>(Catalogue::Everyday),
        Entry::of::<ScrollTo>(Catalogue::Everyday),
        Entry::of::<SwipeAcross>(Catalogue::Everyday),
        Entry::of::<Drag>(Catalogue::Everyday),
        Entry::of::<TwoFingers>(Catalogue::Everyday),
        Entry::of::<WaitFor>(Catalogue::Everyday),
        Entry::of::<AssertVisible>(Catalogue::Everyday),
        Entry::of::<AssertNotVisible>(Catalogue::Everyday),
        Entry::of::<Assert>(Catalogue::Everyday),
        Entry::of::<AssertLog>(Catalogue::Everyday),
        Entry::of::<Screenshot>(Catalogue::Everyday),
        Entry::of::<Record>(Catalogue::Everyday),
        Entry::of::<Rotate>(Catalogue::Everyday),
        Entry::of::<SetDevice>(Catalogue::Everyday),
        Entry::of::<Push>(Catalogue::Everyday),
        Entry::of::<Pull>(Catalogue::Everyday),
        Entry::of::<Http>(Catalogue::Everyday),
        Entry::of::<Shell>(Catalogue::Everyday),
    ]
}
