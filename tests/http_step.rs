//! The step `http`, with servers in this process.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use crate::common::Project;

/// Starts a server that passes each request's text to `answer`. Returns `host:port`.
pub fn server(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut text = String::new();
            let mut piece = [0; 4096];
            // To the end of the head and of the body that it announces.
            loop {
                let read = stream.read(&mut piece).unwrap_or(0);
                text.push_str(&String::from_utf8_lossy(&piece[..read]));
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    if read == 0 {
                        break;
                    }
                    continue;
                };
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    name.eq_ignore_ascii_case("content-length")
                        .then(|| value.parse().ok())?
                });
                if read == 0 || body.len() >= length.unwrap_or(0) {
                    break;
                }
            }
            let _ = stream.write_all(answer(&text).as_bytes());
        }
    });
    address
}

pub fn reply(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    )
}

/// Makes a project whose flow has these steps, with these hosts allowed.
fn project(hosts: &str, steps: &str) -> Project {
    let project = Project::with_demo_app();
    let before = project.read("runner.yaml");
    project.write(
        "runner.yaml",
        &format!(
            "{before}http: {{ hosts: [{hosts}] }}\nenv: {{ KEY: top-secret-key }}\nsecrets: [KEY]\n"
        ),
    );
    project.flow("data", &format!("steps:\n{steps}"));
    project
}

#[test]
fn test_data_is_made_and_kept_by_name() {
    let address = server(|request| {
        if request.starts_with("POST /users HTTP/1.1")
            && request.contains("Bearer top-secret-key")
            && request
                .to_lowercase()
                .contains("content-type: application/json")
            && request.ends_with("{\"name\":\"ada\"}")
        {
            return reply("201 Created", "", "{\"id\":7}");
        }
        if request.starts_with("GET /moved") {
            return reply("302 Found", "Location: /here\r\n", "");
        }
        if request.starts_with("GET /here") {
            return reply("200 OK", "", "plain");
        }
        reply("404 Not Found", "", "nothing for top-secret-key")
    });
    let steps = format!(
        "  - http: {{ url: \"http://{address}/users\", json: {{ name: ada }}, headers: {{ Authorization: \"Bearer ${{KEY}}\" \
         }}, status: 201 }}\n    as: user\n  - assert: {{ that: \"${{user.json.id == 7 and user.status == 201}}\" }}\n  - http: \
         http://{address}/moved\n    as: page\n  - assert: {{ that: \"${{page.text == 'plain' and page.json is none}}\" }}\n  \
         - http: http://{address}/nowhere\n"
    );
    let ran = project(&format!("\"{address}\""), &steps).run(&["test", "--verbose"]);
    ran.expect(1)
        .says("/nowhere answered with another status")
        .says("expected: 200 to 299")
        .says("actual:   404")
        .says("flows/data.yaml:9:")
        .never_says("top-secret-key");
}

#[test]
fn hosts_that_nobody_named_are_refused_also_by_a_redirect() {
    let inner = server(|_| reply("200 OK", "", "inner"));
    let target = inner.clone();
    let outer = server(move |_| reply("302 Found", &format!("Location: http://{target}/\r\n"), ""));
    let steps = format!("  - http: http://{outer}/\n");
    project(&format!("\"{outer}\""), &steps)
        .run(&["test"])
        .expect(1)
        .says("the host `127.0.0.1` is not allowed");
    project("api.example.com", &steps)
        .run(&["test"])
        .expect(1)
        .says("`http: { hosts: [127.0.0.1] }` in runner.yaml allows it");
}

/// A redirect within a server keeps what was sent; another server gets no key, and a redirect that is expected is the
/// answer.
#[test]
fn redirects_are_followed_without_keys_unless_they_are_expected() {
    let keyed = |request: &str| request.to_lowercase().matches("top-secret-key").count();
    let other = server(move |request| reply("200 OK", "", &format!("keys: {}", keyed(request))));
    let target = other.clone();
    let first = server(move |request| {
        let moved = |to: &str| reply("302 Found", &format!("Location: {to}\r\n"), "");
        match request.split(' ').nth(1).unwrap_or_default() {
            "/a/within" => moved("../b?c"),
            "/a/other" => moved(&format!("//{target}/x")),
            _ => reply("200 OK", "", &format!("keys: {}", keyed(request))),
        }
    });
    let headers =
        "{ Authorization: \"Bearer ${KEY}\", Cookie: \"s=${KEY}\", X-Api-Key: \"${KEY}\" }";
    let asked = |path: &str, keys: usize| {
        format!(
            "  - http: {{ url: \"http://{first}/a/{path}\", headers: {headers} }}\n    as: page\n  - assert: {{ that: \
             \"${{page.text == 'keys: {keys}'}}\" }}\n"
        )
    };
    let expected = format!("  - http: {{ url: \"http://{first}/a/other\", status: 302 }}\n");
    let steps = format!("{}{}{expected}", asked("within", 3), asked("other", 0));
    project(&format!("\"{first}\", \"{other}\""), &steps)
        .run(&["test"])
        .expect(0);
    project(&format!("\"{first}\""), &expected)
        .run(&["test"])
        .expect(0);
}

