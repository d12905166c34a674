//! Tests of the list of flows.

use camino::Utf8PathBuf;

use super::Timeline;
use crate::SavedRun;

#[test]
fn a_flow_that_no_device_took_is_on_none() {
    let guard = tempfile::tempdir().unwrap();
    let root = Utf8PathBuf::from_path_buf(guard.path().canonicalize().unwrap()).unwrap();
    let data = r#"{"devices":[{"label":"one"},{"label":"two"}],
        "flows":[{"flow":"a"},{"flow":"b","device":0},{"flow":"c","device":1}]}"#;
    let index = format!("<script id=\"summary\">{data}</script>");
    fs_err::write(root.join("index.html"), index).unwrap();
    fs_err::write(root.join("report-files.txt"), "").unwrap();
    let saved = SavedRun::open(&root, "a run", &root).unwrap();
    let timeline = Timeline::from_saved(saved.title, saved.notes, saved.source);
    let lines = timeline.list().flows.into_iter();
    let devices: Vec<Option<String>> = lines.map(|line| line.device).collect();
    assert_eq!(
        devices,
        [None, Some("one".to_owned()), Some("two".to_owned())]
    );
}
