#!/usr/bin/env python3
"""checks.py [NAME…]: tries the app host on ApiDemos, the two apps and the kit; run by hand. See host_client.py for what it needs.

Names: pictures, kit, faults, shop, notes, demos, random, goldens."""
import hashlib
import os
import random
import re
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from host_client import CONFIG, HostError, app, fresh

FLAGS = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx600m"]
ROOT = os.environ.get("TMP_RUNS", tempfile.mkdtemp(prefix="app-host-"))
os.makedirs(ROOT + "/cache", exist_ok=True)
runs = 0


def new(name, start=True, keep=None, **begin):
    global runs
    runs += 1
    host = app(name, keep or fresh(f"{ROOT}/{runs}"), flags=FLAGS + [f"-Drunner.host.cache={ROOT}/cache"])
    host.begin(**begin)
    if start:
        host.ask("start")
        host.settle()
    return host


def first(host):
    return host.texts()[0]


def press(host, text):
    host.tap(text)
    return first(host)


def same(got, wanted):
    assert got == wanted, f"{got!r}, not {wanted!r}"


def kit():
    h = new("kit")
    same(press(h, "order"), "attach,First,Second,application")
    same(press(h, "check"), "camera -1 internet 0")
    same(press(h, "phone"), "/system null mounted true 0 0 0")
    h.tap("permission")
    asked = [e for e in h.events if e["event"] == "permissions"][-1]
    same(asked["names"], ["android.permission.CAMERA"])
    h.ask("permissions", request=asked["request"], granted={"android.permission.CAMERA": True})
    h.settle()
    same(first(h), "permission 7 2 0 0")
    same(press(h, "check"), "camera 0 internet 0")
    now = h.state["now"]
    h.ask("advance", ms=600_000)
    same(h.state["now"], now + 600_000)
    h.look()
    same(h.state["now"], now + 600_000)
    for button, ms, said in (("thread sleep", 5000, "slept"), ("timer", 3000, "timer"), ("scheduled", 4000, "scheduled"), ("looper", 2000, "looper")):
        h.tap(button)
        h.ask("advance", ms=ms - 500)
        assert first(h) != said, "too soon: " + said
        h.ask("advance", ms=600)
        h.settle()
        same(first(h), said)
    same(press(h, "main sleep"), "main slept")
    same(press(h, "work"), "worked true")
    assert press(h, "date").endswith("2026-01-01 2026"), first(h)
    h.ask("close"), h.ask("start"), h.settle()
    same([first(h), press(h, "recreate"), press(h, "recreate")], ["made 1", "made 2", "made 3"])
    h.ask("configure", config=dict(CONFIG, width=2400, height=1080, rotation=1))
    h.settle()
    same(first(h), "made 4")
    same(h.look()[-1]["frame"], [0, 0, 2400, 1080])
    h.ask("configure", config=CONFIG)
    h.settle()
    same(press(h, "link"), "link kit://open/inside n=-1 s=null new=0")
    h.ask("start", intent={"action": "android.intent.action.VIEW", "data": "kit://open/2", "extras": {"n": {"type": "int", "value": 5}, "s": {"type": "string", "value": "x"}}})
    h.settle()
    same(first(h), "link kit://open/2 n=5 s=x new=1")
    h.key(4)
    same([press(h, "start service"), press(h, "stop service"), press(h, "bind"), press(h, "nobody")], ["started 1", "destroyed", "hello from the service", "nobody"])
    h.ask("broadcast", intent={"action": "com.example.kit.HEAR", "extras": {"word": {"type": "string", "value": "you"}}})
    same([e["text"] for e in h.events if e["event"] == "toast"][-1], "heard you")
    h.tap("landscape")
    same(h.state["orientation"], 0)
    h.tap("field")
    assert h.state["ime"]["shown"], h.state
    h.ask("configure", config=dict(CONFIG, insets={"status": 72, "navigation": 72, "ime": 900}))
    h.settle()
    same(h.find("bottom")[0]["bounds"][3], 1500)
    h.ask("text", text="x\ny\n", mode="commit")
    h.settle()
    same([h.texts()[0], h.texts()[1], h.texts()[3]], ["x", "y", "action 6"])
    h.tap("hide")
    assert not h.state["ime"].get("shown")
    h.tap("show")
    assert h.state["ime"]["shown"]
    h.tap("bars")
    assert h.state["bars"]["status_hidden"]
    h.key(4)
    same(h.state["front"], "com.example.kit/.FieldActivity")
    h.ask("configure", config=CONFIG)
    h.key(4)
    same(h.state["front"], "com.example.kit/.MainActivity")
    h.tap("keep")
    run = h.run
    h.close()
    h = new("kit", keep=run)
    h.tap("kept")
    same(first(h), "kept 42 true true")
    h.key(4)
    assert not h.state.get("foreground")
    h.ask("foreground")
    assert h.state["foreground"]
    h.close()


