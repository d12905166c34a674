//! Opens every activity of somebody else's app, and touches it anywhere: nothing that an app does may be a
//! fault of the virtual device.
//!
//! A part of it runs always; `RUNNER_LONG` runs all.

use crate::adb_server::{Served, Server};
use crate::apk::{apk, parts};
use crate::common::Project;
use crate::common::needs::{self, long};

const PACKAGE: &str = "io.appium.android.apis";
/// All activities of its manifest.
const ACTIVITIES: &str = include_str!("apks/apidemos/activities.txt");
/// Activities that may end at once, as they need extras or parts that are missing. Measured on 2026-11-27: 14
/// of 331, with 1,900 touches in nine minutes.
const MAX_ENDED: usize = 18;

/// Device with the app, as the real adb reaches it.
struct Phone {
    server: Server,
    served: Served,
}

impl Phone {
    fn shell(&self, command: &str) -> String {
        self.server
            .adb(&["-s", &self.served.address, "shell", command])
    }

    /// Returns the reason for which the app has ended: the device's fault property, or else "crashed".
    fn end_of_app(&self) -> Option<String> {
        let fault = self.shell("getprop runner.host.fault");
        if !fault.trim().is_empty() {
            return Some(fault.trim().to_owned());
        }
        let runs = !self.shell(&format!("pidof {PACKAGE}")).trim().is_empty();
        (!runs).then(|| "crashed".to_owned())
    }

    fn start(&self, activity: &str) -> Option<String> {
        self.shell(&format!("am start -W -n {PACKAGE}/{activity}"));
        self.shell("uiautomator dump /dev/null");
        self.end_of_app()
    }
}

#[test]
fn what_an_app_does_is_never_a_fault_of_what_runs_it() {
    let Some(parts) = parts() else { return };
    if !needs::program("adb") {
        return;
    }
    let project = Project::empty();
    let app = apk("apidemos");
    let mut command = project.command(&["virtual", "--port", "0", "--app", app.to_str().unwrap()]);
    command.env("RUNNER_ANDROID_PARTS", parts);
    let served = Served::spawn(command);
    let server = Server::new();
    server.adb(&["connect", &served.address]);
    let phone = Phone { server, served };
    let mut random = fastrand::Rng::with_seed(7);
    let (mut ended, mut faults) = (Vec::new(), Vec::new());
    let activities: Vec<&str> = ACTIVITIES.lines().step_by(long(60, 1)).collect();
    for (number, activity) in activities.iter().enumerate() {
        let mut end = phone.start(activity);
        ended.extend(end.clone().map(|why| format!("{activity}: {why}")));
        for _ in 0..6 {
            if end.is_some() {
                break;
            }
            let (x, y) = (random.u32(0..1080), random.u32(0..2400));
            phone.shell(&format!("input tap {x} {y}"));
            end = phone.end_of_app();
        }
        // A new process takes seconds, and a task of hundreds of activities takes memory.
        if end.is_some() || number % 10 == 9 {
            phone.shell(&format!("am force-stop {PACKAGE}"));
        }
        if let Some(why) = end.filter(|why| why.contains("a fault of the host")) {
            faults.push(format!("{activity}: {why}"));
        }
    }
    eprintln!(
        "{} of {}:\n{}",
        ended.len(),
        activities.len(),
        ended.join("\n")
    );
    assert!(faults.is_empty(), "{faults:#?}");
    assert!(ended.len() <= MAX_ENDED, "{ended:#?}");
}
