"""Do list, inspect, test, codecs, bench and the messages say what is true, to people and to programs?"""
import json
import os
import re
import struct
import subprocess

from program import PROGRAM, WORD_BYTES, ProgramTest, array_bytes, floe, main, npy_bytes, random_bytes, write


COMMANDS = [(name,) for name in ("compress", "decompress", "test", "list", "inspect", "plan", "codecs", "bench", "doctor", "hdf5", "series")] + [
    ("series", name) for name in ("compress", "decompress", "inspect", "plan", "generate", "calibrate")
]


class Messages(ProgramTest):
    def setUp(self):
        super().setUp()
        write("x.f32", array_bytes("f32", 50000))

    def test_summary_of_compression(self):
        result = self.succeed("x.f32")
        self.assertRegex(result.err, r"^x\.f32 : \d+\.\d % \(200\.0 kB -> \d+\.\d kB, ratio \d+\.\d\d, f32 50000\)\n$")
        stored = os.path.getsize("x.f32.floe")
        self.assertIn(f"{stored / 2000:.1f} %", result.err)
        self.assertIn(f"ratio {200000 / stored:.2f}", result.err)
        self.assertEqual(result.out, b"")
        self.assertRegex(self.succeed("-df", "x.f32.floe").err, r"^x\.f32\.floe : \d+\.\d kB -> 200\.0 kB \(f32 50000\)\n$")

    def test_silence(self):
        self.assertEqual(self.succeed("-q", "x.f32").err, "")
        self.assertEqual(self.succeed("-c", "x.f32").err, "")
        self.assertNotEqual(self.succeed("-cv", "x.f32").err, "")
        for arguments in (["-dqf", "x.f32.floe"], ["-dc", "x.f32.floe"], ["-tq", "x.f32.floe"]):
            self.assertEqual(self.succeed(*arguments).err, "", arguments)

    def test_empty_source(self):
        write("empty", b"")
        self.assertRegex(self.succeed("empty").err, r"^empty : 0 B -> \d+ B \(bytes\)\n$")

    def test_version_and_help(self):
        version = self.succeed("--version").out.decode()
        self.assertRegex(version, r"^floe \d+\.\d+\.\d+\n$")
        self.assertEqual(self.succeed("-V").out.decode(), version)
        text = self.succeed("--help").out.decode()
        self.assertEqual(self.succeed("-h").out.decode(), text)
        for word in ("Usage: floe", "Examples:", "--slice", "--verify", "--dtype", "--schema", "--tree", "Exit codes", "floe series"):
            self.assertIn(word, text)
        texts = [text] + [self.succeed(*command, "--help").out.decode() for command in COMMANDS]
        for line in "\n".join(texts).splitlines():
            self.assertLessEqual(len(line), 125)
        for said in texts:  # placeholders of options are explained
            for name, explained in (("SIZE", "SIZE is a number of bytes"), ("TREE", "A TREE is encodings")):
                if re.search(rf"^  -\S* \S*{name}\b", said, re.MULTILINE):
                    self.assertIn(explained, said)
        for command in ("compress", "decompress", "test", "list", "inspect", "plan", "codecs", "bench", "doctor", "hdf5"):
            self.assertIn(f"Usage: floe {command}", self.succeed(command, "--help").out.decode())
            self.assertIn(f"\n  {command} ", text)
        trees = re.findall(r"--tree (?:[a-z]+=)?([a-z]\S*,\S+)", "\n".join(texts))
        self.assertGreaterEqual(len(trees), 3)
        for tree in trees:
            self.succeed("hdf5", "--tree", tree)  # examples are trees


