// What the header of a segment says of its content, by a block: the range of its values
// (container::range_of), and the digest of a stream that is no codec (chunks::digest_of_bytes).
#pragma once

#include "chunks/chunk_table.hpp"
#include "container/value_range.hpp"
#include "core/digest.hpp"
#include "gpu/frames/geometry.hpp"
#include "gpu/warp/block.hpp"
#include "gpu/warp/checksum.hpp"
#include "gpu/warp/memory_access.hpp"

namespace floe::gpu {

/// The smallest number of all threads, to all of them. `totals` is shared memory for a number per warp.
template <core::Word W, class Block>
FLOE_DEVICE W block_min(Block& block, std::uint64_t* totals, W number) {
  auto& warp = block.warp();
  number = min_of_warp(warp, number);
  block.sync();
  if (warp.lane() == 0) totals[block.warp_index()] = number;
  block.sync();
  for (unsigned w = 0; w < block.warp_count(); ++w) {
    const W other = static_cast<W>(totals[w]);
    number = other < number ? other : number;
  }
  return number;
}

/// The smallest and the largest number of words that a thread has seen.
template <core::Word W>
class ValueRangeFinder {
 public:
  FLOE_DEVICE explicit ValueRangeFinder(DType type) : numbers_(type), is_float_(is_float(type)) {}

  FLOE_DEVICE void add(W word) {
    if (is_float_ && numbers_.is_nan(word)) return;
    const W number = is_float_ ? numbers_.of_float(word) : numbers_.of_integer(word);
    min_ = number < min_ ? number : min_;
    max_ = number > max_ ? number : max_;
  }
  /// Of all threads, to all of them. `totals` is shared memory for a number per warp.
  template <class Block>
  FLOE_DEVICE container::ValueRange of_block(Block& block, std::uint64_t* totals) const {
    const W min = block_min(block, totals, min_),
            max = static_cast<W>(~block_min(block, totals, static_cast<W>(~max_)));
    return numbers_.range(min, max);
  }

 private:
  container::RangeNumbers<W> numbers_;
  bool is_float_;
  W min_ = static_cast<W>(~W{0}), max_ = 0;
};

/// Of words at a multiple of their size. By all threads, which get the same answer.
template <class Block>
FLOE_DEVICE container::ValueRange find_range(Block& block, DType type, const std::uint8_t* words,
                                             std::uint64_t count) {
  container::ValueRange range;
  with_word_of(static_cast<unsigned>(size_of(type)), [&]<class W>(W) {
    constexpr unsigned per_load = 8 / sizeof(W);
    const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(words) % 8 / sizeof(W));
    const std::uint64_t before = (per_load - misaligned) % per_load, head = before < count ? before : count,
                        loads = (count - head) / per_load, tail = (count - head) % per_load;
    ValueRangeFinder<W> found(type);
    if (block.rank() < head) found.add(load_aligned<W>(words + block.rank() * sizeof(W)));
    if (block.rank() < tail) found.add(load_aligned<W>(words + (count - 1 - block.rank()) * sizeof(W)));
    FLOE_UNROLL_BY(8)
    for (std::uint64_t i = block.rank(); i < loads; i += block.size()) {
      const auto bits = load_aligned<std::uint64_t>(words + head * sizeof(W) + 8 * i);
      FLOE_UNROLL
      for (unsigned k = 0; k < per_load; ++k)
        found.add(static_cast<W>(bits >> (per_load == 1 ? 0 : k * core::word_bits<W>)));
    }
    range = found.of_block(block, block.memory().warp_totals);
  });
  return range;
}

/// What piece `index` of a stream adds to its digest, in all lanes of a warp.
template <class Warp>
FLOE_DEVICE_CALL std::uint64_t piece_digest(Warp& warp, const std::uint8_t* stream, std::uint64_t bytes,
                                            std::uint64_t index, bool checksums) {
  const std::uint64_t at = index * core::chunk_bytes, left = bytes - at;
  const auto stored = static_cast<std::uint32_t>(left < core::chunk_bytes ? left : core::chunk_bytes);
  const std::uint32_t checksum =
      checksums ? payload_checksum(warp, stream + at, padded32(stored), checksum_tables) : 0;
  return core::digest_term(index, checksum, static_cast<std::uint16_t>(stored), chunks::mode_raw);
}

/// Of bytes at a multiple of 16, which are followed by their padding. `totals` is shared memory for a number
/// per warp. To all threads.
template <class Block>
FLOE_DEVICE std::uint64_t stream_digest(Block& block, std::uint64_t* totals, const std::uint8_t* stream,
                                        std::uint64_t bytes, bool checksums) {
  std::uint64_t digest = 0;
  const std::uint64_t pieces = core::divide_up(bytes, core::chunk_bytes);
  for (std::uint64_t piece = block.warp_index(); piece < pieces; piece += block.warp_count()) {
    const std::uint64_t term = piece_digest(block.warp(), stream, bytes, piece, checksums);
    if (block.warp().lane() == 0) digest += term;
  }
  return block_scan(block, totals, digest).total;
}

}  // namespace floe::gpu
