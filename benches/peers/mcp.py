"""What calls of MCP servers cost on the same device in the same run, in milliseconds.

mcp.py RUNNER [--mobile-mcp FOLDER] [--droid-bridge PROGRAM] [--realistic] [--rounds 30] [--starts 7] [--login]

Serves the demo app's inbox with `runner virtual`, gives it to an adb server of its own (ended afterwards), then speaks to
each server over standard input and output: `runner mcp` on one connection and through the adb server, mobile-mcp in its
robot mode "legacy" (the one that works with adb alone), agent-droid-bridge. The servers take turns, call by call, so that
a busy machine slows all of them alike. What is not installed is named and left out. At the end each signs in to the app, and
calls and characters are counted (`mcp_login.py`); `--login` does only that.
"""

import argparse
import json
import os
import shutil
import socket
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from mcp_login import APP, print_logins

ROOT = Path(__file__).resolve().parents[2]
TAP = (540, 150)  # the inbox's title: nothing happens


class Client:
    """A server that was started, and initialized; one request at a time."""

    def __init__(self, command, environment, folder):
        began = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment, cwd=folder
        )
        self.requests = 0
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
        self.ask("initialize", about)
        self.first_answer = time.perf_counter() - began
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.requests += 1
        self.send({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise EOFError(f"the server ended during {method}")
            answer = json.loads(line)
            if answer.get("id") == self.requests and "method" not in answer:
                if "error" in answer:
                    raise RuntimeError(answer["error"])
                return answer["result"]

    def call(self, tool, arguments):
        began = time.perf_counter()
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        took = time.perf_counter() - began
        if result.get("isError"):
            raise RuntimeError(f"{tool}: {result['content']}")
        return took, result

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Server:
    """How to start a server, and what its tools are called."""

    def __init__(self, name, command, environment, folder, tap, elements, screenshot):
        self.name, self.command, self.environment, self.folder = name, command, environment, folder
        self.calls = {"tap": tap, "element list": elements, "screenshot": screenshot}
        self.times = {call: [] for call in self.calls}
        self.sizes = {}
        self.starts = []

    def start(self):
        return Client(self.command, self.environment, self.folder)

    def look_again(self, client, call):
        took, result = client.call(*self.calls[call])
        self.times[call].append(took)
        self.sizes[call] = sum(len(item.get("text", "")) for item in result["content"])


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


ANDROID = (
    "android",
    ("android_tap", {"x": TAP[0], "y": TAP[1]}),
    ("android_get_screen_state", {}),
    ("android_get_screen_state", {"include_screenshot": True}),
)
# Its screenshot is the plain picture, as the other servers give it; the one above is drawn on, with the rows beside it.
MOBILE_AGENT = (
    "mobile-agent",
    ("tap", {"x": TAP[0], "y": TAP[1]}),
    ("get_app_window_controls_target_info", {"force_refresh": True}),
    ("capture_screenshot", {}),
)


def own(runner, name, folder, device, tools=ANDROID, options=()):
    folder.mkdir()
    (folder / "runner.yaml").write_text(f"devices: ['{device[0]}']\n")
    dialect, *calls = tools
    command = [runner, "mcp", "--dialect", dialect, *device[1:], *options]
    return Server(name, command, dict(os.environ), folder, *calls)


def peers(arguments, serial, environment, folder):
    if arguments.mobile_mcp:
        command = ["node", str(Path(arguments.mobile_mcp) / "lib" / "index.js")]
        legacy = environment | {"MOBILEMCP_LEGACY_ROBOT": "1", "MOBILEMCP_DISABLE_TELEMETRY": "1"}
        device = {"device": serial}
        tap = ("mobile_click_on_screen_at_coordinates", device | {"x": TAP[0], "y": TAP[1]})
        elements = ("mobile_list_elements_on_screen", device)
        yield Server("mobile-mcp, legacy robot", command, legacy, folder, tap, elements, ("mobile_take_screenshot", device))
    else:
        print("mobile-mcp is left out: --mobile-mcp names its folder (npm install @mobilenext/mobile-mcp@1.0.4)")
    if arguments.droid_bridge:
        device = {"device_serial": serial}
        tap = ("tap_screen", device | {"x": TAP[0], "y": TAP[1]})
        elements = ("get_screen_elements", device | {"mode": "interactive"})
        command = [arguments.droid_bridge]
        yield Server("agent-droid-bridge", command, environment, folder, tap, elements, ("take_screenshot", device))
    else:
        print("agent-droid-bridge is left out: --droid-bridge names its program (pip install agent-droid-bridge==0.6.1)")


def measure(servers, rounds, starts):
    clients = [(server, server.start()) for server in servers]
    try:
        for call in ["tap", "element list", "screenshot"]:
            for server, client in clients:
                client.call(*server.calls[call])
            for _ in range(rounds):
                for server, client in clients:
                    server.look_again(client, call)
        own_client = clients[0][1]
        look = [own_client.call("runner_look", {}) for _ in range(rounds)]
        changes = [own_client.call("runner_changes", {}) for _ in range(rounds)]
    finally:
        for _, client in clients:
            client.end()
    for _ in range(starts):
        for server in servers:
            client = server.start()
            server.starts.append(client.first_answer)
            client.end()
    return look, changes


def list_tools(server):
    """What `tools/list` says, every page of it."""
    client = server.start()
    try:
        tools, cursor = [], None
        while True:
            page = client.ask("tools/list", {"cursor": cursor} if cursor else {})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if not cursor:
                return tools
    finally:
        client.end()


def print_listings(servers):
    """An agent's client sends this list to its model with each conversation: characters are what it costs."""
    print("\n| server | tools | characters of `tools/list` |")
    print("|---|---|---|")
    for server in servers:
        tools = list_tools(server)
        print(f"| {server.name} | {len(tools)} | {len(json.dumps(tools, separators=(',', ':'), ensure_ascii=False))} |")


def print_table(servers, look, changes):
    median = lambda times: statistics.median(times) * 1000
    columns = ["tap", "element list", "screenshot"]
    base = {call: median(servers[0].times[call]) for call in columns} | {"start": median(servers[0].starts)}

    def cell(value, call):
        return f"{value:.2f} ({value / base[call]:.1f})"

    print("\nMedians in ms; in brackets how many times the first line's. Start: process to the answer to `initialize`.\n")
    print("| server | tap | element list | screenshot | start | characters of the list |")
    print("|---|---|---|---|---|---|")
    for server in servers:
        cells = [cell(median(server.times[call]), call) for call in columns]
        cells.append(cell(median(server.starts), "start"))
        print("|", " | ".join([server.name, *cells, str(server.sizes["element list"])]), "|")
    for name, calls in [("runner_look", look), ("runner_changes, nothing changed", changes)]:
        size = len(calls[-1][1]["content"][0]["text"])
        print(f"{name}: {median([took for took, _ in calls]):.2f} ms, {size} characters")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("runner")
    parser.add_argument("--mobile-mcp")
    parser.add_argument("--droid-bridge")
    parser.add_argument("--realistic", action="store_true", help="commands take what they take on a phone")
    parser.add_argument("--login", action="store_true", help="only count what a login costs")
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--starts", type=int, default=7)
    arguments = parser.parse_args()
    runner = str(Path(arguments.runner).resolve())
    adb = shutil.which("adb")
    if not adb:
        raise SystemExit("`adb` is not on the PATH: the other servers reach the device through it")
    port, adb_port = free_port(), free_port()
    serial = f"127.0.0.1:{port}"
    environment = dict(os.environ) | {"ANDROID_ADB_SERVER_PORT": str(adb_port)}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        served = subprocess.Popen(
            [runner, "virtual", "--port", str(port), "--app", str(ROOT / "examples" / "demo"), *(["--realistic"] if arguments.realistic else [])],
            stdout=subprocess.PIPE, cwd=folder,
        )
        try:
            served.stdout.readline()
            for command in [["start-server"], ["connect", serial]]:
                subprocess.run([adb, *command], env=environment, check=True, capture_output=True)
            inbox = ["shell", "am", "start", "-a", "android.intent.action.VIEW", "-d", "notes://inbox"]
            subprocess.run([adb, "-s", serial, *inbox], env=environment, check=True, capture_output=True)
            lean = own(runner, "runner, --tools lean", folder / "lean", (serial, "--adb-port", str(adb_port)), options=("--tools", "lean"))
            others = list(peers(arguments, serial, environment, folder))
            mobile_mcp = next((server for server in others if server.name.startswith("mobile-mcp")), None)

            def forget():
                subprocess.run([adb, "-s", serial, "shell", "pm", "clear", APP], env=environment, check=True, capture_output=True)

            if arguments.login:
                print_logins(lean, mobile_mcp, serial, forget)
                return
            servers = [
                own(runner, "runner, adb server", folder / "server", (serial, "--adb-port", str(adb_port))),
                own(runner, "runner, one connection", folder / "direct", (f"localhost:{port}", "--adb-port", str(adb_port))),
                own(runner, "runner, adb server, mobile-agent", folder / "agent", (serial, "--adb-port", str(adb_port)), MOBILE_AGENT),
                own(runner, "runner, one connection, mobile-agent", folder / "agent-direct", (f"localhost:{port}", "--adb-port", str(adb_port)), MOBILE_AGENT),
                *others,
            ]
            look, changes = measure(servers, arguments.rounds, arguments.starts)
            print_table(servers, look, changes)
            print_listings([server for server in servers if "one connection" not in server.name] + [lean])
            print_logins(lean, mobile_mcp, serial, forget)
        finally:
            subprocess.run([adb, "kill-server"], env=environment, capture_output=True)
            served.terminate()
            served.wait()


if __name__ == "__main__":
    main()
