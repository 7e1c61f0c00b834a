// The digest of a frame: docs/format/frame.md section 5.
#pragma once

#include <cstdint>

#include "core/splitmix.hpp"
#include "container/segment_head.hpp"

namespace floe::format {

/// What the chunk with that number, counted through all segments, adds to the digest.
FLOE_HD constexpr std::uint64_t digest_term(std::uint64_t chunk_index, std::uint32_t checksum, std::uint16_t stored_bytes,
                                            std::uint8_t mode) noexcept {
  const std::uint64_t entry = checksum | std::uint64_t{stored_bytes} << 32 | std::uint64_t{mode} << 48;
  return core::splitmix(entry + core::splitmix_step * (chunk_index + 1));
}

/// Fed with the table entries of a frame's chunks in order.
class Digest {
 public:
  void add(const ChunkEntry& entry) noexcept { sum_ += digest_term(count_++, entry.checksum, entry.stored_bytes, entry.mode); }
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace floe::format
