"""Does floe plan say why, do given trees count, and is a demanded speed kept?"""

import collections
import html.parser
import json
import math
import struct

from program import ProgramTest, floe, main, read, write

CSV = b"time,voltage,state\n" + b"".join(
    b"2016-02-01 00:00:%02d,%d.%02d,%s\n" % (i % 60, 12 + i % 3, i % 100, b"on" if i % 7 else b"NA") for i in range(500)
)


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


class Plans(ProgramTest):
    def test_plan_explains_the_choice(self):
        self.succeed("series", "generate", "-o", "a.csv", "3000")
        (plan,) = json.loads(self.succeed("plan", "--json", "--segment-rows", "1000", "a.csv").out)
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
                # What the chosen tree made of the words is what was stored, but for the tree itself, its length, and what
                # fills up before the body of a tree with entropy.
                chosen = candidates[tree]["encoded_bytes"]
                self.assertLess(chosen, stream["stored_bytes"])
                self.assertLessEqual(stream["stored_bytes"], chosen + 3 * tree.count(",") + 8 + 15)
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
        (everything,) = json.loads(self.succeed("plan", "--json", "-v", "--segment-rows", "1000", "a.csv").out)
        self.assertTrue(everything["segments"][2]["columns"][0]["streams"][0]["candidates"])
        # Several tables, one missing and one that an error ends: what is known of it is there, and the others are complete.
        write("other.csv", b"a,b\n1,2\n")
        write("empty.csv", b"")
        numbers = b"".join(b"%d\n" % (100 * i) for i in range(100))
        write("numbers.csv", numbers)
        write("b.csv", numbers + b"".join(b"word %d\n" % i for i in range(100)))
        files = ("missing.csv", "numbers.csv", "b.csv", "numbers.csv")
        result = floe("plan", "--json", "--segment-rows", "100", "--tree", "1=speed16", *files)
        self.assertEqual(result.code, 1)
        self.assertIn("b.csv: --tree 1=speed16: segment 1 has words of type u8", result.err)
        self.assertEqual([(plan["file"], plan.get("rows"), len(plan["segments"])) for plan in json.loads(result.out)],
                         [("numbers.csv", 100, 1), ("b.csv", None, 1), ("numbers.csv", 100, 1)])
        (again,) = json.loads(floe("plan", "--json", "other.csv").out)
        self.assertEqual((again["rows"], again["source_bytes"], len(again["segments"]), [c["name"] for c in again["columns"]]), (1, 8, 1, ["a", "b"]))
        self.assertEqual(json.loads(floe("plan", "--json", "missing.csv").out), [])
        (empty,) = json.loads(floe("plan", "--json", "--as", "csv", "empty.csv").out)
        self.assertEqual((empty["rows"], empty["segments"]), (0, []))
        # One segment after the other, and then the sum.
        lines = self.succeed("plan", "--segment-rows", "1000", "a.csv").out.decode().splitlines()
        self.assertEqual(lines[0], "a.csv")
        self.assertEqual([line.split(":")[0] for line in lines if line.startswith("segment")], ["segment 0", "segment 1", "segment 2"])
        self.assertIn("table of 6 columns, 3000 rows, CSV; ", lines[-2])
        report = self.succeed("plan", "a.csv").out.decode()
        for text in ("ratio", "estimate", "actual", "decode, GB/s", "    * ", " + ", "words of type i64"):
            self.assertIn(text, report)

    def test_picture_of_a_plan(self):
        write("a.csv", b"a,<b&c>\n" + b"".join(b"%d,%d.5\n" % (i, i % 17) for i in range(3000)))
        for rows in ("1000", "3000", "20"):
            page = f"{rows}.html"
            self.succeed("plan", "--segment-rows", rows, "--picture", page, "a.csv")
            text = read(page).decode()
            parsed = Page()
            parsed.feed(text)
            self.assertEqual(parsed.open, [])
            self.assertEqual(text.count('<svg class="frontier"'), 2)
            self.assertEqual(parsed.counts["svg"] - parsed.charts - 2, 2)  # one tree for each column, and its candidates
            self.assertEqual(parsed.charts, 0 if rows == "3000" else 3)
            self.assertIn("&lt;b&amp;c&gt;", text)
            self.assertNotIn("http", text)  # needs nothing else
        self.fail(1, "plan", "--picture", "20.html", "a.csv", mentions="exists already")
        self.fail(2, "plan", "--picture", "x.html", "a.csv", "a.csv", mentions="--picture")
        self.assertTrue(self.succeed("plan", "--picture", "-", "a.csv").out.startswith(b"<!DOCTYPE html>"))
        write("empty.csv", b"")
        self.succeed("plan", "--picture", "empty.html", "empty.csv")

    def test_trees_that_are_given(self):
        self.succeed("series", "generate", "-o", "a.csv", "2000")

        def trees(*options):
            self.succeed("compress", "-q", "--force", *options, "-o", "a.floe", "a.csv")
            self.assertEqual(self.succeed("decompress", "-o", "-", "a.floe").out, read("a.csv"))
            (facts,) = json.loads(self.succeed("inspect", "--json", "a.floe").out)
            return [column["trees"][0] for column in facts["segments"][0]["columns"]]

        planned = trees()
        for tree in ("bitpack", "delta,bitpack", "rle,bitpack,bitpack", "split(1),bitpack,entropy,bitpack"):
            with self.subTest(tree):
                # What --tree takes is what inspect prints; constants are told apart by themselves.
                self.assertEqual(trees("--tree", f"TIME={tree}")[0].replace("constant", "bitpack"), tree.replace("constant", "bitpack"))
        self.assertEqual(trees("--tree", "2=delta(2),entropy"), planned[:1] + ["delta(2),entropy"] + planned[2:])
        self.assertEqual(trees("--tree", "bitpack"), ["bitpack"] * 6)
        # Of several the last one that fits counts; this codec takes words of 32 bits.
        mixed = trees("--tree", "bitpack", "--tree", "spspeed")
        self.assertEqual(set(mixed), {"bitpack", "spspeed"})
        self.assertEqual(mixed[0], "bitpack")
        self.assertEqual(trees("--tree", "bitpack", "--tree", "TIME=delta,bitpack")[:2], ["delta,bitpack", "bitpack"])

    def test_trees_for_other_streams(self):
        write("a.csv", CSV)
        self.succeed("compress", "-q", "--tree", "state#3=rle,bitpack,bitpack", "a.csv")
        (facts,) = json.loads(self.succeed("inspect", "--json", "a.csv.floe").out)
        self.assertEqual(facts["segments"][0]["columns"][2]["trees"][2], "rle,bitpack,bitpack")

    def test_trees_that_do_not_fit(self):
        write("a.csv", CSV)
        for tree, text in (
            ("nonsense", "--tree nonsense: character 1: no encoding has this name"),
            ("voltage=rle,bitpack", "--tree voltage=rle,bitpack: character 20: the tree lacks nodes"),
            ("delta(3),bitpack", "character 1: a parameter of this encoding is out of range"),
            ("bitpack,bitpack", "character 9: the tree has more nodes"),
            ("voltage#7=bitpack", "streams are numbered from 1 to 6"),
            ("=bitpack", "the name of the column is missing"),
            ("", "the name of an encoding is missing"),
        ):
            with self.subTest(tree):
                self.fail(2, "compress", "--tree", tree, "a.csv", mentions=text)
        for tree, text in (
            ("volts=bitpack", "a.csv: --tree volts=bitpack: the table has no such column"),
            ("voltage#2=bitpack", "--tree voltage#2=bitpack: the column has no such stream"),
            ("voltage=sortable,bitpack", "words of type i16: character 9: this encoding does not take words of this type"),
            ("sortable,bitpack", "character 1: this encoding does not take"),
        ):
            with self.subTest(tree):
                self.fail(1, "compress", "--tree", tree, "a.csv", mentions=text)
        # A column that is written in another way later on.
        write("b.csv", b"".join(b"%d\n" % (100 * i) for i in range(100)) + b"".join(b"word %d\n" % i for i in range(100)))
        self.fail(1, "compress", "--segment-rows", "100", "--tree", "column1=speed16", "b.csv", mentions="segment 1 has words of type u8")
        self.assertEqual(self.files(), ["a.csv", "b.csv"])

    def test_demanded_speed(self):
        self.succeed("series", "generate", "-o", "a.csv", "8000")

        def planned(*options):
            (plan,) = json.loads(self.succeed("plan", "--json", *options, "a.csv").out)
            chosen = []
            for column in plan["segments"][0]["columns"]:
                for stream, tree in zip(column["streams"], column["trees"], strict=True):
                    chosen += [candidate for candidate in stream["candidates"] if candidate["tree"] == tree and stream["parts"] == 1]
            return plan["stored_bytes"], [(tree["estimated_speed"]["decode_nanoseconds"], tree["keeps_speed"]) for tree in chosen]

        usual, _ = planned()
        for speed in ("0.5", "2", "8"):
            size, chosen = planned("--decode-speed", speed)
            self.assertTrue(all(keeps for _, keeps in chosen), chosen)
            self.assertTrue(all(time <= 8 / float(speed) for time, _ in chosen), chosen)
        self.assertGreater(size, usual)
        for goal in ("speed", "ratio", "max"):
            table = self.succeed("compress", "--goal", goal, "--decode-speed", "3", "-o", "-", "a.csv").out
            self.assertEqual(self.succeed("compress", "--goal", goal, "-T", "1", "--decode-speed", "3", "-o", "-", "a.csv").out, table)
            self.assertEqual(self.succeed("decompress", stdin=table).out, read("a.csv"))
        report = self.succeed("plan", "--decode-speed", "1000", "a.csv").out.decode()
        self.assertIn("slower than --decode-speed demands", report)
        self.assertNotIn("slower than", self.succeed("plan", "--decode-speed", "0.01", "a.csv").out.decode())
        for value in ("0", "-1", "fast", "1e3", "1001", "", "2GB", "nan"):
            self.fail(2, "compress", f"--decode-speed={value}", "a.csv", mentions="--decode-speed")
        self.fail(2, "compress", "--decode-speed", "1", "--profile", "gpu", "a.csv", mentions="--profile gpu")

    def test_arrays(self):
        write("x_f64_2x10000.bin", struct.pack("<20000d", *(round(100 * math.sin(i / 50), 2) for i in range(20000))))
        (plan,) = json.loads(self.succeed("plan", "--json", "x_f64_2x10000.bin").out)
        self.assertEqual((plan["dtype"], plan["shape"], plan["source_bytes"]), ("f64", [2, 10000], 160000))
        (column,) = plan["segments"][0]["columns"]
        (stream,) = column["streams"]
        self.assertEqual((stream["words"], stream["word_count"], column["range"]), ("f64", 20000, [-100, 100]))
        (tree,) = column["trees"]
        self.assertIn(tree, [candidate["tree"] for candidate in stream["candidates"]])
        self.assertEqual(plan["stored_bytes"], len(self.succeed("-c", "x_f64_2x10000.bin").out))
        report = self.succeed("plan", "x_f64_2x10000.bin").out.decode()
        for words in ("segment 0: elements 0 to 20000", "decimal(2)", "    * ", "f64 2x10000; 160.0 kB"):
            self.assertIn(words, report)
        self.assertTrue(self.succeed("plan", "--picture", "-", "x_f64_2x10000.bin").out.startswith(b"<!DOCTYPE html>"))
        # A tree of the user, and a speed that the usual one does not reach.
        for given in ("decimal(2),delta,bitpack,raw,raw", "dpratio"):
            (planned,) = json.loads(self.succeed("plan", "--json", "--tree", given, "x_f64_2x10000.bin").out)
            self.assertEqual(planned["stored_bytes"], len(self.succeed("-c", "--tree", given, "x_f64_2x10000.bin").out))
            self.assertEqual(planned["segments"][0]["columns"][0]["trees"][0].split(",")[:2], given.split(",")[:2])
        usual, fast = (self.succeed("-c", *options, "x_f64_2x10000.bin").out for options in ([], ["--decode-speed", "12"]))
        self.assertLess(len(usual), len(fast))
        self.assertEqual(self.succeed("-d", stdin=fast).out, read("x_f64_2x10000.bin"))
        self.fail(1, "--tree", "delta,bitpack", "x_f64_2x10000.bin", mentions="--tree delta,bitpack: the elements are f64: character 1:")
        self.fail(2, "--tree", "a=sortable,bitpack", "x_f64_2x10000.bin", mentions="an array has no columns")
        self.fail(2, "--decode-speed", "1", "--profile", "gpu", "x_f64_2x10000.bin", mentions="--profile gpu")


if __name__ == "__main__":
    main()
