// Decodes a vector of words of 32 bits below a delta, with a warp. Each lane unpacks 32 neighbours, a row of
// the interleaved layout, and keeps them in registers while it adds them up; so lanes meet once per vector.
// Words change places in shared memory on their way out.
//
// What the words before come to is the first word of a vector's output: that is the sum of those before each
// word, which begins where the column is aligned, and not behind the words of the header.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/unpack/unpack_memory.hpp"

namespace floe::gpu {

inline constexpr unsigned lane_neighbours = 32;
/// Bytes between rows of 32 words in shared memory: with 16 bytes of each, eight lanes reach all banks.
inline constexpr std::uint32_t neighbour_stride = 144;

using FourWords = Vector<std::uint32_t>;

/// Copies the packed rows of a full vector to a tile, neighbour_stride apart. They land at its end first.
template <class Worker>
FLOE_DEVICE void land_apart(Worker& worker, const std::uint8_t* packed, unsigned width) {
  UnpackMemory& memory = worker.memory();
  const auto before = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(packed) % 16);
  const std::uint8_t* const landed =
      end_landing(worker, packed, width, memory.tile + sizeof memory.tile - 128 * width - 16);
  // The last row may come where the first one landed, which all lanes have read by then.
  move_rows<neighbour_stride>(worker.warp(), memory.tile, landed, before, width);
}

/// Begins to copy what the worker needs next to the end of its tile, behind rows and words.
template <class Worker>
FLOE_DEVICE void land_next_apart(Worker& worker) {
  constexpr std::uint32_t end = (lane_neighbours + 1) * neighbour_stride;
  UnpackMemory& memory = worker.memory();
  land_next(worker, memory.tile + end, sizeof memory.tile - end, true);
}

/// A vector whose neighbours `stride` apart are added up, by a Worker as TileUnpacker has it.
template <unsigned stride, class Store, class Worker>
class NeighbourUnpacker {
 public:
  using W = std::uint32_t;

  FLOE_DEVICE NeighbourUnpacker(Worker& worker, std::uint32_t tile, std::uint32_t count)
      : worker_(worker), memory_(worker.memory()), tile_(tile), count_(count) {}

