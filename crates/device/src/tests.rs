//! Tests of the driver `stock` on the virtual device, directly and through a real adb server if one is
//! installed.

use std::path::PathBuf;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use super::adb::{AdbServer, connect_direct, connect_serial, list_devices};
use super::files::{FileError, Location};
use super::settings::{Rotation, Setting};
use super::*;
use runner_screen::Point;
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

#[tokio::test]
async fn touches_arrive_as_they_were_meant() {
    let (_phone, device) = start().await;
    let at = |x, y| Point { x, y };
    let gesture = Gesture {
        from: at(100, 900),
        to: at(100, 100),
        duration: Duration::from_millis(200),
    };
    device
        .input(
            &[
                Input::Tap(at(1, 2)),
                Input::LongPress(at(3, 4), Duration::from_millis(900)),
                Input::Swipe(gesture),
                Input::Drag(gesture),
                Input::Key {
                    key: "BACK".parse().unwrap(),
                    long: false,
                },
                Input::Key {
                    key: "DPAD_DOWN".parse().unwrap(),
                    long: true,
                },
            ],
            LIMIT,
        )
        .await
        .unwrap();
    let lines = logs::read(device.as_ref(), &logs::LogQuery::default())
        .await
        .unwrap();
    let of = |tag: &str| -> Vec<String> {
        let tagged = lines.iter().filter(|line| line.tag == tag);
        tagged.map(|line| line.message.clone()).collect()
    };
    let touches = of("Touch");
    assert!(touches[0].starts_with("1,2 1,2 "), "{touches:?}");
    assert_eq!(touches[1], "3,4 3,4 900ms");
    assert_eq!(touches[2], "100,900 100,100 200ms");
    assert!(touches[3].starts_with("100,900 100,100 "), "{touches:?}");
    assert_eq!(touches.len(), 4);
    assert_eq!(of("Key"), ["BACK", "DPAD_DOWN long"]);
}

#[tokio::test]
async fn text_of_any_script_arrives_whole() {
    let (_phone, device) = start().await;
    for text in [
        "it's 100%sure; $(reboot) `x` \"q\" \\n",
        "Grüße 日本語 👍🏽",
        "a  b%s%%s",
    ] {
        let before = field(device.as_ref()).await;
        super::text::type_text(device.as_ref(), text).await.unwrap();
        assert_eq!(field(device.as_ref()).await, format!("{before}{text}"));
    }
    let keyboard = device
        .shell(
            &Script::raw("settings get secure default_input_method", "settings"),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(
        keyboard.text().trim(),
        "com.android.inputmethod.latin/.LatinIME"
    );
}

/// Names that end a quotation or begin a command, as a person or an app may choose them.
const HOSTILE: [&str; 9] = [
    "'; reboot #",
    "\"; reboot #",
    "$(id) `id` ${HOME}",
    "a && b || c | d > /sdcard/e < f & g",
    "line one\nline two\r\ttab",
    "-n --help -e",
    "\\ \\n \\' \\",
    "~ * ? [a-z] {b,c} !x",
    "\u{7f}\u{1}\u{202e}ü😀",
];

#[tokio::test]
async fn hostile_words_arrive_as_they_are() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    for text in HOSTILE {
        let printed = device
            .shell(&Script::command(["printf", "%s", text]), LIMIT)
            .await
            .unwrap();
        assert_eq!(printed.text(), text);
        let error = apps::open_link(device, text, None).await.unwrap_err();
        assert!(
            matches!(error, DeviceError::Command { .. }),
            "{text:?}: {error}"
        );
        let extras = [(text.to_owned(), serde_json::json!(text))].into();
        let launch = apps::Launch {
            package: APP,
            extras: Some(&extras),
            ..apps::Launch::default()
        };
        apps::launch(device, &launch).await.unwrap();
        assert!(!matches!(apps::is_installed(device, text).await, Ok(true)));
    }
    let listed = device
        .shell(&Script::command(["ls", "/sdcard/e"]), LIMIT)
        .await
        .unwrap();
    assert!(!listed.succeeded(), "a redirection was run");
}

#[tokio::test]
async fn hostile_file_names_stay_in_their_location() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    for text in HOSTILE {
        let name = text.replace('/', "_");
        match files::write(device, &location, &name, text.as_bytes()).await {
            Ok(()) => {
                let read = files::read(device, &location, &name, 1000).await.unwrap();
                assert_eq!(read, text.as_bytes(), "{name:?}");
                files::delete(device, &location, &name).await.unwrap();
            }
            Err(error) => assert!(
                matches!(error, FileError::Outside { .. }),
                "{name:?}: {error}"
            ),
        }
    }
    for outside in ["../x", "/etc/x", "a/../../x", "..", "a\0b"] {
        let error = files::write(device, &location, outside, b"x").await;
        assert!(
            matches!(error, Err(FileError::Outside { .. })),
            "{outside:?}: {error:?}"
        );
    }
    for outside in ["/sdcard/../../etc/x", "/system/x"] {
        assert!(
            device.push(b"x", outside, 0o644).await.is_err(),
            "{outside}"
        );
    }
}

