// What a user wants of a frame other than all of it as it was: elements, rows, columns, or another form.
#pragma once

#include <string>

#include "arguments/arguments.hpp"
#include "frames/file_frame.hpp"
#include "output/output_file.hpp"

namespace floe::cli {

/// Whether records shall become text, or text records.
bool becomes_other(const Arguments& arguments, const FrameInfo& info);

/// Header file, padding and format are not needed to decompress; those of another table are a mistake, and
/// throw a Failure.
void check_expectations(const Arguments& arguments, const std::string& file, const FrameInfo& info);

/// Throws a Failure if what `info` says would be written to a terminal as binary data.
void refuse_terminal_for(const FrameInfo& info, const Arguments& arguments, const OutputFile& output);

/// Writes the part, or the other form, that the arguments ask for, reading only what it needs. Returns what
/// it is. Throws a Failure.
std::string write_part(const Arguments& arguments, const DecodeOptions& options, const InputFile& source,
                       FileFrame& frame, OutputFile& output);

}  // namespace floe::cli
