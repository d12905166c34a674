"""A row of the table beside other tools: two times and their ratio, of rounds that took turns."""

import statistics
import time


def head():
    print("| | runner | beside | its time | ratio, median (lowest to highest) |\n|---|---|---|---|---|", flush=True)


def row(name, peer, pairs):
    """Prints the medians of pairs of seconds, ours first, and the ratios of the pairs."""
    each = [ours / theirs for ours, theirs in pairs]
    ours, theirs = (statistics.median(column) for column in zip(*pairs))
    spread = f"{statistics.median(each):.2f} ({min(each):.2f} to {max(each):.2f})"
    print(f"| {name} | {written(ours)} | {peer} | {written(theirs)} | {spread} |", flush=True)


def written(seconds):
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def timed(call, *arguments):
    began = time.perf_counter()
    call(*arguments)
    return time.perf_counter() - began


def alternate(ours, theirs, rounds):
    """Seconds of both, in turns. The first round warms up and does not count."""
    pairs = [(timed(ours), timed(theirs)) for _ in range(rounds + 1)]
    return pairs[1:]
