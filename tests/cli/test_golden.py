"""Does the program restore every golden frame, and refuse every bad one with the exit code of its error?"""

import csv
import hashlib
import json
import pathlib

from program import SANITIZED, ProgramTest, floe, main

GOLDEN = pathlib.Path(__file__).resolve().parents[1] / "golden"


def rows(folder):
    with open(GOLDEN / folder / "manifest.csv", newline="") as file:
        return [(str(GOLDEN / folder / row["file"]), row) for row in csv.DictReader(file)]


class Golden(ProgramTest):
    def test_good_frames(self):
        for path, row in (rows("arrays") + rows("tables"))[:: 3 if SANITIZED else 1]:
            with self.subTest(path):
                restored = self.succeed("-d", "-c", path).out
                prefix_bytes = int(row["prefix_bytes"])
                content = restored[prefix_bytes:]
                self.assertEqual(len(content), int(row["content_bytes"]))
                self.assertEqual(hashlib.sha256(content).hexdigest(), row["content_sha256"])

    def test_facts(self):
        paths = {path: row for path, row in rows("arrays") + rows("tables")}
        for facts in json.loads(self.succeed("list", "--json", *paths).out):
            row = paths[facts["file"]]
            with self.subTest(facts["file"]):
                self.assertEqual(facts["stored_bytes"], int(row["frame_bytes"]))
                self.assertEqual((facts["segment_count"], "yes" if facts["checksums"] else "no"), (int(row["segments"]), row["checksums"]))
                if facts["content"] == "array":
                    self.assertEqual((facts["dtype"], "x".join(map(str, facts["shape"]))), (row["holds"], row["shape"]))
                else:
                    self.assertEqual(f"{facts['rows']}x{len(facts['columns'])}", row["shape"])
        reports = json.loads(self.succeed("inspect", "--json", *paths).out)
        self.assertEqual([len(facts["segments"]) for facts in reports], [int(row["segments"]) for row in paths.values()])

    def test_bad_frames(self):
        errors = {path: row["error"] for path, row in rows("reject")}
        results = floe("test", "--json", *errors)
        self.assertEqual((results.code, len(results.lines)), (3, len(errors)))
        for result in json.loads(results.out):
            with self.subTest(result["file"]):
                code = 1 if errors[result["file"]] == "unsupported_version" else 3
                self.assertEqual((result["ok"], result["exit_code"]), (False, code))


if __name__ == "__main__":
    main()
