use std::sync::Arc;
use std::time::Duration;

use super::super::connect::{
    AdbServer, ConnectionState, connect_direct, connect_serial, list_devices, server_version,
};
use super::super::fake::{Peer, PeerEvent, Reply, frames, greet, hello, sections, with_exit_code};
use super::*;
use crate::{Device, DumpFailure, Input, LookOptions, PictureOptions};
use runner_adb::wire::packet::{Command, Packet};
use runner_adb::wire::shell::{FrameId, encode};
use runner_adb::wire::sync::{SyncId, message, word};

const V2: &str = "shell_v2,cmd,sendrecv_v2";
/// Limit of each call. Chosen: only a hang reaches it.
const LIMIT: Duration = Duration::from_secs(10);
/// Limit for commands that never answer. Chosen: within 50 ms a busy machine had not even opened the connection.
const SHORT: Duration = Duration::from_millis(500);

/// Starts a server whose device answers commands by `answer`.
async fn server(
    features: &'static str,
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Peer {
    Peer::server(move |service| greet(service, features).unwrap_or_else(|| answer(service))).await
}

async fn device(
    features: &'static str,
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Peer, Arc<dyn Device>) {
    let peer = server(features, answer).await;
    let device = connect_serial(&peer.as_server(), "fake-1").await.unwrap();
    (peer, device)
}

async fn direct(
    features: &str,
    answer: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> (Peer, Arc<dyn Device>) {
    let peer = Peer::adbd(Some(hello(features)), move |service| {
        greet(service, "").unwrap_or_else(|| answer(service))
    })
    .await;
    let device = connect_direct(&format!("127.0.0.1:{}", peer.port), "direct")
        .await
        .unwrap();
    (peer, device)
}

fn script(text: &str) -> Script {
    Script::raw(text, "test")
}

#[tokio::test]
async fn a_session_begins_with_one_round_trip() {
    let (mut peer, device) = device(V2, |_| Reply::Silence).await;
    assert_eq!(device.info().model.to_string(), "Fake");
    assert_eq!(device.info().display.needed().unwrap().density, 420);
    assert_eq!(device.counters().read().round_trips, 1);
    let services = peer.services();
    let commands = services
        .iter()
        .filter(|service| service.starts_with("shell"))
        .count();
    assert_eq!(commands, info::QUESTIONS.len(), "{services:?}");
}

#[tokio::test]
async fn output_arrives_whole_however_frames_are_cut() {
    for size in [1, 3, 4096] {
        let (_peer, device) = device(V2, move |_| {
            Reply::Bytes(frames(b"out\n", b"err\n", 3), size)
        })
        .await;
        let output = device.shell(&script("x"), LIMIT).await.unwrap();
        assert_eq!(output.stdout, b"out\n");
        assert_eq!(output.stderr, b"err\n");
        assert_eq!(output.exit_code, Some(3));
    }
}

#[tokio::test]
async fn a_device_without_frames_tells_its_exit_code_too() {
    // Another command's end marker does not end this one.
    let (mut peer, device) = device("cmd", |service| {
        Reply::Bytes(with_exit_code(service, b"@runner-exit-0@0\n", 4), 5)
    })
    .await;
    let output = device.shell(&script("x"), LIMIT).await.unwrap();
    assert_eq!(
        (output.stdout.as_slice(), output.exit_code),
        (&b"@runner-exit-0@0\n"[..], Some(4))
    );
    assert!(
        peer.services()
            .iter()
            .any(|service| service.starts_with("shell:(x\n)"))
    );
}

#[tokio::test]
async fn a_connection_that_ends_in_mid_command_is_a_lost_device() {
    let cut = encode(FrameId::Stdout, b"half");
    for features in [V2, "cmd"] {
        let cut = cut.clone();
        let (_peer, device) = device(features, move |_| Reply::Bytes(cut.clone(), 3)).await;
        let error = device.shell(&script("x"), LIMIT).await.unwrap_err();
        assert!(
            matches!(&error, DeviceError::Lost { serial, .. } if serial == "fake-1"),
            "{error}"
        );
        assert!(error.is_infrastructure());
    }
}

/// Answers all commands except those with this word, which never end.
fn hangs_at(word: &'static str) -> impl Fn(&str) -> Reply {
    move |service| {
        if service.contains(word) || service.contains("logcat") {
            Reply::Hang(encode(FrameId::Stdout, b"x"))
        } else {
            Reply::Bytes(frames(b"", b"", 0), 4096)
        }
    }
}

#[tokio::test]
async fn a_device_that_answers_nothing_more_is_lost() {
    let (_peer, device) = device(V2, |_| Reply::Hang(Vec::new())).await;
    let error = device.shell(&script("x"), SHORT).await.unwrap_err();
    assert!(matches!(error, DeviceError::Lost { .. }), "{error}");
    assert!(error.is_infrastructure());
}

#[tokio::test]
async fn what_cannot_arrive_whole_is_not_sent() {
    let (mut peer, device) = device(V2, |_| Reply::Bytes(frames(b"", b"", 0), 4096)).await;
    // Ignores the requests of the session's begin.
    peer.services();
    let long = "x".repeat(2 << 20);
    for text in ["a\0b", &long] {
        let script = Script::command(["echo", text]);
        let error = device.shell(&script, LIMIT).await.unwrap_err();
        assert!(matches!(error, DeviceError::Command { .. }), "{error}");
        assert!(device.lines(&script).await.is_err());
        let asked = device.ask(&["true", script.text()], "echo", LIMIT).await;
        assert!(matches!(asked, Err(DeviceError::Command { .. })));
        let message = error.to_string();
        assert!(runner_text::secret::without_secrets(&message).len() < 500);
    }
    assert!(peer.services().is_empty());
}

#[tokio::test]
async fn a_command_that_hangs_ends_at_its_limit_and_is_stopped() {
    let (mut peer, device) = device(V2, hangs_at("sleep")).await;
    let error = device.shell(&script("sleep 99"), SHORT).await.unwrap_err();
    assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
    assert_eq!(peer.next_event().await, PeerEvent::Closed);
}

#[tokio::test]
async fn dropping_a_stream_of_lines_closes_it() {
    let (mut peer, device) = device(V2, |_| Reply::Hang(encode(FrameId::Stdout, b"one\ntw"))).await;
    let mut lines = device.lines(&script("logcat")).await.unwrap();
    assert_eq!(lines.next_line().await.unwrap().as_deref(), Some("one"));
    drop(lines);
    assert_eq!(peer.next_event().await, PeerEvent::Closed);
}

#[tokio::test]
async fn refusals_say_what_to_do() {
    for (reason, state) in [
        ("device offline", "offline"),
        (
            "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
            "unauthorized",
        ),
        (
            "insufficient permissions for device: user in plugdev group",
            "no permissions",
        ),
        ("device still authorizing", "unauthorized"),
    ] {
        let peer = Peer::server(move |_| Reply::Fail(reason)).await;
        let error = connect_serial(&peer.as_server(), "s").await.err().unwrap();
        assert!(
            matches!(&error, DeviceError::Unusable { state: found, advice, .. } if found == state && !advice.is_empty()),
            "{error}"
        );
    }
    let peer = Peer::server(|_| Reply::Fail("device 's' not found")).await;
    let error = connect_serial(&peer.as_server(), "s").await.err().unwrap();
    assert!(matches!(error, DeviceError::NotFound { serial } if serial == "s"));
}

#[tokio::test]
async fn the_server_lists_devices() {
    let peer = Peer::server(|service| match service {
        "host:devices-l" => Reply::Text("a device model:M transport_id:1\nb offline\n".to_owned()),
        "host:version" => Reply::Text("0029".to_owned()),
        _ => Reply::Fail("unknown host service"),
    })
    .await;
    let devices = list_devices(&peer.as_server()).await.unwrap();
    assert_eq!(devices.len(), 2);
    assert_eq!(
        devices[1].state,
        ConnectionState::Other("offline".to_owned())
    );
    assert_eq!(server_version(&peer.as_server()).await.unwrap(), 41);
}

#[tokio::test]
async fn no_server_and_what_is_no_server_are_told_apart() {
    let free = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = free.local_addr().unwrap().port();
    drop(free);
    let nobody = AdbServer {
        host: "127.0.0.1".to_owned(),
        port,
        program: Some("/nowhere/adb".into()),
    };
    let error = list_devices(&nobody).await.unwrap_err();
    assert!(
        matches!(&error, DeviceError::NoServer { cause, .. } if cause.contains("/nowhere/adb")),
        "{error}"
    );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let web = AdbServer {
        port: listener.local_addr().unwrap().port(),
        ..nobody
    };
    let answering = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        let answer = b"HTTP/1.1 400 Bad Request\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut socket, answer)
            .await
            .unwrap();
        socket
    });
    let error = list_devices(&web).await.unwrap_err();
    assert!(error.to_string().contains("something else"), "{error}");
    drop(answering.await.unwrap());
}

