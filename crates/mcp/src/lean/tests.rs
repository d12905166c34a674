use serde_json::json;

use super::*;

fn work(tool: &str, args: Value) -> Result<(&'static str, Value), String> {
    let tool = tools().into_iter().find(|own| own.name == tool).unwrap();
    match tool.call(args) {
        Ok(work) => Ok((work.entry.name, work.args)),
        Err(failure) => Err(failure.message.into()),
    }
}

#[test]
fn an_element_is_named_by_its_id_its_words_or_its_resource_id() {
    for (args, step, wanted) in [
        (
            json!({ "on": "@e12" }),
            "click_element",
            json!({ "element_id": "@e12" }),
        ),
        (
            json!({ "on": "Sign in" }),
            "click",
            json!({ "on": "Sign in" }),
        ),
        (
            json!({ "id": "sign_in" }),
            "click",
            json!({ "on": { "id": "sign_in" } }),
        ),
    ] {
        assert_eq!(work("runner_click", args), Ok((step, wanted)));
    }
    for (tool, args, why) in [
        ("runner_click", json!({}), "runner_look"),
        (
            "runner_click",
            json!({ "on": "@e1", "id": "a" }),
            "leave one of them out",
        ),
        (
            "runner_click",
            json!({ "on": "a", "id": "a" }),
            "leave one of them out",
        ),
        (
            "runner_click",
            json!({ "on": "a", "index": 1 }),
            "there is no parameter 'index'",
        ),
        (
            "runner_scroll_to",
            json!({ "on": "@e1", "direction": "up" }),
            "leave `direction` out",
        ),
        (
            "runner_wait_for",
            json!({ "on": "@e1" }),
            "on a screen already",
        ),
        (
            "runner_wait_for",
            json!({ "on": "a", "timeout": 0 }),
            "1 to 60",
        ),
        (
            "runner_swipe",
            json!({ "x1": "abc", "y1": 1, "x2": 1, "y2": 1 }),
            "Parameter 'x1' must be a number, got: 'abc'",
        ),
    ] {
        let refused = work(tool, args.clone()).unwrap_err();
        assert!(refused.contains(why), "{tool} {args}: {refused}");
    }
    assert_eq!(
        work(
            "runner_type",
            json!({ "text": "a", "on": "@e3", "clear": true })
        ),
        Ok((
            "semantic.type_text",
            json!({ "element_id": "@e3", "text": "a", "replace": true })
        ))
    );
    assert_eq!(
        work("runner_type", json!({ "text": "a" })),
        Ok(("type", json!({ "text": "a", "clear": false })))
    );
}

#[test]
fn numbers_may_be_texts_or_have_a_point() {
    for times in [json!("3"), json!(3.0), json!("3.0"), json!(3)] {
        let args = json!({ "key": "TAB", "times": times });
        let wanted = json!({ "key": "TAB", "times": 3 });
        assert_eq!(work("runner_press", args), Ok(("press", wanted)));
    }
    let args = json!({ "x1": "500", "y1": 1, "x2": 2, "y2": "3.5" });
    let wanted = json!({ "x1": 500.0, "y1": 1.0, "x2": 2.0, "y2": 3.5 });
    assert_eq!(work("runner_swipe", args), Ok(("swipe", wanted)));
}

#[test]
fn the_steps_are_there_and_take_what_they_are_given() {
    for tool in tools() {
        assert!(find(tool.step).is_some(), "{}: {}", tool.name, tool.step);
    }
    for (tool, args) in [
        ("runner_click", json!({ "on": "a" })),
        ("runner_click", json!({ "on": "@e1" })),
        ("runner_type", json!({ "text": "a", "id": "b" })),
        ("runner_type", json!({ "text": "a", "on": "@e1" })),
        ("runner_press", json!({ "key": "ENTER" })),
        (
            "runner_swipe",
            json!({ "x1": 1, "y1": 2, "x2": 3.5, "y2": 4, "duration": 100 }),
        ),
        ("runner_scroll_to", json!({ "on": "a", "direction": "up" })),
        ("runner_scroll_to", json!({ "on": "@e1" })),
        ("runner_launch", json!({ "app": "com.example" })),
        (
            "runner_wait_for",
            json!({ "on": "a", "gone": true, "timeout": 3 }),
        ),
        ("runner_screenshot", json!({})),
        ("runner_screenshot", json!({ "name": "a" })),
    ] {
        let (step, args) = work(tool, args).unwrap();
        let entry = find(step).unwrap();
        let checked = entry.arguments(args.clone());
        let checked = checked.and_then(|args| entry.check(&args));
        assert_eq!(checked, Ok(()), "{tool}: {step} {args}");
    }
}

#[test]
fn t1_null_is_absent_and_a_wrong_argument_is_told_by_its_name() {
    for (tool, args, name) in [
        ("runner_click", json!({ "on": "a" }), "id"),
        ("runner_type", json!({ "text": "a", "id": "b" }), "on"),
        ("runner_press", json!({ "key": "ENTER" }), "times"),
        ("runner_wait_for", json!({ "on": "a" }), "timeout"),
        ("runner_screenshot", json!({}), "name"),
    ] {
        let with = |value: Value| {
            let mut args = args.clone();
            args[name] = value;
            work(tool, args)
        };
        assert_eq!(with(Value::Null), work(tool, args.clone()), "{tool}");
        let why = with(json!([1])).unwrap_err();
        assert!(
            why.contains(&format!("Parameter '{name}' must be ")),
            "{why}"
        );
    }
}
