#!/usr/bin/env python3
"""Writes the manual page of the program floe, and what bash, zsh and fish complete, out of what it says of itself.

Usage: make_manual.py PROGRAM FOLDER. Makes floe.1, floe (bash), _floe (zsh) and floe.fish in FOLDER.
"""

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

OPTION = re.compile(r"^  (-\S+(?: [A-Z\[]\S*)?)(?:\s{1,}(\S.*))?$")
COMMAND = re.compile(r"^  ([a-z][a-z0-9]*)  +(\S.*)$")
TYPES = "f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool"


@dataclass
class Option:
    names: list[str]
    value: str
    text: str


@dataclass
class Section:
    """A part of a help text: its title, the lines that are no options, and the options."""

    title: str
    lines: list[str] = field(default_factory=list)
    options: list[Option] = field(default_factory=list)


def parse(text: str) -> list[Section]:
    """The parts of a help text; the first one, without a title, is what stands before the others."""
    sections = [Section("")]
    for line in text.splitlines():
        option = OPTION.match(line)
        if option and not line.startswith("  floe "):
            names, _, value = option[1].partition(" ")
            sections[-1].options.append(Option(names.split(","), value, option[2] or ""))
        elif re.match(r"^[A-Z].*:$", line):
            sections.append(Section(line[:-1]))
        elif sections[-1].options and line.startswith(" " * 20):
            last = sections[-1].options[-1]
            last.text = f"{last.text} {line.strip()}".strip()
        else:
            if sections[-1].options:
                sections.append(Section(""))
            sections[-1].lines.append(line)
    return sections


def help_of(program: str, *command: str) -> str:
    return subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True).stdout


def roff(text: str) -> str:
    escaped = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", escaped, flags=re.MULTILINE)


def verbatim(lines: list[str]) -> str:
    body = "\n".join(lines).strip("\n")
    return f".nf\n{roff(body)}\n.fi\n" if body else ""


def section_roff(section: Section) -> str:
    out = verbatim(section.lines)
    for option in section.options:
        value = f" \\fI{roff(option.value)}\\fR" if option.value else ""
        names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option.names)
        out += f".TP\n{names}{value}\n{roff(option.text)}\n"
    return out


def manual_page(program: str, version: str, commands: dict[str, str]) -> str:
    sections = parse(help_of(program))
    first = sections[0].lines
    out = f'.TH FLOE 1 "" "floe {version}" "User Commands"\n.SH NAME\n{roff(first[0].replace(": ", " - ", 1))}\n.SH SYNOPSIS\n'
    usage = [line.removeprefix("Usage: ").strip() for line in first[1:] if re.match(r"(Usage:)?\s+floe|^floe", line)]
    out += verbatim(usage)
    out += ".SH DESCRIPTION\n" + verbatim([line for line in first[1:] if line.strip() and line.strip() not in usage
                                           and not line.startswith("Usage:")])  # fmt: skip
    for section in sections[1:]:
        out += (f".SH {roff(section.title.upper())}\n" if section.title else ".PP\n") + section_roff(section)
    for command in commands:
        out += f".SH FLOE {command.upper()}\n"
        for number, section in enumerate(parse(help_of(program, command))):
            title = f".SS {roff(section.title)}\n" if section.title else ".PP\n" if number else ""
            out += title + section_roff(section)
    return out


def choices_of(program: str) -> dict[str, str]:
    """What values of options can be."""
    codecs = json.loads(subprocess.run([program, "codecs", "--json"], capture_output=True, check=True).stdout)
    return {
        "--goal": "speed balance ratio max", "--profile": "cpu gpu", "--as": "bytes array csv records safetensors",
        "--names": "yes no detect", "--dtype": TYPES, "--type": TYPES, "--container": "floe fpcompress gfc",
        "--device": "none cpu cuda auto", "--codec": " ".join(dict.fromkeys(codec["name"] for codec in codecs)),
    }  # fmt: skip


Options = dict[str, list[Option]]


def bash(commands: dict[str, str], options: Options, choices: dict[str, str]) -> str:
    values = "\n".join(f'    {name}) words="{words}" ;;' for name, words in choices.items())
    of_command = "\n".join(
        f'    {name or "*"}) words="{" ".join(n for o in found for n in o.names)}" ;;'
        for name, found in sorted(options.items(), reverse=True)
    )
    return f"""# What bash completes for floe. Made by tools/make_manual.py.
_floe() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} words=
  case $previous in
{values}
  esac
  if [[ -z $words && $current == -* ]]; then
    case ${{COMP_WORDS[1]}} in
{of_command}
    esac
  elif [[ -z $words && $COMP_CWORD -eq 1 ]]; then
    words="{" ".join(commands)}"
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  if [[ ${{#COMPREPLY[@]}} -eq 0 ]]; then compopt -o default; fi
}}
complete -F _floe floe
"""


def zsh_quoted(text: str) -> str:
    return text.replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh(commands: dict[str, str], options: Options, choices: dict[str, str]) -> str:
    def arguments(found: list[Option]) -> str:
        lines = []
        for option in found:
            words = next((choices[name] for name in option.names if name in choices), "")
            action = f":{option.value}:({words})" if words else f":{option.value}:_files" if option.value else ""
            lines += [f"    '{name}[{zsh_quoted(option.text)}]{zsh_quoted(action) if not words else action}'"
                      for name in option.names]  # fmt: skip
        return " \\\n".join([*lines, "    '*:file:_files'"])

    of_command = "\n".join(f"  {name}) _arguments -s \\\n{arguments(found)} ;;" for name, found in options.items() if name)
    described = " ".join(f"'{name}:{zsh_quoted(text)}'" for name, text in commands.items())
    return f"""#compdef floe
# What zsh completes for floe. Made by tools/make_manual.py.
_floe() {{
  local -a commands=({described})
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    _describe command commands
    _files
    return
  fi
  case $words[2] in
{of_command}
  *) _arguments -s \\
{arguments(options[""])} ;;
  esac
}}
_floe "$@"
"""


def fish(commands: dict[str, str], options: Options, choices: dict[str, str]) -> str:
    def quoted(text: str) -> str:
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"

    lines = ["# What fish completes for floe. Made by tools/make_manual.py."]
    lines += [f"complete -c floe -n __fish_is_first_arg -a {name} -d {quoted(text)}" for name, text in commands.items()]
    for command, found in options.items():
        condition = f"__fish_seen_subcommand_from {command}" if command else f"not __fish_seen_subcommand_from {' '.join(commands)}"
        for option in found:
            names = " ".join(f"-s {name[1:]}" if len(name) == 2 else f"-l {name[2:]}" for name in option.names)
            words = next((choices[name] for name in option.names if name in choices), "")
            value = f" -x -a {quoted(words)}" if words else " -r" if option.value else ""
            lines.append(f"complete -c floe -n {quoted(condition)} {names}{value} -d {quoted(option.text)}")
    return "\n".join(lines) + "\n"


def main(program: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[-1]
    listed = [line for section in parse(help_of(program)) if section.title == "Commands" for line in section.lines]
    commands = {match[1]: match[2] for line in listed if (match := COMMAND.match(line))}
    options: Options = {name: [option for section in parse(help_of(program, *([name] if name else [])))
                               for option in section.options] for name in ("", *commands)}  # fmt: skip
    choices = choices_of(program)
    (folder / "floe.1").write_text(manual_page(program, version, commands), encoding="utf-8")
    for name, write in {"floe": bash, "_floe": zsh, "floe.fish": fish}.items():
        (folder / name).write_text(write(commands, options, choices), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
