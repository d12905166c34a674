//! Tests with Maestro's own flows, and with other files in its language.

use camino::{Utf8Path, Utf8PathBuf};
use proptest::prelude::*;

use super::*;
use crate::tests::Project;
use crate::{Flow, ReadOptions, StepAction, discover_with, read_flow};
use runner_text::diagnostic::{Code, Diagnostic, Severity};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/maestro");

fn read_in(root: &Utf8Path, path: &Utf8Path) -> (Option<Flow>, Vec<Diagnostic>) {
    let options = ReadOptions {
        root: root.to_owned(),
        ..ReadOptions::default()
    };
    read_flow(path, &options)
}

fn read(text: &str) -> (Option<Flow>, Vec<Diagnostic>) {
    let project = Project::new();
    project.file("flow.yaml", text);
    read_in(&project.root(), Utf8Path::new("flow.yaml"))
}

/// Returns the commands of a valid flow.
fn commands(text: &str) -> Vec<MaestroCommand> {
    let (flow, diagnostics) = read(&format!("appId: a.b\n---\n{text}"));
    let flow = flow.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    let command = |step: crate::Step| match step.action {
        StepAction::Maestro(command) => *command,
        other => panic!("{other:?}"),
    };
    flow.steps.into_iter().map(command).collect()
}

/// Returns line, column and message of the first error.
fn wrong(text: &str) -> (usize, usize, String) {
    let (flow, diagnostics) = read(&format!("appId: a.b\n---\n{text}"));
    assert!(flow.is_none(), "{text}");
    let first = diagnostics.iter().find(|it| it.severity == Severity::Error);
    let first = first.unwrap();
    let (line, column) = first.line_column();
    let help = first.help.as_deref().unwrap_or_default();
    (line, column, format!("{} | {help}", first.message))
}

#[test]
fn every_valid_flow_of_the_corpus_reads() {
    let mut count = 0;
    for folder in ["maestro-test", "maestro-orchestra/YamlCommandReaderTest"] {
        let root = Utf8PathBuf::from(CORPUS).join(folder);
        for entry in root.read_dir_utf8().unwrap() {
            let path = entry.unwrap().into_path();
            let (flow, diagnostics) = read_in(&root, &path);
            count += 1;
            let errors = diagnostics
                .iter()
                .filter(|it| it.severity == Severity::Error);
            for error in errors {
                assert!(flow.is_none());
                let name = path.file_name().unwrap();
                // The corpus has neither scripts nor media, so errors about those are expected.
                let is_missing_file = error.code == Code::Unreadable
                    && [".js`", ".png`"]
                        .iter()
                        .any(|it| error.message.contains(it));
                let is_page = error.code == Code::Unsupported;
                // Maestro's own test expects this command to be unknown.
                let is_invalid =
                    name == "028_inputRandomAnimal.yaml" && error.code == Code::UnknownStep;
                assert!(
                    is_missing_file || is_page || is_invalid,
                    "{name}: {error:?}"
                );
            }
        }
    }
    assert!(count > 180, "{count}");
}