def faults():
    for button, kind, event in (("crash", "crashed", "crash"), ("crash thread", "crashed", "crash"), ("exit", "crashed", "exit"), ("native", "crashed", "crash"), ("memory", "internal", "crash"),
                                ("refused class", "unsupported", "crash")):
        h = new("kit")
        try:
            h.tap(button)
            h.look()
            raise AssertionError(button + " ended nothing")
        except HostError as e:
            same(e.kind, kind)
        told = [e for e in h.events if e["event"] in ("crash", "exit")]
        same([e["event"] for e in told], [event])
        if button == "native":
            same([told[0]["kind"], told[0]["native"]], ["native", "flutter"])
        h.close()


def shop_flow(h, say=None):
    h.tap(res="user"), h.type("anna"), h.tap(res="password"), h.type("secret"), h.tap(res="sign_in")
    h.ask("advance", ms=1000), h.settle(), h.find("Hello anna")
    h.look(), h.touch([(540, 1800), (540, 900)], 300), h.settle()
    node, _ = h.find(re.compile("^Item 1[0-9]$"))
    l, t, r, b = node["bounds"]
    h.touch([((l + r) // 2, (t + b) // 2)]), h.settle(), h.find(re.compile("^Details of"))
    h.tap(res="alerts"), h.tap(res="gift"), h.tap(res="size")
    if say: say("menu")
    h.tap("Large"), h.find("Size: Large"), h.tap(res="share")
    if say: say("sheet")
    h.tap("Chat"), h.find("Shared by Chat"), h.tap(res="add"), h.tap(res="hold", ms=600), h.tap(res="delete"), h.find("Delete?")
    if say: say("dialog")
    h.tap("Cancel"), h.tap(res="delete"), h.tap("Delete it"), h.find("Hello anna"), h.key(4)
    assert not h.state.get("foreground")


def notes_flow(h, say=None):
    h.tap("Note 3"), h.find("Opened note 3"), h.ask("advance", ms=4000)
    assert "Opened note 3" not in h.texts()
    h.tap("Form"), h.tap(res="id/name"), h.type("Zoë 漢字"), h.find("Zoë 漢字"), h.tap(res="id/pin"), h.type("1234")
    h.tap(res="id/alerts"), h.tap(res="id/gift"), h.tap(res="id/size")
    if say: say("spinner")
    h.tap("Medium"), h.tap(res="id/dialog"), h.find("Sure?")
    if say: say("dialog")
    h.tap("Yes"), h.find("Said yes"), h.tap(res="id/sheet"), h.tap("Chat"), h.find("By Chat"), h.tap(res="id/snack"), h.find("Saved"), h.tap(res="id/toast")
    same([e["text"] for e in h.events if e["event"] == "toast"][-1], "Bread")
    h.tap(res="id/web"), h.look()
    assert any("WebView" in e["what"] for e in h.events if e["event"] == "unsupported")
    h.key(4), h.key(4)


def flow(name, steps):
    h = new(name)
    for i in range(5):
        t = time.time()
        steps(h)
        print(f"  {name} {i}: {time.time() - t:.2f} s")
        h.ask("close"), h.ask("start"), h.settle()
    print("  heap", h.ask("memory")["committed"] >> 20, "MB")
    h.close()


def shot(h):
    """The windows, back to front, and a digest of their pictures."""
    shown, pixels = h.picture()
    return [w["id"] for w in shown], hashlib.sha256(pixels).hexdigest()


def goldens():
    for name, steps in (("shop", shop_flow), ("notes", notes_flow)):
        both = []
        for _ in range(2):
            h, seen = new(name), []
            def say(what):
                seen.append((what, *shot(h)))
            say("first")
            steps(h, say)
            h.close()
            both.append(seen)
        same(both[0], both[1])


def demos():
    h = new("apidemos")
    def go(name):
        h.ask("close"), h.ask("start", intent={"component": "io.appium.android.apis/" + name}), h.settle()
    go(".app.ReceiveResult"), h.tap(re.compile("(?i)get result")), h.tap(re.compile("(?i)corky"))
    assert any("Corky" in t for t in h.texts())
    go(".app.FragmentStack"), h.tap("PUSH"), h.tap("PUSH"), h.key(4), h.find("Fragment #2")
    go(".view.Controls1")
    h.tap(res="id/edit"), h.type("hello world", "keys"), h.key(29, meta=0x1000), h.key(31, meta=0x1000), h.key(123), h.key(50, meta=0x1000)
    same(h.find(res="id/edit")[0]["text"], "hello worldhello world")
    h.key(54, meta=0x1000)
    same(h.find(res="id/edit")[0]["text"], "hello world")
    h.key(61)
    assert h.find(res="id/check1")[0]["focused"]
    h.key(66)
    assert h.find(res="id/check1")[0]["checked"]
    go(".view.Tabs1"), h.tap("TAB2"), h.find("tab2")
    go(".view.PopupMenu1"), h.tap(re.compile("(?i)make a popup"))
    same([w["kind"] for w in h.look()], ["activity", "popup"])
    h.tap("Search")
    go(".app.TranslucentBlurActivity")
    h.ask("close"), h.ask("start"), h.settle(), h.ask("start", intent={"component": "io.appium.android.apis/.app.TranslucentBlurActivity"}), h.settle()
    same([a["stage"] for a in h.state["activities"]], ["paused", "resumed"])
    h.close()


def touches(count=200):
    chance, h = random.Random(7), new("apidemos")
    for i in range(count):
        try:
            h.look()
            if not h.state.get("foreground") or chance.random() < 0.1:
                h.ask("close"), h.ask("start"), h.settle(2000)
                continue
            if chance.random() < 0.15:
                h.key(4)
                continue
            clickable = [n["bounds"] for n, _ in h.nodes(h.windows) if n.get("clickable")]
            l, t, r, b = chance.choice(clickable) if clickable and chance.random() < 0.7 else (0, 0, 1080, 2400)
            place = (chance.randint(l, max(l, r - 1)), chance.randint(t, max(t, b - 1)))
            h.touch([place] if chance.random() < 0.85 else [place, (chance.randrange(1080), chance.randrange(2400))], chance.choice([50, 50, 50, 600]))
            h.settle(2000)
        except HostError as e:
            assert e.kind in ("crashed", "unsupported"), f"touch {i}: {e}"
            print("  the app:", str(e)[:160].replace("\n", " "))
            h.process.kill()
            h = new("apidemos")
    h.close()


def pictures(names=("kit", "apidemos"), count=40):
    """Two laws. A picture changes nothing: the next one is the same whether it was taken or not. What is at rest stays as it is.

    Not for apps with threads: how long they work decides when a snackbar goes."""
    for name in names:
        chance, one, two = random.Random(3), new(name), new(name)
        for i in range(count):
            try:
                touch_both(chance, one, two, f"{name}, touch {i}")
            except HostError as e:
                assert e.kind in ("crashed", "unsupported") or "memory:" in str(e), f"{name}, touch {i}: {e}"
                one.process.kill(), two.process.kill()
                one, two = new(name), new(name)
        one.close(), two.close()


def touch_both(chance, one, two, what):
    shots = [shot(one), shot(two)]
    assert shots[0] == shots[1], f"{what}: {shots}"
    for h in (one, two):
        h.ask("advance", ms=2000)
    if shot(one) != shots[0]:
        print(f"  {what}: not at rest, {one.texts()[:6]}")
    clickable = [n["bounds"] for n, _ in one.nodes(one.windows) if n.get("clickable")]
    if not clickable or chance.random() < 0.2:
        for h in (one, two):
            h.key(4)
    else:
        l, t, r, b = chance.choice(clickable)
        place = {"id": 0, "x": (l + r) / 2, "y": (t + b) / 2}
        window, outside = one.target(place["x"], place["y"])
        for action in ("down", "up") if window else ():
            for h in (one, two):
                h.ask("pointer", window=window, outside=outside, events=[{"t": 0, "action": action, "pointers": [place]}])
                # Only one of them is looked at.
                if h is one:
                    h.picture()
                h.ask("advance", ms=60)
                if h is one:
                    h.picture()
    for h in (one, two):
        h.settle()
        if not h.state.get("foreground"):
            h.ask("close"), h.ask("start"), h.settle()


CHECKS = {"pictures": pictures, "kit": kit, "faults": faults, "shop": lambda: flow("shop", shop_flow), "notes": lambda: flow("notes", notes_flow), "demos": demos, "random": touches, "goldens": goldens}

if __name__ == "__main__":
    failed = False
    for name in sys.argv[1:] or CHECKS:
        begun = time.time()
        try:
            CHECKS[name]()
            print(f"ok {name} {time.time() - begun:.0f} s")
        except (AssertionError, HostError, EOFError) as e:
            failed = True
            print(f"FAILED {name}: {str(e)[:1500]}")
    sys.exit(failed)