#[tokio::test]
async fn files_go_both_ways() {
    let sent = vec![7u8; 100_000];
    let expected: Vec<u8> = [
        message(SyncId::Send2, b"/sdcard/x"),
        word(SyncId::Send2, 0o100_644),
        0u32.to_le_bytes().to_vec(),
        message(SyncId::Data, &sent[..65536]),
        message(SyncId::Data, &sent[65536..]),
    ]
    .concat();
    let length = expected.len() + 8;
    let (mut peer, device) = device(V2, move |_| Reply::Take(length, word(SyncId::Okay, 0))).await;
    device.push(&sent, "/sdcard/x", 0o644).await.unwrap();
    let PeerEvent::Data(data) = peer.next_event().await else {
        panic!("no data");
    };
    assert_eq!(data[..expected.len()], expected);
    assert_eq!(&data[expected.len()..expected.len() + 4], b"DONE");

    let request = message(SyncId::Recv, b"/sdcard/x").len();
    let answer = [
        message(SyncId::Data, b"hello "),
        message(SyncId::Data, b"you"),
        word(SyncId::Done, 0),
    ]
    .concat();
    let (_peer, device) =
        self::device("shell_v2", move |_| Reply::Take(request, answer.clone())).await;
    assert_eq!(device.pull("/sdcard/x", 9).await.unwrap(), b"hello you");
    let error = device.pull("/sdcard/x", 8).await.unwrap_err();
    assert!(error.to_string().contains("larger than"), "{error}");
}