#[test]
fn the_setting_that_is_advised_is_taken() {
    let steps = "  - http: \"http://[::1]:9/\"\n";
    project("api.example.com", steps)
        .run(&["test"])
        .expect(1)
        .says("`http: { hosts: ['[::1]'] }` in runner.yaml allows it");
    project("'[::1]'", steps)
        .run(&["lint"])
        .expect(0)
        .never_says("is not allowed");
}

#[test]
fn answers_are_bounded_in_size_and_time() {
    let large = server(|_| reply("200 OK", "", &"x".repeat((1 << 20) + 1)));
    project(
        &format!("\"{large}\""),
        &format!("  - http: http://{large}/\n"),
    )
    .run(&["test"])
    .expect(1)
    .says("larger than 1 MB");
    // It takes connections and never answers.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let silent = listener.local_addr().unwrap();
    project(
        &format!("\"{silent}\""),
        &format!("  - http: http://{silent}/\n    timeout: 300ms\n"),
    )
    .run(&["test"])
    .expect(1)
    .says("no answer within 300ms");
}

#[test]
fn wrong_requests_are_told_before_anything_is_sent() {
    for (step, message) in [
        ("http: { url: \"${flow.name}\" }", "is no whole link"),
        (
            "http: { url: \"http://localhost/\", method: GET, body: a }",
            "GET has no body",
        ),
        (
            "http: { url: \"http://localhost/\", headers: { \"a b\": c } }",
            "not a name of a header",
        ),
    ] {
        project("localhost", &format!("  - {step}\n"))
            .run(&["test"])
            .expect(1)
            .says(message);
    }
    for (step, text) in [
        (
            "http: { url: \"http://localhost/\", method: FETCH }",
            "FETCH",
        ),
        ("http: { url: nowhere }", "write `https://nowhere`"),
        (
            "http: { url: \"http://a:b@localhost/\" }",
            "no name and password",
        ),
        (
            "http: { url: \"http://localhost/\", json: {}, body: a }",
            "not both",
        ),
        (
            "http: { ulr: \"http://localhost/\" }",
            "did you mean `url`?",
        ),
        ("http: { url: \"http://localhost/\", status: 99 }", "status"),
    ] {
        project("localhost", &format!("  - {step}\n"))
            .run(&["lint"])
            .expect(2)
            .says(text);
    }
}

#[test]
fn redirects_without_end_and_to_no_url_are_refused() {
    let loops = server(|_| reply("302 Found", "Location: /again\r\n", ""));
    project(
        &format!("\"{loops}\""),
        &format!("  - http: http://{loops}/\n"),
    )
    .run(&["test"])
    .expect(1)
    .says("redirect");
    let other_place = server(|_| reply("302 Found", "Location: file:///etc/passwd\r\n", ""));
    project(
        &format!("\"{other_place}\""),
        &format!("  - http: http://{other_place}/\n"),
    )
    .run(&["test"])
    .expect(1)
    .never_says("root:");
}

/// Returns the line of a run's `-v` for the step with these words.
fn line<'a>(ran: &'a crate::common::Ran, words: &str) -> &'a str {
    let mut lines = ran.stdout.lines();
    let line = lines.find(|line| line.contains(words));
    line.unwrap_or_else(|| panic!("no {words:?} in {}", ran.stdout))
}

/// A request may change what the screen shows: the touch after it does not go by the look before.
#[test]
fn a_touch_after_a_request_takes_a_new_look() {
    let address = server(|_| reply("200 OK", "", "yes"));
    let steps = |between: &str| {
        format!(
            "  - launch\n  - assert visible: Welcome to Notes\n{between}  - click: {{ id: username }}\n"
        )
    };
    for (between, looks) in [
        (String::new(), " 0 dumps"),
        (format!("  - http: \"http://{address}/\"\n"), " 1 dump"),
        (
            "  - http: \"http://127.0.0.1:9/\"\n    optional: true\n".to_owned(),
            " 1 dump",
        ),
    ] {
        let project = project(&format!("\"{address}\", \"127.0.0.1:9\""), &steps(&between));
        let ran = project.run(&["test", "-v"]).expect(0);
        let click = line(&ran, "click: { id: username }");
        assert!(click.contains(looks), "{between}{click}");
    }
    let maestro = |between: &str| {
        format!(
            "appId: com.example.notes\n---\n- launchApp\n- assertVisible: Welcome to Notes\n{between}- tapOn: {{ id: username }}\n"
        )
    };
    let asked = format!("${{http.get('http://{address}/').ok}}");
    for (between, looks) in [
        (String::new(), " 0 dumps"),
        (format!("- assertTrue: {asked}\n"), " 1 dump"),
    ] {
        let project = project(&format!("\"{address}\""), "  - launch\n");
        project.write("flows/data.yaml", &maestro(&between));
        let ran = project.run(&["test", "-v"]).expect(0);
        let tap = line(&ran, "tapOn");
        assert!(tap.contains(looks), "{between}{tap}");
    }
}
