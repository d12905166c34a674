//! Tests of the client with a fake host.

use serde_json::json;
use tokio::io::{AsyncReadExt as _, DuplexStream, duplex, split};

use runner_virtual_device::app_host::{HostWindowKind, RefusalKind};

use super::*;

const LIMIT: Duration = Duration::from_secs(20);

/// The host's end of a connection.
struct FakeHost(DuplexStream);

impl FakeHost {
    async fn request(&mut self) -> Value {
        let frame = Frame::read(&mut self.0, MAX_HEADER_BYTES, MAX_PAYLOAD_BYTES).await;
        serde_json::from_slice(&frame.unwrap().expect("a request").header).unwrap()
    }

    async fn answer(&mut self, header: &Value, payload: &[u8]) {
        let bytes = Frame::bytes(header.to_string().as_bytes(), payload).unwrap();
        self.0.write_all(&bytes).await.unwrap();
    }
}

fn connected() -> (HostClient, FakeHost) {
    let (own, host) = duplex(1024);
    let (reader, writer) = split(own);
    let words = LastWords::default();
    words.add(b"Out of memory\n");
    (HostClient::new(reader, writer, words), FakeHost(host))
}

fn fields(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

#[tokio::test]
async fn an_answer_is_read_by_its_types() {
    let (client, mut host) = connected();
    let served = async {
        let request = host.request().await;
        assert_eq!(request["op"], "draw");
        assert_eq!(request["windows"], json!([3]));
        let answer = json!({
            "id": request["id"],
            "ok": {"windows": [{"id": 3, "width": 1, "height": 2}]},
            "state": {"now": 1234, "next": 1500, "busy": "network", "front": "a.b/.Main",
                "activities": [{"component": "a.b/.Main", "stage": "resumed"}], "orientation": -1,
                "ime": {"shown": true, "input_type": 1}, "bars": {"light_status": true}},
            "events": [
                {"event": "log", "priority": "I", "tag": "T", "message": "m"},
                {"event": "toast", "text": "Saved", "ms": 2000},
                {"event": "intent", "action": "android.intent.action.VIEW", "type": "text/plain", "request": 7},
                {"event": "crash", "exception": "java.lang.IllegalStateException", "thread": "main"},
                {"event": "of a newer host", "field": [1]},
            ],
        });
        host.answer(&answer, &[1, 2, 3, 4, 5, 6, 7, 8]).await;
    };
    let windows = fields(json!({"windows": [3]}));
    let (answer, ()) = tokio::join!(client.call("draw", windows, LIMIT), served);
    let reply = answer.unwrap();
    assert_eq!(reply.pictures[0].window, 3);
    assert_eq!(
        reply.pictures[0].picture.as_raw(),
        &[1, 2, 3, 4, 5, 6, 7, 8]
    );
    assert_eq!(reply.state.now, 1234);
    assert_eq!(reply.state.busy.as_deref(), Some("network"));
    assert_eq!(reply.state.orientation, Some(-1));
    assert!(reply.state.ime.shown && reply.state.bars.light_status && !reply.state.idle);
    assert!(matches!(&reply.events[1], HostEvent::Toast { text } if text == "Saved"));
    assert!(matches!(
        &reply.events[2],
        HostEvent::Intent {
            action: Some(_),
            ..
        }
    ));
    assert!(
        matches!(&reply.events[3], HostEvent::Crash { thread: Some(thread), .. } if thread == "main")
    );
    assert_eq!(reply.events[4], HostEvent::Unknown);
}

#[tokio::test]
async fn windows_and_nodes_are_read_and_what_is_left_out_is_empty() {
    let (client, mut host) = connected();
    let served = async {
        let request = host.request().await;
        let ok = json!({"windows": [{
            "id": 1, "kind": "dialog", "type": 2, "frame": [0, 0, 1080, 2400], "flags": -2_147_417_856_i64, "focused": true,
            "nodes": [
                {"id": 1, "class": "android.widget.FrameLayout", "bounds": [0, 0, 1080, 2400]},
                {"id": 2, "depth": 1, "text": "Straße 漢", "range": {"max": 10.0, "now": 2.5}, "selection": [1, 3], "order": 1},
            ],
        }, {"id": 2, "kind": "of a newer host"}]});
        host.answer(&json!({"id": request["id"], "ok": ok}), &[])
            .await;
    };
    let (answer, ()) = tokio::join!(client.call("look", Map::new(), LIMIT), served);
    let windows = answer.unwrap().answer.windows.unwrap();
    assert_eq!(windows[0].kind, HostWindowKind::Dialog);
    assert_eq!(windows[1].kind, HostWindowKind::Other);
    let root = windows[0].root.as_ref().unwrap();
    assert_eq!(root.children.len(), 1);
    assert_eq!(root.children[0].text, "Straße 漢");
    assert!(root.children[0].range.is_some_and(|range| range.now > 2.0));
}

#[tokio::test]
async fn a_refusal_has_its_kind_its_state_and_its_events() {
    for (kind, expected) in [
        ("unresolved", RefusalKind::Unresolved),
        ("stale", RefusalKind::Stale),
        ("refused", RefusalKind::Refused),
        ("unsupported", RefusalKind::Unsupported),
        ("crashed", RefusalKind::Crashed),
        ("internal", RefusalKind::Internal),
        ("of a newer host", RefusalKind::Internal),
    ] {
        let (client, mut host) = connected();
        let served = async {
            let request = host.request().await;
            let error = json!({"kind": kind, "message": "no such activity", "trace": "at a.b"});
            let events = json!([{"event": "exit", "code": 3}]);
            host.answer(&json!({"id": request["id"], "error": error, "state": {"now": 5}, "events": events}), &[])
                .await;
        };
        let (refused, ()) = tokio::join!(client.call("start", Map::new(), LIMIT), served);
        let reply = refused.unwrap();
        let refusal = reply.refusal.unwrap();
        assert_eq!(refusal.kind, expected);
        assert_eq!(
            (refusal.message.as_str(), reply.state.now),
            ("no such activity", 5)
        );
        assert_eq!(reply.events, [HostEvent::Exit { code: 3 }]);
    }
}

/// The app's main thread is blocked: the call times out, its threads can be requested, and the late answer's
/// events are not lost.
#[tokio::test(start_paused = true)]
async fn a_call_whose_time_is_up_leaves_the_connection_whole() {
    let (client, mut host) = connected();
    let served = async {
        let slow = host.request().await;
        assert_eq!(slow["op"], "pointer");
        let threads = host.request().await;
        assert_eq!(threads["op"], "threads");
        host.answer(
            &json!({"id": threads["id"], "ok": {"main": "at a.b.Loop"}}),
            &[],
        )
        .await;
        let events = json!([{"event": "toast", "text": "late"}]);
        host.answer(
            &json!({"id": slow["id"], "ok": {}, "events": events}),
            &[9; 5000],
        )
        .await;
        let look = host.request().await;
        let events = json!([{"event": "toast", "text": "next"}]);
        host.answer(&json!({"id": look["id"], "ok": {}, "events": events}), &[])
            .await;
    };
    let asked = async {
        let slow = client
            .call("pointer", Map::new(), Duration::from_secs(5))
            .await;
        assert!(matches!(slow, Err(HostError::TimedOut { op, .. }) if op == "pointer"));
        let threads = client.call("threads", Map::new(), LIMIT).await.unwrap();
        assert_eq!(threads.answer.main, "at a.b.Loop");
        let look = client.call("look", Map::new(), LIMIT).await.unwrap();
        let texts: Vec<&str> = look
            .events
            .iter()
            .filter_map(|event| match event {
                HostEvent::Toast { text } => Some(text.as_str()),
                _ => None,
            })
            .collect();
        assert_eq!(texts, ["late", "next"]);
    };
    tokio::join!(asked, served);
}

#[tokio::test]
async fn calls_wait_for_each_other_and_threads_does_not() {
    let (client, mut host) = connected();
    let served = async {
        let first = host.request().await;
        // Not the second: its turn has not come.
        let threads = host.request().await;
        assert_eq!(threads["op"], "threads");
        for request in [&threads, &first] {
            host.answer(&json!({"id": request["id"], "ok": {}}), &[])
                .await;
        }
        let second = host.request().await;
        assert_eq!(second["op"], "settle");
        host.answer(&json!({"id": second["id"], "ok": {}}), &[])
            .await;
    };
    let (first, second, threads, ()) = tokio::join!(
        client.call("advance", Map::new(), LIMIT),
        client.call("settle", Map::new(), LIMIT),
        client.call("threads", Map::new(), LIMIT),
        served
    );
    assert!(first.is_ok() && second.is_ok() && threads.is_ok());
}

#[tokio::test]
async fn an_end_is_told_with_the_last_words_to_this_call_and_to_later_ones() {
    let garbage: [&[u8]; 4] = [
        b"",
        b"\0\0\0",
        &[0xff; 8],
        // A frame whose header is no answer.
        &[0, 0, 0, 2, 0, 0, 0, 0, b'[', b']'],
    ];
    for bytes in garbage {
        let (client, mut host) = connected();
        let served = async {
            host.request().await;
            host.0.write_all(bytes).await.unwrap();
            drop(host);
        };
        let (ended, ()) = tokio::join!(client.call("look", Map::new(), LIMIT), served);
        let text = ended.unwrap_err().to_string();
        assert!(text.contains("Out of memory"), "{text}");
        let later = client.call("look", Map::new(), LIMIT).await;
        assert!(matches!(later, Err(HostError::Ended { .. })));
    }
}

#[tokio::test]
async fn pixels_that_are_not_there_are_refused() {
    for (width, height, offset) in [
        (2, 2, 0),
        (1, 1, 1),
        (u32::MAX, u32::MAX, 0),
        (1, 1, u32::MAX),
    ] {
        let (client, mut host) = connected();
        let served = async {
            let request = host.request().await;
            let window = json!({"id": 1, "width": width, "height": height, "offset": offset});
            host.answer(
                &json!({"id": request["id"], "ok": {"windows": [window]}}),
                &[0; 4],
            )
            .await;
        };
        let (answer, ()) = tokio::join!(client.call("draw", Map::new(), LIMIT), served);
        let ended = answer.unwrap_err().to_string();
        assert!(ended.contains("fewer pixels"), "{ended}");
    }
}

/// A request cut off where its call is dropped would garble all that follow.
#[tokio::test]
async fn a_dropped_call_cuts_no_frame() {
    let (client, mut host) = connected();
    let long = fields(json!({"text": "x".repeat(100_000)}));
    tokio::select! {
        biased;
        _ = client.call("text", long, LIMIT) => panic!("answered"),
        () = tokio::task::yield_now() => {}
    }
    let served = async {
        let mut next = host.request().await;
        if next["op"] == "text" {
            host.answer(&json!({"id": next["id"], "ok": {}}), &[]).await;
            next = host.request().await;
        }
        assert_eq!(next["op"], "look");
        host.answer(&json!({"id": next["id"], "ok": {}}), &[]).await;
    };
    let (answer, ()) = tokio::join!(client.call("look", Map::new(), LIMIT), served);
    answer.unwrap();
    drop(client);
    assert_eq!(
        host.0.read(&mut [0; 1]).await.unwrap(),
        0,
        "the connection ends with the client"
    );
}
