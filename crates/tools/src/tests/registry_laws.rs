//! Tests of what holds for every tool of the registry.

use std::collections::HashSet;

use schemars::SchemaGenerator;

use super::*;
use runner_screen::Selector;

#[test]
fn names_are_unique() {
    let mut observed = HashSet::new();
    for entry in entries() {
        assert!(observed.insert(entry.name), "{}", entry.name);
    }
}

#[test]
fn the_android_catalogue_is_whole() {
    let count = entries()
        .iter()
        .filter(|entry| entry.catalogue == Catalogue::Android)
        .count();
    assert_eq!(count, 39);
}

fn properties(entry: &Entry) -> serde_json::Map<String, Value> {
    let mut generator = SchemaGenerator::default();
    let schema = entry.schema(&mut generator).to_value();
    let name = schema["$ref"]
        .as_str()
        .map(|reference| reference.rsplit('/').next().unwrap_or_default().to_owned());
    let schema = match name {
        Some(name) => generator.definitions()[&name].clone(),
        None => schema,
    };
    assert_eq!(schema["type"], "object", "{}", entry.name);
    assert_eq!(schema["additionalProperties"], false, "{}", entry.name);
    schema["properties"]
        .as_object()
        .cloned()
        .unwrap_or_default()
}

#[test]
fn every_schema_builds_and_its_writing_fits() {
    for entry in entries() {
        let properties = properties(entry);
        let needed = match entry.writing {
            StepSyntax::Map => continue,
            StepSyntax::Element => "on",
            StepSyntax::Scalar(name) | StepSyntax::Sequence(name) => name,
        };
        assert!(properties.contains_key(needed), "{}: {needed}", entry.name);
    }
}

#[test]
fn no_option_is_named_like_a_selector_key() {
    for entry in entries() {
        if entry.writing == StepSyntax::Element {
            for name in properties(entry).keys() {
                assert!(
                    !Selector::KEYS.contains(&name.as_str()),
                    "{}.{name}",
                    entry.name
                );
            }
        }
    }
}

#[tokio::test]
async fn bare_words_need_no_arguments() {
    // Those that act on an element or on files are tried elsewhere; here only the arguments count.
    for entry in entries().iter().filter(|entry| entry.value_optional) {
        let fake = Fake::showing([&button(r#"text="Go""#)]);
        let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
        let mut call = call();
        let folder = tempfile::tempdir().unwrap();
        call.artifacts = camino::Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        if let Err(failure) = entry
            .call(&session, entry.arguments(Value::Null).unwrap(), &call)
            .await
        {
            assert_ne!(
                failure.kind,
                FailureKind::Usage,
                "{}: {failure:?}",
                entry.name
            );
        }
    }
}

/// A new step that acts on a given element must offer `force`, or be excepted here with a reason.
#[test]
fn v8_every_step_that_acts_on_an_element_can_be_forced() {
    // A swipe is a finger's; scrolling does nothing to the element.
    let exempt = ["swipe_across", "scroll_to"];
    let mut forced = Vec::new();
    for entry in entries() {
        let properties = properties(entry);
        let is_given = ["on", "into"]
            .iter()
            .any(|name| properties.contains_key(*name));
        let acts = ["find", "wait_for", "screenshot", "record"]
            .iter()
            .all(|name| *name != entry.name)
            && !entry.name.starts_with("assert");
        if entry.catalogue != Catalogue::Everyday
            || !is_given
            || !acts
            || exempt.contains(&entry.name)
        {
            continue;
        }
        assert!(properties.contains_key("force"), "{}", entry.name);
        forced.push(entry.name);
    }
    assert_eq!(
        forced,
        [
            "click",
            "long_click",
            "double_click",
            "type",
            "erase",
            "two_fingers"
        ]
    );
}
