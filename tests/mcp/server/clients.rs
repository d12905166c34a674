//! Clients by other authors, over both transports.

use std::process::{Command, Stdio};

use serde_json::Value;

use super::http_client::{HttpServer, TOKEN};
use crate::common::{Project, needs};

const PROGRAM: &str = env!("CARGO_BIN_EXE_runner");

/// Calls a tool with the Python SDK; prints the number of tools and the result of the call.
const PYTHON: &str = r#"
import asyncio, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
try:
    from mcp.client.streamable_http import streamablehttp_client
except ImportError:
    streamablehttp_client = None
import httpx

async def use(read, write):
    async with ClientSession(read, write) as session:
        await session.initialize()
        tools = (await session.list_tools()).tools
        result = await session.call_tool("android_tap", {"x": 7, "y": 8})
        print(len(tools), result.content[0].text)
        picture = await session.call_tool("android_get_screen_state", {"include_screenshot": True})
        print([item.type for item in picture.content])

async def main():
    if sys.argv[1] == "stdio":
        server = StdioServerParameters(command=sys.argv[2], args=["mcp"])
        async with stdio_client(server) as (read, write):
            await use(read, write)
    else:
        headers = {"Authorization": "Bearer " + sys.argv[3]}
        if streamablehttp_client:
            transport = streamablehttp_client(sys.argv[2], headers=headers)
        else:
            from mcp.client.streamable_http import streamable_http_client
            transport = streamable_http_client(sys.argv[2], http_client=httpx.AsyncClient(headers=headers))
        async with transport as streams:
            await use(streams[0], streams[1])

asyncio.run(main())
"#;

fn printed(command: &mut Command) -> String {
    let output = command
        .stdin(Stdio::null())
        .output()
        .expect("the client starts");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        output.status.success(),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    text
}

#[test]
fn the_python_client_lists_and_calls_tools() {
    let Some(mut over_stdio) = needs::client_program("venv/bin/python") else {
        return;
    };
    let Some(mut over_http) = needs::client_program("venv/bin/python") else {
        return;
    };
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let url = format!("http://{}/mcp", server.address());
    over_stdio.args(["-c", PYTHON, "stdio", PROGRAM]);
    over_http.args(["-c", PYTHON, "http", &url, TOKEN]);
    for command in [&mut over_stdio, &mut over_http] {
        let text = printed(command.current_dir(project.path("")));
        let (count, message) = text.split_once(' ').expect("two words");
        assert!(count.parse::<usize>().expect("a number") >= 39, "{text}");
        assert!(message.starts_with("Tap executed at (7, 8)"), "{text}");
        assert!(text.contains("['text', 'image']"), "{text}");
    }
}

#[test]
fn the_inspector_lists_and_calls_tools() {
    let project = Project::with_demo_app();
    let server = HttpServer::start(&project, &[], 1);
    let url = format!("http://{}/mcp", server.address());
    let bearer = format!("Authorization: Bearer {TOKEN}");
    let targets: [&[&str]; 2] = [
        &[PROGRAM, "mcp"],
        &[&url, "--transport", "http", "--header", &bearer],
    ];
    for target in targets {
        let inspect = |what: &[&str]| -> Option<Value> {
            let mut inspector = needs::client_program("node_modules/.bin/mcp-inspector")?;
            let text = printed(
                inspector
                    .env("MCP_CATALOG_PATH", project.path("catalog.json"))
                    .arg("--cli")
                    .args(target)
                    .args(what)
                    .current_dir(project.path("")),
            );
            Some(serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}")))
        };
        let Some(listed) = inspect(&["--method", "tools/list"]) else {
            return;
        };
        let names = listed["tools"].as_array().map_or(0, Vec::len);
        assert!(names >= 39, "{listed}");
        let called = inspect(&[
            "--method",
            "tools/call",
            "--tool-name",
            "android_tap",
            "--tool-arg",
            "x=7",
            "--tool-arg",
            "y=8",
        ]);
        let called = called.expect("it was there before");
        assert_eq!(
            called["content"][0]["text"], "Tap executed at (7, 8)",
            "{called}"
        );
    }
}
