//! `runner review --web`, driven in a real browser and over plain HTTP.

mod common;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use common::browser::{self, Running};
use common::review::{self, ScriptedChange};
use common::{Project, Ran};

/// The server in a project; ended when dropped.
struct Server {
    _running: Running,
    /// `http://127.0.0.1:PORT/?token=TOKEN`
    address: String,
}

impl Server {
    fn start(project: &Project) -> Self {
        let mut child = project
            .command(&["review", "--web", "--no-open"])
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("runner starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        let running = Running(child);
        BufReader::new(output).read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("Review at ").expect("an address");
        Self {
            _running: running,
            address: address.to_owned(),
        }
    }

    fn token(&self) -> &str {
        self.address.split_once("token=").expect("a token").1
    }

    fn host(&self) -> &str {
        let rest = self.address.strip_prefix("http://").expect("http");
        rest.split('/').next().expect("a host")
    }

    /// Sends bytes as they are; the status and the whole answer.
    fn raw(&self, request: &[u8]) -> (u16, String) {
        let mut stream = TcpStream::connect(self.host()).expect("the server listens");
        stream
            .set_read_timeout(Some(Duration::from_secs(60)))
            .expect("a limit");
        // A server that answers before it read all may close meanwhile.
        let _ = stream.write_all(request);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let status = answer.get(9..12).and_then(|code| code.parse().ok());
        (status.unwrap_or(0), answer)
    }

    /// A request with these headers and this body.
    fn ask(&self, line: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut request = format!("{line} HTTP/1.1\r\nConnection: close\r\n");
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        request += &format!("Content-Length: {}\r\n\r\n{body}", body.len());
        self.raw(request.as_bytes())
    }
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
    let accept = format!("{{\"keys\":[\"{}\"]}}", review::PIXELS);
    let before = change.bytes(&ScriptedChange::golden(review::PIXELS, "png"));
    let huge = format!("{{\"keys\":[\"{}\"]}}", "a".repeat(2 << 20));

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
            "{\"keys\":[],\"root\":\"/\"}",
        ),
        (
            400,
            "POST /api/accept",
            vec![own, token, json],
            "{\"keys\":[\"../../etc/passwd\"]}",
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
            "{\"key\":\"sign-in/home~phone\",\"row\":0}",
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

    // What changed since the person looked is not accepted.
    let stale = format!("{{\"keys\":[\"{}\"],\"seen\":\"0\"}}", review::PIXELS);
    let (status, answer) = server.ask("POST /api/accept", &[own, token, json], &stale);
    assert!(status == 409 && answer.contains("look again"), "{answer}");
    // What does not wait is refused by name; what waits beside it is accepted.
    let two = format!(
        "{{\"keys\":[\"sign-in/none~phone\",\"{}\"]}}",
        review::PIXELS
    );
    let (status, answer) = server.ask("POST /api/accept", &[own, token, json], &two);
    assert!(
        status == 200 && answer.contains("sign-in/none~phone"),
        "{answer}"
    );
    assert_ne!(
        change.bytes(&ScriptedChange::golden(review::PIXELS, "png")),
        before
    );
}
