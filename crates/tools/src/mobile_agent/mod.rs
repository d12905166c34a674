//! Catalogue B: the mobile-agent tools, `mobile_agent.…` as steps. Results are dictionaries with `success`. A
//! call that could not be carried out is an answer with `success: false`, which fails a step.
//!
//! All tools of a session share one [`state::SessionCaches`]: the data tools fill its caches, the action tools clear
//! those of the screen.

mod answer;
mod apps;
mod cache;
mod click;
mod control_list;
mod controls;
mod device_info;
mod hierarchy;
mod keys;
mod launch;
mod picture;
mod state;
#[cfg(test)]
mod tests;
mod text;
mod touch;
mod ui_tree;
mod wait;

pub use apps::GetApps;
pub use cache::InvalidateCache;
pub use click::ClickControl;
pub use controls::GetControls;
pub use device_info::GetDeviceInfo;
pub use keys::PressKey;
pub use launch::LaunchApp;
pub use picture::CaptureScreenshot;
pub use text::TypeText;
pub use touch::{Swipe, Tap};
pub use ui_tree::GetUiTree;
pub use wait::Wait;

use super::{Catalogue, Entry, Tool};

/// Tools that only read, by their client names. The reference serves them on a port of their own, 8020, and
/// all others, the action tools, on 8021.
pub const DATA_TOOLS: &[&str] = &[
    "capture_screenshot",
    "get_ui_tree",
    "get_device_info",
    "get_mobile_app_target_info",
    "get_app_window_controls_target_info",
];

/// Returns the catalogue's tools in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::new::<CaptureScreenshot>(Catalogue::MobileAgent).answering(picture::raised),
        entry::<GetUiTree>(),
        entry::<GetDeviceInfo>(),
        Entry::new::<GetApps>(Catalogue::MobileAgent).answering(apps::raised),
        Entry::new::<GetControls>(Catalogue::MobileAgent),
        entry::<Tap>(),
        entry::<Swipe>(),
        entry::<TypeText>(),
        entry::<LaunchApp>(),
        entry::<PressKey>(),
        entry::<ClickControl>(),
        entry::<Wait>(),
        entry::<InvalidateCache>(),
    ]
}

/// Builds the entry of a tool that answers even if the device is gone. Tools that raise errors instead are
/// listed without this.
const fn entry<T: Tool>() -> Entry {
    Entry::new::<T>(Catalogue::MobileAgent).answering(answer::without_device)
}
