"""Does every bit come back, whatever the type, the codec, the container and the way in and out?"""
import json
import os
import struct

from program import SANITIZED, WORD_BYTES, ProgramTest, array_bytes, floe, main, npy_bytes, random_bytes, read, write

INSTRUCTION_SETS = ("generic", "avx2", "avx512")[:: 2 if SANITIZED else 1]  # those that the machine lacks stand for its best one
SIZES = (0, 1, 2, 4097, 70000)


def codecs():
    return json.loads(floe("codecs", "--json").out)


class RoundTrips(ProgramTest):
    def test_every_type_with_every_codec(self):
        seen = set()
        for codec in codecs():
            for dtype in codec["dtypes"]:
                arrays = {f"{count}": array_bytes(dtype, count) for count in SIZES}
                for name, data in arrays.items():
                    write(name, data)
                self.succeed("-fq", "--rm", "--dtype", dtype, "--codec", codec["name"], "--segment", "64K", *arrays)
                self.succeed("-dq", "--rm", *(name + ".floe" for name in arrays))
                for name, data in arrays.items():
                    self.assertEqual(read(name), data, (codec["name"], dtype, name))
                seen.add(dtype)
        self.assertEqual(seen, set(WORD_BYTES))

    def test_random_bits_of_every_type(self):
        for dtype, word_bytes in WORD_BYTES.items():
            data = random_bytes(word_bytes * 9000, seed=word_bytes)
            stored = self.assert_round_trip(f"{dtype}.bin", data, "--dtype", dtype)
            self.assertLessEqual(len(stored), len(data) * 1.004 + 256)

    def test_goals_and_aliases(self):
        data = array_bytes("f64", 20000)
        frames = {goal: self.assert_round_trip(f"{goal}.f64", data, "--goal", goal) for goal in ("speed", "balance", "ratio", "max")}
        self.assertEqual(sorted(frames, key=lambda goal: -len(frames[goal])), list(frames))
        self.assertEqual(self.succeed("-c", "--fast", "speed.f64").out, frames["speed"])
        self.assertEqual(self.succeed("-c", "--best", "speed.f64").out, frames["max"])

    def test_threads_never_change_the_bytes(self):
        write("x.f32", array_bytes("f32", 200000))
        frames = {self.succeed("-c", "-T", threads, "--segment", "128K", "x.f32").out for threads in ("0", "1", "2", "7")}
        self.assertEqual(len(frames), 1)
        frame = frames.pop()
        for threads in ("-T1", "-T3", "--threads=8"):
            self.assertEqual(self.succeed("-dc", threads, stdin=frame).out, read("x.f32"))

    def test_instruction_sets_never_change_the_bytes(self):
        write("x.f32", array_bytes("f32", 100000))
        write("x.f64", array_bytes("f64", 50000))
        for codec in codecs():
            for name in ("x.f32", "x.f64"):
                if name[2:] not in codec["dtypes"]:
                    continue
                frames = {self.succeed("-c", "--codec", codec["name"], name, isa=isa).out for isa in INSTRUCTION_SETS}
                self.assertEqual(len(frames), 1, codec["name"])
                frame = frames.pop()
                for isa in INSTRUCTION_SETS:
                    self.assertEqual(self.succeed("-dc", stdin=frame, isa=isa).out, read(name), (codec["name"], isa))

    def test_streams(self):
        data = array_bytes("f32", 50000)
        write("x.f32", data)
        piped = self.succeed("--dtype", "f32", stdin=data)
        self.assertEqual(piped.err, "")
        self.assertEqual(piped.out, self.succeed("-c", "x.f32").out)
        self.assertEqual(piped.out, self.succeed("compress", "--dtype", "f32", "-", stdin=data).out)
        for arguments in (["-d"], ["-dc"], ["-d", "-"], ["decompress"], ["-d", "-o", "-"]):
            self.assertEqual(self.succeed(*arguments, stdin=piped.out).out, data)
        self.succeed("-d", "-o", "y.f32", stdin=piped.out)
        self.assertEqual(read("y.f32"), data)

    def test_streams_with_a_shape(self):
        data = array_bytes("f32", 6 * 50 * 70)
        write("x_f32_6x50x70.bin", data)
        piped = self.succeed("--dtype", "f32", "--shape", "6x50x70", stdin=data).out
        self.assertEqual(piped, self.succeed("-c", "x_f32_6x50x70.bin").out)
        wrong = floe("--dtype", "f32", "--shape", "7x50x70", stdin=data)
        self.assertEqual(wrong.code, 1)
        self.assertIn("7x50x70", wrong.err)

    def test_plain_bytes_from_a_pipe(self):
        for size in (0, 1, 3, 100001):
            data = random_bytes(size)
            self.assertEqual(self.succeed("-d", stdin=self.succeed(stdin=data).out).out, data)

    def test_several_files_to_one_stream(self):
        write("a.f32", array_bytes("f32", 1000, 1))
        write("b.f64", array_bytes("f64", 1000, 2))
        self.succeed("-q", "a.f32", "b.f64")
        self.assertEqual(self.succeed("-dc", "a.f32.floe", "b.f64.floe").out, read("a.f32") + read("b.f64"))

    def test_gfc_dimensionality(self):
        data = struct.pack("<6000d", *(1000.0 * (i % 6) + i for i in range(6000)))
        stored = {dim: len(self.assert_round_trip(f"{dim}.f64", data, "--codec", "gfc", "--dim", dim)) for dim in ("1", "6", "32")}
        self.assertLess(stored["6"], stored["1"])

    def test_no_checksum(self):
        data = array_bytes("f64", 30000)
        bare = self.assert_round_trip("x.f64", data, "--codec", "dpspeed", "--no-checksum")
        self.assertLess(len(bare), len(self.succeed("-c", "--codec", "dpspeed", "x.f64").out))
        self.assert_round_trip("y.f64", data, "--no-checksum")

    def test_verify(self):
        write("x.f64", array_bytes("f64", 100000))
        self.succeed("--verify", "-q", "x.f64")
        self.succeed("--verify", "-q", "-o", "piped.floe", "--dtype", "f64", stdin=read("x.f64"))
        self.assertEqual(read("piped.floe"), read("x.f64.floe"))
        self.fail(2, "--verify", "-c", "x.f64", mentions="--verify needs a file")


