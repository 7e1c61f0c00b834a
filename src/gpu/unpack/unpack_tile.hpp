// Decodes one vector of a segment that needs no block, with a warp. Its packed bytes land in shared memory,
// and words go from there through registers to their position. With a delta of neighbours of 32 bits lanes
// keep theirs in registers (unpack_neighbours.hpp); otherwise the warp goes through them twice: first for
// their sum, so that the warp with the next vector need not wait for long, then with the sum of all vectors
// before.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/unpack/unpack_memory.hpp"
#include "gpu/unpack/unpack_neighbours.hpp"

namespace floe::gpu {

/// Decodes vectors by a Worker: warp(), memory(), and with a delta the sums that workers publish.
/// Between wait_for_turn(vector) and pass_turn(vector), which all lanes call, sum(class) is the sum of all
/// vectors before, and put_sum(class, sum) sets the one with this.
template <core::Word W, class Store, class Rows, class Worker>
class TileUnpacker {
 public:
  /// `count` words of vector `tile`.
  FLOE_DEVICE TileUnpacker(Worker& worker, const Rows& rows, std::uint32_t tile, std::uint32_t count,
                           StoreArguments& to)
      : worker_(worker), rows_(rows), chain_(worker.memory().chain), tile_(tile), count_(count), to_(to) {}

  FLOE_DEVICE void run() {
    constexpr unsigned size = tile_rows<W> < 8 ? tile_rows<W> : 8;
    const std::uint64_t out = std::uint64_t{tile_} * tile_words;
    const bool is_aligned = count_ == tile_words && Store::is_aligned(to_, out);
    FLOE_NO_UNROLL
    for (unsigned row = 0; row < tile_rows<W>; row += size) {
      Pack<W> packs[size];
      FLOE_UNROLL
      for (unsigned i = 0; i < size; ++i) packs[i] = rows_.row(row + i);
      apply_step_to(chain_.after, packs);
      FLOE_UNROLL
      for (unsigned i = 0; i < size; ++i) {
        const std::uint32_t first = first_of(row + i);
        if (is_aligned) {
          Store::store_all(to_, out + first, packs[i]);
        } else if (first < count_) {
          Store::store(to_, out + first, packs[i], count_ - first);
        }
      }
    }
  }

  /// The same with a delta, for wide words. Word i of the payload is of class i mod stride.
  FLOE_DEVICE void run_sums() {
    auto& warp = worker_.warp();
    const unsigned stride = chain_.stride, lane = warp.lane();
    if (tile_ == 0 && lane < stride) store_word(0, static_cast<W>(chain_.head[lane]));
    // The last words of a vector are one of each class, those of the last lanes.
    const bool is_last = lane >= warp_lanes - stride;
    const unsigned class_before = (tile_ * tile_words + lane - warp_lanes + 4 * stride * warp_lanes) % stride,
                   class_here = (class_before + tile_words) % stride;
    const W sum = stride == 3 ? add_up(W{0}, false) : sum_classes();
    worker_.wait_for_turn(tile_);
    const auto sum_before = [&](unsigned kind) {
      return tile_ == 0 ? static_cast<W>(chain_.head[kind]) : static_cast<W>(worker_.sum(kind));
    };
    const W carry = is_last ? sum_before(class_before) : W{0};
    if (is_last) worker_.put_sum(class_here, static_cast<W>(sum_before(class_here) + sum));
    worker_.pass_turn(tile_);
    add_up(carry, true);
  }

 private:
  static constexpr unsigned batch = 4;
  FLOE_DEVICE std::uint32_t first_of(unsigned row) const {
    return row * row_words<W> + worker_.warp().lane() * Pack<W>::words;
  }

  /// Words before the delta; those behind the last one are zero.
  template <unsigned size>
  FLOE_DEVICE void load(unsigned row, Pack<W> (&packs)[size]) const {
    FLOE_UNROLL
    for (unsigned i = 0; i < size; ++i) packs[i] = rows_.row(row + i);
    apply_step_to(chain_.before, packs);
    if (count_ == tile_words) return;
    FLOE_UNROLL
    for (unsigned i = 0; i < size; ++i) {
      if (first_of(row + i) >= count_) packs[i].bits = 0;
    }
  }

