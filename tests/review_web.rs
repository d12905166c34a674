//! `runner review --web`, driven in a real browser and over plain HTTP.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use crate::common::browser;
use crate::common::pages::{LIMIT, NOTES, PageServer};
use crate::common::review::{self, ScriptedChange};
use crate::common::{Project, Ran};

/// Starts the review's server in a project.
struct Server;

impl Server {
    fn start(project: &Project) -> PageServer {
        Self::started(project.command(&["review", "--web", "--no-open"]), project)
    }

    fn started(command: std::process::Command, project: &Project) -> PageServer {
        PageServer::started(command, project, "Review")
    }
}

/// Returns the body of a decision about the current pending changes.
fn decision_about(server: &PageServer, keys: &[&str]) -> String {
    let (status, answer) = server.own("GET /api/queue", "");
    assert_eq!(status, 200, "{answer}");
    let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
    let queue: serde_json::Value = serde_json::from_str(body).expect("JSON");
    let groups = queue["groups"].as_array().expect("groups");
    let items = groups
        .iter()
        .flat_map(|group| group["items"].as_array().expect("items"));
    let observed: BTreeMap<_, _> = items
        .filter(|item| keys.iter().any(|key| item["key"] == *key))
        .map(|item| (item["key"].as_str().expect("a key"), &item["version"]))
        .collect();
    assert_eq!(observed.len(), keys.len(), "{keys:?} wait in {queue}");
    serde_json::json!({ "seen": observed }).to_string()
}

/// Returns all files of the goldens' folder.
fn tree(project: &Project) -> BTreeMap<String, Vec<u8>> {
    let files = project.files("snapshots").into_iter().map(|name| {
        let bytes = std::fs::read(project.path("snapshots").join(&name)).expect("a file");
        (name, bytes)
    });
    files.collect()
}

#[test]
fn the_viewer_compares_pictures_from_disk() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser/compare.html");
    browser::run("compare.mjs", &[&browser::file_url(&page)]);
}

#[test]
fn a_person_reviews_every_kind_of_change() {
    let change = review::scripted_change();
    let bytes = |key: &str, ending: &str| change.bytes(&ScriptedChange::golden(key, ending));
    let accepted = [review::SIZE, review::PIXELS, review::NEW];
    let old_layout = bytes(review::LAYOUT, "png");
    let proposed: Vec<_> = accepted.iter().map(|key| bytes(key, "png")).collect();
    let server = Server::start(&change.project);
    let keys = serde_json::json!({
        "new": review::NEW, "size": review::SIZE, "layout": review::LAYOUT, "text": review::TEXT,
        "pixels": review::PIXELS, "obsolete": review::OBSOLETE,
    });
    let Some(_) = browser::run("review.mjs", &[&server.address, &keys.to_string()]) else {
        return;
    };
    assert_eq!(
        bytes(review::LAYOUT, "png"),
        old_layout,
        "a rejected golden"
    );
    for (key, before) in accepted.iter().zip(&proposed) {
        let after = bytes(key, "png");
        assert!(after.is_some() && after != *before, "{key} was accepted");
    }
    assert!(bytes(review::OBSOLETE, "png").is_some(), "it was kept");
    for key in review::TEXT {
        let rows = change.project.read(&ScriptedChange::golden(key, "tsv"));
        assert!(
            rows.contains(review::NEW_TITLE) && !rows.contains(review::OLD_TITLE),
            "{rows}"
        );
    }
    change.project.run(&["pending"]).expect(0);
    // The flow whose change was rejected fails again, the others pass.
    change.project.run(&["test"]).expect(1).says("1 failed");
}

#[test]
fn pages_follow_each_other_and_the_run() {
    let project = Project::with_demo_app();
    project.flow("first", "steps:\n  - launch\n  - snapshot: home\n");
    let hurtful = "<img src=x onerror=window.hurt=1>";
    project.replace("apps/demo/sign-in.yaml", "Welcome to Notes", hurtful);
    project.run(&["test"]).expect(1);
    project.flow(
        "later",
        "steps:\n  - launch: { activity: .Settings }\n  - snapshot: page\n",
    );
    let class = "virtual1-34-1080x2400-420-en-light";
    let [first, later] = [format!("first/home~{class}"), format!("later/page~{class}")];
    let server = Server::start(&project);
    let Some(mut script) = browser::script("live.mjs", &[&server.address, &first, &later]) else {
        return;
    };
    let mut child = script
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("node starts");
    let mut line = String::new();
    let mut output = BufReader::new(child.stdout.take().expect("its output"));
    output.read_line(&mut line).expect("a line");
    if line.trim() == "ready" {
        project.run(&["test", "flows/later.yaml"]).expect(1);
    }
    Ran::from(child.wait_with_output().expect("it ends")).expect(0);
}