#[test]
fn invalid_flows_are_errors_at_their_line() {
    // The workspace, the file and line of the error, and a word of it.
    for (name, file, line, word) in [
        (
            "e006_single_flow_invalid_string_command",
            "Flow.yaml",
            3,
            "invalidCommand",
        ),
        (
            "e007_single_flow_malformatted_command",
            "Flow.yaml",
            4,
            "invalidOption",
        ),
        (
            "e008_subflow_invalid_string_command",
            "subflow/SubFlow.yaml",
            3,
            "invalidCommand",
        ),
        (
            "e009_nested_subflow_invalid_string_command",
            "subflow/SubFlowB.yaml",
            3,
            "invalidCommand",
        ),
        ("e010_missing_config_section", "Flow.yaml", 1, "flow"),
        ("e011_missing_dashes", "Flow.yaml", 3, "commands"),
        (
            "e012_invalid_subflow_path",
            "Flow.yaml",
            3,
            "invalidpath.yaml",
        ),
        (
            "e013_invalid_media_file",
            "Flow.yaml",
            4,
            "invalid_android.png",
        ),
        ("e014_invalid_media_file_outside", "Flow.yaml", 4, "leaves"),
        ("e015_array_command", "Flow.yaml", 3, "list"),
        (
            "e016_config_invalid_command_in_onFlowStart",
            "Flow.yaml",
            3,
            "inp",
        ),
        ("e017_config_invalid_tags", "Flow.yaml", 2, "list"),
        ("e018_config_missing_appId", "Flow.yaml", 2, "appId"),
        ("e019_invalid_swipe_direction", "Flow.yaml", 4, "direction"),
        ("e020_missing_command_options", "Flow.yaml", 3, "tapOn"),
        ("e021_multiple_command_names", "Flow.yaml", 4, "inputText"),
        ("e022_top_level_option", "Flow.yaml", 4, "optional"),
        ("e023_empty", "Flow.yaml", 1, "empty"),
        ("e023_empty_commands", "Flow.yaml", 2, "commands"),
        ("e023_launchApp_empty_string", "Flow.yaml", 3, "launchApp"),
    ] {
        let root = Utf8PathBuf::from(CORPUS)
            .join("maestro-orchestra/workspaces")
            .join(name);
        let root = root.join("workspace");
        let (flow, diagnostics) = read_in(&root, Utf8Path::new("Flow.yaml"));
        assert!(flow.is_none(), "{name}");
        let is_it = |it: &Diagnostic| {
            it.severity == Severity::Error
                && (it.source.path.as_str(), it.line_column().0) == (file, line)
                && it.message.contains(word)
        };
        assert!(diagnostics.iter().any(is_it), "{name}: {diagnostics:?}");
    }
}

fn found(folder: &str) -> Result<Vec<String>, String> {
    let folder = Utf8PathBuf::from(CORPUS)
        .canonicalize_utf8()
        .unwrap()
        .join("maestro-orchestra/workspaces")
        .join(folder);
    let found = discover_with(std::slice::from_ref(&folder), &folder, None)
        .map_err(|error| error.to_string())?;
    let below = |path: &Utf8PathBuf| {
        path.strip_prefix(&folder)
            .unwrap()
            .as_str()
            .replace('\\', "/")
    };
    Ok(found.files.iter().map(below).collect())
}

#[test]
fn workspaces_take_what_their_configuration_says() {
    for (folder, files) in [
        ("001_simple", vec!["flowA.yaml", "flowB.yaml"]),
        ("002_subflows", vec!["flowA.yaml", "flowB.yaml"]),
        (
            "005_custom_include_pattern",
            vec!["featureA/flowA.yaml", "featureB/flowB.yaml"],
        ),
        ("007_empty_config", vec!["flowA.yaml", "flowB.yaml"]),
        ("008_literal_pattern", vec!["featureA/flowA.yaml"]),
        ("009_custom_config_fields", vec!["flowA.yaml", "flowB.yaml"]),
        (
            "018_additional_config_files",
            vec!["flowA.yaml", "flowB.yaml"],
        ),
        (
            "019_negation_exclude_single_file",
            vec!["flowA.yaml", "flowB.yaml"],
        ),
        (
            "020_negation_exclude_directory",
            vec!["featureA/flowA.yaml", "featureB/flowB.yaml"],
        ),
        (
            "021_negation_with_specific_positive",
            vec!["featureA/flowA.yaml", "featureB/flowB.yaml"],
        ),
    ] {
        assert_eq!(found(folder).unwrap(), files, "{folder}");
    }
    for (folder, word) in [
        (
            "e002_top_level_directory_does_not_contain_flow_files/workspace",
            "below",
        ),
        (
            "e003_flow_inclusion_pattern_does_not_match_any_flow_files/workspace",
            "FlowA.yaml",
        ),
        ("e024_only_negation_patterns/workspace", "only leaves out"),
    ] {
        let error = found(folder).unwrap_err();
        assert!(error.contains(word), "{folder}: {error}");
    }
}

