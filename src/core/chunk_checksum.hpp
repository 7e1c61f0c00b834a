// The checksum of a chunk's payload: docs/format/container.md section 6.1; why not a CRC or XXH3:
// docs/decisions/0002-chunk-checksum.md.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "core/chunk.hpp"
#include "core/splitmix.hpp"
#include "core/word.hpp"

namespace floe::core {

/// A payload is read as rows of 32 words. Each word is two signed 16-bit halves, and all words of a row have
/// the same two weights.
struct ChecksumWeights {
  static constexpr std::size_t column_count = 32, row_bytes = 4 * column_count,
                               row_count = chunk_bytes / row_bytes;

  /// The weight of the lower halves in the lower 16 bits, that of the upper halves above. Odd, and from 2^14
  /// to 2^15.
  std::array<std::uint32_t, row_count> rows{};
  std::array<std::uint32_t, column_count> starts{};  ///< Of the sums of the columns.
};

constexpr ChecksumWeights make_checksum_weights() {
  std::uint64_t state = 63510478;  // with this seed tests/container proves what the page says of flipped bits
  const auto next = [&state] { return splitmix(state += splitmix_step); };
  ChecksumWeights weights;
  for (std::uint32_t& row : weights.rows)
    row = (static_cast<std::uint32_t>(next()) & 0x3FFE3FFE) | 0x40014001;
  for (std::uint32_t& start : weights.starts) start = static_cast<std::uint32_t>(next() >> 32);
  return weights;
}
inline constexpr ChecksumWeights checksum_weights = make_checksum_weights();

/// For each column its start and Σ over the rows of the products of halves and weights, modulo 2^32.
using ChecksumColumns = std::array<std::uint32_t, ChecksumWeights::column_count>;

/// What a word adds to the sum of its column. `weights`: those of its row.
FLOE_HD constexpr std::uint32_t weighted(std::uint32_t word, std::uint32_t weights) noexcept {
  const auto lower = static_cast<std::int16_t>(word), upper = static_cast<std::int16_t>(word >> 16);
  const auto of_lower = static_cast<std::int16_t>(weights),
             of_upper = static_cast<std::int16_t>(weights >> 16);
  return static_cast<std::uint32_t>(lower * of_lower + upper * of_upper);
}

/// A bijection of 32-bit words: the finalizer of MurmurHash3 without its last step, which an exclusive-or of
/// several would not notice.
struct ChecksumBlend {
  static constexpr int first_shift = 16, second_shift = 13;
  static constexpr std::uint32_t first_factor = 0x85EBCA6B, second_factor = 0xC2B2AE35;

  FLOE_HD static constexpr std::uint32_t of(std::uint32_t sum) noexcept {
    sum = (sum ^ sum >> first_shift) * first_factor;
    return (sum ^ sum >> second_shift) * second_factor;
  }
};

constexpr std::uint32_t checksum_of_columns(const ChecksumColumns& sums) noexcept {
  std::uint32_t checksum = 0;
  for (const std::uint32_t sum : sums) checksum ^= ChecksumBlend::of(sum);
  return checksum;
}

/// Adds the bytes [begin, end) of a payload word by word; both are multiples of 4.
inline void add_to_columns(ChecksumColumns& sums, const std::uint8_t* payload, std::size_t begin,
                           std::size_t end) noexcept {
  constexpr std::size_t row_bytes = ChecksumWeights::row_bytes;
  for (std::size_t at = begin; at < end; at += 4) {
    sums[at % row_bytes / 4] +=
        weighted(load<std::uint32_t>(payload + at), checksum_weights.rows[at / row_bytes]);
  }
}

/// The formula as it stands on the page. `padded_bytes` is a multiple of 4 and at most chunk_bytes; any
/// alignment.
inline std::uint32_t chunk_checksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
  ChecksumColumns sums = checksum_weights.starts;
  add_to_columns(sums, payload, 0, padded_bytes);
  return checksum_of_columns(sums);
}

/// A checksum that is made some rows at a time, beside other work on a chunk.
class RunningChecksum {
 public:
  struct Rows {
    std::size_t first, end;
  };

  RunningChecksum() = default;
  /// As chunk_checksum.
  RunningChecksum(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
    start(payload, padded_bytes);
  }

  void start(const std::uint8_t* payload, std::size_t padded_bytes) noexcept {
    payload_ = payload;
    padded_bytes_ = padded_bytes;
    whole_rows_ = padded_bytes / ChecksumWeights::row_bytes;
    next_row_ = 0;
    sums = checksum_weights.starts;
  }

  /// The rows to be added next: none is left when as many lines as a chunk has were asked for, but for a last
  /// one that is not whole.
  Rows take(std::size_t lines) noexcept {
    constexpr std::size_t lines_per_chunk = chunk_bytes / 64;
    const std::size_t first = next_row_;
    next_row_ = std::min(first + (whole_rows_ * lines + lines_per_chunk - 1) / lines_per_chunk, whole_rows_);
    return {first, next_row_};
  }
  Rows take_all() noexcept {
    const std::size_t first = next_row_;
    next_row_ = whole_rows_;
    return {first, next_row_};
  }

  [[nodiscard]] const std::uint8_t* row(std::size_t index) const noexcept {
    return payload_ + index * ChecksumWeights::row_bytes;
  }
  [[nodiscard]] std::size_t padded_bytes() const noexcept { return padded_bytes_; }
  /// Of the last row, if it is not whole.
  [[nodiscard]] std::size_t rest_words() const noexcept {
    return padded_bytes_ % ChecksumWeights::row_bytes / 4;
  }

  alignas(64) ChecksumColumns sums{};

 private:
  // What changes stands alone, as in MemoryOverlap.
  std::size_t next_row_ = 0;
  const std::uint8_t* payload_ = nullptr;
  std::size_t padded_bytes_ = 0;
  std::size_t whole_rows_ = 0;
};

}  // namespace floe::core
