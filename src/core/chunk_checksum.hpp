// The checksum of a chunk's payload: docs/format/frame.md section 5; why not a CRC or XXH3: docs/decisions/0002-chunk-checksum.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/chunk.hpp"
#include "core/splitmix.hpp"

namespace floe::core {

/// A payload is read as rows of sixteen 32-bit words. The word in row a and lane b has the weight rows[a] · lanes[b] modulo 2^64.
struct ChecksumWeights {
  static constexpr std::size_t lane_count = 16, row_bytes = 4 * lane_count, row_count = chunk_bytes / row_bytes;

  std::array<std::uint32_t, row_count> rows{};
  std::array<std::uint64_t, lane_count> lanes{};
  std::uint64_t start = 0;  ///< The sum of an empty payload.
};

constexpr ChecksumWeights make_checksum_weights() {
  std::uint64_t state = 9;  // the first seed with which every change of one or two bits is found
  const auto next = [&state] { return splitmix(state += splitmix_step); };
  ChecksumWeights weights;
  for (std::uint32_t& row : weights.rows) row = static_cast<std::uint32_t>(next() >> 32) | 1;
  for (std::uint64_t& lane : weights.lanes) lane = next() | 1;
  weights.start = next();
  return weights;
}
inline constexpr ChecksumWeights checksum_weights = make_checksum_weights();

/// Σ over the rows of weight · word, for each lane.
using ChecksumLanes = std::array<std::uint64_t, ChecksumWeights::lane_count>;

constexpr std::uint32_t checksum_of_lanes(const ChecksumLanes& sums) noexcept {
  std::uint64_t sum = checksum_weights.start;
  for (std::size_t lane = 0; lane < sums.size(); ++lane) sum += sums[lane] * checksum_weights.lanes[lane];
  return static_cast<std::uint32_t>(sum >> 32);
}

/// Adds the bytes [begin, end) of a payload word by word; begin is a multiple of 4.
inline void add_to_lanes(ChecksumLanes& sums, const std::uint8_t* payload, std::size_t begin, std::size_t end) noexcept {
  constexpr std::size_t row_bytes = ChecksumWeights::row_bytes;
  for (std::size_t at = begin; at < end; at += 4) {
    sums[at % row_bytes / 4] += std::uint64_t{load<std::uint32_t>(payload + at)} * checksum_weights.rows[at / row_bytes];
  }
}

/// The formula as it stands on the page. `padded_bytes` is a multiple of 4 and at most chunk_bytes; any alignment.
inline std::uint32_t chunk_checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  ChecksumLanes sums{};
  add_to_lanes(sums, payload, 0, padded_bytes);
  return checksum_of_lanes(sums);
}

/// A checksum that is made some rows at a time, beside other work on a chunk. Who adds rows keeps the sums in an order of its own.
class RunningChecksum {
 public:
  struct Rows {
    std::size_t first, end;
  };

  RunningChecksum() = default;
  /// As chunk_checksum.
  RunningChecksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept { start(payload, padded_bytes); }

  void start(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
    payload_ = payload;
    padded_bytes_ = padded_bytes;
    followed_rows_ = padded_bytes < 4 ? 0 : (padded_bytes - 4) / ChecksumWeights::row_bytes;
    next_row_ = 0;
    sums.fill(0);
  }

  /// The rows to be added next: none is left when as many lines as a chunk has were asked for. Behind each of them lies a word more of the
  /// payload, so that a load may reach into it. So one to sixteen words are left at the end, or none of an empty payload.
  Rows take(std::size_t lines) noexcept {
    constexpr std::size_t lines_per_chunk = chunk_bytes / ChecksumWeights::row_bytes;
    const std::size_t first = next_row_;
    next_row_ = std::min(first + (followed_rows_ * lines + lines_per_chunk - 1) / lines_per_chunk, followed_rows_);
    return {first, next_row_};
  }
  Rows take_all() noexcept { return take(chunk_bytes / ChecksumWeights::row_bytes); }

  [[nodiscard]] const std::uint8_t* row(std::size_t index) const noexcept { return payload_ + index * ChecksumWeights::row_bytes; }
  [[nodiscard]] std::size_t padded_bytes() const noexcept { return padded_bytes_; }

  alignas(64) ChecksumLanes sums{};

 private:
  // What changes stands alone, as in MemoryTraffic.
  std::size_t next_row_ = 0;
  const std::uint8_t* payload_ = nullptr;
  std::size_t padded_bytes_ = 0;
  std::size_t followed_rows_ = 0;  ///< Whole rows with a word behind them.
};

}  // namespace floe::core
