// What is known of a damaged frame: its header, wherever it comes from, and which segments are there.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "container/frame_index.hpp"
#include "floe/recover.hpp"
#include "recovery/part_scan.hpp"

namespace floe::recovery {

struct DamagedFrame {
  container::Header header;
  HeaderSource header_source = HeaderSource::intact;
  std::uint32_t header_crc = 0;
  std::vector<FoundSegment> segments;  ///< Ascending.
  std::uint64_t segment_count = 0;     ///< Those that are missing included, as far as is known.
  std::uint64_t element_count = 0;     ///< Elements or rows, likewise.
  bool is_length_known = false;
  FrameInfo info;
};

/// Errors: corrupt_frame if there is neither a header nor a segment. Throws std::bad_alloc.
Result<DamagedFrame> find_frame(DamagedBytes& bytes, const RecoveryOptions& options);

/// The header whose CRC is known, by bytes of which at most one bit of header and CRC has changed, or any
/// bytes of the CRC; none if they are another one.
std::optional<container::Header> mended_header(std::vector<std::uint8_t> bytes, std::uint32_t crc);

}  // namespace floe::recovery
