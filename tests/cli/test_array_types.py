"""Are type and shape taken from options, .npy headers and names as promised?"""
import json
import struct

from program import SANITIZED, ProgramTest, array_bytes, main, npy_bytes, read, write


class ArrayTest(ProgramTest):
    def described(self, name):
        """Type and shape that the compressed file states."""
        facts = json.loads(self.succeed("inspect", "--json", "--", name).out)[0]
        return facts["dtype"], facts["shape"], facts["prefix_bytes"]

    def compressed_as(self, name, data, *options):
        self.assert_round_trip(name, data, "-f", *options)
        return self.described(name + ".floe")


class Options(ArrayTest):
    def test_dtype_and_shape(self):
        data = array_bytes("f32", 24)
        self.assertEqual(self.compressed_as("x", data, "--dtype", "f32"), ("f32", [24], 0))
        self.assertEqual(self.compressed_as("x", data, "--dtype", "f32", "--shape", "2x3x4"), ("f32", [2, 3, 4], 0))
        self.assertEqual(self.compressed_as("x", data, "--dtype=f32", "--shape=2,3,4"), ("f32", [2, 3, 4], 0))
        self.assertEqual(self.compressed_as("x", data, "--shape", "96"), ("u8", [96], 0))
        self.assertEqual(self.compressed_as("x", data, "--dtype", "bf16", "--shape", "1x1x1x1x1x1x1x48"), ("bf16", [1] * 7 + [48], 0))

    def test_an_option_beats_the_name(self):
        data = array_bytes("f32", 24)
        self.assertEqual(self.compressed_as("x_f32_4x6.bin", data, "--dtype", "i32"), ("i32", [4, 6], 0))
        self.assertEqual(self.compressed_as("x_f32_4x6.bin", data, "--dtype", "f64"), ("f64", [12], 0))
        self.assertEqual(self.compressed_as("x_f32_4x6.bin", data, "--shape", "3x8"), ("f32", [3, 8], 0))

    def test_empty_arrays(self):
        self.assertEqual(self.compressed_as("x", b"", "--dtype", "f64"), ("f64", [0], 0))
        self.assertEqual(self.compressed_as("x", b"", "--dtype", "f64", "--shape", "0x5"), ("f64", [0, 5], 0))
        self.assertEqual(self.compressed_as("x", b"", "--dtype", "f64", "--shape", "5x0")[0], "f64")
        self.assertEqual(self.compressed_as("x.f32", b""), ("f32", [0], 0))

    def test_refusals(self):
        write("x.dat", bytes(100))
        self.fail(1, "--dtype", "f64", "x.dat", mentions=["x.dat", "100 bytes", "f64", "8 bytes"])
        self.fail(1, "--dtype", "f32", "--shape", "5x6", "x.dat", mentions=["x.dat", "5x6", "120", "100"])
        self.fail(1, "--dtype", "f32", "--shape", "4294967296x4294967296", "x.dat", mentions="x.dat")
        self.fail(2, "--dtype", "f33", "x.dat", mentions=["f33", "bf16"])
        self.fail(2, "--dtype", "", "x.dat", mentions="--dtype")
        for shape in ("x", "3x", "3x-4", "3x4.0", "1x1x1x1x1x1x1x1x100", "18446744073709551616"):
            self.fail(2, "--shape", shape, "x.dat", mentions="--shape")
        self.fail(2, "--codec", "nonsense", "x.dat", mentions=["nonsense", "floe codecs"])
        self.fail(1, "--codec", "dpratio", "--dtype", "f32", "x.dat", mentions="x.dat")
        for option in ("--goal=fast", "--dim=33", "--dim=0", "--segment=1000", "--segment=2G", "--segment=0", "--threads=-1", "--memory=1X", "--container=zip"):
            self.fail(2, option, "x.dat", mentions=option.split("=")[0])
        self.fail(1, "--dtype", "f32", stdin=bytes(7), mentions=["(standard input)", "7 bytes"])


