//! `dumpsys activity`: activities, processes and services.

use super::super::window_names::{activity_record, front, short_component, token};
use super::super::{Call, package, process};
use super::display::screen;
use crate::Quirk;

/// `dumpsys activity [activities|services|processes|top]`. Any other part prints the activities, of which only the
/// one in front is known. A reported front replaces that one; the other parts ignore it.
pub(super) fn activity(call: &mut Call, args: &[String]) {
    let (windows, _) = screen(call);
    let part = args.first().map_or("activities", String::as_str);
    if part == "services" || part == "s" {
        return services(call, args.get(1).map(String::as_str));
    }
    if part == "processes" || part == "p" {
        let mut processes = call.device.phone().processes();
        processes.extend(process::background(call));
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
