// What a compressed table says about itself, in words and as JSON.
#pragma once

#include <string>

#include "floe/series.hpp"
#include "frame_facts.hpp"

namespace floe::cli {

/// Prints the columns and how they are encoded, in each segment or in the first.
void print_table(const std::string& file, tables::TableReader& reader, bool all_segments);
Json table_as_json(const std::string& file, tables::TableReader& reader);

// Their parts:
/// "CSV text"
const char* source_text(tables::TableSource source);
/// "1.274 bits/row  times, 0 to 59, 3 other cells"
std::string column_text(const tables::StoredColumn& column, std::uint64_t row_count);
/// What header and footer say; "segments" is an empty array.
Json head_as_json(const std::string& file, const tables::TableInfo& info);
Json segment_as_json(const tables::StoredSegment& segment);

}  // namespace floe::cli
