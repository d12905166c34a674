//! A29–A36: files in storage locations.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use serde_json::{Value, json};

use super::{Bench, DENIED, FAILED, INVALID};
use crate::common::tls::serve_over_tls;

fn file(path: &str, more: Value) -> Value {
    let mut args = json!({ "location_id": "work", "path": path });
    if let (Some(args), Value::Object(more)) = (args.as_object_mut(), more) {
        args.extend(more);
    }
    args
}

/// Asserts the errors MP and EMPTY of the location and the path, and LOC.
#[track_caller]
fn refuses_places(bench: &mut Bench, tool: &str, whole: &Value) {
    for name in ["location_id", "path"] {
        if name == "path" && tool == "list_files" {
            continue;
        }
        let mut args = whole.clone();
        args.as_object_mut().expect("a map").remove(name);
        let missing = format!("Missing required parameter: '{name}'");
        bench.fails(tool, args.clone(), INVALID, &missing);
        args[name] = json!("");
        bench.fails(
            tool,
            args,
            INVALID,
            &format!("Parameter '{name}' must be non-empty"),
        );
    }
    let mut args = whole.clone();
    args["location_id"] = json!("nowhere");
    bench.fails(
        tool,
        args,
        FAILED,
        "Storage location 'nowhere' not found. Please add it in the app settings.",
    );
}

/// Asserts the error WR: a location that is read-only.
#[track_caller]
fn fails_where_nothing_may_be_written(bench: &mut Bench, tool: &str, whole: &Value) {
    let mut args = whole.clone();
    args["location_id"] = json!("downloads");
    bench.fails(tool, args, DENIED, "Write not allowed");
}

/// Asserts that no path leaves its location.
#[track_caller]
fn stays_inside(bench: &mut Bench, tool: &str, whole: &Value) {
    let mut args = whole.clone();
    args["path"] = json!("../Download/x");
    let answer = bench.call(tool, args);
    assert!(answer.is_error, "{tool}: {}", answer.text);
    assert!(
        answer.text.contains("../Download/x"),
        "{tool}: {}",
        answer.text
    );
    assert_eq!(answer.json()["code"], INVALID, "{tool}: {}", answer.result);
}

#[test]
fn a29_list_storage_locations_lists_them() {
    let mut bench = Bench::start();
    let list: Value =
        serde_json::from_str(&bench.ok("list_storage_locations", json!({}))).expect("JSON");
    let free = list[0]["available_bytes"].as_u64().expect("a number");
    assert!(free > 1_000_000, "{free}");
    let ids: Vec<&str> = list
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|place| place["id"].as_str())
        .collect();
    assert_eq!(
        ids,
        [
            "sdcard",
            "downloads",
            "pictures",
            "work",
            "plain",
            "trusting"
        ]
    );
    assert_eq!(
        list[0],
        json!({
            "id": "sdcard", "name": "Internal storage", "path": "/sdcard", "description": "Shared storage of the device",
            "available_bytes": free, "allow_read": true, "allow_write": false, "allow_delete": false,
        })
    );
    assert_eq!(
        (
            &list[3]["name"],
            &list[3]["description"],
            &list[3]["allow_write"],
            &list[3]["allow_delete"]
        ),
        (
            &json!("Work"),
            &json!("For tests"),
            &json!(true),
            &json!(true)
        )
    );
    bench
        .device
        .inject("dropped-connection".parse().expect("a fault"));
    let answer = bench.call("list_storage_locations", json!({}));
    assert!(
        answer.is_error
            && answer
                .text
                .starts_with("Failed to query storage locations: "),
        "{}",
        answer.text
    );
    assert_eq!(answer.json()["code"], FAILED, "{}", answer.result);
}

