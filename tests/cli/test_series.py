"""floe series: the options of another program for tables of time series."""

import calendar
import struct
import time

from program import ProgramTest, main, read, write


class Series(ProgramTest):
    def test_options_of_the_thesis(self):
        self.succeed("series", "-g", "1000")
        text = read("sample_data/generated.csv")
        self.assertEqual(text.count(b"\n"), 1001)
        self.assertEqual(read("sample_data/generated.inf").splitlines()[0], b"TIME,time,0")
        self.succeed("series", "-c", "-f", "csv", "-h", "sample_data/generated.inf", "-i", "sample_data/generated.csv", "-o", "g.floe")
        self.succeed("series", "-d", "-h", "sample_data/generated.inf", "g.floe", "g.csv")
        self.assertEqual(read("g.csv"), text)
        self.succeed("series", "--compress", "--header-file", "sample_data/generated.inf", "--input-file", "g.csv", "--output-file", "h.floe")
        self.assertEqual(read("h.floe"), read("g.floe"))
        # Both directions take the same options.
        self.succeed("series", "-d", "-f", "csv", "-h", "sample_data/generated.inf", "-i", "h.floe", "-o", "i.csv")
        self.assertEqual(read("i.csv"), text)
        self.assertEqual(self.succeed("series", "-d", "--format", "csv", "--input", "h.floe", "--output", "-").out, text)
        # As -f bin: the values.
        self.succeed("series", "-d", "-f", "bin", "-h", "sample_data/generated.inf", "g.floe", "j.bin")
        lines = [line.split(b",") for line in text.splitlines()[1:]]
        codes = "".join({"time": "q", "int": "i", "float": "f", "double": "d"}[line.split(",")[1].strip()] for line in read("sample_data/generated.inf").decode().splitlines())
        readers = {"q": lambda cell: calendar.timegm(time.strptime(cell.decode())), "i": int, "f": float, "d": float}
        values = [[readers[code](cell) for code, cell in zip(codes, line)] for line in lines]
        self.assertEqual(read("j.bin"), b"".join(struct.pack("<" + codes, *row) for row in values))
        self.succeed("series", "-c", "-f", "bin", "-h", "sample_data/generated.inf", "j.bin", "j.floe")
        self.succeed("series", "-d", "j.floe", "k.bin")
        self.assertEqual(read("k.bin"), read("j.bin"))

    def test_options_of_the_thesis_for_records(self):
        """Records of 12 bytes that are stored in 16."""
        write("r.inf", b"# sensor\ncount,unsigned,0\n\nvoltage , double , 3\n")
        records = b"".join(struct.pack("<Id4s", 7 * i, i / 8, b"pad") for i in range(100))
        write("r.bin", records)
        options = ("-f", "bin", "--padding", "4", "--header", "r.inf")
        self.succeed("series", "-c", *options, "--input", "r.bin", "--output", "r.floe")
        self.succeed("series", "-d", *options, "r.floe", "again.bin")
        self.assertEqual(read("again.bin"), records)
        # Without -f and names such as x.csv a header file means records.
        self.succeed("series", "-c", "-p", "4", "-h", "r.inf", "r.bin", "s.floe")
        self.assertEqual(read("s.floe"), read("r.floe"))
        text = b"count,voltage\n" + b"".join(b"%d,%.3f\n" % (7 * i, i / 8) for i in range(100))
        self.succeed("series", "-d", "-f", "csv", "-h", "r.inf", "r.floe", "r.csv")
        self.assertEqual(read("r.csv"), text)
        self.fail(1, "series", "-d", "-f", "csv", "-o", "-", stdin=read("r.floe"), mentions="only from a file on disk")
        self.fail(1, "series", "-d", "-p", "3", "r.floe", "x.bin", mentions="has 4 bytes of padding, --padding says 3")
        self.fail(2, "series", "decompress", "-f", "bin", "--rows", "0:1", "-o", "x.bin", "r.floe", mentions="give text")

    def test_binary_records_with_padding(self):
        write("r.inf", b"t,time,0\nv,float,2\nk,char,0\n")
        records = b"".join(struct.pack("<qfb", 1000 + i, i / 4, i % 5) + b"\0\0\0" for i in range(1000)) + b"rest"
        write("r.bin", records)
        self.succeed("series", "-c", "-h", "r.inf", "-p", "3", "r.bin", "r.floe")
        self.succeed("series", "-d", "r.floe", "again.bin")
        self.assertEqual(read("again.bin"), records)
        self.fail(2, "series", "compress", "-f", "bin", "r.bin", mentions="header file")
        # Floating-point numbers are printed with the digits that the header file says.
        part = self.succeed("series", "decompress", "--rows", "3:2", "-o", "-", "r.floe").out
        self.assertEqual(part, b"t,v,k\n1970-01-01 00:16:43,0.75,3\n1970-01-01 00:16:44,1.00,4\n")

    def test_digits_of_the_schema(self):
        values = [0.125, -7.0, 1234.56789, 1e-9]
        for type_name, code in (("float", "f"), ("double", "d")):
            write("r.bin", struct.pack(f"<4{code}", *values))
            for digits in (0, 2, 9):
                write("r.inf", f"v,{type_name},{digits}\n".encode())
                self.succeed("series", "-c", "--force", "-h", "r.inf", "r.bin", "r.floe")
                part = self.succeed("series", "decompress", "--columns", "v", "-o", "-", "r.floe").out.decode()
                exact = struct.unpack(f"<4{code}", read("r.bin"))
                self.assertEqual(part.split(), ["v"] + [f"{value:.{digits}f}" for value in exact])
        # Text comes back with the digits that it has, whatever the header file says.
        write("a.csv", b"v\n1.5\n1.25\n3.000\n")
        write("a.inf", b"v,float,2\n")
        self.succeed("series", "-c", "-h", "a.inf", "a.csv", "a.floe")
        self.assertEqual(self.succeed("series", "-d", "-h", "a.inf", "-o", "-", "a.floe").out, read("a.csv"))

    def test_planners(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        tables = {}
        for planner in ("default", "edgestat"):
            tables[planner] = self.succeed("series", "compress", "--planner", planner, "-o", "-", "a.csv").out
            self.assertEqual(self.succeed("series", "decompress", stdin=tables[planner]).out, read("a.csv"))
        self.assertLess(len(tables["default"]), len(tables["edgestat"]))
        self.assertEqual(self.succeed("series", "compress", "-o", "-", "a.csv").out, tables["default"])
        self.fail(2, "series", "compress", "--planner", "oracle", "a.csv", mentions="--planner")

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
        write("no_bitpack.csv", b"bitpack,1000000,1000000\nentropy,1000000,1000000\n")
        self.assertGreater(len(self.succeed("series", "compress", "--times", "no_bitpack.csv", "-o", "-", "a.csv").out), len(usual))
        write("same.csv", b"# as it is\nbitpack,500,150\n")
        self.assertEqual(self.succeed("series", "compress", "--times", "same.csv", "-o", "-", "a.csv").out, usual)
        self.fail(1, "series", "calibrate", "-o", "times.csv", mentions="exists already")
        self.fail(2, "series", "calibrate", "a.csv", mentions="no files")
        write("bad.csv", b"bitpack,800,150\n\nzip,1,1\n")
        self.fail(1, "series", "compress", "--times", "bad.csv", "-o", "x", "a.csv", mentions="line 3: an encoding that is unknown")
        self.fail(1, "series", "compress", "--times", "missing.csv", "-o", "x", "a.csv", mentions="missing.csv")
        self.fail(2, "series", "compress", "--times", "times.csv", "--device", "cuda", "a.csv", mentions="--profile gpu")

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