#[tokio::test]
async fn a_link_that_cannot_arrive_whole_is_refused() {
    let (_phone, device) = start().await;
    let long = "x".repeat(2 << 20);
    let before = field(device.as_ref()).await;
    for text in ["a\0b", &long] {
        let link = apps::open_link(device.as_ref(), text, None).await;
        assert!(matches!(link, Err(DeviceError::Command { .. })));
    }
    assert_eq!(field(device.as_ref()).await, before);
}

#[tokio::test]
async fn apps_are_launched_stopped_and_listed() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    apps::stop(device, APP).await.unwrap();
    assert!(!apps::is_running(device, APP).await.unwrap());
    let extras = indexmap::IndexMap::from([("who".to_owned(), serde_json::json!("Ada Lovelace"))]);
    let permissions = indexmap::IndexMap::from([("CAMERA".to_owned(), false)]);
    let launch = apps::Launch {
        package: APP,
        clear: true,
        extras: Some(&extras),
        permissions: Some(&permissions),
        ..apps::Launch::default()
    };
    apps::launch(device, &launch).await.unwrap();
    assert_eq!(apps::process_ids(device, APP, LIMIT).await.unwrap(), [501]);
    let front = apps::foreground(device).await.unwrap();
    assert_eq!(front, Some((APP.to_owned(), ".Main".to_owned())));
    let user = apps::list(device, apps::AppFilter::User).await.unwrap();
    assert_eq!(user.len(), 1);
    assert_eq!(user[0].package, APP);

    let unknown = apps::Launch {
        package: "com.example.none",
        ..apps::Launch::default()
    };
    let error = apps::launch(device, &unknown).await.unwrap_err();
    assert!(error.to_string().contains("not installed"), "{error}");
    let error = apps::open_link(device, "nowhere://x", None)
        .await
        .unwrap_err();
    assert!(matches!(error, DeviceError::Command { .. }), "{error}");
    assert!(apps::clear(device, "com.example.none").await.is_err());
    assert!(
        apps::grant(device, "com.example.none", "CAMERA")
            .await
            .is_err()
    );
    apps::uninstall(device, APP).await.unwrap();
    assert!(apps::uninstall(device, "com.example.none").await.is_err());
}

#[tokio::test]
async fn a_folder_is_installed_as_an_app() {
    let (_phone, device) = start().await;
    let folder = tempfile::tempdir().unwrap();
    let error = apps::install(device.as_ref(), folder.path())
        .await
        .unwrap_err();
    assert!(matches!(error, DeviceError::Command { .. }), "{error}");
    fs_err::create_dir(folder.path().join("screens")).unwrap();
    fs_err::write(folder.path().join("screens/home.json"), b"{}").unwrap();
    fs_err::write(folder.path().join("app.yaml"), b"package: x").unwrap();
    apps::install(device.as_ref(), folder.path()).await.unwrap();
    let left = device
        .shell(&Script::raw("ls /data/local/tmp", "ls"), LIMIT)
        .await
        .unwrap();
    assert_eq!(left.text().trim(), "");
}

#[tokio::test]
async fn every_setting_is_put_back() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let locale = |tag: &str| Setting::Locale {
        tag: tag.to_owned(),
        app: None,
    };
    for (wanted, usual) in [
        (Setting::dark(true), Setting::dark(false)),
        (Setting::FontScale(130), Setting::FontScale(100)),
        (locale("de-DE"), locale("en")),
        (Setting::Airplane(true), Setting::Airplane(false)),
        (Setting::Location(false), Setting::Location(true)),
        (
            Setting::Rotation(Rotation::Fixed(1)),
            Setting::Rotation(Rotation::Fixed(0)),
        ),
        (
            Setting::no_animations(),
            Setting::Animations(["1.0"; 3].map(str::to_owned)),
        ),
    ] {
        let current = async || settings::current(device, &wanted).await.unwrap();
        assert_eq!(current().await, usual);
        settings::set(device, &wanted).await.unwrap();
        assert_eq!(current().await, wanted);
        settings::set(device, &usual).await.unwrap();
        assert_eq!(current().await, usual);
    }
}

