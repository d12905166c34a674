//! Tools and steps on the virtual device, over adb's protocol.
use camino::Utf8PathBuf;
use runner::device::adb::connect_direct;
use runner::device::{LookOptions, Script};
use runner::engine::{Session, StorageLocation};
use runner::tools::{Call, Catalogue, Failure, FlowReader, Outcome, Verdict, registry};
use runner::virtual_device::{VirtualDevice, VirtualDeviceOptions};
use serde_json::{Value, json};
use std::time::Duration;

/// Session on a virtual device with the demo app.
struct Bench {
    session: Session,
    call: Call,
    _device: VirtualDevice,
    _folder: tempfile::TempDir,
}

impl Bench {
    async fn new() -> Self {
        let options = VirtualDeviceOptions {
            apps: vec![concat!(env!("CARGO_MANIFEST_DIR"), "/examples/demo").into()],
            ..VirtualDeviceOptions::default()
        };
        let virtual_device = VirtualDevice::start(options).await.unwrap();
        let address = virtual_device.address().to_string();
        let device = connect_direct(&address, "virtual").await.unwrap();
        let open = StorageLocation {
            id: "open".to_owned(),
            allow_write: true,
            allow_delete: true,
            ..StorageLocation::defaults().remove(1)
        };
        let folder = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(folder.path().to_owned()).unwrap();
        Self {
            session: Session::new(device).with_locations(vec![open]),
            call: Call {
                timeout: Duration::from_secs(5),
                app: Some("com.example.notes".to_owned()),
                artifacts: root.join("artifacts"),
                root,
                allow_shell: true,
                http_hosts: std::sync::Arc::default(),
                progress: runner::tools::Progress::default(),
                caller: runner::tools::Caller::default(),
            },
            _device: virtual_device,
            _folder: folder,
        }
    }

    async fn call(&self, name: &str, args: Value) -> Result<Outcome, Failure> {
        let entry = registry::find(name).unwrap_or_else(|| panic!("no step {name}"));
        let args = entry.arguments(args)?;
        entry.call(&self.session, args, &self.call).await
    }

    /// Runs a step that must pass.
    async fn step(&self, name: &str, args: Value) -> Outcome {
        let outcome = match self.call(name, args.clone()).await {
            Ok(outcome) => outcome,
            Err(failure) => panic!("{name} {args}: {failure:#?}\n{}", self.screen().await),
        };
        assert_eq!(outcome.verdict, Verdict::Passed, "{name} {args}");
        // The documents say what `as` keeps.
        let entry = registry::find(name).unwrap();
        if entry.catalogue == Catalogue::Everyday
            && let Some(stored) = outcome.value.as_object()
        {
            let mut messages: Vec<&str> = entry.keeps.names().collect();
            let mut retained: Vec<&str> = stored.keys().map(String::as_str).collect();
            messages.sort_unstable();
            retained.sort_unstable();
            assert_eq!(retained, messages, "{name}");
        }
        outcome
    }

    async fn screen(&self) -> String {
        let options = LookOptions::within(Duration::from_secs(10));
        match self.session.device().look(options).await {
            Ok(screen) => screen.tsv(runner::screen::Profile::Golden),
            Err(error) => error.to_string(),
        }
    }

    async fn id_of(&self, by: &str, value: &str) -> String {
        let found = self
            .step("find_elements", json!({ "by": by, "value": value }))
            .await;
        found.value["elements"][0]["id"]
            .as_str()
            .unwrap_or_else(|| panic!("no {value}"))
            .to_owned()
    }
}

#[tokio::test]
async fn a_test_case_reads_and_runs() {
    let bench = Bench::new().await;
    bench.session.begin().await.unwrap();
    bench.step("launch", Value::Null).await;
    bench
        .step(
            "type",
            json!({ "into": { "id": "username" }, "text": "ada" }),
        )
        .await;
    bench
        .step(
            "type",
            json!({ "into": { "id": "password" }, "text": "lovelace", "secret": true }),
        )
        .await;
    bench.step("hide_keyboard", Value::Null).await;
    bench.step("click", json!({ "on": "Sign in" })).await;
    bench
        .step("assert visible", json!({ "on": "Welcome, *" }))
        .await;
    bench
        .step("assert not visible", json!({ "on": "Wrong password" }))
        .await;
    bench
        .step("assert log", json!({ "contains": "signed in" }))
        .await;
    let count = bench
        .step("find", json!({ "on": { "id": "inbox_count" } }))
        .await;
    assert!(count.value["text"].as_str().unwrap().parse::<u32>().is_ok());
    let reached = bench
        .step("scroll_to", json!({ "on": "Budget for May" }))
        .await;
    assert!(reached.value["scrolls"].as_u64().unwrap() > 0);
    let shot = bench.step("screenshot", json!({ "name": "inbox" })).await;
    let path = shot.value["path"].as_str().unwrap();
    assert!(image::open(path).is_ok(), "{path}");
    bench.step("stop", Value::Null).await;
    bench.session.restore().await.unwrap();
}

