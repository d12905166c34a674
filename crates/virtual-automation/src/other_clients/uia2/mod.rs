//! Routes of Appium's server that other clients ask for.

mod alert;
mod device;
mod element;
mod error;
mod find;
mod gestures;
mod scrollable;
mod session;
mod ui_selector;

use crate::uia2::route::{Handle, Route, RouteKind, free, input, look, plain, route};
use crate::uia2::text;
use runner_virtual_device::Fault;

pub use find::finds_by;

/// Creates the route of a screenshot, which the fault `HungScreenshot` lets hang.
const fn picture(method: &'static str, path: &'static str, handle: Handle) -> Route {
    let kind = RouteKind {
        hang: Some(Fault::HungScreenshot),
        is_look: false,
        is_input: false,
    };
    route(method, path, kind, handle)
}

/// Routes that are not in the server's own table. `/S` stands for `/session/:session`.
pub(crate) static ROUTES: [Route; 48] = [
    free("GET", "/appium/device/apps", device::apps),
    plain("GET", "/S", session::details),
    plain("GET", "/S/appium/settings", session::settings),
    plain("POST", "/S/appium/list_displays", device::list_displays),
    plain("POST", "/S/appium/reset_ax_cache", device::nothing),
    look("POST", "/S/element", find::find_one),
    look("POST", "/S/elements", find::find_many),
    input("POST", "/S/element/:element/click", element::click),
    input("POST", "/S/element/:element/clear", element::clear),
    input("POST", "/S/element/:element/value", text::send_keys),
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
