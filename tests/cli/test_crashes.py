"""What is there after a run was killed at any moment, and when several runs write the same name?

The environment variable FLOE_KILLS says how many runs of each way of writing are killed (default 10); a seed in FLOE_SEED
chooses the moments.
"""
import os
import random
import re
import signal
import subprocess
import sys
import time

from program import FAULTS, PROGRAM, ProgramTest, array_bytes, floe, main, needs_faults, random_bytes, read, write

KILLS = int(os.environ.get("FLOE_KILLS", "10"))
TEMPORARY = re.compile(r"^\..+\.[0-9A-Za-z]{6}\.tmp$")

SOURCE = array_bytes("f64", 200000) + random_bytes(1 << 20)
OLD = b"what was there before" * 1000
QUICKLY = ("--dtype", "f64")  # a search for types would take most of the time, in which nothing is written


def environment(fault=None, log=None):
    extra = {"LD_PRELOAD": FAULTS, "FLOE_FAULT": fault or "none"} if fault or log else {}
    return {**os.environ, **extra, **({"FLOE_FAULT_LOG": log} if log else {})}


class Kills(ProgramTest):
    """SIGKILL at a random moment of the time that a run takes."""

    def setUp(self):
        super().setUp()
        write("source", SOURCE)
        self.succeed("-q", *QUICKLY, "-o", "frame", "source")
        self.frame = read("frame")
        self.random = random.Random(int(os.environ.get("FLOE_SEED", "1")))

    def check(self, arguments, source, target, new, old=None, removes=False, fault=None, code=0):
        """Runs end with the old target, or none, or the whole new one, and never without the source unless that is there."""
        content = read(source)
        seconds, killed, leftovers = 0.0, 0, 0
        for round_ in range(-2, 5 * KILLS):
            if killed == KILLS:
                break
            write(source, content)
            for name in self.files():
                if name == target or TEMPORARY.match(name):
                    os.remove(name)
            if old is not None:
                write(target, old)
            begin = time.monotonic()
            process = subprocess.Popen([PROGRAM, *arguments, "-q", source], stderr=subprocess.DEVNULL, env=environment(fault))
            if round_ < 0:  # the first ones say how long it takes
                self.assertEqual(process.wait(), code)
                seconds = time.monotonic() - begin
                self.assertEqual(read(target), new)
                continue
            time.sleep(self.random.uniform(0, seconds * 1.1))
            process.send_signal(signal.SIGKILL)
            was_killed = process.wait() == -signal.SIGKILL
            killed += was_killed
            seconds *= 1.02 if was_killed else 0.95  # so that moments near the end are among them
            found = read(target) if os.path.exists(target) else None
            self.assertIn(found, (old, new), "a target that is neither the old nor the new one")
            if os.path.exists(source):
                self.assertEqual(read(source), content)
            else:
                self.assertTrue(removes and found == new, "the source is gone, and the result is not there")
            others = set(self.files()) - {"source", "frame", source, target}
            self.assertTrue(all(TEMPORARY.match(name) for name in others), others)
            leftovers += len(others)
        return killed, leftovers

    def report(self, way, result):
        if "FLOE_KILLS" in os.environ:
            print(f"{way}: {result[0]} runs killed, {result[1]} temporary files left", file=sys.stderr)

    def test_compressing(self):
        result = self.check([*QUICKLY, "-o", "new"], "source", "new", self.frame)
        self.assertEqual(result[1], 0, "a file without a name leaves nothing behind")
        self.report("compress", result)

    def test_compressing_over_a_file(self):
        self.report("compress -f", self.check([*QUICKLY, "-f", "-o", "new"], "source", "new", self.frame, OLD))

    def test_decompressing(self):
        self.report("decompress", self.check(["-d", "-o", "new"], "frame", "new", SOURCE))

    def test_decompressing_over_a_file(self):
        self.report("decompress -f", self.check(["-d", "-f", "-o", "new"], "frame", "new", SOURCE, OLD))

    def test_replacing_the_source(self):
        write("x.f64", SOURCE[:1600000])
        self.succeed("-q", "--fsync", "x.f64")
        new = read("x.f64.floe")
        os.remove("x.f64.floe")
        self.report("--verify --fsync --rm", self.check(["--verify", "--fsync", "--rm"], "x.f64", "x.f64.floe", new, removes=True))

    def test_recovering(self):
        write("damaged", self.frame[:-100])
        floe("recover", "-q", "-o", "saved", "damaged")
        saved = read("saved")
        os.remove("saved")
        self.report("recover", self.check(["recover", "-o", "new"], "damaged", "new", saved, code=3))
        self.report("recover -f", self.check(["recover", "-f", "-o", "new"], "damaged", "new", saved, OLD, code=3))

    @needs_faults
    def test_file_systems_without_nameless_files(self):
        for way, arguments, old in (("compress", [], None), ("compress -f", ["-f"], OLD)):
            result = self.check([*QUICKLY, *arguments, "-o", "new"], "source", "new", self.frame, old, fault="no-nameless")
            self.report(way + " with a named temporary file", result)


