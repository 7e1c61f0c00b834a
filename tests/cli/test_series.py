"""floe series: tables of time series, from CSV text or binary records to .fts files and back."""

import json
import os
import pathlib
import struct

from program import ProgramTest, main, read, write

CSV = b"time,voltage,state\n" + b"".join(
    b"2016-02-01 00:00:%02d,%d.%02d,%s\n" % (i % 60, 12 + i % 3, i % 100, b"on" if i % 7 else b"NA") for i in range(500)
)

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "tables"


class Series(ProgramTest):
    def test_golden_tables(self):
        for table, original in (("text.fts", "text.csv"), ("records.fts", "records.bin")):
            with self.subTest(table):
                restored = self.succeed("series", "decompress", "-o", "-", str(GOLDEN / table)).out
                self.assertEqual(restored, read(GOLDEN / original))

    def test_csv_comes_back(self):
        write("a.csv", CSV)
        result = self.succeed("series", "compress", "a.csv")
        self.assertIn("500 rows of 3 columns", result.err)
        self.assertLess(len(read("a.csv.fts")), len(CSV) / 4)
        os.rename("a.csv", "b.csv")
        self.succeed("series", "decompress", "-q", "a.csv.fts")
        self.assertEqual(read("a.csv"), CSV)

    def test_pipes(self):
        table = self.succeed("series", "compress", stdin=CSV).out
        self.assertEqual(self.succeed("series", "decompress", stdin=table).out, CSV)
        self.assertEqual(self.succeed("series", "compress", "-T", "1", "-o", "-", stdin=CSV).out, table)

    def test_goals(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        sizes = {goal: len(self.succeed("series", "compress", "--goal", goal, "-o", "-", "a.csv").out) for goal in ("speed", "balance", "ratio")}
        self.assertLessEqual(sizes["ratio"], sizes["speed"])
        self.fail(2, "series", "compress", "--goal", "taste", "a.csv", mentions="--goal")

    def test_options_of_the_thesis(self):
        self.succeed("series", "-g", "1000")
        text = read("sample_data/generated.csv")
        self.assertEqual(text.count(b"\n"), 1001)
        self.assertEqual(read("sample_data/generated.inf").splitlines()[0], b"TIME,time,0")
        self.succeed("series", "-c", "-f", "csv", "-h", "sample_data/generated.inf", "-i", "sample_data/generated.csv", "-o", "g.fts")
        self.succeed("series", "-d", "-h", "sample_data/generated.inf", "g.fts", "g.csv")
        self.assertEqual(read("g.csv"), text)
        self.succeed("series", "--compress", "--header-file", "sample_data/generated.inf", "--input-file", "g.csv", "--output-file", "h.fts")
        self.assertEqual(read("h.fts"), read("g.fts"))

    def test_binary_records_with_padding(self):
        write("r.inf", b"t,time,0\nv,float,2\nk,char,0\n")
        records = b"".join(struct.pack("<qfb", 1000 + i, i / 4, i % 5) + b"\0\0\0" for i in range(1000)) + b"rest"
        write("r.bin", records)
        self.succeed("series", "-c", "-h", "r.inf", "-p", "3", "r.bin", "r.fts")
        self.succeed("series", "-d", "r.fts", "again.bin")
        self.assertEqual(read("again.bin"), records)
        self.fail(2, "series", "compress", "-f", "bin", "r.bin", mentions="header file")
        # Floating-point numbers are printed with the digits that the header file says.
        part = self.succeed("series", "decompress", "--rows", "3:2", "-o", "-", "r.fts").out
        self.assertEqual(part, b"t,v,k\n1970-01-01 00:16:43,0.75,3\n1970-01-01 00:16:44,1.00,4\n")

    def test_bad_lines_are_named_and_kept(self):
        text = CSV + b"1,2\n" + b"x,1,2,3\n"
        write("a.csv", text)
        result = self.succeed("series", "compress", "a.csv")
        self.assertIn("floe: note: a.csv: line 502, column 3: 2 cells do not make a row; kept as it is", result.lines)
        self.assertIn("floe: note: a.csv: line 503, column 4: 4 cells do not make a row; kept as it is", result.lines)
        self.assertEqual(self.succeed("series", "decompress", "-o", "-", "a.csv.fts").out, text)

    def test_parts(self):
        write("a.csv", CSV)
        self.succeed("series", "compress", "-q", "--segment-rows", "100", "a.csv")
        part = self.succeed("series", "decompress", "--columns", "state,2", "--rows", "98:4", "-o", "-", "a.csv.fts").out
        rows = [line.split(b",") for line in CSV.splitlines()[99:103]]
        self.assertEqual(part, b"state,voltage\n" + b"".join(row[2] + b"," + row[1] + b"\n" for row in rows))
        self.fail(2, "series", "decompress", "--columns", "none", "-o", "p.csv", "a.csv.fts", mentions="no column none")
        self.fail(2, "series", "decompress", "--rows", "499:2", "-o", "p.csv", "a.csv.fts", mentions="500 rows")
        self.fail(2, "series", "decompress", "--rows", "1:2", "a.csv.fts", mentions="need -o")

    def test_inspect_and_plan(self):
        write("a.csv", CSV)
        self.succeed("series", "compress", "-q", "a.csv")
        report = self.succeed("series", "inspect", "a.csv.fts").out.decode()
        for text in ("500 rows of 3 columns", "voltage", "decimals, 2 digits", "times", "words"):
            self.assertIn(text, report)
        (facts,) = json.loads(self.succeed("series", "inspect", "--json", "a.csv.fts").out)
        self.assertEqual(facts["rows"], 500)
        self.assertEqual([column["type"] for column in facts["columns"]], ["time", "f64", "text"])
        self.assertEqual(facts["segments"][0]["columns"][1]["range"], [12, 14.99])
        before = self.files()
        (plan,) = json.loads(self.succeed("series", "plan", "--json", "a.csv").out)
        self.assertEqual(plan["segments"], facts["segments"])
        self.assertEqual(self.files(), before)

    def test_failures_leave_nothing(self):
        write("a.csv", CSV)
        self.succeed("series", "compress", "-q", "a.csv")
        table = read("a.csv.fts")
        self.fail(1, "series", "compress", "a.csv", mentions="exists already")
        write("cut.fts", table[:-1])
        self.fail(3, "series", "decompress", "cut.fts", mentions="truncated")
        write("changed.fts", table[:100] + bytes([table[100] ^ 1]) + table[101:])
        self.fail(3, "series", "decompress", "changed.fts", mentions="corrupt")
        self.fail(3, "series", "decompress", "-o", "x", "a.csv", mentions="no table")
        self.fail(1, "series", "decompress", "a.csv", mentions="unknown suffix")
        self.fail(1, "series", "decompress", "--memory", "1K", "-o", "x", "a.csv.fts", mentions="memory_limit_bytes")
        write("bad.inf", b"a,int,0\nb,integer,0\n")
        self.fail(1, "series", "compress", "-h", "bad.inf", "-o", "x", "a.csv", mentions="line 2")
        write("two.inf", b"a,int,0\nb,int,0\n")
        self.fail(1, "series", "compress", "-h", "two.inf", "-o", "x", "a.csv", mentions="as many cells")
        self.fail(1, "series", "decompress", "-h", "two.inf", "-o", "x", "a.csv.fts", mentions="3 columns")

    def test_senseless_command_lines(self):
        for words in (["-c", "-d", "a"], ["compress", "--names", "maybe"], ["compress", "-f", "xml"], ["compress", "-p", "3", "-f", "csv"], ["a.csv"]):
            with self.subTest(words):
                self.fail(2, "series", *words)

    def test_help(self):
        self.assertIn("floe series COMMAND", self.succeed("series", "--help").out.decode())
        for command in ("compress", "decompress", "inspect", "plan", "generate"):
            self.assertIn(f"floe series {command}", self.succeed("series", command, "--help").out.decode())


if __name__ == "__main__":
    main()
