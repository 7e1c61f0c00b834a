#!/usr/bin/env python3
"""Does the decoder that was written from the format pages read what the program makes of any content? random_frames.py FLOE [COUNT [SEED]]

Random arrays of every type, and tables, by every goal and for GPUs, in segments of the shortest length too, come back byte by byte.
"""

import pathlib
import random
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "tools" / "reference_decoder"))

import floe_decode  # noqa: E402

TYPES = {"f64": "d", "f32": "f", "f16": "e", "bf16": "H", "i8": "b", "i16": "h", "i32": "i", "i64": "q",
         "u8": "B", "u16": "H", "u32": "I", "u64": "Q"}  # fmt: skip
METHODS = [["--goal", goal] for goal in ("speed", "balance", "ratio", "max")] + [["--profile", "gpu"]]
LONGEST = 1500  # elements; the decoder is slow


def is_float(dtype):
    return dtype[0] == "f"


def walk(generator, count, step):
    value = generator.randrange(1000)
    for _ in range(count):
        value += generator.randint(-step, step)
        yield value


def random_numbers(generator, count):
    """Integers that look like something."""
    step = generator.choice([0, 1, 3, 50, 10**6])
    numbers = list(walk(generator, count, step))
    shape = generator.randrange(5)
    if shape == 0:  # runs
        length = generator.randint(2, 40)
        numbers = [numbers[i // length] for i in range(count)]
    elif shape == 1:  # few different ones
        few = numbers[:7]
        numbers = [generator.choice(few) for _ in range(count)]
    elif shape == 2:  # repeats
        period = generator.randint(2, max(2, count // 2))
        numbers = [numbers[i % period] for i in range(count)]
    elif shape == 3:  # outliers
        numbers = [generator.getrandbits(60) if generator.random() < 0.02 else n for n in numbers]
    return numbers


def random_array(generator, dtype):
    count, code = generator.randrange(1, LONGEST), TYPES[dtype]
    width = struct.calcsize(code)
    if generator.random() < 0.15:
        return generator.randbytes(count * width)
    numbers = random_numbers(generator, count)
    if is_float(dtype):
        divisor = generator.choice([1, 8, 10, 100, 0.3, 1e-4])
        values = [n % 30000 / divisor if dtype == "f16" else n / divisor for n in numbers]
        return b"".join(struct.pack("<" + code, max(-60000.0, min(60000.0, v)) if dtype == "f16" else v) for v in values)
    return b"".join((n & (1 << 8 * width) - 1).to_bytes(width, "little") for n in numbers)


def random_table(generator):
    count = generator.randrange(2, LONGEST // 4)
    columns = [random_numbers(generator, count) for _ in range(generator.randint(1, 5))]
    digits = [generator.choice([0, 0, 2, 5]) for _ in columns]
    lines = [",".join(f"{n / 10**d:.{d}f}" if d else str(n) for n, d in zip(row, digits)) for row in zip(*columns)]
    if generator.random() < 0.3:
        lines[generator.randrange(count)] = "no row"
    return ("\n".join(["abcdef"[: len(columns)].replace("", ",").strip(","), *lines]) + generator.choice(["", "\n"])).encode()


def contents(generator, count, folder):
    """[(options, [files])]; what has the same options is compressed by one call."""
    files = {}
    for number in range(count):
        method = generator.choice(METHODS)
        if generator.random() < 0.2:
            options, data = ("--as", "csv", *method), random_table(generator)
        else:
            dtype = generator.choice(sorted(TYPES))
            options, data = ("--dtype", dtype, *method, *generator.choice([(), ("--segment", "16K")])), random_array(generator, dtype)
        path = folder / str(number)
        path.write_bytes(data)
        files.setdefault(options, []).append(path)
    return files.items()


def main(program, count=50, seed=1):
    generator, wrong = random.Random(seed), 0
    with tempfile.TemporaryDirectory() as name:
        for options, files in contents(generator, count, pathlib.Path(name)):
            subprocess.run([program, "-q", "-T1", *options, *files], check=True)
            for path in files:
                frame = path.with_name(path.name + ".floe").read_bytes()
                if floe_decode.decode(frame).content != path.read_bytes():
                    wrong += 1
                    print(f"{path.name} ({' '.join(options)}) does not come back")
    print(f"{count} contents, {wrong} of them wrong")
    return 1 if wrong or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], *map(int, sys.argv[2:])))
