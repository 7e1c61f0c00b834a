// The outside of a compact frame: a small table without parts that could be read by themselves.
// docs/format/compact.md, "Frame".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "floe/floe.hpp"

namespace floe::container {

inline constexpr std::uint8_t compact_version = 2;
/// No length of a compact frame is known before so many bytes of it are.
inline constexpr std::size_t compact_begin_bytes = 9;
inline constexpr std::uint64_t max_compact_body_bytes = std::uint64_t{1} << 22;

/// Whether a frame with these first bytes, at least five, is a compact one.
bool is_compact(std::span<const std::uint8_t> first_bytes) noexcept;
/// The length of a compact frame from its first compact_begin_bytes bytes. Errors: corrupt_frame.
Result<std::uint64_t> compact_frame_length(std::span<const std::uint8_t> first_bytes);

std::vector<std::uint8_t> write_compact_frame(std::span<const std::uint8_t> body);
/// The body of a frame of that length. Errors: corrupt_frame.
Result<std::span<const std::uint8_t>> compact_body(std::span<const std::uint8_t> frame);

/// Of a table in such a frame: what is known of it as an ordinary one becomes what is known of the frame.
void note_compact(FrameInfo& info, std::uint64_t frame_bytes) noexcept;

}  // namespace floe::container