#[test]
#[expect(clippy::too_many_lines, reason = "one table of requests")]
fn only_its_own_pages_are_answered() {
    let change = review::scripted_change();
    let server = Server::start(&change.project);
    let host = server.host().to_owned();
    let port = host.split_once(':').expect("a port").1;
    let bearer = format!("Bearer {}", server.token());
    let origin = format!("http://{host}");
    let cookie = format!("runner_{port}={}", server.token());
    let own = ("Host", host.as_str());
    let token = ("Authorization", bearer.as_str());
    let json = ("Content-Type", "application/json");
    let accept = decision_about(&server, &[review::PIXELS]);
    let before = change.bytes(&ScriptedChange::golden(review::PIXELS, "png"));
    let huge = format!("{{\"seen\":{{\"{}\":\"\"}}}}", "a".repeat(2 << 20));

    for (wanted, line, headers, body) in [
        (403, "GET /", vec![("Host", "evil.example"), token], ""),
        (403, "GET /", vec![("Host", "127.0.0.1:1"), token], ""),
        (
            403,
            "GET /",
            vec![own, token, ("Origin", "http://evil.example")],
            "",
        ),
        (
            403,
            "GET /",
            vec![own, token, ("Origin", "http://127.0.0.1:1")],
            "",
        ),
        (403, "GET /", vec![own, token, ("Origin", "null")], ""),
        (401, "GET /", vec![own], ""),
        (401, "GET /?token=0000", vec![own], ""),
        (401, "GET /style.css", vec![own], ""),
        (
            401,
            "GET /api/queue",
            vec![own, ("Cookie", "runner_1=x")],
            "",
        ),
        (
            401,
            "POST /api/accept",
            vec![own, json, ("Origin", &origin)],
            accept.as_str(),
        ),
        // A cookie without an origin, a form, another page.
        (
            415,
            "POST /api/accept",
            vec![own, json, ("Cookie", &cookie)],
            &accept,
        ),
        (415, "POST /api/accept", vec![own, token], &accept),
        (
            415,
            "POST /api/accept",
            vec![own, token, ("Content-Type", "text/plain")],
            &accept,
        ),
        (
            403,
            "POST /api/accept",
            vec![
                own,
                json,
                ("Cookie", &cookie),
                ("Origin", "http://127.0.0.1:9"),
            ],
            &accept,
        ),
        (405, "GET /api/accept", vec![own, token], ""),
        (400, "POST /api/accept", vec![own, token, json], "{"),
        (
            422,
            "POST /api/accept",
            vec![own, token, json],
            "{\"seen\":{},\"root\":\"/\"}",
        ),
        (
            400,
            "POST /api/accept",
            vec![own, token, json],
            "{\"seen\":{\"../../etc/passwd\":\"\"}}",
        ),
        (
            400,
            "GET /api/case/..%2F..%2Fetc%2Fpasswd",
            vec![own, token],
            "",
        ),
        (
            404,
            "GET /api/case/nowhere/nothing~phone",
            vec![own, token],
            "",
        ),
        (
            404,
            "GET /api/picture/root/sign-in/home~phone",
            vec![own, token],
            "",
        ),
        (404, "GET /runner.yaml", vec![own, token], ""),
        (404, "GET /..%2Frunner.yaml", vec![own, token], ""),
        (
            400,
            "POST /api/mask",
            vec![own, token, json],
            "{\"key\":\"sign-in/home~phone\",\"version\":\"\",\"row\":0}",
        ),
        (200, "GET /", vec![own, token], ""),
        (200, "GET /api/queue", vec![own, ("Cookie", &cookie)], ""),
        (
            303,
            &format!("GET /?token={}", server.token()),
            vec![own],
            "",
        ),
    ] {
        let (status, answer) = server.ask(line, &headers, body);
        assert_eq!(status, wanted, "{line} {headers:?}\n{answer}");
        for part in [
            "content-security-policy: default-src 'none'",
            "nosniff",
            "no-referrer",
            "no-store",
        ] {
            assert!(answer.contains(part), "{line}: no {part} in\n{answer}");
        }
        assert!(
            status == 303 || !answer.contains(server.token()),
            "{line} tells the token"
        );
    }
    // The server may hang up before all of it is sent.
    let (status, answer) = server.ask("POST /api/accept", &[own, token, json], &huge);
    assert!(matches!(status, 413 | 0), "{answer}");
    assert_eq!(server.raw(b"\x16\x03\x01\x00\xff\r\n\r\n").0, 400);
    let golden = change.bytes(&ScriptedChange::golden(review::PIXELS, "png"));
    assert_eq!(golden, before, "nobody accepted anything");
}