#[test]
fn a30_list_files_lists_folders_first() {
    let mut bench = Bench::start();
    for path in ["b.txt", "a.JPG", "sub/deep.bin", "other/x"] {
        bench.ok("write_file", file(path, json!({ "content": "12345" })));
    }
    let whole = json!({ "location_id": "work" });
    let list: Value = serde_json::from_str(&bench.ok("list_files", whole.clone())).expect("JSON");
    let names: Vec<&Value> = list["files"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|entry| &entry["name"])
        .collect();
    assert_eq!(names, ["other", "sub", "a.JPG", "b.txt"]);
    assert_eq!(
        (&list["total_count"], &list["has_more"]),
        (&json!(4), &json!(false))
    );
    let modified = list["files"][3]["last_modified"]
        .as_u64()
        .expect("milliseconds");
    assert!(modified > 1_600_000_000_000, "{modified}");
    assert_eq!(
        list["files"][3],
        json!({
            "name": "b.txt", "path": "work/b.txt", "is_directory": false, "size": 5,
            "last_modified": modified, "mime_type": "text/plain",
        })
    );
    assert_eq!(
        list["files"][0],
        json!({
            "name": "other", "path": "work/other", "is_directory": true, "size": 0,
            "last_modified": null, "mime_type": null,
        })
    );
    let page: Value = serde_json::from_str(&bench.ok(
        "list_files",
        json!({ "location_id": "work", "path": "", "offset": 1, "limit": 2 }),
    ))
    .expect("JSON");
    assert_eq!(page["files"][0]["name"], "sub");
    assert_eq!(
        (page["files"].as_array().map(Vec::len), &page["has_more"]),
        (Some(2), &json!(true))
    );
    let deep = bench.ok("list_files", file("sub", json!({})));
    assert!(deep.contains(r#""path":"work/sub/deep.bin""#), "{deep}");
    bench.fails(
        "list_files",
        file("none", json!({})),
        FAILED,
        "Directory not found: none in location 'work'",
    );
    bench.fails(
        "list_files",
        file("b.txt", json!({})),
        FAILED,
        "Path is not a directory: b.txt",
    );
    bench.refuses(
        "list_files",
        [
            (
                file("", json!({ "offset": -1 })),
                "Parameter 'offset' must be >= 0, got: -1",
            ),
            (
                file("", json!({ "limit": 201 })),
                "Parameter 'limit' must be between 1 and 200, got: 201",
            ),
            (
                file("", json!({ "limit": 0 })),
                "Parameter 'limit' must be between 1 and 200, got: 0",
            ),
        ],
    );
    refuses_places(&mut bench, "list_files", &whole);
    stays_inside(&mut bench, "list_files", &whole);
}

#[test]
fn a31_read_file_reads_lines() {
    let mut bench = Bench::start();
    let text = (1..=100)
        .map(|line| format!("line {line}\n"))
        .collect::<String>();
    bench.ok("write_file", file("readme.txt", json!({ "content": text })));
    let whole = file("readme.txt", json!({}));
    let read = bench.ok("read_file", file("readme.txt", json!({ "limit": 2 })));
    assert_eq!(
        read,
        "1| line 1\n2| line 2\n--- More lines available. Use offset=3 to continue reading. Total lines: 100 ---"
    );
    assert_eq!(
        bench.ok("read_file", file("readme.txt", json!({ "offset": 99 }))),
        "99| line 99\n100| line 100"
    );
    assert_eq!(bench.ok("read_file", whole.clone()).lines().count(), 100);
    bench.shell("mkdir -p /sdcard/Work/sub; printf 'a\\000b' > /sdcard/Work/raw.bin");
    bench.shell("head -c 1100000 /dev/zero > /sdcard/Work/large.txt || true");
    bench.fails(
        "read_file",
        file("none.txt", json!({})),
        FAILED,
        "File not found: none.txt in location 'work'",
    );
    bench.fails(
        "read_file",
        file("sub", json!({})),
        FAILED,
        "Path is not a file: sub",
    );
    bench.fails(
        "read_file",
        file("raw.bin", json!({})),
        FAILED,
        "File is not a text file: raw.bin",
    );
    bench.refuses(
        "read_file",
        [
            (
                file("a", json!({ "offset": 0 })),
                "Parameter 'offset' must be >= 1, got: 0",
            ),
            (
                file("a", json!({ "limit": 201 })),
                "Parameter 'limit' must be between 1 and 200, got: 201",
            ),
        ],
    );
    refuses_places(&mut bench, "read_file", &whole);
    stays_inside(&mut bench, "read_file", &whole);
    // A file that came otherwise may be larger than the limit.
    bench.ok(
        "write_file",
        json!({ "location_id": "plain", "path": "big.txt", "content": "x".repeat(1_100_000) }),
    );
    bench.shell("cp /sdcard/Plain/big.txt /sdcard/Work/big.txt");
    bench.fails(
        "read_file",
        file("big.txt", json!({})),
        FAILED,
        "File size (1100000 bytes) exceeds the configured limit of 1 MB.",
    );
}

#[test]
fn a32_write_file_writes_whole_files() {
    let mut bench = Bench::start();
    let whole = file(
        "notes/todo.txt",
        json!({ "content": "Buy groceries\nWalk 'the' $dog" }),
    );
    assert_eq!(
        bench.ok("write_file", whole.clone()),
        "File written successfully: notes/todo.txt"
    );
    assert_eq!(
        bench.shell("cat /sdcard/Work/notes/todo.txt"),
        "Buy groceries\nWalk 'the' $dog"
    );
    bench.ok(
        "write_file",
        file("notes/todo.txt", json!({ "content": "" })),
    );
    assert_eq!(
        bench.shell("wc -c < /sdcard/Work/notes/todo.txt").trim(),
        "0"
    );
    bench.refuses(
        "write_file",
        [(
            file("a", json!({})),
            "Missing required parameter: 'content'",
        )],
    );
    bench.fails(
        "write_file",
        file("a", json!({ "content": "x".repeat(1024 * 1024 + 1) })),
        FAILED,
        "Content size exceeds the configured file size limit of 1 MB.",
    );
    refuses_places(&mut bench, "write_file", &whole);
    fails_where_nothing_may_be_written(&mut bench, "write_file", &whole);
    stays_inside(&mut bench, "write_file", &whole);
}

#[test]
fn a33_append_file_adds_to_a_file() {
    let mut bench = Bench::start();
    let whole = file("todo.txt", json!({ "content": "\nFeed the cat" }));
    bench.fails(
        "append_file",
        whole.clone(),
        FAILED,
        "File not found: todo.txt in location 'work'",
    );
    bench.ok("write_file", file("todo.txt", json!({ "content": "one" })));
    assert_eq!(
        bench.ok("append_file", whole.clone()),
        "Content appended successfully to: todo.txt"
    );
    assert_eq!(
        bench.shell("cat /sdcard/Work/todo.txt"),
        "one\nFeed the cat"
    );
    bench.fails(
        "append_file",
        file("todo.txt", json!({ "content": "x".repeat(1024 * 1024) })),
        FAILED,
        "Content size exceeds the configured file size limit of 1 MB.",
    );
    bench.refuses(
        "append_file",
        [(
            file("a", json!({})),
            "Missing required parameter: 'content'",
        )],
    );
    refuses_places(&mut bench, "append_file", &whole);
    fails_where_nothing_may_be_written(&mut bench, "append_file", &whole);
    stays_inside(&mut bench, "append_file", &whole);
}

#[test]
fn a34_file_replace_replaces_literally() {
    let mut bench = Bench::start();
    bench.ok(
        "write_file",
        file("todo.txt", json!({ "content": "a.b a.b axb" })),
    );
    let whole = file(
        "todo.txt",
        json!({ "old_string": "a.b", "new_string": "c" }),
    );
    assert_eq!(
        bench.ok("file_replace", whole.clone()),
        "Replaced 1 occurrence(s) in: todo.txt"
    );
    assert_eq!(bench.shell("cat /sdcard/Work/todo.txt"), "c a.b axb");
    bench.ok(
        "write_file",
        file("todo.txt", json!({ "content": "x x x" })),
    );
    let all = file(
        "todo.txt",
        json!({ "old_string": "x", "new_string": "", "replace_all": true }),
    );
    assert_eq!(
        bench.ok("file_replace", all),
        "Replaced 3 occurrence(s) in: todo.txt"
    );
    assert_eq!(bench.shell("cat /sdcard/Work/todo.txt"), "  ");
    bench.fails(
        "file_replace",
        whole.clone(),
        FAILED,
        "old_string not found in file: todo.txt",
    );
    bench.refuses(
        "file_replace",
        [
            (
                file("a", json!({ "new_string": "" })),
                "Missing required parameter: 'old_string'",
            ),
            (
                file("a", json!({ "old_string": "", "new_string": "" })),
                "Parameter 'old_string' must be non-empty",
            ),
            (
                file("a", json!({ "old_string": "a" })),
                "Missing required parameter: 'new_string'",
            ),
        ],
    );
    let none = file("none.txt", json!({ "old_string": "a", "new_string": "b" }));
    bench.fails(
        "file_replace",
        none,
        FAILED,
        "File not found: none.txt in location 'work'",
    );
    bench.ok(
        "write_file",
        json!({ "location_id": "plain", "path": "big.txt", "content": "x".repeat(1_100_000) }),
    );
    bench.shell("cp /sdcard/Plain/big.txt /sdcard/Work/big.txt");
    bench.fails(
        "file_replace",
        file("big.txt", json!({ "old_string": "a", "new_string": "b" })),
        FAILED,
        "File size (1100000 bytes) exceeds the configured limit of 1 MB.",
    );
    refuses_places(&mut bench, "file_replace", &whole);
    fails_where_nothing_may_be_written(&mut bench, "file_replace", &whole);
    stays_inside(&mut bench, "file_replace", &whole);
}

/// Starts a server that answers each request by its path until the test ends.
fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("its address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = Vec::new();
            let mut piece = [0; 1024];
            while !request.windows(4).any(|end| end == b"\r\n\r\n") {
                match stream.read(&mut piece) {
                    Ok(read @ 1..) => request.extend_from_slice(&piece[..read]),
                    _ => break,
                }
            }
            let request = String::from_utf8_lossy(&request).into_owned();
            let path = request.split(' ').nth(1).unwrap_or_default();
            let head = |status: &str, more: &str| {
                format!("HTTP/1.1 {status}\r\nConnection: close\r\n{more}\r\n").into_bytes()
            };
            let answer = match path {
                "/photo.jpg" => [
                    head("200 OK", "Content-Length: 4\r\n"),
                    vec![0, 255, 10, 13],
                ]
                .concat(),
                "/moved" => head("302 Found", "Location: /photo.jpg\r\nContent-Length: 0\r\n"),
                "/round" => head("302 Found", "Location: /round\r\nContent-Length: 0\r\n"),
                "/large" => head("200 OK", "Content-Length: 2000000\r\n"),
                "/endless" => [head("200 OK", ""), vec![b'x'; 1_200_000]].concat(),
                "/short" => [head("200 OK", "Content-Length: 9\r\n"), b"abc".to_vec()].concat(),
                _ => head("404 Not Found", "Content-Length: 0\r\n"),
            };
            let _ = stream.write_all(&answer);
        }
    });
    address
}

