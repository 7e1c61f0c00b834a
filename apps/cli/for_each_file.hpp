// How one failing file does not stop the others.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "failure.hpp"

namespace floe::cli {

/// Calls `work` for every file, prints its failures and goes on. Returns the largest exit code.
ExitCode for_each_file(std::span<const std::string> files,
                       const std::function<void(const std::string& file)>& work);

}  // namespace floe::cli