  /// False to all if an exception has no place in the vector.
  FLOE_DEVICE bool load() {
    auto& warp = worker_.warp();
    const VectorEntry& entry = memory_.entry;
    if (count_ == tile_words && entry.exception_count == 0) {
      land_apart(worker_, memory_.chain.bytes + entry.packed, entry.width);
      land_next_apart(worker_);
      load_packed();
      warp.sync();
      return true;
    }
    const bool good = put_vector<W>(worker_, count_);
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; ++i)
      word_[i] = load_aligned<W>(memory_.tile + tile_offset<W>(lane_neighbours * warp.lane() + i));
    warp.sync();
    land_next_apart(worker_);
    return good;
  }

  /// Turns words into the sums of those before them.
  FLOE_DEVICE void sum() {
    auto& warp = worker_.warp();
    apply(memory_.chain.before);
    W total[stride] = {}, before[stride];
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; ++i) {
      const W own = word_[i];
      word_[i] = total[i % stride];
      total[i % stride] += own;
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < stride; ++k) last_[k] = total[k];
    inclusive_scans(warp, last_);
    worker_.wait_for_turn(tile_);
    FLOE_UNROLL
    for (unsigned k = 0; k < stride; ++k) {
      const W carry = static_cast<W>(tile_ == 0 ? memory_.chain.head[k] : worker_.sum(k));
      last_[k] += carry;
      before[k] = last_[k] - total[k];
      if (warp.lane() == warp_lanes - 1) worker_.put_sum(k, last_[k]);
    }
    worker_.pass_turn(tile_);
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; ++i) word_[i] += before[i % stride];
  }

  /// Stores the words at the vector's position in the output; of the last vector also those behind it.
  FLOE_DEVICE void store(StoreArguments& to) {
    auto& warp = worker_.warp();
    apply(memory_.chain.after);
    put_words();
    const std::uint64_t out = std::uint64_t{tile_} * tile_words;
    const bool is_last = out + tile_words >= memory_.chain.count;
    const std::uint32_t count = is_last ? count_ + stride : tile_words;
    std::uint8_t* const at = to.out + out * sizeof(W);
    if (Store::is_plain && count >= tile_words &&
        reinterpret_cast<std::uintptr_t>(at) % sizeof(FourWords) == 0) {
      FLOE_UNROLL
      for (unsigned i = 0; i < lane_neighbours; i += FourWords::size) {
        const std::uint32_t first = i * warp_lanes + FourWords::size * warp.lane();
        const std::uint8_t* const from =
            memory_.tile + first / lane_neighbours * neighbour_stride + first % lane_neighbours * sizeof(W);
        store_aligned(at + first * sizeof(W), load_aligned<FourWords>(from));
      }
    } else {
      FLOE_UNROLL_BY(8)
      for (unsigned row = 0; row < warp_lanes; ++row) {
        const std::uint32_t first = row * lane_neighbours + warp.lane();
        const Pack<W> one{load_aligned<W>(memory_.tile + row * neighbour_stride + warp.lane() * sizeof(W))};
        if (first < count) Store::store_all(to, out + first, one);
      }
    }
    if (!is_last || warp.lane() + 1 < warp_lanes) return;
    const ChainStep& after = memory_.chain.after;
    FLOE_UNROLL
    for (unsigned k = 0; k < stride; ++k) {
      const Pack<W> one{after.kind == ChainStep::nothing ? last_[k] : apply_step(after, last_[k])};
      if (tile_words + k < count) Store::store_all(to, out + tile_words + k, one);
    }
  }

 private:
  FLOE_DEVICE void load_packed() {
    const VectorEntry& entry = memory_.entry;
    const unsigned first = worker_.warp().lane() * entry.width, shift = first % 32;
    const W mask = core::low_mask<W>(entry.width), base = static_cast<W>(entry.base);
    const std::uint8_t* const at = memory_.tile + first / 32 * neighbour_stride;
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; i += FourWords::size) {
      const auto low = load_aligned<FourWords>(at + i * sizeof(W)),
                 high = load_aligned<FourWords>(at + neighbour_stride + i * sizeof(W));
      FLOE_UNROLL
      for (unsigned k = 0; k < FourWords::size; ++k)
        word_[i + k] = (funnel_right(low.word[k], high.word[k], shift) & mask) + base;
    }
  }
  FLOE_DEVICE void apply(const ChainStep& step) {
    if (step.kind == ChainStep::nothing) return;
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; ++i) word_[i] = apply_step(step, word_[i]);
  }

  /// From here on the tile has the words, row by row of lanes.
  FLOE_DEVICE void put_words() {
    auto& warp = worker_.warp();
    std::uint8_t* const own = memory_.tile + warp.lane() * neighbour_stride;
    FLOE_UNROLL
    for (unsigned i = 0; i < lane_neighbours; i += FourWords::size)
      store_aligned(own + i * sizeof(W), FourWords{{word_[i], word_[i + 1], word_[i + 2], word_[i + 3]}});
    warp.sync();
  }

  Worker& worker_;
  UnpackMemory& memory_;
  const std::uint32_t tile_, count_;
  W word_[lane_neighbours];
  W last_[stride];  ///< Sums up to and including this lane.
};

/// Decodes such a vector. False to all if its words are damaged.
template <unsigned stride, class Store, class Worker>
FLOE_DEVICE_CALL bool unpack_neighbours(Worker& worker, std::uint32_t tile, std::uint32_t count) {
  const UnpackChain& chain = worker.memory().chain;
  StoreArguments to(chain.out, chain.power);
  NeighbourUnpacker<stride, Store, Worker> unpacker(worker, tile, count);
  const bool good = unpacker.load();
  unpacker.sum();
  unpacker.store(to);
  return worker.warp().ballot(to.bad) == 0 && good;
}

}  // namespace floe::gpu
