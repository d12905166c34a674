//! The system's windows: bars, keyboard, launcher, recents, shade, permission dialog; and the frames of apps'
//! popups.
//!
//! Each function builds an element from its arguments, without state. The browser is an app made of files, as
//! other apps are.

mod bars;
mod browser;
mod buttons;
mod calendar;
mod dialogs;
mod home;
mod keyboard;
mod overlay;

pub(crate) use bars::{navigation_bar, quick_settings, shade, status_bar};
pub(crate) use browser::{BROWSER, BROWSER_ACTIVITY, browser, is_web};
pub(crate) use calendar::{Room, years_offset};
pub(crate) use dialogs::{app_error, date_dialog, dialog, menu, permission, toast};
pub(crate) use home::{HomeApp, launcher, recents};
pub(crate) use keyboard::keyboard;
pub(crate) use overlay::{bubble, veil};