class SameName(ProgramTest):
    """Several runs at the same time with the same result."""

    def run_at_once(self, *options):
        sources = [array_bytes("f32", 20000, seed) for seed in range(4)]
        for i, source in enumerate(sources):
            write(f"source{i}", source)
        runs = [subprocess.Popen([PROGRAM, "-q", "-T", "1", *options, "-o", "result", f"source{i}"], stderr=subprocess.PIPE) for i in range(4)]
        codes = []
        for run in runs:
            err = run.communicate()[1]
            codes.append(run.returncode)
            if run.returncode:
                self.assertRegex(err, rb"^floe: result: (exists already|appeared while it was written); use -f to overwrite it\n$")
        self.succeed("-dqf", "-o", "restored", "result")
        self.assertIn(read("restored"), sources)
        self.assertEqual([name for name in self.files() if name.startswith(".")], [])
        os.remove("result")
        return codes

    def test_one_of_them_wins(self):
        for _ in range(10):
            self.assertEqual(sorted(self.run_at_once()), [0, 1, 1, 1])

    def test_the_last_one_wins_with_force(self):
        for _ in range(10):
            self.assertEqual(self.run_at_once("-f"), [0, 0, 0, 0])


@needs_faults
class Durability(ProgramTest):
    def calls(self, *arguments):
        log = os.path.abspath("log")
        done = subprocess.run([PROGRAM, "-q", *arguments], stderr=subprocess.PIPE, env=environment(log=log), check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = read("log").decode().split("\n")[:-1]
        os.remove("log")
        return lines

    def test_the_source_is_deleted_after_the_result_is_durable(self):
        for over in (False, True):
            write("x", b"1234" * 10000)
            if over:
                write("x.floe", OLD)
            calls = self.calls("--fsync", "--rm", *(["-f"] if over else []), "x")
            kinds = [call.split()[0] + (call.split()[1] if call.startswith("fsync") else "") for call in calls]
            self.assertEqual(kinds, ["fsyncfile"] + ["name"] * (2 if over else 1) + ["fsyncfolder", "delete"])
            self.assertEqual(calls[-1], "delete x")
            os.remove("x.floe")

    def test_a_disk_that_cannot_synchronize_keeps_the_source(self):
        for number in (1, 2):
            write("x", b"1234" * 10000)
            result = floe("-q", "--fsync", "--rm", "x", fault=f"sync-error:{number}")
            self.assertEqual(result.code, 1)
            self.assertIn("synchronize", result.err)
            self.assertEqual(read("x"), b"1234" * 10000)
            self.assertEqual([name for name in self.files() if name.startswith(".")], [])
            if number == 1:
                self.assertEqual(self.files(), ["x"])

    def test_a_name_that_cannot_be_given_keeps_the_old_file(self):
        write("x", b"1234" * 10000)
        self.fail(1, "--rm", "x", fault="name-error:1", mentions="No space left on device")
        write("x.floe", OLD)
        for number in (1, 2):
            self.fail(1, "-f", "--rm", "x", fault=f"name-error:{number}", mentions="No space left on device")
            self.assertEqual(read("x.floe"), OLD)


class Permissions(ProgramTest):
    def test_no_file_is_ever_open_to_others(self):
        """While it is written, and afterwards no more than its source."""
        write("x", array_bytes("f64", 400000))
        os.chmod("x", 0o600)
        old = os.umask(0)
        self.addCleanup(os.umask, old)
        process = subprocess.Popen([PROGRAM, "-q", "--goal", "ratio", "x"])
        modes = set()
        while process.poll() is None:
            for descriptor in range(3, 12):
                try:
                    path = f"/proc/{process.pid}/fd/{descriptor}"
                    if os.readlink(path).startswith(os.path.realpath(".") + "/") and not os.readlink(path).endswith("/x"):
                        modes.add(os.stat(path).st_mode & 0o777)
                except OSError:
                    pass
        self.assertEqual(process.returncode, 0)
        self.assertLessEqual(modes, {0o600})
        self.assertEqual(os.stat("x.floe").st_mode & 0o777, 0o600)
        self.succeed("-q", "-o", "y.floe", stdin=b"1234" * 1000)
        self.assertEqual(os.stat("y.floe").st_mode & 0o777, 0o666)  # that of the umask


if __name__ == "__main__":
    main()
