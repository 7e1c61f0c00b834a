"""Ranks of MPI write one file together: mpirun -n R python ranks.py FOLDER RUNS THREADS. Rank 0 prints the best seconds.

An array of 256 MiB of f32, a random walk rounded to hundredths, of which every rank has as much as the others.
"""

import sys

import floe.mpi
import numpy as np
from mpi4py import MPI

ELEMENTS = 1 << 26


def main() -> None:
    folder, runs, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    world = MPI.COMM_WORLD
    noise = np.random.default_rng(world.rank).normal(size=ELEMENTS // world.size)
    mine = (280 + np.cumsum(noise) / 100).round(2).astype("f4")
    best = float("inf")
    for _ in range(runs):
        world.Barrier()
        begin = MPI.Wtime()
        floe.mpi.save(f"{folder}/{world.size}.floe", mine, threads=threads)
        world.Barrier()
        best = min(best, MPI.Wtime() - begin)
    if world.rank == 0:
        print(best)


main()
