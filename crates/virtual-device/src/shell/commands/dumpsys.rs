//! `dumpsys`: the output of services, in the parts that drivers and people read.

use super::{Call, Outcome, grants, package, package_dump, window_stack};
use crate::{Fault, Quirk, WindowDump, dump};
use runner_screen::Display;

/// Prints a service's output. The arguments are those after its name.
type Print = fn(&mut Call, &[String]);

/// Services that have output.
const SERVICES: &[(&str, Print)] = &[
    ("SurfaceFlinger", surface_flinger),
    ("activity", activity),
    ("battery", battery),
    ("connectivity", connectivity),
    ("deviceidle", grants::device_idle),
    ("display", display),
    ("dropbox", dropbox),
    ("input", input),
    ("input_method", input_method),
    ("location", location),
    ("package", package_info),
    ("power", power),
    ("window", window),
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

/// Returns `package/package.Activity`, as windows are named. Only an activity that begins with `.` gets
/// the package before it; any other stays as it is. A window without an activity has its title.
pub(super) fn component(window: &WindowDump) -> String {
    match &window.activity {
        Some(activity) if activity.starts_with('.') => {
            format!("{0}/{0}{activity}", window.package)
        }
        Some(activity) => format!("{}/{activity}", window.package),
        None => window.title.clone(),
    }
}

/// Returns `package/.Activity`, as activities are named, or the whole class if it is outside the package.
/// Returns `None` without an activity.
pub(super) fn short_component(window: &WindowDump) -> Option<String> {
    let activity = window.activity.as_ref()?;
    let short = activity
        .strip_prefix(&window.package)
        .filter(|rest| rest.starts_with('.'));
    Some(format!("{}/{}", window.package, short.unwrap_or(activity)))
}

/// Returns the application window that has the focus, else the first application window, else `None`.
pub(super) fn front(windows: &[WindowDump]) -> Option<&WindowDump> {
    windows
        .iter()
        .find(|window| window.kind == "APPLICATION" && window.focused)
        .or_else(|| windows.iter().find(|window| window.kind == "APPLICATION"))
}

/// Id of the task and the window that [`crate::ReportedFront`] names. The phone has no such window.
const REPORTED: i32 = 9_999;

/// Formats a value of a report with `written`, or as `null` if it is empty.
fn line_of(value: &str, written: impl FnOnce(&str) -> String) -> String {
    if value.is_empty() {
        "null".to_owned()
    } else {
        written(value)
    }
}

/// Formats an activity that the last report named, which has no window.
fn activity_record(name: &str) -> String {
    format!(
        "ActivityRecord{{{} u0 {name} t{REPORTED}}}",
        token(REPORTED)
    )
}

/// Formats a hash as objects have in dumps: made up, and the same for an id each time.
pub(super) fn token(id: i32) -> String {
    format!(
        "{:x}",
        // Made up, yet the same each time a window is printed.
        (id as u32).wrapping_mul(0x9e_3779).wrapping_add(0x0a1_b2c3) & 0x0fff_ffff
    )
}

fn screen(call: &Call) -> (Vec<WindowDump>, Display) {
    let phone = call.device.phone();
    (phone.windows(), phone.display())
}

/// `dumpsys window [PART]`: policy, windows and displays, or all without a part. Any other part of at least two
/// letters is a window's name. The focus is printed with the displays, and before Android 10 with the windows too;
/// a reported front replaces it.
fn window(call: &mut Call, args: &[String]) {
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

/// Returns width and height of the display as it stands upright.
fn unrotated(display: Display) -> (u32, u32) {
    if display.rotation % 2 == 1 {
        (display.height, display.width)
    } else {
        (display.width, display.height)
    }
}

/// `dumpsys activity [activities|services|processes|top]`. Any other part prints the activities, of which only the
/// one in front is known. A reported front replaces that one; the other parts ignore it.
fn activity(call: &mut Call, args: &[String]) {
    let (windows, _) = screen(call);
    let part = args.first().map_or("activities", String::as_str);
    if part == "services" || part == "s" {
        return services(call, args.get(1).map(String::as_str));
    }
    if part == "processes" || part == "p" {
        let mut processes = call.device.phone().processes();
        processes.extend(super::process::background(call));
        call.say("ACTIVITY MANAGER RUNNING PROCESSES (dumpsys activity processes)");
        for (id, name) in processes {
            call.say(format!(
                "  *APP* UID 10100 ProcessRecord{{{} {id}:{name}/u0a100}}",
                token(id as i32)
            ));
        }
        return;
    }
    if part == "top" {
        call.say("TASK null id=1 userId=0");
        if let Some((window, name)) =
            front(&windows).and_then(|window| Some((window, short_component(window)?)))
        {
            let pid = pid_of(call, &window.package);
            call.say(format!(
                "  ACTIVITY {name} {} pid={pid} userId=0",
                token(window.id + 3)
            ));
            call.say("    Local Activity State:");
            call.say("      mResumed=true mStopped=false mFinished=false");
        }
        return;
    }
    call.say("ACTIVITY MANAGER ACTIVITIES (dumpsys activity activities)");
    if call.device.quirks.has(Quirk::OtherDisplayFirst) {
        call.say("Display #5 (activities from top to bottom):\n  * Task{2bf61c2 #77 type=standard A=10200:com.example.cast}\n    topResumedActivity=ActivityRecord{1c2d3e4 u0 com.example.cast/.Screen t77}\n  ResumedActivity: ActivityRecord{1c2d3e4 u0 com.example.cast/.Screen t77}\n");
    }
    call.say("Display #0 (activities from top to bottom):");
    if let Some(front) = call.device.reported_front() {
        if !front.resumed.is_empty() {
            let record = activity_record(&front.resumed);
            call.say(format!("    topResumedActivity={record}"));
            call.say(format!("  ResumedActivity: {record}"));
        }
        return;
    }
    let Some((window, name)) =
        front(&windows).and_then(|window| Some((window, short_component(window)?)))
    else {
        return;
    };
    let record = format!(
        "ActivityRecord{{{} u0 {name} t{}}}",
        token(window.id + 3),
        window.id
    );
    let pid = pid_of(call, &window.package);
    call.say(format!(
        "  * Task{{{} #{} type=standard A=10100:{}}}",
        token(window.id),
        window.id,
        window.package
    ));
    call.say(format!("    * Hist  #0: {record}"));
    call.say(format!(
        "      packageName={} processName={}",
        window.package, window.package
    ));
    call.say(format!(
        "      app=ProcessRecord{{{} {pid}:{}/u0a100}}",
        token(window.id + 4),
        window.package
    ));
    call.say("      state=RESUMED delayedResume=false finishing=false");
    call.say(format!("    topResumedActivity={record}"));
    call.say(format!("  ResumedActivity: {record}"));
    call.say(format!("  mResumedActivity: {record}"));
    call.say(format!("  mFocusedApp={record}"));
}

/// `dumpsys activity services [PACKAGE | PACKAGE/CLASS]`: the running background services, all or those of
/// the name. The class may be short or whole. Prints `(nothing)` if there is none.
fn services(call: &mut Call, wanted: Option<&str>) {
    call.say("ACTIVITY MANAGER SERVICES (dumpsys activity services)");
    let mut any = false;
    for service in call.device.background.services() {
        let package = &service.package;
        let name = format!(
            "{package}/{}",
            package::short_class(package, &service.class)
        );
        let full = format!("{package}/{}", service.class);
        if wanted.is_some_and(|wanted| ![package.as_str(), &name, &full].contains(&wanted)) {
            continue;
        }
        if !any {
            call.say("  User 0 active services:");
        }
        any = true;
        let pid = service.pid;
        call.say(format!(
            "  * ServiceRecord{{{} u0 {name}}}",
            token(pid as i32)
        ));
        call.say(format!("    intent={{cmp={name}}}"));
        call.say(format!(
            "    packageName={package}\n    processName={package}"
        ));
        call.say(format!(
            "    app=ProcessRecord{{{} {pid}:{package}/u0a100}}",
            token(pid as i32 + 4)
        ));
        if service.foreground {
            call.say("    isForeground=true foregroundId=1 types=00000000 foregroundNoti=Notification(channel=main_channel shortcut=null contentView=null vibrate=null sound=null defaults=0x0 flags=0x62 color=0x00000000 vis=PRIVATE)");
        }
        call.say("    startRequested=true delayedStop=false stopIfKilled=true callStart=true lastStartId=1");
    }
    if !any {
        call.say("  (nothing)");
    }
}

/// Returns the process id of an app's package, 0 if it does not run.
fn pid_of(call: &Call, package: &str) -> u32 {
    let processes = call.device.phone().processes();
    processes
        .iter()
        .find(|(_, name)| name == package)
        .map_or(0, |(pid, _)| *pid)
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

fn input(call: &mut Call, _: &[String]) {
    let (_, display) = screen(call);
    call.say("INPUT MANAGER (dumpsys input)\n\nEvent Hub State:\n  Devices:\n    2: virtual-touchscreen\n      Classes: KEYBOARD | TOUCH | TOUCH_MT");
    call.say(format!("  SurfaceOrientation: {}", display.rotation));
}

/// `dumpsys display`: the built-in screen, upright but for its orientation and viewport, and with a fault a second
/// one.
fn display(call: &mut Call, _: &[String]) {
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
fn surface_flinger(call: &mut Call, args: &[String]) {
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