#[tokio::test]
async fn a_click_is_one_dump_and_one_input() {
    let bench = Bench::new().await;
    bench.step("launch", Value::Null).await;
    let before = bench.session.device().counters().read();
    bench
        .step("click", json!({ "on": "Forgot password?" }))
        .await;
    let cost = bench.session.device().counters().read() - before;
    // The dump, the questions after it, the input.
    assert_eq!((cost.round_trips, cost.dumps), (3, 1));
}

#[tokio::test]
async fn what_is_not_there_fails_with_what_is_near() {
    let bench = Bench::new().await;
    bench.step("launch", Value::Null).await;
    let failure = bench
        .call("click", json!({ "on": "sign in" }))
        .await
        .unwrap_err()
        .advise(&FlowReader);
    assert!(
        failure.details.iter().any(|line| line.contains("Sign in")),
        "{failure:#?}"
    );
}

#[tokio::test]
async fn text_tools_edit_a_field() {
    let bench = Bench::new().await;
    bench.step("launch", Value::Null).await;
    let id = bench.id_of("resource_id", "username").await;
    let typed = |what: &str, content: &str| format!("{what}\nField content: {content}");
    let table = [
        (
            "type_append_text",
            json!({ "element_id": id, "text": "world" }),
            typed(
                &format!("Typed 5 characters at end of element '{id}'."),
                "world",
            ),
        ),
        (
            "type_insert_text",
            json!({ "element_id": id, "text": "my ", "offset": 0 }),
            typed(
                &format!("Typed 3 characters at offset 0 in element '{id}'."),
                "my world",
            ),
        ),
        (
            "type_replace_text",
            json!({ "element_id": id, "search": "my", "new_text": "hello" }),
            typed(
                &format!("Replaced 2 characters with 5 characters in element '{id}'."),
                "hello world",
            ),
        ),
        (
            "type_append_text",
            json!({ "element_id": id, "text": " Zoë 日本" }),
            typed(
                &format!("Typed 7 characters at end of element '{id}'."),
                "hello world Zoë 日本",
            ),
        ),
        (
            "type_clear_text",
            json!({ "element_id": id }),
            typed(&format!("Text cleared from element '{id}'."), ""),
        ),
    ];
    for (name, args, text) in table {
        assert_eq!(bench.step(name, args).await.words(), text);
    }
    let failure = bench
        .call(
            "type_insert_text",
            json!({ "element_id": id, "text": "a", "offset": 9 }),
        )
        .await
        .unwrap_err();
    assert_eq!(
        failure.message,
        format!("offset (9) exceeds text length (0) in element '{id}'")
    );
}

// Text of any length and with any number of `%s` arrives whole.
#[tokio::test]
async fn long_texts_are_typed() {
    let bench = Bench::new().await;
    bench.step("launch", Value::Null).await;
    for (field, text) in [("username", "ada"), ("password", "lovelace")] {
        bench
            .step("type", json!({ "into": { "id": field }, "text": text }))
            .await;
    }
    bench
        .step("click", json!({ "on": { "id": "sign_in" } }))
        .await;
    bench.step("click", json!({ "on": "New note" })).await;
    let lines: Vec<String> = (1..=100).map(|n| format!("line {n}")).collect();
    for text in [
        "a%s ".repeat(80),
        lines.join("\n"),
        "long text; it's 100% ".repeat(3000),
    ] {
        let typed = json!({ "into": { "id": "body" }, "text": text, "clear": true });
        bench.step("type", typed).await;
        let field = bench.step("find", json!({ "on": { "id": "body" } })).await;
        assert_eq!(field.value["text"].as_str(), Some(text.as_str()));
    }
}

