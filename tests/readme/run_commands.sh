#!/bin/sh
# Runs shell commands among the arrays of the demo: run_commands.sh FOLDER_OF_FLOE COMMANDS FOLDER. FOLDER is made anew.
set -eu
tools=$(cd "$(dirname "$0")/../../tools" && pwd)
PATH=$1:$PATH
commands=$2
folder=$3

rm -rf "$folder"
python3 -B "$tools/demo_data.py" "$folder"
cd "$folder"
set -x
# shellcheck source=/dev/null
. "$commands"
