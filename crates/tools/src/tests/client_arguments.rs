//! Tests of arguments as clients of the protocol give them.

use super::*;

/// Clients get errors for missing arguments and defaults for others; flows get neither.
#[test]
fn clients_get_the_references_defaults() {
    let filled = |name: &str, args: Value| {
        let entry = find(name).unwrap();
        let args = entry.client_arguments(args).unwrap().arguments;
        entry.with_client_defaults(args)
    };
    let typing = "type_append_text";
    let args = json!({ "element_id": "e", "text": "a" });
    let typed = filled(typing, args.clone()).unwrap();
    assert_eq!(typed.get("typing_speed"), Some(&json!(70)));
    assert_eq!(typed.get("typing_speed_variance"), Some(&json!(15)));
    let named = json!({ "element_id": "e", "text": "a", "typing_speed": 10 });
    let typed = filled(typing, named).unwrap();
    assert_eq!(typed.get("typing_speed"), Some(&json!(10)));
    let failure = filled("wait_for_idle", json!({})).unwrap_err();
    assert_eq!(failure.message, "Missing required parameter: 'timeout'");
    for (name, args) in [(typing, args), ("wait_for_idle", json!({}))] {
        let entry = find(name).unwrap();
        entry.check(&entry.arguments(args).unwrap()).unwrap();
    }
}

/// The references' servers ignore unknown arguments, and read numbers and booleans as text. Our own tools
/// list their arguments instead.
#[test]
fn t10_arguments_that_a_tool_does_not_have_are_ignored_as_by_the_references_servers() {
    let mut count = 0;
    for entry in entries() {
        let given = entry
            .client_arguments(json!({ "such_an_argument": 1 }))
            .unwrap();
        let note = &given.note;
        let is_own = entry.catalogue == Catalogue::Everyday;
        assert_eq!(note.is_none(), is_own, "{}: {note:?}", entry.name);
        assert_eq!(given.arguments.get("such_an_argument").is_some(), is_own);
        count += usize::from(!is_own);
    }
    assert!(count > 70, "{count}");
    let entry = find("find_elements").unwrap();
    let args = json!({ "by": "text", "value": 5, "exactMatch": true });
    let given = entry.client_arguments(args).unwrap();
    assert_eq!(given.arguments.get("value"), Some(&json!("5")));
    assert_eq!(
        given.note.unwrap(),
        "there is no parameter 'exactMatch', so it has no effect; did you mean 'exact_match'?"
    );
}
