// --container: the bare streams of the publications, whole files in memory.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "output/output_file.hpp"

namespace floe::cli {

/// `file` is what failures name.
std::vector<std::byte> compress_published(const Arguments& arguments, const std::string& file,
                                          std::span<const std::byte> in);
std::vector<std::byte> decompress_published(const Arguments& arguments, const std::string& file,
                                            std::span<const std::byte> stream);
/// Reads `output` back, decodes it and compares. Throws a Failure with ExitCode::verify_mismatch.
void verify_published(const Arguments& arguments, const OutputFile& output, std::span<const std::byte> in);

}  // namespace floe::cli