class Names(ArrayTest):
    def test_names_that_say_all(self):
        data = array_bytes("f32", 60)
        for name in ("x_f32_3x4x5.bin", "NAME_3_4_5.f32", "a_b_f32_3x4x5.dat", "x_f32_3_4_5.raw", "x_f32_3x4x5", "step_7_3_4_5.f32", "3x4x5.f32", "x_3x4x5.f32"):
            self.assertEqual(self.compressed_as(name, data), ("f32", [3, 4, 5], 0), name)
        self.assertEqual(self.compressed_as("x_bf16_1x120.bin", data), ("bf16", [1, 120], 0))
        self.assertEqual(self.compressed_as("x.f64", data), ("f64", [30], 0))
        self.assertEqual(self.compressed_as("x_i64.bin", data), ("i64", [30], 0))

    def test_names_that_say_nothing(self):
        data = array_bytes("f32", 60)
        for name in ("x", "x.bin", "x_f32_notes.txt", "a_3x4x5.csv", "x_f32_3x4x5_mean.bin", "x.F32", ".f32x", "text", "x.text", "x_time", "x_time_60.bin"):
            self.assertEqual(self.compressed_as(name, data), ("u8", [240], 0), name)

    def test_the_folder_says_nothing(self):
        import os

        os.mkdir("x_f64_5x6.bin")
        self.assertEqual(self.compressed_as("x_f64_5x6.bin/y", array_bytes("f64", 30)), ("u8", [240], 0))

    def test_names_that_contradict_the_size(self):
        data = array_bytes("f32", 60)
        self.assertEqual(self.compressed_as("x_f32_3x4x6.bin", data), ("f32", [60], 0))
        self.assertEqual(self.compressed_as("x_f32_3x4x5.bin", data + b"!"), ("u8", [241], 0))
        self.assertEqual(self.compressed_as("x_5.f32", data), ("f32", [60], 0))
        self.assertIn("3x4x6", self.succeed("-c", "x_f32_3x4x6.bin").err)
        self.assertIn("plain bytes", self.succeed("-c", "x_f32_3x4x5.bin").err)
        self.assertEqual(self.succeed("-cq", "x_f32_3x4x5.bin").err, "")


