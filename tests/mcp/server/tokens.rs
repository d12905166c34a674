//! Sources of a server's tokens.

use std::io::Read as _;
use std::process::{Child, Stdio};

use super::http_client::{HttpServer, TOKEN, begin, good_headers};
use crate::common::Project;

const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;

fn status(address: &str, token: &str) -> u16 {
    let bearer = format!("Bearer {token}");
    let mut headers = good_headers(address);
    headers.retain(|(name, _)| *name != "Authorization");
    headers.push(("Authorization", &bearer));
    begin(address, "POST /mcp", &headers, PING).reply().status
}

/// Ends the server, and returns its output beside the addresses.
fn notes(child: &mut Child) -> String {
    child.kill().expect("it ends");
    let mut text = String::new();
    let errors = child.stderr.as_mut().expect("its errors");
    errors.read_to_string(&mut text).expect("text");
    text
}

// A11
#[test]
fn a_token_comes_from_a_file_and_one_on_the_command_line_is_warned_of() {
    let project = Project::with_demo_app();
    project.write("token", "from-a-file\n");
    let start = |arguments: &[&str]| {
        let mut command = project.command(&[&["mcp", "--http", "127.0.0.1:0"], arguments].concat());
        command.stderr(Stdio::piped());
        HttpServer::started(command, 1)
    };
    let mut server = start(&["--token-file", "token"]);
    assert_eq!(status(server.address(), "from-a-file"), 200);
    assert_eq!(status(server.address(), "from-a-fil"), 401);
    assert_eq!(notes(&mut server.child), "");

    let mut server = start(&["--token", TOKEN]);
    assert_eq!(status(server.address(), TOKEN), 200);
    let message = notes(&mut server.child);
    assert!(
        message.contains("warning") && message.contains("--token-file"),
        "{message}"
    );

    project.write("empty", "\n").write("two", "a\nb\n");
    project.write("long", &"x".repeat(4097));
    for (arguments, says) in [
        (&["--token-file", "empty"][..], "the token is empty"),
        (&["--token-file", "two"], "on one line"),
        (&["--token-file", "nowhere"], "nowhere"),
        (
            &["--token-file", "token", "--token", "x"],
            "cannot be used with",
        ),
        (&["--token-file", "long"], "at most 4096 bytes"),
    ] {
        // An address that is refused too, but later: nothing is served in any case.
        let all = [&["mcp", "--http", "0.0.0.0:0"], arguments].concat();
        project.run(&all).expect(2).says(says);
    }
}

// R13
#[test]
fn a_token_of_tools_that_have_no_address_of_their_own_is_refused() {
    let project = Project::with_demo_app();
    project.write("token", "x");
    let lean = ["--dialect", "mobile-agent", "--tools", "lean"];
    for offer in [&[][..], &lean] {
        for option in [["--token-action", "x"], ["--token-action-file", "token"]] {
            // An address that is refused too, but later: nothing is served in any case.
            let all = [&["mcp", "--http", "0.0.0.0:0"], offer, &option].concat();
            let mut command = project.command(&all);
            // The variable changes nothing about it.
            command.env("RUNNER_MCP_TOKEN_ACTION", "y");
            let output = command.output().expect("runner starts");
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(2), "{all:?}: {message}");
            let why = format!(
                "`{}` is for `--dialect mobile-agent` without `--tools lean`",
                option[0]
            );
            assert!(message.contains(&why), "{all:?}: {message}");
        }
    }
}

// R13
#[test]
fn the_tools_that_act_may_have_a_token_of_their_own() {
    let project = Project::with_demo_app();
    let arguments = ["--dialect", "mobile-agent", "--token-action", "acting"];
    let server = HttpServer::start(&project, &arguments, 2);
    for (address, token, wanted) in [
        (0, TOKEN, 200),
        (0, "acting", 401),
        (1, "acting", 200),
        (1, TOKEN, 401),
    ] {
        let address = &server.addresses[address];
        assert_eq!(status(address, token), wanted, "{address} {token}");
    }
    let printed = project
        .run(&[
            "mcp",
            "config",
            "other",
            "--dialect",
            "mobile-agent",
            "--http",
            "--token",
            "a",
            "--token-action",
            "b",
        ])
        .expect(0);
    assert!(printed.stdout.contains("Bearer a") && printed.stdout.contains("Bearer b"));
}
