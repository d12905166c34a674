//! Stand-in for `other_clients` in a build without the feature `other-clients`.

use runner_virtual_device::automation::{MISSING_SERVERS, StartServer};

use crate::uia2::route::Route;

/// Factory of the server of `uiautomator2`: this build has none.
pub(crate) const U2: Option<StartServer> = None;

/// Routes for other clients: this build has none.
pub(crate) static ROUTES: [Route; 0] = [];

/// Message about a route that this build does not have.
pub(crate) const UNKNOWN_COMMAND: &str = MISSING_SERVERS;
