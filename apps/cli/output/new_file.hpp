// New files that have no source whose attributes they could take.
#pragma once

#include <functional>
#include <string>

#include "output/output_file.hpp"

namespace floe::cli {

/// Writes a file, or to standard output if it is called "-". Throws a Failure.
void write_new_file(const std::string& file, bool overwrite, const std::function<void(OutputFile&)>& write);

}  // namespace floe::cli
