//! `dumpsys window windows`: a block for each window, from front to back, as AOSP's `WindowState.dump` prints
//! it.

use super::Call;
use super::window_names::{component, token};
use crate::{Quirk, StackedWindow, dump};
use runner_screen::Rect;

/// Prints to standard output the windows whose name, `package/package.Activity` or a title, contains `text`, front to
/// back. An empty text prints all. Their numbers count the others too.
pub(super) fn print(call: &mut Call, text: &str) {
    let windows = call.device.phone().window_stack();
    let taskbar = call.device.quirks.has(Quirk::Taskbar);
    let layers = layers(&windows, taskbar);
    for (index, (window, layer)) in windows.iter().zip(layers).enumerate() {
        if component(&window.dump).contains(text) {
            print_window(call, index, window, layer, kind(window, taskbar));
        }
    }
}

/// Prints a window as `dumpsys window` does, with its number in the stack. A keyboard's insets are the part above
/// its bounds. Only a touchable region that differs from the frame is printed.
fn print_window(call: &mut Call, index: usize, window: &StackedWindow, layer: i32, kind: &str) {
    let about = &window.dump;
    let (frame, id) = (dump::edges(window.frame), about.id);
    let name = component(about);
    call.say(format!(
        "  Window #{index} Window{{{} u0 {name}}}:",
        token(id)
    ));
    call.say(format!("    mDisplayId=0 rootTaskId={id} mSession=Session{{{} 1320:u0a10100}} mClient=android.os.BinderProxy@{}", token(id + 1), token(id + 2)));
    call.say(format!(
        "    mOwnerUid=10100 showForAllUsers=false package={} appop=NONE",
        about.package
    ));
    call.say(format!("    mAttrs={{(0,0)(fillxfill) sim={{adjust=resize}} ty={kind} fmt=TRANSLUCENT\n      fl={}\n      bhv=DEFAULT}}", flags(window)));
    call.say(format!(
        "    Requested w={} h={} mLayoutSeq=1",
        window.frame.width(),
        window.frame.height()
    ));
    if kind == "INPUT_METHOD" {
        call.say("    mIsImWindow=true mIsWallpaper=false mIsFloatingLayer=true");
    }
    call.say(format!(
        "    mBaseLayer={layer} mSubLayer=0    mToken=WindowToken{{{} android.os.BinderProxy@{}}}",
        token(id + 5),
        token(id + 2)
    ));
    // 0 is `View.VISIBLE`; windows that are not shown are not listed.
    call.say("    mViewVisibility=0x0 mHaveFrame=true mObscured=false");
    let inset = about.bounds.top - window.frame.top;
    let inset = if kind == "INPUT_METHOD" { inset } else { 0 };
    call.say(format!(
        "    mGivenContentInsets=[0,{inset}][0,0] mGivenVisibleInsets=[0,{inset}][0,0]"
    ));
    if let Some(region) = window.touch.region {
        // 3 is `TOUCHABLE_INSETS_REGION`. Android prints no region of a window that gives none.
        call.say("    mTouchableInsets=3 mGivenInsetsPending=false");
        call.say(format!("    touchable region={}", sk_region(region)));
    }
    call.say("    mHasSurface=true isReadyForDisplay()=true mWindowRemovalAllowed=false");
    call.say(format!(
        "    Frames: parent={frame} display={frame} frame={frame} last={frame} insetsChanged=false"
    ));
    call.say("    isOnScreen=true");
    call.say("    isVisible=true");
}

/// Formats a region of one rectangle as `Region.toString` does. An empty one is `SkRegion()`.
fn sk_region(rect: Rect) -> String {
    if rect.is_empty() {
        return "SkRegion()".to_owned();
    }
    let Rect {
        left,
        top,
        right,
        bottom,
    } = rect;
    format!("SkRegion(({left},{top},{right},{bottom}))")
}

/// Returns the window's flags in Android's order, separated by spaces: those of `NOT_FOCUSABLE`, `NOT_TOUCHABLE` and
/// `NOT_TOUCH_MODAL` that apply, and then always `LAYOUT_IN_SCREEN`, `SPLIT_TOUCH` and `HARDWARE_ACCELERATED`.
fn flags(window: &StackedWindow) -> String {
    let touch = &window.touch;
    let flags = [
        (!touch.focusable, "NOT_FOCUSABLE"),
        (!touch.touchable, "NOT_TOUCHABLE"),
        (!touch.touch_modal, "NOT_TOUCH_MODAL"),
        (true, "LAYOUT_IN_SCREEN"),
        (true, "SPLIT_TOUCH"),
        (true, "HARDWARE_ACCELERATED"),
    ];
    let set = flags.iter().filter(|(is_set, _)| *is_set);
    set.map(|(_, name)| *name).collect::<Vec<_>>().join(" ")
}

/// Returns the type of a window, its `layout_type`. With `taskbar` a navigation bar is a panel beside the bar (AOSP,
/// `TYPE_NAVIGATION_BAR_PANEL`).
fn kind(window: &StackedWindow, taskbar: bool) -> &'static str {
    match window.layout_type {
        "NAVIGATION_BAR" if taskbar => "NAVIGATION_BAR_PANEL",
        other => other,
    }
}

/// Returns the layer of each window, front to back as given: that of its type, and never below a window that
/// it covers.
fn layers(windows: &[StackedWindow], taskbar: bool) -> Vec<i32> {
    let mut below = 0;
    let mut layers: Vec<i32> = windows
        .iter()
        .rev()
        .map(|window| {
            below = below.max(layer_of(kind(window, taskbar)));
            below
        })
        .collect();
    layers.reverse();
    layers
}

/// Returns the layer of a window type on Android 12, 10,000 times its number there and 1,000 (AOSP,
/// `WindowManagerPolicy.getWindowLayerFromTypeLw`, and recordings). Unlisted types have that of an app, 21,000.
fn layer_of(kind: &str) -> i32 {
    let policy = match kind {
        "TOAST" => 7,
        "APPLICATION_OVERLAY" => 12,
        "SYSTEM_ALERT" => 13,
        "INPUT_METHOD" => 15,
        "STATUS_BAR" => 17,
        "NOTIFICATION_SHADE" => 19,
        "NAVIGATION_BAR" => 24,
        "NAVIGATION_BAR_PANEL" => 25,
        _ => 2,
    };
    policy * 10_000 + 1_000
}
