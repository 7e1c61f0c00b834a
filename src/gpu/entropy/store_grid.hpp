// Floats of a segment as multiples of a power of two, and the bits below, by a block of a few warps that
// packs entropy: each warp takes a part of the words. Where more than one word in 16 is an exception, another
// kernel encodes the segment. As encode/encode_grid.hpp does it.
#pragma once

#include "gpu/entropy/grid_exceptions.hpp"
#include "gpu/entropy/split_block.hpp"

namespace floe::gpu {

/// Takes the floats of memory.now apart.
template <core::Word W, class Block>
class GridStorer {
 public:
  /// `low`: room for the bits below and exceptions, a multiple of 16. `temporary`: as exceptions need it.
  FLOE_DEVICE GridStorer(Block& block, const EncodeStream& from, std::uint8_t* low, std::uint8_t* temporary)
      : block_(block),
        grid_(block.memory().now.grid),
        from_(from),
        layout_(trees::layout_of(from.type)),
        low_(low),
        exceptions_(block, from, temporary) {}

  /// Chooses the grid, and says where the bits of each warp begin. False to all threads if there is none, or
  /// too many words are not on it.
  template <class See>
  FLOE_DEVICE bool choose(const See& see) {
    EntropyEncodeMemory& room = block_.memory().room.memory;
    auto& warp = block_.warp();
    const unsigned top = layout_.top_exponent(),
                   max_copies = trees::entropy_symbols * counted_lanes / (top + 1),
                   copies = max_copies < warp_lanes ? max_copies : warp_lanes;
    std::uint32_t* const table = &room.histogram[0][0];
    clear_histogram(block_, room);
    if (block_.rank() == 0) room.counts[0] = room.counts[1] = top;
    block_.sync();
    std::uint32_t numbers = 0, exponents = 0;
    for_groups_of_warp<W>(block_, from_, [&](const W(&word)[steps], std::uint32_t own) {
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) {
        if (own + k >= from_.count) continue;
        see(word[k]);
        const unsigned exponent = layout_.exponent_of(word[k]);
        atomic_add(table + exponent * copies + warp.lane() % copies, 1);
        numbers += word[k] == 0 ? 0 : 1;
        exponents += exponent;
      }
    });
    numbers = warp.reduce_add(numbers), exponents = warp.reduce_add(exponents);
    if (warp.lane() == 0) {
      room.totals[2 * block_.warp_index()] = numbers;
      room.totals[2 * block_.warp_index() + 1] = exponents;
    }
    block_.sync();
    for (std::uint32_t e = 1 + block_.rank(); e < top; e += block_.size()) {
      std::uint32_t all = 0;
      for (unsigned i = 0; i < copies; ++i) all += table[e * copies + i];
      table[e * copies] = all;
      if (all == 0) continue;
      atomic_min(&room.counts[0], e);
      atomic_min(&room.counts[1], top - 1 - e);
    }
    block_.sync();
    if (block_.rank() == 0) set_grid([&](unsigned e) { return table[e * copies]; });
    block_.sync();
    if (grid_.exponent != 0 && grid_.exceptions > 0) exceptions_.find();
    return grid_.exponent != 0;
  }

  /// Writes multiples to `multiples`, a multiple of 16, and the bits below.
  FLOE_DEVICE void store(std::uint8_t* multiples) {
    auto& warp = block_.warp();
    const unsigned w = block_.warp_index(), exponent = grid_.exponent;
    BitsPutter bits(warp, block_.memory().room.rings[w], low_ + grid_.position_of(w), grid_.starts[w] % 128);
    const bool has_exceptions = grid_.exceptions > 0;
    for_groups_of_warp<W>(block_, from_, [&](const W(&word)[steps], std::uint32_t own) {
      W multiple[steps], low[steps];
      std::uint32_t counts[steps];
      bool all_good = true;
      FLOE_UNROLL
      for (unsigned k = 0; k < steps; ++k) {
        const W there = own + k < from_.count ? word[k] : W{0};
        const trees::GridWord<W> made = layout_.to_grid(there, exponent);
        multiple[k] = made.multiple, low[k] = made.low, counts[k] = made.low_bits;
        all_good = all_good && layout_.is_on_grid(there, exponent);
      }
      if (has_exceptions && !all_good) {  // they have no bits below
        FLOE_UNROLL
        for (unsigned k = 0; k < steps; ++k) {
          if (own + k >= from_.count || layout_.is_on_grid(word[k], exponent)) continue;
          const trees::GridWord<W> made = exceptions_.word_at(own + k);
          multiple[k] = made.multiple, counts[k] = made.low_bits;
        }
      }
      if (own + steps <= from_.count) {
        typename LeafWords<W, false>::Words all;
        FLOE_UNROLL
        for (unsigned k = 0; k < steps; ++k) all.word[k] = multiple[k];
        store_aligned(multiples + std::uint64_t{own} * sizeof(W), all);
      } else {
        FLOE_UNROLL
        for (unsigned k = 0; k < steps; ++k)
          if (own + k < from_.count) store_word(multiples, own + k, multiple[k]);
      }
      bits.put(join_extra_bits<W>(low, counts));
    });
    bits.finish();
    block_.sync();
    if (block_.rank() == 0) join_parts();
    block_.sync();
    const bool is_constant = grid_.bytes > 0 && are_equal(block_, grid_.bytes, [&](std::uint32_t i) {
                               return grid_.byte(low_, i);
                             });
    if (block_.rank() == 0) grid_.is_constant = is_constant;
    block_.sync();
    if (grid_.exceptions > 0) exceptions_.store(low_);
  }

