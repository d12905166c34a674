//! The protocol's own conformance scenarios, with this program's server and a toolbox of every kind of tool.

use std::process::{Command, Stdio};
use std::sync::Arc;

use runner::access::Access;
use runner::mcp::serve_http;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::fixture::Fixture;
use crate::common::needs;

/// A server without a token; stopped on drop.
struct Served {
    url: String,
    stop: CancellationToken,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Served {
    fn start() -> Self {
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        let (sender, receiver) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().expect("a runtime");
            runtime.block_on(async {
                let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
                sender
                    .send(listener.local_addr().expect("an address"))
                    .expect("somebody waits");
                serve_http(
                    listener,
                    Arc::new(Fixture::default()),
                    Access::open(),
                    stopped,
                )
                .await
                .expect("it serves");
            });
        });
        let address = receiver.recv().expect("the server starts");
        Self {
            url: format!("http://{address}/mcp"),
            stop,
            thread: Some(thread),
        }
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

#[test]
fn conformance() {
    let Some(mut conformance) = needs::client_program("node_modules/.bin/conformance") else {
        return;
    };
    let served = Served::start();
    let output = run(conformance.args(["server", "--suite", "all", "--url", &served.url]));
    let summary = output
        .split_once("=== SUMMARY ===")
        .unwrap_or_else(|| panic!("no summary\n{output}"))
        .1;
    let scenarios = summary
        .lines()
        .filter(|line| line.starts_with(['✓', '✗']))
        .count();
    assert!(scenarios >= 30, "only {scenarios} scenarios ran\n{output}");
    assert!(
        !summary.contains('✗') && summary.contains(" 0 failed"),
        "{output}"
    );
}

fn run(command: &mut Command) -> String {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the client starts");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
