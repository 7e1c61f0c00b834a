// Blocks of rows of words that are on lattices, one for each channel, and blocks that are on none.
#pragma once

#include <cmath>
#include <vector>

#include "encodings/affine/lattice.hpp"
#include "encodings/affine/line_limits.hpp"
#include "encodings/encoding.hpp"

namespace floe::trees {

inline bool is_within_limits(const AffineLine& line, DType type) {
  const double limit = limit_of_lines(static_cast<unsigned>(size_of(type)));
  return line.step >= 1 / limit && line.step <= limit && std::abs(line.offset) <= limit;
}

struct AffineBlock {
  std::uint64_t rows = 0;
  AffineForm form = AffineForm::plain;
  std::vector<AffineLine> lines;  ///< One for each channel, or none.
};

/// Cuts a stream of f32 or f64 into blocks. The last row may be incomplete.
std::vector<AffineBlock> find_blocks(const ColumnView& stream, std::uint32_t channels);

void put_blocks(std::span<const AffineBlock> blocks, ByteWriter& header);

/// Reads blocks of a header one after the other, so that it never has more than one of them. The bytes must
/// remain.
class AffineBlockReader {
 public:
  AffineBlockReader(const ByteReader& header, DType type, std::uint64_t count, std::uint32_t channels)
      : bytes_(header),
        type_(type),
        channels_(channels),
        words_left_(count),
        blocks_left_(bytes_.get_varint()) {}
  /// Goes on to the next block. False if the bytes contradict the format.
  bool next();
  [[nodiscard]] bool is_at_end() const { return blocks_left_ == 0; }
  [[nodiscard]] const AffineBlock& block() const { return block_; }
  [[nodiscard]] std::uint64_t words() const { return words_; }            ///< Of the block.
  [[nodiscard]] std::uint64_t words_left() const { return words_left_; }  ///< Behind it.
  [[nodiscard]] const ByteReader& bytes() const { return bytes_; }        ///< What follows it.

 private:
  bool read_lines();

  ByteReader bytes_;
  const DType type_;
  const std::uint32_t channels_;
  std::uint64_t words_left_, words_ = 0, blocks_left_;
  AffineBlock block_;
  std::vector<double> steps_;  ///< Of the last block that had lines.
};

}  // namespace floe::trees
