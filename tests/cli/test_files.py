"""Are files named, kept, replaced and deleted as gzip and zstd have taught people to expect?"""
import os
import stat
import subprocess
import threading
import unittest

from program import PROGRAM, ProgramTest, array_bytes, floe, main, read, write


class Naming(ProgramTest):
    def test_several_files_and_a_failure_among_them(self):
        write("a.f32", array_bytes("f32", 100))
        write("c.f64", array_bytes("f64", 100))
        write("bad.floe", b"this is no frame")
        result = floe("a.f32", "missing", "c.f64")
        self.assertEqual(result.code, 1)
        self.assertEqual(self.files(), ["a.f32", "a.f32.floe", "bad.floe", "c.f64", "c.f64.floe"])
        self.assertEqual([line for line in result.lines if line.startswith("floe: ")], ["floe: missing: No such file or directory"])
        result = floe("-df", "a.f32.floe", "missing.floe", "bad.floe", "c.f64.floe")
        self.assertEqual(result.code, 3)
        self.assertEqual(len([line for line in result.lines if line.startswith("floe: ")]), 2)

    def test_strange_names(self):
        data = array_bytes("f32", 100)
        for name in ("-x", "--", "--force", " ", "a b", "[a,b]", "ünï", "a\nb", "x=y", "%s", "{}", "*", "\\", "compress", "-", "a" * 250):
            with self.subTest(name=name):
                path = name if name != "-" else "./-"
                self.assert_round_trip(path, data)
                self.succeed("-t", "--", path + ".floe")
        write(b"\xff\xfe", data)
        self.succeed("-q", b"\xff\xfe")
        self.assertTrue(os.path.exists(b"\xff\xfe.floe"))
        self.succeed("inspect", "--json", b"\xff\xfe.floe")

    def test_messages_stay_on_one_line(self):
        self.fail(1, "a\nb\x1b[31m", mentions="a\\nb\\x1b[31m")
        self.fail(1, "", mentions="''")
        self.fail(2, "--a\nb", mentions="--a\\nb")
        self.fail(2, "--dtype", "f\n32", mentions="f\\n32")

    def test_names_that_are_too_long(self):
        write("a" * 255, b"1234")
        self.fail(1, "a" * 255, mentions="File name too long")
        self.fail(1, "b" * 70000, mentions="File name too long")
        self.assert_round_trip("c" * 250, b"1234")

    def test_suffixes(self):
        write("x.f32", array_bytes("f32", 10))
        self.succeed("-q", "x.f32")
        os.rename("x.f32.floe", "y")
        self.fail(1, "-d", "y", mentions=["y:", ".floe", "-o", "-c"])
        os.rename("y", ".floe")
        self.fail(1, "-d", ".floe", mentions="suffix")
        self.succeed("-d", "-q", "-o", "z", ".floe")
        self.assertEqual(read("z"), read("x.f32"))

    def test_folders(self):
        os.mkdir("d")
        os.mkdir("d.floe")
        write("d/x", b"1234")
        self.fail(1, "d", mentions=["d:", "is a directory"])
        self.fail(1, "d/", mentions="is a directory")
        self.fail(1, "-d", "d.floe", mentions=["is a directory", "find d.floe -type f -name '*.floe' -exec floe -d {} +"])
        self.fail(1, "plan", "d", mentions="find d -type f ! -name '*.floe' -exec floe plan {} +")
        # What is said works, as often as it is done.
        write("d/y", b"5678")
        advice = self.fail(1, "d", mentions="all files in it: ").err.split("all files in it: ")[1]
        for _ in range(2):
            subprocess.run(advice.replace("floe {}", f"{PROGRAM} -qf {{}}"), shell=True, check=True)
            self.assertEqual(sorted(os.listdir("d")), ["x", "x.floe", "y", "y.floe"])
        for name in ("x.floe", "y", "y.floe"):
            os.remove(f"d/{name}")
        self.fail(1, "-f", "-o", "d", "d/x", mentions="is a directory")
        self.fail(1, "d/x/y", mentions="Not a directory")
        self.fail(1, "-o", "none/y", "d/x", mentions="No such file")
        self.succeed("-q", "d/x")
        self.assertEqual(sorted(os.listdir("d")), ["x", "x.floe"])


class Replacing(ProgramTest):
    def test_nothing_is_overwritten_without_force(self):
        write("x", b"1234")
        write("x.floe", b"precious")
        self.fail(1, "x", mentions=["x.floe", "-f"])
        self.assertEqual(read("x.floe"), b"precious")
        self.succeed("-qf", "x")
        write("x", b"changed")
        self.fail(1, "-d", "x.floe", mentions=["x:", "-f"])
        self.succeed("-dqf", "x.floe")
        self.assertEqual(read("x"), b"1234")

    def test_source_and_target_must_differ(self):
        write("x", b"1234")
        os.link("x", "hard")
        os.symlink("x", "soft")
        for target in ("x", "./x", "hard", "soft"):
            self.fail(1, "-f", "-o", target, "x", mentions="same file")
        with open("x", "ab") as out:
            done = floe_into(out, "-c", "x")
        self.assertEqual(done, 1)
        self.assertEqual(read("x"), b"1234")

    def test_a_failure_keeps_what_was_there(self):
        write("x", b"1234")
        self.succeed("-q", "x")
        frame = read("x.floe")
        write("x.floe", frame[:-3])
        self.fail(3, "-df", "x.floe")
        self.assertEqual(read("x"), b"1234")

    def test_force_replaces_what_a_link_leads_to(self):
        os.mkdir("elsewhere")
        write("elsewhere/target", b"old")
        os.symlink("elsewhere/target", "x.floe")
        write("x", b"1234")
        self.fail(1, "x", mentions="x.floe")
        self.succeed("-qf", "x")
        self.assertTrue(os.path.islink("x.floe"))
        self.assertEqual(self.succeed("-dc", "elsewhere/target").out, b"1234")
        os.remove("elsewhere/target")
        self.fail(1, "-f", "x", mentions="leads nowhere")


