"""Do the manual page and the completions say what a help text says?"""

import unittest

import make_manual

HELP = """tool: does things
Usage: tool [OPTIONS] [FILE...]
       tool COMMAND [OPTIONS]

Commands:
  pack                     Makes it small
  look                     Says what's in it

Method:
  --goal GOAL              Aim: speed
                           or size
  -T,--threads N           Threads
  --tree [COLUMN=]TREE Encode with this tree
  -o,--output,--out FILE
  -f,--force               Do it

Examples:
  tool -f x                write .x
"""


class Help(unittest.TestCase):
    def setUp(self):
        self.options = [option for section in make_manual.parse(HELP) for option in section.options]

    def test_options(self):
        self.assertEqual([option.names for option in self.options],
                         [["--goal"], ["-T", "--threads"], ["--tree"], ["-o", "--output", "--out"], ["-f", "--force"]])
        self.assertEqual([option.value for option in self.options], ["GOAL", "N", "[COLUMN=]TREE", "FILE", ""])
        self.assertEqual(self.options[0].text, "Aim: speed or size")

    def test_titles(self):
        self.assertEqual([section.title for section in make_manual.parse(HELP) if section.title],
                         ["Commands", "Method", "Examples"])

    def test_roff(self):
        self.assertEqual(make_manual.roff("-o\n.x \\"), "\\-o\n\\&.x \\e")

    def test_completions(self):
        commands, choices = {"pack": "Makes it small", "look": "Says what's in it"}, {"--goal": "speed size"}
        of_all = {"": self.options, "pack": self.options[:2], "look": []}
        self.assertIn('--goal) words="speed size" ;;', make_manual.bash(commands, of_all, choices))
        self.assertIn('pack) words="--goal -T --threads" ;;', make_manual.bash(commands, of_all, choices))
        self.assertIn("'look:Says what'\\''s in it'", make_manual.zsh(commands, of_all, choices))
        self.assertIn("'--goal[Aim\\: speed or size]:GOAL:(speed size)'", make_manual.zsh(commands, of_all, choices))
        lines = make_manual.fish(commands, of_all, choices).splitlines()
        self.assertIn("complete -c floe -n __fish_is_first_arg -a look -d 'Says what\\'s in it'", lines)
        self.assertIn("complete -c floe -n '__fish_seen_subcommand_from pack' -l goal -x -a 'speed size' -d 'Aim: speed or size'",
                      lines)


if __name__ == "__main__":
    unittest.main()
