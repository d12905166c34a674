//! Catalogue A through its dialect.

use crate::common::Project;
use crate::common::mcp::Client;
use serde_json::json;

#[test]
fn a37_open_app_opens_an_app() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &[]);
    let answer = client.call(
        "android_open_app",
        json!({ "package_id": "com.example.notes" }),
    );
    assert_eq!(answer.text, "App opened successfully: com.example.notes");
    let answer = client.call("android_get_screen_state", json!({}));
    assert!(answer.text.contains("Sign in"), "{}", answer.text);
}
