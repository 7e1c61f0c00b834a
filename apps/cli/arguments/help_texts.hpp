// The texts of --help around the list of options.
#pragma once

#include "arguments/command_line.hpp"

namespace floe::cli {

/// For `floe` without a command.
HelpText main_help();
HelpText help_of(Command command);

/// For `floe series` without a command.
HelpText series_help();
HelpText series_help_of(Command command);

}  // namespace floe::cli