class Npy(ArrayTest):
    def test_types(self):
        for descr, dtype, word_bytes in (
            ("<f8", "f64", 8), ("<f4", "f32", 4), ("<f2", "f16", 2), ("|i1", "i8", 1), ("<i2", "i16", 2), ("<i4", "i32", 4), ("<i8", "i64", 8),
            ("|u1", "u8", 1), ("<u2", "u16", 2), ("<u4", "u32", 4), ("<u8", "u64", 8), ("|b1", "bool", 1), ("<M8[ns]", "i64", 8), ("<m8[s]", "i64", 8),
        )[:: 3 if SANITIZED else 1]:  # fmt: skip
            file = npy_bytes(repr(descr), (3, 4), array_bytes(dtype, 12))
            self.assertEqual(self.compressed_as("x.npy", file), (dtype, [3, 4], len(file) - 12 * word_bytes), descr)

    def test_versions_orders_and_shapes(self):
        data = array_bytes("f64", 24)
        for version in (1, 2, 3):
            self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (2, 3, 4), data, version=version))[:2], ("f64", [2, 3, 4]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (2, 3, 4), data, fortran=True))[:2], ("f64", [4, 3, 2]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (24,), data))[:2], ("f64", [24]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (), data[:8]))[:2], ("f64", [1]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (0, 4), b""))[:2], ("f64", [0, 4]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (4, 0), b""))[0], "f64")
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<f8'", (2, 1, 1, 1, 1, 1, 1, 1, 3, 4), data))[:2], ("f64", [2, 1, 1, 1, 1, 1, 3, 4]))

    def test_complex(self):
        data = array_bytes("f64", 24)
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<c16'", (3, 4), data))[:2], ("f64", [3, 4, 2]))
        self.assertEqual(self.compressed_as("x.npy", npy_bytes("'<c8'", (6, 4), data, fortran=True))[:2], ("f32", [4, 6, 2]))

    def test_big_endian(self):
        for descr, dtype, word_bytes in ((">f8", "f64", 8), (">f4", "f32", 4), (">f2", "f16", 2), (">i2", "i16", 2), (">u8", "u64", 8), (">M8[ns]", "i64", 8),
                                         (">c16", "f64", 8), (">c8", "f32", 4), (">i1", "i8", 1), (">b1", "bool", 1))[:: 3 if SANITIZED else 1]:  # fmt: skip
            parts = 2 if "c" in descr else 1
            native = array_bytes(dtype, 60 * parts)
            words = [native[i : i + word_bytes][::-1] for i in range(0, len(native), word_bytes)]
            shape = [5, 12] + ([2] if parts == 2 else [])
            file = npy_bytes(repr(descr), (5, 12), b"".join(words))
            self.assertEqual(self.compressed_as("x.npy", file, "--verify")[:2], (dtype, shape), descr)
            # Words are turned round to be compressed, and slices are those of the file.
            self.compressed_as("y.npy", npy_bytes(repr("<" + descr[1:]), (5, 12), native))
            (x, y) = (json.loads(self.succeed("inspect", "--json", name).out)[0]["segments"][0]["columns"] for name in ("x.npy.floe", "y.npy.floe"))
            self.assertEqual(x, y, descr)
            self.assertEqual(self.succeed("-dc", "--slice", f"{7 * parts}:{3 * parts}", "x.npy.floe").out, b"".join(words[7 * parts : 10 * parts]))
        self.succeed("bench", "--runs", "1", "x.npy")

    def test_big_endian_in_pieces(self):
        # The header is no multiple of the words' length, nor are the blocks that a pipe gives.
        data = array_bytes("f64", 1 << 20)
        words = b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8))
        file = npy_bytes("'>f8'", (1 << 20,), words)
        header = file[: len(file) - len(words)]
        file = header[:8] + struct.pack("<H", len(header) - 13) + header[10:-4] + b"\n" + words
        frame = self.succeed("--fast", stdin=file).out
        self.assertEqual(self.succeed("-d", stdin=frame).out, file)

    def test_the_content_decides_not_the_name(self):
        file = npy_bytes("'<f4'", (3, 4), array_bytes("f32", 12))
        self.assertEqual(self.compressed_as("x_f64_1x1.bin", file)[:2], ("f32", [3, 4]))
        self.assertEqual(self.compressed_as("no.npy", b"text")[:2], ("u8", [4]))

    def test_standard_input(self):
        file = npy_bytes("'<f4'", (30, 400), array_bytes("f32", 12000))
        write("x.npy", file)
        piped = self.succeed(stdin=file).out
        self.assertEqual(piped, self.succeed("-c", "x.npy").out)
        self.assertEqual(self.succeed("-d", stdin=piped).out, file)
        self.assertEqual(self.succeed("-d", stdin=self.succeed(stdin=file[:-4]).out).out, file[:-4])
        long = npy_bytes("'<f4'", (3 << 20,), array_bytes("f32", 1 << 20) * 3)
        self.fail(1, "-o", "y.floe", stdin=long[:-4], mentions="--as bytes")  # too late for another choice

    def test_shape_and_dtype_options(self):
        file = npy_bytes("'<f4'", (3, 4), array_bytes("f32", 12))
        self.assertEqual(self.compressed_as("x.npy", file, "--shape", "2x6")[:2], ("f32", [2, 6]))
        self.assertEqual(self.compressed_as("x.npy", file, "--dtype", "u8"), ("u8", [len(file)], 0))
        self.fail(1, "--shape", "2x7", "-o", "y", "x.npy", mentions=["2x7", "3x4"])

    def test_python_2_wrote_long_numbers(self):
        file = npy_bytes("'<f4'", (3, 4), array_bytes("f32", 12)).replace(b"(3, 4), }  ", b"(3L, 4L), }")
        self.assertEqual(self.compressed_as("x.npy", file)[:2], ("f32", [3, 4]))

    def assert_stored_as_bytes(self, file, mentions):
        write("x.npy", file)
        result = self.succeed("-f", "x.npy")
        note = result.lines[0]
        for text in ("floe: note: x.npy: ", mentions, "stored as plain bytes"):
            self.assertIn(text, note)
        self.assertEqual(self.described("x.npy.floe"), ("u8", [len(file)], 0))
        self.assertEqual(self.succeed("-dc", "x.npy.floe").out, file)

    def test_types_that_floe_does_not_have(self):
        for descr, word in (("[('a', '<f4'), ('b', '<f8')]", "structured"), ("'<U8'", "<U8"), ("'|O'", "|O"), ("'<f16'", "<f16"), ("'|V2'", "|V2"), ("'<c32'", "<c32"), ("''", "elements")):  # fmt: skip
            self.assert_stored_as_bytes(npy_bytes(descr, (24,), bytes(96)), word)
        self.assertEqual(self.succeed("-cq", "x.npy").err, "")

    def test_broken_headers(self):
        data = bytes(96)
        good = npy_bytes("'<f4'", (24,), data)
        broken = {
            "cut": good[:50], "magic only": good[:6], "version": good[:6] + b"\x04" + good[7:], "size": good[:-4], "longer": good + b"more",
            "no dictionary": good.replace(b"{", b"["), "no shape": good.replace(b"'shape'", b"'spape'"), "negative": good.replace(b"(24,)", b"(-4,)"),
            "length": good[:8] + b"\xff\xff" + good[10:], "huge": npy_bytes("'<f4'", (2**40, 2**40), data), "huger": npy_bytes("'<f4'", (2**64,), data),
            "order": good.replace(b"False", b"Maybe"), "open": good.replace(b"'<f4'", b"'<f4 "), "list": good.replace(b"'<f4'", b"[[[[["),
        }  # fmt: skip
        for what, file in broken.items():
            with self.subTest(what=what):
                self.assert_stored_as_bytes(file, ".npy")

    def test_very_long_header(self):
        file = npy_bytes("'<f4'" + " " * 60000, (24,), bytes(96), version=2)
        self.assertEqual(self.compressed_as("x.npy", file)[:2], ("f32", [24]))
        self.assert_stored_as_bytes(npy_bytes("'<f4'" + " " * (1 << 20), (24,), bytes(96), version=2), "too long")
        self.assertEqual(struct.unpack_from("<I", read("x.npy"), 8)[0] > 1 << 20, True)


if __name__ == "__main__":
    main()
