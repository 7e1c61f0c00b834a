"""What do floe_decode.py and floe_table.py do with their arguments?"""

import argparse
import os
import sys


def run(kind, decode, error_codes):
    """Decodes the file of a `kind` ("frame", "table") that the command line names, and writes its content or, with --info, what it holds.

    `decode(data)` returns an object with `content` and `info()`, or raises one of the keys of `error_codes`, whose values are floe's names.
    """
    parser = argparse.ArgumentParser(description=f"Decode a floe {kind}.")
    parser.add_argument("file", metavar=kind.upper(), help=f"file with one {kind}")
    parser.add_argument("--info", action="store_true", help=f"say what the {kind} holds")
    arguments = parser.parse_args()
    with open(arguments.file, "rb") as file:
        data = file.read()
    try:
        decoded = decode(data)
    except tuple(error_codes) as error:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {error_codes[type(error)]}: {error}")
    if arguments.info:
        print(decoded.info())
    else:
        sys.stdout.buffer.write(decoded.content)