#[tokio::test]
async fn a_transfer_that_fails_says_why() {
    let request = message(SyncId::Recv2, b"/x").len() + 8;
    let (_peer, device) = device(V2, move |_| {
        Reply::Take(request, message(SyncId::Fail, b"No such file or directory"))
    })
    .await;
    let error = device.pull("/x", 10).await.unwrap_err();
    assert!(error.to_string().contains("No such file"), "{error}");
    assert!(!error.is_infrastructure());
    let (_peer, device) = self::device(V2, move |_| Reply::Take(request, b"DATA".to_vec())).await;
    // A peer that ends in the middle counts as lost. This one waits, with a long limit, so that only the message is tested.
    let error = tokio::time::timeout(SHORT, device.pull("/x", 10)).await;
    assert!(error.is_err(), "a torn answer is not a success");
}

#[tokio::test]
async fn many_commands_share_one_direct_connection() {
    let (mut peer, device) = direct(V2, |service| {
        let number = service.rsplit(' ').next().unwrap_or("").to_owned();
        Reply::Bytes(frames(number.repeat(50).as_bytes(), b"", 0), 11)
    })
    .await;
    let requested: Vec<_> = (0..20)
        .map(|number| {
            let device = Arc::clone(&device);
            tokio::spawn(async move {
                let output = device
                    .shell(&script(&format!("echo {number}")), LIMIT)
                    .await;
                (
                    number.to_string().repeat(50),
                    output.unwrap().text().into_owned(),
                )
            })
        })
        .collect();
    for one in requested {
        let (expected, actual) = one.await.unwrap();
        assert_eq!(actual, expected);
    }
    assert_eq!(peer.services().len(), 20 + info::QUESTIONS.len());
}

