"""By how many bytes does incompressible input grow? Random bytes, taken as every element type, through every codec and goal."""

import json
import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from markdown_block import table  # noqa: E402

# The promise: no more than this share of the input, and these bytes.
ALLOWED_SHARE, ALLOWED_BYTES = 0.004, 256
# Around nothing, a chunk, a few chunks, and long; cut to whole elements.
SIZES = (0, 1, 2, 4, 8, 100, 1000, 16376, 16384, 16392, 32776, 100_000, 1 << 20, (1 << 24) - 8, 1 << 24)
GOALS = ("speed", "balance", "ratio", "max")
ELEMENT_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "bool": 1} | {f"{kind}{bits}": bits // 8 for kind in "iu" for bits in (8, 16, 32, 64)}


def restored(program: str, *options: str, content: bytes) -> bytes:
    return subprocess.run([program, "--quiet", "-c", *options], input=content, stdout=subprocess.PIPE, check=True).stdout


def methods(program: str) -> list[tuple[str, str, str]]:
    """Option, value and element type: every codec, and every goal, with the types that it takes."""
    listed = json.loads(subprocess.run([program, "codecs", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    return [("--codec", codec["name"], dtype) for codec in listed for dtype in codec["dtypes"]] + [("--goal", goal, dtype) for goal in GOALS for dtype in ELEMENT_BYTES]


def growth_rows(program: str, rng: random.Random) -> list[dict]:
    rows = []
    for option, name, dtype in methods(program):
        for size in sorted({size - size % ELEMENT_BYTES[dtype] for size in SIZES}):
            content = rng.randbytes(size)
            frame = restored(program, "--dtype", dtype, option, name, content=content)
            exact = restored(program, "-d", content=frame) == content
            growth = len(frame) - size
            within = exact and growth <= ALLOWED_SHARE * size + ALLOWED_BYTES
            row = {"dtype": dtype, "codec": name if option == "--codec" else f"{option} {name}", "input_bytes": size, "stored_bytes": len(frame), "growth_bytes": growth}
            rows.append(row | {"exact": "yes" if exact else "no", "within": "yes" if within else "NO"})
    return rows


def growth_table(rows: list[dict]) -> str:
    """The worst of each codec and width, for inputs that are small and large."""
    header = ["codec", "element types", "at most 1000 bytes", "up to 1 MiB", "16 MiB", "16 MiB, share", "within the limit"]
    groups: dict[tuple[str, int], list[dict]] = {}
    for row in rows:
        groups.setdefault((row["codec"], ELEMENT_BYTES[row["dtype"]]), []).append(row)
    lines = []
    for (codec, _), group in groups.items():
        small = max(row["growth_bytes"] for row in group if row["input_bytes"] <= 1000)
        medium = max(row["growth_bytes"] for row in group if 1000 < row["input_bytes"] <= 1 << 20)
        large = max((row for row in group if row["input_bytes"] > 1 << 20), key=lambda row: row["growth_bytes"])
        share = f"{100 * large['growth_bytes'] / large['input_bytes']:.3f} %"
        dtypes = " ".join(dict.fromkeys(row["dtype"] for row in group))
        within = "yes" if all(row["within"] == "yes" for row in group) else "NO"
        lines.append([codec, dtypes, f"+{small}", f"+{medium}", f"+{large['growth_bytes']}", share, within])
    return table(header, lines, left_columns=2)