#[tokio::test]
async fn files_stay_in_their_location() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    let name = "notes/it's a 'test'|x.txt";
    files::write(device, &location, name, b"one\n")
        .await
        .unwrap();
    files::append(device, &location, name, b"two\n")
        .await
        .unwrap();
    assert_eq!(
        files::read(device, &location, name, 100).await.unwrap(),
        b"one\ntwo\n"
    );
    let stat = files::stat(device, &location, name).await.unwrap();
    assert_eq!((stat.size, stat.is_folder), (8, false));
    files::write(device, &location, "b.txt", b"").await.unwrap();
    let names: Vec<String> = files::list(device, &location, "")
        .await
        .unwrap()
        .into_iter()
        .map(|entry| entry.name)
        .collect();
    assert_eq!(names, ["notes", "b.txt"]);
    assert!(matches!(
        files::read(device, &location, name, 7).await,
        Err(FileError::TooLarge { size: 8, .. })
    ));
    assert!(matches!(
        files::read(device, &location, "none.txt", 7).await,
        Err(FileError::NotFound { .. })
    ));
    assert!(matches!(
        files::append(device, &location, "notes", b"x").await,
        Err(FileError::IsFolder { .. })
    ));
    assert!(matches!(
        files::list(device, &location, "b.txt").await,
        Err(FileError::NotFolder { .. })
    ));
    files::delete(device, &location, name).await.unwrap();
    assert!(matches!(
        files::delete(device, &location, name).await,
        Err(FileError::NotFound { .. })
    ));
    assert!(
        files::list(device, &location, "notes")
            .await
            .unwrap()
            .is_empty()
    );
}

#[tokio::test]
async fn a_full_storage_is_an_error_and_leaves_the_old_file() {
    let (phone, device) = start().await;
    let device = device.as_ref();
    let location = Location::new("/sdcard/Download").unwrap();
    files::write(device, &location, "a.txt", b"old")
        .await
        .unwrap();
    phone.inject(FaultSpec::always(Fault::StorageFull));
    assert!(
        files::write(device, &location, "a.txt", b"new")
            .await
            .is_err()
    );
    phone.clear_faults();
    assert_eq!(
        files::read(device, &location, "a.txt", 10).await.unwrap(),
        b"old"
    );
}

#[tokio::test]
async fn transfers_larger_than_a_packet() {
    let (_phone, device) = start().await;
    let data: Vec<u8> = (0..3_000_000u32)
        .map(|number| (number % 251) as u8)
        .collect();
    device.push(&data, "/sdcard/big.bin", 0o644).await.unwrap();
    assert_eq!(
        device.pull("/sdcard/big.bin", 4_000_000).await.unwrap(),
        data
    );
    let printed = device
        .shell(&Script::command(["cat", "/sdcard/big.bin"]), LIMIT)
        .await
        .unwrap();
    assert_eq!(printed.stdout, data);
}

#[tokio::test]
async fn the_clipboard_and_the_bars() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    assert_eq!(clipboard::get(device).await.unwrap(), None);
    clipboard::set(device, "ein 'Text' mit $Zeichen")
        .await
        .unwrap();
    assert_eq!(
        clipboard::get(device).await.unwrap().as_deref(),
        Some("ein 'Text' mit $Zeichen")
    );
    system::open_notifications(device).await.unwrap();
    system::open_quick_settings(device).await.unwrap();
    system::close_panels(device).await.unwrap();
    system::wake(device).await.unwrap();
    system::dismiss_keyguard(device).await.unwrap();
    let keyboard = keyboard::state(device, Duration::from_secs(5))
        .await
        .unwrap();
    assert_eq!(keyboard, keyboard::KeyboardState::Hidden);
}

#[tokio::test]
async fn logs_are_filtered() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let query = |tag: Option<&str>, package: Option<&str>| logs::LogQuery {
        tag: tag.map(str::to_owned),
        package: package.map(str::to_owned),
        ..logs::LogQuery::default()
    };
    let lines = logs::read(device, &query(Some("Stub"), Some(APP)))
        .await
        .unwrap();
    assert_eq!(lines.len(), 1);
    assert_eq!(lines[0].message, "booted");
    assert!(
        logs::read(device, &query(None, Some("com.none")))
            .await
            .unwrap()
            .is_empty()
    );
    let later = logs::LogQuery {
        since: logs::LogTime::parse("2099-12-31T23:59:59.999"),
        ..logs::LogQuery::default()
    };
    assert!(logs::read(device, &later).await.unwrap().is_empty());
    let now = logs::LogQuery {
        until: Some(logs::now(device).await.unwrap()),
        ..logs::LogQuery::default()
    };
    assert!(!logs::read(device, &now).await.unwrap().is_empty());
}

