"""Do tables come back, from CSV text and binary records, whole and in parts?"""

import json
import os
import struct

from program import SANITIZED, ProgramTest, floe, main, read, write

CSV = b"time,voltage,state\n" + b"".join(
    b"2016-02-01 00:00:%02d,%d.%02d,%s\n" % (i % 60, 12 + i % 3, i % 100, b"on" if i % 7 else b"NA") for i in range(500)
)
ROWS = "3000" if SANITIZED else "20000"


class Tables(ProgramTest):
    def test_csv_comes_back(self):
        write("a.csv", CSV)
        result = self.succeed("compress", "a.csv")
        self.assertIn("table of 3 columns, 500 rows, CSV", result.err)
        self.assertLess(len(read("a.csv.floe")), len(CSV) / 4)
        os.rename("a.csv", "b.csv")
        self.succeed("decompress", "-q", "a.csv.floe")
        self.assertEqual(read("a.csv"), CSV)

    def test_pipes(self):
        table = self.succeed("compress", stdin=CSV).out
        self.assertEqual(self.succeed("decompress", stdin=table).out, CSV)
        self.assertEqual(self.succeed("compress", "-T", "1", "-o", "-", stdin=CSV).out, table)

    def test_goals(self):
        self.succeed("series", "generate", "-o", "a.csv", ROWS)
        sizes = {goal: len(self.succeed("compress", "--goal", goal, "-o", "-", "a.csv").out) for goal in ("speed", "balance", "ratio", "max")}
        self.assertEqual(sorted(sizes, key=lambda goal: -sizes[goal]), list(sizes))
        self.fail(2, "compress", "--goal", "taste", "a.csv", mentions="--goal")

    def test_profile_for_gpus(self):
        self.succeed("series", "generate", "-o", "a.csv", ROWS)
        for goal in ("speed", "balance", "ratio", "max"):
            self.succeed("compress", "-q", "--force", "--profile", "gpu", "--goal", goal, "a.csv")
            segment = json.loads(self.succeed("inspect", "--json", "a.csv.floe").out)[0]["segments"][0]
            trees = [tree for column in segment["columns"] for tree in column["trees"]]
            self.assertTrue(trees)
            for tree in trees:
                for without_device_form in ("codec", "unique", "grid", "linear", "affine"):
                    self.assertNotIn(without_device_form, tree)
            self.assertEqual(self.succeed("decompress", "-o", "-", "a.csv.floe").out, read("a.csv"))
        planned = json.loads(self.succeed("plan", "--profile", "gpu", "--json", "a.csv").out)[0]
        self.assertNotIn("linear", json.dumps(planned))
        self.fail(2, "compress", "--profile", "tpu", "a.csv", mentions="--profile")

    def test_bad_lines_are_named_and_kept(self):
        text = CSV + b"1,2\n" + b"x,1,2,3\n"
        write("a.csv", text)
        result = self.succeed("compress", "a.csv")
        self.assertIn("floe: note: a.csv: line 502, column 3: 2 cells do not make a row; kept as it is", result.lines)
        self.assertIn("floe: note: a.csv: line 503, column 4: 4 cells do not make a row; kept as it is", result.lines)
        self.assertEqual(self.succeed("decompress", "-o", "-", "a.csv.floe").out, text)

    def test_parts(self):
        write("a.csv", CSV)
        self.succeed("compress", "-q", "--segment-rows", "100", "a.csv")
        part = self.succeed("decompress", "--columns", "state,2", "--rows", "98:4", "-o", "-", "a.csv.floe").out
        rows = [line.split(b",") for line in CSV.splitlines()[99:103]]
        self.assertEqual(part, b"state,voltage\n" + b"".join(row[2] + b"," + row[1] + b"\n" for row in rows))
        # The separators are those of the text; names stand in quotes where they must.
        write("b.csv", b'"a;b";c;d\r\n1,5;"x;y";\r\n2,25;z;9\r\n')
        self.succeed("compress", "-q", "b.csv")
        part = self.succeed("decompress", "--columns", "c,1,3", "-o", "-", "b.csv.floe").out
        self.assertEqual(part, b'c;"a;b";d\n"x;y";1,5;\nz;2,25;9\n')
        self.fail(2, "decompress", "--columns", "none", "-o", "p.csv", "a.csv.floe", mentions="no column none")
        self.fail(1, "decompress", "--rows", "499:2", "-o", "p.csv", "a.csv.floe", mentions="500 rows")
        self.fail(2, "decompress", "--rows", "1:2", "a.csv.floe", mentions="need -o")

    def test_inspect_and_plan(self):
        write("a.csv", CSV)
        self.succeed("compress", "-q", "a.csv")
        report = self.succeed("inspect", "a.csv.floe").out.decode()
        for text in ("500 rows of 3 columns", "voltage", "decimals, 2 digits", "times", "words"):
            self.assertIn(text, report)
        (facts,) = json.loads(self.succeed("inspect", "--json", "a.csv.floe").out)
        self.assertEqual(facts["rows"], 500)
        self.assertEqual([column["type"] for column in facts["columns"]], ["time", "f64", "text"])
        self.assertEqual(facts["segments"][0]["columns"][1]["range"], [12, 14.99])
        before = self.files()
        (plan,) = json.loads(self.succeed("plan", "--json", "a.csv").out)
        for planned, stored in zip(plan["segments"], facts["segments"], strict=True):
            self.assertEqual(planned["stored_bytes"], stored["stored_bytes"])
            for planned_column, column in zip(planned["columns"], stored["columns"], strict=True):
                self.assertEqual({key: planned_column[key] for key in column}, column)
        self.assertEqual(self.files(), before)

    def test_true_ratio(self):
        noise = os.urandom(400000)
        write("r.inf", b"a,u64,0\n")
        write("r.bin", noise)
        result = self.succeed("compress", "--as", "records", "--schema", "r.inf", "r.bin")
        stored = len(read("r.bin.floe"))
        self.assertLessEqual(stored, 1.001 * len(noise) + 256)  # header, head and footer
        self.assertIn(f"ratio {len(noise) / stored:.2f}", result.err)
        write("a.csv", b"a\n" + b"1\n" * 300000)
        result = self.succeed("compress", "a.csv")
        self.assertIn(f"ratio {600002 / len(read('a.csv.floe')):.2f}", result.err)

    def test_failures_leave_nothing(self):
        write("a.csv", CSV)
        self.succeed("compress", "-q", "a.csv")
        table = read("a.csv.floe")
        self.fail(1, "compress", "a.csv", mentions="exists already")
        write("cut.floe", table[:-1])
        self.fail(3, "decompress", "cut.floe", mentions=f"cut at byte {len(table) - 1}")
        write("changed.floe", table[:100] + bytes([table[100] ^ 1]) + table[101:])
        self.fail(3, "decompress", "changed.floe", mentions="corrupt")
        self.fail(3, "decompress", "-o", "x", "a.csv", mentions="text, not a floe frame")
        self.fail(3, "decompress", "a.csv", mentions="text, not a floe frame")
        self.fail(1, "decompress", "--memory", "1K", "-o", "x", "a.csv.floe", mentions="memory_limit_bytes")
        write("bad.inf", b"a,int,0\nb,integer,0\n")
        self.fail(1, "compress", "--schema", "bad.inf", "-o", "x", "a.csv", mentions="line 2")
        write("two.inf", b"a,int,0\nb,int,0\n")
        self.fail(1, "compress", "--schema", "two.inf", "-o", "x", "a.csv", mentions="as many cells")
        self.fail(1, "decompress", "--schema", "two.inf", "-o", "x", "a.csv.floe", mentions="3 columns")

    def test_same_bytes_everywhere(self):
        self.succeed("series", "generate", "-o", "a.csv", ROWS)
        write("r.inf", b"t,time,0\nv,float,2\nw,double,4\nk,char,0\n")
        write("r.bin", b"".join(struct.pack("<qfdbx", 1000 + i // 3, i % 97 / 4, i * i / 64, i % 5) for i in range(9000)))
        text, records = ["a.csv"], ["--as", "records", "--schema", "r.inf", "--padding", "1", "r.bin"]
        for options in (
            ["--segment-rows", "2000", *text],
            ["--goal", "ratio", *text],
            ["--goal", "speed", "--segment-rows", "1500", *text],
            ["--values", "--tree", "TIME=delta,entropy", "--tree", "rle,bitpack,bitpack", *text],
            ["--segment-rows", "2500", *records],
            ["--goal", "ratio", *records],
        ):
            runs = [(isa, "1") for isa in ("generic", "avx2", "avx512")] + [(None, threads) for threads in ("2", "64")]
            if SANITIZED:
                runs = [runs[0], runs[-1]]
            tables = {self.succeed("compress", "-T", threads, "-o", "-", *options, isa=isa).out for isa, threads in runs}
            self.assertEqual(len(tables), 1, options)
            original = None if "--values" in options else read(options[-1])
            restored = {self.succeed("decompress", "-T", threads, stdin=next(iter(tables)), isa=isa).out for isa, threads in runs}
            self.assertEqual(len(restored), 1, options)
            self.assertIn(original, (None, *restored), options)

    def test_records_of_text(self):
        write("a.inf", b"when,time,0\nn,short,0\nx,f32,2\ny,f64,2\nyes,bool,0\n")
        rows = [b"2016-02-01 00:00:01,-5,1.5,0.1,true\n", b"\"2016-02-01 00:00:02\",12.0,NA,1e300,0\n", b"1454284803,7,,-0,false\n"]
        write("a.csv", b"when,n,x,y,yes\n" + rows[0] + b"no row\n" + rows[1] + rows[2])
        self.succeed("compress", "--schema", "a.inf", "--segment-rows", "2", "a.csv")
        self.succeed("decompress", "--as", "records", "-o", "a.bin", "a.csv.floe")
        got = list(struct.iter_unpack("<qhfd?", read("a.bin")))
        self.assertEqual([row[:2] + row[3:] for row in got], [(1454284801, -5, 0.1, True), (1454284802, 12, 1e300, False), (1454284803, 7, 0.0, False)])
        self.assertEqual([str(row[2]) for row in got], ["1.5", "nan", "nan"])
        self.assertEqual(read("a.bin"), self.succeed("decompress", "--as", "records", "-T", "1", "-o", "-", "a.csv.floe").out)
        self.fail(1, "decompress", "--as", "records", "-o", "-", stdin=read("a.csv.floe"), mentions="only from a file on disk")
        self.fail(2, "decompress", "--as", "records", "--columns", "n", "-o", "-", "a.csv.floe", mentions="give text")
        # What has no value of the type says where; nothing is left behind.
        write("b.csv", b"when,n,x,y,yes\n" + rows[0] * 5000 + b"1,70000,1,1,1\n" + rows[0])
        self.succeed("compress", "--schema", "a.inf", "b.csv")
        self.fail(1, "decompress", "--as", "records", "-o", "b.bin", "b.csv.floe", mentions='row 5000 of column n is "70000", no value of type i16')
        write("c.csv", b"a,b\n1,x\n2,y\n3,x\n")
        self.succeed("compress", "c.csv")
        self.fail(1, "decompress", "--as", "records", "-o", "c.bin", "c.csv.floe", mentions="column b holds texts")
        self.assertEqual([name for name in self.files() if name.endswith(".bin")], ["a.bin"])
        write("empty.csv", b"")
        self.succeed("compress", "--schema", "a.inf", "empty.csv")
        self.assertEqual(self.succeed("decompress", "--as", "records", "-o", "-", "empty.csv.floe").out, b"")

    def test_what_a_file_is_taken_for(self):
        write("a.csv", CSV)
        write("b.tsv", CSV.replace(b",", b"\t"))
        write("c.txt", CSV.replace(b",", b";"))
        write("few.csv", b"name,word\na,b\n")  # by its name alone
        write("r.inf", b"n,int,0\nx,double,2\n")
        write("r.bin", b"".join(struct.pack("<id", i, i / 4) for i in range(500)))
        for name in ("a.csv", "b.tsv", "c.txt"):
            self.assertRegex(self.succeed("-f", name).err, rf"^{name} : .*, table of 3 columns, 500 rows, CSV\)\n$")
        self.assertIn("table of 2 columns, 1 row, CSV", self.succeed("few.csv").err)
        self.assertIn("table of 2 columns, 500 rows, records", self.succeed("--schema", "r.inf", "r.bin").err)
        self.assertIn("bytes)", self.succeed("-f", "--as", "bytes", "a.csv").err)
        self.assertIn("i32 1500)", self.succeed("-f", "--dtype", "i32", "r.bin").err)
        write("list.csv", b",".join(b"%d.5" % (i % 97) for i in range(900)) + b"\n")
        self.assertIn("table of 1 column, 0 rows, CSV", self.succeed("list.csv").err)
        write("long.csv", b",".join(b"%d.5" % (i % 97) for i in range(90000)) + b"\n")
        self.assertIn("bytes)", self.succeed("long.csv").err)
        write("prose.txt", b"This is a text, not a table.\nIt has commas, some, here\nand there.\n" * 9)
        self.assertIn("bytes)", self.succeed("prose.txt").err)

    def test_options_of_arrays(self):
        """What belongs to files and to work is the same for tables."""
        write("a.csv", CSV)
        write("r.inf", b"n,int,0\nx,double,2\n")
        write("r.bin", b"".join(struct.pack("<id", i, i / 4) for i in range(500)))
        for name, options in (("a.csv", []), ("r.bin", ["--schema", "r.inf"])):
            original = read(name)
            self.succeed("-q", "--verify", "--rm", "--fsync", "-T", "2", "--device", "auto", "--goal", "ratio", *options, name)
            self.assertEqual(self.files(), sorted({"a.csv", "r.bin", "r.inf", f"{name}.floe"} - {name}))
            self.succeed("-t", "--memory", "64M", "--device", "auto", f"{name}.floe")
            self.fail(1, "-t", "--memory", "1K", f"{name}.floe", mentions="memory_limit_bytes")
            (listed,) = json.loads(self.succeed("-l", "--json", f"{name}.floe").out)
            self.assertEqual((listed["content"], listed["rows"]), ("table", 500))
            self.succeed("-d", "-q", "--rm", "--fsync", "--memory", "64M", "--device", "auto", f"{name}.floe")
            self.assertEqual((read(name), self.files()), (original, ["a.csv", "r.bin", "r.inf"]))
        self.succeed("-q", "a.csv")
        self.fail(2, "-d", "-c", "--slice", "0:1", "a.csv.floe", mentions="is a table")
        self.assertEqual(self.succeed("-d", "-c", "--rows", "0:1", "--columns", "3", "a.csv.floe").out, b"state\nNA\n")
        for option in (["--dtype", "f32"], ["--shape", "3"]):
            self.fail(2, "--as", "csv", *option, "a.csv", mentions="for arrays")
        self.fail(2, "--segment", "1M", "a.csv", mentions="--segment-rows is for tables")


if __name__ == "__main__":
    main()
