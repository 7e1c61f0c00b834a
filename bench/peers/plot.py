#!/usr/bin/env python3
"""Where do floe and its peers stand between ratio and speed? Draws FOLDER/decompress.svg and FOLDER/compress.svg from FOLDER/peers.csv.

Usage: plot.py FOLDER
"""

import io
import sys
from collections import Counter
from itertools import product
from pathlib import Path

import matplotlib
from matplotlib.ticker import FuncFormatter, NullFormatter
from summary import Row, Summary, files_of, frontier, memcpy_of, read_rows, summaries

matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

INK, PALE, PEER, FLOE = "#334155", "#cbd5e1", "#64748b", "#c2410c"
STYLE = {
    "svg.fonttype": "none",  # text stays text: small files, and readers' own fonts
    "svg.hashsalt": "floe",
    "font.family": "sans-serif",
    "font.size": 9,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
}
LINE = {"arrowstyle": "-", "color": PEER, "linewidth": 0.5, "shrinkA": 0, "shrinkB": 3}
# Where a label may stand beside its point, in points (1/72 inch), the first free place wins.
DIRECTIONS = ((7, 0), (-7, 0), (0, 7), (0, -7), (6, 6), (6, -6), (-6, 6), (-6, -6))
PLACES = [(dx * r, dy * r) for r, (dx, dy) in product((1, 1.7, 2.6, 3.6, 5, 7, 9, 12), DIRECTIONS)]


Points = list[tuple[Summary, float, float]]


def labels(points: Points) -> dict[str, str]:
    """The names, without the setting where a compressor has only one."""
    compressors = Counter(summary.compressor for summary, _, _ in points)
    return {summary.name: summary.compressor if compressors[summary.compressor] == 1 else summary.name for summary, _, _ in points}


def place_labels(axes, points: Points) -> None:
    """Writes each name where it covers neither a point nor another name; floe's names come first. Far names get a line to their point."""
    names = labels(points)
    renderer = axes.figure.canvas.get_renderer()
    pixels = axes.figure.dpi / 72
    taken = []
    for _, x, y in points:
        px, py = axes.transData.transform((x, y))
        radius = 3 * pixels
        taken.append(matplotlib.transforms.Bbox.from_extents(px - radius, py - radius, px + radius, py + radius))
    inside = axes.get_window_extent(renderer)
    for summary, x, y in sorted(points, key=lambda point: not point[0].is_floe):
        weight, color, size = ("bold", FLOE, 9) if summary.is_floe else ("normal", PEER, 7.5)
        for dx, dy in PLACES:
            horizontal = "left" if dx > 0 else "right" if dx < 0 else "center"
            vertical = "bottom" if dy > 0 else "top" if dy < 0 else "center"
            text = axes.annotate(names[summary.name], (x, y), (dx, dy), textcoords="offset points", color=color)
            text.set(ha=horizontal, va=vertical, weight=weight, size=size)
            box = text.get_window_extent(renderer)
            if inside.contains(box.x0, box.y0) and inside.contains(box.x1, box.y1) and not any(box.overlaps(other) for other in taken):
                taken.append(box)
                if max(abs(dx), abs(dy)) > 8:
                    axes.annotate("", (x, y), (dx, dy), textcoords="offset points", arrowprops=LINE)
                break
            text.remove()
        else:
            raise ValueError(f"no room for the label {summary.name}")


def draw_panel(axes, title: str, found: list[Summary], speed: str, limit: float, limit_name: str) -> Points:
    """Everything but the names, which need to know how large the panel became. `limit` is the speed of a copy."""
    points = [(summary, summary.ratio, getattr(summary, speed)) for summary in found]
    ratios, speeds = [ratio for _, ratio, _ in points], [value for _, _, value in points]
    left, right = min(ratios), max(ratios)
    axes.set_xlim(left - 0.12 * (right - left), right + 0.25 * (right - left))
    axes.set_yscale("log")
    axes.set_ylim(min(speeds) / 1.8, limit * 1.6)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.grid(color="#f1f5f9", which="major")
    axes.set_axisbelow(True)
    axes.set_title(title, size=10, loc="left")
    axes.set_xlabel("ratio (geometric mean)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.axhline(limit, color=PALE, linewidth=1, linestyle=(0, (4, 3)))
    axes.annotate(limit_name, (1, limit), (0, 2), xycoords=("axes fraction", "data"), textcoords="offset points", ha="right", va="bottom", size=7.5)
    front = frontier(found, speed)
    axes.step([s.ratio for s in front], [getattr(s, speed) for s in front], where="post", color="#94a3b8", linewidth=1.2, zorder=1)
    for summary, x, y in points:
        color, size = (FLOE, 46) if summary.is_floe else (PEER, 18)
        axes.scatter([x], [y], s=size, color=color, zorder=3 if summary.is_floe else 2, linewidths=0)
    return points


def draw(path: Path, panels: list[tuple[str, list[Summary], float]], speed: str, limit_name: str, unit: str) -> None:
    """A picture with a panel per (title, compressors, speed of a copy)."""
    figure, all_axes = pyplot.subplots(1, len(panels), figsize=(9.6, 5.0), layout="constrained")
    points = [
        draw_panel(axes, title, found, speed, limit, limit_name) for axes, (title, found, limit) in zip(all_axes, panels)
    ]
    all_axes[0].set_ylabel(f"{speed} {unit}")
    figure.canvas.draw()
    figure.set_layout_engine("none")
    for axes, panel_points in zip(all_axes, points):
        place_labels(axes, panel_points)
    drawing = io.StringIO()
    figure.savefig(drawing, format="svg", metadata={"Date": None, "Creator": None}, facecolor="white")
    pyplot.close(figure)
    lines = (line.rstrip() for line in drawing.getvalue().splitlines())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def timed(rows: list[Row], class_: str) -> list[Summary]:
    return [summary for summary in summaries(rows, class_) if summary.is_timed]


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    rows = read_rows(folder / "peers.csv")
    panels = [(f"{class_}, {len(files_of(rows, class_))} files", timed(rows, class_), memcpy_of(rows, class_)) for class_ in ("f32", "f64")]
    with matplotlib.rc_context(STYLE):
        for speed in ("decompress", "compress"):
            draw(folder / f"{speed}.svg", panels, speed, "memcpy", "GB/s, one thread (geometric mean)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
