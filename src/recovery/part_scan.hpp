// Where parts of frames lie in bytes of which any may be damaged: they are found by their magic numbers, and
// known by their CRCs.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "container/parts.hpp"
#include "recovery/damaged_bytes.hpp"

namespace floe::recovery {

struct FoundHeader {
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t crc = 0;
};

struct FoundSegment {
  std::uint64_t offset = 0;
  std::uint64_t index = 0, first = 0;
  std::uint64_t payload_bytes = 0;
  std::uint32_t header_bytes = 0, count = 0;
  std::uint32_t header_crc = 0;  ///< Of the frame.

  [[nodiscard]] std::uint64_t payload_offset() const noexcept { return offset + header_bytes; }
  [[nodiscard]] std::uint64_t end() const noexcept { return payload_offset() + payload_bytes; }
};

struct FoundFooter {
  std::uint64_t offset = 0, bytes = 0;
  std::uint32_t header_crc = 0;  ///< Of the frame.
};

/// In the order of the bytes.
struct FoundParts {
  std::vector<FoundHeader> headers;
  std::vector<FoundSegment> segments;
  std::vector<FoundFooter> footers;
};

/// What can be said of the frame's header by the header of a segment: its content, and the types of its
/// columns. None if the bytes are no such header.
std::optional<container::Header> guessed_header(std::span<const std::uint8_t> segment_header);

/// Whether the CRC is right and the index has whole entries. Precondition: at least fixed_footer_bytes.
bool is_intact_footer(std::span<const std::uint8_t> footer);

/// Looks at all bytes but those of payloads that stand where they should. What it costs to look at bytes that
/// are no parts is bounded by a multiple of all bytes. Throws std::bad_alloc.
FoundParts find_parts(DamagedBytes& bytes, std::uint64_t memory_limit_bytes);

}  // namespace floe::recovery