class Slices(ProgramTest):
    def test_slices_are_those_of_python(self):
        for dtype, codec in (("f32", "spratio"), ("f64", "dpratio"), ("f64", "gfc"), ("u16", "speed16"), ("u8", "speed8")):
            word_bytes = WORD_BYTES[dtype]
            count = 60001
            data = array_bytes(dtype, count)
            name = f"{codec}_{dtype}.bin"
            write(name, data)
            self.succeed("-q", "--codec", codec, "--segment", "64K", name)
            for first, length in ((0, 0), (0, 1), (count, 0), (count - 1, 1), (4095, 3), (1, count - 1), (0, count), (30000, 12345))[:: 3 if SANITIZED else 1]:
                result = self.succeed("-d", "-c", "--slice", f"{first}:{length}", name + ".floe")
                self.assertEqual(result.out, data[first * word_bytes : (first + length) * word_bytes], (name, first, length))

    def test_slice_of_npy_is_without_its_header(self):
        data = array_bytes("f32", 1000)
        write("x.npy", npy_bytes("'<f4'", (10, 100), data))
        self.succeed("-q", "x.npy")
        self.succeed("-d", "--slice", "100:50", "-o", "part", "x.npy.floe")
        self.assertEqual(read("part"), data[400:600])

    def test_refusals(self):
        write("x.f32", array_bytes("f32", 100))
        self.succeed("-q", "x.f32")
        for slice_text in ("0:101", "101:0", "99:2", "18446744073709551615:1", "1:18446744073709551615"):
            self.fail(1, "-d", "-c", "--slice", slice_text, "x.f32.floe", mentions=["x.f32.floe", "100 elements"])
        for slice_text in ("", "5", ":", "1:", ":1", "-1:2", "1:2:3", "1:x", "1:18446744073709551616"):
            self.fail(2, "-d", "-c", "--slice=" + slice_text if slice_text else "--slice= ", "x.f32.floe", mentions="--slice")
        self.fail(2, "-d", "--slice", "1:2", "x.f32.floe", mentions="-o or -c")
        self.fail(1, "-d", "-c", "--slice", "0:1", "-", stdin=read("x.f32.floe"), mentions="file on disk")


class PublishedStreams(ProgramTest):
    def test_fpcompress(self):
        for codec, dtype in (("spspeed", "f32"), ("spratio", "f32"), ("dpspeed", "f64"), ("dpratio", "f64")):
            data = array_bytes(dtype, 30000)
            write("x", data)
            self.succeed("-q", "--verify", "--container", "fpcompress", "--codec", codec, "x")
            self.assertEqual(read("x"), data)
            os.remove("x")
            self.fail(2, "-d", "--container", "fpcompress", "x.fpc", mentions="--codec")
            self.fail(1, "-d", "x.fpc", mentions="--container")
            self.succeed("-d", "-q", "--container", "fpcompress", "--codec", codec, "x.fpc")
            self.assertEqual(read("x"), data)
            os.remove("x"), os.remove("x.fpc")

    def test_gfc(self):
        data = array_bytes("f64", 30000)
        write("x", data)
        for chunks, dim in ((1000, 1), (7, 1), (1000, 3), (100, 32)):
            self.succeed("-fq", "--container", "gfc", "--chunks", str(chunks), "--dim", str(dim), "x")
            stream = read("x.gfc")
            self.assertEqual(struct.unpack_from("<IBH", stream), (30000, dim, chunks))
            self.assertEqual(self.succeed("-dc", "--container", "gfc", "x.gfc").out, data)
        self.assertEqual(self.succeed("-c", "--container", "gfc", "x").out, self.succeed("-c", "--container", "gfc", "--chunks", "1000", "x").out)

    def test_refusals(self):
        write("x", bytes(80))
        self.fail(2, "--container", "fpcompress", "x", mentions="--codec")
        self.fail(2, "--container", "gfc", "--codec", "dpspeed", "x", mentions="gfc")
        self.fail(2, "--container", "gfc", "--dtype", "f64", "x", mentions="--container")
        self.fail(2, "--chunks", "5", "x", mentions="--chunks")
        self.fail(2, "-t", "--container", "gfc", "x", mentions="--container")
        write("odd", bytes(81))
        self.fail(1, "--container", "gfc", "odd", mentions="odd")


if __name__ == "__main__":
    main()
