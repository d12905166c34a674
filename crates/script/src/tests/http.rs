//! Tests of requests to servers, with servers of this process.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;

use super::*;

/// Starts a server that answers each request with `answer` of its text. Returns `host:port`.
fn server(answer: impl Fn(&str) -> String + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let mut text = String::new();
            let mut piece = [0; 4096];
            while let Ok(read @ 1..) = stream.read(&mut piece) {
                text.push_str(&String::from_utf8_lossy(&piece[..read]));
                let Some((head, body)) = text.split_once("\r\n\r\n") else {
                    continue;
                };
                let length = head.lines().find_map(|line| {
                    let (name, value) = line.split_once(": ")?;
                    let is_length = name.eq_ignore_ascii_case("content-length");
                    is_length.then(|| value.parse().ok())?
                });
                if body.len() >= length.unwrap_or(0) {
                    break;
                }
            }
            let _ = stream.write_all(answer(&text).as_bytes());
        }
    });
    address
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}"
    )
}

#[tokio::test]
async fn http_reaches_the_hosts_that_are_named_and_no_others() {
    let address = server(|request| {
        let first = request.lines().next().unwrap_or_default();
        match first.split(' ').nth(1).unwrap_or_default() {
            "/moved" => reply("302 Found", "Location: http://127.0.0.2:9/\r\n", ""),
            "/none" => reply("404 Not Found", "", "gone"),
            _ => {
                let body = serde_json::json!({ "request": request }).to_string();
                reply("201 Created", "X-One: a\r\nX-One: b\r\n", &body)
            }
        }
    });
    let options = ScriptOptions {
        http_hosts: std::sync::Arc::new([address.clone()]),
        ..ScriptOptions::default()
    };
    let env = [("AT".to_owned(), format!("http://{address}"))];
    let mut scope = MaestroScope::new(env, options);
    let source = r"
const of = (answer) => json(answer.body).request
const got = http.get(AT + '/a', { headers: { 'X-Two': 2 } })
output.got = [got.ok, got.status, got.headers['x-one'], /x-two: 2/i.test(of(got))]
output.posted = of(http.post(AT + '/b', { body: JSON.stringify({ n: 1 }) }))
output.methods = ['put', 'delete'].map((m) => of(http[m](AT)).split(' ')[0])
    .concat(of(http.request(AT)).split(' ')[0], of(http.request(AT, { method: 'PATCH' })).split(' ')[0])
output.form = of(http.post(AT, { multipartForm: { a: 1, b: 'two' } }))
const none = http.get(AT + '/none')
output.none = [none.ok, none.status, none.body]
http.post(AT, { body: { n: 1 } })
";
    within(&mut scope, Duration::from_mins(1));
    scope.run_script("http.js", source, []).await.unwrap();
    assert!(scope.take_log()[0].contains("JSON.stringify"));
    assert_eq!(
        text(&mut scope, "${output.got}").await,
        "[true,201,\"a,b\",true]"
    );
    assert_eq!(
        text(&mut scope, "${output.none}").await,
        "[false,404,\"gone\"]"
    );
    assert_eq!(
        text(&mut scope, "${output.methods}").await,
        "[\"PUT\",\"DELETE\",\"GET\",\"PATCH\"]"
    );
    let posted = text(&mut scope, "${output.posted}").await;
    assert!(
        posted.starts_with("POST /b ") && posted.ends_with("\r\n\r\n{\"n\":1}"),
        "{posted}"
    );
    let form = text(&mut scope, "${output.form}").await;
    assert!(
        form.contains("multipart/form-data; boundary=") && form.contains("name=\"b\"\r\n\r\ntwo"),
        "{form}"
    );
    for (source, words) in [
        (
            "http.get('http://127.0.0.2:9/')",
            "the host `127.0.0.2` is not allowed; `http: { hosts: [127.0.0.2] }`",
        ),
        ("http.get(AT + '/moved')", "is not allowed"),
        ("http.get('file:///etc/passwd')", "is not a URL"),
        ("http.get()", "is not a URL"),
        (
            "http.post(AT, { multipartForm: { a: { filePath: 'a.png' } } })",
            "scripts have no files",
        ),
        (
            "http.get(AT, { headers: { 'a b': 'c' } })",
            "not a name of a header",
        ),
        ("http.request(AT, { method: 'a b' })", "not a method"),
    ] {
        let error = scope.run_script("http.js", source, []).await.unwrap_err();
        assert_eq!(error.fault, ScriptFault::Thrown);
        assert!(error.message.contains(words), "{source}: {error}");
        assert_eq!(
            error.place.as_ref().map(|place| place.line),
            Some(1),
            "{source}: {error}"
        );
    }
}

#[tokio::test]
async fn a_server_that_does_not_answer_takes_the_script_s_time_only() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let options = ScriptOptions {
        http_hosts: std::sync::Arc::new([address.clone()]),
        ..ScriptOptions::default()
    };
    let mut scope = MaestroScope::new([], options);
    within(&mut scope, Duration::from_millis(200));
    let source = format!("while (true) try {{ http.get('http://{address}/') }} catch {{}}");
    let error = scope.run_script("a.js", &source, []).await.unwrap_err();
    assert_eq!(error.fault, ScriptFault::FlowTimeout, "{error}");
}
