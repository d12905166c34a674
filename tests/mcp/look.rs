//! `runner_look` and `runner_changes` on the demo app, and short ids with other tools.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::common::Project;
use crate::common::mcp::{Answer, Client};

fn start(project: &Project) -> Client {
    let mut client = Client::start(project, &[]);
    open(&mut client);
    client
}

fn open(client: &mut Client) {
    let app = json!({ "package_id": "com.example.notes" });
    assert!(!client.call("android_open_app", app).is_error);
}

fn done(client: &mut Client, tool: &str, arguments: Value) -> Answer {
    let answer = client.call(tool, arguments);
    assert!(!answer.is_error, "{tool}: {}", answer.text);
    answer
}

fn look(client: &mut Client) -> String {
    done(client, "runner_look", json!({})).text
}

fn changes(client: &mut Client) -> String {
    done(client, "runner_changes", json!({})).text
}

/// Returns the id of the line that holds `part`.
#[track_caller]
fn id(look: &str, part: &str) -> String {
    let line = look
        .lines()
        .find(|line| line.contains(part))
        .unwrap_or_else(|| panic!("{part} is not in\n{look}"));
    let id = line.split(' ').find(|word| word.starts_with("@e"));
    id.expect("an id").to_owned()
}

fn sign_in(client: &mut Client) {
    let screen = look(client);
    for (field, text) in [
        ("hint=\"Username\"", "ada"),
        ("hint=\"Password\"", "lovelace"),
    ] {
        let arguments = json!({ "element_id": id(&screen, field), "text": text });
        done(client, "android_type_append_text", arguments);
    }
    let button = id(&look(client), "\"Sign in\"");
    done(
        client,
        "android_click_element",
        json!({ "element_id": button }),
    );
}

#[test]
fn a_look_is_one_element_a_line() {
    let project = Project::with_demo_app();
    let mut client = start(&project);
    let answer = done(&mut client, "runner_look", json!({}));
    let expected = "look 1: com.example.notes/.SignIn 1080x2400
@e1 ImageView desc=\"Hills at dawn\" id=hero
@e2 TextView \"Welcome to Notes\" id=welcome
@e3 TextView \"Sign in to read what you wrote.\" id=hint
@e4 EditText hint=\"Username\" id=username
@e5 EditText hint=\"Password\" id=password password
@e6 Button \"Sign in\" id=sign_in disabled
@e7 Button \"Forgot password?\" id=forgot";
    assert_eq!(answer.text, expected);
    // A client that shows structured content instead of text would show nothing of the screen.
    assert_eq!(answer.result["structuredContent"], Value::Null);
    let bounds = done(&mut client, "runner_look", json!({ "bounds": true })).text;
    assert!(
        bounds.contains("id=sign_in disabled at=42,1196,1038,1312\n"),
        "{bounds}"
    );
    let all = done(&mut client, "runner_look", json!({ "all": true })).text;
    assert!(
        all.contains("\n-- com.android.systemui StatusBar\n@e8 "),
        "{all}"
    );
    assert!(
        all.contains("\n@e6 Button \"Sign in\""),
        "the ids are the same: {all}"
    );
    let wrong = client.call("runner_look", json!({ "al": true }));
    assert!(
        wrong.is_error && wrong.text.contains("'al'"),
        "{}",
        wrong.text
    );
}

