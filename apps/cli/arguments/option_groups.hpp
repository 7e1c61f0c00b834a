// The options by groups, as --help shows them, and what they set.
#pragma once

#include "arguments/arguments.hpp"
#include "arguments/command_line.hpp"

namespace floe::cli {

/// Options that `floe series` calls otherwise.
struct Spelling {
  const char* output = "-o,--output";
  const char* to_stdout = "-c,--stdout";
  const char* force = "-f,--force";
  const char* kind = "--as";
  const char* schema = "--schema";
  const char* padding = "--padding";
};

// Commands that options belong to.
inline constexpr Commands compress = commands(Command::compress);
inline constexpr Commands decompress = commands(Command::decompress);
inline constexpr Commands test = commands(Command::test);
inline constexpr Commands list = commands(Command::list);
inline constexpr Commands inspect = commands(Command::inspect);
inline constexpr Commands plan = commands(Command::plan);
inline constexpr Commands codec_list = commands(Command::codecs);
inline constexpr Commands bench = commands(Command::bench);
inline constexpr Commands recover = commands(Command::recover);
inline constexpr Commands doctor = commands(Command::doctor);
inline constexpr Commands hdf5 = commands(Command::hdf5);
inline constexpr Commands generate = commands(Command::generate);
inline constexpr Commands calibrate = commands(Command::calibrate);

void add_file_options(CommandLine& line, const Spelling& spelling, Arguments& a);
void add_content_options(CommandLine& line, const Spelling& spelling, Arguments& a);
void add_recovery_options(CommandLine& line, Arguments& a);
void add_hdf5_options(CommandLine& line, Arguments& a);
/// Elements of arrays; `floe series` has none.
void add_array_options(CommandLine& line, Arguments& a);
void add_method_options(CommandLine& line, Arguments& a);
/// Bare streams of publications, likewise.
void add_container_options(CommandLine& line, Arguments& a);
void add_part_options(CommandLine& line, Arguments& a);
void add_resource_options(CommandLine& line, Arguments& a);
void add_message_options(CommandLine& line, Arguments& a);

/// What no single option can know. Throws UsageError.
void check_together(const CommandLine& line, const Arguments& a);
/// What follows from the options together.
void complete(Arguments& a);

/// What `floe series` makes of the words behind it.
Arguments parse_series_arguments(std::vector<std::string> words);

}  // namespace floe::cli