#[test]
fn a35_download_from_url_saves_a_file() {
    let mut bench = Bench::start();
    let address = serve();
    let from = |path: &str| {
        file(
            "images/photo.jpg",
            json!({ "url": format!("http://{address}{path}") }),
        )
    };
    for path in ["/photo.jpg", "/moved"] {
        bench.shell("rm -rf /sdcard/Work/images");
        assert_eq!(
            bench.ok("download_from_url", from(path)),
            "File downloaded successfully: images/photo.jpg"
        );
        assert_eq!(
            bench.shell("base64 /sdcard/Work/images/photo.jpg").trim(),
            "AP8KDQ=="
        );
    }
    let missing = format!("Download failed with HTTP status 404 for URL: http://{address}/none");
    bench.fails("download_from_url", from("/none"), FAILED, &missing);
    // A name and password in a URL are shown to nobody.
    let secret = file(
        "x",
        json!({ "url": format!("http://ada:hush-hush@{address}/none") }),
    );
    let missing =
        format!("Download failed with HTTP status 404 for URL: http://***@{address}/none");
    bench.fails("download_from_url", secret, FAILED, &missing);
    let large = "File size (2000000 bytes) exceeds the configured limit of 1 MB.";
    bench.fails("download_from_url", from("/large"), FAILED, large);
    for (path, says) in [
        ("/endless", "exceeds the configured limit of 1 MB."),
        ("/round", "more than 5 redirects"),
        ("/short", "Download failed: "),
    ] {
        let answer = bench.call("download_from_url", from(path));
        assert!(
            answer.is_error && answer.text.contains(says),
            "{path}: {}",
            answer.text
        );
    }
    // What failed left the file as it was.
    assert_eq!(
        bench.shell("base64 /sdcard/Work/images/photo.jpg").trim(),
        "AP8KDQ=="
    );
    let mut plain = from("/photo.jpg");
    plain["location_id"] = json!("plain");
    bench.fails(
        "download_from_url",
        plain,
        FAILED,
        "HTTP downloads are not allowed; use an https:// URL",
    );
    let url = |url: &str| file("a", json!({ "url": url }));
    bench.refuses(
        "download_from_url",
        [
            (file("a", json!({})), "Missing required parameter: 'url'"),
            (url(""), "Parameter 'url' must be non-empty"),
            (url("example.com/a"), "Invalid URL: example.com/a"),
            (
                url("ftp://example.com/a"),
                "Invalid URL: ftp://example.com/a",
            ),
        ],
    );
    let whole = from("/photo.jpg");
    refuses_places(&mut bench, "download_from_url", &whole);
    fails_where_nothing_may_be_written(&mut bench, "download_from_url", &whole);
    stays_inside(&mut bench, "download_from_url", &whole);
    let nobody = url(&format!("http://127.0.0.1:{}/", unused_port()));
    let answer = bench.call("download_from_url", nobody);
    assert!(
        answer.is_error
            && answer
                .text
                .starts_with("Download failed: nobody answers at this address (URL: "),
        "{}",
        answer.text
    );
}

