// How one failing file does not stop the others.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "base/failure.hpp"

namespace floe::cli {

/// Throws a Failure that says how to do all files of a folder, if there is one among the files. `command`:
/// what does it, "floe -d", and `suffix` of the files that it is for; without one all but compressed files.
void refuse_folders(std::span<const std::string> files, const std::string& command,
                    const std::string& suffix = "");

/// Calls `work` for every file, prints its failures and goes on. Returns the largest exit code.
ExitCode for_each_file(std::span<const std::string> files,
                       const std::function<void(const std::string& file)>& work);

}  // namespace floe::cli
