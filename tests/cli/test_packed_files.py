"""Are CSV texts in gzip files and the arrays of .npz files read, and damaged ones refused?"""
import gzip
import io
import json
import os
import struct
import zipfile

from program import SANITIZED, ProgramTest, array_bytes, main, npy_bytes, random_bytes, read, write


def csv_bytes(rows):
    return b"time,value\n" + b"".join(b"%d,%d.%02d\n" % (1000 + 10 * i, i % 97, i % 100) for i in range(rows))


def npz_bytes(members, method=zipfile.ZIP_STORED):
    """As NumPy writes it, which gives every member the numbers of ZIP64."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as packed:
        for name, data in members.items():
            with packed.open(name, "w", force_zip64=True) as member:
                member.write(data)
    return file.getvalue()


class PackedText(ProgramTest):
    def test_the_text_in_a_gzip_file_is_a_table(self):
        for rows in (50, 200000 if SANITIZED else 400000):  # with the larger one, another thread reads ahead
            text = csv_bytes(rows)
            write("x.csv.gz", gzip.compress(text))
            self.succeed("-q", "--verify", "x.csv.gz")
            self.assertEqual(json.loads(self.succeed("inspect", "--json", "x.csv.floe").out)[0]["content"], "table")
            self.succeed("-d", "-q", "x.csv.floe")
            self.assertEqual(read("x.csv"), text)
            os.remove("x.csv")
            os.remove("x.csv.floe")

    def test_several_streams_are_one_text(self):
        write("x.tsv.gz", gzip.compress(b"a\tb\n1\t2\n") + gzip.compress(b"3\t4\n5\t6\n"))
        self.succeed("-q", "x.tsv.gz")
        self.assertEqual(self.succeed("-d", "-c", "x.tsv.floe").out, b"a\tb\n1\t2\n3\t4\n5\t6\n")

    def test_what_is_no_gzip_file_is_taken_as_it_is(self):
        write("x.csv.gz", csv_bytes(50))
        self.succeed("-q", "x.csv.gz")
        self.assertEqual(self.succeed("-d", "-c", "x.csv.gz.floe").out, csv_bytes(50))

    def test_as_bytes_keeps_all_of_it(self):
        self.assert_round_trip("x.csv.gz", gzip.compress(csv_bytes(500)), "--as", "bytes")

    def test_damaged_ones_are_refused(self):
        packed = gzip.compress(csv_bytes(5000))
        for damaged, mentions in (
            (packed[:-10], "ends before its packed content does"),
            (packed[:1000] + bytes(100) + packed[1100:], "is damaged"),
            (packed + b"rubbish", "is damaged"),
            (packed[:-8] + bytes(4) + packed[-4:], "is damaged"),
        ):
            write("x.csv.gz", damaged)
            self.fail(3, "-q", "x.csv.gz", mentions=mentions)

    def test_the_source_is_not_deleted(self):
        write("x.csv.gz", gzip.compress(csv_bytes(50)))
        self.fail(2, "-q", "--rm", "x.csv.gz", mentions="--rm")

    def test_plan_and_bench_read_the_text_too(self):
        write("x.csv.gz", gzip.compress(csv_bytes(5000)))
        self.assertIn(b"time", self.succeed("plan", "x.csv.gz").out)
        self.assertIn(b"balance", self.succeed("bench", "--codec", "none", "--goal", "balance", "--seconds", "0.01", "x.csv.gz").out)


class PackedArrays(ProgramTest):
    MEMBERS = {
        "a.npy": npy_bytes("'<f8'", (30, 40), array_bytes("f64", 1200)),
        "deep/b.npy": npy_bytes("'<i4'", (700000,), array_bytes("i32", 700000)),
        "empty.npy": npy_bytes("'<f4'", (0,), b""),
        "notes.txt": b"no array",
    }

    def test_each_member_becomes_a_file(self):
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            write("x.npz", npz_bytes(self.MEMBERS, method))
            self.succeed("-q", "-f", "--verify", "x.npz")
            for name, data in self.MEMBERS.items():
                file = "x." + name.replace("/", "_") + ".floe"
                self.assertEqual(self.succeed("-d", "-c", file).out, data)
            facts = json.loads(self.succeed("inspect", "--json", "x.a.npy.floe").out)[0]
            self.assertEqual((facts["dtype"], facts["shape"]), ("f64", [30, 40]))

    def test_what_unpacks_to_little_more_than_a_read(self):
        # All packed bytes are taken in when a read of 4 MiB ends, and the last values are still to come.
        for rest in (14, 19, 23, 26, 33, 49)[:: 3 if SANITIZED else 1]:
            zeros = npy_bytes("'|u1'", ((4 << 20) - 128 + rest,), bytes((4 << 20) - 128 + rest))
            self.assertEqual(len(zeros), (4 << 20) + rest)
            write("x.npz", npz_bytes({"a.npy": zeros}, zipfile.ZIP_DEFLATED))
            self.succeed("-q", "-f", "--verify", "x.npz")

    def test_one_file_cannot_take_several_arrays(self):
        write("x.npz", npz_bytes(self.MEMBERS))
        for option in (["-c"], ["-o", "y"], ["--rm"]):
            self.fail(2, "-q", *option, "x.npz", mentions="x.npz")

    def test_as_bytes_keeps_all_of_it(self):
        self.assert_round_trip("x.npz", npz_bytes(self.MEMBERS), "--as", "bytes")

    def test_damaged_ones_are_refused(self):
        one = {"a.npy": self.MEMBERS["a.npy"]}
        for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            packed = npz_bytes(one, method)
            directory = packed.rindex(b"PK\1\2")
            for at in (200, 3000, directory + 16, directory + 10, directory + 45, len(packed) - 4):
                damaged = bytearray(packed)
                damaged[at] ^= 0x55
                write("x.npz", damaged)
                self.fail(3, "-q", "x.npz", mentions="x.npz")
            write("x.npz", packed[: len(packed) // 2])
            self.fail(3, "-q", "x.npz", mentions="no ZIP file")
        encrypted = bytearray(npz_bytes(one))
        encrypted[encrypted.rindex(b"PK\1\2") + 8] |= 1
        write("x.npz", encrypted)
        self.fail(3, "-q", "x.npz", mentions="encrypted")

    def test_directories_of_random_bytes_are_refused(self):
        for seed in range(15 if SANITIZED else 50):
            directory = b"PK\1\2" + random_bytes(200, seed)
            write("x.npz", directory + b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), 0, 0))
            self.fail(3, "-q", "x.npz", mentions="x.npz")

    def test_a_file_without_members_is_an_error(self):
        write("x.npz", npz_bytes({}))
        self.fail(1, "-q", "x.npz", mentions="holds no arrays")


if __name__ == "__main__":
    main()