class Tested(ProgramTest):
    def test_for_people(self):
        write("x_f32_2x3.bin", array_bytes("f32", 6))
        self.succeed("-q", "x_f32_2x3.bin")
        result = self.succeed("-t", "x_f32_2x3.bin.floe")
        self.assertRegex(result.err, r"^x_f32_2x3\.bin\.floe : ok \(f32 2x3, 24 B\)\n$")
        self.succeed("test", stdin=self.succeed("-c", "x_f32_2x3.bin").out)
        self.assertEqual(self.files(), ["x_f32_2x3.bin", "x_f32_2x3.bin.floe"])

    def test_for_programs(self):
        write("good", b"1234")
        self.succeed("-q", "good")
        write("bad.floe", b"no frame at all, but long enough for the header of a frame")
        result = floe("-t", "--json", "good.floe", "bad.floe", "missing.floe")
        self.assertEqual(result.code, 3)
        self.assertEqual(len(result.lines), 2)
        good, bad, missing = json.loads(result.out)
        self.assertEqual(good, {"file": "good.floe", "ok": True, "exit_code": 0, "error": None})
        self.assertEqual((bad["file"], bad["ok"], bad["exit_code"]), ("bad.floe", False, 3))
        self.assertEqual(bad["error"], "text, not a floe frame")
        self.assertEqual((missing["ok"], missing["exit_code"], missing["error"]), (False, 1, "No such file or directory"))

    def test_names_in_json(self):
        """Any name makes valid JSON; bytes that are no UTF-8 are replaced."""
        names = {b'a"b\\c': 'a"b\\c', b"a\nb\tc\x01": "a\nb\tc\x01", "ünï €🙂".encode(): "ünï €🙂", b"\xff\xc0\xafa": "\ufffd\ufffd\ufffda",
                 b"\xed\xa0\x80": "\ufffd" * 3, b"\xe2\x82": "\ufffd" * 2}  # fmt: skip
        for name, shown in names.items():
            with self.subTest(name):
                (result,) = json.loads(floe("test", "--json", name).out.decode())
                self.assertEqual(result["file"], shown)


