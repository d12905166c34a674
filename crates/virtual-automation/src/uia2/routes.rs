//! Routes of the server with their handlers.

use super::call::PathParts;
use super::route::{Route, RouteMatch, free, input, look, plain};
use super::{actions, element, keys, session_calls, source, text, windows};
use crate::other_clients;

/// Routes that this program's own driver asks for (`runner-device`, `uia2/`). `/S` stands for
/// `/session/:session`.
static ROUTES: [Route; 15] = [
    free("GET", "/status", session_calls::status),
    free("GET", "/sessions", session_calls::list),
    free("POST", "/session", session_calls::create),
    Route {
        ends_server: true,
        ..plain("DELETE", "/S", session_calls::delete)
    },
    plain("POST", "/S/appium/settings", session_calls::update_settings),
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

/// Returns the route with its variable parts, decoded, if it has exactly these parts; `None` otherwise.
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
        parts: PathParts::new(variable),
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
            Some((
                found.route.path,
                found.parts.get(":element").map(str::to_owned),
            ))
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
