"""Does the reference decoder, written from the format pages, read every golden frame, and refuse every bad one for the right reason?"""

import csv
import hashlib
import pathlib
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
DECODER = ROOT / "tools" / "reference_decoder" / "floe_decode.py"
sys.path.insert(0, str(DECODER.parent))

import floe_decode  # noqa: E402


def rows(name):
    with open(FOLDER / name / "manifest.csv", newline="") as file:
        return list(csv.DictReader(file))


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class GoldenFrames(unittest.TestCase):
    def test_golden_frames(self):
        for row in rows("v1"):
            with self.subTest(row["file"]):
                data = (FOLDER / "v1" / row["file"]).read_bytes()
                self.assertEqual(sha256(data), row["frame_sha256"])
                frame = floe_decode.decode(data)
                self.assertEqual(sha256(frame.content), row["content_sha256"])
                self.assertEqual(frame.dtype, row["dtype"])
                self.assertEqual("x".join(map(str, frame.shape)), row["shape"])
                self.assertEqual(frame.codec, row["codec"])
                self.assertEqual(frame.dimensionality, int(row["dimensionality"]))
                self.assertEqual(frame.has_checksums, row["checksums"] == "yes")
                self.assertEqual(len(frame.prefix), int(row["prefix_bytes"]))

    def test_bad_frames(self):
        for row in rows("reject"):
            with self.subTest(row["file"]):
                data = (FOLDER / "reject" / row["file"]).read_bytes()
                with self.assertRaises(floe_decode.FORMAT_ERRORS) as caught:
                    floe_decode.decode(data)
                self.assertEqual(floe_decode.ERROR_CODES[type(caught.exception)], row["error"], caught.exception)

    def test_newer_frames(self):
        for row in rows("newer"):
            with self.subTest(row["file"]):
                frame = floe_decode.decode((FOLDER / "newer" / row["file"]).read_bytes())
                self.assertEqual(frame.content, floe_decode.decode((FOLDER / "v1" / row["content_of"]).read_bytes()).content)

    def test_program(self):
        golden = FOLDER / "v1" / "rank_2.floe"
        content = subprocess.run([sys.executable, DECODER, golden], check=True, capture_output=True).stdout
        row = next(row for row in rows("v1") if row["file"] == golden.name)
        self.assertEqual(sha256(content), row["content_sha256"])
        info = subprocess.run([sys.executable, DECODER, "--info", golden], check=True, capture_output=True, text=True).stdout
        self.assertIn("shape           6 7", info)
        bad = subprocess.run([sys.executable, DECODER, __file__], capture_output=True, text=True)
        self.assertEqual(bad.returncode, 1)
        self.assertIn("corrupt_frame", bad.stderr)


if __name__ == "__main__":
    unittest.main()
