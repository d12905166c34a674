//! `dumpsys window`: policy, windows, displays and the focus.

use super::super::window_names::{
    REPORTED, activity_record, component, front, short_component, token,
};
use super::super::{Call, window_stack};
use super::display::{screen, unrotated};
use crate::Fault;

/// `dumpsys window [PART]`: policy, windows and displays, or all without a part. Any other part of at least two
/// letters is a window's name. The focus is printed with the displays, and before Android 10 with the windows too;
/// a reported front replaces it.
pub(super) fn window(call: &mut Call, args: &[String]) {
    let (windows, display) = screen(call);
    let part = args.first().map(String::as_str);
    let all = part.is_none() || part == Some("-a") || part == Some("a");
    if all || part == Some("policy") || part == Some("p") {
        call.say("WINDOW MANAGER POLICY STATE (dumpsys window policy)");
        let on = call.device.system().awake;
        let state = if on { "ON" } else { "OFF" };
        call.say(format!(
            "    mAwake={on} mScreenOnEarly={on} mScreenOnFully={on}"
        ));
        call.say(format!("    screenState=SCREEN_STATE_{state}"));
        call.say("    mShowingLockscreen=false mShowingDream=false isStatusBarKeyguard=false mDreamingLockscreen=false");
        call.say(format!(
            "    mOrientation=-1 mRotation={}",
            display.rotation
        ));
        let needs_pin = call.device.faults.shows(Fault::Locked);
        let showing = needs_pin || !on;
        call.say(format!("    KeyguardServiceDelegate\n      showing={showing}\n      showingAndNotOccluded={showing}\n      inputRestricted={showing}\n      occluded=false\n      secure={needs_pin}\n      dreaming=false\n      systemIsReady=true"));
    }
    let listed = all || matches!(part, Some("windows" | "w" | "visible" | "visible-apps"));
    if listed {
        call.say("WINDOW MANAGER WINDOWS (dumpsys window windows)");
        window_stack::print(call, "");
    } else if let Some(name) = part.filter(|part| part.len() > 1) {
        window_stack::print(call, name);
    }
    if all || matches!(part, Some("displays" | "d")) {
        call.say("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)");
        if call.device.faults.shows(Fault::SeveralDisplays) {
            call.say("  Display: mDisplayId=2 (organized)");
            call.say(
                "    init=1080x1080 420dpi cur=1080x1080 app=1080x1080 rng=1080x1080-1080x1080",
            );
            call.say("  mCurrentFocus=null");
            call.say("  mFocusedApp=null");
            call.say("");
        }
        let (width, height) = unrotated(display);
        call.say("  Display: mDisplayId=0 (organized)");
        call.say(format!(
            "    init={width}x{height} {0}dpi cur={1}x{2} app={1}x{2} rng={1}x{1}-{2}x{2}",
            display.density, display.width, display.height
        ));
        call.say("    deferred=false mLayoutNeeded=false mTouchExcludeRegion=SkRegion()");
        call.say(format!(
            "    mDisplayInfo=DisplayInfo{{\"Built-in Screen\", displayId 0, real {} x {}, rotation {}, density {}}}",
            display.width, display.height, display.rotation, display.density
        ));
        call.say(format!(
            "    mCurrentRotation=ROTATION_{}",
            u32::from(display.rotation) * 90
        ));
    }
    let sdk = call.device.property("ro.build.version.sdk").parse();
    // Since Android 10 each display has its focus, so it is printed with the displays.
    let is_among_windows = listed && sdk.unwrap_or(u32::MAX) < 29;
    if all || is_among_windows || matches!(part, Some("displays" | "d")) {
        let focused = windows.iter().find(|window| window.focused);
        let focus = focused.map_or_else(
            || "null".to_owned(),
            |window| format!("Window{{{} u0 {}}}", token(window.id), component(window)),
        );
        let app = front(&windows).and_then(|window| Some((window.id, short_component(window)?)));
        let app = app.map_or_else(
            || "null".to_owned(),
            |(id, name)| format!("ActivityRecord{{{} u0 {name} t{id}}}", token(id + 3)),
        );
        let (focus, app) = match call.device.reported_front() {
            Some(front) => (
                line_of(&front.focus, |title| {
                    format!("Window{{{} u0 {title}}}", token(REPORTED))
                }),
                line_of(&front.resumed, activity_record),
            ),
            None => (focus, app),
        };
        call.say(format!("  mCurrentFocus={focus}"));
        call.say(format!("  mFocusedApp={app}"));
    }
    if listed {
        let keyboard = call.device.phone().keyboard_shown();
        let target = if keyboard {
            front(&windows).map(component)
        } else {
            None
        };
        let target = target.map_or_else(
            || "null".to_owned(),
            |name| format!("Window{{{} u0 {name}}}", token(1)),
        );
        call.say(format!("  mInputMethodTarget={target}"));
        call.say("  mSystemBooted=true mDisplayEnabled=true");
    }
}

/// Formats a value of a report with `written`, or as `null` if it is empty.
fn line_of(value: &str, written: impl FnOnce(&str) -> String) -> String {
    if value.is_empty() {
        "null".to_owned()
    } else {
        written(value)
    }
}