  FLOE_DEVICE void store_word(std::uint64_t index, W word) {
    Pack<W> one[1];
    one[0].bits = word;
    apply_step_to(chain_.after, one);
    Store::store(to_, index + worker_.warp().lane(), one[0], 1);
  }

  /// To each lane the sum of its class, where the stride is a power of two.
  FLOE_DEVICE W sum_classes() {
    auto& warp = worker_.warp();
    constexpr unsigned size = 8;
    W sum = 0;
    FLOE_NO_UNROLL
    for (unsigned row = 0; row < tile_rows<W>; row += size) {
      Pack<W> packs[size];
      load(row, packs);
      FLOE_UNROLL
      for (unsigned i = 0; i < size; ++i) sum = static_cast<W>(sum + packs[i].bits);
    }
    for (unsigned distance = warp_lanes / 2; distance >= chain_.stride; distance /= 2)
      sum = static_cast<W>(sum + warp.shuffle(sum, warp.lane() ^ distance));
    return sum;
  }

  /// Sums upon `carry`, which the last lanes have of the words before; returns what they have of this vector.
  FLOE_DEVICE W add_up(W carry, bool stores) {
    auto& warp = worker_.warp();
    const unsigned stride = chain_.stride, lane = warp.lane();
    const unsigned source =
        warp_lanes - 1 -
        (stride - (lane + 1) % stride) % stride;  // the last word of the class in the row before
    const std::uint64_t out = std::uint64_t{tile_} * tile_words + stride;
    FLOE_NO_UNROLL
    for (unsigned row = 0; row < tile_rows<W>; row += batch) {
      Pack<W> packs[batch];
      load(row, packs);
      for (unsigned distance = stride; distance < warp_lanes; distance *= 2) {
        FLOE_UNROLL
        for (unsigned i = 0; i < batch; ++i) {
          const W before = static_cast<W>(warp.shuffle_up(static_cast<W>(packs[i].bits), distance));
          if (lane >= distance) packs[i].bits = static_cast<W>(packs[i].bits + before);
        }
      }
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i)
        carry = static_cast<W>(packs[i].bits += warp.shuffle(carry, source));
      if (!stores) continue;
      apply_step_to(chain_.after, packs);
      FLOE_UNROLL
      for (unsigned i = 0; i < batch; ++i) {
        if (count_ == tile_words || first_of(row + i) < count_)
          Store::store_all(to_, out + first_of(row + i), packs[i]);
      }
    }
    return carry;
  }

  Worker& worker_;
  const Rows& rows_;
  const UnpackChain& chain_;
  const std::uint32_t tile_, count_;
  StoreArguments& to_;
};

/// Decodes a vector row by row. False to all if its words are damaged.
template <core::Word W, class Store, class Worker>
FLOE_DEVICE bool unpack_rows(Worker& worker, std::uint32_t tile, std::uint32_t count, StoreArguments& to) {
  auto& warp = worker.warp();
  auto& memory = worker.memory();
  const UnpackChain& chain = memory.chain;
  const VectorEntry& entry = memory.entry;
  bool good = true;
  const auto run = [&](const auto& rows) {
    TileUnpacker<W, Store, std::remove_cvref_t<decltype(rows)>, Worker> unpacker(worker, rows, tile, count,
                                                                                 to);
    if constexpr (sizeof(W) >= 4) {
      if (chain.stride > 0) return unpacker.run_sums();
    }
    unpacker.run();
  };
  constexpr bool fits_half = sizeof(W) <= 4;  // a tile of words
  std::uint8_t* const middle = memory.tile + memory.half;
  const std::uint32_t room = memory.half - 128;
  if (count == tile_words && entry.exception_count == 0) {
    const std::uint8_t* const from = land<W>(worker, chain.bytes + entry.packed, entry.width, memory.tile);
    if (entry.width <= 32) {
      const bool is_behind = from < middle;
      land_next(worker, is_behind ? middle : memory.tile, room, is_behind && fits_half);
    }
    run(PackedRows<W>(warp, from, entry.width, static_cast<W>(entry.base)));
  } else {
    good = put_vector<W>(worker, count);
    if (fits_half) land_next(worker, middle, room, true);
    run(PlainTile<W>{memory.tile, warp.lane()});
  }
  return warp.ballot(to.bad) == 0 && good;
}

