//! `getevent -p` and `sendevent`: the touchscreen as a device of the kernel.

use std::fmt::Write as _;
use std::time::Duration;

use super::{Call, Outcome, RunningCommand};
use crate::touch_panel::{NODE, SLOTS, describe};
use crate::{Fault, Quirk};

/// `getevent -p [-l]`: describes the touchscreen, with its size in pixels. All else gives 1.
pub(super) fn getevent(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let flags: String = words
        .iter()
        .filter_map(|word| word.strip_prefix('-'))
        .collect();
    if !flags.contains('p') {
        return call.fail(1, "getevent: only -p and -pl are there on this device");
    }
    let display = call.device.options_display();
    let labelled = flags.contains('l');
    let name = |label: &'static str, number: &'static str| if labelled { label } else { number };
    let mut text = format!(
        "add device 1: {NODE}\n  name:     \"virtual_touchscreen\"\n  events:\n    KEY (0001): {}\n    ABS (0003):",
        name("BTN_TOUCH", "014a")
    );
    for (label, number, last) in [
        ("ABS_MT_SLOT", "002f", SLOTS - 1),
        ("ABS_MT_TOUCH_MAJOR", "0030", 255),
        ("ABS_MT_POSITION_X", "0035", i64::from(display.width) - 1),
        ("ABS_MT_POSITION_Y", "0036", i64::from(display.height) - 1),
        ("ABS_MT_TRACKING_ID", "0039", 65535),
    ] {
        let _ = write!(
            text,
            " {:<22}: value 0, min 0, max {last}, fuzz 0, flat 0, resolution 0\n               ",
            name(label, number)
        );
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n  input props:\n    ");
    text.push_str(name("INPUT_PROP_DIRECT", "0001"));
    call.say(text);
    Outcome::Exit(0)
}

/// `sendevent NODE TYPE CODE VALUE`, of decimal numbers. A gesture goes to the phone, and to the log, once its last
/// finger leaves. A wrong node or number gives 1. Faults and quirks may refuse, hang or drop the event, and a screen
/// that is off drops it; [`Quirk::MiuiGuard`] has no effect, as it guards Android's own injection.
pub(super) fn sendevent(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let [node, numbers @ ..] = words.as_slice() else {
        return call.fail(1, "sendevent: needs 4 arguments");
    };
    let numbers: Option<Vec<i64>> = numbers.iter().map(|word| word.parse().ok()).collect();
    let Some([kind, code, value]) = numbers.as_deref() else {
        return call.fail(1, "sendevent: needs 4 arguments");
    };
    if node != NODE {
        return call.fail(1, format!("sendevent: {node}: No such file or directory"));
    }
    if call.device.faults.shows(Fault::HungInput) {
        return Outcome::Running(RunningCommand::Hang);
    }
    let closed = call.device.quirks.has(Quirk::ClosedTouchscreen);
    if closed || call.device.faults.shows(Fault::RefusedInput) {
        return call.fail(1, format!("sendevent: {node}: Permission denied"));
    }
    let is_deaf = call.device.quirks.has(Quirk::DeafInput) || !call.device.system().awake;
    if is_deaf || call.device.faults.shows(Fault::LostInput) {
        return Outcome::Exit(0);
    }
    let (natural, at) = (call.device.options_display(), call.device.elapsed());
    let display = call.device.phone().display();
    let event = (*kind, *code, *value);
    let fingers = call.device.panel().event(event, at, natural, display);
    if let Some(fingers) = fingers {
        super::input::crash_app(&call.device);
        call.device
            .log_line('I', "Touchscreen", &describe(&fingers), 0);
        call.device.phone().fingers(&fingers);
    }
    call.spend(Duration::from_micros(100));
    Outcome::Exit(0)
}
