#!/bin/sh
# Does floe.pc say all that a compiler needs? Usage: pkg_config_test.sh PC_FOLDER SOURCES OUTPUT_FOLDER CXX CC
set -eu
export PKG_CONFIG_PATH="$1"
sources=$2 output=$3 cxx=$4 cc=$5
mkdir -p "$output"
flags=$(pkg-config --cflags floe)
libraries=$(pkg-config --libs floe)
# The flags are words for the compiler, so they are not quoted.
# shellcheck disable=SC2086
"$cxx" -std=c++20 $flags "$sources/consumer.cpp" -o "$output/consumer_cpp" $libraries
# shellcheck disable=SC2086
"$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror $flags "$sources/consumer.c" -o "$output/consumer_c" $libraries
LD_LIBRARY_PATH=$(pkg-config --variable=libdir floe)
export LD_LIBRARY_PATH
"$output/consumer_cpp"
"$output/consumer_c"
