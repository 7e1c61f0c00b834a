// What a frame says about itself, in words and as JSON.
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "floe/floe.hpp"

namespace floe::cli {

/// "26x1800x3600".
std::string shape_text(const FrameInfo& info);
/// "CSV", "records" or "columns".
const char* source_text(TableSource source);
/// "f32 26x1800x3600", "bytes", "table of 8 columns, 66089 rows, CSV".
std::string short_description(const FrameInfo& info);
/// Bytes of what was compressed, with the prefix; nothing for text, whose length is not kept.
std::optional<std::uint64_t> original_bytes(const FrameInfo& info);
/// 0 if there are no stored bytes.
double ratio_of(std::uint64_t original_bytes, std::uint64_t stored_bytes);
/// ", 80 % of the words encoded by devices", or nothing without devices. `done`: "encoded".
std::string share_text(const AcceleratorShare& share, std::string_view done);
/// "5000 elements" or "500 rows of 3 columns".
std::string count_text(const FrameInfo& info);
/// "1.274 bits/row  times, 0 to 59, 3 other cells"
std::string column_text(const FrameInfo& info, const StoredColumn& column, std::uint64_t count);

/// What header and footer say.
Json facts_as_json(const std::string& file, const FrameInfo& info);
Json column_as_json(const StoredColumn& column);
Json segment_as_json(const StoredSegment& segment);

}  // namespace floe::cli
