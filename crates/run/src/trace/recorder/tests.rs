//! Tests of the trace of an attempt, with a scripted device.

use std::sync::mpsc::{Receiver, channel};

use camino::Utf8Path;

use super::*;
use crate::artifacts::ArtifactNames;
use crate::emit::Emitter;
use runner_device::fake::{Fake, node};
use runner_engine::Readiness;
use runner_event::{CaseId, Event, EventKind};
use runner_screen::Selector;
use runner_text::secret::Scrubber;

const SECOND: Duration = Duration::from_secs(1);

fn button(text: &str) -> String {
    node(
        "Button",
        &format!("text=\"{text}\" clickable=\"true\""),
        [0, 0, 100, 100],
        "",
    )
}

/// Device whose button shows the next text after each input, and keeps the last one.
fn device(texts: &'static [&'static str]) -> Arc<Fake> {
    let mut at = 0;
    let fake = Fake::showing([button(texts[0]).as_str()]);
    fake.on_input(move |_| {
        at += 1;
        texts.get(at).map(|text| button(text))
    })
}

fn recorder(folder: &Utf8Path) -> (Arc<TraceRecorder>, Receiver<Event>) {
    let (sink, events) = channel();
    let emitter = Emitter::new(sink, Scrubber::default());
    let case = CaseId {
        flow: "a.yaml".into(),
        case: None,
        repeat: None,
    };
    let id = case.attempt("virtual", 1);
    let names = ArtifactNames::default();
    let folder = ArtifactFolder::new(folder, &names, &id, Scrubber::default());
    let reporter = Reporter::new(&emitter, id);
    (Arc::new(TraceRecorder::new(&reporter, &folder)), events)
}

async fn click(recorder: &TraceRecorder, session: &Session, text: &str) {
    let outer = recorder.step_begins();
    let begin = recorder.call_begins(session).await;
    let selector: Selector = serde_json::from_value(text.into()).unwrap();
    session
        .click(&selector, Readiness::Enabled, SECOND)
        .await
        .unwrap();
    recorder.call_ends(session, &begin);
    recorder.step_ends(outer).await;
}

fn session(device: &Arc<Fake>, recorder: &Arc<TraceRecorder>) -> Session {
    Session::new(Arc::<Fake>::clone(device)).with_observer(Arc::<TraceRecorder>::clone(recorder))
}

