// The words of a chain that is packed straight to its place. Those of a segment, mapped one by one, or their
// differences over a stride. Unlike in encode_chain.hpp no word depends on a word that failed: a chain in
// which one does is left to the blocks.
#pragma once

#include "gpu/encode/encode_rows.hpp"
#include "gpu/pack/pack_registers.hpp"

namespace floe::gpu {

/// The order of differences, for code in which it is known.
template <unsigned order_>
struct DeltaOrder {
  static constexpr unsigned order = order_;
};

/// Words from some word of a segment on. What `good` says of them is published by take() alone.
template <class Map, unsigned order>
struct ChainWords {
  using W = typename Map::W;
  using From = typename Map::From;
  static constexpr unsigned batch = order == 0 && sizeof(W) < 8 ? 16 : 8;
  /// Whether full tiles are looked at in registers, and come to shared memory to be packed: where that is
  /// faster.
  static constexpr bool in_registers = order <= 1 && (std::is_same_v<Map, MapSame<std::uint32_t>> ||
                                                      std::is_same_v<Map, MapSame<std::uint64_t>>);

  const std::uint8_t* from;
  std::uint32_t stride;
  typename Map::Numbers numbers;

  FLOE_DEVICE Pack<W> mapped(std::uint32_t i, bool& good) const {
    const std::uint8_t* const at = from + std::uint64_t{i} * sizeof(From);
    Pack<W> pack;
    if constexpr (Pack<W>::words == 1) {
      bool is_good = true;
      pack.bits = Map::map(load_aligned<From>(at), numbers, is_good);
      good = good && is_good;
    } else {
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(at) % 4 == 0;
      pack.bits =
          is_aligned ? load_aligned<std::uint32_t>(at) : static_cast<std::uint32_t>(load_bits(at, 0, 32));
    }
    return pack;
  }
  FLOE_DEVICE W mapped_word(std::uint32_t i) const {
    bool good = true;
    return Map::map(load_aligned<From>(from + std::uint64_t{i} * sizeof(From)), numbers, good);
  }
  /// Words side by side; all of them are there.
  FLOE_DEVICE Pack<W> take(std::uint32_t i, bool& good) const {
    if constexpr (order == 0) return mapped(i, good);
    const Pack<W> here = mapped(i, good), next = mapped(i + stride, good);
    const Pack<W> step = subtracted(next, here);
    if constexpr (order == 1) return step;
    return subtracted(subtracted(mapped(i + 2 * stride, good), next), step);
  }
  /// A lane's words of a full tile: calls keep(k, word) for each.
  template <class Keep>
  FLOE_DEVICE void take_lane(unsigned lane, const Keep& keep) const {
    static_assert(in_registers);
    const std::uint8_t* const at = from + lane * sizeof(W);
    const std::uint8_t* const next = at + std::uint64_t{stride} * sizeof(W);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) {
      W word = load_aligned<W>(at + k * warp_lanes * sizeof(W));
      if constexpr (order == 1) word = load_aligned<W>(next + k * warp_lanes * sizeof(W)) - word;
      keep(k, word);
    }
  }
  template <class Warp>
  FLOE_DEVICE void pack_full(Warp& warp, W base, const Packing& packing, std::uint8_t* out) const {
    pack_vector<W>(warp, *this, base, packing.width, out);
  }
  FLOE_DEVICE Pack<W> pack(std::uint32_t i) const {
    bool good = true;
    return take(i, good);
  }
  FLOE_DEVICE W word(std::uint32_t i) const {
    if constexpr (order == 0) return mapped_word(i);
    const W next = mapped_word(i + stride), step = static_cast<W>(next - mapped_word(i));
    if constexpr (order == 1) return step;
    return static_cast<W>(static_cast<W>(mapped_word(i + 2 * stride) - next) - step);
  }

 private:
  static FLOE_DEVICE Pack<W> subtracted(Pack<W> a, Pack<W> b) {
    if constexpr (Pack<W>::words == 1) {
      return {a.bits - b.bits};
    } else {
      return {Packed<W>::subtract(a.bits, b.bits)};
    }
  }
};

}  // namespace floe::gpu
