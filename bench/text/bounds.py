#!/usr/bin/env python3
"""How many bytes would the cells of tables take that are independent of each other and of other columns?

    bench/text/bounds.py FILE...

Writes the lines of the table of noise in docs/benchmarks/text.md, with sizes of docs/benchmarks/text.csv. Needs numpy.
"""

import csv
import math
import sys
from collections import Counter
from decimal import Decimal, InvalidOperation
from pathlib import Path

import numpy as np

SIZES = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "text.csv"
NEIGHBOURS = 2


def bits_of_words(words: list[str]) -> float:
    return -sum(count * math.log2(count / len(words)) for count in Counter(words).values())


def bits_of_numbers(numbers: np.ndarray, steps: np.ndarray) -> float:
    """By how far away the neighbours of each number are in the order of all, in steps; of numbers that repeat by how often they do."""
    ordered, count = np.sort(numbers), len(numbers)
    first = np.searchsorted(ordered, numbers)
    repeats = np.searchsorted(ordered, numbers, side="right") - first
    low = ordered[np.clip(first - NEIGHBOURS, 0, count - 1)]
    high = ordered[np.clip(first + NEIGHBOURS, 0, count - 1)]
    near = np.searchsorted(ordered, high, side="right") - np.searchsorted(ordered, low)
    width = np.maximum((high - low) * near / np.maximum(near - 1, 1), high - low + steps)
    by_distance = np.log2(width / steps) - np.log2(near / count)
    return float(np.where(repeats > NEIGHBOURS, -np.log2(repeats / count), by_distance).sum())


def numbers_and_steps(cells: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a magnitude have the step of the one with the most digits, without zeros at the end."""
    decimals = [Decimal(cell).normalize() for cell in cells]
    numbers = np.array([float(decimal) for decimal in decimals])
    steps: dict[int, int] = {}
    for decimal in filter(None, decimals):
        magnitude = decimal.adjusted()
        steps[magnitude] = min(steps.get(magnitude, 99), decimal.as_tuple().exponent)
    finest = min(steps.values(), default=0)
    exponents = [steps[decimal.adjusted()] if decimal else finest for decimal in decimals]
    return numbers, np.maximum(10.0 ** np.array(exponents), np.spacing(np.abs(numbers)))


def is_number(cell: str) -> bool:
    try:
        return Decimal(cell).is_finite()
    except InvalidOperation:
        return False


def bits_of_column(cells: list[str]) -> float:
    texts = [cell for cell in cells if is_number(cell)]
    if len(texts) * 2 < len(cells):
        return bits_of_words(cells)
    numbers, steps = numbers_and_steps(texts)
    bits = min(bits_of_numbers(numbers, steps), bits_of_numbers(np.diff(numbers, prepend=0.0), steps))
    return bits + bits_of_words(["" if is_number(cell) else cell + "x" for cell in cells])


def bound(path: Path) -> float:
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    width = Counter(map(len, rows)).most_common(1)[0][0]
    rows = [row for row in rows if len(row) == width]
    has_names = not any(map(is_number, rows[0]))
    return sum(bits_of_column(list(column)) for column in zip(*rows[has_names:], strict=True)) / 8


def main() -> None:
    with SIZES.open(newline="", encoding="utf-8") as file:
        sizes = {row["file"]: row for row in csv.DictReader(file)}
    for path in map(Path, sys.argv[1:]):
        least, row = bound(path), sizes[path.name]
        ratios = (f"{int(row[size]) / least:.2f}" for size in ("zstd -19", "floe ratio", "floe max"))
        print(f"| {path.stem} | {f'{round(least):,}'.replace(',', ' ')} | {' | '.join(ratios)} |")


if __name__ == "__main__":
    main()
