//! `runner studio`, driven in a real browser and over plain HTTP.

use std::io::Read as _;

use crate::adb_server::Served;
use crate::common::Project;
use crate::common::browser;
use crate::common::pages::PageServer;

/// Pages that one studio shows at once.
const PAGES: usize = 8;

fn studio(project: &Project, more: &[&str]) -> PageServer {
    let arguments = [&["studio", "--no-open"], more].concat();
    PageServer::started(project.command(&arguments), project, "Studio")
}

#[test]
fn what_is_done_on_the_screen_becomes_a_flow_that_passes() {
    let project = Project::with_demo_app();
    // Texts of apps are texts, whatever they hold.
    let hurtful = "<img src=x onerror=window.hurt=1>";
    project.replace(
        "apps/demo/sign-in.yaml",
        "Sign in to read what you wrote.",
        hurtful,
    );
    let server = studio(&project, &[]);
    let app = "com.example.notes";
    let Some(written) = browser::run("studio.mjs", &[&server.address, app]) else {
        return;
    };
    assert_eq!(project.read("flows/made.yaml").trim(), written.trim());
    drop(server);
    let passed = project
        .command(&["test", "flows/made.yaml"])
        .env("NOTES_PASSWORD", "lovelace")
        .output()
        .map(crate::common::Ran::from);
    passed.expect("the program starts").expect(0);
}

#[test]
fn a_flow_is_written_run_in_parts_and_mended() {
    let project = Project::with_demo_app();
    // What is secret is masked everywhere but in the flow's own text, which is saved again.
    project.write(
        "runner.yaml",
        "devices: [virtual]\napps: [apps/demo]\nenv: { PIN: hunter22 }\nsecrets: [PIN]\n",
    );
    project.write(
        "flows/sign.yaml",
        "name: Signs in # hunter22\napp: com.example.notes\nsteps:\n  - launch\n  - assert visible: Welcome to Notes\n  - type: { into: { id: username }, text: ada }\n",
    );
    let server = studio(&project, &["flows/sign.yaml"]);
    let file = project.path("flows/sign.yaml");
    let file = file.to_str().expect("a path");
    browser::run("studio_flow.mjs", &[&server.address, file]);
}

#[test]
fn only_its_own_pages_are_answered_and_not_too_many() {
    let project = Project::with_demo_app();
    let server = studio(&project, &["flows/new.yaml"]);
    let host = server.host().to_owned();
    let bearer = format!("Bearer {}", server.token());
    let own = ("Host", host.as_str());
    let token = ("Authorization", bearer.as_str());
    let json = ("Content-Type", "application/json");
    let tap = r#"{"wish":{"what":{"act":"tap","x":1,"y":1},"seq":null},"block":null}"#;
    let huge = "a".repeat(4 << 20);
    for (wanted, line, headers, body) in [
        (401, "GET /", vec![own], ""),
        (401, "GET /?token=0000", vec![own], ""),
        (401, "GET /events", vec![own], ""),
        (401, "POST /act", vec![own, json], tap),
        (403, "GET /", vec![("Host", "evil.example"), token], ""),
        (
            403,
            "POST /act",
            vec![own, token, json, ("Origin", "http://evil.example")],
            tap,
        ),
        (415, "POST /act", vec![own, token], tap),
        (400, "POST /act", vec![own, token, json], "{"),
        (
            422,
            "POST /act",
            vec![own, token, json],
            r#"{"wish":{"what":{"act":"shell"},"seq":1},"block":null}"#,
        ),
        (404, "GET /picture/7777", vec![own, token], ""),
        (404, "GET /runner.yaml", vec![own, token], ""),
        (
            409,
            "POST /flow",
            vec![own, token, json],
            r#"{"text":"","version":"","name":"../../out.yaml"}"#,
        ),
        (200, "GET /flow", vec![own, token], ""),
        (
            200,
            "POST /completion",
            vec![own, token, json],
            r#"{"before":"steps:\n  - cl","seq":null}"#,
        ),
    ] {
        let (status, answer) = server.ask(line, &headers, body);
        assert_eq!(status, wanted, "{line} {headers:?}\n{answer}");
        assert!(
            answer.contains("content-security-policy: default-src 'none'"),
            "{answer}"
        );
        assert!(!answer.contains(server.token()), "{line} tells the token");
    }
    let (status, _) = server.ask("POST /lint", &[own, token, json], &huge);
    assert!(matches!(status, 413 | 0), "{status}");

    // Each page holds a connection; one too many gets an answer in words.
    let listen = server.own_request("GET /events", "");
    let pages: Vec<_> = (0..PAGES)
        .map(|_| {
            let mut page = server.sent(&listen);
            let mut first = [0; 12];
            page.read_exact(&mut first).expect("an answer");
            assert_eq!(&first[9..], b"200");
            page
        })
        .collect();
    let (status, answer) = server.raw(&listen);
    assert_eq!(status, 503);
    assert!(
        answer.contains("8 pages of this studio are open"),
        "{answer}"
    );
    drop(pages);
}

#[test]
fn it_says_what_it_cannot_open() {
    let project = Project::with_demo_app();
    project
        .run(&["studio", "--no-open", "runner.yaml"])
        .expect(2)
        .says("not the name of a flow");
    project
        .run(&["studio", "--no-open", "/elsewhere.yaml"])
        .expect(2)
        .says("open a flow of this project");
}

#[test]
fn a_device_that_was_lost_is_found_again() {
    let project = Project::with_demo_app();
    let lent = Served::start(&project, &[]);
    let address = lent.address.clone();
    let server = studio(&project, &["--device", &address]);
    let mut news = server.messages();
    news.wait_for("\"kind\":\"look\"");
    // The number is another picture's when the server starts again.
    let (status, answer) = server.own("GET /picture/1", "");
    assert_eq!(status, 200, "{answer}");
    assert!(answer.contains("cache-control: no-store"), "{answer}");
    drop(lent);
    let lost = news.wait_for("\"state\":\"lost\"");
    assert!(lost.contains("message"), "{lost}");
    let (_, port) = address.split_once(':').expect("a port");
    let _back = Served::start(&project, &["--port", port]);
    news.wait_for("\"state\":\"ready\"");
    news.wait_for("\"kind\":\"look\"");
}
