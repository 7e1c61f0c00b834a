"""Do the worked examples of the format pages hold? Decodes those of codecs and stages with the reference decoder, and compares the frames of example.md with
their golden files."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "reference_decoder"))

import floe_stages  # noqa: E402

EXAMPLE = re.compile(r"^```\n(?P<name>[a-z0-9_]+)(?P<parameters>(?:, [^\n]+)?)\nin +(?P<before>[^a-z`]+)\nout +(?P<after>[^a-z`]+)\n```$", re.MULTILINE)

STAGES = {
    "delta": floe_stages.undo_delta,
    "zigzag": floe_stages.undo_zigzag,
    "lane_delta": floe_stages.undo_lane_delta,
    "bit_transpose": floe_stages.undo_bit_transpose,
    "bit_pack": floe_stages.undo_bit_pack,
    "offset_pack": floe_stages.undo_offset_pack,
    "byte_pack": floe_stages.undo_byte_pack,
    "drop_zeros": floe_stages.undo_drop_zeros,
    "drop_tops, zero": floe_stages.undo_drop_zero_tops,
    "drop_tops, repeated": floe_stages.undo_drop_repeated_tops,
    "match_history": lambda data, _width, _context: floe_stages.undo_match_history(data),
}


def bytes_from(text):
    """Hexadecimal bytes, where 00*96 stands for 96 bytes of 00."""
    out = b""
    for token in text.split():
        byte, _, count = token.partition("*")
        out += bytes.fromhex(byte) * int(count or 1)
    return out


def decode(name, parameters, data, chunk_bytes):
    width = int((re.search(r"(\d+)-bit", parameters) or [0, 8])[1]) // 8
    context = {"chunk_bytes": chunk_bytes, "dimensionality": int((re.search(r"dimensionality (\d+)", parameters) or [0, 1])[1])}
    variant = re.match(r", (zero|repeated)", parameters)
    stage = STAGES.get(name + (variant[0] if variant else ""))
    if stage:
        return stage(data, width, context)
    codec = next(codec for codec in floe_stages.CODECS.values() if (codec.name, codec.width) == (name, width))
    return codec.decode_chunk(data, chunk_bytes, context["dimensionality"])


class FormatPages(unittest.TestCase):
    def test_examples_decode_to_their_input(self):
        pages = sorted(page for folder in ("codecs", "stages") for page in (ROOT / "docs" / "format" / folder).glob("*.md"))
        self.assertGreaterEqual(len(pages), 15)
        for page in pages:
            text = page.read_text()
            examples = list(EXAMPLE.finditer(text))
            self.assertEqual(len(examples), text.count("\nin   "), f"{page.name}: an example is malformed")
            self.assertGreater(len(examples), 0, f"{page.name} has no example")
            for example in examples:
                with self.subTest(page=page.name, example=example["name"] + example["parameters"]):
                    before = bytes_from(example["before"])
                    after = bytes_from(example["after"])
                    self.assertEqual(decode(example["name"], example["parameters"], after, len(before)), before)

    def test_examples_are_golden_files(self):
        text = (ROOT / "docs" / "format" / "example.md").read_text()
        sections = re.split(r"^## ", text, flags=re.MULTILINE)[1:]
        covered = []
        for section in sections:
            frame = (ROOT / re.search(r"`(tests/golden/[^`]+)`", section)[1]).read_bytes()
            rows = re.findall(r"^\| (\d+) \| `([0-9A-F ]+)` \|", section, re.MULTILINE)
            at = begin = int(rows[0][0])
            for offset, hexadecimal in rows:
                data = bytes.fromhex(hexadecimal)
                self.assertEqual((int(offset), data), (at, frame[at : at + len(data)]))
                at += len(data)
            covered.append((begin, at, len(frame)))
        self.assertEqual(covered, [(0, 304, 304), (144, 160, 224)])


if __name__ == "__main__":
    unittest.main()
