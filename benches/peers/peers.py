"""What a tap, a dump read into TSV and an annotated screenshot cost other clients, in milliseconds.

peers.py DEVICE_PORT SERVER_PORT|- ROUNDS
Prints `result<TAB>client<TAB>tap<TAB>dump<TAB>screenshot<TAB>rows` for each client, `missing<TAB>client<TAB>why` for one that is not
installed. SERVER_PORT is that of an adb server that knows the device.
"""

import asyncio
import io
import statistics
import struct
import sys
import time
import xml.etree.ElementTree as ElementTree

TAP = "input tap 540 200"
DUMP = "uiautomator dump /data/local/tmp/peer.xml >/dev/null && cat /data/local/tmp/peer.xml"
SHOT = "screencap -p"


def rows(xml):
    """The same columns that runner prints for a row."""
    lines = []
    for node in ElementTree.fromstring(xml).iter("node"):
        get = node.attrib.get
        if not (get("text") or get("content-desc") or get("resource-id") or get("clickable") == "true"):
            continue
        flags = [flag for flag in ("clickable", "long-clickable", "focusable", "scrollable", "enabled") if get(flag) == "true"]
        cells = [get("class", "").rsplit(".", 1)[-1], get("text"), get("content-desc"), get("resource-id"), get("bounds"), ",".join(flags)]
        lines.append("\t".join(cell or "-" for cell in cells))
    return lines


def boxes(xml):
    for node in ElementTree.fromstring(xml).iter("node"):
        if node.get("text") or node.get("content-desc") or node.get("resource-id") or node.get("clickable") == "true":
            yield [int(n) for n in node.get("bounds")[1:-1].replace("][", ",").split(",")]


def annotated(png, xml):
    """A JPEG at most 700 pixels high, with a box and a label around every row."""
    from PIL import Image, ImageDraw

    picture = Image.open(io.BytesIO(png)).convert("RGB")
    scale = 700 / max(picture.size)
    small = picture.resize([int(side * scale) for side in picture.size], Image.Resampling.BILINEAR)
    draw = ImageDraw.Draw(small)
    for number, box in enumerate(boxes(xml)):
        left, top, right, bottom = [edge * scale for edge in box]
        if right > left and bottom > top:
            draw.rectangle([left, top, right, bottom], outline="red", width=2)
            draw.text([left + 2, max(top - 10, 0)], f"n{number}", fill="white")
    out = io.BytesIO()
    small.save(out, "JPEG", quality=80)
    return out.getvalue()


def milliseconds(times):
    return f"{statistics.median(times) * 1000:.3f}"


def timed(rounds, work):
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        last = work()
        times.append(time.perf_counter() - began)
    return times, last


async def timed_async(rounds, work):
    times = []
    for _ in range(rounds):
        began = time.perf_counter()
        last = await work()
        times.append(time.perf_counter() - began)
    return times, last


def report(client, tap, dump, shot, lines):
    print("result", client, milliseconds(tap), milliseconds(dump), milliseconds(shot), len(lines), sep="\t", flush=True)


def with_adbutils(server_port, serial, rounds):
    import adbutils

    device = adbutils.AdbClient(host="127.0.0.1", port=server_port).device(serial=serial)
    xml = device.shell(DUMP)
    shoot = lambda: annotated(device.shell(SHOT, encoding=None), xml)
    shoot()
    tap, _ = timed(rounds, lambda: device.shell(TAP))
    dump, lines = timed(rounds, lambda: rows(device.shell(DUMP)))
    shot, _ = timed(rounds, shoot)
    report("adbutils, adb server", tap, dump, shot, lines)


async def measure_async(client, shell, rounds):
    xml = await shell(DUMP)
    await shell(TAP)

    async def dumped():
        return rows(await shell(DUMP))

    async def shot():
        return annotated(await shell(SHOT), xml)

    await shot()
    taps, _ = await timed_async(rounds, lambda: shell(TAP))
    dumps, lines = await timed_async(rounds, dumped)
    shots, _ = await timed_async(rounds, shot)
    report(client, taps, dumps, shots, lines)


async def with_adb_shell(port, rounds):
    from adb_shell.adb_device_async import AdbDeviceTcpAsync

    device = AdbDeviceTcpAsync("127.0.0.1", port, default_transport_timeout_s=9.0)
    await device.connect()
    await measure_async("adb-shell async, one connection", lambda command: device.exec_out(command, decode=False), rounds)
    await device.close()


class OneConnection:
    """The least an asyncio client can do: one connection, one stream after another."""

    def __init__(self, reader, writer):
        self.reader, self.writer, self.local = reader, writer, 0

    def send(self, command, arg0, arg1, payload=b""):
        number = struct.unpack("<I", command)[0]
        head = struct.pack("<4s5I", command, arg0, arg1, len(payload), 0, number ^ 0xFFFFFFFF)
        self.writer.write(head + payload)

    async def receive(self):
        head = await self.reader.readexactly(24)
        command, arg0, arg1, length, _, _ = struct.unpack("<4s5I", head)
        return command, arg0, arg1, await self.reader.readexactly(length)

    async def exec(self, command):
        self.local += 1
        self.send(b"OPEN", self.local, 0, b"exec:" + command.encode() + b"\0")
        parts = []
        while True:
            command, remote, local, payload = await self.receive()
            if local != self.local:
                continue
            if command == b"WRTE":
                parts.append(payload)
                self.send(b"OKAY", self.local, remote)
            elif command == b"CLSE":
                self.send(b"CLSE", self.local, remote)
                return b"".join(parts)


async def with_one_connection(port, rounds):
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 22)
    client = OneConnection(reader, writer)
    client.send(b"CNXN", 0x01000001, 1 << 20, b"host::features=shell_v2,cmd")
    await client.receive()
    await measure_async("plain asyncio, one connection", client.exec, rounds)
    writer.close()


async def with_smart_socket(server_port, serial, rounds):
    async def shell(command):
        reader, writer = await asyncio.open_connection("127.0.0.1", server_port, limit=1 << 22)
        for request in (f"host:transport:{serial}", f"exec:{command}"):
            writer.write(f"{len(request):04x}{request}".encode())
            if await reader.readexactly(4) != b"OKAY":
                raise ConnectionError(request)
        answer = await reader.read()
        writer.close()
        return answer

    await measure_async("plain asyncio, adb server", shell, rounds)


def main():
    device_port, server_port, rounds = int(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    serial = f"127.0.0.1:{device_port}"
    peers = [
        ("plain asyncio, one connection", lambda: asyncio.run(with_one_connection(device_port, rounds))),
        ("adb-shell async, one connection", lambda: asyncio.run(with_adb_shell(device_port, rounds))),
    ]
    if server_port != "-":
        peers += [
            ("plain asyncio, adb server", lambda: asyncio.run(with_smart_socket(int(server_port), serial, rounds))),
            ("adbutils, adb server", lambda: with_adbutils(int(server_port), serial, rounds)),
        ]
    for client, measure in peers:
        try:
            measure()
        except ImportError as error:
            print("missing", client, f"pip install {error.name}", sep="\t", flush=True)


main()