#[tokio::test]
async fn a_direct_command_that_hangs_is_closed() {
    let (mut peer, device) = direct(V2, hangs_at("sleep")).await;
    let error = device.shell(&script("sleep 99"), SHORT).await.unwrap_err();
    assert!(matches!(error, DeviceError::Timeout { .. }), "{error}");
    assert_eq!(peer.next_event().await, PeerEvent::Closed);
    // The connection stays open for the next command.
    let lines = device.lines(&script("logcat")).await.unwrap();
    drop(lines);
    assert_eq!(peer.next_event().await, PeerEvent::Closed);
}

#[tokio::test]
async fn a_direct_connection_that_ends_is_a_lost_device_and_is_made_again() {
    let (peer, device) = direct(V2, |service| {
        if service.ends_with("fine") {
            Reply::Bytes(frames(b"fine", b"", 0), 4096)
        } else {
            Reply::Bytes(encode(FrameId::Stdout, b"half"), 4096)
        }
    })
    .await;
    let error = device.shell(&script("torn"), LIMIT).await.unwrap_err();
    assert!(matches!(error, DeviceError::Lost { .. }), "{error}");
    assert_eq!(
        device.shell(&script("fine"), LIMIT).await.unwrap().stdout,
        b"fine"
    );
    drop(peer);
}

#[tokio::test]
async fn a_device_that_wants_a_key_is_told_that_there_is_none() {
    for greeting in [
        Packet::new(Command::Auth, 1, 0, vec![1; 20]),
        Packet::new(Command::StartTls, 0x0100_0000, 0, Vec::new()),
    ] {
        let peer = Peer::adbd(Some(greeting), |_| Reply::Silence).await;
        let address = format!("127.0.0.1:{}", peer.port);
        let error = connect_direct(&address, "d").await.err().unwrap();
        assert!(matches!(error, DeviceError::Refused { .. }), "{error}");
        assert!(error.is_infrastructure());
        assert!(error.to_string().contains("ADB_VENDOR_KEYS"), "{error}");
    }
}

fn look(limit: Duration) -> LookOptions {
    LookOptions::within(limit)
}

#[tokio::test]
async fn a_screen_that_never_stands_still_is_asked_for_compressed_and_then_reported() {
    let (mut peer, device) = device(V2, |service| {
        let text = sections(service, &["ERROR: could not get idle state.", ""]);
        Reply::Bytes(frames(&text, b"", 1), 4096)
    })
    .await;
    let error = device.look(look(LIMIT)).await.unwrap_err();
    assert!(
        matches!(
            error,
            DeviceError::NoDump {
                kind: DumpFailure::NotIdle,
                ..
            }
        ),
        "{error}"
    );
    let dumps: Vec<String> = peer
        .services()
        .into_iter()
        .filter(|service| service.contains("uiautomator dump"))
        .collect();
    assert!(dumps.len() > 1 && dumps.iter().any(|dump| dump.contains("--compressed")));
    assert!(
        dumps
            .iter()
            .all(|dump| dump.contains("rm -f /data/local/tmp/runner-"))
    );
    assert_eq!(device.counters().read().dumps, dumps.len() as u64);
}

const DISPLAYS: &str = "\
  Display: mDisplayId=0 (organized)
    init=1080x2400 420dpi cur=2400x1080 app=2274x1080
    mCurrentRotation=ROTATION_90
    mCurrentFocus=Window{2 u0 com.example/com.example.Main}";

const WINDOWS: &str = "\
  Window #0 Window{1 u0 InputMethod}:
    mDisplayId=0 package=com.keys ty=INPUT_METHOD fmt=TRANSPARENT
    mAttrs={ ty=INPUT_METHOD }
    mFrame=[0,700][2400,1080]
    isVisible=true
  Window #1 Window{2 u0 com.example/com.example.Main}:
    mDisplayId=0 package=com.example
    mAttrs={ ty=BASE_APPLICATION }
    mFrame=[0,0][2400,1080]
    isVisible=true";

