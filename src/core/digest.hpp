// Sums that say whether stored bytes are intact: docs/format/container.md section 6.
#pragma once

#include <cstdint>

#include "core/splitmix.hpp"
#include "core/word.hpp"

namespace floe::core {

/// What a block of a stream adds to its digest: a chunk of a chunked leaf, or 16 KiB of stored bytes.
struct BlockEntry {
  std::uint32_t checksum =
      0;  ///< core::chunk_checksum of the stored bytes with their padding; 0 without checksums.
  std::uint16_t stored_bytes = 0;
  std::uint8_t mode = 0;
};

FLOE_HD constexpr std::uint64_t digest_term(std::uint64_t index, std::uint64_t entry) noexcept {
  return splitmix(entry + splitmix_step * (index + 1));
}
FLOE_HD constexpr std::uint64_t digest_term(std::uint64_t index, std::uint32_t checksum,
                                            std::uint16_t stored_bytes, std::uint8_t mode) noexcept {
  return digest_term(index, checksum | std::uint64_t{stored_bytes} << 32 | std::uint64_t{mode} << 48);
}

/// Fed with the blocks of a stream, or the digests of the streams of a file, in their order.
class Digest {
 public:
  void add(const BlockEntry& block) noexcept {
    sum_ += digest_term(count_++, block.checksum, block.stored_bytes, block.mode);
  }
  void add(std::uint64_t stream_digest) noexcept { sum_ += digest_term(count_++, stream_digest); }
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_; }

 private:
  std::uint64_t sum_ = 0;
  std::uint64_t count_ = 0;
};

}  // namespace floe::core
