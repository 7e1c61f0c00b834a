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

/// Two words of a payload side by side, which every CPU of interest adds in one instruction.
using WordPair [[gnu::vector_size(16)]] = std::uint64_t;

/// The sum of a payload's folded words. `padded_bytes` is a multiple of 16; any alignment. Running sums instead of products: after m steps
/// of a lane, second = Σ over the steps of first, hence Σ step · value = m · first - second.
inline WeightedSum payload_sum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  constexpr std::size_t pairs = 4, lanes = 2 * pairs;
  const std::size_t words = padded_bytes / 8, steps = words / lanes;
  const auto fold = [](auto word) { return word ^ (word >> 32); };
  WordPair first[pairs] = {}, second[pairs] = {};
  for (std::size_t step = 0; step < steps; ++step) {
#pragma GCC unroll 4
    for (std::size_t pair = 0; pair < pairs; ++pair) {
      WordPair word;
      std::memcpy(&word, payload + 8 * (step * lanes + 2 * pair), sizeof word);
      first[pair] += fold(word);
      second[pair] += first[pair];
    }
  }
  WeightedSum sum;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::uint64_t a = first[lane / 2][lane % 2], b = second[lane / 2][lane % 2];
    sum.values += a;
    sum.weighted += lanes * (steps * a - b) + lane * a;
  }
  for (std::size_t i = steps * lanes; i < words; ++i) sum.add(fold(core::load<std::uint64_t>(payload + 8 * i)), i);
  return sum;
}

inline std::uint32_t chunk_checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  return static_cast<std::uint32_t>(payload_sum(payload, padded_bytes).result() >> 32);
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
