"""Does what goes wrong outside of frames end in one clear line, the right exit code and no partial file?"""
import contextlib
import os
import resource
import subprocess
import unittest

from program import FAULTS, PROGRAM, ProgramTest, array_bytes, floe, main, needs_faults, random_bytes, read, write


class MissingRights(ProgramTest):
    def run_as_nobody(self, *arguments):
        if os.geteuid() != 0:
            return floe(*arguments)
        try:
            return floe(*arguments, user=65534, group=65534, extra_groups=[])
        except PermissionError:
            self.skipTest("the program cannot be run by another user")

    def test_unreadable_source(self):
        os.chmod(".", 0o777)
        write("x", b"1234")
        os.chmod("x", 0)
        result = self.run_as_nobody("x")
        self.assertEqual((result.code, result.lines), (1, ["floe: x: Permission denied"]))
        self.assertEqual(self.files(), ["x"])

    def test_unwritable_folder(self):
        os.chmod(".", 0o777)
        os.mkdir("d")
        write("d/x", b"1234")
        os.chmod("d/x", 0o644)
        os.chmod("d", 0o555)
        result = self.run_as_nobody("d/x")
        os.chmod("d", 0o755)
        self.assertEqual(result.code, 1)
        self.assertIn("d/x.floe: cannot create a temporary file beside it: Permission denied", result.err)


class FullDisks(ProgramTest):
    def test_dev_full(self):
        if not os.path.exists("/dev/full"):
            self.skipTest("no /dev/full")
        write("x", random_bytes(300000))
        self.fail(1, "-o", "/dev/full", "x", mentions=["/dev/full", "No space left on device"])
        with open("/dev/full", "wb") as full:
            for arguments in (["-c", "x"], ["codecs"], ["--help"]):
                done = subprocess.run([PROGRAM, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
                self.assertEqual(done.returncode, 1, arguments)
                self.assertIn(b"No space left on device", done.stderr)

    @unittest.skipUnless(os.geteuid() == 0, "only root can mount a small disk")
    def test_small_disk(self):
        os.mkdir("disk")
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=256k", "floe-test", "disk"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("cannot mount")
        self.addCleanup(subprocess.run, ["umount", "disk"], check=False)
        write("x", random_bytes(1 << 20))
        self.fail(1, "-o", "disk/x.floe", "x", mentions=["disk/x.floe", "No space left on device"])
        self.assertEqual(os.listdir("disk"), [])
        self.succeed("-q", "x")
        self.fail(1, "-d", "-o", "disk/x", "x.floe", mentions="No space left on device")
        self.assertEqual(os.listdir("disk"), [])

    @needs_faults
    def test_every_write_may_be_the_one_that_fails(self):
        write("x.f32", random_bytes(400000))
        self.succeed("-q", "-o", "good", "--segment", "128K", "x.f32")
        for number in range(1, 5):
            self.fail(1, "--rm", "--segment", "128K", "x.f32", fault=f"write-full:{number}", mentions=["x.f32.floe", "No space left on device"])
            self.fail(1, "--rm", "-d", "-o", "y", "good", fault=f"write-full:{min(number, 3)}", mentions=["y:", "No space left on device"])

    def test_limit_on_the_size_of_files(self):
        write("x", random_bytes(1 << 20))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, 1 << 16))  # noqa: E731
        self.fail(1, "x", preexec_fn=limit, mentions=["x.floe", "File too large"])


