#!/usr/bin/env bash
# Do programs that were linked with an earlier version of the shared library still work with this one? Compares functions, and the
# types in headers, with those of a commit.
#
# Usage: compare_abi.sh [COMMIT]. Without a commit it is the last tag. Only sources that define functions of the headers are
# compiled, without optimization. Needs abidiff, of the package abigail-tools.
set -euo pipefail
shopt -s nullglob
cd "$(dirname "${BASH_SOURCE[0]}")/.."

base=${1:-$(git describe --tags --abbrev=0 2>/dev/null || true)}
[[ -n $base ]] || { echo "Nothing was released yet: name a commit to compare with." >&2 && exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# A library without what its functions call.
library_of() {
  local sources=("$1"/src/api/*.cpp "$1"/src/api/*/*.cpp "$1"/src/core/{status,dtype,workers}.cpp "$1"/src/rows/records/schema.cpp
    "$1"/src/rows/csv/recognize_text.cpp) source number=0
  mkdir "$2"
  for source in "${sources[@]}"; do
    [[ $source == *_test.cpp ]] && continue
    g++ -std=c++20 -g -O0 -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -DFLOE_VERSION='"0"' -I"$1/src" -I"$1/include" \
      -c "$source" -o "$2/$((++number)).o"  # C and C++ have files of one name
  done
  g++ -shared -Wl,--unresolved-symbols=ignore-all -o "$2/libfloe.so" "$2"/*.o
}

mkdir "$folder/source"
git archive "$base" src include | tar -x -C "$folder/source"
library_of "$folder/source" "$folder/before"
library_of . "$folder/now"
abidiff --no-added-syms --drop-private-types --headers-dir1 "$folder/source/include" --headers-dir2 include "$folder/before/libfloe.so" "$folder/now/libfloe.so"
echo "The functions of $base are there, with the types that they had."
