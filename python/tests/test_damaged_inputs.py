"""Do files of others that are damaged, or made to harm, end in an error of floe? Headers of safetensors, .npy, .npz, gzip, Arrow.

``python python/tests/test_damaged_inputs.py SECONDS`` goes on with atheris, a fuzzer of Python code, on headers of safetensors.
"""

import gzip
import io
import json
import sys

import numpy as np

import floe
import floe.__main__ as program
import floe.safetensors as ours
from floe import _safetensors_header as headers

HEADER = {
    "__metadata__": {"format": "pt"},
    "a": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]},
    "b": {"dtype": "F8_E4M3", "shape": [5], "data_offsets": [24, 29]},
}
PIECES = [b"1e999", b"-1", b"NaN", b"Infinity", b"\\ud800", b"[" * 3000, b"null", b"{}", b"[]", b'""', b"9" * 5000, b"1.5", b'"x"', b"\xff\xfe"]


def changes(data, count, seed):
    """One to three bytes set, cut off or moved, or what JSON may say and few expect, at positions of the data."""
    random = np.random.default_rng(seed)
    for _ in range(count):
        changed = bytearray(data)
        for _ in range(random.integers(1, 4)):
            at, kind = int(random.integers(0, len(changed) + 1)), random.integers(0, 8)
            if kind == 0:
                changed = changed[: at + 1]
            elif kind < 4:
                changed[at : at + int(random.integers(0, 9))] = PIECES[random.integers(0, len(PIECES))]
            elif at < len(changed):
                changed[at] = random.integers(0, 256)
        yield bytes(changed)


def take_header(header):
    """What is accepted can be written again, and read again with the same tensors."""
    try:
        tensors, metadata = headers.parse(header)
    except floe.Error:
        return False
    again = headers.header_of(tensors, {str(key): "" for key in metadata if str(key).isascii()})
    assert headers.parse(again[8:])[0] == tensors
    for tensor in tensors:
        assert tensor.is_whole() in (True, False) and tensor.element_shape is not None
    return True


def test_headers_of_safetensors():
    header = json.dumps(HEADER).encode()
    assert take_header(header)
    for position in range(len(header)):
        for piece in PIECES:
            take_header(header[:position] + piece + header[position + 1 :])
    assert 0 < sum(take_header(changed) for changed in changes(header, 3000, 1)) < 3000
    assert not take_header(header.decode().encode("utf-16"))
    assert not take_header(b'{"\\ud800": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]}}')
    assert not take_header(b'{"a": {"dtype": "U8", "shape": [1e999], "data_offsets": [0, 0]}}')


def test_safetensors_files(tmp_path):
    header = json.dumps(HEADER).encode()
    source, packed, back = tmp_path / "a", tmp_path / "b", tmp_path / "c"
    for changed in changes(len(header).to_bytes(8, "little") + header + bytes(29), 300, 2):
        source.write_bytes(changed)
        try:
            ours.compress_file(source, packed)
        except floe.Error:
            continue
        ours.restore_file(packed, back)
        assert back.read_bytes() == changed


def damaged_files():
    array, several = io.BytesIO(), io.BytesIO()
    np.save(array, np.arange(60, dtype="f4").reshape(3, 20))
    np.savez_compressed(several, a=np.arange(40), b=np.arange(40) / 8)
    yield ".npy", array.getvalue()
    yield ".npz", several.getvalue()
    yield ".csv.gz", gzip.compress(b"a,b\n" + b"1,2.5\n" * 300, mtime=0)
    try:
        import pyarrow.feather
    except ImportError:
        return
    arrow = io.BytesIO()
    pyarrow.feather.write_feather(pyarrow.table({"a": [1, 2, 3], "b": [0.5, 1.5, 2.5]}), arrow)
    yield ".arrow", arrow.getvalue()


def test_the_program_ends_in_a_line(tmp_path, capsys):
    for suffix, whole in damaged_files():
        path = tmp_path / f"x{suffix}"
        outcomes = set()
        for changed in changes(whole, 150, 3):
            path.write_bytes(changed)
            status = program.main(["compress", str(path), "-o", str(tmp_path / "x.floe")])
            said = capsys.readouterr().err
            assert status in (0, 1, 3) and said.count("\n") >= (status != 0), (suffix, changed)
            outcomes.add(status)
        assert len(outcomes) > 1, suffix


def fuzz(seconds):
    import tempfile

    import atheris

    atheris.instrument_func(headers.parse)
    with tempfile.NamedTemporaryFile() as seed:
        seed.write(json.dumps(HEADER).encode())
        seed.flush()
        options = [f"-max_total_time={seconds}", "-max_len=4096", "-print_final_stats=1", f"-seed_inputs={seed.name}"]
        atheris.Setup([sys.argv[0], *options], take_header_quietly)
        atheris.Fuzz()


def take_header_quietly(header):
    take_header(header)


if __name__ == "__main__":
    fuzz(int(sys.argv[1]) if len(sys.argv) > 1 else 60)
