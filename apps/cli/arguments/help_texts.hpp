// The texts of --help around the list of options.
#pragma once

#include "arguments/command_line.hpp"

namespace floe::cli {

/// What placeholders of options stand for.
inline constexpr const char* tree_help =
    "A TREE is encodings with their parameters and children, such as delta,split,raw,entropy,bitpack; floe "
    "plan and\n"
    "floe inspect print them. A codec is a tree by itself: --tree spratio is --codec spratio.\n";
inline constexpr const char* size_help =
    "SIZE is a number of bytes, or a number followed by K, M or G (powers of 1024).\n";

/// For `floe` without a command.
HelpText main_help();
HelpText help_of(Command command);

/// For `floe series` without a command.
HelpText series_help();
HelpText series_help_of(Command command);

}  // namespace floe::cli
