"""Does fuzz/campaign.py run targets, count their executions, notice findings, and add all up?"""
import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CAMPAIGN = Path(__file__).resolve().parent.parent.parent / "fuzz" / "campaign.py"
TARGET = """#!/bin/sh
echo "#2 INITED"
{finding}
echo "stat::number_of_executed_units: {executions}"
echo "stat::number_of_decoded_inputs: 7"
exit {code}
"""


class Campaign(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        (self.root / "fuzz").mkdir()

    def add_target(self, name, executions, finding="", code=0):
        path = self.root / "fuzz" / name
        path.write_text(TARGET.format(executions=executions, finding=finding, code=code), encoding="utf-8")
        path.chmod(0o755)

    def run_campaign(self, *arguments, env=None):
        command = [sys.executable, "-B", CAMPAIGN, self.root / "fuzz", "--seconds", "1", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False, env=env)

    def test_counts_of_several_runs(self):
        self.add_target("a_fuzz", 1000)
        self.add_target("b_fuzz", 50)
        self.assertEqual(self.run_campaign().returncode, 0)
        done = self.run_campaign("a_fuzz")
        self.assertEqual(done.returncode, 0, done.stderr)
        totals = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines() if "in all" in line}
        self.assertEqual(totals, {"a_fuzz": "2,000", "b_fuzz": "50", "total": "2,050"})
        with (self.root / "executions.csv").open(newline="", encoding="utf-8") as file:
            lines = list(csv.DictReader(file))
        self.assertEqual([line["target"] for line in lines], ["a_fuzz", "b_fuzz", "a_fuzz"])
        self.assertTrue((self.root / "corpus" / "a_fuzz").is_dir())
        self.assertEqual([line["decoded"] for line in lines], ["7"] * 3)
        self.assertIn("2,050", self.run_campaign("--totals").stdout)

    def test_the_one_behind_runs_again(self):
        self.add_target("tree_fuzz", 5)
        self.add_target("b_fuzz", 50)
        done = self.run_campaign("--jobs", "2", "--for", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        with (self.root / "executions.csv").open(newline="", encoding="utf-8") as file:
            ran = [line["target"] for line in csv.DictReader(file)]
        self.assertLessEqual({"tree_fuzz", "b_fuzz"}, set(ran))
        self.assertGreater(len(ran), 2)

    def test_minimised_inputs(self):
        self.add_target("a_fuzz", 1)
        self.run_campaign()
        self.assertIn("0 inputs remain", self.run_campaign("--minimise").stdout)

    def test_findings(self):
        self.add_target("a_fuzz", 10, finding=f'echo broken > "{self.root}/corpus/a_fuzz-crash-1"', code=77)
        done = self.run_campaign()
        self.assertEqual(done.returncode, 1)
        self.assertIn("a_fuzz-crash-1", done.stderr)
        self.add_target("a_fuzz", 10, code=1)  # ends badly without an input
        self.assertIn("exit code 1", self.run_campaign().stderr)

    def test_the_first_run_begins_with_stored_inputs(self):
        self.add_target("page_fuzz", 1)
        self.run_campaign()
        packed = (CAMPAIGN.parent.parent / "tests/fuzz/corpus/page_fuzz.pack").read_bytes()
        length = int.from_bytes(packed[:4], "little")
        corpus = self.root / "corpus/page_fuzz"
        self.assertEqual((corpus / "stored-0").read_bytes(), packed[4 : 4 + length])
        self.assertEqual(sum(4 + path.stat().st_size for path in corpus.iterdir()), len(packed))

    def test_afl(self):
        self.add_target("a_fuzz", 1)
        fuzzer = self.root / "afl-fuzz"
        fuzzer.write_text('#!/bin/sh\nmkdir "$4" && mkdir "$4/default"\n'
                          'printf "execs_done        : 55\\nsaved_crashes     : 0\\nsaved_hangs       : 1\\n" > "$4/default/fuzzer_stats"\n')  # fmt: skip
        fuzzer.chmod(0o755)
        environment = {**os.environ, "PATH": f"{self.root}:{os.environ['PATH']}"}
        done = self.run_campaign("--afl", env=environment)
        self.assertEqual(done.returncode, 1)  # of what hangs
        self.assertRegex(done.stdout, r"a_fuzz +55 executions.* 1 findings")

    def test_unknown_targets(self):
        self.assertIn("no target at all", self.run_campaign().stderr)
        self.add_target("a_fuzz", 10)
        self.assertIn("no target c_fuzz", self.run_campaign("c_fuzz").stderr)


if __name__ == "__main__":
    unittest.main()