#[test]
fn short_forms_and_options_are_one_tree() {
    let taps = commands(
        "- tapOn: Sign in\n- tapOn: { id: row, index: -1, repeat: 3, delay: 50, retryTapIfNoChange: true }\n\
         - tapOn: { point: '50%, 20%' }\n- tapOn: { text: Map, point: '10,20', below: Top }\n",
    );
    let [
        MaestroCommand::TapOn(text),
        MaestroCommand::TapOn(id),
        MaestroCommand::TapOn(point),
        MaestroCommand::TapOn(inside),
    ] = taps.as_slice()
    else {
        panic!("{taps:?}");
    };
    let text = text.selector.as_ref().unwrap().text.as_ref().unwrap();
    assert_eq!(
        (text.text.as_str(), text.line_column()),
        ("Sign in", (3, 10))
    );
    let selector = id.selector.as_ref().unwrap();
    assert_eq!(selector.index.as_ref().unwrap().text, "-1");
    assert_eq!(
        (id.repeat, id.delay, id.retry_if_no_change),
        (Some(3), Some(50), true)
    );
    assert!(point.selector.is_none() && point.point.is_some());
    let below = inside.selector.as_ref().unwrap().below.as_ref().unwrap();
    assert_eq!(below.text.as_ref().unwrap().text, "Top");

    let others = commands(
        "- swipe: { start: '90%,50%', end: '10%, 50%', duration: 100 }\n- eraseText\n- eraseText: 3\n\
         - pressKey: volume up\n- inputText: 007\n- launchApp: { arguments: { a: 1, b: 'x', c: true, d: 1.5 } }\n\
         - hide keyboard\n- inputRandomText: { length: 4 }\n",
    );
    let MaestroCommand::Swipe(swipe) = &others[0] else {
        panic!();
    };
    let Some(end) = Point::parse("10%,50%") else {
        panic!();
    };
    assert!(matches!(&swipe.gesture, SwipeGesture::Points { end: it, .. } if *it == end));
    assert!(matches!(others[1], MaestroCommand::EraseText(None)));
    assert!(matches!(others[2], MaestroCommand::EraseText(Some(3))));
    assert!(matches!(
        others[3],
        MaestroCommand::PressKey(PressedKey::VolumeUp)
    ));
    assert!(matches!(&others[4], MaestroCommand::InputText(text) if text.text == "007"));
    let MaestroCommand::LaunchApp(launch) = &others[5] else {
        panic!();
    };
    assert!(matches!(launch.arguments[0].1, LaunchArgument::Integer(1)));
    assert!(matches!(
        launch.arguments[2].1,
        LaunchArgument::Boolean(true)
    ));
    assert!(matches!(others[6], MaestroCommand::HideKeyboard));
}

#[test]
fn what_is_wrong_says_what_was_meant() {
    for (text, line, column, words) in [
        ("- tapon: x\n", 3, 3, "did you mean `tapOn`?"),
        ("- tapOn: { txt: x }\n", 3, 12, "did you mean `text`?"),
        (
            "- runFlow: { when: { visble: x }, commands: [] }\n",
            3,
            22,
            "`visible`",
        ),
        ("- pressKey: Entr\n", 3, 13, "`Enter`"),
        (
            "- tapOn: { enabled: maybe, text: x }\n",
            3,
            21,
            "`true` or `false`",
        ),
        ("- tapOn: { point: '110%,2%' }\n", 3, 19, "a point"),
        (
            "- swipe: { direction: UP, start: '1,2', end: '3,4' }\n",
            3,
            23,
            "`start` and `end`",
        ),
        (
            "- swipe: { start: '1,2', end: '3%,4%' }\n",
            3,
            31,
            "percent",
        ),
        ("- assertWithAI: looks fine\n", 3, 3, "not supported"),
        ("- tapOn: { css: a }\n", 3, 12, "web pages"),
        ("- setOrientation: sideways\n", 3, 19, "PORTRAIT"),
        ("- runScript: gone.js\n", 3, 14, "gone.js"),
        ("- runFlow: ${FLOW}.yaml\n", 3, 12, "`${}`"),
        ("- runFlow: flow.yaml\n", 3, 12, "circle"),
        (
            "- scrollUntilVisible: { direction: DOWN }\n",
            3,
            23,
            "`element`",
        ),
        ("- extendedWaitUntil: { timeout: 10 }\n", 3, 22, "`visible`"),
        ("- repeat: { times: 3 }\n", 3, 11, "`commands`"),
        (
            "- waitForAnimationToEnd: { timeout: soon }\n",
            3,
            37,
            "a number",
        ),
    ] {
        let (at, beside, message) = wrong(text);
        assert_eq!((at, beside), (line, column), "{text}: {message}");
        assert!(message.contains(words), "{text}: {message}");
    }
}

