"""Does --device choose what does the work, and say clearly when it is not there?

Runs with any build: one without CUDA, one with CUDA and no GPU, and one with GPUs.
"""
import json
import unittest

from program import ProgramTest, array_bytes, floe, main, read, write


def has_devices():
    write("probe", b"12345678")
    return floe("-q", "-c", "--device", "cuda", "probe").code == 0


class Devices(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = array_bytes("f64", 30000)
        write("x.f64", self.data)

    def test_values(self):
        for text in ("", "gpu", "cuda:", "cuda:a", "cuda:1-0", "cuda:0,0", "cuda:0-2,1", "cuda:-1", "cuda:0-", "cuda:99999", "CUDA", "cpu:0"):
            self.fail(2, "--device", text, "x.f64", mentions="--device")

    def test_devices_have_a_profile(self):
        """The device never changes the bytes: they are those of --profile gpu, also where there is no device."""
        self.succeed("-q", "--profile", "gpu", "-o", "gpu", "x.f64")
        self.succeed("-q", "-o", "cpu", "x.f64")
        for options, expected in ((["--device", "auto"], "gpu"), (["--device", "auto", "--profile", "cpu"], "cpu"), (["--device", "cpu"], "cpu")):
            self.succeed("-q", *options, "-f", "-o", "x.floe", "x.f64")
            self.assertEqual(read("x.floe"), read(expected), options)
            for device in ("cpu", "auto"):
                self.succeed("-q", "-t", "--device", device, "x.floe")
                self.succeed("-q", "-d", "--device", device, "-f", "-o", "back", "x.floe")
                self.assertEqual(read("back"), self.data)
                part = self.succeed("-dc", "--device", device, "--slice", "1000:50", "x.floe").out
                self.assertEqual(part, self.data[8000:8400])

    def test_no_devices(self):
        if has_devices():
            self.skipTest("there are devices")
        self.succeed("-q", "-o", "x.floe", "x.f64")
        for command in (["-o", "y.floe", "x.f64"], ["-d", "-o", "y", "x.floe"], ["-t", "x.floe"], ["bench", "x.f64"]):
            for device in ("cuda", "cuda:0-1"):
                result = floe(*command, "--device", device)
                self.assertEqual(result.code, 1)
                self.assertEqual(len(result.lines), 1)
                self.assertRegex(result.err, f"--device {'cuda' if device == 'cuda' else 'cuda:0,1'}: .*(without CUDA|driver|no CUDA device)")
        self.assertNotIn("y.floe", self.files())

    def test_tables(self):
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        self.fail(2, "series", "decompress", "--device", "tpu", "a.csv.floe", mentions="--device")
        for profile, rows in (("gpu", "3000"), ("cpu", "20000")):
            self.succeed("series", "compress", "-q", "--force", "--profile", profile, "--segment-rows", rows, "a.csv")
            self.assertEqual(self.succeed("series", "decompress", "--device", "auto", "-o", "-", "a.csv.floe").out, read("a.csv"))
            result = floe("series", "decompress", "--device", "cuda", "-o", "-", "a.csv.floe")
            if has_devices():
                self.assertEqual(result.out, read("a.csv"))
                continue
            self.assertEqual(result.code, 1)
            self.assertRegex(result.err, "--device cuda: .*(without CUDA|driver|no CUDA device)")
        for position in (200, len(read("a.csv.floe")) // 2, len(read("a.csv.floe")) - 20):
            damaged = bytearray(read("a.csv.floe"))
            damaged[position] ^= 1
            write("b.floe", bytes(damaged))
            plain, beside = (floe("series", "decompress", "--device", device, "-o", "-", "b.floe") for device in ("cpu", "auto"))
            self.assertEqual((plain.code, plain.out, plain.err), (beside.code, beside.out, beside.err))

    def test_compressed_tables(self):
        """The device never changes the bytes: they are those of --profile gpu, also where there is no device."""
        self.succeed("series", "generate", "-o", "a.csv", "20000")
        self.fail(2, "series", "compress", "--device", "tpu", "a.csv", mentions="--device")
        self.fail(2, "series", "compress", "--device", "auto", "--planner", "edgestat", "a.csv", mentions="--planner")
        rows = ("--segment-rows", "900")
        self.succeed("series", "compress", "-q", "--profile", "gpu", *rows, "-o", "plain.floe", "a.csv")
        for device in ("auto", "cuda", "cuda:0"):
            result = floe("series", "compress", "-v", "--device", device, *rows, "-o", "x.floe", "--force", "a.csv")
            if device != "auto" and not has_devices():
                self.assertEqual(result.code, 1)
                self.assertRegex(result.err, f"--device {device}: .*(without CUDA|driver|no CUDA device)")
                continue
            self.assertEqual(result.code, 0, result.err)
            self.assertEqual("encoded by devices" in result.err, has_devices())
            self.assertEqual(read("x.floe"), read("plain.floe"))
        self.succeed("series", "compress", "-q", "--force", *rows, "-o", "plain.floe", "a.csv")
        self.succeed("series", "compress", "-q", "--force", "--device", "auto", "--profile", "cpu", *rows, "-o", "x.floe", "a.csv")
        self.assertEqual(read("x.floe"), read("plain.floe"))
        self.succeed("series", "compress", "-q", "--force", "--profile", "gpu", "-o", "plain.floe", "a.csv")
        self.succeed("series", "compress", "-q", "--force", "--profile", "gpu", "--segment-rows", "65536", "-o", "x.floe", "a.csv")
        self.assertEqual(read("x.floe"), read("plain.floe"))

    def test_devices(self):
        if not has_devices():
            self.skipTest("no device")
        self.succeed("-q", "--profile", "gpu", "-o", "plain", "x.f64")
        self.succeed("-q", "--device", "cuda", "-o", "x.floe", "x.f64")
        self.assertEqual(read("x.floe"), read("plain"))
        self.assertEqual(floe("-q", "-d", "-c", "--device", "cuda:0", stdin=read("x.floe")).out, self.data)
        self.fail(1, "--device", "cuda:1000", "x.f64", mentions="no CUDA device of this number")
        damaged = bytearray(read("x.floe"))
        damaged[5000] ^= 1
        write("x.floe", bytes(damaged))
        self.assertEqual(floe("-t", "--device", "cuda", "x.floe").err, floe("-t", "x.floe").err)

    def test_what_the_cpu_does_alone(self):
        self.fail(2, "--container", "gfc", "--device", "cuda", "x.f64", mentions="--container")

    def test_bench_says_the_device(self):
        rows = json.loads(self.succeed("bench", "--runs", "1", "--codec", "dpspeed", "--json", "x.f64").out)
        self.assertEqual([row["device"] for row in rows], ["cpu"])


if __name__ == "__main__":
    main()
