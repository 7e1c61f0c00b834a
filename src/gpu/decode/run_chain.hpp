// Runs a chain with a block. Its workers take the tiles of the source in turn. Without steps, words go from
// the source to memory in registers. With steps a tile is kept in shared memory; for sums, each lane adds up
// 32 neighbours, and workers publish their totals.
#pragma once

#include "gpu/decode/chain_sources.hpp"
#include "gpu/decode/store_words.hpp"

namespace floe::gpu {

/// Adds a tile's number to a counter that goes on from tile to tile. Returns the sum before this tile. Waits
/// for the worker that has the tile before, and for no other.
template <class Block>
FLOE_DEVICE std::uint64_t add_up(Block& block, DecodeMemory& memory, unsigned counter, std::uint32_t tile,
                                 std::uint64_t number) {
  std::uint64_t before = 0;
  if (block.warp().lane() == 0) {
    block.wait_for(memory.carry_of[counter][(tile + 1) % 2], tile);
    before = memory.carry[counter][(tile + 1) % 2];
    memory.carry[counter][tile % 2] = before + number;
    block.publish(memory.carry_of[counter][tile % 2], tile + 1);
  }
  return block.warp().shuffle(before, 0);
}

/// Sums up 32 neighbours of a tile in shared memory per lane. Returns the sum before the lane's.
template <core::Word W, class Block>
FLOE_DEVICE W sum_tile(Block& block, DecodeMemory& memory, unsigned step, std::uint32_t tile_index,
                       std::uint8_t* tile) {
  auto& warp = block.warp();
  constexpr unsigned packs = 32 / Pack<W>::words;
  std::uint8_t* const own = tile + tile_offset<W>(32 * warp.lane());
  W sum = 0;
  FLOE_UNROLL_BY(8)
  for (unsigned p = 0; p < packs; ++p) {
    const Pack<W> pack{load_aligned<typename Pack<W>::Bits>(own + p * sizeof(Pack<W>))};
    Pack<W> out;
    FLOE_UNROLL
    for (unsigned k = 0; k < Pack<W>::words; ++k) out.put(k, sum = static_cast<W>(sum + pack.word(k)));
    store_aligned(own + p * sizeof(Pack<W>), out.bits);
  }
  const W inclusive = static_cast<W>(inclusive_scan(warp, sum));
  const W total = warp.shuffle(inclusive, warp_lanes - 1);
  const W before = static_cast<W>(static_cast<W>(add_up(block, memory, step, tile_index, total)) +
                                  static_cast<W>(inclusive - sum));
  warp.sync();
  return before;
}

/// A pack of a tile that sum_tile has summed up; `before` is what it returned.
template <core::Word W, class Warp>
FLOE_DEVICE Pack<W> add_sum(Warp& warp, std::uint32_t first, Pack<W> pack, W before) {
  return {Pack<W>::add(pack.bits, Pack<W>::repeat(warp.shuffle(before, first / 32)))};
}

/// Finds the marked words of a tile, if its source has such.
template <class Block>
FLOE_DEVICE Marks find_marks(Block& block, DecodeMemory& memory, std::uint32_t tile, std::uint32_t count) {
  const Chain& chain = memory.chain;
  Marks marks;
  if (chain.source != SourceKind::escapes && chain.source != SourceKind::merge) return marks;
  auto& warp = block.warp();
  const std::uint32_t first = 32 * warp.lane(), left = first < count ? count - first : 0;
  const std::uint64_t word = std::uint64_t{tile} * tile_words + first;
  if (chain.source == SourceKind::escapes) {
    if (chain.node->number[1] == 0) return marks;  // no exceptions: the escape is a code that does not exist
    marks.bits = find_escapes(memory.nodes[chain.node->child[1]].words + 2 * word, left,
                              static_cast<std::uint16_t>(chain.node->number[0]));
  } else {
    marks.bits = find_set_bytes(memory.nodes[chain.node->child[0]].words + word, left);
  }
  marks.before = count_in_lanes_before(warp, marks.bits);
  const std::uint32_t total = warp.shuffle(marks.before + count_bits(marks.bits), warp_lanes - 1);
  marks.in_tiles = add_up(block, memory, source_counter, tile, total);
  return marks;
}

/// Where the next tiles of a worker lie in a bitpack payload: lane i knows it of tile i.
template <class Warp>
class EntriesOfWorker {
 public:
  /// Of tiles `tile`, `tile` + `step`, ...
  FLOE_DEVICE EntriesOfWorker(Warp& warp, const std::uint8_t* entries, std::uint32_t tile, std::uint32_t step,
                              std::uint32_t tiles)
      : warp_(warp), entries_(entries), step_(step), tiles_(tiles) {
    load(tile);
  }
  /// Of the worker's next tile.
  FLOE_DEVICE VectorEntry next(std::uint32_t tile, const std::uint8_t* bytes) {
    if (at_ == warp_lanes) load(tile);
    const VectorEntry entry = of_lane(at_++);
    if (at_ < warp_lanes && tile + step_ < tiles_)
      prefetch(warp_, bytes + warp_.shuffle(mine_.packed, at_), 128u * width_of(at_));
    return entry;
  }

