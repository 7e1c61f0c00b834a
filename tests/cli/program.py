"""How the tests run the program floe, and the arrays that they give it.

The environment variable FLOE names the program, FLOE_FAULTS the library that makes its system calls fail (see faults.c).
"""
import functools
import os
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.path.abspath(os.environ.get("FLOE", "build/release/floe"))
FAULTS = os.environ.get("FLOE_FAULTS")
SANITIZED = "FLOE_SANITIZED" in os.environ  # ten times slower: the longest loops take samples

WORD_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "u8": 1, "u16": 2, "u32": 4, "u64": 8, "bool": 1}
STRUCT_CODES = {"f64": "d", "f32": "f", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "u8": "B", "u16": "H", "u32": "I", "u64": "Q", "bool": "B"}


@functools.lru_cache(maxsize=64)
def array_bytes(dtype, count, seed=1):
    """Smooth values with noise, as bytes; f16 and bf16 are the upper halves of f32."""
    generator = random.Random(seed)
    if dtype in ("f16", "bf16"):
        whole = array_bytes("f32", count, seed)
        return b"".join(whole[4 * i + 2 : 4 * i + 4] for i in range(count))
    if dtype in ("f32", "f64"):
        values = [100 + i * 0.01 + generator.random() for i in range(count)]
    else:
        low, size = (0, 2) if dtype == "bool" else (0, 100) if dtype[0] == "u" else (-50, 100)
        values = [low + (i + generator.randrange(20)) % size for i in range(count)]
    return struct.pack(f"<{count}{STRUCT_CODES[dtype]}", *values)


def random_bytes(count, seed=1):
    return random.Random(seed).randbytes(count)


def npy_bytes(descr, shape, data, fortran=False, version=1):
    """An .npy file as NumPy writes it. `descr` is Python source, e.g. "'<f4'"."""
    text = f"{{'descr': {descr}, 'fortran_order': {fortran}, 'shape': {shape!r}, }}"
    length_code = "<H" if version == 1 else "<I"
    start = 8 + struct.calcsize(length_code)
    text += " " * (-(start + len(text) + 1) % 64) + "\n"
    return b"\x93NUMPY" + bytes([version, 0]) + struct.pack(length_code, len(text)) + text.encode("utf-8") + data


class Result:
    """What a run left behind: exit code, standard output as bytes, standard error as text."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err
        self.lines = err.splitlines()


def floe(*arguments, stdin=b"", fault=None, isa=None, **options):
    environment = dict(os.environ)
    if isa is not None:
        environment["FLOE_ISA"] = isa
    if fault is not None:
        environment.update(LD_PRELOAD=FAULTS, FLOE_FAULT=fault)
    done = subprocess.run([PROGRAM, *arguments], input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **options)
    return Result(done.returncode, done.stdout, done.stderr.decode("utf-8", "replace"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


class ProgramTest(unittest.TestCase):
    """Every test runs in an empty folder of its own."""

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="floe-cli-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def succeed(self, *arguments, **options):
        result = floe(*arguments, **options)
        self.assertEqual(result.code, 0, result.err)
        return result

    def fail(self, code, *arguments, mentions=(), **options):  # pylint: disable=arguments-differ
        """The run ends with `code` and exactly one line that begins with "floe: " and contains all of `mentions`."""
        before = self.files()
        result = floe(*arguments, **options)
        self.assertEqual(result.code, code, result.err)
        self.assertEqual(len(result.lines), 1, result.err)
        self.assertTrue(result.err.startswith("floe: "), result.err)
        for text in [mentions] if isinstance(mentions, str) else mentions:
            self.assertIn(text, result.err)
        self.assertEqual(self.files(), before, "a failed run leaves no file and deletes none")
        return result

    @staticmethod
    def files():
        return sorted(os.listdir("."))

    def assert_round_trip(self, name, data, *options):
        """Compresses, checks that the source is kept, decompresses and compares. Returns the compressed bytes."""
        write(name, data)
        self.succeed("-q", *options, "--", name)
        self.assertEqual(read(name), data)
        os.remove(name)
        self.succeed("-d", "-q", "--", name + ".floe")
        self.assertEqual(read(name), data)
        return read(name + ".floe")


needs_faults = unittest.skipUnless(FAULTS, "system calls cannot be made to fail here")


def main():
    if not os.access(PROGRAM, os.X_OK):
        sys.exit(f"{PROGRAM} is no program; set FLOE")
    unittest.main()