#[test]
fn what_runs_on_ios_alone_may_be_unknown_here() {
    let text = "- runFlow:\n    when: { platform: iOS }\n    commands: [ assertWithAI: x, clearKeychain ]\n";
    let (flow, diagnostics) = read(&format!("appId: a.b\n---\n{text}"));
    assert!(flow.is_some() && diagnostics.is_empty(), "{diagnostics:?}");
    assert!(
        read(&format!(
            "appId: a.b\n---\n{}",
            text.replace("iOS", "Android")
        ))
        .0
        .is_none()
    );
}

#[test]
fn files_stay_below_the_root_and_are_read_once() {
    let project = Project::new();
    project.file(
        ".maestro/a.yaml",
        "appId: a.b\n---\n- runFlow: ../shared/s.yaml\n- runFlow: ../shared/s.yaml\n",
    );
    project.file(
        "shared/s.yaml",
        "appId: a.b\nonFlowStart: [ back ]\n---\n- runScript: s.js\n",
    );
    project.file("shared/s.js", "output.a = 1\n");
    let (flow, diagnostics) = read_in(&project.root(), Utf8Path::new(".maestro/a.yaml"));
    let flow = flow.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!((flow.key.as_str(), flow.name.as_str()), ("maestro/a", "a"));
    let StepAction::Maestro(first) = &flow.steps[0].action else {
        panic!();
    };
    assert_eq!(first.flow().unwrap().setup.len(), 1);
    let (flow, diagnostics) = read_in(&project.root().join(".maestro"), Utf8Path::new("a.yaml"));
    assert!(flow.is_none());
    assert!(
        diagnostics[0].message.contains("leaves the project's root"),
        "{diagnostics:?}"
    );
}

#[test]
fn a_chain_of_files_has_an_end() {
    let project = Project::new();
    for number in 0..30 {
        let next = number + 1;
        project.file(
            &format!("{number}.yaml"),
            format!("appId: a.b\n---\n- runFlow: {next}.yaml\n- runFlow: {next}.yaml\n"),
        );
    }
    project.file("30.yaml", "appId: a.b\n---\n- back\n");
    let (flow, diagnostics) = read_in(&project.root(), Utf8Path::new("0.yaml"));
    assert!(flow.is_none());
    assert!(
        diagnostics.iter().any(|it| it.code == Code::TooLarge),
        "{diagnostics:?}"
    );
    // Each file is read once, however often it runs.
    assert!(
        read_in(&project.root(), Utf8Path::new("20.yaml"))
            .0
            .is_some()
    );
}

fn any_value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-zA-Z0-9%,${}. -]{0,12}".prop_map(|text| format!("'{text}'")),
        Just("null".to_owned()),
        Just("5".to_owned()),
        Just("[]".to_owned()),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        let keys: Vec<&str> = SELECTOR
            .iter()
            .chain(TAP)
            .copied()
            .chain(["direction", "file"])
            .collect();
        let entry = (proptest::sample::select(keys), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..3)
                .prop_map(|items| format!("[{}]", items.join(", "))),
            proptest::collection::vec(entry, 0..4).prop_map(|entries| {
                let entries: Vec<String> = entries
                    .iter()
                    .map(|(key, value)| format!("{key}: {value}"))
                    .collect();
                format!("{{ {} }}", entries.join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn nothing_that_is_written_ends_the_reader(at in 0..COMMANDS.len(), value in any_value()) {
        let (flow, diagnostics) = read(&format!("appId: a.b\n---\n- {}: {value}\n", COMMANDS[at].name));
        let has_error = diagnostics.iter().any(|it| it.severity == Severity::Error);
        prop_assert_eq!(flow.is_none(), has_error);
    }
}