 private:
  FLOE_DEVICE void load(std::uint32_t tile) {
    const std::uint64_t own = tile + std::uint64_t{step_} * warp_.lane();
    mine_ = VectorEntry{};
    if (own < tiles_) mine_ = load_aligned<VectorEntry>(entries_ + own * sizeof(VectorEntry));
    at_ = 0;
  }
  FLOE_DEVICE unsigned width_of(unsigned lane) { return warp_.shuffle(std::uint32_t{mine_.width}, lane); }
  FLOE_DEVICE VectorEntry of_lane(unsigned lane) {
    const std::uint32_t rest = warp_.shuffle(
        mine_.exception_count | std::uint32_t{mine_.width} << 16 | std::uint32_t{mine_.upper_bits} << 24,
        lane);
    return {warp_.shuffle(mine_.base, lane),       warp_.shuffle(mine_.packed, lane),
            warp_.shuffle(mine_.exceptions, lane), static_cast<std::uint16_t>(rest),
            static_cast<std::uint8_t>(rest >> 16), static_cast<std::uint8_t>(rest >> 24)};
  }

  Warp& warp_;
  const std::uint8_t* entries_;
  std::uint32_t step_, tiles_;
  VectorEntry mine_;
  unsigned at_ = 0;
};

/// The words of a tile from the chain's source. Sets `bad` if words are missing.
template <core::Word W, bool in_place, class Block, class Sink>
FLOE_DEVICE void give_tile(Block& block, DecodeMemory& memory, const std::uint8_t* bytes, std::uint32_t tile,
                           std::uint32_t count, const VectorEntry& entry, const Marks& marks, bool& bad,
                           const Sink& sink) {
  auto& warp = block.warp();
  const Chain& chain = memory.chain;
  std::uint8_t* const shared = memory.tiles[block.warp_index()];
  const std::uint64_t first = std::uint64_t{tile} * tile_words;
  switch (chain.source) {
    case SourceKind::vectors: {
      const W base = static_cast<W>(entry.base);
      if (count == tile_words) {
        unpack_vector<W, in_place>(warp, bytes + entry.packed, entry.width, base, shared, sink);
      } else {
        unpack_rest<W>(warp, bytes + entry.packed, count, entry.width, base, sink);
      }
      break;
    }
    case SourceKind::bytes:
      give_bytes<W, in_place>(warp, chain.data + first * sizeof(W), count, shared, sink);
      break;
    case SourceKind::constant:
      for_each_pack<W>(
          warp, count, [&](std::uint32_t) { return static_cast<W>(chain.constant); }, sink);
      break;
    case SourceKind::runs: {
      const Node& node = *chain.node;
      const Runs runs{memory.nodes[node.child[0]].words, memory.nodes[node.child[1]].words, chain.data,
                      static_cast<std::uint32_t>(node.number[0]), memory.has_empty_runs != 0};
      give_runs<W>(warp, runs, tile, count, memory.set_bits[block.warp_index()], sink);
      break;
    }
    case SourceKind::escapes: {
      const Operand<W> entries(memory.nodes[chain.node->child[0]]),
          others(memory.nodes[chain.node->child[2]]);
      const std::uint8_t* const codes = memory.nodes[chain.node->child[1]].words + 2 * first;
      const auto word_at = [&](std::uint32_t i, bool is_marked, std::uint64_t marked_before) {
        if (is_marked) return others.word(marked_before, bad);
        return entries.word(load_aligned<std::uint16_t>(codes + 2 * i), bad);
      };
      give_marked<W>(warp, count, marks, word_at, sink);
      break;
    }
    case SourceKind::merge: {
      const Operand<W> one(memory.nodes[chain.node->child[1]]), two(memory.nodes[chain.node->child[2]]);
      const auto word_at = [&](std::uint32_t i, bool is_marked, std::uint64_t marked_before) {
        const Operand<W>& from = is_marked ? two : one;
        return from.word(is_marked ? marked_before : first + i - marked_before, bad);
      };
      give_marked<W>(warp, count, marks, word_at, sink);
      break;
    }
  }
}

/// Takes a tile in shared memory through the steps of a chain. Returns what add_sum is yet to add.
template <core::Word W, class Block>
FLOE_DEVICE W run_steps(Block& block, DecodeMemory& memory, std::uint32_t tile, std::uint8_t* shared) {
  auto& warp = block.warp();
  const Chain& chain = memory.chain;
  const unsigned steps = chain.step_count;
  W before = 0;
  for (unsigned s = 0; s < steps; ++s) {
    const ChainStep step = chain.step[s];
    const bool is_sum = step.kind == ChainStep::sum;
    if (is_sum) {
      before = sum_tile<W>(block, memory, s, tile, shared);
      if (s + 1 == steps) return before;
    }
    FLOE_NO_UNROLL
    for (unsigned row = 0; row < tile_rows<W>; ++row) {
      const std::uint32_t first = row * row_words<W> + warp.lane() * Pack<W>::words;
      const Pack<W> pack = load_pack<W>(shared, first);
      store_pack<W>(shared, first, is_sum ? add_sum(warp, first, pack, before) : apply_step(step, pack));
    }
    warp.sync();
  }
  return 0;
}

/// One tile from source to memory.
template <core::Word W, class Store, class Block>
FLOE_DEVICE void run_tile(Block& block, DecodeMemory& memory, const std::uint8_t* bytes, std::uint32_t tile,
                          std::uint32_t count, const VectorEntry& entry, StoreArguments& to) {
  auto& warp = block.warp();
  const Chain& chain = memory.chain;
  const std::uint64_t out_first = chain.head_count + std::uint64_t{tile} * tile_words;
  const bool is_patched = entry.exception_count > 0;
  const Marks marks = find_marks(block, memory, tile, count);
  bool bad = false;
  if (chain.step_count == 0 && !is_patched && count == tile_words && Store::is_aligned(to, out_first)) {
    give_tile<W, false>(
        block, memory, bytes, tile, count, entry, marks, bad,
        [&](std::uint32_t first, Pack<W> pack) { Store::store_all(to, out_first + first, pack); });
  } else {
    std::uint8_t* const shared = memory.tiles[block.warp_index()];
    if (count < tile_words) {
      zero_words(warp, shared, tile_bytes / 4);
      warp.sync();
    }
    give_tile<W, true>(block, memory, bytes, tile, count, entry, marks, bad,
                       [&](std::uint32_t first, Pack<W> pack) {
                         if (first < count) store_pack<W>(shared, first, pack);
                       });
    warp.sync();
    if (is_patched) bad = !add_exceptions<W>(warp, bytes, entry, count, shared) || bad;
    const W before = run_steps<W>(block, memory, tile, shared);
    FLOE_UNROLL_BY(4)
    for (unsigned row = 0; row < tile_rows<W>; ++row) {
      const std::uint32_t first = row * row_words<W> + warp.lane() * Pack<W>::words;
      const Pack<W> pack = add_sum(warp, first, load_pack<W>(shared, first), before);
      if (first < count) Store::store(to, out_first + first, pack, count - first);
    }
  }
  to.bad = to.bad || bad;
  warp.sync();
}

/// Runs the chain in memory.chain. Called by all threads.
template <core::Word W, class Store, class Block>
FLOE_DEVICE_CALL void run_chain_as(Block& block, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const Chain& chain = memory.chain;
  StoreArguments to(chain);
  const std::uint32_t count = chain.count, tiles = tiles_of(count), workers = block.warp_count();
  if (block.rank() == 0) {
    for (unsigned i = 0; i < chain.head_count; ++i) {
      Pack<W> pack;
      pack.put(0, static_cast<W>(chain.head[i]));
      Store::store(to, i, pack, 1);
    }
  }
  const bool has_vectors = chain.source == SourceKind::vectors;
  EntriesOfWorker entries(block.warp(), chain.data, block.warp_index(), workers, has_vectors ? tiles : 0);
  for (std::uint32_t tile = block.warp_index(); tile < tiles; tile += workers) {
    const VectorEntry entry = has_vectors ? entries.next(tile, bytes) : VectorEntry{};
    run_tile<W, Store>(block, memory, bytes, tile, words_of_tile(count, tile), entry, to);
  }
  if (to.bad) memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
}

/// Called by all threads, between two barriers.
template <class Block>
FLOE_DEVICE_CALL void run_chain(Block& block, const std::uint8_t* bytes) {
  const Chain& chain = block.memory().chain;
  const unsigned word_bytes = chain.word_bytes, out_bytes = chain.out_bytes;
  switch (chain.final) {
    case FinalKind::same:
      return with_word_of(word_bytes, [&]<class W>(W) { run_chain_as<W, StoreSame<W>>(block, bytes); });
    case FinalKind::decimal:
      if (word_bytes == 8)
        return run_chain_as<std::uint64_t, StoreDecimal<std::uint64_t, double>>(block, bytes);
      if (out_bytes == 8)
        return run_chain_as<std::uint32_t, StoreDecimal<std::uint32_t, double>>(block, bytes);
      return run_chain_as<std::uint32_t, StoreDecimal<std::uint32_t, float>>(block, bytes);
    case FinalKind::look_up:
      return with_word_of(out_bytes,
                          [&]<class W>(W) { run_chain_as<std::uint16_t, StoreLookUp<W>>(block, bytes); });
  }
}

}  // namespace floe::gpu
