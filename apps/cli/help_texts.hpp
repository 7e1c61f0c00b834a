// The texts of --help around the list of options.
#pragma once

#include "command_line.hpp"

namespace floe::cli {

/// For `floe` without a command.
HelpText main_help();
HelpText help_of(Command command);

}  // namespace floe::cli
