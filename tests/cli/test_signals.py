"""What does a run leave whose source changes while it is read, or which a signal ends?"""
import contextlib
import os
import signal
import subprocess
import time

from program import FAULTS, PROGRAM, ProgramTest, floe, main, needs_faults, random_bytes, read, write


class ChangingSources(ProgramTest):
    """The result goes to a fifo that nobody reads, so the program waits in the middle of its source."""

    def change_while_read(self, change):
        write("x", random_bytes(9 << 20))
        os.mkfifo("out")
        process = subprocess.Popen([PROGRAM, "--codec", "speed8", "--segment", "64K", "-o", "out", "x"], stderr=subprocess.PIPE)
        with open("out", "rb") as out:
            out.read(1)
            change()
            while out.read(1 << 20):
                pass
        err = process.communicate()[1].decode()
        os.remove("out")
        self.assertEqual(process.returncode, 1, err)
        self.assertEqual(err.count("\n"), 1)
        return err

    def test_growing(self):
        def grow():
            with open("x", "ab") as file:
                file.write(bytes(1 << 20))

        self.assertIn("x: grew while it was read", self.change_while_read(grow))

    def test_shrinking(self):
        self.assertIn("x: shrank while it was read", self.change_while_read(lambda: os.truncate("x", 5 << 20)))

    def test_changing(self):
        def change():
            with open("x", "r+b") as file:
                file.write(b"other")

        self.assertIn("x: was changed while it was read", self.change_while_read(change))


class Signals(ProgramTest):
    def start(self, *options, fault="no-nameless", **arguments):
        """A run that waits for its input after it has created its temporary file."""
        environment = dict(os.environ, LD_PRELOAD=FAULTS, FLOE_FAULT=fault) if fault else None
        process = subprocess.Popen([PROGRAM, *options, "-o", "x.floe"], stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, **arguments)
        process.stdin.write(random_bytes(5 << 20))
        process.stdin.flush()
        deadline = time.monotonic() + 60
        while not any(name.endswith(".tmp") for name in self.files()) and not self.has_nameless_file(process):
            self.assertLess(time.monotonic(), deadline, "no temporary file")
            time.sleep(0.005)
        return process

    @staticmethod
    def has_nameless_file(process):
        folder = os.path.realpath(".")
        for descriptor in os.listdir(f"/proc/{process.pid}/fd"):
            with contextlib.suppress(FileNotFoundError):
                path = os.readlink(f"/proc/{process.pid}/fd/{descriptor}")
                if path.startswith(folder) and path.endswith(" (deleted)"):
                    return True
        return False

    def interrupted(self, signal_number, fault="no-nameless"):
        process = self.start("-f", fault=fault)
        process.send_signal(signal_number)
        process.stdin.close()
        err = process.stderr.read()
        process.stderr.close()
        self.assertEqual(process.wait(), -signal_number)
        self.assertEqual(err, b"")

    def test_a_kill_leaves_nothing_behind(self):
        write("x.floe", b"precious")
        for signal_number in (signal.SIGKILL, signal.SIGINT):
            self.interrupted(signal_number, fault=None)
            if any(name.endswith(".tmp") for name in self.files()):
                self.skipTest("this file system has no files without a name")
            self.assertEqual(self.files(), ["x.floe"])
            self.assertEqual(read("x.floe"), b"precious")

    @needs_faults
    def test_signals_that_end_a_program_leave_nothing_behind(self):
        write("x.floe", b"precious")
        for signal_number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.interrupted(signal_number)
            self.assertEqual(self.files(), ["x.floe"])
        self.assertEqual(read("x.floe"), b"precious")

    @needs_faults
    def test_a_kill_keeps_the_old_file(self):
        write("x.floe", b"precious")
        self.interrupted(signal.SIGKILL)
        self.assertEqual(read("x.floe"), b"precious")
        (temporary,) = [name for name in self.files() if name != "x.floe"]
        self.assertRegex(temporary, r"^\.x\.floe\.......\.tmp$")
        self.assertEqual(os.stat(temporary).st_mode & 0o777, 0o600)

    def test_an_ignored_signal_stays_ignored(self):
        for fault in ([None, "no-nameless"] if FAULTS else [None]):
            with self.start("-q", "-f", fault=fault, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
                process.send_signal(signal.SIGHUP)
                process.stdin.close()
                self.assertEqual(process.wait(), 0)
            self.assertEqual(self.files(), ["x.floe"])

    @needs_faults
    def test_results_without_nameless_files(self):
        write("x", b"1234" * 1000)
        self.succeed("-q", "x", fault="no-nameless")
        self.fail(1, "x", fault="no-nameless", mentions="exists already")
        self.succeed("-qf", "x", fault="no-nameless")
        self.succeed("-dqf", "x.floe", fault="no-nameless")
        self.assertEqual((self.files(), read("x")), (["x", "x.floe"], b"1234" * 1000))

    def test_a_file_that_appears_meanwhile_is_kept(self):
        for fault in ([None, "no-nameless"] if FAULTS else [None]):
            with self.start("-q", fault=fault) as process:
                write("x.floe", b"precious")
                process.stdin.close()
                self.assertEqual(process.wait(), 1)
                self.assertIn(b"x.floe: appeared while it was written", process.stderr.read())
            self.assertEqual((self.files(), read("x.floe")), (["x.floe"], b"precious"))
            os.remove("x.floe")


if __name__ == "__main__":
    main()