class Inspected(ProgramTest):
    def test_for_programs(self):
        data = array_bytes("f64", 3000) + random_bytes(24000)
        header_bytes = len(npy_bytes("'<f8'", (2, 3000), b""))
        write("x.npy", npy_bytes("'<f8'", (2, 3000), data))
        self.succeed("-q", "--codec", "dpspeed", "--segment", "16K", "x.npy")
        (facts,) = json.loads(self.succeed("inspect", "--json", "x.npy.floe").out)
        expected = {
            "file": "x.npy.floe", "content": "array", "format_version": 1, "dtype": "f64", "shape": [2, 3000], "element_count": 6000, "array_bytes": 48000,
            "prefix_bytes": header_bytes, "stored_bytes": os.path.getsize("x.npy.floe"), "max_segment_length": 2048, "segment_count": 3, "checksums": True,
            "chunk_count": 3, "chunks_raw": 1, "chunks_coded": 2,
        }  # fmt: skip
        self.assertEqual({key: facts[key] for key in expected}, expected)
        self.assertRegex(facts["digest"], r"^[0-9a-f]{16}$")
        self.assertAlmostEqual(facts["ratio"], (48000 + header_bytes) / facts["stored_bytes"])
        self.assertLess(facts["payload_bytes"], facts["stored_bytes"])
        segments = facts["segments"]
        self.assertEqual([(segment["first"], segment["count"]) for segment in segments], [(0, 2048), (2048, 2048), (4096, 1904)])
        self.assertEqual([segment["columns"][0]["trees"] for segment in segments], [["dpspeed"]] * 3)
        self.assertEqual(sum(segment["chunks"]["raw"] for segment in segments), 1)
        self.assertEqual(segments[1]["offset"], segments[0]["offset"] + segments[0]["stored_bytes"])
        (listed,) = json.loads(self.succeed("-l", "--json", "x.npy.floe").out)
        self.assertEqual(listed, {key: facts[key] for key in listed})
        self.succeed("-qf", "--no-checksum", "x.npy")
        (facts,) = json.loads(self.succeed("inspect", "--json", "x.npy.floe").out)
        self.assertEqual((facts["checksums"], facts["digest"]), (False, None))

    def test_bounds_and_trees_of_arrays(self):
        write("x.i32", struct.pack("<5000i", *(7 * (i % 1000) - 100 for i in range(5000))))
        self.succeed("-q", "--tree", "int_mult,bitpack", "x.i32")
        (facts,) = json.loads(self.succeed("inspect", "--json", "x.i32.floe").out)
        (column,) = facts["segments"][0]["columns"]
        self.assertEqual((column["trees"], column["range"], column["exceptions"]), (["int_mult,bitpack"], [-100, 6893], 0))
        text = self.succeed("inspect", "x.i32.floe").out.decode()
        for words in ("i32 5000: 5000 elements", "int_mult,bitpack", "-100 to 6893", "bits/element", "segment 0: elements 0 to 5000"):
            self.assertIn(words, text)

    def test_tables(self):
        write("a.csv", b"n,x,word\n" + b"".join(b"%d,%d.25,w%d\n" % (i, i % 7, i % 3) for i in range(250)))
        self.succeed("-q", "--segment-rows", "100", "a.csv")
        (facts,) = json.loads(self.succeed("inspect", "--json", "a.csv.floe").out)
        expected = {"content": "table", "source": "CSV", "rows": 250, "padding_bytes": 0, "ratio": None, "max_segment_length": 100, "segment_count": 3}
        self.assertEqual({key: facts[key] for key in expected}, expected)
        self.assertEqual([(column["name"], column["type"]) for column in facts["columns"]], [("n", "i64"), ("x", "f64"), ("word", "text")])
        last = facts["segments"][2]
        self.assertEqual((last["first"], last["count"], last["columns"][0]["range"]), (200, 50, [200, 249]))
        (listed,) = json.loads(self.succeed("list", "--json", "a.csv.floe").out)
        self.assertEqual(listed, {key: facts[key] for key in listed})
        text = self.succeed("inspect", "a.csv.floe").out.decode()
        for words in ("250 rows of 3 columns, from CSV", "decimals, 2 digits", "0 to 99", "(2 more segments; -v prints them)"):
            self.assertIn(words, text)
        self.assertEqual(self.succeed("inspect", "-v", "a.csv.floe").out.decode().count("segment "), 3)
        self.assertRegex(self.succeed("-t", "a.csv.floe").err, r"^a\.csv\.floe : ok \(table of 3 columns, 250 rows, CSV, 2\.\d kB\)\n$")

    def test_for_people(self):
        write("x_f32_5x70.bin", array_bytes("f32", 350))
        self.succeed("-q", "--codec", "gfc", "--dim", "5", "x_f32_5x70.bin")
        text = self.succeed("inspect", "x_f32_5x70.bin.floe").out.decode()
        for words in ("x_f32_5x70.bin.floe", "f32 5x70", "350 elements", "gfc(5)", "of all streams", "version 1", "1: 1 coded, 0 raw"):
            self.assertIn(words, text)
        write("y", b"")
        write("z.csv", b"a,b\n1,2\n3,4\n")
        self.succeed("-q", "y", "z.csv")
        lines = self.succeed("-l", "x_f32_5x70.bin.floe", "y.floe", "z.csv.floe").out.decode().splitlines()
        self.assertEqual(lines[0].split(), ["Stored", "Original", "Ratio", "Content", "File"])
        self.assertEqual(lines[1].split()[-3:], ["f32", "5x70", "x_f32_5x70.bin.floe"])
        self.assertEqual(lines[2].split()[-2:], ["bytes", "y.floe"])
        self.assertIn("table of 2 columns, 2 rows, CSV", lines[3])
        self.assertEqual(len(lines), 4)

    def test_standard_input_from_a_file(self):
        write("x", b"1234")
        self.succeed("-q", "x")
        with open("x.floe", "rb") as frame:
            done = subprocess.run([PROGRAM, "inspect", "--json"], stdin=frame, stdout=subprocess.PIPE, check=True)
        self.assertEqual(json.loads(done.stdout)[0]["array_bytes"], 4)
        self.fail(1, "-l", stdin=b"FLOE", mentions="file on disk")