#[tokio::test(flavor = "multi_thread")]
async fn one_screenshot_is_taken_where_the_rows_changed() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    // The second click changes nothing.
    let device = device(&["one", "two", "two", "three"]);
    let session = session(&device, &recorder);
    recorder.begin(session.shared_device(), None, 0);
    for text in ["one", "two", "two"] {
        click(&recorder, &session, text).await;
    }
    let cost = device.counters().read();
    // Three looks, three inputs, and screenshots of the first two screens.
    assert_eq!((cost.dumps, cost.round_trips), (3, 8));
    recorder.look_after_last_act(&session).await;
    let cost = device.counters().read();
    assert_eq!((cost.dumps, cost.round_trips), (4, 10));
    let trace = recorder.finish(true).await.unwrap();
    let steps: Vec<_> = trace.frames.iter().map(|frame| frame.step).collect();
    assert_eq!(steps, [Some(0), Some(1), None]);
    assert!(trace.frames.iter().all(|frame| frame.picture.is_some()));
    let acts: Vec<_> = trace
        .acts
        .iter()
        .map(|act| (act.step, act.touches.len()))
        .collect();
    assert_eq!(acts, [(Some(0), 1), (Some(1), 1), (Some(2), 1)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_step_takes_one_screenshot_however_often_it_acts() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    let session = session(&device(&["one", "two", "three"]), &recorder);
    let outer = recorder.step_begins();
    for text in ["one", "two"] {
        let selector: Selector = serde_json::from_value(text.into()).unwrap();
        session
            .click(&selector, Readiness::Enabled, SECOND)
            .await
            .unwrap();
    }
    recorder.step_ends(outer).await;
    recorder.look_after_last_act(&session).await;
    let trace = recorder.finish(true).await.unwrap();
    let has_picture = trace.frames.iter().map(|frame| frame.picture.is_some());
    assert_eq!(has_picture.collect::<Vec<_>>(), [true, false, true]);
}

/// Steps and acts refer to screens by index, not by time: all of them may happen within one millisecond.
#[tokio::test(flavor = "multi_thread")]
async fn v14_steps_and_acts_know_their_screens_by_number() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    // The first and the second click change the screen, the third does not.
    let session = session(&device(&["one", "two", "three", "three"]), &recorder);
    let looks = async |times: usize| {
        let outer = recorder.step_begins();
        for _ in 0..times {
            session.look().await.unwrap();
        }
        recorder.step_ends(outer).await;
    };
    looks(0).await;
    click(&recorder, &session, "one").await;
    looks(1).await;
    looks(0).await;
    let group = recorder.step_begins();
    click(&recorder, &session, "two").await;
    session.look().await.unwrap();
    looks(2).await;
    recorder.step_ends(group).await;
    click(&recorder, &session, "three").await;
    // Cut short by a limit: it never ends.
    recorder.step_begins();
    session.look().await.unwrap();
    // The file of the first screen cannot be written.
    let all = recorder.writing.acquire_many(MAX_WRITES as u32);
    drop(all.await.unwrap());
    let whole = recorder.so_far();
    let met = |trace: &Trace| trace.acts.iter().map(|act| act.frame).collect::<Vec<_>>();
    let last_frames: Vec<_> = [
        None,
        Some(0),
        Some(1),
        Some(1),
        Some(2),
        Some(1),
        Some(2),
        Some(2),
    ]
    .into();
    assert_eq!(
        (met(&whole), &whole.observed),
        (vec![Some(0), Some(1), Some(2)], &last_frames)
    );
    lock(&recorder.frames)[0].screen = None;
    let trace = recorder.finish(true).await.unwrap();
    assert_eq!(met(&trace), [None, Some(0), Some(1)]);
    let moved = [
        None,
        None,
        Some(0),
        Some(0),
        Some(1),
        Some(0),
        Some(1),
        Some(1),
        Some(1),
    ];
    assert_eq!(trace.observed, moved);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_somebody_else_takes_is_no_act() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    let device = device(&["one", "two"]);
    let session = session(&device, &recorder);
    let outer = recorder.step_begins();
    let begin = recorder.call_begins(&session).await;
    session.look().await.unwrap();
    // As the studio does while it shows the device.
    let displayed = Session::new(session.shared_device());
    displayed.picture().await.unwrap();
    recorder.call_ends(&session, &begin);
    recorder.step_ends(outer).await;
    assert_eq!(recorder.finish(true).await.unwrap().acts, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn screens_that_are_told_keep_their_places() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    let session = session(&device(&["one", "two", "three"]), &recorder);
    click(&recorder, &session, "one").await;
    click(&recorder, &session, "two").await;
    let all = recorder.writing.acquire_many(MAX_WRITES as u32);
    drop(all.await.unwrap());
    let whole = recorder.so_far().frames;
    assert_eq!(whole.len(), 2);
    // The second is written before the first.
    lock(&recorder.frames)[0].screen = None;
    assert_eq!(recorder.so_far().frames, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_wanted_is_removed() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    let session = session(&device(&["one", "two"]), &recorder);
    click(&recorder, &session, "one").await;
    assert_eq!(recorder.finish(false).await, None);
    let files = walkdir::WalkDir::new(folder.path()).into_iter().flatten();
    assert_eq!(files.filter(|entry| entry.file_type().is_file()).count(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_trace_has_all_its_screens() {
    let folder = tempfile::tempdir().unwrap();
    let (recorder, _events) = recorder(Utf8Path::from_path(folder.path()).unwrap());
    let mut screens = Vec::new();
    for device in [device(&["one"]), device(&["two"])] {
        screens.push(Session::new(device).look().await.unwrap());
    }
    for screen in screens.iter().cycle().take(MAX_FRAMES + 1) {
        recorder.saw(screen);
        recorder.settle().await;
    }
    let trace = recorder.finish(true).await.unwrap();
    assert_eq!(trace.frames.len(), MAX_FRAMES);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_ends_the_trace_with_one_warning() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let (recorder, events) = recorder(Utf8Path::from_path(file.path()).unwrap());
    let session = session(&device(&["one", "two", "three"]), &recorder);
    for text in ["one", "two"] {
        click(&recorder, &session, text).await;
    }
    assert_eq!(recorder.finish(true).await.unwrap().frames, []);
    let reported: Vec<Event> = events.try_iter().collect();
    let [event] = &reported[..] else {
        panic!("{reported:?}");
    };
    let EventKind::Log { message, .. } = &event.kind else {
        panic!("{event:?}");
    };
    assert!(message.starts_with("the trace ends here: "), "{message}");
}
