// How does a warp look at a full tile of words of 32 bits, and pack it, in registers? Each lane has the 32 words of which it makes a column
// of the interleaved layout.
#pragma once

#include "series_cuda/encode_vector.hpp"

namespace floe::series_cuda {

/// Of a tile, for each lane.
inline constexpr unsigned lane_words = packed_words / warp_lanes;

/// The place of the highest bit; all ones if there is none.
FLOE_DEVICE std::uint32_t highest_bit(std::uint32_t word) {
#if defined(__CUDA_ARCH__)
  std::uint32_t place;
  asm("bfind.u32 %0, %1;" : "=r"(place) : "r"(word));
  return place;
#else
  return core::bit_length(word) - 1;
#endif
}

/// How far the words of a tile are above its least one.
struct TileDistances {
  std::uint32_t base = 0, most = 0;
  std::uint32_t above[lane_words];
};

/// Words are in order after the XOR with `flip`.
template <class Warp, class Words>
FLOE_DEVICE TileDistances find_distances(Warp& warp, const Words& words, std::uint32_t flip) {
  TileDistances tile;
  words.take_lane(warp.lane(), [&](unsigned k, std::uint32_t word) { tile.above[k] = word ^ flip; });
  std::uint32_t least = tile.above[0], most = tile.above[0];
  FLOE_UNROLL
  for (unsigned k = 1; k < lane_words; ++k) {
    least = tile.above[k] < least ? tile.above[k] : least;
    most = tile.above[k] > most ? tile.above[k] : most;
  }
  least = ~warp.reduce_max(~least);
  tile.most = warp.reduce_max(most) - least;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) tile.above[k] -= least;
  tile.base = least ^ flip;
  return tile;
}

/// The width that suits a tile best.
template <class Warp>
FLOE_DEVICE Packing choose_packing(Warp& warp, const TileDistances& tile) {
  const unsigned full_width = core::bit_length(tile.most);
  if (full_width == 0) return {};
  std::uint32_t lengths[8];
  FLOE_UNROLL
  for (unsigned i = 0; i < 8; ++i) {
    lengths[i] = 0x01010101u;
    FLOE_UNROLL
    for (unsigned j = 0; j < 4; ++j) lengths[i] += highest_bit(tile.above[4 * i + j]) << (8 * j);
  }
  return narrowest_packing(warp, packed_words, full_width, lengths);
}

/// Calls work() with the width as a type, between `least` and `most`.
template <unsigned least, unsigned most, class Work>
FLOE_DEVICE void with_width(unsigned width, const Work& work) {
  if constexpr (least == most) {
    work.template operator()<least>();
  } else {
    constexpr unsigned middle = (least + most) / 2;
    if (width <= middle) return with_width<least, middle>(width, work);
    with_width<middle + 1, most>(width, work);
  }
}

/// A lane's fields, none of which has more than `width` bits, as `width` words: calls emit(index, word) for each.
template <unsigned width, class Emit>
FLOE_DEVICE void join_fields(const std::uint32_t (&fields)[lane_words], const Emit& emit) {
  std::uint32_t pending = 0;
  FLOE_UNROLL
  for (unsigned k = 0; k < lane_words; ++k) {
    const unsigned filled = k * width % 32, index = k * width / 32;
    pending |= fields[k] << filled;
    if (filled + width >= 32) {
      emit(index, pending);
      pending = filled + width == 32 ? 0 : fields[k] >> (32 - filled) % 32;
    }
  }
}

/// The interleaved layout of a full tile, of fields of 1 to 32 bits.
template <class Warp, class Words>
FLOE_DEVICE void pack_fields(Warp& warp, const Words& words, std::uint32_t base, const Packing& packing, std::uint8_t* out) {
  std::uint32_t fields[lane_words];
  words.take_lane(warp.lane(), [&](unsigned k, std::uint32_t word) { fields[k] = word - base; });
  if (packing.width < packing.full_width) {
    const auto mask = core::low_mask<std::uint32_t>(packing.width);
    FLOE_UNROLL
    for (unsigned k = 0; k < lane_words; ++k) fields[k] &= mask;
  }
  with_width<1, 32>(packing.width, [&]<unsigned bits>() {
    join_fields<bits>(fields, [&](unsigned i, std::uint32_t word) { cuda::store_aligned(out + 4 * warp.lane() + 128 * i, word); });
  });
}

}  // namespace floe::series_cuda