class Codecs(ProgramTest):
    def test_codecs(self):
        codecs = json.loads(self.succeed("codecs", "--json").out)
        names = {codec["name"] for codec in codecs}
        self.assertLessEqual({"gfc", "spspeed", "spratio", "dpspeed", "dpratio"}, names)
        for codec in codecs:
            self.assertEqual(set(codec), {"name", "id", "word_bits", "dtypes", "summary"})
            self.assertTrue(codec["dtypes"])
            for dtype in codec["dtypes"]:
                self.assertEqual(8 * WORD_BYTES[dtype], codec["word_bits"])
        self.assertEqual(len({codec["id"] for codec in codecs}), len(codecs))
        text = self.succeed("codecs").out.decode()
        self.assertEqual(len(text.splitlines()), len(codecs) + 1)
        for name in names:
            self.assertIn(name, text)


class Doctor(ProgramTest):
    NAMES = ["floe", "GPU", "HDF5", "Python", "MPI"]

    def findings(self, **environment):
        done = subprocess.run([PROGRAM, "doctor", "--json"], env={**os.environ, **environment}, capture_output=True)
        findings = json.loads(done.stdout)
        self.assertEqual([finding["name"] for finding in findings], self.NAMES)
        self.assertEqual(done.returncode, int(any(finding["state"] == "broken" for finding in findings)))
        return {finding["name"]: finding for finding in findings}

    def test_says_what_works(self):
        found = self.findings(FLOE_ISA="generic", HDF5_PLUGIN_PATH=os.getcwd())
        self.assertEqual(found["floe"]["state"], "ok")
        self.assertRegex(found["floe"]["text"], r"^version \d+\.\d+\.\d+, .*forced by FLOE_ISA=generic, \d+ threads$")
        self.assertEqual(found["HDF5"]["state"], "absent")
        self.assertIn("export HDF5_PLUGIN_PATH=", found["HDF5"]["text"])

    def test_says_what_is_broken(self):
        write("libh5floe.so", b"no library")
        found = self.findings(HDF5_PLUGIN_PATH=f"/nowhere:{os.getcwd()}")
        self.assertEqual((found["HDF5"]["state"], found["floe"]["state"]), ("broken", "ok"))
        self.assertIn("libh5floe.so cannot be loaded", found["HDF5"]["text"])
        self.assertEqual(self.findings(HDF5_PLUGIN_PRELOAD="::")["HDF5"]["state"], "broken")

    def test_finds_python(self):
        write("python3", b"#!/bin/sh\nexit 1\n")
        os.chmod("python3", 0o755)
        found = self.findings(PATH=os.getcwd())
        self.assertEqual(found["Python"]["state"], "absent")
        self.assertIn("pip install", found["Python"]["text"])
        write("python3", b"#!/bin/sh\necho 9.9.9 /there/floe/__init__.py\n")
        found = self.findings(PATH=f"{os.getcwd()}:/bin:/usr/bin")
        self.assertIn("python3 has floe 9.9.9", found["Python"]["text"])

    def test_for_people(self):
        lines = self.succeed("doctor").out.decode().splitlines()
        self.assertEqual([line.split()[0] for line in lines], self.NAMES)
        self.fail(2, "doctor", "x", mentions="takes no files")


