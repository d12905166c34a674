use proptest::prelude::*;

use super::*;
use crate::testing::{SharedBuffer, any_event};
use runner_base::output_file::{Form, OutputFile};

/// File of the schema.
const SCHEMA_FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../../docs/reference/events.schema.json"
);

fn written(events: &[Event]) -> Vec<u8> {
    let shared = SharedBuffer::default();
    let mut stream = JsonStream::new(Box::new(shared.clone()));
    for event in events {
        stream.on(event).unwrap();
    }
    shared.text().into_bytes()
}

proptest! {
    #[test]
    fn events_come_back_equal(events in prop::collection::vec(any_event(".*".prop_map(|text| text)), 0..6)) {
        let bytes = written(&events);
        prop_assert_eq!(bytes.split(|byte| *byte == b'\n').count(), events.len() + 1, "one line an event");
        let read: Result<Vec<Event>, StreamError> = read_stream(bytes.as_slice()).collect();
        prop_assert_eq!(read.unwrap(), events);
    }

    #[test]
    fn a_stream_cut_anywhere_reads_up_to_the_cut(
        events in prop::collection::vec(any_event("[a-z]{0,5}".prop_map(|text| text)), 1..5),
        at in any::<prop::sample::Index>(),
    ) {
        let bytes = written(&events);
        let cut = at.index(bytes.len() + 1);
        let whole = bytes[..cut].split(|byte| *byte == b'\n').count() - 1;
        let read: Vec<Event> = read_stream(&bytes[..cut]).map(Result::unwrap).collect();
        prop_assert!(read.len() == whole || read.len() == whole + 1, "{} of {whole}", read.len());
        prop_assert_eq!(&read[..], &events[..read.len()]);
    }
}

/// Creates the output for a path.
fn output(path: &Utf8Path) -> OutputFile {
    OutputFile::new(Utf8Path::new("."), path, Form::Events, "--x").unwrap()
}

#[test]
fn what_a_later_version_adds_is_passed_over() {
    let text = r#"{"seq":0,"t_ms":0,"event":"weather","sky":"blue"}

{"seq":1,"t_ms":5,"event":"log","level":"info","message":"m","colour":"red","id":{"flow":"f","device":"d","attempt":1,"x":[]}}
"#;
    let events: Vec<Event> = read_stream(text.as_bytes()).map(Result::unwrap).collect();
    assert_eq!(events.len(), 1);
    assert_eq!(events[0].seq, 1);
}

#[test]
fn wrong_lines_are_named_and_newer_schemas_refused() {
    let text = "{\"seq\":0}\n{\"seq\":1,\"t_ms\":0,\"event\":\"stopping\",\"because\":\"user\"}\n";
    let read: Vec<_> = read_stream(text.as_bytes()).collect();
    assert!(
        matches!(read[0], Err(StreamError::Line { line: 1, .. })),
        "{read:?}"
    );
    assert!(read[1].is_ok(), "the rest still reads");

    let text = r#"{"seq":0,"t_ms":0,"event":"start","schema":99,"run_id":"","version":"","started":"","root":"","artifacts":""}"#;
    let read: Vec<_> = read_stream(text.as_bytes()).collect();
    assert!(
        matches!(read[..], [Err(StreamError::Schema { found: 99 })]),
        "{read:?}"
    );
}

#[test]
fn a_file_gets_its_folders_and_each_line_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::from_path_buf(folder.path().join("a/b/events.ndjson")).unwrap();
    let mut stream = JsonStream::create(&output(&path)).unwrap();
    let event = Event {
        seq: 0,
        t_ms: 0,
        kind: EventKind::Plan {
            devices: Vec::new(),
            flows: Vec::new(),
            names: std::collections::BTreeMap::new(),
            properties: std::collections::BTreeMap::new(),
        },
    };
    stream.on(&event).unwrap();
    let text = fs_err::read_to_string(&path).unwrap();
    assert_eq!(
        text,
        "{\"seq\":0,\"t_ms\":0,\"event\":\"plan\",\"flows\":[]}\n"
    );
}

/// Run `RUNNER_WRITE=1 cargo test --lib events_schema_is_current` to write it again.
#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "a switch of this test, not of the program"
)]
fn events_schema_is_current() {
    let schema = super::super::events_schema();
    let mut text = serde_json::to_string_pretty(&schema).unwrap();
    text.push('\n');
    if std::env::var_os("RUNNER_WRITE").is_some() {
        fs_err::create_dir_all(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs")).unwrap();
        fs_err::write(SCHEMA_FILE, &text).unwrap();
    }
    let stored = fs_err::read_to_string(SCHEMA_FILE)
        .unwrap_or_default()
        .replace("\r\n", "\n");
    assert!(
        stored == text,
        "docs/reference/events.schema.json is out of date; make it again with `RUNNER_WRITE=1 cargo test --lib events_schema_is_current`"
    );
}
