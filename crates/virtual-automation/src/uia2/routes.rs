//! Routes of the server with their handlers.

use super::call::Call;
use super::error::WireError;
use super::{
    actions, alert, device, element, find, gestures, session, settings, source, text, windows,
};

/// Category of a route, for faults and for the connection to accessibility.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RouteKind {
    /// Needs no accessibility.
    Plain,
    /// Looks at the screen.
    Look,
    /// Takes a screenshot.
    Picture,
    /// Touches or types.
    Input,
}

pub(super) type Handle = fn(&Call<'_>) -> Result<serde_json::Value, WireError>;

#[derive(Debug, Clone, Copy)]
pub(super) struct Route {
    pub(super) method: &'static str,
    pub(super) path: &'static str,
    pub(super) kind: RouteKind,
    pub(super) handle: Handle,
    pub(super) needs_session: bool,
    pub(super) ends_server: bool,
}

impl Route {
    /// Returns the name by which requests are counted, such as `uia2 GET /source`: without the session's part
    /// of the path, and with its variable parts unfilled.
    pub(super) fn name(&self) -> String {
        let path = match self.path {
            "/S" => "/session/ID",
            path => path.strip_prefix("/S").unwrap_or(path),
        };
        format!("uia2 {} {path}", self.method)
    }
}

/// A route, with the variable parts of the path.
#[derive(Debug)]
pub(super) struct RouteMatch {
    pub(super) route: &'static Route,
    pub(super) session: Option<String>,
    pub(super) element: Option<String>,
    pub(super) other: Option<String>,
    pub(super) name: Option<String>,
}

const fn route(method: &'static str, path: &'static str, kind: RouteKind, handle: Handle) -> Route {
    Route {
        method,
        path,
        kind,
        handle,
        needs_session: true,
        ends_server: false,
    }
}

const fn free(method: &'static str, path: &'static str, handle: Handle) -> Route {
    Route {
        needs_session: false,
        ..route(method, path, RouteKind::Plain, handle)
    }
}

/// All routes. `/S` stands for `/session/:session`.
pub(super) static ROUTES: [Route; 63] = {
    use RouteKind::{Input, Look, Picture, Plain};
    [
        free("GET", "/status", session::status),
        free("GET", "/sessions", session::list),
        free("POST", "/session", session::create),
        free("GET", "/appium/device/apps", device::apps),
        Route {
            ends_server: true,
            ..route("DELETE", "/S", Plain, session::delete)
        },
        route("GET", "/S", Plain, session::details),
        route("GET", "/S/appium/settings", Plain, settings::read),
        route("POST", "/S/appium/settings", Plain, settings::update),
        route("GET", "/S/source", Look, source::source),
        route(
            "POST",
            "/S/appium/list_windows",
            Look,
            windows::list_windows,
        ),
        route(
            "POST",
            "/S/appium/list_displays",
            Plain,
            windows::list_displays,
        ),
        route("POST", "/S/appium/reset_ax_cache", Plain, device::nothing),
        route("POST", "/S/element", Look, find::find_one),
        route("POST", "/S/elements", Look, find::find_many),
        route("GET", "/S/element/active", Look, element::active),
        route("POST", "/S/element/:element/click", Input, element::click),
        route("POST", "/S/element/:element/clear", Input, text::clear),
        route("POST", "/S/element/:element/value", Input, text::send_keys),
        route("POST", "/S/keys", Input, text::send_keys),
        route("GET", "/S/element/:element/text", Look, element::text),
        route(
            "GET",
            "/S/element/:element/attribute/:name",
            Look,
            element::attribute,
        ),
        route("GET", "/S/element/:element/rect", Look, element::rect),
        route("GET", "/S/element/:element/size", Look, element::size),
        route(
            "GET",
            "/S/element/:element/location",
            Look,
            element::location,
        ),
        route("GET", "/S/element/:element/name", Look, element::name),
        route(
            "GET",
            "/S/element/:element/screenshot",
            Picture,
            element::screenshot,
        ),
        route(
            "GET",
            "/S/screenshot/:element",
            Picture,
            element::screenshot,
        ),
        route(
            "GET",
            "/S/appium/element/:element/first_visible",
            Look,
            element::first_visible,
        ),
        route("POST", "/S/actions", Input, actions::perform),
        route("POST", "/S/appium/gestures/click", Input, gestures::click),
        route(
            "POST",
            "/S/appium/gestures/long_click",
            Input,
            gestures::long_click,
        ),
        route(
            "POST",
            "/S/appium/gestures/double_click",
            Input,
            gestures::double_click,
        ),
        route("POST", "/S/appium/gestures/drag", Input, gestures::drag),
        route("POST", "/S/appium/gestures/fling", Input, gestures::fling),
        route("POST", "/S/appium/gestures/swipe", Input, gestures::swipe),
        route("POST", "/S/appium/gestures/scroll", Input, gestures::scroll),
        route(
            "POST",
            "/S/appium/gestures/pinch_open",
            Input,
            gestures::pinch_open,
        ),
        route(
            "POST",
            "/S/appium/gestures/pinch_close",
            Input,
            gestures::pinch_close,
        ),
        route("POST", "/S/gestures/scroll_to", Input, gestures::scroll_to),
        route(
            "POST",
            "/S/appium/element/:element/scroll_to/:other",
            Input,
            gestures::scroll_to_element,
        ),
        route("GET", "/S/screenshot", Picture, device::screenshot),
        route("POST", "/S/back", Input, device::back),
        route(
            "POST",
            "/S/appium/device/press_keycode",
            Input,
            device::press_key,
        ),
        route(
            "POST",
            "/S/appium/device/long_press_keycode",
            Input,
            device::long_press_key,
        ),
        route(
            "POST",
            "/S/appium/device/open_notifications",
            Input,
            device::open_notifications,
        ),
        route(
            "POST",
            "/S/appium/device/set_clipboard",
            Plain,
            device::set_clipboard,
        ),
        route(
            "POST",
            "/S/appium/device/get_clipboard",
            Plain,
            device::get_clipboard,
        ),
        route("GET", "/S/appium/device/info", Plain, device::info),
        route("GET", "/S/appium/device/apps", Plain, device::apps),
        route(
            "GET",
            "/S/appium/device/battery_info",
            Plain,
            device::battery,
        ),
        route(
            "GET",
            "/S/appium/device/display_density",
            Plain,
            device::density,
        ),
        route(
            "GET",
            "/S/appium/device/pixel_ratio",
            Plain,
            device::pixel_ratio,
        ),
        route(
            "GET",
            "/S/appium/device/system_bars",
            Plain,
            device::system_bars,
        ),
        route(
            "GET",
            "/S/appium/device/declared_orientation",
            Plain,
            device::declared_orientation,
        ),
        route("GET", "/S/window/:window/size", Plain, device::window_size),
        route("GET", "/S/orientation", Plain, device::orientation),
        route("POST", "/S/orientation", Input, device::set_orientation),
        route("GET", "/S/rotation", Plain, device::rotation),
        route("POST", "/S/rotation", Input, device::set_rotation),
        route(
            "POST",
            "/S/network_connection",
            Plain,
            device::network_connection,
        ),
        route("GET", "/S/alert/text", Look, alert::text),
        route("POST", "/S/alert/accept", Input, alert::accept),
        route("POST", "/S/alert/dismiss", Input, alert::dismiss),
    ]
};

/// Finds the route of a request, with the parts of its path that are variable. The query, a prefix `/wd/hub`
/// and slashes at the end do not count. `None` if there is none.
pub(super) fn find(method: &str, path: &str) -> Option<RouteMatch> {
    let path = path.split('?').next().unwrap_or_default();
    let path = path.strip_prefix("/wd/hub").unwrap_or(path);
    let parts: Vec<&str> = path.trim_end_matches('/').split('/').collect();
    ROUTES
        .iter()
        .filter(|route| route.method == method)
        .find_map(|route| matched(route, &parts))
}

fn matched(route: &'static Route, parts: &[&str]) -> Option<RouteMatch> {
    let mut matched = RouteMatch {
        route,
        session: None,
        element: None,
        other: None,
        name: None,
    };
    let expected = route.path.split('/').flat_map(|part| {
        let (one, two) = if part == "S" {
            ("session", Some(":session"))
        } else {
            (part, None)
        };
        std::iter::once(one).chain(two)
    });
    let mut parts = parts.iter();
    for expected in expected {
        let part = parts.next()?;
        let slot = match expected {
            ":session" => &mut matched.session,
            ":element" => &mut matched.element,
            ":other" => &mut matched.other,
            ":name" => &mut matched.name,
            ":window" => continue,
            word if word == *part => continue,
            _ => return None,
        };
        *slot = Some(decoded(part));
    }
    parts.next().is_none().then_some(matched)
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
        let id = |method, path| find(method, path).map(|found| (found.route.path, found.element));
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
