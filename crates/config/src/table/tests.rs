//! Checks that one entry of the table is all that a setting needs.

use std::collections::BTreeMap;

use super::*;
use runner_base::context::Context;
use runner_text::diagnostic::Source;
use serde_json::json;

settings! {
    /// Maximum wait for a greeting.
    greeting_wait: HumanDuration = Spec::new(|_| Duration::from_secs(3))
        .key("greeting.wait", "How long a greeting is looked for.")
        .variable("RUNNER_GREETING_WAIT")
        .flag(FlagGroup::Run, "greeting-wait", "DURATION", "How long a greeting is looked for")
        .docs("how long a greeting is looked for");
}

/// Resolves the setting from these sources. Returns its value and origin.
fn resolved(file: &str, variable: Option<&str>, option: Option<&str>) -> Result<String, String> {
    let variable = variable.map(|text| ("RUNNER_GREETING_WAIT".to_owned(), text.to_owned()));
    let context = Context::fixed("/work".into(), variable.into_iter().collect());
    let document = match file {
        "" => json!({}),
        wait => json!({ "greeting": { "wait": wait } }),
    };
    let source = Source {
        path: "runner.yaml".into(),
        text: "greeting:\n  wait: 5s\n".to_owned(),
    };
    let layers = Layers {
        context: &context,
        devices: &[],
        root: "/work".into(),
        source: Some(&source),
        places: &BTreeMap::from([("greeting.wait".to_owned(), 18..20)]),
    };
    let mut flags = RawSettings::default();
    if let Some(text) = option {
        flags
            .set("greeting_wait", text)
            .map_err(|error| error.to_string())?;
    }
    let file = RawSettings::from_document(&document).map_err(|error| error.to_string())?;
    assert!(file.problems().is_empty());
    let values =
        SettingValues::resolve(&layers, &file, &flags).map_err(|wrong| wrong.to_string())?;
    let lines: Vec<_> = values.describe();
    let (name, value, origin) = &lines[0];
    Ok(format!("{name} {value} {origin}"))
}

#[test]
fn an_entry_is_a_setting() {
    for (file, variable, option, expected) in [
        ("", None, None, "greeting_wait 3s default"),
        ("5s", None, None, "greeting_wait 5s runner.yaml:2"),
        (
            "5s",
            Some("6s"),
            None,
            "greeting_wait 6s RUNNER_GREETING_WAIT",
        ),
        (
            "5s",
            Some("6s"),
            Some("7s"),
            "greeting_wait 7s command line",
        ),
    ] {
        assert_eq!(resolved(file, variable, option).as_deref(), Ok(expected));
    }
    assert_eq!(
        resolved("", Some("soon"), None).unwrap_err(),
        "RUNNER_GREETING_WAIT=soon: must be a duration such as 10s"
    );
    assert!(resolved("", None, Some("soon")).is_err());
    let row = &rows()[0];
    assert_eq!(
        row.schema,
        runner_flow::duration("How long a greeting is looked for.")
    );
    assert_eq!(
        (row.key, row.default.as_str()),
        (Some("greeting.wait"), "`3s`")
    );
}

#[test]
fn names_are_of_one_setting() {
    let rows = super::rows();
    let mut seen = std::collections::BTreeSet::new();
    for row in &rows {
        let flag = row.flag.map(|flag| format!("--{}", flag.name));
        let names = [row.key, row.variable]
            .into_iter()
            .flatten()
            .map(str::to_owned);
        for name in names.chain(flag) {
            assert!(seen.insert(name.clone()), "{name} stands for two settings");
        }
        assert!(
            !row.docs.is_empty(),
            "{} says nothing in docs/reference/config.md",
            row.name
        );
    }
}
