//! D18–D23: screenshots, videos, the report.

use super::*;

const ARTIFACTS: &str = ".runner/artifacts";

#[test]
fn d18_take_screenshot_keeps_numbered_pictures() {
    let (project, mut client) = started();
    let first = client.call(
        "takeScreenshot",
        json!({ "goalName": "Sign in: the START" }),
    );
    let second = answer_text(
        &mut client,
        "takeScreenshot",
        json!({ "goalName": "../../again" }),
    );
    let path = project.path(&format!("{ARTIFACTS}/1-sign-in-the-start.png"));
    assert_eq!(first.text, path.display().to_string());
    assert_eq!(first.result["structuredContent"], Value::Null);
    let picture = image::open(&path).expect("a picture");
    assert_eq!((picture.width(), picture.height()), (1080, 2400));
    assert!(second.ends_with("2-again.png"), "{second}");
    assert_eq!(
        project.files(ARTIFACTS),
        ["1-sign-in-the-start.png", "2-again.png"]
    );
    for (arguments, text) in [
        (json!({}), "ERROR: goalName is required"),
        (json!({ "goalName": "" }), "ERROR: goalName is required"),
    ] {
        says(&mut client, "takeScreenshot", arguments, text);
    }
}

#[test]
fn d18_take_screenshot_says_that_it_cannot_be_kept() {
    let (project, mut client) = server();
    project.write(ARTIFACTS, "a file where the folder should be");
    let text = begins(
        &mut client,
        "takeScreenshot",
        json!({ "goalName": "home" }),
        "ERROR: screenshot failed: ",
    );
    assert!(text.contains("cannot be written"), "{text}");
}

#[test]
fn d19_start_screen_recording_starts_one() {
    let (_project, mut client) = started();
    let tool = "startScreenRecording";
    says(
        &mut client,
        tool,
        json!({}),
        "OK: Screen recording started. Call stopScreenRecording to finish and save the video.",
    );
    says(
        &mut client,
        tool,
        json!({}),
        "ERROR: Screen recording is already in progress.",
    );
    begins(&mut client, "stopScreenRecording", json!({}), "/");
    // After the end there may be another one.
    begins(
        &mut client,
        tool,
        json!({}),
        "OK: Screen recording started.",
    );
}

#[test]
fn d20_stop_screen_recording_keeps_a_whole_video() {
    let (project, mut client) = started();
    let stop = "stopScreenRecording";
    says(
        &mut client,
        stop,
        json!({}),
        "ERROR: No screen recording in progress.",
    );
    for number in 1..=2 {
        answer_text(&mut client, "startScreenRecording", json!({}));
        answer_text(&mut client, "swipeUp", json!({}));
        let text = answer_text(&mut client, stop, json!({}));
        let path = project.path(&format!("{ARTIFACTS}/video-{number}.mp4"));
        assert_eq!(text, path.display().to_string());
        let video = std::fs::read(&path).expect("a video");
        assert_eq!(video.get(4..8), Some(b"ftyp".as_slice()));
        // The index is written when the file is finalised.
        assert!(video.windows(4).any(|box_type| box_type == b"moov"));
    }
    says(
        &mut client,
        stop,
        json!({}),
        "ERROR: No screen recording in progress.",
    );
}

#[test]
fn d21_initialize_test_scenario_report_begins_a_report() {
    let (_project, mut client) = server();
    let tool = "initializeTestScenarioReport";
    says(
        &mut client,
        tool,
        json!({ "goal": "Read a note" }),
        "OK: Test scenario report created with goal: Read a note",
    );
    answer_text(
        &mut client,
        "updateTestScenarioReport",
        json!({ "description": "of the first" }),
    );
    says(
        &mut client,
        tool,
        json!({ "goal": "Write a note" }),
        "OK: Test scenario report created with goal: Write a note",
    );
    let text = answer_text(&mut client, "generateTestScenarioReport", json!({}));
    assert!(text.contains("Goal: Write a note\n"), "{text}");
    assert!(!text.contains("of the first"), "{text}");
    says(&mut client, tool, json!({}), "ERROR: goal is required");
}

#[test]
fn d22_update_test_scenario_report_adds_steps() {
    let (_project, mut client) = server();
    let tool = "updateTestScenarioReport";
    begins(
        &mut client,
        tool,
        json!({ "description": "too early" }),
        "ERROR: Failed to parse scenario JSON: ",
    );
    answer_text(
        &mut client,
        "initializeTestScenarioReport",
        json!({ "goal": "g" }),
    );
    says(
        &mut client,
        tool,
        json!({ "description": "Signed in" }),
        "OK: Test step added: Signed in",
    );
    let text = answer_text(&mut client, "generateTestScenarioReport", json!({}));
    assert!(text.ends_with("\n1. Signed in"), "{text}");
    says(
        &mut client,
        tool,
        json!({ "description": "" }),
        "ERROR: description is required",
    );
}

#[test]
fn d23_generate_test_scenario_report_tells_all() {
    let (_project, mut client) = server();
    let tool = "generateTestScenarioReport";
    begins(
        &mut client,
        tool,
        json!({}),
        "ERROR: Failed to parse scenario JSON: ",
    );
    answer_text(
        &mut client,
        "initializeTestScenarioReport",
        json!({ "goal": "Read a note" }),
    );
    for description in ["Signed in", "Opened a note"] {
        answer_text(
            &mut client,
            "updateTestScenarioReport",
            json!({ "description": description }),
        );
    }
    let text = answer_text(&mut client, tool, json!({}));
    let form = regex::Regex::new(
        r"^OK: Test scenario report\nGoal: Read a note\nStart: (\S+)\nEnd: (\S+)\nSteps: 2\n1. Signed in\n2. Opened a note$",
    )
    .expect("a pattern");
    let times = form.captures(&text).unwrap_or_else(|| panic!("{text}"));
    let [began, ended] =
        [1, 2].map(|group| chrono::DateTime::parse_from_rfc3339(&times[group]).expect("a time"));
    assert!(began <= ended);
}
