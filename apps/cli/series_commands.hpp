// The commands of `floe series`. Failures of single files are printed, not thrown.
#pragma once

#include <string>

#include "failure.hpp"
#include "input_file.hpp"
#include "series_arguments.hpp"

namespace floe::cli {

ExitCode run_series(const SeriesArguments& arguments);

ExitCode compress_tables(const SeriesArguments& arguments);
ExitCode decompress_tables(const SeriesArguments& arguments);
ExitCode inspect_tables(const SeriesArguments& arguments);
ExitCode generate_tables(const SeriesArguments& arguments);
ExitCode plan_tables(const SeriesArguments& arguments);
ExitCode calibrate_encodings(const SeriesArguments& arguments);

/// Names of compressed tables end so.
inline constexpr const char* table_suffix = ".fts";

/// How the library shall read this file. Reads the header file if there is one.
tables::TableOptions table_options(const SeriesArguments& arguments, const std::string& file);
/// Names a given tree that does not fit, and says why.
std::string unfit_tree_text(const SeriesArguments& arguments, const tables::UnfitTree& unfit);

}  // namespace floe::cli