class Hdf5(ProgramTest):
    def test_parameters(self):
        self.assertEqual(self.succeed("hdf5", "--parameters").out, b"-f UD=493,0,1,1\n-F *,493,1\n")
        self.assertEqual(self.succeed("hdf5", "--parameters", "--goal", "ratio").out, b"-f UD=493,0,1,2\n-F *,493,2\n")
        codec = next(codec for codec in json.loads(self.succeed("codecs", "--json").out) if codec["name"] == "spspeed")
        self.assertIn(f"UD=493,0,2,1,{codec['id']}\n".encode(), self.succeed("hdf5", "--parameters", "--codec", "spspeed").out)
        first, second = struct.unpack("<2I", b"delta,ra")
        rest = int.from_bytes(b"w", "little")
        self.assertIn(f"UD=493,0,5,1,0,{first},{second},{rest}\n".encode(), self.succeed("hdf5", "--parameters", "--tree", "delta,raw").out)

    def test_for_people(self):
        lines = self.succeed("hdf5", "--best").out.decode().splitlines()
        self.assertEqual(lines, ["h5repack -f UD=493,0,1,3 in.h5 out.h5", "nccopy -F '*,493,3' in.nc out.nc"])
        self.fail(2, "hdf5", "x", mentions="takes no files")
        self.fail(2, "hdf5", "--tree", "a=delta,raw", mentions="no columns")
        self.fail(2, "hdf5", "--tree", "delta,raw", "--codec", "spspeed", mentions="--tree")