#[tokio::test]
async fn a_look_knows_what_surrounds_the_dump() {
    let (mut peer, device) = device(V2, |service| {
        let surroundings = [("window displays", DISPLAYS), ("window windows", WINDOWS)];
        for (question, answer) in surroundings {
            if service.contains(question) {
                return Reply::Bytes(frames(answer.as_bytes(), b"", 0), 100);
            }
        }
        if !service.contains("uiautomator") {
            return Reply::Fail("only these are asked");
        }
        let dump = "<hierarchy rotation=\"1\"><node index=\"0\" text=\"Hi\" class=\"android.widget.TextView\" package=\"com.example\" bounds=\"[0,0][2400,1080]\" /></hierarchy>";
        let message = "UI hierchary dumped to: /data/local/tmp/x.xml";
        Reply::Bytes(frames(&sections(service, &[message, dump]), b"", 1), 100)
    })
    .await;
    let screen = device.look(look(LIMIT)).await.unwrap();
    assert_eq!(screen.foreground(), Some(("com.example", ".Main")));
    assert!(screen.keyboard_shown());
    let display = screen.display();
    assert_eq!(
        (
            display.width,
            display.height,
            display.density,
            display.rotation
        ),
        (2400, 1080, 420, 1)
    );
    assert_eq!(screen.nodes().count(), 1);
    // After the session's begin: the dump, then its surroundings.
    assert_eq!(device.counters().read().round_trips, 3);
    // The fake listed one window only, so it is not asked for all of them again.
    device.look(look(LIMIT)).await.unwrap();
    let dumps: Vec<bool> = peer
        .services()
        .iter()
        .filter(|service| service.contains("uiautomator dump"))
        .map(|service| service.contains("--windows"))
        .collect();
    assert_eq!(dumps, [true, false]);
}

#[tokio::test]
async fn a_torn_dump_is_taken_again() {
    let count = std::sync::atomic::AtomicU32::new(0);
    let (_peer, device) = device(V2, move |service| {
        if !service.contains("uiautomator") {
            return Reply::Bytes(frames(b"", b"", 0), 100);
        }
        let first = count.fetch_add(1, Ordering::Relaxed) == 0;
        let node = "<node class=\"a\" bounds=\"[0,0][1,1]\" />";
        let end = if first { "" } else { "</hierarchy>" };
        let dump = format!("<hierarchy rotation=\"0\">{node}{end}");
        Reply::Bytes(frames(&sections(service, &["", &dump]), b"", 0), 100)
    })
    .await;
    let screen = device.look(look(LIMIT)).await.unwrap();
    assert_eq!(screen.len(), 1);
    assert_eq!(device.counters().read().dumps, 2);
}

#[tokio::test]
async fn a_look_keeps_its_limit() {
    let (mut peer, device) = device(V2, hangs_at("uiautomator")).await;
    let error = device.look(look(SHORT)).await.unwrap_err();
    assert!(
        matches!(error, DeviceError::Timeout { limit, .. } if limit == SHORT),
        "{error}"
    );
    assert_eq!(peer.next_event().await, PeerEvent::Closed);
}

#[tokio::test]
async fn a_picture_falls_back_to_raw_pixels() {
    let (_peer, device) = device(V2, |service| {
        if service.ends_with(" -p") {
            return Reply::Bytes(frames(b"not a picture", b"", 0), 4096);
        }
        let mut raw = Vec::new();
        for word in [1u32, 1, 1, 0] {
            raw.extend(word.to_le_bytes());
        }
        raw.extend([1, 2, 3, 255]);
        Reply::Bytes(frames(&raw, b"", 0), 4096)
    })
    .await;
    let picture = device.picture(PictureOptions::within(LIMIT)).await.unwrap();
    assert_eq!(picture.pixels().unwrap().get_pixel(0, 0).0, [1, 2, 3, 255]);
}

#[tokio::test]
async fn inputs_are_one_command() {
    let (mut peer, device) = device(V2, |_| Reply::Bytes(frames(b"", b"", 0), 4096)).await;
    let point = runner_screen::Point { x: 1, y: 2 };
    device.input(&[], LIMIT).await.unwrap();
    device
        .input(&[Input::Tap(point), Input::Text("a b".to_owned())], LIMIT)
        .await
        .unwrap();
    let inputs: Vec<String> = peer
        .services()
        .into_iter()
        .filter(|service| service.contains("input "))
        .collect();
    assert_eq!(inputs, ["shell,v2,raw:input tap 1 2 && input text a%sb"]);
}
