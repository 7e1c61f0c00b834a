"""What the program does when a person sits at a terminal in front of it."""
import os
import pty
import subprocess
import threading
import time

from program import PROGRAM, ProgramTest, array_bytes, main, random_bytes, read, write


class Terminal:
    """A pseudo-terminal, and all that was written to it."""

    def __enter__(self):
        self.master, self.slave = pty.openpty()
        self.text = b""
        return self

    def __exit__(self, *_):
        os.close(self.slave)
        while True:
            try:
                block = os.read(self.master, 65536)
            except OSError:
                break
            if not block:
                break
            self.text += block
        os.close(self.master)


def run(*arguments, **streams):
    streams.setdefault("stdin", subprocess.DEVNULL)
    process = subprocess.Popen([PROGRAM, *arguments], **streams)
    return process.wait(timeout=60)


class Terminals(ProgramTest):
    def setUp(self):
        super().setUp()
        write("x.f32", array_bytes("f32", 10))
        self.succeed("-q", "x.f32")

    def output_on_terminal(self, *arguments, stdin=None):
        with Terminal() as terminal, open("err", "wb") as err:
            code = run(*arguments, stdin=stdin or subprocess.DEVNULL, stdout=terminal.slave, stderr=err)
        return code, terminal.text, read("err").decode()

    def test_compressed_data_are_refused(self):
        code, out, err = self.output_on_terminal("-c", "x.f32")
        self.assertEqual((code, out, err.count("\n")), (1, b"", 1))
        self.assertIn("terminal", err)
        with open("x.f32", "rb") as source:
            code, out, err = self.output_on_terminal(stdin=source)
        self.assertEqual((code, out), (1, b""))

    def test_numbers_are_refused_and_text_is_not(self):
        code, out, err = self.output_on_terminal("-dc", "x.f32.floe")
        self.assertEqual((code, out, err.count("\n")), (1, b"", 1))
        self.assertIn("f32", err)
        code, out, _ = self.output_on_terminal("-d", "-c", "--slice", "0:2", "x.f32.floe")
        self.assertEqual((code, out), (1, b""))
        write("table.csv", b"1,2,3")
        self.succeed("-q", "table.csv")
        self.assertEqual(self.output_on_terminal("-dc", "table.csv.floe")[:2], (0, b"1,2,3"))

    def test_force_writes_all_the_same(self):
        code, out, _ = self.output_on_terminal("-cf", "x.f32")
        self.assertEqual(code, 0)
        self.assertTrue(out.startswith(b"FLOE"))
        self.assertEqual(self.output_on_terminal("-dcf", "x.f32.floe")[0], 0)

    def test_a_terminal_named_as_output(self):
        with Terminal() as terminal:
            code = run("-o", os.ttyname(terminal.slave), "x.f32", stderr=subprocess.DEVNULL)
        self.assertEqual((code, terminal.text), (1, b""))

    def test_compressed_data_are_not_read_from_a_terminal(self):
        for arguments in (["-d"], ["-t"]):
            with Terminal() as terminal:
                done = subprocess.run([PROGRAM, *arguments], stdin=terminal.slave, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1))

    def errors_of_slow_source(self, pieces, *words):
        """What a run prints whose source "slow" is a fifo that is filled slowly enough for a progress line."""
        os.mkfifo("slow")

        def fill():
            with open("slow", "wb") as fifo:
                for piece in pieces:
                    fifo.write(piece)
                    fifo.flush()
                    time.sleep(0.15)

        filler = threading.Thread(target=fill)
        filler.start()
        with Terminal() as terminal:
            code = run(*words, "slow", stderr=terminal.slave)
        filler.join()
        os.remove("slow")
        self.assertEqual(code, 0)
        return terminal.text

    def test_progress_is_shown_and_wiped_out(self):
        for options, shown in (([], True), (["-q"], False)):
            text = self.errors_of_slow_source([random_bytes(4 << 20)] * 3, *options, "-f", "-o", "slow.floe")
            if shown:
                self.assertIn(b"\rslow : ", text)
                line = text.rsplit(b"\r\x1b[K", 1)[1]
                self.assertRegex(line, rb"^slow : 100\.\d % \(12\.6 MB -> ")
            else:
                self.assertEqual(text, b"")

    def test_progress_of_tables(self):
        rows = b"".join(b"%d,%d.5,note\n" % (i, i % 10) for i in range(300000))
        pieces = [b"a,b,c\n" + rows, b"too,few\n" + rows, rows]
        text = self.errors_of_slow_source(pieces, "-f", "-o", "slow.floe")
        self.assertIn(b"\rslow : ", text)
        # What stays on the screen: the note, and then the summary.
        note, summary, end = text.rsplit(b"\r\x1b[K", 1)[1].split(b"\r\n")
        self.assertEqual(note, b"floe: note: slow: line 300002, column 3: 2 cells do not make a row; kept as it is")
        self.assertRegex(summary, rb"^slow : \d+\.\d % \(1\d\.\d MB -> .*, ratio .*, table of 3 columns, 900000 rows, CSV\)$")
        self.assertEqual((end, text.count(b"note: ")), (b"", 1))


if __name__ == "__main__":
    main()
