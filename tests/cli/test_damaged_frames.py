"""Is damage, and what is no frame at all, told in one clear line, with the right exit code and without a file?"""
import gzip
import os
import struct

from program import ProgramTest, array_bytes, floe, main, npy_bytes, read, write


class DamagedFrames(ProgramTest):
    def setUp(self):
        super().setUp()
        self.data = array_bytes("f32", 5000)
        write("x.f32", self.data)
        self.succeed("-q", "--segment", "16K", "x.f32")
        os.remove("x.f32")
        self.frame = read("x.f32.floe")

    def refused(self, damaged, code=3):
        write("x.f32.floe", damaged)
        for command in (["-d"], ["-t"], ["-d", "--slice", "0:5000", "-o", "part"]):
            result = self.fail(code, *command, "x.f32.floe", mentions="x.f32.floe")
        return result

    def test_truncated(self):
        self.assertIn("is empty", self.refused(b"").err)
        for size in (1, 3, 4, 17, 63, 64, 65, 1000, 9000, len(self.frame) // 2, len(self.frame) - 1):
            self.assertIn(f"the frame is cut at byte {size}: ", self.refused(self.frame[:size]).err)

    def test_flipped(self):
        for position in (0, 3, 9, 30, 70, 500, len(self.frame) // 2, len(self.frame) - 40, len(self.frame) - 1):
            damaged = bytearray(self.frame)
            damaged[position] ^= 0x10
            write("x.f32.floe", damaged)
            for command in (["-d"], ["-t"]):
                result = floe(*command, "x.f32.floe")
                self.assertIn(result.code, (1, 3), position)
                self.assertEqual(len(result.lines), 1)
                self.assertEqual(self.files(), ["x.f32.floe"])

    def test_bytes_after_the_frame(self):
        self.refused(self.frame + b"more")
        self.refused(self.frame + self.frame)

    def test_no_frame_at_all(self):
        for content, what in (
            (b"This is the text of another program, long enough to hold a header.", "text, not a floe frame"),
            (bytes(range(128, 228)) * 100, "not a floe frame: it begins with 80 81 82 83 84 85 86 87"),
            (gzip.compress(b"1234"), "a gzip file, not a floe frame"),
            (npy_bytes("'<f4'", (3,), bytes(12)), "an .npy file, not a floe frame"),
            (b"\x89HDF\r\n\x1a\n" + bytes(100), "an HDF5 file, not a floe frame"),
            (b"\x28\xb5\x2f\xfd" + bytes(100), "a Zstandard file, not a floe frame"),
            (b"F", "the frame is cut at byte 1"),
            (b"FLU" + bytes(100), "not a floe frame: it begins with 46 4c 55 00 00 00 00 00"),
        ):
            self.assertIn(what, self.refused(content).err)
            for command in ("inspect", "-l"):
                self.fail(3, command, "x.f32.floe", mentions=what)
            # A wrong name does not hide it.
            os.rename("x.f32.floe", "foreign")
            if content != b"F":
                self.fail(3, "-d", "foreign", mentions=what)
            os.remove("foreign")
            self.assertIn(what, floe("-d", stdin=content).err)

    def test_frames_of_the_future(self):
        for what, offset, value in (("version", 4, b"\x63"), ("feature", 8, struct.pack("<I", 0x40000001)), ("element type", 6, b"\x63"), ("does not know", 5, b"\x63")):
            result = self.refused(with_header_field(self.frame, offset, value), code=1)
            self.assertIn(what, result.err)

    def test_standard_input(self):
        result = floe("-d", stdin=self.frame[:-1])
        self.assertEqual((result.code, len(result.lines)), (3, 1))
        self.assertIn("(standard input)", result.err)

    def test_inspect_and_list(self):
        write("x.f32.floe", self.frame[:-1])
        self.fail(3, "inspect", "x.f32.floe", mentions="x.f32.floe")
        self.fail(3, "-l", "x.f32.floe", mentions="x.f32.floe")

    def test_memory_limit(self):
        write("big", bytes(4 << 20))
        self.succeed("-q", "big")
        os.remove("big")
        self.fail(1, "-d", "--memory", "64K", "big.floe", mentions="memory")
        self.succeed("-q", "-d", "big.floe")


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def with_header_field(frame, offset, value):
    """The frame with other bytes in its header, and the header's checksum made right again."""
    header_bytes = struct.unpack_from("<I", frame, 20)[0]
    header = bytearray(frame[:header_bytes])
    header[offset : offset + len(value)] = value
    header[-4:] = struct.pack("<I", crc32c(header[:-4]))
    return bytes(header) + frame[header_bytes:]


if __name__ == "__main__":
    main()