#[test]
fn what_was_seen_is_what_is_decided_about() {
    let change = review::scripted_change();
    let server = Server::start(&change.project);
    let before = tree(&change.project);

    // Something else waits than was seen: of one, of several, of what is obsolete.
    for key in [review::PIXELS, review::OBSOLETE] {
        for act in ["accept", "reject"] {
            let stale = serde_json::json!({ "seen": { key: "another" } }).to_string();
            let (status, answer) = server.own(&format!("POST /api/{act}"), &stale);
            assert_eq!(status, 200, "{answer}");
            assert!(answer.contains("look again"), "{act} {key}: {answer}");
        }
    }
    assert_eq!(tree(&change.project), before);
    // A refused decision is nothing to take back.
    let (_, answer) = server.own("POST /api/undo", "{}");
    assert!(answer.ends_with("{\"keys\":[],\"mask\":null}"), "{answer}");

    // A run proposes another picture than the page showed.
    let decision = decision_about(&server, &[review::PIXELS, review::NEW]);
    change
        .project
        .replace("apps/demo/sign-in.yaml", "notes://another", "notes://third");
    change
        .project
        .run(&["test", "flows/sign-in.yaml"])
        .expect(1);
    let (_, answer) = server.own("POST /api/accept", &decision);
    assert!(answer.contains("look again"), "{answer}");
    let golden = ScriptedChange::golden(review::PIXELS, "png");
    let now = tree(&change.project);
    let same = |name: &str| now.get(name) == before.get(name);
    assert!(same(golden.trim_start_matches("snapshots/")), "{answer}");
    assert!(
        change
            .bytes(&ScriptedChange::golden(review::NEW, "png"))
            .is_some()
    );

    // What does not wait is refused by name; what waits beside it is accepted.
    let mut decision: serde_json::Value =
        serde_json::from_str(&decision_about(&server, &[review::PIXELS])).expect("JSON");
    decision["seen"]["sign-in/none~phone"] = "".into();
    let (status, answer) = server.own("POST /api/accept", &decision.to_string());
    assert_eq!(status, 200, "{answer}");
    assert!(
        answer.contains("sign-in/none~phone does not wait"),
        "{answer}"
    );
    assert!(change.bytes(&golden).is_some());
    assert_ne!(tree(&change.project), now);
}

#[test]
fn whatever_was_decided_can_be_taken_back() {
    let change = review::scripted_change();
    let before = tree(&change.project);
    let flows = ["flows/form.yaml", "flows/sign-in.yaml"];
    let server = Server::start(&change.project);
    let keys = serde_json::json!({
        "layout": review::LAYOUT, "text": review::TEXT, "pixels": review::PIXELS, "obsolete": review::OBSOLETE,
    });
    let Some(_) = browser::run_slowly("undo.mjs", &[&server.address, &keys.to_string()]) else {
        return;
    };
    let after = tree(&change.project);
    let names: Vec<_> = after.keys().collect();
    assert_eq!(names, before.keys().collect::<Vec<_>>());
    assert!(after == before, "every file is what it was");
    let [form, sign_in] = flows.map(|flow| change.project.read(flow));
    assert_eq!(
        form,
        "app: com.example.notes\nsteps:\n  - launch: { activity: .Form }\n  - snapshot:   # nothing is filled in\n      \
         name: empty\n      mask: [ { id: notice } ]\n"
    );
    assert_eq!(
        sign_in,
        "app: com.example.notes\nsteps:\n  - launch\n  - snapshot:\n      name: home\n      mask: [ { id: hero } ]\n"
    );
    change.project.run(&["lint"]).expect(0);
}

#[test]
fn the_keyboard_suffices() {
    let change = review::scripted_change();
    let bytes = |key: &str| change.bytes(&ScriptedChange::golden(key, "png"));
    let before = bytes(review::PIXELS);
    assert!(bytes(review::OBSOLETE).is_some());
    let server = Server::start(&change.project);
    let keys = serde_json::json!({
        "size": review::SIZE, "layout": review::LAYOUT, "text": review::TEXT, "pixels": review::PIXELS,
        "new": review::NEW, "obsolete": review::OBSOLETE,
    });
    let Some(_) = browser::run("keyboard.mjs", &[&server.address, &keys.to_string()]) else {
        return;
    };
    assert_eq!(bytes(review::PIXELS), before, "it was rejected");
    let left = change.project.files("snapshots/inbox");
    assert!(
        left.iter().all(|name| !name.contains("gone")),
        "what was obsolete is gone: {left:?}"
    );
    assert!(bytes(review::NEW).is_some());
    change.project.run(&["pending"]).expect(0);
}

