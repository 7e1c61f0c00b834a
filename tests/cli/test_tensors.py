"""Are safetensors files compressed tensor by tensor and restored byte by byte, and damaged ones refused?"""
import json
import os
import struct
import subprocess
import zlib

from program import PROGRAM, SANITIZED, ProgramTest, array_bytes, floe, main, needs_faults, random_bytes, read, write

TYPES = {"F64": "f64", "F32": "f32", "F16": "f16", "BF16": "bf16", "BOOL": "bool", "I8": "i8", "I16": "i16", "I32": "i32", "I64": "i64",
         "U8": "u8", "U16": "u16", "U32": "u32", "U64": "u64"}  # fmt: skip
ELEMENTS = {"F8_E4M3": "u8", **TYPES}


def file_of(header, data=b""):
    """`header`: JSON, or what is to stand in its place."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def tensors_of(tensors, metadata=None):
    """A file of tensors, {name: (type, shape)}, with smooth values."""
    header, data = {} if metadata is None else {"__metadata__": metadata}, b""
    for name, (dtype, shape) in tensors.items():
        count = 1
        for size in shape:
            count *= size
        more = array_bytes(ELEMENTS[dtype], count)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(more)]}
        data += more
    return file_of(header, data)


def model_of(large):
    """A file of tensors of every type and of odd shapes and names, and of a large one of that shape."""
    return tensors_of(
        {
            **{f"layer.{dtype}": (dtype, [20, 30]) for dtype in ELEMENTS},
            "large": ("F32", large),
            "scalar": ("F64", []),
            "none": ("F32", [0]),
            "no rows": ("F32", [0, 7]),
            "empty rows": ("F32", [7, 0, 3]),
            "deep": ("I16", [2] * 9),
            'ünï"\n\t\x1f\x7f\\ \U0001f600': ("I64", [5]),
        },
        {"format": "pt", "ü": '"quoted"\n'},
    )


MODEL = model_of([260, 200])
LONG_MODEL = model_of([1300, 1000])  # more than a read of 4 MiB


class Tensors(ProgramTest):
    def setUp(self):
        super().setUp()
        write("m.safetensors", MODEL)

    def test_the_file_comes_back(self):
        write("long.safetensors", LONG_MODEL)
        for options in ([], ["--goal", "speed"], ["--goal", "ratio"], ["-T", "1"], ["--no-checksum"], ["--segment", "64K"], ["--fsync"])[:: 3 if SANITIZED else 1]:
            said = self.succeed("-f", "--verify", *options, "long.safetensors").err
            self.assertIn("safetensors of 21 tensors)", said)
            for result in (self.succeed("-d", "-c", "long.safetensors.floe"), self.succeed("-d", stdin=read("long.safetensors.floe"))):
                self.assertEqual(result.out, LONG_MODEL)
            self.assertIn("safetensors of 21 tensors", self.succeed("-t", "long.safetensors.floe").err)
        self.assertLess(len(read("long.safetensors.floe")), 0.8 * len(LONG_MODEL))

    def test_threads_change_no_byte(self):
        write("long.safetensors", LONG_MODEL)
        self.succeed("-q", "-T", "1", "-o", "a", "long.safetensors")
        self.succeed("-q", "-T", "3", "-o", "b", "long.safetensors")
        self.assertEqual(read("a"), read("b"))

    def test_rm_replaces_the_file(self):
        self.succeed("-q", "--rm", "m.safetensors")
        self.assertEqual(self.files(), ["m.safetensors.floe"])
        self.succeed("-d", "-q", "--rm", "m.safetensors.floe")
        self.assertEqual(self.files(), ["m.safetensors"])
        self.assertEqual(read("m.safetensors"), MODEL)

    def test_the_result_is_a_safetensors_file_of_frames(self):
        self.succeed("-q", "m.safetensors")
        whole = read("m.safetensors.floe")
        (length,) = struct.unpack_from("<Q", whole)
        header = json.loads(whole[8 : 8 + length])
        metadata = header.pop("__metadata__")
        (original,) = struct.unpack_from("<Q", MODEL)
        self.assertEqual(metadata["floe.header"].encode(), MODEL[8 : 8 + original])
        self.assertEqual(int(metadata["floe.header.crc32"], 16), zlib.crc32(MODEL[8 : 8 + original]))
        begin, end = header["large"]["data_offsets"]
        self.assertEqual((header["large"]["dtype"], header["large"]["shape"], length % 8), ("U8", [end - begin], 0))
        frame = whole[8 + length + begin : 8 + length + end]
        self.assertEqual(self.succeed("-d", stdin=frame).out, array_bytes("f32", 52000))

    def test_what_it_says_of_itself(self):
        self.succeed("-q", "m.safetensors")
        stored = len(read("m.safetensors.floe"))
        (listed,) = json.loads(self.succeed("list", "--json", "m.safetensors.floe").out)
        expected = {"content": "safetensors", "tensor_count": 21, "original_bytes": len(MODEL), "stored_bytes": stored}
        self.assertLessEqual(expected.items(), listed.items())
        self.assertIn(b"safetensors of 21 tensors", self.succeed("-l", "m.safetensors.floe").out)
        (facts,) = json.loads(self.succeed("inspect", "--json", "m.safetensors.floe").out)
        large = next(tensor for tensor in facts["tensors"] if tensor["name"] == "large")
        self.assertEqual((large["dtype"], large["shape"], large["original_bytes"], len(large["trees"])), ("F32", [260, 200], 208000, 1))
        self.assertEqual(facts["header_bytes"] + sum(tensor["stored_bytes"] for tensor in facts["tensors"]), stored)
        text = self.succeed("inspect", "m.safetensors.floe").out.decode()
        self.assertIn("260x200", text)
        self.assertIn(large["trees"][0], text)

    def test_trees_are_for_the_tensors_that_they_fit(self):
        def trees(*options):
            self.succeed("-q", "-f", "--verify", *options, "m.safetensors")
            (facts,) = json.loads(self.succeed("inspect", "--json", "m.safetensors.floe").out)
            return {tensor["name"]: tensor["trees"] for tensor in facts["tensors"]}

        planned, given = trees(), trees("--codec", "spspeed")
        self.assertEqual(given["large"], ["spspeed"])
        self.assertEqual(given["layer.BF16"], planned["layer.BF16"])
        given = trees("--tree", "layer.F64=raw", "--tree", "large=sortable,raw")
        self.assertEqual((given["layer.F64"], given["large"]), (["raw"], ["sortable,raw"]))
        self.assertEqual(given["layer.F32"], planned["layer.F32"])
        os.remove("m.safetensors.floe")
        self.fail(2, "--tree", "nothing=raw", "m.safetensors", mentions="there is no tensor of this name")
        self.fail(2, "--tree", "large#2=raw", "m.safetensors", mentions="a tensor has one stream")
        self.fail(1, "--tree", "layer.BF16=spspeed", "m.safetensors", mentions=["layer.BF16", "the elements are bf16"])
        write("one.safetensors", tensors_of({"a": ("I16", [9])}))
        self.fail(1, "--codec", "spspeed", "one.safetensors", mentions="the elements are i16")

    def test_plan_and_bench_take_tensors_one_by_one(self):
        plans = json.loads(self.succeed("plan", "--json", "m.safetensors").out)
        self.assertIn("m.safetensors: layer.BF16", [plan["file"] for plan in plans])
        self.assertIn(b"m.safetensors: large\n", self.succeed("plan", "m.safetensors").out)
        self.fail(2, "plan", "--picture", "x.html", "m.safetensors", mentions="--picture")
        write("small.safetensors", tensors_of({"a": ("F32", [90]), "none": ("F32", [0]), "b": ("I16", [90])}))
        rows = json.loads(self.succeed("bench", "--json", "--codec", "none", "--goal", "speed", "--runs", "1", "small.safetensors").out)
        self.assertEqual([(row["file"], row["dtype"]) for row in rows], [("small.safetensors: a", "f32"), ("small.safetensors: b", "i16")])


class Recognition(ProgramTest):
    def test_name_and_content_say_it(self):
        write("m.bin", MODEL)
        write("text.safetensors", b"version https://git-lfs.github.com/spec/v1\n")
        write("short.safetensors", b"abc")
        for name in ("m.bin", "text.safetensors", "short.safetensors"):
            self.assertNotIn("tensors)", self.succeed(name).err)
            self.assertEqual(self.succeed("-d", "-c", name + ".floe").out, read(name))

    def test_as_overrules_it(self):
        self.assert_round_trip("m.safetensors", MODEL, "--as", "bytes")
        self.assertIn("bytes)", self.succeed("-f", "--dtype", "u8", "m.safetensors").err)
        write("m.bin", MODEL)
        self.succeed("-q", "--as", "safetensors", "--verify", "m.bin")
        self.succeed("-q", "--as", "safetensors", "-o", "stdin.floe", stdin=MODEL)
        self.assertEqual(read("m.bin.floe"), read("stdin.floe"))
        self.assertEqual(self.succeed("-d", "-c", "stdin.floe").out, MODEL)
        self.fail(3, "--as", "safetensors", "-o", "x.floe", stdin=MODEL[:-1], mentions=["is cut at byte", "needs 1 byte more"])
        self.fail(3, "--as", "safetensors", "-o", "x.floe", stdin=MODEL + b"x", mentions="behind the last tensor")
        self.fail(3, "--as", "safetensors", "-o", "x.floe", stdin=MODEL[:100], mentions="is cut at byte 100, in its header")

    def test_what_makes_no_sense_is_refused(self):
        write("m.safetensors", MODEL)
        self.fail(2, "-c", "m.safetensors", mentions="-o FILE")
        self.fail(2, "--as", "safetensors", stdin=MODEL, mentions="-o FILE")
        self.fail(2, "--values", "m.safetensors", mentions="--values")
        self.fail(2, "--as", "safetensors", "--shape", "3", "m.safetensors", mentions="--as safetensors")
        self.fail(3, "-d", "-c", "m.safetensors", mentions="did not compress")
        self.succeed("-q", "m.safetensors")
        self.fail(2, "-d", "-c", "--slice", "0:1", "m.safetensors.floe", mentions="holds tensors")
        self.fail(2, "-d", "-c", "--as", "csv", "m.safetensors.floe", mentions="holds tensors")
        self.fail(2, "recover", "m.safetensors.floe", mentions="holds tensors")


class Damage(ProgramTest):
    A = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}

    def test_headers_that_make_no_sense(self):
        a = json.dumps(self.A)
        for header, mentions in (
            ({"a": {**self.A, "data_offsets": [0, 7]}}, "cannot have 7 bytes"),
            ({"a": {**self.A, "data_offsets": [0, 16], "shape": [4]}}, "need 16 bytes behind its header, and 8 are there"),
            ({"a": {**self.A, "data_offsets": [0, 4], "shape": [1]}}, "4 bytes behind the last tensor"),
            ({"a": {**self.A, "data_offsets": [8, 16]}}, "do not follow those before it"),
            ({"a": {**self.A, "data_offsets": [8, 0]}}, "do not follow those before it"),
            ({"a": self.A, "b": {**self.A, "data_offsets": [4, 12]}}, "do not follow those before it"),
            ({"a": {**self.A, "shape": [3]}}, "F32 3, cannot have 8 bytes"),
            ({"a": {**self.A, "shape": [2**63, 2**63]}}, "cannot have 8 bytes"),
            ({"a": {**self.A, "shape": [2**64]}}, "no whole number"),
            ({"a": {**self.A, "shape": [-2]}}, "no whole number"),
            ({"a": {**self.A, "shape": [2.0]}}, "no whole number"),
            ({"a": {**self.A, "shape": [[2]]}}, "no whole number"),
            ({"a": {**self.A, "shape": ["2"]}}, "no whole number"),
            ({"a": {**self.A, "shape": 2}}, "no lists"),
            ({"a": {**self.A, "shape": {}}}, "no lists"),
            ({"a": {**self.A, "shape": [1] * 300}}, "more than 255 dimensions"),
            ({"a": {**self.A, "dtype": 5}}, "dtype is no text"),
            ({"a": {**self.A, "data_offsets": [0, 8, 8]}}, "not two numbers"),
            ({"a": {"dtype": "F32", "shape": [2]}}, "lacks"),
            ({"a": 5}, "no object"),
            ({"a": [5]}, "no object"),
            ({"__metadata__": None, "a": self.A}, "no object"),
            (f'{{"a":{a},"a":{a}}}'.encode(), "two tensors are called a"),
            (f'{{"a":{a},"\\u0061":{a}}}'.encode(), "two tensors are called a"),
            (f'{{"\\ud800":{a}}}'.encode(), "(at byte"),
            (f'{{"\\udc00":{a}}}'.encode(), "is no text"),
            (b'{"\xff":' + a.encode() + b"}", "(at byte"),
            (f'{{"a":{a}}}\0'.encode(), "zero byte"),
            (f'{{"a":{a}}}x'.encode(), "(at byte"),
            (f'{{"a":{a}'.encode(), "(at byte"),
            (f'{{"a":{a},"b":NaN}}'.encode(), "(at byte"),
            (f'{{"a":{a},"b":1e999}}'.encode(), "(at byte"),
            (f'{{"a":{a},"b":{{"x":Infinity}}}}'.encode(), "(at byte"),
            (b'{"a":' + b"[" * 100000, "(at byte"),
            (b'{"a":{"x":' + b"[" * 100000, "nested too deeply"),
            (b'{"a":{"x":' + b'{"y":' * 100000, "nested too deeply"),
        ):
            write("x.safetensors", file_of(header, bytes(8)))
            result = self.fail(3, "-q", "x.safetensors", mentions=["x.safetensors: ", mentions])
            self.assertLess(len(result.err), 400)
        write("x.safetensors", file_of(f'{{"a":{a}}}'.encode("utf-16-le"), bytes(8)))
        self.fail(3, "-q", "x.safetensors", mentions="zero byte")

    def test_lengths_that_make_no_sense(self):
        for length, mentions in ((2**63 + 5, "more than the 100000000 of any"), (100000001, "of any"), (99, "more than the file of 50 bytes")):
            write("x.safetensors", struct.pack("<Q", length) + b"{" + bytes(41))
            for command in (["-q"], ["-d", "-o", "y"], ["-t"], ["-l"], ["inspect"], ["plan"]):
                self.fail(3, *command, "x.safetensors", mentions=["x.safetensors: ", "(at byte 0)", mentions])

    def test_what_others_tolerate_is_kept(self):
        spaced = f' \n{{ "a" : {json.dumps({**self.A, "more": [1, {"x": None}]})} , "__metadata__": {{"n": 5, "x": [{{}}]}} }} \t\n'.encode()
        write("x.bin", file_of(spaced, bytes(8)))
        self.succeed("-q", "--as", "safetensors", "--verify", "x.bin")
        self.assertEqual(self.succeed("-d", "-c", "x.bin.floe").out, read("x.bin"))
        write("empty.safetensors", file_of(b"{}"))
        self.succeed("-q", "--verify", "empty.safetensors")
        self.assertEqual(self.succeed("-d", "-c", "empty.safetensors.floe").out, read("empty.safetensors"))

    def test_order_of_data_is_not_that_of_the_header(self):
        header = {"b": {"dtype": "I16", "shape": [300], "data_offsets": [8, 608]}, "a": self.A}
        write("x.safetensors", file_of(header, random_bytes(608)))
        self.succeed("-q", "--verify", "x.safetensors")
        self.assertEqual(self.succeed("-d", "-c", "x.safetensors.floe").out, read("x.safetensors"))

    def test_damaged_results_are_refused(self):
        small = tensors_of({"a": ("F32", [40, 30]), "b": ("BF16", [1000]), "s": ("F64", [])}, {"format": "pt"})
        write("m.safetensors", small)
        self.succeed("-q", "m.safetensors")
        whole = read("m.safetensors.floe")
        (length,) = struct.unpack_from("<Q", whole)
        step = 3 if SANITIZED else 1
        positions = [*range(0, 8 + length, 7 * step), *range(8 + length, len(whole), 41 * step)]
        for position in positions:
            damaged = bytearray(whole)
            damaged[position] ^= 1 << position % 8
            write("x.floe", damaged)
            done = subprocess.run([PROGRAM, "-d", "-f", "-q", "-o", "x", "x.floe"], stderr=subprocess.PIPE, check=False)
            if done.returncode == 0:
                self.assertEqual(read("x"), small)  # blanks that pad, and what nobody needs
            else:
                self.assertIn(done.returncode, (1, 3), done.stderr)  # 1: of a version that floe does not know
                self.assertIn(b"x.floe", done.stderr)
        for cut in (8, 100, 7 + length, 8 + length, 9 + length, len(whole) - 1):
            write("x.floe", whole[:cut])
            for command in (["-d", "-f", "-o", "y"], ["-t"], ["-l"], ["inspect"]):
                self.fail(3, *command, "x.floe", mentions="x.floe")
            self.fail(3, "-d", "-f", "-o", "y", stdin=whole[:cut], mentions="(standard input)")

    @needs_faults
    def test_every_write_may_be_the_one_that_fails(self):
        write("m.safetensors", tensors_of({"a": ("F32", [300, 100]), "b": ("BF16", [100])}))
        self.succeed("-q", "-o", "good", "--verify", "m.safetensors", fault="pieces")
        self.assertEqual(self.succeed("-d", "-c", "good").out, read("m.safetensors"))
        number, code = 0, 1
        while code != 0:  # the last is that of the header
            number += 1
            code = floe("-q", "--rm", "m.safetensors", fault=f"write-full:{number}").code
            self.assertEqual(self.files(), ["good", "m.safetensors"] if code else ["good", "m.safetensors.floe"])
        self.assertGreater(number, 3)
        self.assertEqual(read("m.safetensors.floe"), read("good"))
        for flip in range(1, number - 1):
            os.replace("m.safetensors.floe", "packed")
            self.succeed("-d", "-q", "-o", "m.safetensors", "packed")
            result = floe("-q", "--verify", "m.safetensors", fault=f"write-flip:{flip}")
            self.assertIn(result.code, (0, 4), result.err)  # the first is room for the header
            self.assertEqual(result.code == 0, os.path.exists("m.safetensors.floe"))
            os.remove("m.safetensors")
            os.replace("packed", "m.safetensors.floe")

    def test_a_frame_of_another_tensor(self):
        write("m.safetensors", tensors_of({"a": ("F32", [50, 40]), "b": ("F32", [40, 50])}))
        self.succeed("-q", "m.safetensors")
        whole = read("m.safetensors.floe")
        (length,) = struct.unpack_from("<Q", whole)
        header = json.loads(whole[8 : 8 + length])
        parts = [whole[8 + length + slice(*header[name]["data_offsets"]).start : 8 + length + header[name]["data_offsets"][1]] for name in "ab"]
        header["a"]["data_offsets"], header["b"]["data_offsets"] = [0, len(parts[1])], [len(parts[1]), len(parts[0]) + len(parts[1])]
        header["a"]["shape"], header["b"]["shape"] = [len(parts[1])], [len(parts[0])]
        write("x.floe", file_of(header, parts[1] + parts[0]))
        for command in (["-d", "-o", "y"], ["-t"], ["inspect"]):
            self.fail(3, *command, "x.floe", mentions=["x.floe: a: ", "is not of F32 50x40"])
        (header["a"]["data_offsets"], header["b"]["data_offsets"]) = (header["b"]["data_offsets"], header["a"]["data_offsets"])
        (header["a"]["shape"], header["b"]["shape"]) = (header["b"]["shape"], header["a"]["shape"])
        write("x.floe", file_of(header, parts[1] + parts[0]))
        self.fail(3, "-t", "x.floe", mentions="frame 0 is called b, and tensor 0 of its original a")


if __name__ == "__main__":
    main()
