// CRC-32C of bytes in device memory, by a block of crc_threads threads or by a warp. The memory of such a
// block has crc_step, 1024 words, and warp_totals, a number per warp.
#pragma once

#include "gpu/warp/block.hpp"
#include "gpu/warp/crc_parts.hpp"

namespace floe::gpu {

#if defined(__CUDACC__)
static __device__ const CrcTables crc_tables = make_crc_tables();
#else
inline constexpr CrcTables crc_tables = make_crc_tables();
#endif

/// Copies the tables that block_crc needs; the next sync makes them visible.
template <class Block>
FLOE_DEVICE void load_crc_tables(Block& block) {
  const auto* const step = crc_tables.step.data()->data();
  for (unsigned i = block.rank(); i < 1024; i += block.size()) block.memory().crc_step[i] = step[i];
}

/// Of bytes that this block or finished kernels wrote, or that others wrote before a fence. Address and
/// length are multiples of 4; not empty. The same to all threads.
template <class Block>
FLOE_DEVICE std::uint32_t block_crc(Block& block, const std::uint8_t* bytes, std::uint64_t count) {
  auto& memory = block.memory();
  const std::uint64_t word_count = count / 4,
                      padding = (crc_threads - word_count % crc_threads) % crc_threads;
  std::uint32_t share = 0;
  constexpr unsigned batch = 8;  // loads in flight
  for (std::uint64_t base = block.rank(); base < word_count + padding; base += batch * crc_threads) {
    std::uint32_t word[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint64_t at = base + i * crc_threads;
      word[i] = at >= padding && at < word_count + padding
                    ? load_fresh<std::uint32_t>(bytes + 4 * (at - padding))
                    : 0;
      if (at == padding) word[i] = ~word[i];
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      if (base + i * crc_threads < word_count + padding) share = crc_step(memory.crc_step, share, word[i]);
    }
  }
  const std::uint32_t of_warp =
      block.warp().reduce_xor(crc_contribution(crc_tables.last[block.rank()], share));
  block.sync();
  if (block.warp().lane() == 0) memory.warp_totals[block.warp_index()] = of_warp;
  block.sync();
  std::uint32_t all = 0;
  for (unsigned w = 0; w < block.warp_count(); ++w) all ^= static_cast<std::uint32_t>(memory.warp_totals[w]);
  return ~all;
}

/// Of up to 32 words, of which each lane has one: those of the lanes from `count` on do not matter. To all
/// lanes.
template <class Warp>
FLOE_DEVICE std::uint32_t warp_crc(Warp& warp, std::uint32_t word, unsigned count) {
  const unsigned lane = warp.lane();
  const std::uint32_t share = lane < count ? (lane == 0 ? ~word : word) : 0;
  const std::uint32_t last = crc_tables.last[crc_threads - count + (lane < count ? lane : 0)];
  return ~warp.reduce_xor(crc_contribution(last, share));
}

}  // namespace floe::gpu