/// R10
#[test]
fn a35_unverified_https_and_the_time_are_settings_of_the_location() {
    let mut bench = Bench::start();
    let address = serve_over_tls();
    let to = |location: &str, path: &str| json!({ "location_id": location, "path": "a", "url": format!("https://{address}{path}") });
    let answer = bench.call("download_from_url", to("work", "/a"));
    assert!(answer.is_error);
    assert_eq!(
        answer.text.lines().next(),
        Some(format!("Download failed: the server's certificate cannot be verified, and unverified HTTPS is not allowed (URL: https://{address}/a)").as_str())
    );
    assert_eq!(
        answer.json()["details"][0],
        "`storage: { work: { …, allow_unverified_https: true } }` in runner.yaml allows it for this location"
    );
    bench.ok("download_from_url", to("trusting", "/a"));
    assert_eq!(bench.shell("cat /sdcard/Trusting/a"), "hi");
    let answer = bench.call("download_from_url", to("trusting", "/slow"));
    assert!(
        answer.is_error
            && answer
                .text
                .starts_with("Download failed: it took longer than 1s (URL: "),
        "{}",
        answer.text
    );
}

fn unused_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("its address").port()
}

#[test]
fn a36_delete_file_deletes_one_file() {
    let mut bench = Bench::start();
    bench.ok(
        "write_file",
        file("notes/old.txt", json!({ "content": "x" })),
    );
    let whole = file("notes/old.txt", json!({}));
    bench.fails(
        "delete_file",
        file("notes", json!({})),
        FAILED,
        "Cannot delete a directory. Only single files can be deleted. Path: notes",
    );
    assert_eq!(
        bench.ok("delete_file", whole.clone()),
        "File deleted successfully: notes/old.txt"
    );
    assert_eq!(bench.shell("ls /sdcard/Work/notes"), "");
    bench.fails(
        "delete_file",
        whole.clone(),
        FAILED,
        "File not found: notes/old.txt in location 'work'",
    );
    let mut plain = whole.clone();
    plain["location_id"] = json!("plain");
    bench.fails("delete_file", plain, DENIED, "Delete not allowed");
    refuses_places(&mut bench, "delete_file", &whole);
    stays_inside(&mut bench, "delete_file", &whole);
}