#[test]
fn short_ids_go_into_other_tools_and_changes_tell_what_they_did() {
    let project = Project::with_demo_app();
    let mut client = start(&project);
    let screen = look(&mut client);
    let username = id(&screen, "hint=\"Username\"");
    let password = id(&screen, "hint=\"Password\"");
    done(
        &mut client,
        "android_type_append_text",
        json!({ "element_id": username, "text": "ada" }),
    );
    let typed = changes(&mut client);
    assert!(
        typed.starts_with("look 2: 1 changed, keyboard shown\n"),
        "{typed}"
    );
    assert!(
        typed.contains(&format!("~ {username} EditText \"\" → \"ada\", focused")),
        "{typed}"
    );
    done(
        &mut client,
        "android_type_append_text",
        json!({ "element_id": password, "text": "lovelace" }),
    );
    let typed = changes(&mut client);
    let button = id(&screen, "\"Sign in\" id");
    assert!(
        typed.contains(&format!(
            "~ {button} Button \"Sign in\": disabled → enabled"
        )),
        "{typed}"
    );
    assert!(!typed.contains("lovelace"), "{typed}");
    assert!(!look(&mut client).contains("lovelace"));
    let details = done(
        &mut client,
        "android_get_element_details",
        json!({ "ids": [username, "@e99"] }),
    );
    assert_eq!(
        details.text,
        format!("id\ttext\tdesc\n{username}\tada\t-\n@e99\tnot_found\tnot_found")
    );
    let clicked = done(
        &mut client,
        "android_click_element",
        json!({ "element_id": button }),
    );
    assert_eq!(
        clicked.text,
        format!("Click performed on element '{button}'")
    );
    let inbox = changes(&mut client);
    let head =
        "look 5, whole, as most changed since 4: com.example.notes/.Inbox 1080x2400, scrolls: ";
    assert!(inbox.starts_with(head), "{inbox}");
}

#[test]
fn an_id_stays_with_its_element_and_says_what_it_was_when_that_is_gone() {
    let project = Project::with_demo_app();
    let mut client = start(&project);
    let screen = look(&mut client);
    let (username, welcome) = (id(&screen, "\"Username\""), id(&screen, "\"Welcome"));
    sign_in(&mut client);
    let gone = client.call("android_click_element", json!({ "element_id": username }));
    assert!(gone.is_error);
    let expected = format!(
        "{username} was EditText \"Username\", which is not on the screen now; look again (`runner_look`)"
    );
    assert_eq!(gone.text, expected);
    assert_eq!(gone.json()["code"], -32002);
    let unknown = client.call("android_click_element", json!({ "element_id": "@e999" }));
    assert_eq!(
        unknown.text,
        "Element '@e999' not found in accessibility tree"
    );
    // Rows of a list that scrolls under them.
    let inbox = look(&mut client);
    let (first, fourth) = (id(&inbox, "\"Groceries\""), id(&inbox, "\"Books to read\""));
    assert!(!inbox.contains(&format!("{welcome} ")), "{inbox}");
    let scroll = json!({ "direction": "down", "amount": "small" });
    done(&mut client, "android_scroll", scroll);
    let scrolled = look(&mut client);
    assert!(!scrolled.contains("Groceries"), "{scrolled}");
    assert!(
        !scrolled.contains(&format!("{first} ")),
        "{first} is nobody else's: {scrolled}"
    );
    let gone = client.call("android_click_element", json!({ "element_id": first }));
    assert!(
        gone.text
            .starts_with(&format!("{first} was ViewGroup \"Groceries\", ")),
        "{}",
        gone.text
    );
    let later = id(&scrolled, "\"Movies to watch\"");
    let up = json!({ "direction": "up", "amount": "medium" });
    done(&mut client, "android_scroll", up);
    let again = look(&mut client);
    assert!(!again.contains(&later), "{again}");
    assert_eq!(id(&again, "\"Groceries\""), first);
    assert_eq!(id(&again, "\"Books to read\""), fourth);
    let reached = done(
        &mut client,
        "android_scroll_to_element",
        json!({ "element_id": later }),
    );
    let text = format!("Scrolled to element '{later}' (");
    assert!(reached.text.starts_with(&text), "{}", reached.text);
    done(
        &mut client,
        "android_click_element",
        json!({ "element_id": later }),
    );
    assert!(
        look(&mut client).contains("\"Movies to watch\" id="),
        "the note is open"
    );
}

#[test]
fn each_of_two_clients_asks_for_what_changed_since_its_own_look() {
    let project = Project::with_demo_app();
    let mut client = start(&project);
    let screen = look(&mut client);
    // Another agent at the same server looks in between.
    let username = json!({ "element_id": id(&screen, "\"Username\""), "text": "ada" });
    done(&mut client, "android_type_append_text", username);
    changes(&mut client);
    assert_eq!(changes(&mut client), "look 3: nothing changed");
    let since = done(&mut client, "runner_changes", json!({ "since": 1 })).text;
    assert!(
        since.starts_with("look 4 since 1: 1 changed, keyboard shown\n"),
        "{since}"
    );
    let unknown = done(&mut client, "runner_changes", json!({ "since": 40 })).text;
    assert!(
        unknown.starts_with("look 5, whole, as look 40 is not kept: "),
        "{unknown}"
    );
}