#[test]
fn keys_that_come_early_wait_or_are_refused_with_a_word() {
    let change = review::scripted_change();
    let server = Server::start(&change.project);
    let keys = serde_json::json!({
        "size": review::SIZE, "layout": review::LAYOUT, "text": review::TEXT, "pixels": review::PIXELS,
    });
    let Some(_) = browser::run("early.mjs", &[&server.address, &keys.to_string()]) else {
        return;
    };
    change
        .project
        .run(&["pending", "-q"])
        .expect(1)
        .says(review::LAYOUT)
        .says(review::PIXELS);
}

#[cfg(unix)]
#[test]
fn the_server_tells_the_end_and_ends_at_once() {
    let change = review::scripted_change();
    let mut server = Server::start(&change.project);
    let port = server.host().split_once(':').expect("a port").1.to_owned();
    let acquired = change
        .project
        .run(&["review", "--web", "--no-open", "--port", &port]);
    acquired
        .expect(1)
        .says("Leave `--port` out to take a free one");

    // The page looked before others decided.
    decision_about(&server, &[review::PIXELS]);
    change.project.run(&["accept", "--all"]).expect(0);
    change.project.run(&["prune", "--apply"]).expect(0);
    let end = std::time::Instant::now() + LIMIT;
    while !change
        .project
        .read(NOTES)
        .contains("Everything is reviewed")
    {
        assert!(std::time::Instant::now() < end, "it says so");
        std::thread::sleep(Duration::from_millis(20));
    }

    // Somebody asks for news, and somebody else does not end his question.
    let (_, answer) = server.own("GET /api/changes/0", "");
    let (_, version) = answer.rsplit_once("\"version\":\"").expect("a version");
    let version = version.split('"').next().expect("its end");
    let mut slow = TcpStream::connect(server.host()).expect("it listens");
    slow.write_all(b"GET / HTTP/1.1\r\nHost: ").expect("a part");
    let pid = server.running.0.id().to_string();
    let message = server.sent(&server.own_request(&format!("GET /api/changes/{version}"), ""));
    // Connections are taken in their order: once this one is answered, the question waits or is about to.
    server.own("GET /api/changes/0", "");
    let ended = std::process::Command::new("kill")
        .args(["-INT", &pid])
        .status()
        .expect("kill");
    assert!(ended.success());
    let (_, answer) = PageServer::answer(message);
    assert!(
        answer.is_empty() || answer.contains("\"over\":true"),
        "{answer}"
    );
    assert_eq!(server.running.0.wait().expect("it ends").code(), Some(0));
}

#[test]
#[cfg(unix)]
fn the_browser_gets_a_code_that_opens_once() {
    use std::os::unix::fs::PermissionsExt as _;

    let change = review::scripted_change();
    let project = &change.project;
    project.write(
        "bin/xdg-open",
        "#!/bin/sh\necho \"$@\" >opened.new && mv opened.new opened\n",
    );
    let opener = project.path("bin/xdg-open");
    std::fs::set_permissions(opener, std::fs::Permissions::from_mode(0o755)).expect("a program");
    let mut command = project.command(&["review", "--web"]);
    let path = format!("{}:/usr/bin:/bin", project.path("bin").display());
    command.env("DISPLAY", ":99").env("PATH", path);
    let server = Server::started(command, project);
    let begun = std::time::Instant::now();
    while !project.path("opened").exists() {
        assert!(begun.elapsed() < LIMIT, "no browser was opened");
        std::thread::sleep(Duration::from_millis(20));
    }
    let opened = project.read("opened");
    assert!(!opened.contains(server.token()), "{opened}");
    let (_, path) = opened
        .trim()
        .split_once(server.host())
        .expect("the server's address");
    assert!(path.starts_with("/?code="), "{path}");
    let own = [("Host", server.host())];
    let (status, answer) = server.ask(&format!("GET {path}"), &own, "");
    assert_eq!(status, 303, "{answer}");
    assert!(
        answer.to_ascii_lowercase().contains("set-cookie: runner_"),
        "{answer}"
    );
    let (status, _) = server.ask(&format!("GET {path}"), &own, "");
    assert_eq!(status, 401);
    // The address that was printed goes on.
    for _ in 0..2 {
        let (status, _) = server.ask(&format!("GET /?token={}", server.token()), &own, "");
        assert_eq!(status, 303);
    }
}