class FailingCalls(ProgramTest):
    @needs_faults
    def test_read_errors(self):
        data = random_bytes(9 << 20)
        write("x.f32", data)
        self.succeed("-q", "-o", "good.floe", "x.f32")
        good = read("good.floe")
        failures = 0
        for number in range(1, 30):  # the loader of the program reads, too, and the library asks for its control groups
            for arguments in (["--rm", "x.f32"], ["-d", "--rm", "-o", "y", "good.floe"]):
                before = self.files()
                result = floe("-q", *arguments, fault=f"read-error:{number}")
                if result.code == 0:
                    for name in ("x.f32", "good.floe"):
                        write(name, data if name == "x.f32" else good)
                    for name in ("x.f32.floe", "y"):
                        if os.path.exists(name):
                            os.remove(name)
                elif result.code == 1 and "Input/output error" in result.err:
                    failures += 1
                    self.assertEqual(len(result.lines), 1)
                    self.assertEqual(self.files(), before)
        self.assertGreaterEqual(failures, 6)  # both have at least three blocks to read

    @needs_faults
    def test_read_errors_at_any_place(self):
        write("x.f32", random_bytes(300000))
        self.succeed("-q", "--segment", "64K", "x.f32")
        for arguments in (["inspect", "x.f32.floe"], ["-l", "x.f32.floe"], ["-d", "--slice", "20000:30000", "-o", "part", "x.f32.floe"]):
            for number in range(1, 5):
                self.fail(1, *arguments, fault=f"read-at-error:{number}", mentions=["x.f32.floe: cannot read at byte ", "Input/output error"])

    @needs_faults
    def test_calls_that_move_few_bytes_or_are_interrupted(self):
        data = random_bytes(200000)
        write("x", data)
        self.succeed("-q", "--verify", "x", fault="pieces")
        os.remove("x")
        self.succeed("-dq", "x.floe", fault="pieces")
        self.assertEqual(read("x"), data)

    @needs_faults
    def test_verify_finds_what_the_disk_changed(self):
        write("x.f64", array_bytes("f64", 50000))
        for number in (1, 2):
            for options in ([], ["--no-checksum"], ["--container", "fpcompress", "--codec", "dpspeed"]):
                if number == 2 and "--container" in options:
                    continue  # it is written at once
                self.fail(4, "--verify", "--rm", *options, "x.f64", fault=f"write-flip:{number}", mentions=["x.f64.", "verification failed"])
        self.succeed("-q", "x.f64", fault="write-flip:1")  # nobody asked
        self.fail(3, "-t", "x.f64.floe")

    @needs_faults
    def test_threads_that_cannot_be_started(self):
        write("x.csv", b"time,value\n" + b"".join(b"%d,%d\n" % (1500000000 + 60 * i, i * i % 1009) for i in range(20000)))
        write("x.f32", array_bytes("f32", 3 << 20))
        expected = {}
        for number in range(6):
            for command in (["-qf", "--segment-rows", "1000", "-o", "t.floe", "x.csv"], ["-qf", "--fast", "-o", "y.floe", "x.f32"]):
                self.succeed(*command, "-T", "3", fault=f"no-thread:{number}", timeout=100)
                result = read(command[-2])
                self.assertEqual(expected.setdefault(command[-2], result), result)
            for frame, source in (("y.floe", "x.f32"), ("t.floe", "x.csv")):
                self.assertEqual(self.succeed("-dc", "-T", "3", frame, fault=f"no-thread:{number}", timeout=100).out, read(source))
        # Measurements need all threads: those that are there do not wait for the others.
        self.fail(1, "bench", "--runs", "1", "--size", "10K", "--codec", "spspeed", "-T", "3", "x.f32", fault="no-thread:2", timeout=100)

    def test_closed_standard_streams(self):
        write("x", b"1234" * 1000)
        done = subprocess.run(["sh", "-c", '"$0" -c x >&-', PROGRAM], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
        done = subprocess.run(["sh", "-c", '"$0" -o y <&-', PROGRAM], stderr=subprocess.PIPE, check=False)
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))
        done = subprocess.run(["sh", "-c", '"$0" x 2>&-', PROGRAM], check=False)
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.succeed("-dc", "x.floe").out, b"1234" * 1000)

    def test_reader_that_goes_away(self):
        write("x", random_bytes(1 << 20))
        done = subprocess.run(["sh", "-c", '"$0" -c x | head -c 10 > /dev/null', PROGRAM], stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.stderr, b"")

    def test_large_results_whose_reader_goes_away(self):
        write("x", random_bytes(20 << 20))
        self.succeed("-q", "x")
        for command in ("-c x", "-dcf x.floe"):
            done = subprocess.run(["sh", "-c", f'"$0" {command} | head -c 10 > /dev/null', PROGRAM], stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.stderr, b"", command)

    @needs_faults
    def test_a_source_that_never_ends_is_not_waited_for_after_a_failure(self):
        environment = dict(os.environ, LD_PRELOAD=FAULTS, FLOE_FAULT="write-full:3")
        command = [PROGRAM, "--codec", "speed8", "--segment", "1M", "-o", "y"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
            with contextlib.suppress(BrokenPipeError):
                for _ in range(40):
                    process.stdin.write(random_bytes(1 << 20))
                process.stdin.flush()
            self.assertEqual(process.wait(60), 1)  # its input is still open
            self.assertIn(b"y: No space left on device", process.stderr.read())
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        self.assertEqual(self.files(), [])

    def test_damage_in_a_pipe_that_stays_open(self):
        write("x", random_bytes(100 << 20))
        self.succeed("-q", "--codec", "speed8", "--segment", "1M", "x")
        frame = bytearray(read("x.floe"))
        frame[6 << 20] ^= 1  # segments are decoded in groups
        with subprocess.Popen([PROGRAM, "-d", "-o", "y"], stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            with contextlib.suppress(BrokenPipeError):
                process.stdin.write(frame[: 99 << 20])
                process.stdin.flush()
            self.assertEqual(process.wait(60), 3)
            self.assertIn(b"corrupt", process.stderr.read())
            with contextlib.suppress(BrokenPipeError):
                process.stdin.close()
        self.assertEqual(self.files(), ["x", "x.floe"])


class Usage(ProgramTest):
    def test_wrong_usage(self):
        for arguments in (["--bogus"], ["-y"], ["-dt", "x"], ["-tl", "x"], ["-o"], ["-T"], ["-o", "y", "a", "b"], ["-c", "a", "b"], ["-c", "-o", "y", "x"],
                          ["-q", "-v", "x"], ["--goal", "speed", "--best", "x"], ["--codec", "spspeed", "--fast", "x"], ["-o", "", "x"], ["-d", "--codec", "spspeed", "x.floe"],
                          ["-d", "--dtype", "f32", "x"], ["-d", "--as", "bytes", "x"], ["--as", "xml", "x"], ["--as", "records", "x"], ["--as", "csv", "--dtype", "f32", "x"], ["-t", "-c", "x"], ["-l", "--slice", "1:1", "x"], ["--json", "x"], ["codecs", "x"], ["bench"],
                          ["inspect", "-o", "y", "x"], ["decompress", "--goal", "speed", "x"], ["bench", "--runs", "0", "x"], ["bench", "--seconds", "nan", "x"],
                          ["bench", "--codec", "spspeed,bogus", "x"], ["bench", "--goal", "speed,fast", "x"], ["--tree", "delta", "--codec", "spspeed", "x"], ["--dim", "3", "x"],
                          ["-d", "--slice", "0:1", "--rows", "0:1", "-c", "x"], ["--verify", "--values", "x"], ["plan", "-o", "y", "x"], ["plan", "--picture", "y", "a", "b"], ["codecs", "--goal", "speed"], ["--memory", "-1", "x"], ["-T", "99999999999999999999", "x"]):  # fmt: skip
            with self.subTest(arguments=arguments):
                self.fail(2, *arguments, mentions="floe --help")

    def test_thousands_of_arguments(self):
        self.assertEqual(floe(*["missing"] * 3000).code, 1)
        self.assertEqual(floe(*["-q"] * 3000, "missing").code, 1)


if __name__ == "__main__":
    main()
