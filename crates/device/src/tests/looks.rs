//! Tests of looks: their requests, their faults, and pictures.

use super::*;

#[tokio::test]
async fn a_look_is_a_dump_and_one_round_trip_for_its_surroundings() {
    let (_phone, device) = start().await;
    let before = device.counters().read();
    let screen = device.look(look()).await.unwrap();
    let cost = device.counters().read() - before;
    assert_eq!((cost.round_trips, cost.dumps), (2, 1));
    assert_eq!(screen.foreground(), Some((APP, ".Main")));
    assert!(!screen.is_degraded());
    assert!(!screen.keyboard_shown());
    let display = screen.display();
    assert_eq!(
        (display.width, display.height, display.density),
        (1080, 2400, 420)
    );
}

// A dump holds texts of the screen. It is removed with the connection, and leftovers at the next connection.
#[tokio::test]
async fn no_dump_stays_on_the_device() {
    let (phone, device) = start().await;
    let left = async |device: &dyn Device| {
        let list = Script::raw("ls /data/local/tmp", "ls");
        let listed = device.shell(&list, LIMIT).await.unwrap();
        listed.text().trim().to_owned()
    };
    for fault in [Fault::DroppedOutput, Fault::DroppedConnection(0)] {
        phone.inject(once(fault));
        let _ = device.look(look()).await;
        let address = phone.address().to_string();
        let again = connect_direct(&address, "virtual").await.unwrap();
        let gone = async {
            while !left(again.as_ref()).await.is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        tokio::time::timeout(LIMIT, gone)
            .await
            .expect("a dump stays");
    }
    let address = phone.address().to_string();
    let again = connect_direct(&address, "virtual").await.unwrap();
    let leave = "cd /data/local/tmp; touch runner-0123456789ab.xml mine.xml";
    let wait = |time: &str| Script::raw(format!("sleep {time}"), "sleep");
    again
        .shell(&Script::raw(leave, "touch"), LIMIT)
        .await
        .unwrap();
    connect_direct(&address, "virtual").await.unwrap();
    assert_eq!(
        left(again.as_ref()).await,
        "mine.xml\nrunner-0123456789ab.xml"
    );
    again.shell(&wait("700"), LIMIT).await.unwrap();
    let young = Script::raw("touch /data/local/tmp/runner-ba9876543210.xml", "touch");
    let third = connect_direct(&address, "virtual").await.unwrap();
    third.shell(&young, LIMIT).await.unwrap();
    assert_eq!(third.counters().read().round_trips, 2);
    assert_eq!(
        left(third.as_ref()).await,
        "mine.xml\nrunner-ba9876543210.xml"
    );
}

#[tokio::test]
async fn faults_of_the_dump_are_lived_through_or_named() {
    let (phone, device) = start().await;
    for fault in [
        Fault::CouldNotGetIdle(Duration::ZERO),
        Fault::NullRoot,
        Fault::TruncatedDump,
        Fault::MissingDump,
        Fault::SlotTaken,
        Fault::ProcessKilled,
    ] {
        phone.inject(once(fault));
        assert!(device.look(look()).await.is_ok(), "{fault:?}");
        phone.clear_faults();
    }
    // A compressed dump succeeds on a screen that never gets idle.
    phone.inject(FaultSpec::always(Fault::CouldNotGetIdle(Duration::ZERO)));
    assert!(device.look(look()).await.is_ok());
    phone.clear_faults();
    for (fault, kind) in [
        (Fault::NullRoot, DumpFailure::NullRoot),
        (Fault::SlotTaken, DumpFailure::SlotTaken),
        (Fault::MissingDump, DumpFailure::Other),
    ] {
        phone.inject(FaultSpec::always(fault));
        let error = device.look(look()).await.unwrap_err();
        assert!(
            matches!(&error, DeviceError::NoDump { kind: found, .. } if *found == kind),
            "{fault:?}: {error}"
        );
        phone.clear_faults();
    }
}

/// The list of windows may be incomplete right after the server's flag for it is set.
#[tokio::test]
async fn a_look_without_the_app_in_front_is_not_taken_for_a_whole_one() {
    let (phone, device) = start().await;
    let launch = apps::Launch {
        package: "com.example.stub",
        ..apps::Launch::default()
    };
    apps::launch(device.as_ref(), &launch).await.unwrap();
    let options = || LookOptions {
        surroundings: true,
        ..look()
    };
    for fault in [
        FaultSpec::once(Fault::PartialDump),
        FaultSpec::always(Fault::PartialDump),
    ] {
        phone.inject(fault);
        let screen = device.look(options()).await.unwrap();
        let is_there = |package: &str| screen.nodes().any(|node| node.package() == package);
        assert!(is_there("com.example.stub"), "{fault:?}");
        phone.clear_faults();
    }
    // An app whose elements have another package costs all attempts, but once only.
    let other = r#"<node package="other" bounds="[0,0][9,9]" />"#;
    phone.show_dump(&format!(
        r#"<displays><display id="0"><window id="1" type="1"><hierarchy rotation="0">{other}</hierarchy></window></display></displays>"#
    ));
    let mut dumps = Vec::new();
    for _ in 0..2 {
        let before = phone.served("uiautomator");
        device.look(options()).await.unwrap();
        dumps.push(phone.served("uiautomator") - before);
    }
    assert!(dumps[0] > 1 && dumps[1] == 1, "{dumps:?}");
}

#[tokio::test]
async fn pictures() {
    let (phone, device) = start().await;
    let options = PictureOptions::within(LIMIT);
    let pixels = device.picture(options).await.unwrap().pixels().unwrap();
    assert_eq!(pixels.dimensions(), (1080, 2400));
    assert_eq!(pixels.get_pixel(5, 5).0, [10, 20, 30, 255]);
    phone.inject(once(Fault::BadScreenshot));
    let raw = device.picture(options).await.unwrap().pixels().unwrap();
    assert_eq!(raw.dimensions(), (1080, 2400));
}
