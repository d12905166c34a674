"""What a login costs an agent: calls, and characters that it writes and reads.

The same task for each server, on the sign-in screen of the demo app: open the app, see what is there, type the name and the
password, press ENTER, wait for the inbox and see it. Once with a call for each act, once with the server's tool for several.
A server that has no tool to wait lists the screen until the inbox is there.
"""

import json
import re

APP = "com.example.notes"
WELCOME = "Welcome, Ada"


class Talk:
    """A client whose calls are counted."""

    def __init__(self, client):
        self.client, self.calls, self.written, self.read = client, 0, 0, 0

    def __call__(self, tool, **arguments):
        _, result = self.client.call(tool, arguments)
        text = "\n".join(item.get("text", "") for item in result["content"])
        self.calls += 1
        self.written += len(tool) + len(json.dumps(arguments, separators=(",", ":"), ensure_ascii=False))
        self.read += len(text)
        return text


def typed(field, text):
    return {"type": {"into": {"id": field}, "text": text}}


def ours(talk):
    talk("runner_launch", app=APP)
    talk("runner_look")
    talk("runner_type", id="username", text="ada")
    talk("runner_type", id="password", text="lovelace")
    talk("runner_press", key="ENTER")
    talk("runner_wait_for", on=WELCOME)
    return talk("runner_look")


def ours_together(talk):
    talk("runner_do", steps=[{"launch": APP}])
    steps = [typed("username", "ada"), typed("password", "lovelace"), {"press": "ENTER"}, {"wait_for": WELCOME}]
    return talk("runner_do", steps=steps)


def place(elements, word):
    """The ref of the text field with this word, else its middle."""
    line = next(line for line in elements.splitlines() if "EditText" in line and word.lower() in line.lower())
    ref = re.search(r"@e\d+", line)
    if ref:
        return {"ref": ref.group()}
    x, y, width, height = map(int, re.search(r"at=(-?\d+),(-?\d+) size=(\d+)x(\d+)", line).groups())
    return {"x": x + width // 2, "y": y + height // 2}


def until(talk, device, text, word):
    while word not in text:
        text = talk("mobile_list_elements_on_screen", device=device)
    return text


def theirs(device):
    def login(talk):
        talk("mobile_launch_app", device=device, packageName=APP)
        elements = until(talk, device, "", "Username")
        for field, text, submit in [("username", "ada", False), ("password", "lovelace", True)]:
            talk("mobile_click_on_screen_at_coordinates", device=device, **place(elements, field))
            talk("mobile_type_keys", device=device, text=text, submit=submit)
        return until(talk, device, "", WELCOME)

    return login


def theirs_together(device):
    def login(talk):
        launch = [{"name": "mobile_launch_app", "arguments": {"packageName": APP}}]
        opened = talk("mobile_batch_commands", device=device, steps=launch, listElementsAtEnd=True)
        elements = until(talk, device, opened, "Username")
        steps = []
        for field, text, submit in [("username", "ada", False), ("password", "lovelace", True)]:
            steps.append({"name": "mobile_click_on_screen_at_coordinates", "arguments": place(elements, field)})
            steps.append({"name": "mobile_type_keys", "arguments": {"text": text, "submit": submit}})
        done = talk("mobile_batch_commands", device=device, steps=steps, listElementsAtEnd=True)
        return until(talk, device, done, WELCOME)

    return login


def print_logins(lean, mobile_mcp, serial, forget):
    """`forget` brings the app back to its sign-in screen; `mobile_mcp` may be missing."""
    logins = [(lean, "a call each", ours), (lean, "`runner_do`", ours_together)]
    if mobile_mcp:
        logins += [
            (mobile_mcp, "a call each", theirs(serial)),
            (mobile_mcp, "`mobile_batch_commands`", theirs_together(serial)),
        ]
    print("\n| server | how | calls | characters of arguments | characters of results |")
    print("|---|---|---|---|---|")
    for server, how, login in logins:
        forget()
        client = server.start()
        try:
            talk = Talk(client)
            assert WELCOME in login(talk), server.name
        finally:
            client.end()
        print(f"| {server.name} | {how} | {talk.calls} | {talk.written} | {talk.read} |")