/// The turns follow each other within a second.
#[tokio::test]
async fn a_line_of_the_same_second_before_now_is_not_since_now() {
    let (_phone, device) = start().await;
    let device = device.as_ref();
    let write = async |commands: &str| {
        let script = Script::raw(commands.to_owned(), "log");
        device.shell(&script, LIMIT).await.unwrap();
    };
    for turn in 0..5 {
        write("log -t Turn early; sleep 0.01").await;
        let query = logs::LogQuery {
            since: Some(logs::now(device).await.unwrap()),
            tag: Some("Turn".to_owned()),
            ..logs::LogQuery::default()
        };
        write("log -t Turn late").await;
        let lines = logs::read(device, &query).await.unwrap();
        let messages: Vec<&str> = lines.iter().map(|line| line.message.as_str()).collect();
        assert_eq!(messages, ["late"], "turn {turn}");
    }
}

#[tokio::test]
async fn lines_come_as_they_are_written() {
    let (_phone, device) = start().await;
    let mut lines = device
        .lines(&Script::raw("echo one; echo two >&2; echo three", "echo"))
        .await
        .unwrap();
    let mut observed = Vec::new();
    while let Some(line) = lines.next_line().await.unwrap() {
        observed.push(line);
    }
    observed.sort();
    assert_eq!(observed, ["one", "three", "two"]);
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
async fn a_recording_is_fetched_when_it_is_whole() {
    let (_phone, device) = start().await;
    let mut recording = record::Recording::start(device.as_ref()).await.unwrap();
    recording.stop(device.as_ref(), LIMIT).await.unwrap();
    let video = recording.fetch(device.as_ref()).await.unwrap();
    assert_eq!(video.get(4..8), Some(&b"ftyp"[..]));
    recording.discard(device.as_ref()).await.unwrap();
    assert_eq!(videos(device.as_ref()).await, "");
}

async fn videos(device: &dyn Device) -> String {
    let list = Script::raw("ls /sdcard/ | grep mp4", "ls");
    let listed = device.shell(&list, LIMIT).await.unwrap();
    listed.text().into_owned()
}

#[tokio::test]
async fn a_recording_that_is_not_finished_in_time_is_given_up_without_a_file() {
    let (phone, device) = start().await;
    let mut recording = record::Recording::start(device.as_ref()).await.unwrap();
    assert_ne!(videos(device.as_ref()).await, "");
    phone.inject(FaultSpec::once(Fault::HungCommand));
    let limit = Duration::from_millis(100);
    let hung = recording.stop(device.as_ref(), limit).await.unwrap_err();
    assert!(matches!(hung, DeviceError::Timeout { .. }), "{hung}");
    recording.discard(device.as_ref()).await.unwrap();
    assert_eq!(videos(device.as_ref()).await, "");
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

/// Real adb server of one test, ended with it.
struct RealServer(AdbServer);

impl RealServer {
    fn new() -> Self {
        let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        Self(AdbServer {
            host: "127.0.0.1".to_owned(),
            port: free.local_addr().unwrap().port(),
            program: Some(PathBuf::from("adb")),
        })
    }

    fn adb(&self, arguments: &[&str]) -> bool {
        let program = self.0.program.as_ref().unwrap();
        std::process::Command::new(program)
            .args(["-P", &self.0.port.to_string()])
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

impl Drop for RealServer {
    fn drop(&mut self) {
        self.adb(&["kill-server"]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_real_adb_server_serves_the_device_too() {
    if !runner_testing::program("adb") {
        return;
    }
    let server = RealServer::new();
    // Nothing listens yet: the driver starts the server.
    let listed = list_devices(&server.0).await.unwrap();
    assert!(
        listed
            .iter()
            .all(|device| !device.serial.starts_with("127.0.0.1"))
    );
    let phone = VirtualDevice::start(VirtualDeviceOptions::new(stub::factory()))
        .await
        .unwrap();
    let serial = phone.address().to_string();
    assert!(server.adb(&["connect", &serial]));
    let device = connect_serial(&server.0, &serial).await.unwrap();
    assert_eq!(device.info().kind_name(KindNames::PLAIN), "virtual");
    super::text::type_text(device.as_ref(), "Grüße")
        .await
        .unwrap();
    assert_eq!(field(device.as_ref()).await, "Grüße");
    assert_eq!(
        device
            .picture(PictureOptions::within(LIMIT))
            .await
            .unwrap()
            .pixels()
            .unwrap()
            .dimensions(),
        (1080, 2400)
    );
    let data = vec![5; 200_000];
    device.push(&data, "/sdcard/x", 0o600).await.unwrap();
    assert_eq!(device.pull("/sdcard/x", 300_000).await.unwrap(), data);
    phone.shut_down();
    let gone = device
        .shell(&Script::command(["echo", "x"]), LIMIT)
        .await
        .unwrap_err();
    assert!(gone.is_infrastructure(), "{gone}");
    let nobody = connect_serial(&server.0, "none").await.err().unwrap();
    assert!(matches!(nobody, DeviceError::NotFound { .. }), "{nobody}");
}