class Bench(ProgramTest):
    keys = "file dtype codec isa threads input_bytes stored_bytes compress_gbps decompress_gbps memcpy_gbps".split()

    def bench(self, *arguments):
        return json.loads(self.succeed("bench", "--json", *arguments).out)

    def test_for_programs(self):
        write("x_f32_50x60.bin", array_bytes("f32", 3000))
        write("y.npy", npy_bytes("'<f8'", (1000,), array_bytes("f64", 1000)))
        rows = self.bench("--runs", "2", "x_f32_50x60.bin", "y.npy")
        by_file = {}
        for row in rows:
            self.assertLessEqual(set(self.keys), set(row))
            self.assertEqual((row["threads"], row["runs"]), (1, 2))
            for what in ("compress", "decompress", "memcpy", "stream_copy", "read"):
                self.assertGreater(row[what + "_gbps"], 0)
                self.assertLessEqual(row[what + "_gbps_min"], row[what + "_gbps"])
                self.assertLessEqual(row[what + "_gbps"], row[what + "_gbps_max"])
            by_file.setdefault(row["file"], set()).add(row["codec"])
        self.assertLessEqual({"gfc", "spspeed", "spratio"}, by_file["x_f32_50x60.bin"])
        self.assertLessEqual({"gfc", "dpspeed", "dpratio"}, by_file["y.npy"])
        self.assertEqual({row["input_bytes"] for row in rows}, {12000, 8000})
        stored = {row["codec"]: row["stored_bytes"] for row in rows if row["file"] == "x_f32_50x60.bin"}
        self.assertEqual(stored["spratio"], len(self.succeed("-c", "--codec", "spratio", "x_f32_50x60.bin").out))

    def test_choices(self):
        write("x.f32", array_bytes("f32", 3000))
        rows = self.bench("--runs", "1", "--codec", "spratio,gfc,dpratio", "--threads", "2", "x.f32")
        self.assertEqual(sorted(row["codec"] for row in rows), ["gfc", "spratio"])
        self.assertEqual({row["threads"] for row in rows}, {2})
        (row,) = self.bench("--runs", "1", "--codec", "spspeed", "--size-limit", "1K", "x.f32")
        self.assertEqual(row["input_bytes"], 1024)
        (row,) = self.bench("--seconds", "0.001", "--codec", "dpspeed", "--dtype", "f64", "x.f32")
        self.assertEqual((row["dtype"], row["runs"] >= 3), ("f64", True))
        rows = self.bench("--runs", "1", "--codec", "spspeed", "--threads", "1,2", "--size", "33000,64K", "--callers", "2", "x.f32")
        self.assertEqual([(row["threads"], row["input_bytes"], row["callers"]) for row in rows], [(1, 33000, 2), (1, 65536, 2), (2, 33000, 2), (2, 65536, 2)])
        nothing = self.succeed("bench", "--codec", "dpspeed", "x.f32")
        self.assertIn("none of what was chosen takes f32", nothing.err)

    def test_goals_and_trees(self):
        write("x.f64", array_bytes("f64", 3000))
        trees = ("sortable,bitpack", "raw", "delta,bitpack")  # the last one is for integers
        options = ["--runs", "1", "--goal", "speed,max", *(word for tree in trees for word in ("--tree", tree))]
        rows = self.bench(*options, "x.f64")
        self.assertEqual([row["codec"] for row in rows], ["dpspeed", "dpratio", "gfc", "speed", "max", "sortable,bitpack", "raw"])
        stored = {row["codec"]: row["stored_bytes"] for row in rows}
        for name, option in (("max", ["--goal", "max"]), ("raw", ["--tree", "raw"]), ("dpratio", ["--codec", "dpratio"])):
            self.assertEqual(stored[name], len(self.succeed("-c", *option, "x.f64").out))
        rows = self.bench(*options, "--codec", "none", "x.f64")
        self.assertEqual([row["codec"] for row in rows], ["speed", "max", "sortable,bitpack", "raw"])

    def test_tables(self):
        text = b"n,x\n" + b"".join(b"%d,%d.5\n" % (i, i % 7) for i in range(2000))
        write("a.csv", text)
        rows = self.bench("--runs", "1", "a.csv")
        self.assertEqual([(row["codec"], row["dtype"], row["input_bytes"]) for row in rows], [(goal, "table", len(text)) for goal in ("speed", "balance", "ratio", "max")])
        self.assertEqual(rows[1]["stored_bytes"], len(self.succeed("-c", "a.csv").out))
        (row,) = self.bench("--runs", "1", "--goal", "speed", "--size", "100K", "--threads", "2", "a.csv")
        self.assertEqual((row["input_bytes"], row["threads"]), (102400, 2))
        (row,) = self.bench("--runs", "1", "--tree", "bitpack", "--size-limit", "10K", "a.csv")
        self.assertEqual((row["input_bytes"], row["codec"]), (10240, "bitpack"))
        self.assertIn("a.csv: table, CSV, ", self.succeed("bench", "--runs", "1", "a.csv").out.decode())
        self.assertEqual(self.bench("--runs", "1", "--as", "bytes", "--codec", "speed8", "a.csv")[0]["dtype"], "u8")
        write("r.inf", b"a,int,0\nb,double,0\n")
        write("r.bin", b"".join(struct.pack("<id", i, i / 4) for i in range(900)))
        rows = self.bench("--runs", "1", "--schema", "r.inf", "--goal", "balance", "--size", "1201,99999", "r.bin")
        self.assertEqual([row["input_bytes"] for row in rows], [1200, 99996])

    def test_for_people(self):
        write("x.f64", array_bytes("f64", 3000))
        text = self.succeed("bench", "--runs", "1", "x.f64").out.decode()
        self.assertIn("x.f64: f64 3000, 24.0 kB, 1 thread", text)
        names = [line.split()[0] for line in text.splitlines()[2:]]
        self.assertEqual(names[-1], "memcpy")
        self.assertLessEqual({"dpspeed", "dpratio", "gfc"}, set(names))
        self.assertTrue(re.search(r"dpspeed +\d+\.\d+ +\d+\.\d{2,4} \(\d+\.\d{2,4}-\d+\.\d{2,4}\)", text), text)
        slow = self.succeed("bench", "--runs", "1", "--codec", "none", "--goal", "max", "x.f64").out.decode()
        speeds = re.findall(r"(\d+\.\d+)[ )-]", slow.split("max", 1)[1].split("\n")[0])
        self.assertTrue(all(speed[:3] != "0.0" or len(speed) == 6 for speed in speeds), slow)

    def test_refusals(self):
        write("empty.f32", b"")
        self.fail(1, "bench", "empty.f32", mentions=["empty.f32", "no elements"])
        self.fail(1, "bench", "missing", mentions="missing")
        for arguments in (["--threads", "1,x"], ["--threads", "257"], ["--size", "1K,,2K"], ["--size", "0"], ["--callers", "0"]):
            self.fail(2, "bench", *arguments, "missing", mentions=arguments[0])


if __name__ == "__main__":
    main()
