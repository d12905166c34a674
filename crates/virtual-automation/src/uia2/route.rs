//! Route of the server: what a request must look like, and who answers it.

use super::call::{Call, PathParts};
use super::error::WireError;
use runner_virtual_device::Fault;

/// Category of a route, for faults and for the connection to accessibility.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RouteKind {
    /// Fault by which a request gets no answer. `None` for routes that need no accessibility.
    pub(crate) hang: Option<Fault>,
    /// Reads the tree: faults kill the server or damage the answer.
    pub(crate) is_look: bool,
    /// Touches or types: faults refuse or lose it.
    pub(crate) is_input: bool,
}

impl RouteKind {
    /// Needs no accessibility.
    pub(crate) const PLAIN: Self = Self {
        hang: None,
        is_look: false,
        is_input: false,
    };
    /// Looks at the screen.
    pub(crate) const LOOK: Self = Self {
        hang: Some(Fault::Uia2HungLook),
        is_look: true,
        is_input: false,
    };
    /// Touches or types.
    pub(crate) const INPUT: Self = Self {
        hang: Some(Fault::HungInput),
        is_look: false,
        is_input: true,
    };

    pub(crate) fn needs_accessibility(self) -> bool {
        self.hang.is_some()
    }
}

pub(crate) type Handle = fn(&Call<'_>) -> Result<serde_json::Value, WireError>;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) kind: RouteKind,
    pub(crate) handle: Handle,
    pub(crate) needs_session: bool,
    pub(crate) ends_server: bool,
}

impl Route {
    /// Returns the name by which requests are counted, such as `uia2 GET /source`: without the session's part
    /// of the path, and with its variable parts unfilled.
    pub(crate) fn name(&self) -> String {
        let path = match self.path {
            "/S" => "/session/ID",
            path => path.strip_prefix("/S").unwrap_or(path),
        };
        format!("uia2 {} {path}", self.method)
    }
}

/// A route, with the variable parts of the path.
#[derive(Debug)]
pub(crate) struct RouteMatch {
    pub(crate) route: &'static Route,
    pub(crate) parts: PathParts,
}

/// Creates a route that needs a session and does not end the server.
pub(crate) const fn route(
    method: &'static str,
    path: &'static str,
    kind: RouteKind,
    handle: Handle,
) -> Route {
    Route {
        method,
        path,
        kind,
        handle,
        needs_session: true,
        ends_server: false,
    }
}

/// Creates a route that needs no session.
pub(crate) const fn free(method: &'static str, path: &'static str, handle: Handle) -> Route {
    Route {
        needs_session: false,
        ..plain(method, path, handle)
    }
}

pub(crate) const fn plain(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::PLAIN, handle)
}

pub(crate) const fn look(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::LOOK, handle)
}

pub(crate) const fn input(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::INPUT, handle)
}