#[test]
fn a_screenshot_is_a_small_jpeg() {
    let project = Project::with_demo_app();
    let mut client = start(&project);
    for tool in ["runner_look", "runner_changes"] {
        let answer = done(&mut client, tool, json!({ "screenshot": true }));
        let image = &answer.result["content"][1];
        assert_eq!(image["mimeType"], "image/jpeg");
        let bytes = STANDARD.decode(image["data"].as_str().unwrap()).unwrap();
        assert_eq!(bytes[..3], [0xFF, 0xD8, 0xFF]);
        // The frame header holds the size.
        let frame = bytes
            .windows(2)
            .position(|pair| pair == [0xFF, 0xC0])
            .unwrap();
        let side = |at: usize| u16::from_be_bytes([bytes[frame + at], bytes[frame + at + 1]]);
        assert_eq!((side(7), side(5)), (315, 700), "{tool}");
    }
    assert!(done(&mut client, "runner_look", json!({})).result["content"][1].is_null());
}

#[test]
fn looks_are_listed_as_reading_only() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "semantic"]);
    let list = client.request("tools/list", json!({}));
    for name in ["runner_look", "runner_changes"] {
        let tools = list["tools"].as_array().unwrap();
        let tool = tools.iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(tool["annotations"]["readOnlyHint"], true);
        let refused = client.call(name, json!({ "nobody": 1 }));
        assert!(
            refused.is_error && refused.text.contains("nobody"),
            "{}",
            refused.text
        );
    }
    // Every dialect has them, on the screen that is there.
    assert!(look(&mut client).starts_with("look 1: com.android.launcher/.Home "));
}

#[test]
fn short_ids_are_control_ids_and_element_ids() {
    let project = Project::with_demo_app();
    let mut client = Client::start(&project, &["--dialect", "mobile-agent"]);
    let launch = json!({ "package_name": "com.example.notes" });
    done(&mut client, "launch_app", launch);
    let on = |id: &str, text: &str| json!({ "control_id": id, "control_name": "x", "text": text });
    let early = client.call("type_text", on("@e4", "ada"));
    assert_eq!(
        early.text_json()["error"],
        "Control with ID '@e4' not found. Please call runner_look first."
    );
    let screen = look(&mut client);
    let (field, button) = (id(&screen, "\"Username\""), id(&screen, "\"Sign in\""));
    let typed = done(&mut client, "type_text", on(&field, "ada")).text_json();
    assert_eq!(typed["success"], true, "{typed}");
    assert_eq!(typed["control_info"]["name"], "Username");
    let changes = changes(&mut client);
    assert!(
        changes.contains(&format!("~ {field} EditText \"\" → \"ada\"")),
        "{changes}"
    );
    done(
        &mut client,
        "press_key",
        json!({ "key_code": "KEYCODE_HOME" }),
    );
    let click = json!({ "control_id": button, "control_name": "Sign in" });
    let gone = client.call("click_control", click);
    assert!(!gone.is_error);
    assert_eq!(
        gone.text_json()["error"],
        format!(
            "{button} was Button \"Sign in\", which is not on the screen now; look again (`runner_look`)"
        )
    );
    drop(client);

    let mut client = Client::start(&project, &["--dialect", "semantic"]);
    let unknown = client.call("click", json!({ "element_id": "@e99" }));
    assert_eq!(unknown.text, "Element not found: @e99");
    let advice = unknown.advice;
    assert!(advice.contains("`runner_look`"), "{advice}");
    let icon = id(&look(&mut client), "\"Notes\"");
    done(&mut client, "click", json!({ "element_id": icon }));
    let field = id(&look(&mut client), "\"Username\"");
    let typing = json!({ "element_id": field, "text": "ada" });
    done(&mut client, "type_text", typing);
    assert!(look(&mut client).contains(&format!("{field} EditText \"ada\"")));
    let gone = client.call("click", json!({ "element_id": icon }));
    assert!(gone.is_error);
    assert_eq!(
        gone.text,
        format!(
            "{icon} was TextView \"Notes\", which is not on the screen now; look again (`runner_look`)"
        )
    );
}