/// Decodes vector `tile` of the worker's chain. Called by all lanes. False for all if words are damaged.
template <core::Word W, class Store, class Worker>
FLOE_DEVICE_CALL bool unpack_tile_as(Worker& worker, std::uint32_t tile) {
  const UnpackChain& chain = worker.memory().chain;
  const std::uint32_t count = words_of_tile(chain.count, tile);
  if constexpr (sizeof(W) == 4) {
    if (chain.stride == 1) return unpack_neighbours<1, Store>(worker, tile, count);
    if (chain.stride == 2) return unpack_neighbours<2, Store>(worker, tile, count);
  }
  StoreArguments to(chain.out, chain.power);
  return unpack_rows<W, Store>(worker, tile, count, to);
}

template <class Worker>
FLOE_DEVICE bool unpack_tile(Worker& worker, std::uint32_t tile) {
  const UnpackChain& chain = worker.memory().chain;
  if (chain.final == FinalKind::decimal) {
    if (chain.word_bytes == 8)
      return unpack_tile_as<std::uint64_t, StoreDecimal<std::uint64_t, double>>(worker, tile);
    if (chain.out_bytes == 8)
      return unpack_tile_as<std::uint32_t, StoreDecimal<std::uint32_t, double>>(worker, tile);
    return unpack_tile_as<std::uint32_t, StoreDecimal<std::uint32_t, float>>(worker, tile);
  }
  if (chain.word_bytes == 8) return unpack_tile_as<std::uint64_t, StoreSame<std::uint64_t>>(worker, tile);
  if (chain.word_bytes == 4) return unpack_tile_as<std::uint32_t, StoreSame<std::uint32_t>>(worker, tile);
  return unpack_tile_as<std::uint16_t, StoreSame<std::uint16_t>>(worker, tile);
}

/// Room in a tile for the packed bytes of a vector of codes, and the tile, in which codes fit, too.
inline constexpr std::uint32_t codes_half = 16 + 16 * 128 + 128 + 112, codes_tile_bytes = 2 * codes_half;
static_assert(codes_half % 16 == 0 && codes_tile_bytes - 128 >= 16 * 136 + 128, "see unpack_vector");

/// What a warp has in shared memory.
struct alignas(16) CodesMemory {
  static constexpr std::uint32_t half = codes_half;
  UnpackChain chain;
  VectorEntry entry;
  alignas(16) std::uint8_t tile[codes_tile_bytes + 16];
};

/// Decodes vector `tile` with the dictionary at `table`, a multiple of 16. False to all if codes are damaged.
template <core::Word W, class Worker>
FLOE_DEVICE bool unpack_codes_as(Worker& worker, std::uint32_t tile, const std::uint8_t* table) {
  const UnpackChain& chain = worker.memory().chain;
  StoreArguments to(chain.out, 1);
  to.table = table;
  to.table_count = chain.table_count;
  return unpack_rows<std::uint16_t, StoreLookUp<W>>(worker, tile, words_of_tile(chain.count, tile), to);
}

template <class Worker>
FLOE_DEVICE bool unpack_codes(Worker& worker, std::uint32_t tile, const std::uint8_t* table) {
  if (worker.memory().chain.out_bytes == 8) return unpack_codes_as<std::uint64_t>(worker, tile, table);
  return unpack_codes_as<std::uint32_t>(worker, tile, table);
}

}  // namespace floe::gpu
