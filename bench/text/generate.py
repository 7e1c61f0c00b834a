#!/usr/bin/env python3
"""Writes logs, JSON lines and tables of several kinds, the same ones each time: generate.py FOLDER"""

import csv
import datetime
import json
import random
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

START = datetime.datetime(2025, 6, 15, tzinfo=datetime.timezone.utc)
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15",
    "curl/8.5.0",
)


def times(r: random.Random, count: int, per_second: float) -> Iterable[datetime.datetime]:
    time = START
    for _ in range(count):
        time += datetime.timedelta(seconds=r.expovariate(per_second))
        yield time


def name(r: random.Random) -> str:
    return "".join(r.choice("abcdefghijklmnoprstuvw") for _ in range(r.randrange(4, 12)))


def access_log(r: random.Random) -> Iterable[str]:
    addresses = [".".join(str(r.randrange(1, 255)) for _ in range(4)) for _ in range(800)]
    words = [name(r) for _ in range(3000)]
    for time in times(r, 20000, 2):
        page = r.choice(("/", "/index.html", "/login", f"/items/{r.randrange(5000)}", f"/search?q={r.choice(words)}", f"/img/{r.randrange(900)}.png"))
        address = addresses[min(799, int(r.expovariate(1 / 150)))]
        yield (
            f'{address} - - [{time:%d/%b/%Y:%H:%M:%S} +0000] "GET {page} HTTP/1.1" {r.choice((200,) * 18 + (304, 404))} '
            f'{int(r.lognormvariate(7, 1.5))} "-" "{r.choice(AGENTS)}"'
        )


def service_log(r: random.Random) -> Iterable[str]:
    messages: tuple[Callable[[], str], ...] = (
        lambda: f"request {r.getrandbits(32):08x} finished in {r.lognormvariate(2, 1):.3f} ms",
        lambda: f"cache miss for key user:{r.randrange(100000)}:profile",
        lambda: f"connection from 10.0.{r.randrange(8)}.{r.randrange(255)}:{r.randrange(1024, 65535)} accepted",
        lambda: f"queue length {r.randrange(200)}, oldest {r.randrange(60)} s",
    )
    for time in times(r, 25000, 5):
        yield f"{time:%Y-%m-%dT%H:%M:%S.%fZ} {r.choice(('INFO ', 'INFO ', 'DEBUG', 'WARN '))} worker-{r.randrange(16)} {r.choice(messages)()}"


def events(r: random.Random) -> Iterable[str]:
    names = [name(r) for _ in range(500)]
    for number in range(12000):
        user = {"id": r.randrange(5000), "name": r.choice(names), "tags": r.sample(("beta", "pro", "admin", "eu"), r.randrange(3))}
        event = {"id": f"{r.getrandbits(128):032x}", "time": 1750000000 + 3 * number, "user": user}
        yield json.dumps(event | {"kind": r.choice(("click", "view", "buy")), "value": round(r.lognormvariate(1, 1), 2), "ok": r.random() < 0.97})


def sensors_as_json(r: random.Random) -> Iterable[str]:
    level = [20.0, 1013.0, 50.0]
    for number in range(25000):
        level = [value + r.gauss(0, 0.1) for value in level]
        temperature, pressure, humidity = (round(value, 1) for value in level)
        yield json.dumps({"time": 1750000000 + 60 * number, "temperature": temperature, "pressure": pressure, "humidity": humidity})


def orders(r: random.Random) -> Iterable[tuple]:
    yield "id", "date", "customer", "item", "count", "price", "comment"
    customers, items = [f"{name(r)} {name(r)}" for _ in range(2000)], [name(r) for _ in range(400)]
    comments = ("", "", "", "", "gift", "express delivery", "left at door, ring twice")
    for number in range(30000):
        date = START.date() + datetime.timedelta(days=number // 80)
        yield 100000 + number, date, r.choice(customers), r.choice(items), r.randrange(1, 9), f"{r.lognormvariate(3, 1):.2f}", r.choice(comments)


def messages(r: random.Random) -> Iterable[tuple]:
    yield "time", "level", "host", "message", "milliseconds"
    for time in times(r, 30000, 0.6):
        message = r.choice(("started", "stopped", "timeout while reading", f"user {r.randrange(1000)} logged in"))
        yield f"{time:%Y-%m-%dT%H:%M:%S.%f}", r.choice(("INFO", "WARN")), f"node{r.randrange(20):02d}", message, f"{r.lognormvariate(1, 1):.3f}"


def sensors(r: random.Random) -> Iterable[tuple]:
    yield "time", "a", "b", "c"
    level = [0.0, 0.0, 0.0]
    for number in range(30000):
        level = [value + r.gauss(0, 0.1) for value in level]
        yield 1750000000 + 60 * number, *(f"{value:.2f}" for value in level)


def noise(r: random.Random) -> Iterable[tuple]:
    yield "x", "y", "z"
    for _ in range(30000):
        yield f"{r.gauss(0, 1):.6f}", f"{r.lognormvariate(0, 3):.4e}", r.randrange(10**6)


def doubles(r: random.Random) -> Iterable[tuple]:
    """With all their digits."""
    yield "x", "sum"
    total = 0.0
    for _ in range(30000):
        x = r.gauss(0, 1)
        total += x
        yield x, total


LINES = {"access.log": access_log, "service.log": service_log, "events.jsonl": events, "sensors.jsonl": sensors_as_json}
TABLES = {"orders.csv": orders, "messages.csv": messages, "sensors.csv": sensors, "noise.csv": noise, "doubles.csv": doubles}


def main() -> None:
    folder = Path(sys.argv[1])
    for file, lines in LINES.items():
        (folder / f"generated-{file}").write_text("".join(line + "\n" for line in lines(random.Random(7))), encoding="utf-8")
    for file, rows in TABLES.items():
        with (folder / f"generated-{file}").open("w", newline="", encoding="utf-8") as output:
            csv.writer(output, lineterminator="\n").writerows(rows(random.Random(7)))


main()