def floe_into(out, *arguments):
    return subprocess.run([PROGRAM, *arguments], stdout=out, stderr=subprocess.DEVNULL, check=False).returncode


class Attributes(ProgramTest):
    def test_mode_and_times_are_those_of_the_source(self):
        for mode in (0o600, 0o644, 0o400, 0o751):
            write("x", b"1234")
            os.chmod("x", mode)
            os.utime("x", ns=(1_111_111_111_123_456_789, 1_222_222_222_987_654_321))
            self.succeed("-q", "x")
            os.remove("x")
            self.succeed("-dq", "x.floe")
            for name in ("x.floe", "x"):
                status = os.stat(name)
                self.assertEqual(stat.S_IMODE(status.st_mode), mode, name)
                self.assertEqual(status.st_mtime_ns, 1_222_222_222_987_654_321, name)
                os.remove(name)

    def test_setuid_is_not_copied(self):
        write("x", b"1234")
        os.chmod("x", 0o4755)
        self.succeed("-q", "x")
        self.assertEqual(stat.S_IMODE(os.stat("x.floe").st_mode), 0o755)

    def test_results_of_standard_input_obey_the_umask(self):
        self.addCleanup(os.umask, os.umask(0o027))
        self.succeed("-q", "-o", "x.floe", stdin=b"1234")
        self.assertEqual(stat.S_IMODE(os.stat("x.floe").st_mode), 0o640)

    @unittest.skipUnless(os.geteuid() == 0, "only root can give files away")
    def test_owner_is_that_of_the_source(self):
        write("x", b"1234")
        os.chown("x", 12345, 23456)
        self.succeed("-q", "x")
        status = os.stat("x.floe")
        self.assertEqual((status.st_uid, status.st_gid), (12345, 23456))


class Deleting(ProgramTest):
    def test_rm(self):
        write("a", b"1234")
        write("b", b"5678")
        self.succeed("-q", "--rm", "--verify", "--fsync", "a", "b")
        self.assertEqual(self.files(), ["a.floe", "b.floe"])
        self.succeed("-dq", "--rm", "a.floe", "b.floe")
        self.assertEqual(self.files(), ["a", "b"])

    def test_rm_of_a_link_deletes_the_link(self):
        write("target", b"1234")
        os.symlink("target", "x")
        self.succeed("-q", "--rm", "x")
        self.assertEqual(self.files(), ["target", "x.floe"])

    def test_rm_keeps_the_source_when_anything_fails(self):
        write("x", b"1234567")
        self.fail(1, "--rm", "--dtype", "f64", "x")
        write("x.floe", b"precious")
        self.fail(1, "--rm", "x")
        self.fail(3, "-d", "--rm", "-o", "y", "x.floe")

    def test_rm_needs_a_result_that_lasts(self):
        write("x", b"1234")
        self.fail(2, "--rm", "-c", "x", mentions="--rm")
        self.fail(2, "--rm", "-k", "x", mentions="--rm")
        self.fail(2, "--rm", "-o", "/dev/null", "x", mentions="--rm")
        self.fail(2, "--rm", "-o", "-", "x", mentions="--rm")
        self.fail(2, "--rm", "-o", "y", "-", mentions="--rm")
        self.fail(2, "--rm", "-t", "x", mentions="--rm")

    def test_keep_is_accepted(self):
        write("x", b"1234")
        self.succeed("-kq", "x")
        self.succeed("-dkfq", "x.floe")
        self.assertEqual(self.files(), ["x", "x.floe"])


class SpecialFiles(ProgramTest):
    def test_dev_null(self):
        before = os.stat("/dev/null")
        write("x", b"1234")
        self.succeed("-q", "-o", "/dev/null", "x")
        self.succeed("-q", "x")
        self.succeed("-dqf", "-o", "/dev/null", "x.floe")
        after = os.stat("/dev/null")
        self.assertEqual((before.st_mode, before.st_ino, before.st_uid), (after.st_mode, after.st_ino, after.st_uid))

    def test_dev_stdout_is_standard_output(self):
        write("x", b"1234")
        self.assertEqual(self.succeed("-q", "-o", "/dev/stdout", "x").out, self.succeed("-c", "x").out)

    def test_fifos(self):
        os.mkfifo("in")
        os.mkfifo("out")
        self.fail(1, "in", mentions="not a regular file")
        self.fail(1, "-l", "in", mentions="not a regular file")
        write("out-source", b"1234")
        os.rename("out", "out-source.floe")
        self.fail(1, "out-source", mentions="not a regular file")
        writer = threading.Thread(target=write, args=("in", b"1234" * 100000))
        writer.start()
        frame = self.succeed("-c", "in").out
        writer.join()
        self.assertEqual(self.succeed("-d", stdin=frame).out, b"1234" * 100000)
        received = []
        reader = threading.Thread(target=lambda: received.append(read("out-source.floe")))
        reader.start()
        self.succeed("-q", "-o", "out-source.floe", "--", "out-source")
        reader.join()
        self.assertEqual(self.succeed("-d", stdin=received[0]).out, b"1234")
        self.assertTrue(stat.S_ISFIFO(os.stat("out-source.floe").st_mode))

    def test_files_of_the_kernel_have_contents_of_unknown_length(self):
        if not os.path.exists("/proc/version"):
            self.skipTest("no /proc")
        self.assertEqual(self.succeed("-d", stdin=self.succeed("-c", "/proc/version").out).out, read("/proc/version"))


if __name__ == "__main__":
    main()
