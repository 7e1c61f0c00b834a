// What a compressed table says about itself, in words and as JSON.
#pragma once

#include <string>

#include "floe/series.hpp"
#include "frame_facts.hpp"

namespace floe::cli {

/// Prints the columns and how they are encoded, in each segment or in the first.
void print_table(const std::string& file, tables::TableReader& reader, bool all_segments);
Json table_as_json(const std::string& file, tables::TableReader& reader);

}  // namespace floe::cli
