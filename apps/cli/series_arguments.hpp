// What the user asked for with `floe series`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arguments.hpp"
#include "floe/series.hpp"

namespace floe::cli {

enum class SeriesCommand : unsigned { compress, decompress, inspect, generate, plan, calibrate };

struct SeriesArguments {
  SeriesCommand command = SeriesCommand::compress;
  std::vector<std::string> files;  ///< "-" is standard input. Empty only for `generate` and `calibrate`.
  std::string output;              ///< -o; empty if not given.
  std::string schema_file;         ///< -h
  std::optional<tables::TableSource> source;
  std::uint32_t padding_bytes = 0;
  char separator = 0;
  tables::NameRow name_row = tables::NameRow::detect;
  bool values_only = false;
  Goal goal = Goal::balance;
  tables::TreePlanner planner = tables::TreePlanner::standard;
  std::optional<tables::Profile> profile;  ///< Of its own, devices have one.
  std::uint32_t decode_megabytes_per_second = 0;
  std::string times_file;  ///< --times; empty if not given.
  std::vector<tables::GivenTree> trees;
  std::vector<std::string> tree_texts;  ///< The trees as they were given, for messages.
  std::optional<std::uint32_t> segment_rows;
  std::vector<std::string> columns;  ///< decompress: only these
  std::optional<Slice> rows;         ///< decompress: only these
  std::string picture;               ///< plan: the file for it; empty for none
  std::uint64_t generated_rows = 1000000;

  DeviceChoice device;
  std::uint32_t threads = 0;
  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes;
  bool force = false;
  bool quiet = false;
  bool verbose = false;
  bool json = false;
};

/// `words`: the command line behind `floe series`. Throws UsageError and TextWanted.
SeriesArguments parse_series_arguments(std::vector<std::string> words);

}  // namespace floe::cli
