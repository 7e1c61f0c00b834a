#!/usr/bin/env bash
# How fast and how small is nvCOMP on these arrays? Builds nvcomp_bench with the wheel nvidia-libnvcomp-cu13 and runs it.
#
#   pip download --no-deps nvidia-libnvcomp-cu13 -d wheels
#   bench/cuda/nvcomp/run.sh wheels/nvidia_libnvcomp_cu13-*.whl FOLDER [ARGUMENTS OF nvcomp_bench]
#
# FOLDER gets the unpacked wheel and the program. Without arguments the program is only built. Needs a C++ compiler and the CUDA toolkit.
set -euo pipefail
source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
wheel=$1 folder=$2
cuda=${CUDA_HOME:-/usr/local/cuda}
mkdir -p "$folder"
python3 -m zipfile -e "$wheel" "$folder"
package=$folder/nvidia/libnvcomp
library=$(basename "$(ls "$package"/lib64/libnvcomp.so.*)")
"${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra -isystem "$package/include" -isystem "$cuda/include" "$source_folder/nvcomp_bench.cpp" \
  -o "$folder/nvcomp_bench" -L "$package/lib64" "-l:$library" -Wl,-rpath,"\$ORIGIN/nvidia/libnvcomp/lib64" \
  -L "$cuda/lib64" -lcudart_static -ldl -lrt -lpthread
if (($# > 2)); then "$folder/nvcomp_bench" "${@:3}"; fi