 private:
  static constexpr unsigned steps = LeafWords<W, false>::steps;

  /// By one thread.
  template <class Counts>
  FLOE_DEVICE void set_grid(const Counts& counts) {
    const EntropyEncodeMemory& room = block_.memory().room.memory;
    const unsigned top = layout_.top_exponent(), first = room.counts[0], end = top - room.counts[1];
    const unsigned best = trees::best_grid_exponent<W>(counts, first, end, from_.count, layout_);
    std::uint32_t on_grid = from_.count, start = 0;
    grid_.starts[0] = 0;
    for (unsigned w = 0; w < block_.warp_count(); ++w) {
      const auto numbers = static_cast<std::uint32_t>(room.totals[2 * w]);
      on_grid -= numbers;  // the others are 0
      grid_.starts[w + 1] = start += numbers * best - static_cast<std::uint32_t>(room.totals[2 * w + 1]);
    }
    const unsigned min_exponent = best < layout_.precision ? 1 : best - layout_.precision + 1;
    for (unsigned e = min_exponent > first ? min_exponent : first; e <= best; ++e) on_grid += counts(e);
    grid_.exceptions = from_.count - on_grid;
    const std::uint32_t max_exceptions = grid_.takes_exceptions ? max_grid_exceptions(from_.count) : 0;
    grid_.exponent = static_cast<std::uint16_t>(grid_.exceptions <= max_exceptions ? best : 0);
    grid_.parts = static_cast<std::uint16_t>(block_.warp_count());
    grid_.bytes = (start + 7) / 8;
  }

  /// Parts that begin within 16 bytes get the bits that those before have there.
  FLOE_DEVICE void join_parts() {
    for (unsigned w = 1; w < block_.warp_count(); ++w) {
      std::uint8_t* const own = low_ + grid_.position_of(w);
      for (unsigned k = 0; 32 * k < grid_.starts[w] % 128; ++k)
        store_aligned(own + 4 * k, load_aligned<std::uint32_t>(own + 4 * k) |
                                       load_aligned<std::uint32_t>(own + 4 * k - 16));
    }
  }

  Block& block_;
  StoredGrid& grid_;
  EncodeStream from_;
  trees::FloatLayout layout_;
  std::uint8_t* low_;
  GridExceptions<W, Block> exceptions_;
};

/// Puts the bits below the grid of a segment and its exceptions from `low` to `out`. By all threads.
template <class Block>
FLOE_DEVICE void put_low_bits(Block& block, const StoredGrid& grid, const std::uint8_t* low,
                              std::uint8_t* out) {
  constexpr std::uint32_t piece = 4096;
  unsigned turn = block.warp_index();
  const auto put = [&](const std::uint8_t* from, std::uint32_t bytes, std::uint8_t* to) {
    const std::uint32_t pieces = (bytes + piece - 1) / piece;
    for (; turn < pieces; turn += block.warp_count()) {
      const std::uint32_t at = turn * piece;
      copy_by_warp(block.warp(), to + at, from + at, bytes - at < piece ? bytes - at : piece);
    }
    turn -= pieces;
  };
  if (grid.is_constant && block.rank() == 0) *out = grid.byte(low, 0);
  for (unsigned part = 0; part < grid.parts && !grid.is_constant; ++part) {
    const std::uint32_t begin = grid.first_byte(part),
                        end = part + 1u < grid.parts ? grid.first_byte(part + 1) : grid.bytes;
    put(low + grid.position_of(part), end > begin ? end - begin : 0, out + begin);
  }
  out += grid.low_bytes();
  put(low + grid.gaps_at, grid.gaps_bytes, out);
  put(low + grid.words_at, grid.words_bytes, out + grid.gaps_bytes);
}

}  // namespace floe::gpu
