#!/usr/bin/env bash
# Do the installed packages work as their users use them? Runs in a Debian that has them, and nothing of this checkout but
# tests/package/consumer, in the folder that is its argument.
set -euo pipefail  # which a failure before && does not end
trap 'echo "line $LINENO failed" >&2' ERR
consumer=$1
cd "$(mktemp -d)"

echo "The program, its page and what shells complete"
seq 1 5000 | sed 's/$/,1.5/' >table.csv
floe table.csv
floe -d -c table.csv.floe | cmp - table.csv
grep -q 'lossless compression' /usr/share/man/man1/floe.1
# The words are those of bash-completion.
# shellcheck disable=SC1091,SC2034
(
  source /usr/share/bash-completion/completions/floe
  COMP_WORDS=(floe --goal s) COMP_CWORD=2
  _floe
  [[ ${COMPREPLY[*]} == speed ]]
  COMP_WORDS=(floe co) COMP_CWORD=1
  _floe
  [[ ${COMPREPLY[*]} == "compress codecs" ]]
)
[[ $(fish -c 'complete -C "floe --goal "') == *balance* ]]
[[ $(fish -c 'complete -C "floe in"') == inspect* ]]
# zsh says which function completes floe.
# shellcheck disable=SC2016
[[ $(zsh -fc 'autoload -U compinit; compinit -u -D; print $_comps[floe]; autoload +X _floe') == _floe ]]

echo "The filter, without a variable of the environment, in the h5py and the tools of Debian"
python3 - <<'PYTHON'
import h5py
import numpy as np

with h5py.File("a.h5", "w") as file:
    file.create_dataset("x", data=np.arange(1e5), chunks=(10000,), compression=493)
with h5py.File("a.h5") as file:
    assert file["x"].id.get_storage_size() < 100_000 and file["x"][5] == 5
PYTHON
for mpi in openmpi mpich; do  # whose libraries of HDF5 have folders of their own
  [[ -f $(echo /usr/lib/*-linux-gnu/hdf5/$mpi/plugins/libh5floe.so) ]]
done
# The option is two words.
# shellcheck disable=SC2046
h5repack $(floe hdf5 --parameters --goal ratio | head -1) a.h5 b.h5
h5diff a.h5 b.h5

echo "The package for Python"
python3 - <<'PYTHON'
from importlib.metadata import entry_points

import h5py
import numpy as np

import floe
import floe.hdf5

assert (floe.decompress(floe.compress(np.arange(1e5))) == np.arange(1e5)).all()
with h5py.File("b.h5") as file:
    assert (floe.hdf5.read(file["x"]) == np.arange(1e5)).all()
for group in ("zarr.codecs", "numcodecs.codecs"):
    assert "floe" in entry_points(group=group).names
PYTHON

echo "The library, by pkg-config and by CMake"
# The flags are words for the compiler, so they are not quoted.
# shellcheck disable=SC2046
g++ -std=c++20 "$consumer/consumer.cpp" -o consumer_cpp $(pkg-config --cflags --libs floe)
# shellcheck disable=SC2046
gcc -std=c99 "$consumer/consumer.c" -o consumer_c $(pkg-config --cflags --libs floe)
./consumer_cpp
./consumer_c
cat >mpi.cpp <<'CPP'
#include <floe/mpi.hpp>
int main() { return floe::mpi::WriteOptions{}.stretch_bytes == 0 && &floe::mpi::write != nullptr ? 0 : 1; }
CPP
# shellcheck disable=SC2046
mpicxx -std=c++20 mpi.cpp -o mpi $(pkg-config --cflags --libs floe-mpi)
./mpi
cat >CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(uses_floe C CXX)
find_package(floe 0.1 REQUIRED COMPONENTS mpi)
find_package(floe QUIET COMPONENTS nothing)
if(floe_FOUND)
  message(FATAL_ERROR "a component that is not there was found")
endif()
add_executable(uses_floe mpi.cpp)
target_link_libraries(uses_floe floe::floe floe::mpi)
CMAKE
cmake -B build . >/dev/null
cmake --build build >/dev/null
build/uses_floe

echo "All is gone after they are removed"
dpkg --purge floe libfloe0.1 libfloe-dev libfloe-mpi0.1 libfloe-mpi-dev hdf5-plugin-floe python3-floe >/dev/null
[[ -z $(find /usr \( -name '*floe*' -o -path '*/dist-packages/floe*' \) -print -quit) ]]
echo "The packages are fine."
