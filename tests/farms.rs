//! Devices that a server lends: Appium, a Selenium Grid before it, and a stand-in of a device cloud.
//!
//! Appium, Selenium Grid and adb are the real ones that `.ci/run` installs, before virtual devices; where one of them is
//! missing, the tests that need it say so, and in CI fail.

mod canned;
mod cloud;
mod grid;
mod http;

use grid::farm;

#[test]
fn try_it() {
    let Some(mut farm) = farm() else { return };
    let caps = br#"{"capabilities":{"firstMatch":[{}],"alwaysMatch":{"platformName":"Android","appium:automationName":"UiAutomator2"}}}"#;
    let a = http::send(farm.port, "POST", "/session", caps).unwrap();
    assert_eq!(a.status(), 200, "{}", a.json());
    let sessions = farm.until_sessions(1);
    assert_eq!(farm.appium_sessions().len(), 1);
    let began = std::time::Instant::now();
    println!("{}", http::get(farm.port + 0, "/status").unwrap());
    let node = farm.node_of(&sessions[0]);
    farm.kill_node(node);
    farm.start_again();
    farm.wait_until_ready();
    println!("{:?} {:?}", began.elapsed(), farm.sessions());
    farm.kill_hub();
    farm.start_again();
    println!("{:?} {:?}", began.elapsed(), farm.sessions());
    farm.wait_until_ready();
    println!("{:?} {:?}", began.elapsed(), farm.sessions());
    panic!();
}
