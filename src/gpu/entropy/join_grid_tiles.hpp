// Makes floats on a grid of multiples at their position, with all threads of a block: warps take tiles in
// turn and hand on how many bits below the grid those before have.
#pragma once

#include "encodings/grid/grid.hpp"
#include "gpu/decode/store_words.hpp"
#include "gpu/unpack/outer_steps.hpp"

namespace floe::gpu {

/// How many bits below a grid the tiles up to the last ones have, and of how many tiles; in turn.
struct GridTurns {
  std::uint64_t bits[2];
  std::uint32_t tiles[2];
};

/// Makes floats of multiples.
template <core::Word W, class Block>
class GridJoiner {
 public:
  FLOE_DEVICE GridJoiner(Block& block, const OuterSteps& outer, const std::uint8_t* bytes, GridTurns& turns)
      : block_(block),
        turns_(turns),
        layout_(trees::layout_of(outer.type)),
        exponent_(outer.exponent),
        low_(bytes + outer.low_at),
        low_bits_(8 * std::uint64_t{outer.low_count}),
        words_(outer.out),
        count_(outer.count) {}

  /// False to all threads if something is damaged. Begins and ends with a barrier.
  FLOE_DEVICE bool run() {
    block_.sync();
    if (block_.rank() == 0) turns_ = {{0, 0}, {~0u, 0}};
    block_.sync();
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(words_) % sizeof(Words) == 0;
    const std::uint32_t tiles = (count_ + tile_size - 1) / tile_size;
    for (std::uint32_t tile = block_.warp_index(); tile < tiles; tile += block_.warp_count()) {
      if (is_aligned && (tile + 1) * tile_size <= count_) {
        join<true>(tile);
      } else {
        join<false>(tile);
      }
    }
    return !block_.any(bad_);
  }

 private:
  static constexpr unsigned vector = 16 / sizeof(W), rows = 4, tile_size = rows * warp_lanes * vector;
  struct alignas(16) Words {
    W word[vector];
  };

  template <bool is_full>
  FLOE_DEVICE void join(std::uint32_t tile) {
    auto& warp = block_.warp();
    const std::uint32_t first = tile * tile_size + vector * warp.lane();
    Words own[rows];
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) own[row] = load<is_full>(first + row * warp_lanes * vector);
    // Bits that a lane's words of each row have, 16 bits of a number: a row has fewer than 65536.
    std::uint64_t taken = 0;
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      unsigned of_row = 0;
      FLOE_UNROLL
      for (unsigned k = 0; k < vector; ++k) {
        const unsigned width = layout_.low_bits_of(own[row].word[k]);
        bad_ = bad_ || !layout_.is_valid(own[row].word[k], exponent_, width);
        of_row += width;
      }
      taken |= std::uint64_t{of_row} << (16 * row);
    }
    const std::uint64_t inclusive = inclusive_scan(warp, taken), before = inclusive - taken,
                        total = warp.shuffle(inclusive, warp_lanes - 1);
    std::uint64_t at = take_turn(tile, field(total, 0) + field(total, 1) + field(total, 2) + field(total, 3));
    FLOE_UNROLL
    for (unsigned row = 0; row < rows; ++row) {
      join_row(own[row], at + field(before, row), field(taken, row));
      store<is_full>(first + row * warp_lanes * vector, own[row]);
      at += field(total, row);
    }
  }
  FLOE_DEVICE static std::uint32_t field(std::uint64_t number, unsigned row) {
    return static_cast<std::uint32_t>(number >> (16 * row)) & 0xFFFF;
  }

  /// Words of the lane with `taken` bits from bit `position` on.
  FLOE_DEVICE void join_row(Words& own, std::uint64_t position, std::uint32_t taken) {
    const bool exist = position + taken <= low_bits_;
    bad_ = bad_ || !exist;
    FLOE_UNROLL
    for (unsigned k = 0; k < vector; ++k) {
      const W multiple = own.word[k];
      const unsigned width = layout_.low_bits_of(multiple);
      const W bits = exist ? static_cast<W>(load_bits(low_, position, width)) : W{0};
      own.word[k] = layout_.off_grid(multiple, exponent_, bits, width);
      position += width;
    }
  }

  /// Bits before those of a tile that has `bits`; waits for the warp that has the tile before.
  FLOE_DEVICE std::uint64_t take_turn(std::uint32_t tile, std::uint32_t bits) {
    std::uint64_t before = 0;
    if (block_.warp().lane() == 0) {
      block_.wait_for(turns_.tiles[(tile + 1) % 2], tile);
      before = turns_.bits[(tile + 1) % 2];
      turns_.bits[tile % 2] = before + bits;
      block_.publish(turns_.tiles[tile % 2], tile + 1);
    }
    return block_.warp().shuffle(before, 0);
  }

  template <bool is_full>
  FLOE_DEVICE Words load(std::uint32_t index) const {
    if constexpr (is_full) {
      return load_aligned<Words>(words_ + std::uint64_t{index} * sizeof(W));
    } else {
      Words own = {};
      FLOE_UNROLL
      for (unsigned k = 0; k < vector; ++k)
        if (index + k < count_)
          own.word[k] = load_aligned<W>(words_ + (std::uint64_t{index} + k) * sizeof(W));
      return own;
    }
  }
  template <bool is_full>
  FLOE_DEVICE void store(std::uint32_t index, const Words& own) const {
    if constexpr (is_full) {
      store_aligned(words_ + std::uint64_t{index} * sizeof(W), own);
    } else {
      FLOE_UNROLL
      for (unsigned k = 0; k < vector; ++k)
        if (index + k < count_) store_word(words_, std::uint64_t{index} + k, own.word[k]);
    }
  }

  Block& block_;
  GridTurns& turns_;
  trees::FloatLayout layout_;
  unsigned exponent_;
  const std::uint8_t* low_;
  std::uint64_t low_bits_;
  std::uint8_t* words_;
  std::uint32_t count_;
  bool bad_ = false;
};

}  // namespace floe::gpu
