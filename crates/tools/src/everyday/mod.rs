//! The everyday steps, which make up most flows.

mod apps;
mod count;
mod device;
mod drag;
mod element;
mod expect;
mod external_names;
mod files;
mod http;
mod install_source;
mod language;
mod log;
mod permissions;
mod picture;
mod place;
mod scroll;
mod swipe;
mod text;
mod two_fingers;
mod unexpected;

pub use apps::{Clear, Install, Launch, OpenLink, Stop, Uninstall};
pub use count::{CountCondition, expect_count};
pub use device::{Rotate, SetDevice, Shell, wait_for_rotation};
pub use drag::{Drag, DragArgs, DragEnd};
pub use element::{Click, DoubleClick, Find, LongClick, WaitFor};
pub use expect::{Assert, AssertNotVisible, AssertVisible, expect_element};
pub(crate) use external_names::unknown_permission;
pub use files::{Pull, Push};
#[cfg(feature = "maestro")]
pub use http::HttpRequest;
pub use http::{Http, allowing_setting, unlisted_host};
pub use install_source::folder_advice;
pub use language::{EXAMPLES as LANGUAGES, check_language};
pub use log::AssertLog;
pub(super) use log::level;
pub use permissions::{Grant, Revoke};
pub use picture::{Record, Screenshot};
pub use place::{Distance, Percent, Place};
pub use scroll::ScrollTo;
pub use swipe::SwipeAcross;
pub use text::{Back, Erase, HideKeyboard, Home, NoArgs, Press, Type};
pub(super) use two_fingers::TwoFingerMove;
pub use two_fingers::{MAX_SCALE, MAX_TURN_DEGREES, TwoFingers, TwoFingersArgs};

use super::{Catalogue, Entry};

/// Returns the catalogue's steps in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new::<Launch>(Catalogue::Everyday),
        Entry::new::<Stop>(Catalogue::Everyday),
        Entry::new::<Clear>(Catalogue::Everyday),
        Entry::new::<Install>(Catalogue::Everyday),
        Entry::new::<Uninstall>(Catalogue::Everyday),
        Entry::new::<OpenLink>(Catalogue::Everyday),
        Entry::new::<Grant>(Catalogue::Everyday),
        Entry::new::<Revoke>(Catalogue::Everyday),
        Entry::new::<Find>(Catalogue::Everyday),
        Entry::new::<Click>(Catalogue::Everyday),
        Entry::new::<LongClick>(Catalogue::Everyday),
        Entry::new::<DoubleClick>(Catalogue::Everyday),
        Entry::new::<Type>(Catalogue::Everyday),
        Entry::new::<Erase>(Catalogue::Everyday),
        Entry::new::<Press>(Catalogue::Everyday),
        Entry::new::<Back>(Catalogue::Everyday),
        Entry::new::<Home>(Catalogue::Everyday),
        Entry::new::<HideKeyboard>(Catalogue::Everyday),
        Entry::new::<ScrollTo>(Catalogue::Everyday),
        Entry::new::<SwipeAcross>(Catalogue::Everyday),
        Entry::new::<Drag>(Catalogue::Everyday),
        Entry::new::<TwoFingers>(Catalogue::Everyday),
        Entry::new::<WaitFor>(Catalogue::Everyday),
        Entry::new::<AssertVisible>(Catalogue::Everyday),
        Entry::new::<AssertNotVisible>(Catalogue::Everyday),
        Entry::new::<Assert>(Catalogue::Everyday),
        Entry::new::<AssertLog>(Catalogue::Everyday),
        Entry::new::<Screenshot>(Catalogue::Everyday),
        Entry::new::<Record>(Catalogue::Everyday),
        Entry::new::<Rotate>(Catalogue::Everyday),
        Entry::new::<SetDevice>(Catalogue::Everyday),
        Entry::new::<Push>(Catalogue::Everyday),
        Entry::new::<Pull>(Catalogue::Everyday),
        Entry::new::<Http>(Catalogue::Everyday),
        Entry::new::<Shell>(Catalogue::Everyday),
    ]
}
