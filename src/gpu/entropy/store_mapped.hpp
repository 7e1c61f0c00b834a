// Words of a segment that are mapped and stored by a block before it encodes them: decimals, which are looked
// at, and taken apart, as integers in memory are.
#pragma once

#include "gpu/encode/encode_rows.hpp"

namespace floe::gpu {

/// Stores what `Map` makes of words at a multiple of their size to `to`, a multiple of 16; see(word) sees
/// them. False to all threads, after a barrier, if some word fails.
template <class Map, class Block, class See>
FLOE_DEVICE bool store_mapped(Block& block, const EncodeStream& from, const DecimalNumbers& numbers,
                              std::uint8_t* to, const See& see) {
  using W = typename Map::W;
  using From = typename Map::From;
  constexpr unsigned per_load = 16 / sizeof(From), batch = 4;  // loads that are in flight
  struct alignas(16) Loaded {
    From word[per_load];
  };
  struct alignas(per_load * sizeof(W)) Stored {
    W word[per_load];
  };
  bool all_good = true;
  const auto map = [&](From word) {
    bool good = true;
    see(word);
    const W mapped = Map::map(word, numbers, good);
    all_good = all_good && good;
    return mapped;
  };
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(from.words) % sizeof(Loaded) == 0;
  const std::uint32_t loads = is_aligned ? from.count / per_load : 0, step = batch * block.size();
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first < loads; first += step) {
    Loaded loaded[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * block.size();
      if (at < loads) loaded[i] = load_aligned<Loaded>(from.words + std::uint64_t{at} * sizeof(Loaded));
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * block.size();
      if (at >= loads) continue;
      Stored stored;
      FLOE_UNROLL
      for (unsigned k = 0; k < per_load; ++k) stored.word[k] = map(loaded[i].word[k]);
      store_aligned(to + std::uint64_t{at} * sizeof(Stored), stored);
    }
  }
  for (std::uint32_t i = loads * per_load + block.rank(); i < from.count; i += block.size())
    store_word(to, i, map(load_aligned<From>(from.words + std::uint64_t{i} * sizeof(From))));
  return !block.any(!all_good);
}

}  // namespace floe::gpu
