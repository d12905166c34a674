//! Apps: launch, stop, install, permissions, links; which are installed, running or in front.

mod check;
mod install;
mod intent_filters;
mod launch;
mod list;
mod start;
mod state;
mod stop;

pub use check::refusal;
pub use install::{install, uninstall};
pub use intent_filters::{IntentFilters, intent_filters};
pub use launch::{Launch, launch, launchable};
pub use list::{AppFilter, InstalledApp, Packages, list, packages};
pub use start::open_link;
pub use state::{foreground, home, is_installed, is_running};
pub use stop::{clear, kill_background, stop};

pub use super::permissions::{grant, grant_all, not_set, revoke};
pub use super::processes::process_ids;
