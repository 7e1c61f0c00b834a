// Copies packed bytes from a warp's shared memory to where they go. Neither address need be a multiple of
// anything.
#pragma once

#include "gpu/encode/encode_segment.hpp"

namespace floe::gpu {

/// 16 bytes of shared memory from `skip` words and `bits` bits behind a multiple of 16 on; up to 16 bytes
/// behind them are read.
FLOE_DEVICE Quad misplaced_quad(const std::uint8_t* from, unsigned skip, unsigned bits) {
  const Quad here = load_aligned<Quad>(from), behind = load_aligned<Quad>(from + 16);
  std::uint32_t word[8];
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) {
    word[i] = here.word[i];
    word[4 + i] = behind.word[i];
  }
  FLOE_UNROLL
  for (unsigned by = 2; by > 0; --by) {
    FLOE_UNROLL
    for (unsigned i = 0; i + by < 8; ++i) word[i] = (skip & by) != 0 ? word[i + by] : word[i];
  }
  Quad quad;
  FLOE_UNROLL
  for (unsigned i = 0; i < 4; ++i) quad.word[i] = funnel_right(word[i], word[i + 1], bits);
  return quad;
}

/// Copies bytes of shared memory to any address, 16 per lane. Up to 31 bytes behind them are read.
template <class Warp>
FLOE_DEVICE void copy_from_slot(Warp& warp, std::uint8_t* to, const std::uint8_t* from, std::uint32_t bytes) {
  const auto head = static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(to) % 16) % 16);
  if (warp.lane() < head && warp.lane() < bytes) to[warp.lane()] = from[warp.lane()];
  if (bytes <= head) return;
  const std::uint32_t quads = (bytes - head) / 16, tail = (bytes - head) % 16;
  if (warp.lane() < tail) to[bytes - tail + warp.lane()] = from[bytes - tail + warp.lane()];
  to += head;
  from += head;
  const auto misplaced = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  from -= misplaced;
  // Whole lines, but for the first one.
  const auto skipped = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % 128 / 16);
  const auto copy = [&](std::uint32_t i) {
    store_aligned(to + 16 * i, misplaced_quad(from + 16 * i, misplaced / 4, misplaced % 4 * 8));
  };
  if (warp.lane() >= skipped && warp.lane() - skipped < quads) copy(warp.lane() - skipped);
  for (std::uint32_t i = warp_lanes + warp.lane() - skipped; i < quads; i += warp_lanes) copy(i);
}

}  // namespace floe::gpu
