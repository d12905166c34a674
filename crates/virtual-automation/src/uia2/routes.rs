//! Routes of the server with their handlers.

use super::call::Call;
use super::error::WireError;
use super::{
    actions, alert, device, element, find, gestures, session, settings, source, text, windows,
};
use runner_virtual_device::Fault;

/// Category of a route, for faults and for the connection to accessibility.
#[derive(Debug, Clone, Copy)]
pub(super) struct RouteKind {
    /// Fault by which a request gets no answer. `None` for routes that need no accessibility.
    pub(super) hang: Option<Fault>,
    /// Reads the tree: faults kill the server or damage the answer.
    pub(super) is_look: bool,
    /// Touches or types: faults refuse or lose it.
    pub(super) is_input: bool,
}

impl RouteKind {
    /// Needs no accessibility.
    pub(super) const PLAIN: Self = Self {
        hang: None,
        is_look: false,
        is_input: false,
    };
    /// Looks at the screen.
    pub(super) const LOOK: Self = Self {
        hang: Some(Fault::Uia2HungLook),
        is_look: true,
        is_input: false,
    };
    /// Takes a screenshot.
    pub(super) const PICTURE: Self = Self {
        hang: Some(Fault::HungScreenshot),
        is_look: false,
        is_input: false,
    };
    /// Touches or types.
    pub(super) const INPUT: Self = Self {
        hang: Some(Fault::HungInput),
        is_look: false,
        is_input: true,
    };

    pub(super) fn needs_accessibility(self) -> bool {
        self.hang.is_some()
    }
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
    /// Names as in the route's path, and values.
    parts: Vec<(&'static str, String)>,
}

impl RouteMatch {
    /// Returns a variable part by its name, such as `:element`. `None` if the path has no such part.
    pub(super) fn part(&self, name: &str) -> Option<&str> {
        let part = self.parts.iter().find(|(known, _)| *known == name);
        part.map(|(_, value)| value.as_str())
    }
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

/// Creates a route that needs no session.
const fn free(method: &'static str, path: &'static str, handle: Handle) -> Route {
    Route {
        needs_session: false,
        ..plain(method, path, handle)
    }
}

const fn plain(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::PLAIN, handle)
}

const fn look(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::LOOK, handle)
}

const fn picture(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::PICTURE, handle)
}

const fn input(method: &'static str, path: &'static str, handle: Handle) -> Route {
    route(method, path, RouteKind::INPUT, handle)
}

/// All routes. `/S` stands for `/session/:session`.
pub(super) static ROUTES: [Route; 63] = [
    free("GET", "/status", session::status),
    free("GET", "/sessions", session::list),
    free("POST", "/session", session::create),
    free("GET", "/appium/device/apps", device::apps),
    Route {
        ends_server: true,
        ..plain("DELETE", "/S", session::delete)
    },
    plain("GET", "/S", session::details),
    plain("GET", "/S/appium/settings", settings::read),
    plain("POST", "/S/appium/settings", settings::update),
    look("GET", "/S/source", source::source),
    look("POST", "/S/appium/list_windows", windows::list_windows),
    plain("POST", "/S/appium/list_displays", windows::list_displays),
    plain("POST", "/S/appium/reset_ax_cache", device::nothing),
    look("POST", "/S/element", find::find_one),
    look("POST", "/S/elements", find::find_many),
    look("GET", "/S/element/active", element::active),
    input("POST", "/S/element/:element/click", element::click),
    input("POST", "/S/element/:element/clear", text::clear),
    input("POST", "/S/element/:element/value", text::send_keys),
    input("POST", "/S/keys", text::send_keys),
    look("GET", "/S/element/:element/text", element::text),
    look(
        "GET",
        "/S/element/:element/attribute/:name",
        element::attribute,
    ),
    look("GET", "/S/element/:element/rect", element::rect),
    look("GET", "/S/element/:element/size", element::size),
    look("GET", "/S/element/:element/location", element::location),
    look("GET", "/S/element/:element/name", element::name),
    picture("GET", "/S/element/:element/screenshot", element::screenshot),
    picture("GET", "/S/screenshot/:element", element::screenshot),
    look(
        "GET",
        "/S/appium/element/:element/first_visible",
        element::first_visible,
    ),
    input("POST", "/S/actions", actions::perform),
    input("POST", "/S/appium/gestures/click", gestures::click),
    input(
        "POST",
        "/S/appium/gestures/long_click",
        gestures::long_click,
    ),
    input(
        "POST",
        "/S/appium/gestures/double_click",
        gestures::double_click,
    ),
    input("POST", "/S/appium/gestures/drag", gestures::drag),
    input("POST", "/S/appium/gestures/fling", gestures::fling),
    input("POST", "/S/appium/gestures/swipe", gestures::swipe),
    input("POST", "/S/appium/gestures/scroll", gestures::scroll),
    input(
        "POST",
        "/S/appium/gestures/pinch_open",
        gestures::pinch_open,
    ),
    input(
        "POST",
        "/S/appium/gestures/pinch_close",
        gestures::pinch_close,
    ),
    input("POST", "/S/gestures/scroll_to", gestures::scroll_to),
    input(
        "POST",
        "/S/appium/element/:element/scroll_to/:other",
        gestures::scroll_to_element,
    ),
    picture("GET", "/S/screenshot", device::screenshot),
    input("POST", "/S/back", device::back),
    input("POST", "/S/appium/device/press_keycode", device::press_key),
    input(
        "POST",
        "/S/appium/device/long_press_keycode",
        device::long_press_key,
    ),
    input(
        "POST",
        "/S/appium/device/open_notifications",
        device::open_notifications,
    ),
    plain(
        "POST",
        "/S/appium/device/set_clipboard",
        device::set_clipboard,
    ),
    plain(
        "POST",
        "/S/appium/device/get_clipboard",
        device::get_clipboard,
    ),
    plain("GET", "/S/appium/device/info", device::info),
    plain("GET", "/S/appium/device/apps", device::apps),
    plain("GET", "/S/appium/device/battery_info", device::battery),
    plain("GET", "/S/appium/device/display_density", device::density),
    plain("GET", "/S/appium/device/pixel_ratio", device::pixel_ratio),
    plain("GET", "/S/appium/device/system_bars", device::system_bars),
    plain(
        "GET",
        "/S/appium/device/declared_orientation",
        device::declared_orientation,
    ),
    plain("GET", "/S/window/:window/size", device::window_size),
    plain("GET", "/S/orientation", device::orientation),
    input("POST", "/S/orientation", device::set_orientation),
    plain("GET", "/S/rotation", device::rotation),
    input("POST", "/S/rotation", device::set_rotation),
    plain("POST", "/S/network_connection", device::network_connection),
    look("GET", "/S/alert/text", alert::text),
    input("POST", "/S/alert/accept", alert::accept),
    input("POST", "/S/alert/dismiss", alert::dismiss),
];

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
