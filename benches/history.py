"""A history as `runner test` leaves it, for measuring how long it takes to read: history.py FOLDER [RUNS [FLOWS]].

Then: time runner history --history FOLDER
"""

import json
import pathlib
import random
import sys

STEPS = ["launch", "click: Sign in", "type: { into: { id: username }, text: ada }", "hide_keyboard",
         "assert visible: \"Welcome, *\"", "click: { id: search }", "snapshot: inbox", "stop"]


def run(number, flows, dice):
    line = {"version": 1, "id": f"{number:016x}", "started": started(number, "-", ":"), "program": "0.1.0"}
    yield {"run": line}
    ids = [{"flow": f"flows/area-{at % 20}/flow-{at}.yaml", "device": "virtual"} for at in range(flows)]
    for at in range(0, flows, 100):
        yield {"planned": ids[at:at + 100]}
    for one in ids:
        bad = dice.random() < 0.02
        flow = {"of": one, "outcome": "failed" if bad else "passed", "ms": dice.randrange(500, 20000)}
        if bad:
            flow["failure"] = {"step": STEPS[4], "at": f"{one['flow']}:9", "message": "no element matches Welcome, *"}
        yield {"flow": flow}
        yield {"steps": [[step, dice.randrange(5, 3000), "passed"] for step in STEPS]}
    yield {"end": {"ms": 60000, "exit_code": 0}}


def started(number, dash, colon):
    day, hour = 1 + number // 24, number % 24
    return f"2026{dash}01{dash}{day:02}T{hour:02}{colon}00{colon}00" + ("Z" if dash else "000Z")


def main():
    folder = pathlib.Path(sys.argv[1])
    runs, flows = (int(text) for text in (sys.argv[2:] + ["200", "1000"][len(sys.argv) - 2:]))
    folder.mkdir(parents=True)
    dice = random.Random(7)
    for number in range(runs):
        lines = (json.dumps(line, separators=(",", ":")) for line in run(number, flows, dice))
        name = f"{started(number, '', '')}-{number:016x}.ndjson"
        (folder / name).write_text("\n".join(lines) + "\n")


main()
