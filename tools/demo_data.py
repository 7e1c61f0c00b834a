#!/usr/bin/env python3
"""What do typical numeric arrays look like? Writes six small ones, the same in every run, as raw little-endian files.

Usage: demo_data.py FOLDER. The names carry element type and shape. Needs nothing but Python; takes about a second.
"""

import math
import random
import sys
from array import array
from pathlib import Path


def temperature(rows: int = 360, columns: int = 720) -> array:
    """A map in kelvin: warm equator, waves along the latitudes, a little measurement noise."""
    noise = random.Random(1).gauss
    waves = [3 * math.sin(column * 0.026) + math.sin(column * 0.09) for column in range(columns)]
    field = array("f")
    for row in range(rows):
        latitude = math.pi * (row / rows - 0.5)
        base, swing = 243 + 55 * math.cos(latitude) ** 2, math.cos(3 * latitude)
        field.extend(base + swing * wave + noise(0, 0.01) for wave in waves)
    return field


def price(count: int = 131072) -> array:
    """A random walk in whole cents, written as euros."""
    rng = random.Random(2)
    series, cents = array("d"), 10000
    for _ in range(count):
        cents = max(1, cents + rng.choice((-3, -1, 0, 0, 0, 0, 1, 3)))
        series.append(cents / 100)
    return series


def sensor(count: int = 131072) -> array:
    """A daily rhythm, read once a minute with one decimal."""
    noise = random.Random(3).gauss
    return array("d", (round(18 + 6 * math.sin(i * math.tau / 1440) + noise(0, 0.15), 1) for i in range(count)))


def counter(count: int = 262144) -> array:
    """Bytes sent, ever growing, most steps of the same size."""
    rng = random.Random(4)
    series, total = array("i"), 0
    for _ in range(count):
        total += 1500 if rng.random() < 0.9 else rng.randrange(40, 1500)
        series.append(total)
    return series


def positions(particles: int = 65536) -> array:
    """Particles along a curled strand, x y z interleaved."""
    noise = random.Random(5).gauss
    points = array("f")
    for i in range(particles):
        t = i / particles * 40
        points.extend((10 * math.cos(t) + noise(0, 0.02), 10 * math.sin(t) + noise(0, 0.02), t + noise(0, 0.02)))
    return points


def weights(count: int = 524288) -> array:
    """A layer of a neural network in bf16: the upper halves of normally distributed f32."""
    noise = random.Random(6).gauss
    bits = array("I", array("f", (noise(0, 0.02) for _ in range(count))).tobytes())
    return array("H", (word >> 16 for word in bits))


def main() -> int:
    if len(sys.argv) != 2 or sys.byteorder != "little":
        print("usage: demo_data.py FOLDER, on a little-endian machine", file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    files = {
        "temperature_f32_360x720.bin": temperature,
        "price_f64_131072.bin": price,
        "sensor_f64_131072.bin": sensor,
        "counter_i32_262144.bin": counter,
        "positions_f32_65536x3.bin": positions,
        "weights_bf16_524288.bin": weights,
    }
    for name, make in files.items():
        path = folder / name
        if not path.exists():
            data = make().tobytes()
            partial = path.with_suffix(".partial")
            partial.write_bytes(data)
            partial.replace(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
