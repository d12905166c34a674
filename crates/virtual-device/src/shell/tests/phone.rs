//! Tests of commands that change the phone, or touch it.

use std::sync::Arc;

use super::Device;
use crate::apk::tests::apk;
use crate::state::DeviceState;
use crate::{Quirk, VirtualDeviceOptions};

fn device(quirks: &[Quirk]) -> Device {
    let options = VirtualDeviceOptions {
        quirks: quirks.to_vec(),
        ..VirtualDeviceOptions::default()
    };
    Device(Arc::new(DeviceState::new(&options).unwrap()))
}

#[tokio::test]
async fn a_rotation_that_is_deleted_is_upright_again() {
    let device = device(&[]);
    let rotation = || device.0.phone().display().rotation;
    for delete in [
        "settings delete system user_rotation",
        "content delete --uri content://settings/system/user_rotation",
    ] {
        device.run("settings put system user_rotation 1").await;
        assert_eq!(rotation(), 1);
        device.run(delete).await;
        assert_eq!(rotation(), 0, "{delete}");
    }
}

#[tokio::test]
async fn a_touchscreen_that_nothing_listens_to_is_as_deaf_as_any_input() {
    let touch: String = [
        "3 47 0", "3 57 1", "3 53 100", "3 54 900", "0 0 0", "3 57 -1", "0 0 0",
    ]
    .map(|event| format!("sendevent /dev/input/event1 {event}; "))
    .concat();
    for (quirks, before, arrives) in [
        (&[Quirk::MiuiGuard][..], "true", true),
        (&[], "true", true),
        (&[Quirk::DeafInput], "true", false),
        (&[], "input keyevent SLEEP", false),
    ] {
        let device = device(quirks);
        let script = format!("{before}; {touch} logcat -d -v raw Touchscreen:* '*:S'");
        let logged = device.run(&script).await.out;
        assert_eq!(logged.lines().count() > 1, arrives, "{quirks:?}: {logged}");
    }
}

#[tokio::test]
async fn the_settings_app_takes_a_language_with_its_country() {
    let device = Device::new();
    let package = apk("io.appium.settings", 1, "1", None);
    let install = format!("cmd package install -S {}", package.len());
    assert_eq!(device.run_with(&install, &package).await.out, "Success\n");
    for (extras, tag) in [
        ("--es lang de --es country AT", "de-AT"),
        (
            "--es lang zh --es script Hant --es country TW",
            "zh-Hant-TW",
        ),
        ("--es lang de", "en-US"),
        ("", "en-US"),
    ] {
        let script = format!("am broadcast -a io.appium.settings.locale {extras}");
        device.run(&script).await;
        assert_eq!(device.0.phone().locale(), tag, "{extras}");
    }
}

#[tokio::test]
async fn a_size_is_brought_within_androids_limits() {
    let device = device(&[]);
    for (given, over) in [
        ("720x1280", Some((720, 1280))),
        ("1x1", Some((200, 200))),
        ("7201x99999", Some((7200, 7200))),
        ("1080x2400", None),
        ("reset", None),
    ] {
        assert_eq!(device.run(&format!("wm size {given}")).await.code, 0);
        let said = device.run("wm size").await.out;
        let line = over.map(|(width, height)| format!("Override size: {width}x{height}"));
        assert_eq!(said.lines().nth(1).map(str::to_owned), line, "{given}");
        let display = device.0.phone().display();
        let (width, height) = over.unwrap_or((1080, 2400));
        assert_eq!((display.width, display.height), (width, height), "{given}");
    }
    for wrong in ["720", "720x", "x", "-1x5", "axb"] {
        let ran = device.run(&format!("wm size {wrong}")).await;
        assert_eq!(ran.code, 255, "{wrong}");
    }
}

#[tokio::test]
async fn a_locked_rotation_is_one_of_four_and_a_free_one_has_no_number() {
    let device = device(&[]);
    for (given, code, state) in [
        ("lock 3", 0, "lock 3"),
        ("lock 4", 255, "lock 3"),
        ("lock x", 255, "lock 3"),
        ("lock -2", 255, "lock 3"),
        ("upright", 255, "lock 3"),
        ("free", 0, "free"),
        // The present rotation.
        ("lock", 0, "lock 3"),
        ("lock 0", 0, "lock 0"),
        ("lock 1", 0, "lock 1"),
        ("lock -1", 0, "lock 1"),
    ] {
        let ran = device.run(&format!("wm user-rotation {given}")).await;
        assert_eq!(ran.code, code, "{given}: {}", ran.err);
        let said = device.run("wm user-rotation").await.out;
        assert_eq!(said.trim_end(), state, "{given}");
    }
}

#[tokio::test]
async fn chmod_knows_its_options_from_a_mode() {
    let device = device(&[]);
    device.run("mkdir -p /sdcard/a; touch /sdcard/a/b").await;
    for (given, code) in [
        ("755 /sdcard/a/b", 0),
        ("-x /sdcard/a/b", 0),
        ("-R 755 /sdcard/a", 0),
        ("755 -R /sdcard/a", 0),
        ("-Rf -v u+rw /sdcard/a /sdcard/a/b", 0),
        ("755 /sdcard/none", 1),
        ("-R 755 /sdcard/a /sdcard/none", 1),
        ("-- 755 /sdcard/a/b", 0),
        ("-- -x /sdcard/a/b", 0),
        ("u=rwx,go-w /sdcard/a/b", 0),
        ("+x /sdcard/a/b", 0),
        ("7777 /sdcard/a/b", 0),
        ("", 1),
        ("755", 1),
        ("-R 755", 1),
        ("zzz /sdcard/a/b", 1),
        ("8 /sdcard/a/b", 1),
        ("17777 /sdcard/a/b", 1),
        ("u /sdcard/a/b", 1),
        ("u+y /sdcard/a/b", 1),
    ] {
        let ran = device.run(&format!("chmod {given}")).await;
        assert_eq!(ran.code, code, "{given}: {}", ran.err);
    }
}
