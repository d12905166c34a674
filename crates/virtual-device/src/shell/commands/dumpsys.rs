//! `dumpsys`: the output of services, in the parts that drivers and people read. `activity`, `display` and `window`
//! have those of the screen and of what is on it.

mod activity;
mod display;
mod window;

use super::{Call, Outcome, grants, package_dump};

/// Prints a service's output. The arguments are those after its name.
type Print = fn(&mut Call, &[String]);

/// Services that have output.
const SERVICES: &[(&str, Print)] = &[
    ("SurfaceFlinger", display::surface_flinger),
    ("activity", activity::activity),
    ("battery", battery),
    ("connectivity", connectivity),
    ("deviceidle", grants::device_idle),
    ("display", display::display),
    ("dropbox", dropbox),
    ("input", display::input),
    ("input_method", input_method),
    ("location", location),
    ("package", package_info),
    ("power", power),
    ("window", window::window),
];

/// Runs `dumpsys`. Without a name, or with `-l`, it lists the services. An unknown one gives a message and exit
/// code 0 too.
pub(super) fn dumpsys(call: &mut Call) -> Outcome {
    let words = call.owned_args();
    let Some((name, args)) = words.split_first() else {
        call.say("Currently running services:");
        for (name, _) in SERVICES {
            call.say(format!("  {name}"));
        }
        return Outcome::Exit(0);
    };
    if name == "-l" {
        for (name, _) in SERVICES {
            call.say(format!("  {name}"));
        }
        return Outcome::Exit(0);
    }
    match SERVICES.iter().find(|(known, _)| known == name) {
        Some((_, print)) => print(call, args),
        None => call.warn(format!("Can't find service: {name}")),
    }
    Outcome::Exit(0)
}

/// Prints the test providers of places with what they were set to last.
fn location(call: &mut Call, _: &[String]) {
    let providers = call.device.system().test_providers.clone();
    call.say("Location Manager State:\n  Location Providers:");
    for (name, place) in providers {
        call.say(format!("    {name} provider [mock]:"));
        let last = place.map_or_else(
            || "null".to_owned(),
            |[lat, lon]| format!("Location[{name} {lat:.6},{lon:.6} hAcc=100.0 mock]"),
        );
        call.say(format!("      last location={last}"));
    }
}

/// `dumpsys dropbox [--print] [TAG]`: the stack trace of the last app that hung, with `--print`, else only
/// its head. Other tags than `data_app_anr` have no entries.
fn dropbox(call: &mut Call, args: &[String]) {
    let tag = args.iter().find(|arg| !arg.starts_with('-'));
    let trace = call.device.phone().anr_trace();
    let trace = trace.filter(|_| tag.is_none_or(|tag| tag == "data_app_anr"));
    call.say(format!(
        "Drop box contents: {} entries",
        usize::from(trace.is_some())
    ));
    if let Some(tag) = tag {
        call.say(format!("Searching for: {tag}"));
    }
    let Some(trace) = trace else {
        call.say("(No entries found.)");
        return;
    };
    call.say("\n========================================");
    let at = call.device.now().format("%Y-%m-%d %H:%M:%S");
    call.say(format!("{at} data_app_anr (text, {} bytes)", trace.len()));
    if args.iter().any(|arg| arg == "-p" || arg == "--print") {
        call.say(trace);
    }
}

/// `dumpsys input_method`: the chosen keyboard, and if it is displayed.
fn input_method(call: &mut Call, _: &[String]) {
    let method = call.device.system().input_method().to_owned();
    let displayed = call.device.phone().keyboard_shown();
    call.say("Current Input Method Manager state:");
    call.say(format!("  mCurMethodId={method}"));
    // As AOSP 14's `ImeVisibilityStateComputer.dump`.
    call.say("  mRequestedShowExplicitly=false mShowForced=false");
    call.say("  mImeHiddenByDisplayPolicy=false");
    call.say(format!("  mInputShown={displayed}"));
    call.say(format!("  mIsInputViewShown={displayed}"));
    call.say(format!(
        "  mServedView={}",
        if displayed {
            "android.widget.EditText{0 VFED..CL. .F...... 0,0-0,0}"
        } else {
            "null"
        }
    ));
}

fn package_info(call: &mut Call, args: &[String]) {
    package_dump::describe(call, args.first().map(String::as_str));
}

/// `dumpsys battery`: always full and on USB.
fn battery(call: &mut Call, _: &[String]) {
    call.say(
        "Current Battery Service state:
  AC powered: false
  USB powered: true
  Wireless powered: false
  Max charging current: 500000
  status: 2
  health: 2
  present: true
  level: 100
  scale: 100
  voltage: 4200
  temperature: 250
  technology: Li-ion",
    );
}

/// Prints the power state, awake or asleep; the battery is always full.
fn power(call: &mut Call, _: &[String]) {
    let (wakefulness, state) = if call.device.system().awake {
        ("Awake", "ON")
    } else {
        ("Asleep", "OFF")
    };
    call.say(format!("POWER MANAGER (dumpsys power)\n\nPower Manager State:\n  mWakefulness={wakefulness}\n  mIsPowered=true\n  mBatteryLevel=100\n  mHoldingWakeLockSuspendBlocker=true\n  mHoldingDisplaySuspendBlocker=true\nDisplay Power: state={state}"));
}

/// `dumpsys connectivity`: a network, unless the phone is in airplane mode.
fn connectivity(call: &mut Call, _: &[String]) {
    let airplane = call.device.system().setting("global", "airplane_mode_on") == Some("1");
    call.say(if airplane {
        "Active default network: none"
    } else {
        "Active default network: 100"
    });
}
