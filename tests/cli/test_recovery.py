"""Does floe recover save what is intact, say what is lost, and leave the damaged file alone?"""
import json
import struct

from program import ProgramTest, array_bytes, floe, main, npy_bytes, read, write


class Recovery(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = array_bytes("f32", 40000)
        write("x.f32", self.data)
        self.succeed("-q", "--codec", "spspeed", "--segment", "64K", "x.f32")
        self.frame = bytearray(read("x.f32.floe"))

    def damage(self, *positions):
        for position in positions:
            self.frame[position] ^= 4
        write("x.f32.floe", self.frame)

    def lost(self, *arguments, code=3):
        result = floe("recover", "-f", "--json", *arguments, "x.f32.floe")
        self.assertEqual(result.code, code, result.err)
        return json.loads(result.out)[0]

    def test_intact_file(self):
        result = self.succeed("recover", "x.f32.floe")
        self.assertEqual(read("x.f32.floe.recovered"), self.data)
        self.assertEqual(result.lines, ["x.f32.floe : 40000 of 40000 elements recovered (f32 40000)"])
        self.fail(1, "recover", "x.f32.floe", mentions="x.f32.floe.recovered")  # it does not overwrite

    def test_damaged_chunk(self):
        self.damage(len(self.frame) // 2)
        self.fail(3, "-t", "x.f32.floe")
        result = floe("recover", "x.f32.floe")
        self.assertEqual(result.code, 3)
        self.assertEqual(len(result.lines), 2)
        self.assertRegex(result.lines[1], r"^x\.f32\.floe : lost: elements \d+ to \d+: a chunk's checksum does not match, byte \d+$")
        report = self.lost()
        self.assertEqual((report["complete"], report["recovered"], report["damaged_segments"]), (False, 40000 - 4096, 1))
        (part,) = report["lost"]
        first, end = 4 * part["first"], 4 * (part["first"] + part["count"])
        self.assertEqual(read("x.f32.floe.recovered"), self.data[:first] + bytes(end - first) + self.data[end:])
        self.lost("--leave-out")
        self.assertEqual(read("x.f32.floe.recovered"), self.data[:first] + self.data[end:])
        self.assertEqual(read("x.f32.floe"), bytes(self.frame))

    def test_cut_off(self):
        write("x.f32.floe", self.frame[: len(self.frame) // 2])
        report = self.lost()
        self.assertFalse(report["length_known"])
        saved = read("x.f32.floe.recovered")
        self.assertGreater(report["recovered"], 10000)
        self.assertEqual(saved[: 4 * report["lost"][0]["first"]], self.data[: 4 * report["lost"][0]["first"]])

    def test_header(self):
        self.damage(9)
        self.assertEqual(self.lost(code=0)["header"], "mended")
        self.damage(5, 17)
        self.assertEqual(self.lost(code=0)["header"], "guessed")
        self.assertEqual(read("x.f32.floe.recovered"), self.data)
        write("y.f32", self.data[:400])
        self.succeed("-q", "--codec", "spspeed", "--segment", "64K", "y.f32")
        self.assertEqual(self.lost("--like", "y.f32.floe", code=0)["header"], "similar")

    def test_npy_file_keeps_its_shape(self):
        data = array_bytes("f64", 20000)
        write("a.npy", npy_bytes("'>f8'", (200, 100), b"".join(data[i : i + 8][::-1] for i in range(0, len(data), 8))))
        self.succeed("-q", "--codec", "dpspeed", "--segment", "32K", "a.npy")
        frame = read("a.npy.floe")
        write("a.npy.floe", frame[: len(frame) // 2])
        self.assertEqual(floe("recover", "a.npy.floe").code, 3)
        whole, saved = read("a.npy"), read("a.npy.floe.recovered")
        self.assertEqual(len(saved), len(whole))
        begin = len(whole) - len(data)
        self.assertEqual(saved[: begin + 32768], whole[: begin + 32768])
        self.assertEqual(saved[-1000:], bytes(1000))

    def test_table(self):
        text = "a,b\n" + "".join(f"{i},{i * i}\n" for i in range(1000))
        write("t.csv", text.encode())
        self.succeed("-q", "--segment-rows", "100", "t.csv")
        frame = read("t.csv.floe")
        at = frame.index(b"FSEG" + frame[frame.index(b"FSEG") + 4 :][:4] + struct.pack("<Q", 3))
        write("t.csv.floe", frame[:at] + b"XXXX" + frame[at + 4 :])
        result = floe("recover", "-c", "t.csv.floe")
        self.assertEqual(result.code, 3)
        lines = text.splitlines(keepends=True)
        self.assertEqual(result.out.decode(), "".join(lines[:301] + lines[401:]))

    def test_what_it_refuses(self):
        write("no.floe", b"no frame at all" * 100)
        self.fail(3, "recover", "no.floe", mentions="neither a header nor a segment")
        write("short.csv", b"a,b\n1,2\n" * 100)
        self.succeed("-q", "--rm", "short.csv")
        write("short.csv.floe", read("short.csv.floe")[:-1])
        self.fail(3, "recover", "short.csv.floe", mentions="in one piece")
        self.fail(2, "recover", "--json", "-c", "x.f32.floe", mentions="standard output")
        self.fail(1, "recover", "missing.floe", mentions="missing.floe")
        self.assertEqual(self.files(), ["no.floe", "short.csv.floe", "x.f32", "x.f32.floe"])


main()
