//! Tests of elements that are found, waited for and looked at.

use super::*;

#[tokio::test]
async fn elements_are_found_and_acted_on_by_id() {
    let screen = format!(
        "{}{}",
        button(r#"text="Submit" resource-id="a:id/submit" clickable="true""#),
        node("TextView", r#"text="Sub""#, [0, 400, 1080, 500], "")
    );
    let fake = Fake::showing([&screen]);
    let session = Session::new(Arc::clone(&fake) as Arc<dyn Device>);
    let by_text = json!({ "by": "text", "value": "SUB" });
    let outcome = run_on(&session, "find_elements", by_text).await.unwrap();
    let elements = outcome.value["elements"].as_array().unwrap();
    assert_eq!(elements.len(), 2);
    assert_eq!(
        elements[0].as_object().unwrap().keys().collect::<Vec<_>>(),
        [
            "id",
            "text",
            "contentDescription",
            "resourceId",
            "className",
            "bounds",
            "clickable",
            "longClickable",
            "scrollable",
            "editable",
            "enabled"
        ]
    );
    assert_eq!(elements[0]["contentDescription"], Value::Null);
    let (submit, label) = (&elements[0]["id"], &elements[1]["id"]);
    let name = |id: &Value| id.as_str().unwrap().to_owned();

    let outcome = run_on(&session, "click_element", json!({ "element_id": submit }))
        .await
        .unwrap();
    assert_eq!(
        outcome.words(),
        format!("Click performed on element '{}'", name(submit))
    );
    let failure = run_on(&session, "click_element", json!({ "element_id": label }))
        .await
        .unwrap_err();
    assert_eq!(
        failure.message,
        format!("Node '{}' is not clickable", name(label))
    );
    let failure = run_on(
        &session,
        "long_click_element",
        json!({ "element_id": submit }),
    )
    .await
    .unwrap_err();
    assert_eq!(
        failure.message,
        format!("Node '{}' is not long-clickable", name(submit))
    );
    let failure = run_on(&session, "click_element", json!({ "element_id": "node_0" }))
        .await
        .unwrap_err();
    assert_eq!(
        (failure.message.masked_text(), failure.code),
        (
            "Element 'node_0' not found in accessibility tree",
            Some(ErrorCode::ELEMENT_NOT_FOUND)
        )
    );
    let outcome = run_on(
        &session,
        "scroll_to_element",
        json!({ "element_id": submit }),
    )
    .await
    .unwrap();
    assert_eq!(
        outcome.words(),
        format!("Element '{}' is already visible", name(submit))
    );
    let outcome = run_on(
        &session,
        "get_element_details",
        json!({ "ids": [submit, "node_0"] }),
    )
    .await
    .unwrap();
    assert_eq!(
        outcome.words(),
        format!(
            "id\ttext\tdesc\n{}\tSubmit\t-\nnode_0\tnot_found\tnot_found",
            name(submit)
        )
    );
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));
}

#[tokio::test]
async fn waits_that_run_out_fail_the_step() {
    let fake = Fake::showing([&button(r#"text="Go""#)]);
    let args = json!({ "by": "text", "value": "never", "timeout": 1000 });
    let outcome = run(&fake, "wait_for_element", args).await.unwrap();
    assert_eq!(outcome.value["found"], false);
    assert!(matches!(outcome.verdict, Verdict::Failed(_)));

    let fake = Fake::showing([&button(r#"text="Go now""#)]);
    let args = json!({ "by": "text", "value": "GO" });
    let outcome = run(&fake, "wait_for_element", args).await.unwrap();
    assert_eq!(outcome.value["found"], true);
    assert_eq!(outcome.verdict, Verdict::Passed);
}

#[tokio::test]
async fn expectations_name_expected_and_actual() {
    let fake = Fake::showing([&button(r#"text="2" resource-id="a:id/count""#)]);
    let args = json!({ "on": { "id": "count", "text": "3" } });
    let failure = run(&fake, "assert", args).await.unwrap_err();
    assert_eq!(failure.expected.as_deref(), Some("text: 3"));
    assert_eq!(failure.actual.as_deref(), Some("text: 2"));
}

#[tokio::test]
async fn find_keeps_what_it_found() {
    let fake = Fake::showing([&button(r#"text="42" resource-id="a:id/total""#)]);
    let outcome = run(&fake, "find", json!({ "on": { "id": "total" } }))
        .await
        .unwrap();
    assert_eq!(outcome.value["text"], "42");
    assert_eq!(outcome.value["bounds"]["bottom"], 300);
    assert_eq!(outcome.value["enabled"], true);
}
