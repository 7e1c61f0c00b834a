// Copies bytes from any address to any other, 16 per lane: device memory, or a warp's shared memory.
#pragma once

#include "gpu/warp/device.hpp"

namespace floe::gpu {

using Quad = Vector<std::uint32_t>;

/// Copies `count` times 16 bytes from `skip` words and `bits` bits behind a multiple of 16. Not both are 0.
template <unsigned skip, class Warp>
FLOE_DEVICE void copy_shifted(Warp& warp, std::uint8_t* to, const std::uint8_t* from, std::uint32_t count,
                              unsigned bits) {
  constexpr unsigned batch = 4;
  const unsigned lane = warp.lane();
  FLOE_NO_UNROLL
  for (std::uint32_t first = 0; first < count; first += batch * warp_lanes) {
    Quad own[batch] = {}, behind[batch] = {};
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes + lane;
      if (i <= count) own[k] = load_aligned<Quad>(from + 16 * std::uint64_t{i});
      if (lane == warp_lanes - 1 && i < count)
        behind[k] = load_aligned<Quad>(from + 16 * (std::uint64_t{i} + 1));
    }
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k) {
      const std::uint32_t i = first + k * warp_lanes + lane;
      std::uint32_t word[8] = {own[k].word[0], own[k].word[1], own[k].word[2], own[k].word[3]};
      FLOE_UNROLL
      for (unsigned next = 0; next <= skip; ++next) {
        const std::uint32_t of_next_lane = warp.shuffle_down(own[k].word[next], 1);
        word[4 + next] = lane == warp_lanes - 1 ? behind[k].word[next] : of_next_lane;
      }
      Quad out;
      FLOE_UNROLL
      for (unsigned j = 0; j < 4; ++j) out.word[j] = funnel_right(word[skip + j], word[skip + j + 1], bits);
      if (i < count) store_aligned(to + 16 * std::uint64_t{i}, out);
    }
  }
}

/// Copies bytes from any address to any other, by a warp. Reads no others: up to 31 bytes at either end go
/// one by one, so that what lies between comes from multiples of 16 that are wholly asked for.
template <class Warp>
FLOE_DEVICE_CALL void copy_by_warp(Warp& warp, std::uint8_t* to, const std::uint8_t* from,
                                   std::uint32_t bytes) {
  auto head = static_cast<std::uint32_t>((16 - reinterpret_cast<std::uintptr_t>(to) % 16) % 16);
  const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from + head) % 16);
  if (misaligned > head) head += 16;
  if (bytes < head + 32) {
    for (std::uint32_t i = warp.lane(); i < bytes; i += warp_lanes) to[i] = from[i];
    return;
  }
  std::uint32_t count = (bytes - head) / 16, tail = (bytes - head) % 16;
  if (misaligned > 0 && 16 - misaligned > tail) {
    --count;
    tail += 16;
  }
  if (warp.lane() < head) to[warp.lane()] = from[warp.lane()];
  if (warp.lane() < tail) to[bytes - tail + warp.lane()] = from[bytes - tail + warp.lane()];
  to += head;
  const std::uint8_t* const aligned = from + head - misaligned;
  const unsigned bits = 8 * (misaligned % 4);
  if (misaligned == 0) {
    FLOE_UNROLL_BY(8)
    for (std::uint32_t i = warp.lane(); i < count; i += warp_lanes)
      store_aligned(to + 16 * std::uint64_t{i}, load_aligned<Quad>(aligned + 16 * std::uint64_t{i}));
  } else if (misaligned < 4) {
    copy_shifted<0>(warp, to, aligned, count, bits);
  } else if (misaligned < 8) {
    copy_shifted<1>(warp, to, aligned, count, bits);
  } else if (misaligned < 12) {
    copy_shifted<2>(warp, to, aligned, count, bits);
  } else {
    copy_shifted<3>(warp, to, aligned, count, bits);
  }
}

/// 16 bytes of shared memory from `skip` words and `bits` bits behind a multiple of 16; reads 16 bytes more.
FLOE_DEVICE Quad misaligned_quad(const std::uint8_t* from, unsigned skip, unsigned bits) {
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
  const auto misaligned = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(from) % 16);
  from -= misaligned;
  // Whole lines, but for the first one.
  const auto skipped = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(to) % 128 / 16);
  const auto copy = [&](std::uint32_t i) {
    store_aligned(to + 16 * i, misaligned_quad(from + 16 * i, misaligned / 4, misaligned % 4 * 8));
  };
  if (warp.lane() >= skipped && warp.lane() - skipped < quads) copy(warp.lane() - skipped);
  for (std::uint32_t i = warp_lanes + warp.lane() - skipped; i < quads; i += warp_lanes) copy(i);
}

}  // namespace floe::gpu
