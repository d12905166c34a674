//! Routes of the server with their handlers.

use super::call::Call;
use super::error::WireError;
use super::{actions, element, keys, session, settings, source, text, windows};
use crate::other_clients;
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
    /// Names as in the route's path, and values.
    parts: Vec<(&'static str, String)>,
}

impl RouteMatch {
    /// Returns a variable part by its name, such as `:element`. `None` if the path has no such part.
    pub(crate) fn part(&self, name: &str) -> Option<&str> {
        let part = self.parts.iter().find(|(known, _)| *known == name);
        part.map(|(_, value)| value.as_str())
    }
}

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

/// Routes that this program's own driver asks for (`runner-device`, `uia2/`). `/S` stands for
/// `/session/:session`.
static ROUTES: [Route; 15] = [
    free("GET", "/status", session::status),
    free("GET", "/sessions", session::list),
    free("POST", "/session", session::create),
    Route {
        ends_server: true,
        ..plain("DELETE", "/S", session::delete)
    },
    plain("POST", "/S/appium/settings", settings::update),
    look("GET", "/S/source", source::source),
    look("POST", "/S/appium/list_windows", windows::list_windows),
    look("GET", "/S/element/active", element::active),
    input("POST", "/S/keys", text::send_keys),
    look("GET", "/S/element/:element/text", element::text),
    look(
        "GET",
        "/S/element/:element/attribute/:name",
        element::attribute,
    ),
    look("GET", "/S/element/:element/rect", element::rect),
    input("POST", "/S/actions", actions::perform),
    input("POST", "/S/appium/device/press_keycode", keys::press_key),
    input(
        "POST",
        "/S/appium/device/long_press_keycode",
        keys::long_press_key,
    ),
];

/// Iterates over all routes of this build. No two of them fit the same request.
pub(crate) fn all() -> impl Iterator<Item = &'static Route> {
    ROUTES.iter().chain(&other_clients::ROUTES)
}

/// Finds the route of a request, with the parts of its path that are variable. The query, a prefix `/wd/hub`
/// and slashes at the end do not count. `None` if there is none.
pub(crate) fn find(method: &str, path: &str) -> Option<RouteMatch> {
    let path = path.split('?').next().unwrap_or_default();
    let path = path.strip_prefix("/wd/hub").unwrap_or(path);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    all()
        .filter(|route| route.method == method)
        .find_map(|route| matched(route, &parts))
}

fn matched(route: &'static Route, parts: &[&str]) -> Option<RouteMatch> {
    let expected = route.path.split('/').flat_map(|part| {
        let (one, two) = if part == "S" {
            ("session", Some(":session"))
        } else {
            (part, None)
        };
        std::iter::once(one).chain(two)
    });
    let mut parts = parts.iter();
    let mut variable = Vec::new();
    for expected in expected {
        let part = parts.next()?;
        if expected.starts_with(':') {
            variable.push((expected, decoded(part)));
        } else if expected != *part {
            return None;
        }
    }
    parts.next().is_none().then_some(RouteMatch {
        route,
        parts: variable,
    })
}

/// Decodes escapes such as `%20`, and `+` as a space. Incomplete escapes stay, and invalid UTF-8 is replaced.
fn decoded(part: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = part.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).filter(|_| *first == b'%');
        // `from_str_radix` takes a sign too.
        let code = code.filter(|code| code.iter().all(u8::is_ascii_hexdigit));
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_find_their_routes() {
        let id = |method, path| {
            let found = find(method, path)?;
            Some((found.route.path, found.part(":element").map(str::to_owned)))
        };
        assert_eq!(id("GET", "/status"), Some(("/status", None)));
        assert_eq!(id("GET", "/wd/hub/status?x=1"), Some(("/status", None)));
        assert_eq!(id("POST", "/status"), None);
        assert_eq!(
            id("GET", "/session/s/element/a%2Db+c%/rect"),
            Some(("/S/element/:element/rect", Some("a-b c%".to_owned())))
        );
        assert_eq!(
            id("GET", "/session/s/element/active"),
            Some(("/S/element/active", None))
        );
        for unknown in [
            "/",
            "",
            "/session/s/nothing",
            "/session/s/element/e/rect/more",
        ] {
            assert_eq!(id("GET", unknown), None, "{unknown}");
        }
    }
}
