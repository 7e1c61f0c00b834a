// A small table as its text: docs/format/text.md.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "pipeline/compact/compact_table.hpp"

namespace floe::pipeline {

/// Whether a compact frame with this body holds a text.
bool is_text(std::span<const std::uint8_t> body) noexcept;
inline constexpr std::uint64_t max_compact_text_bytes = std::uint64_t{1} << 22;

/// Whether a table with this header can be kept as its text, of prefix and rows.
bool can_be_text(const container::Header& header, std::string_view rows);
/// The frame; nothing if that has more than `max_bytes`, or with `ends_early` if its beginnings say that it
/// will have. Precondition: can_be_text(). Throws std::bad_alloc.
std::vector<std::uint8_t> encode_text_frame(const container::Header& header, std::string_view rows,
                                            std::uint64_t max_bytes, bool ends_early);

/// The table with this header and these rows, of which a frame stores so many bytes. Throws std::bad_alloc.
OpenedTable table_of_text(container::Header header, std::string_view rows, std::uint64_t stored_bytes);
/// Errors: corrupt_frame, unsupported_version, out_of_memory. Throws std::bad_alloc.
Result<OpenedTable> open_text(std::span<const std::uint8_t> body, std::uint64_t memory_limit_bytes);

}  // namespace floe::pipeline