#[tokio::test]
async fn the_screen_and_the_system() {
    let bench = Bench::new().await;
    bench
        .step("open_app", json!({ "package_id": "com.example.notes" }))
        .await;
    let state = bench
        .step("get_screen_state", json!({ "include_screenshot": true }))
        .await;
    assert!(
        state
            .words()
            .contains("screen:1080x2400 density:420 orientation:portrait"),
        "{}",
        state.words()
    );
    assert_eq!(state.images[0].0, "image/jpeg");
    let idle = bench.step("wait_for_idle", Value::Null).await;
    assert_eq!(idle.value["message"], "UI is idle");
    bench
        .step("set_clipboard", json!({ "text": "copied" }))
        .await;
    let clipboard = bench.step("get_clipboard", Value::Null).await;
    assert_eq!(clipboard.words(), r#"{"text":"copied"}"#);
    let apps = bench.step("list_apps", json!({ "filter": "user" })).await;
    assert!(
        apps.words().contains("com.example.notes"),
        "{}",
        apps.words()
    );
    let failure = bench
        .call("close_app", json!({ "package_id": "com.example.nothing" }))
        .await
        .unwrap_err();
    assert!(failure.message.contains("not installed"), "{failure:?}");
    let failure = bench
        .call("open_app", json!({ "package_id": "com.example.nothing" }))
        .await
        .unwrap_err();
    assert_eq!(
        failure.message,
        "Failed to open application 'com.example.nothing': No launchable activity found for package 'com.example.nothing'"
    );
    bench.step("open_notifications", Value::Null).await;
    bench.step("press_back", Value::Null).await;
    bench.step("press_home", Value::Null).await;
    bench
        .step("assert not visible", json!({ "on": { "id": "username" } }))
        .await;
    let shell = bench
        .step("shell", json!({ "argv": ["echo", "a b"] }))
        .await;
    assert_eq!(shell.value["stdout"], "a b\n");
}

#[tokio::test]
async fn files_of_a_location() {
    let bench = Bench::new().await;
    let file = |more: Value| {
        let mut args = json!({ "location_id": "open", "path": "notes/todo.txt" });
        args.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        args
    };
    let table = [
        (
            "write_file",
            file(json!({ "content": "one\ntwo" })),
            "File written successfully: notes/todo.txt",
        ),
        (
            "append_file",
            file(json!({ "content": "\nthree" })),
            "Content appended successfully to: notes/todo.txt",
        ),
        (
            "file_replace",
            file(json!({ "old_string": "two", "new_string": "2" })),
            "Replaced 1 occurrence(s) in: notes/todo.txt",
        ),
        (
            "read_file",
            file(json!({ "limit": 2 })),
            "1| one\n2| 2\n--- More lines available. Use offset=3 to continue reading. Total lines: 3 ---",
        ),
        ("read_file", file(json!({ "offset": 3 })), "3| three"),
    ];
    for (name, args, text) in table {
        assert_eq!(bench.step(name, args).await.words(), text);
    }
    let list = bench
        .step(
            "list_files",
            json!({ "location_id": "open", "path": "notes" }),
        )
        .await;
    assert_eq!(list.value["total_count"], 1);
    assert_eq!(list.value["files"][0]["path"], "open/notes/todo.txt");
    assert_eq!(list.value["files"][0]["mime_type"], "text/plain");
    let failure = bench
        .call(
            "delete_file",
            json!({ "location_id": "open", "path": "notes" }),
        )
        .await
        .unwrap_err();
    assert_eq!(
        failure.message,
        "Cannot delete a directory. Only single files can be deleted. Path: notes"
    );
    assert_eq!(
        bench.step("delete_file", file(json!({}))).await.words(),
        "File deleted successfully: notes/todo.txt"
    );
    let failure = bench.call("read_file", file(json!({}))).await.unwrap_err();
    assert_eq!(
        failure.message,
        "File not found: notes/todo.txt in location 'open'"
    );
}

#[tokio::test]
async fn settings_are_put_back() {
    let bench = Bench::new().await;
    let night = async || {
        let script = Script::command(["cmd", "uimode", "night"]);
        let limit = Duration::from_secs(5);
        let output = bench.session.device().shell(&script, limit).await.unwrap();
        output.text().trim().to_owned()
    };
    let before = night().await;
    bench
        .step("set_device", json!({ "dark": true, "font_scale": 1.3 }))
        .await;
    let changed = night().await;
    bench.session.restore().await.unwrap();
    assert_ne!(before, changed);
    assert_eq!(before, night().await);
}
