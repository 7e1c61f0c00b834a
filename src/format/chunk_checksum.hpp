// The checksum of a chunk's payload and the digest of a frame: docs/format/frame.md section 5; why not a CRC or XXH3:
// docs/decisions/0002-chunk-checksum.md.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/word.hpp"

namespace floe::format {

/// Σ value_i · (multiplier + step · i), in parts: sums of ranges can be computed apart and joined.
struct WeightedSum {
  static constexpr std::uint64_t multiplier = 0x95BD447E7184D455;
  static constexpr std::uint64_t step = 0x62F746B484E61CEA;

  std::uint64_t values = 0;    ///< Σ value_i
  std::uint64_t weighted = 0;  ///< Σ value_i · i

  FLOE_HD constexpr void add(std::uint64_t value, std::uint64_t index) noexcept {
    values += value;
    weighted += value * index;
  }
  FLOE_HD constexpr std::uint64_t result() const noexcept { return multiplier * values + step * weighted; }
};

/// `padded_bytes` is a multiple of 8; any alignment.
inline std::uint32_t chunk_checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  WeightedSum sum;
  for (std::size_t i = 0; i < padded_bytes / 8; ++i) {
    const auto word = core::load<std::uint64_t>(payload + 8 * i);
    sum.add(word ^ (word >> 32), i);
  }
  return static_cast<std::uint32_t>(sum.result() >> 32);
}

/// The digest of a frame, fed with the checksums of its chunks in order.
class Digest {
 public:
  void add(std::uint32_t checksum) noexcept { sum_.add(checksum, count_++); }
  [[nodiscard]] std::uint64_t value() const noexcept { return sum_.result(); }

 private:
  WeightedSum sum_;
  std::uint64_t count_ = 0;
};

}  // namespace floe::format
