"""floe series: tables of time series, from CSV text or binary records to .fts files and back."""

import calendar
import collections
import html.parser
import json
import os
import pathlib
import struct
import time

from program import ProgramTest, floe, main, read, write

CSV = b"time,voltage,state\n" + b"".join(
    b"2016-02-01 00:00:%02d,%d.%02d,%s\n" % (i % 60, 12 + i % 3, i % 100, b"on" if i % 7 else b"NA") for i in range(500)
)

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden" / "tables"


class Page(html.parser.HTMLParser):
    """Which elements has a page, and are all of them closed?"""

    def __init__(self):
        super().__init__()
        self.open = []
        self.counts = collections.Counter()
        self.charts = 0

    def handle_starttag(self, tag, attributes):
        self.counts[tag] += 1
        self.charts += ("class", "chart") in attributes
        if tag not in ("meta", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.counts[tag] += 1

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"{tag} closes {self.open[-1:]}"
        self.open.pop()


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

    def test_profile_for_gpus(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        for goal in ("speed", "balance", "ratio"):
            self.succeed("series", "compress", "-q", "--force", "--profile", "gpu", "--goal", goal, "a.csv")
            segment = json.loads(self.succeed("series", "inspect", "--json", "a.csv.fts").out)[0]["segments"][0]
            trees = [tree for column in segment["columns"] for tree in column["trees"]]
            self.assertTrue(trees)
            for tree in trees:
                self.assertNotIn("entropy", tree)
                self.assertNotIn("codec", tree)
            self.assertEqual(self.succeed("series", "decompress", "-o", "-", "a.csv.fts").out, read("a.csv"))
        planned = json.loads(self.succeed("series", "plan", "--profile", "gpu", "--json", "a.csv").out)[0]
        self.assertNotIn("entropy", json.dumps(planned))
        self.fail(2, "series", "compress", "--profile", "tpu", "a.csv", mentions="--profile")

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
        # Both directions take the same options.
        self.succeed("series", "-d", "-f", "csv", "-h", "sample_data/generated.inf", "-i", "h.fts", "-o", "i.csv")
        self.assertEqual(read("i.csv"), text)
        self.assertEqual(self.succeed("series", "-d", "--format", "csv", "--input", "h.fts", "--output", "-").out, text)
        # As -f bin: the values.
        self.succeed("series", "-d", "-f", "bin", "-h", "sample_data/generated.inf", "g.fts", "j.bin")
        lines = [line.split(b",") for line in text.splitlines()[1:]]
        codes = "".join({"time": "q", "int": "i", "float": "f", "double": "d"}[line.split(",")[1].strip()] for line in read("sample_data/generated.inf").decode().splitlines())
        readers = {"q": lambda cell: calendar.timegm(time.strptime(cell.decode())), "i": int, "f": float, "d": float}
        values = [[readers[code](cell) for code, cell in zip(codes, line)] for line in lines]
        self.assertEqual(read("j.bin"), b"".join(struct.pack("<" + codes, *row) for row in values))
        self.succeed("series", "-c", "-f", "bin", "-h", "sample_data/generated.inf", "j.bin", "j.fts")
        self.succeed("series", "-d", "j.fts", "k.bin")
        self.assertEqual(read("k.bin"), read("j.bin"))

    def test_records_of_text(self):
        write("a.inf", b"when,time,0\nn,short,0\nx,f32,2\ny,f64,2\nyes,bool,0\n")
        rows = [b"2016-02-01 00:00:01,-5,1.5,0.1,true\n", b"\"2016-02-01 00:00:02\",12.0,NA,1e300,0\n", b"1454284803,7,,-0,false\n"]
        write("a.csv", b"when,n,x,y,yes\n" + rows[0] + b"no row\n" + rows[1] + rows[2])
        self.succeed("series", "compress", "-h", "a.inf", "--segment-rows", "2", "a.csv")
        self.succeed("series", "decompress", "-f", "bin", "-o", "a.bin", "a.csv.fts")
        got = list(struct.iter_unpack("<qhfd?", read("a.bin")))
        self.assertEqual([row[:2] + row[3:] for row in got], [(1454284801, -5, 0.1, True), (1454284802, 12, 1e300, False), (1454284803, 7, 0.0, False)])
        self.assertEqual([str(row[2]) for row in got], ["1.5", "nan", "nan"])
        self.assertEqual(read("a.bin"), self.succeed("series", "decompress", "-f", "bin", "-T", "1", "-o", "-", "a.csv.fts").out)
        self.fail(1, "series", "decompress", "-f", "bin", "-o", "-", stdin=read("a.csv.fts"), mentions="only from a file on disk")
        self.fail(2, "series", "decompress", "-f", "bin", "--columns", "n", "-o", "-", "a.csv.fts", mentions="give text")
        # What has no value of the type says where; nothing is left behind.
        write("b.csv", b"when,n,x,y,yes\n" + rows[0] * 5000 + b"1,70000,1,1,1\n" + rows[0])
        self.succeed("series", "compress", "-h", "a.inf", "b.csv")
        self.fail(1, "series", "decompress", "-f", "bin", "-o", "b.bin", "b.csv.fts", mentions='row 5000 of column n is "70000", no value of type i16')
        write("c.csv", b"a,b\n1,x\n2,y\n3,x\n")
        self.succeed("series", "compress", "c.csv")
        self.fail(1, "series", "decompress", "-f", "bin", "-o", "c.bin", "c.csv.fts", mentions="column b holds texts")
        self.assertEqual([name for name in self.files() if name.endswith(".bin")], ["a.bin"])
        write("empty.csv", b"")
        self.succeed("series", "compress", "-h", "a.inf", "empty.csv")
        self.assertEqual(self.succeed("series", "decompress", "-f", "bin", "-o", "-", "empty.csv.fts").out, b"")

    def test_options_of_the_thesis_for_records(self):
        """Records of 12 bytes that are stored in 16."""
        write("r.inf", b"# sensor\ncount,unsigned,0\n\nvoltage , double , 3\n")
        records = b"".join(struct.pack("<Id4s", 7 * i, i / 8, b"pad") for i in range(100))
        write("r.bin", records)
        options = ("-f", "bin", "--padding", "4", "--header", "r.inf")
        self.succeed("series", "-c", *options, "--input", "r.bin", "--output", "r.fts")
        self.succeed("series", "-d", *options, "r.fts", "again.bin")
        self.assertEqual(read("again.bin"), records)
        # Without -f and names such as x.csv a header file means records.
        self.succeed("series", "-c", "-p", "4", "-h", "r.inf", "r.bin", "s.fts")
        self.assertEqual(read("s.fts"), read("r.fts"))
        text = b"count,voltage\n" + b"".join(b"%d,%.3f\n" % (7 * i, i / 8) for i in range(100))
        self.succeed("series", "-d", "-f", "csv", "-h", "r.inf", "r.fts", "r.csv")
        self.assertEqual(read("r.csv"), text)
        self.fail(1, "series", "-d", "-f", "csv", "-o", "-", stdin=read("r.fts"), mentions="only from a file on disk")
        self.fail(1, "series", "-d", "-p", "3", "r.fts", "x.bin", mentions="has 4 bytes of padding, --padding says 3")
        self.fail(2, "series", "decompress", "-f", "bin", "--rows", "0:1", "-o", "x.bin", "r.fts", mentions="give text")

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

    def test_same_bytes_everywhere(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        write("r.inf", b"t,time,0\nv,float,2\nw,double,4\nk,char,0\n")
        write("r.bin", b"".join(struct.pack("<qfdbx", 1000 + i // 3, i % 97 / 4, i * i / 64, i % 5) for i in range(9000)))
        text, records = ["a.csv"], ["-f", "bin", "-h", "r.inf", "-p", "1", "r.bin"]
        for options in (
            ["--segment-rows", "7000", *text],
            ["--goal", "ratio", *text],
            ["--goal", "speed", "--segment-rows", "3000", *text],
            ["--planner", "edgestat", "--segment-rows", "5000", *text],
            ["--values", "--tree", "TIME=delta,entropy", "--tree", "rle,bitpack,bitpack", *text],
            ["--segment-rows", "2500", *records],
            ["--goal", "ratio", *records],
            ["--planner", "edgestat", *records],
        ):
            runs = [(isa, "1") for isa in ("generic", "avx2", "avx512")] + [(None, threads) for threads in ("2", "64")]
            tables = {self.succeed("series", "compress", "-T", threads, "-o", "-", *options, isa=isa).out for isa, threads in runs}
            self.assertEqual(len(tables), 1, options)
            original = None if "--values" in options else read(options[-1])
            restored = {self.succeed("series", "decompress", "-T", threads, stdin=next(iter(tables)), isa=isa).out for isa, threads in runs}
            self.assertEqual(len(restored), 1, options)
            self.assertIn(original, (None, *restored), options)

    def test_true_ratio(self):
        noise = os.urandom(400000)
        write("r.inf", b"a,u64,0\n")
        write("r.bin", noise)
        result = self.succeed("series", "compress", "-f", "bin", "-h", "r.inf", "r.bin")
        stored = len(read("r.bin.fts"))
        self.assertLessEqual(stored, 1.001 * len(noise) + 256)  # header, head and footer
        self.assertIn(f"ratio {len(noise) / stored:.2f}", result.err)
        write("a.csv", b"a\n" + b"1\n" * 300000)
        result = self.succeed("series", "compress", "a.csv")
        self.assertIn(f"ratio {600002 / len(read('a.csv.fts')):.2f}", result.err)

    def test_digits_of_the_schema(self):
        values = [0.125, -7.0, 1234.56789, 1e-9]
        for type_name, code in (("float", "f"), ("double", "d")):
            write("r.bin", struct.pack(f"<4{code}", *values))
            for digits in (0, 2, 9):
                write("r.inf", f"v,{type_name},{digits}\n".encode())
                self.succeed("series", "-c", "--force", "-h", "r.inf", "r.bin", "r.fts")
                part = self.succeed("series", "decompress", "--columns", "v", "-o", "-", "r.fts").out.decode()
                exact = struct.unpack(f"<4{code}", read("r.bin"))
                self.assertEqual(part.split(), ["v"] + [f"{value:.{digits}f}" for value in exact])
        # Text comes back with the digits that it has, whatever the header file says.
        write("a.csv", b"v\n1.5\n1.25\n3.000\n")
        write("a.inf", b"v,float,2\n")
        self.succeed("series", "-c", "-h", "a.inf", "a.csv", "a.fts")
        self.assertEqual(self.succeed("series", "-d", "-h", "a.inf", "-o", "-", "a.fts").out, read("a.csv"))

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
        # The separators are those of the text; names stand in quotes where they must.
        write("b.csv", b'"a;b";c;d\r\n1,5;"x;y";\r\n2,25;z;9\r\n')
        self.succeed("series", "compress", "-q", "b.csv")
        part = self.succeed("series", "decompress", "--columns", "c,1,3", "-o", "-", "b.csv.fts").out
        self.assertEqual(part, b'c;"a;b";d\n"x;y";1,5;\nz;2,25;9\n')
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
        for planned, stored in zip(plan["segments"], facts["segments"], strict=True):
            self.assertEqual(planned["stored_bytes"], stored["stored_bytes"])
            for planned_column, column in zip(planned["columns"], stored["columns"], strict=True):
                self.assertEqual({key: planned_column[key] for key in column}, column)
        self.assertEqual(self.files(), before)

    def test_plan_explains_the_choice(self):
        self.succeed("series", "generate", "-o", "a.csv", "3000")
        (plan,) = json.loads(self.succeed("series", "plan", "--json", "--segment-rows", "1000", "a.csv").out)
        self.assertEqual(plan["source_bytes"], len(read("a.csv")))
        first, *others = plan["segments"]
        self.assertEqual(len(others), 2)
        rows = read("a.csv").split(b"\n", 1)[1]
        self.assertEqual(sum(segment["source_bytes"] for segment in plan["segments"]), len(rows))
        for segment in plan["segments"]:
            self.assertEqual(sum(column["source_bytes"] for column in segment["columns"]), segment["source_bytes"])
        for column in first["columns"]:
            for stream, tree in zip(column["streams"], column["trees"], strict=True):
                candidates = {candidate["tree"]: candidate for candidate in stream["candidates"]}
                self.assertGreaterEqual(len(candidates), 2)
                # What the chosen tree made of the words is what was stored, but for the tree itself and its length.
                chosen = candidates[tree]["encoded_bytes"]
                self.assertLess(chosen, stream["stored_bytes"])
                self.assertLessEqual(stream["stored_bytes"], chosen + 3 * tree.count(",") + 8)
                self.assertEqual(",".join(node["encoding"] for node in stream["nodes"]), tree)
                self.assertEqual(stream["nodes"][0]["words"], stream["word_count"])
                estimates = [candidate["estimated_bytes"] for candidate in stream["candidates"]]
                self.assertEqual(estimates, sorted(estimates))
                for candidate in stream["candidates"]:
                    size, time = candidate["encoded_bytes"], candidate["estimated_speed"]["decode_nanoseconds"]
                    rivals = [(rival["encoded_bytes"], rival["estimated_speed"]["decode_nanoseconds"]) for rival in stream["candidates"]]
                    is_beaten = any(a <= size and b <= time and (a, b) != (size, time) for a, b in rivals)
                    self.assertEqual(candidate["unbeaten"], not is_beaten)
                    self.assertTrue(candidate["keeps_speed"])
                    self.assertGreater(min(candidate["measured_speed"].values()), 0)
        for segment in others:
            self.assertEqual([stream["candidates"] for column in segment["columns"] for stream in column["streams"]], [[]] * 6)
        (everything,) = json.loads(self.succeed("series", "plan", "--json", "-v", "--segment-rows", "1000", "a.csv").out)
        self.assertTrue(everything["segments"][2]["columns"][0]["streams"][0]["candidates"])
        # Several tables, one missing and one that an error ends: what is known of it is there, and the others are complete.
        write("other.csv", b"a,b\n1,2\n")
        write("empty.csv", b"")
        numbers = b"".join(b"%d\n" % (100 * i) for i in range(100))
        write("numbers.csv", numbers)
        write("b.csv", numbers + b"".join(b"word %d\n" % i for i in range(100)))
        files = ("missing.csv", "numbers.csv", "b.csv", "numbers.csv")
        result = floe("series", "plan", "--json", "--segment-rows", "100", "--tree", "1=codec(8)", *files)
        self.assertEqual(result.code, 1)
        self.assertIn("b.csv: --tree 1=codec(8): segment 1 has words of type u8", result.err)
        self.assertEqual([(plan["file"], plan.get("rows"), len(plan["segments"])) for plan in json.loads(result.out)],
                         [("numbers.csv", 100, 1), ("b.csv", None, 1), ("numbers.csv", 100, 1)])
        (again,) = json.loads(floe("series", "plan", "--json", "other.csv").out)
        self.assertEqual((again["rows"], again["source_bytes"], len(again["segments"]), [c["name"] for c in again["columns"]]), (1, 8, 1, ["a", "b"]))
        self.assertEqual(json.loads(floe("series", "plan", "--json", "missing.csv").out), [])
        (empty,) = json.loads(floe("series", "plan", "--json", "empty.csv").out)
        self.assertEqual((empty["rows"], empty["segments"]), (0, []))
        # One segment after the other, and then the sum.
        lines = self.succeed("series", "plan", "--segment-rows", "1000", "a.csv").out.decode().splitlines()
        self.assertEqual(lines[0], "a.csv")
        self.assertEqual([line.split(":")[0] for line in lines if line.startswith("segment")], ["segment 0", "segment 1", "segment 2"])
        self.assertIn("3000 rows of 6 columns, from CSV text", lines[-2])
        report = self.succeed("series", "plan", "a.csv").out.decode()
        for text in ("ratio", "estimate", "actual", "decode, GB/s", "    * ", " + ", "words of type i64"):
            self.assertIn(text, report)

    def test_picture_of_a_plan(self):
        write("a.csv", b"a,<b&c>\n" + b"".join(b"%d,%d.5\n" % (i, i % 17) for i in range(3000)))
        for rows in ("1000", "3000", "20"):
            page = f"{rows}.html"
            self.succeed("series", "plan", "--segment-rows", rows, "--picture", page, "a.csv")
            text = read(page).decode()
            parsed = Page()
            parsed.feed(text)
            self.assertEqual(parsed.open, [])
            self.assertEqual(text.count('<svg class="frontier"'), 2)
            self.assertEqual(parsed.counts["svg"] - parsed.charts - 2, 2)  # one tree for each column, and its candidates
            self.assertEqual(parsed.charts, 0 if rows == "3000" else 3)
            self.assertIn("&lt;b&amp;c&gt;", text)
            self.assertNotIn("http", text)  # needs nothing else
        self.fail(1, "series", "plan", "--picture", "20.html", "a.csv", mentions="exists already")
        self.fail(2, "series", "plan", "--picture", "x.html", "a.csv", "a.csv", mentions="--picture")
        self.assertTrue(self.succeed("series", "plan", "--picture", "-", "a.csv").out.startswith(b"<!DOCTYPE html>"))
        write("empty.csv", b"")
        self.succeed("series", "plan", "--picture", "empty.html", "empty.csv")

    def test_trees_that_are_given(self):
        self.succeed("series", "generate", "-o", "a.csv", "2000")

        def trees(*options):
            self.succeed("series", "compress", "-q", "--force", *options, "-o", "a.fts", "a.csv")
            self.assertEqual(self.succeed("series", "decompress", "-o", "-", "a.fts").out, read("a.csv"))
            (facts,) = json.loads(self.succeed("series", "inspect", "--json", "a.fts").out)
            return [column["trees"][0] for column in facts["segments"][0]["columns"]]

        planned = trees()
        for tree in ("bitpack", "delta,bitpack", "rle,bitpack,bitpack", "split(1),bitpack,entropy,bitpack"):
            with self.subTest(tree):
                # What --tree takes is what inspect prints; constants are told apart by themselves.
                self.assertEqual(trees("--tree", f"TIME={tree}")[0].replace("constant", "bitpack"), tree.replace("constant", "bitpack"))
        self.assertEqual(trees("--tree", "2=delta(2),entropy"), planned[:1] + ["delta(2),entropy"] + planned[2:])
        self.assertEqual(trees("--tree", "bitpack"), ["bitpack"] * 6)
        # Of several the last one that fits counts; this codec takes words of 32 bits.
        mixed = trees("--tree", "bitpack", "--tree", "codec(1)")
        self.assertEqual(set(mixed), {"bitpack", "codec(1)"})
        self.assertEqual(mixed[0], "bitpack")
        self.assertEqual(trees("--tree", "bitpack", "--tree", "TIME=delta,bitpack")[:2], ["delta,bitpack", "bitpack"])

    def test_trees_for_other_streams(self):
        write("a.csv", CSV)
        self.succeed("series", "compress", "-q", "--tree", "state#3=rle,bitpack,bitpack", "a.csv")
        (facts,) = json.loads(self.succeed("series", "inspect", "--json", "a.csv.fts").out)
        self.assertEqual(facts["segments"][0]["columns"][2]["trees"][2], "rle,bitpack,bitpack")

    def test_trees_that_do_not_fit(self):
        write("a.csv", CSV)
        for tree, text in (
            ("nonsense", "--tree nonsense: character 1: no encoding has this name"),
            ("voltage=rle,bitpack", "--tree voltage=rle,afl: character 16: the tree lacks nodes"),
            ("delta(3),bitpack", "character 1: a parameter of this encoding is out of range"),
            ("bitpack,bitpack", "character 5: the tree has more nodes"),
            ("voltage#7=bitpack", "streams are numbered from 1 to 6"),
            ("=bitpack", "the name of the column is missing"),
            ("", "the name of an encoding is missing"),
        ):
            with self.subTest(tree):
                self.fail(2, "series", "compress", "--tree", tree, "a.csv", mentions=text)
        for tree, text in (
            ("volts=bitpack", "a.csv: --tree volts=afl: the table has no such column"),
            ("voltage#2=bitpack", "--tree voltage#2=afl: the column has no such stream"),
            ("voltage=sortable,bitpack", "words of type i16: character 9: this encoding does not take words of this type"),
            ("sortable,bitpack", "character 1: this encoding does not take"),
        ):
            with self.subTest(tree):
                self.fail(1, "series", "compress", "--tree", tree, "a.csv", mentions=text)
        # A column that is written in another way later on.
        write("b.csv", b"".join(b"%d\n" % (100 * i) for i in range(100)) + b"".join(b"word %d\n" % i for i in range(100)))
        self.fail(1, "series", "compress", "--segment-rows", "100", "--tree", "column1=codec(8)", "b.csv", mentions="segment 1 has words of type u8")
        self.assertEqual(self.files(), ["a.csv", "b.csv"])

    def test_planners(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        tables = {}
        for planner in ("default", "edgestat"):
            tables[planner] = self.succeed("series", "compress", "--planner", planner, "-o", "-", "a.csv").out
            self.assertEqual(self.succeed("series", "decompress", stdin=tables[planner]).out, read("a.csv"))
        self.assertLess(len(tables["default"]), len(tables["edgestat"]))
        self.assertEqual(self.succeed("series", "compress", "-o", "-", "a.csv").out, tables["default"])
        self.fail(2, "series", "compress", "--planner", "oracle", "a.csv", mentions="--planner")

    def test_demanded_speed(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")

        def planned(*options):
            (plan,) = json.loads(self.succeed("series", "plan", "--json", *options, "a.csv").out)
            chosen = []
            for column in plan["segments"][0]["columns"]:
                for stream, tree in zip(column["streams"], column["trees"], strict=True):
                    chosen += [candidate for candidate in stream["candidates"] if candidate["tree"] == tree and stream["parts"] == 1]
            return plan["table_bytes"], [(tree["estimated_speed"]["decode_nanoseconds"], tree["keeps_speed"]) for tree in chosen]

        usual, _ = planned()
        for speed in ("0.5", "2", "8"):
            size, chosen = planned("--decode-speed", speed)
            self.assertTrue(all(keeps for _, keeps in chosen), chosen)
            self.assertTrue(all(time <= 8 / float(speed) for time, _ in chosen), chosen)
        self.assertGreater(size, usual)
        for goal in ("speed", "ratio"):
            table = self.succeed("series", "compress", "--goal", goal, "--decode-speed", "3", "-o", "-", "a.csv").out
            self.assertEqual(self.succeed("series", "compress", "--goal", goal, "-T", "1", "--decode-speed", "3", "-o", "-", "a.csv").out, table)
            self.assertEqual(self.succeed("series", "decompress", stdin=table).out, read("a.csv"))
        report = self.succeed("series", "plan", "--decode-speed", "1000", "a.csv").out.decode()
        self.assertIn("slower than --decode-speed demands", report)
        self.assertNotIn("slower than", self.succeed("series", "plan", "--decode-speed", "0.01", "a.csv").out.decode())
        for value in ("0", "-1", "fast", "1e3", "1001", "", "2GB", "nan"):
            self.fail(2, "series", "compress", f"--decode-speed={value}", "a.csv", mentions="--decode-speed")
        self.fail(2, "series", "compress", "--decode-speed", "1", "--profile", "gpu", "a.csv", mentions="--profile gpu")
        self.fail(2, "series", "compress", "--decode-speed", "1", "--planner", "edgestat", "a.csv", mentions="edgestat")

    def test_times_of_encodings(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        usual = self.succeed("series", "compress", "-o", "-", "a.csv").out
        report = self.succeed("series", "calibrate", "-o", "times.csv").out.decode()
        for text in ("built in", "here", "entropy", "unique"):
            self.assertIn(text, report)
        table = self.succeed("series", "compress", "--times", "times.csv", "-o", "-", "a.csv").out
        self.assertEqual(self.succeed("series", "compress", "--times", "times.csv", "-T", "1", "-o", "-", "a.csv").out, table)
        self.assertEqual(self.succeed("series", "decompress", stdin=table).out, read("a.csv"))
        # Without packing, and with the times that are built in.
        write("no_afl.csv", b"afl,1000000,1000000\nentropy,1000000,1000000\n")
        self.assertGreater(len(self.succeed("series", "compress", "--times", "no_afl.csv", "-o", "-", "a.csv").out), len(usual))
        write("same.csv", b"# as it is\nafl,800,150\n")
        self.assertEqual(self.succeed("series", "compress", "--times", "same.csv", "-o", "-", "a.csv").out, usual)
        self.fail(1, "series", "calibrate", "-o", "times.csv", mentions="exists already")
        self.fail(2, "series", "calibrate", "a.csv", mentions="no files")
        write("bad.csv", b"afl,800,150\n\nzip,1,1\n")
        self.fail(1, "series", "compress", "--times", "bad.csv", "-o", "x", "a.csv", mentions="line 3: an encoding that is unknown")
        self.fail(1, "series", "compress", "--times", "missing.csv", "-o", "x", "a.csv", mentions="missing.csv")
        self.fail(2, "series", "compress", "--times", "times.csv", "--device", "cuda", "a.csv", mentions="--profile gpu")

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
        for command in ("compress", "decompress", "inspect", "plan", "generate", "calibrate"):
            self.assertIn(f"floe series {command}", self.succeed("series", command, "--help").out.decode())


if __name__ == "__main__":
    main()
