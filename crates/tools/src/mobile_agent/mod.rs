//! Catalogue B: the mobile-agent tools, `mobile_agent.…` as steps. Results are dictionaries with `success`; a call that
//! could not be carried out is an answer with `success: false`, which fails a step.
//!
//! All tools of a session share one [`state::State`]: the data tools fill its caches, the action tools empty those of
//! the screen.

mod answer;
mod apps;
mod cache;
mod click;
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

/// The tools that only look, as clients name them: the reference serves them on a port of their own, 8020. All others
/// are the action tools of 8021.
pub const DATA_TOOLS: &[&str] = &[
    "capture_screenshot",
    "get_ui_tree",
    "get_device_info",
    "get_mobile_app_target_info",
    "get_app_window_controls_target_info",
];

/// The catalogue's tools, in the order of the docs.
pub(super) fn entries() -> Vec<Entry> {
    vec![
        Entry::of::<CaptureScreenshot>(Catalogue::MobileAgent).answering(picture::raised),
        entry::<GetUiTree>(),
        entry::<GetDeviceInfo>(),
        Entry::of::<GetApps>(Catalogue::MobileAgent).answering(apps::raised),
        Entry::of::<GetControls>(Catalogue::MobileAgent),
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

/// A tool that answers where the device is gone; those above that raise say so as an error.
const fn entry<T: Tool>() -> Entry {
    Entry::of::<T>(Catalogue::MobileAgent).answering(answer::without_device)
}
