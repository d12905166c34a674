//! Tests of the driver `stock` on the virtual device, directly and through a real adb server if one is
//! installed.

mod hostile_words;
mod inputs;
mod launches;
mod log_lines;
mod looks;
mod phone_settings;
mod real_server;
mod recordings;
mod transfers;

use std::sync::Arc;
use std::time::Duration;

use super::adb::connect_direct;
use super::files::{FileError, Location};
use super::*;
use runner_virtual_device::{Fault, FaultSpec, VirtualDevice, VirtualDeviceOptions, stub};

#[test]
fn a_device_of_real_apps_is_known_by_its_model() {
    assert_eq!(app_host::HOSTED_MODEL, runner_virtual_device::HOSTED_MODEL);
}

/// Limit of each call. Chosen: only a hang reaches it.
const LIMIT: Duration = Duration::from_secs(20);
const APP: &str = "com.example.stub";

async fn start() -> (VirtualDevice, Arc<dyn Device>) {
    let phone = VirtualDevice::start(VirtualDeviceOptions::new(stub::factory()))
        .await
        .unwrap();
    let device = connect_direct(&phone.address().to_string(), "virtual")
        .await
        .unwrap();
    (phone, device)
}

fn look() -> LookOptions {
    LookOptions::within(LIMIT)
}

fn once(fault: Fault) -> FaultSpec {
    FaultSpec::once(fault)
}

/// Returns the text of the stub's only field.
async fn field(device: &dyn Device) -> String {
    let screen = device.look(look()).await.unwrap();
    let node = screen.nodes().find(|node| node.is_editable()).unwrap();
    node.text().to_owned()
}

#[tokio::test]
async fn the_device_tells_what_it_is() {
    let (_phone, device) = start().await;
    let info = device.info();
    assert_eq!(info.kind_name(KindNames::PLAIN), "virtual");
    assert_eq!(info.serial, "virtual");
    assert_eq!(*info.sdk.needed().unwrap(), 34);
    let display = info.display.needed().unwrap();
    assert_eq!(
        (display.width, display.height, display.density),
        (1080, 2400, 420)
    );
    assert_eq!(info.locale.needed().unwrap(), "en");
}

#[tokio::test]
async fn faults_of_the_wire_are_named() {
    let (phone, device) = start().await;
    phone.inject(once(Fault::HungCommand));
    let hung = device
        .shell(&Script::command(["echo", "x"]), Duration::from_millis(100))
        .await
        .unwrap_err();
    assert!(matches!(hung, DeviceError::Timeout { .. }), "{hung}");
    phone.clear_faults();
    for fault in [Fault::DroppedConnection(0), Fault::DroppedOutput] {
        phone.inject(once(fault));
        let lost = device
            .shell(&Script::command(["echo", "x"]), LIMIT)
            .await
            .unwrap_err();
        assert!(
            matches!(lost, DeviceError::Lost { .. }),
            "{fault:?}: {lost}"
        );
        phone.clear_faults();
        let again = device.shell(&Script::command(["echo", "x"]), LIMIT).await;
        assert_eq!(again.unwrap().stdout, b"x\n");
    }
    phone.inject(FaultSpec::always(Fault::Unauthorized));
    let refused = connect_direct(&phone.address().to_string(), "virtual").await;
    assert!(matches!(refused.err(), Some(DeviceError::Refused { .. })));
}

#[tokio::test]
async fn what_only_reads_is_told_from_what_may_change_the_screen() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let changing = device.counters().changing();
    device.look(LookOptions::within(LIMIT)).await.unwrap();
    device.picture(PictureOptions::within(LIMIT)).await.unwrap();
    device.lines(&Script::raw("echo", "log")).await.unwrap();
    apps::process_ids(device, APP, LIMIT).await.unwrap();
    assert_eq!(device.counters().changing(), changing);
    let script = Script::command(["true"]);
    device.shell(&script, LIMIT).await.unwrap();
    assert_eq!(device.counters().changing(), changing + 1);
}

#[tokio::test]
async fn the_doctor_finds_a_sound_device_sound() {
    let (phone, device) = start().await;
    let findings = doctor::check_device(device.as_ref()).await;
    assert!(findings.iter().all(|finding| finding.ok), "{findings:#?}");
    phone.inject(FaultSpec::always(Fault::NullRoot));
    let findings = doctor::check_device(device.as_ref()).await;
    let bad: Vec<_> = findings.iter().filter(|finding| !finding.ok).collect();
    assert_eq!(bad.len(), 1);
    assert!(bad[0].title == "screen dump" && bad[0].advice.is_some());
}
