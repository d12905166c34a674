//! Tests of what tools do to the app in front.

use super::FrontEffect::{
    Ends, EndsNamed, GoesBack, GoesHome, Launches, MayLaunch, Nothing, Other, PressesEnter,
};
use super::*;

/// Tools that state an effect. All others have the default of [`FrontEffect::from_effect`].
const STATED: [(&str, FrontEffect); 26] = [
    ("launch", Launches),
    ("stop", Ends),
    ("clear", Ends),
    ("open_link", Launches),
    ("find", Nothing),
    ("back", GoesBack),
    ("home", GoesHome),
    ("wait_for", Nothing),
    ("assert visible", Nothing),
    ("assert not visible", Nothing),
    ("assert", Nothing),
    ("assert log", Nothing),
    ("screenshot", Nothing),
    ("shell", MayLaunch),
    ("press_back", GoesBack),
    ("press_home", GoesHome),
    ("open_app", Launches),
    ("close_app", EndsNamed),
    ("mobile_agent.launch_app", Launches),
    ("scenario.startTestingScenario", Launches),
    ("scenario.launchAppByPackage", Launches),
    ("scenario.goBack", GoesBack),
    ("scenario.takeScreenshot", Nothing),
    ("scenario.initializeTestScenarioReport", Nothing),
    ("scenario.updateTestScenarioReport", Nothing),
    ("mobile_agent.invalidate_cache", Nothing),
];

#[test]
fn every_tool_has_the_effect_that_it_states_or_the_default() {
    for entry in entries() {
        let stated = STATED.iter().find(|(name, _)| *name == entry.name);
        let expected = stated.map_or(FrontEffect::from_effect(entry.effect), |(_, effect)| {
            *effect
        });
        assert_eq!(entry.front_effect(&json!({})), expected, "{}", entry.name);
    }
    for (name, _) in STATED {
        assert!(find(name).is_some(), "{name}");
    }
}

#[test]
fn arguments_decide_what_ends_and_what_a_key_does() {
    for (name, args, effect) in [
        ("launch", json!({ "app": "com.example" }), Launches),
        ("open_link", json!({ "link": "notes://new" }), Launches),
        ("shell", json!({ "argv": ["ls"] }), MayLaunch),
        ("stop", json!({ "app": null }), Ends),
        ("stop", json!({ "app": "com.example" }), EndsNamed),
        ("clear", json!({ "app": null }), Ends),
        ("clear", json!({ "app": "com.example" }), EndsNamed),
        (
            "close_app",
            json!({ "package_id": "com.example" }),
            EndsNamed,
        ),
        ("click", json!({ "on": "Back" }), Other),
        ("wait_for", json!({ "on": "Back" }), Nothing),
        ("press", json!({ "key": "BACK" }), GoesBack),
        (
            "press",
            json!({ "key": "KEYCODE_BACK", "times": 2 }),
            GoesBack,
        ),
        ("press", json!({ "key": "back" }), GoesBack),
        ("press", json!({ "key": "HOME" }), GoesHome),
        ("press", json!({ "key": "KEYCODE_HOME" }), GoesHome),
        ("press", json!({ "key": "home" }), GoesHome),
        ("press", json!({ "key": "MOVE_HOME" }), Other),
        ("press", json!({ "key": "CTRL_LEFT+HOME" }), Other),
        ("press", json!({ "key": "ENTER" }), PressesEnter),
        ("press", json!({ "key": "SHIFT_LEFT+ENTER" }), Other),
        ("press_key", json!({ "key": "home" }), GoesHome),
        ("press_key", json!({ "key": "BACK" }), GoesBack),
        (
            "mobile_agent.press_key",
            json!({ "key_code": "KEYCODE_BACK" }),
            GoesBack,
        ),
        ("press", json!({ "key": "4" }), GoesBack),
        ("press", json!({ "key": "3" }), GoesHome),
        ("press", json!({ "key": "66" }), PressesEnter),
        ("press_key", json!({ "key": "ENTER" }), PressesEnter),
    ] {
        assert_eq!(
            find(name).unwrap().front_effect(&args),
            effect,
            "{name} {args}"
        );
    }
}
