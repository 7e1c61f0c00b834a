// What compressing and decompressing one file have in common: where the result goes and what happens to the
// source.
#pragma once

#include <string>

#include "arguments/arguments.hpp"
#include "input/input_file.hpp"
#include "output/output_file.hpp"

namespace floe::cli {

/// Suffix of compressed files: ".floe", ".fpc" or ".gfc".
const char* suffix_of(Container container) noexcept;

InputFile open_source(const Arguments& arguments, const std::string& file);
/// Where the result of `file` goes. Throws a Failure if a file to decompress does not have the suffix.
Destination destination_of(const Arguments& arguments, const std::string& file);
/// Refuses what --rm and --verify cannot do with this target.
void check_target(const Arguments& arguments, const OutputFile& output);
/// Everything is written: names the result, and deletes the source if the user wants it.
void complete(const Arguments& arguments, const std::string& file, const InputFile& source,
              OutputFile& output);
/// Whether the user wants to read a line about this result.
bool wants_summary(const Arguments& arguments, const OutputFile& output) noexcept;

}  // namespace floe::cli
