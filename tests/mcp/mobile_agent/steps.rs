//! The catalogue as a whole, and as steps of flows.

use super::*;

#[test]
fn b01_to_b13_are_listed_and_every_one_is_data_or_action() {
    let (_project, mut client) = start();
    let tools = client.tools();
    let own: Vec<&str> = [
        "capture_screenshot",
        "get_ui_tree",
        "get_device_info",
        APPS,
        CONTROLS,
        "tap",
        "swipe",
        "type_text",
        "launch_app",
        "press_key",
        "click_control",
        "wait",
        "invalidate_cache",
    ]
    .to_vec();
    assert_eq!(tools[..13], own);
    assert_eq!(runner::tools::mobile_agent::DATA_TOOLS, &own[..5]);
}

#[test]
fn b01_to_b13_as_steps() {
    let project = Project::with_demo_app();
    project.flow(
        "passes",
        r#"steps:
  - mobile_agent.launch_app: Notes
  - mobile_agent.wait
  - mobile_agent.get_app_window_controls_target_info: {}
    as: controls
  - assert: { that: "${controls[3].name == 'Username'}" }
  - mobile_agent.type_text: { text: ada, control_id: "4", control_name: Username }
  - assert: { id: username, text: ada }
  - find: { id: password }
    as: password
  - mobile_agent.click_control: { control_id: "${password.node}", control_name: Password }
  - assert: { id: password, focused: true }
  - mobile_agent.tap: { x: 540, y: 859 }
  - assert: { id: username, focused: true }
  - mobile_agent.swipe: { start_x: 540, start_y: 1500, end_x: 540, end_y: 900 }
  - mobile_agent.get_ui_tree
  - mobile_agent.get_mobile_app_target_info
  - mobile_agent.get_device_info: {}
    as: about
  - assert: { that: "${about.device_info.sdk_version == '34' and not about.from_cache}" }
  - mobile_agent.invalidate_cache: controls
  - mobile_agent.capture_screenshot
  - mobile_agent.press_key: KEYCODE_HOME
  - assert not visible: { id: username }
"#,
    );
    project.run(&["test", "flows/passes.yaml"]).expect(0);
    project.flow(
        "fails",
        "steps:\n  - mobile_agent.click_control: { control_id: \"3\", control_name: Save }\n",
    );
    project.run(&["test", "flows/fails.yaml"]).expect(1).says(
        "Control with ID '3' not found. Please call get_app_window_controls_target_info first.",
    );
    project.flow(
        "typo",
        "steps:\n  - mobile_agent.click_control: { control: \"3\", control_name: Save }\n",
    );
    project.flow("long", "steps:\n  - mobile_agent.wait: 61\n");
    project
        .run(&["lint"])
        .expect(2)
        .says("flows/typo.yaml:3")
        .says("control_id")
        .says("flows/long.yaml:3");
}

#[test]
fn b01_to_b13_as_keeps_their_results() {
    let project = Project::with_demo_app();
    project.flow(
        "kept",
        r#"steps:
  - mobile_agent.launch_app: Notes
    as: launched
  - assert: { that: "${launched.success and launched.package_name == 'com.example.notes'}" }
  - mobile_agent.get_mobile_app_target_info:
    as: apps
  - assert: { that: "${apps[0].package == launched.package_name}" }
  - mobile_agent.get_app_window_controls_target_info:
    as: controls
  - mobile_agent.click_control: { control_id: "${controls[3].id}", control_name: "${controls[3].name}" }
    as: clicked
  - assert: { that: "${clicked.control_info.rect == controls[3].rect}" }
  - mobile_agent.get_app_window_controls_target_info:
    as: controls
  - mobile_agent.type_text: { text: ada, control_id: "${controls[3].id}", control_name: "${controls[3].name}" }
    as: typed
  - assert: { that: "${\"Typed text: 'ada'\" in typed.message}" }
  - mobile_agent.tap: { x: 540, y: 300 }
    as: tapped
  - assert: { that: "${tapped.action == 'tap(540, 300)'}" }
  - mobile_agent.swipe: { start_x: 540, start_y: 1500, end_x: 540, end_y: 900 }
    as: swiped
  - assert: { that: "${swiped.action == 'swipe(540,1500)->(540,900) in 300ms'}" }
  - mobile_agent.get_ui_tree:
    as: tree
  - assert: { that: "${tree.format == 'xml' and 'id/username' in tree.ui_tree}" }
  - mobile_agent.capture_screenshot:
    as: shot
  - assert: { that: "${'data:image/png;base64,' in shot}" }
  - mobile_agent.wait: 0.5
    as: waited
  - assert: { that: "${waited.message == 'Waited for 0.5 seconds'}" }
  - mobile_agent.invalidate_cache:
    as: emptied
  - assert: { that: "${emptied.message == 'All caches invalidated'}" }
  - mobile_agent.press_key: KEYCODE_HOME
    as: key
  - assert: { that: "${key.action == 'press_key(KEYCODE_HOME)'}" }
"#,
    );
    project.run(&["test", "flows/kept.yaml"]).expect(0);
}
