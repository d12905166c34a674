//! Services of the display: its sizes, its layers and its input.

use super::super::Call;
use super::super::window_names::component;
use crate::{Fault, WindowDump, dump};
use runner_screen::Display;

pub(super) fn screen(call: &Call) -> (Vec<WindowDump>, Display) {
    let phone = call.device.phone();
    (phone.windows(), phone.display())
}

/// Returns width and height of the display as it stands upright.
pub(super) fn unrotated(display: Display) -> (u32, u32) {
    if display.rotation % 2 == 1 {
        (display.height, display.width)
    } else {
        (display.width, display.height)
    }
}

pub(super) fn input(call: &mut Call, _: &[String]) {
    let (_, display) = screen(call);
    call.say("INPUT MANAGER (dumpsys input)\n\nEvent Hub State:\n  Devices:\n    2: virtual-touchscreen\n      Classes: KEYBOARD | TOUCH | TOUCH_MT");
    call.say(format!("  SurfaceOrientation: {}", display.rotation));
}

/// `dumpsys display`: the built-in screen, upright but for its orientation and viewport, and with a fault a second
/// one.
pub(super) fn display(call: &mut Call, _: &[String]) {
    let (_, display) = screen(call);
    let (width, height) = unrotated(display);
    let second = call.device.faults.shows(Fault::SeveralDisplays);
    call.say("DISPLAY MANAGER (dumpsys display)");
    call.say(format!("Display Devices: size={}", 1 + u32::from(second)));
    call.say(format!(
        "  DisplayDeviceInfo{{\"Built-in Screen\": uniqueId=\"local:4619827259835644672\", {width} x {height}, modeId 1, density {}}}",
        display.density
    ));
    if second {
        call.say("  DisplayDeviceInfo{\"Cover Screen\": uniqueId=\"local:4619827551948147201\", 1080 x 1080, modeId 2, density 420}");
    }
    call.say(format!(
        "  mBaseDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {width} x {height}, rotation 0, state ON}}"
    ));
    call.say("  mCurrentOrientation=".to_owned() + &display.rotation.to_string());
    call.say(format!(
        "    mViewports=[DisplayViewport{{type=INTERNAL, valid=true, isActive=true, displayId=0, uniqueId='local:4619827259835644672', physicalPort=0, orientation={}, deviceWidth={}, deviceHeight={}}}]",
        display.rotation, display.width, display.height
    ));
}

/// `dumpsys SurfaceFlinger`: with `--display-id` the displays, else the layer of the active window.
pub(super) fn surface_flinger(call: &mut Call, args: &[String]) {
    if args.first().is_some_and(|arg| arg == "--display-id") {
        call.say("Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL displayName=\"Built-in Screen\"");
        if call.device.faults.shows(Fault::SeveralDisplays) {
            call.say("Display 4619827551948147201 (HWC display 1): port=1 pnpId=GGL displayName=\"Cover Screen\"");
        }
        return;
    }
    let (windows, _) = screen(call);
    call.say("Visible layers");
    if let Some(window) = dump::active(&windows) {
        call.say(format!("  {}#0", component(window)));
    }
}
