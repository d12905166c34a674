"""Calls of adbutils for `table.py`, one for each line of standard input: `adbutils_calls.py PORT SERIAL`."""

import sys

from adbutils import AdbClient

device = AdbClient(host="127.0.0.1", port=int(sys.argv[1])).device(sys.argv[2])
CALLS = {
    "tap": lambda: device.click(540, 150),
    "list of elements": device.dump_hierarchy,
    "picture": device.screenshot,
    "scroll": lambda: device.swipe(540, 1560, 540, 840, 0.3),
    "launch": lambda: device.app_start("com.example.notes"),
}
print("ready", flush=True)
for line in sys.stdin:
    CALLS[line.strip()]()
    print("done", flush=True)
