//! `runner mcp config`: checks that clients can read what it prints.

use serde_json::{Value, json};

use crate::common::Project;

const PROGRAM: &str = env!("CARGO_BIN_EXE_runner");

#[test]
fn clients_are_given_the_program_with_its_arguments() {
    let project = Project::with_demo_app();
    let folder = project
        .path("")
        .to_string_lossy()
        .trim_end_matches('/')
        .to_owned();
    let arguments = ["--device", "emulator-5554", "--dialect", "scenario"];
    for (client, servers) in [
        ("claude-desktop", "mcpServers"),
        ("claude-code", "mcpServers"),
        ("cursor", "mcpServers"),
        ("vscode", "servers"),
        ("windsurf", "mcpServers"),
        ("zed", "context_servers"),
        ("gemini", "mcpServers"),
        ("cline", "mcpServers"),
        ("other", "mcpServers"),
    ] {
        let ran = project.run(&[&["mcp", "config", client], &arguments[..]].concat());
        let ran = ran.expect(0);
        let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let server = &whole[servers]["runner"];
        assert_eq!(server["command"], PROGRAM, "{client}");
        assert_eq!(
            server["args"],
            json!([
                "mcp",
                "--device",
                "emulator-5554",
                "--dialect",
                "scenario",
                "--project",
                folder
            ]),
            "{client}"
        );
        assert!(ran.stderr.starts_with("For "), "{}", ran.stderr);
    }
    let codex = project.run(&["mcp", "config", "codex"]).expect(0).stdout;
    assert!(
        codex.starts_with("[mcp_servers.runner]\ncommand = \""),
        "{codex}"
    );
    let goose = project.run(&["mcp", "config", "goose"]).expect(0).stdout;
    assert!(
        goose.starts_with("extensions:\n  runner:\n") && goose.contains("    cmd: \""),
        "{goose}"
    );
    project
        .run(&["mcp", "config", "netscape"])
        .expect(2)
        .says("claude-desktop");
}

#[cfg(unix)]
#[test]
fn clients_are_given_the_apps_from_whatever_folder_they_start_the_server() {
    let project = Project::with_demo_app();
    let path = |name: &str| project.path(name).to_string_lossy().into_owned();
    for (folder, before, options) in [
        ("", "", &[][..]),
        ("", "apps/", &["--project", "apps"]),
        ("apps", "apps/", &[]),
    ] {
        let mut command = project.command(&["mcp", "config", "cursor"]);
        command.current_dir(project.path(folder)).args(options);
        command.args(["--app", "demo", "--app", "/elsewhere/a.apk"]);
        command.args(["--classes", "build/a.jar:/elsewhere:"]);
        let ran = crate::common::Ran::from(command.output().unwrap()).expect(0);
        let whole: Value = serde_json::from_str(&ran.stdout).expect("JSON");
        let told = &whole["mcpServers"]["runner"]["args"];
        let classes = format!("{}:/elsewhere", path(&format!("{before}build/a.jar")));
        let demo = path(&format!("{before}demo"));
        let apps = ["--app", &demo, "--app", "/elsewhere/a.apk"];
        let told: Vec<&str> = told.as_array().unwrap()[1..7]
            .iter()
            .filter_map(Value::as_str)
            .collect();
        assert_eq!(told, [&apps[..], &["--classes", &classes]].concat());
    }
}

#[test]
fn clients_over_http_are_given_address_and_token() {
    let project = Project::with_demo_app();
    let of = |arguments: &[&str]| -> Value {
        let ran = project
            .run(&[&["mcp", "config"], arguments].concat())
            .expect(0);
        serde_json::from_str(&ran.stdout).expect("JSON")
    };
    assert_eq!(
        of(&["cursor", "--http", "--token", "abc"]),
        json!({ "mcpServers": { "runner": {
            "url": "http://127.0.0.1:8020/mcp",
            "headers": { "Authorization": "Bearer abc" },
        } } })
    );
    let two = of(&[
        "vscode",
        "--dialect",
        "mobile-agent",
        "--http",
        "localhost:9000",
    ]);
    assert_eq!(
        two["servers"]["runner-data"]["url"],
        "http://localhost:9000/mcp"
    );
    assert_eq!(
        two["servers"]["runner-action"]["url"],
        "http://localhost:9001/mcp"
    );
    assert_eq!(two["servers"]["runner-data"]["type"], "http");
    project
        .run(&["mcp", "config", "claude-desktop", "--http"])
        .expect(2)
        .says("leave `--http` out");
}
