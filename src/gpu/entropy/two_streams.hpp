// Segments of two streams, which a block of a few warps unpacks to scratch memory one after the other:
// entries of a dictionary and codes, or values and lengths of runs. Then it makes words of them.
#pragma once

#include "gpu/decode/store_words.hpp"
#include "gpu/entropy/decode_entropy.hpp"
#include "gpu/unpack/expand_runs.hpp"
#include "gpu/unpack/run_outer_steps.hpp"
#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/vector_words.hpp"
#include "gpu/warp/copy_bytes.hpp"

namespace floe::gpu {

/// Bytes of a stream in scratch memory.
FLOE_HD constexpr std::uint64_t stream_bytes(std::uint64_t count, std::uint64_t width) {
  return (count * width + 15) / 16 * 16;
}

/// A section of entropy of any shape, to `out`. Called by all threads; false to all if it is damaged.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool unpack_any_section(Block& block, const EntropyPayload& payload, std::uint8_t* out) {
  auto& memory = block.memory();
  using Memory = std::remove_reference_t<decltype(memory)>;
  using Warp = std::remove_reference_t<decltype(block.warp())>;
  if (!open_section<W>(block, payload, 0, memory.table(), Memory::frequency_bits)) return false;
  const EntropySection& section = memory.table().section;
  const EntropyCode<W, EntropyShape::any> code(memory.table());
  const EntropyRings rings = rings_of(memory.rings(), block.warp_count(), block.warp_index());
  bool good = true;
  for (std::uint32_t i = block.warp_index(); i < section.block_count(); i += block.warp_count()) {
    BlockDecoder<W, EntropyShape::any, Warp> decoder(block.warp(), code, rings);
    WordSink<W> sink(out + (std::uint64_t{i} << section.header.block_bits) * sizeof(W));
    good = decoder.run(find_block(payload, section, i), sink) && good;
  }
  return !block.any(!good);
}

/// Makes entries of differences, whose first ones stand in a header. Called by all threads; begins and ends
/// with a barrier. memory.room is not needed for anything else.
template <core::Word W, class Block>
FLOE_DEVICE void sum_entries(Block& block, const UnpackChain& entries, std::uint32_t count,
                             std::uint8_t* to) {
  if (block.rank() < entries.order) store_word(to, block.rank(), static_cast<W>(entries.head[block.rank()]));
  OuterSum sum;
  sum.stride = 1;
  sum.order = entries.order;
  (void)sum_columns<W>(block, to, count, sum, FinishStep<W>{entries.after},
                       reinterpret_cast<std::uint64_t*>(block.memory().room));
}

/// Stores the entries of a dictionary that are no chain to `to`, at a multiple of their size. Called by all
/// threads; ends with a barrier. False to all if they are damaged.
template <core::Word W, class Block>
FLOE_DEVICE bool unpack_entries(Block& block, std::uint8_t* to) {
  const UnpackChain& entries = block.memory().other;
  const std::uint32_t all = block.memory().outer.others, count = all - entries.order;
  std::uint8_t* const words = to + entries.order * sizeof(W);
  if (entries.state == UnpackChain::few) {
    const EntropyPayload payload{entries.bytes, entries.table_at, entries.table_at + entries.table_count,
                                 count};
    if (!unpack_any_section<W>(block, payload, words)) return false;
  } else if (entries.state == UnpackChain::packed) {
    if (block.any(!unpack_words<W>(block, entries.bytes, block.memory().outer.other_vectors, count, words)))
      return false;
  } else if (entries.is_constant) {
    for (std::uint32_t i = block.rank(); i < count; i += block.size())
      store_word(words, i, static_cast<W>(entries.head[head_of_constant]));
    block.sync();
  } else {
    const std::uint32_t bytes = count * sizeof(W), share = (bytes / block.warp_count() + 16) / 16 * 16,
                        begin = share * block.warp_index();
    if (begin < bytes)
      copy_by_warp(block.warp(), words + begin, entries.bytes + entries.table_at + begin,
                   bytes - begin < share ? bytes - begin : share);
    block.sync();
  }
  if (entries.order > 0) {
    sum_entries<W>(block, entries, all, to);
  } else if (entries.after.kind != ChainStep::nothing) {
    for (std::uint32_t i = block.rank(); i < count; i += block.size())
      store_word(to, i, apply_step(entries.after, load_aligned<W>(to + std::uint64_t{i} * sizeof(W))));
    block.sync();
  }
  return true;
}

/// Where the streams of memory.outer go: first entries or values, then codes or lengths.
struct StreamPositions {
  std::uint8_t *first, *second;
  std::uint64_t bytes;  ///< Of scratch memory.

  template <class Memory>
  FLOE_DEVICE explicit StreamPositions(const Memory& memory) : first(memory.scratch.data) {
    const OuterSteps& outer = memory.outer;
    const std::uint64_t first_bytes = stream_bytes(outer.others, word_bytes(outer.type));
    second = first + first_bytes;
    if (outer.kind == OuterSteps::values) {
      bytes = first_bytes + stream_bytes(outer.others, sizeof(std::uint32_t));
    } else if (outer.vectors == nullptr) {
      bytes = first_bytes + stream_bytes(outer.count, sizeof(std::uint16_t));
    } else {
      first = outer.out;
      bytes = 0;
    }
  }
};

/// Begins with a segment of two streams: chains get their positions, entries that are no chain are made.
/// Called by all threads; ends with a barrier. False to all if memory is not enough, or something is damaged.
template <class Block>
FLOE_DEVICE_CALL bool place_streams(Block& block) {
  auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  const StreamPositions positions(memory);
  if (positions.bytes > memory.scratch.bytes) return false;
  const bool are_codes = outer.kind == OuterSteps::codes;
  if (are_codes && memory.other.state != UnpackChain::entropy) {
    const bool good = word_bytes(outer.type) == 8 ? unpack_entries<std::uint64_t>(block, positions.first)
                                                  : unpack_entries<std::uint32_t>(block, positions.first);
    if (!good) return false;
  }
  block.sync();
  if (block.rank() == 0) {
    memory.chain.out = are_codes ? positions.second : positions.first;
    memory.other.out = are_codes ? positions.first : positions.second;
    if (are_codes && outer.vectors != nullptr) memory.chain.state = UnpackChain::none;
  }
  block.sync();
  return true;
}

/// Makes the other chain the one that is unpacked, if it is of entropy and was not yet. Called by all
/// threads; begins and ends with a barrier.
template <class Block>
FLOE_DEVICE bool take_other_chain(Block& block) {
  auto& memory = block.memory();
  block.sync();
  const bool is_left = memory.other.state == UnpackChain::entropy;
  block.sync();
  if (is_left && block.rank() == 0) {
    memory.chain = memory.other;
    memory.other.state = UnpackChain::none;
  }
  block.sync();
  return is_left;
}

/// Looks up the codes at `codes`, a multiple of 16, as many as memory.outer has words, and stores words.
/// Called by all threads, after a barrier, when memory.room is not needed any more; false to all if there are
/// codes without an entry.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool look_up_codes(Block& block, const std::uint8_t* codes, StoreArguments& to) {
  auto& memory = block.memory();
  using Pair = Vector<W>;
  constexpr unsigned of_lane = sizeof(Pair) / sizeof(W), batch = 16 / of_lane;  // a store of 16 bytes
  using Codes = std::conditional_t<of_lane == 2, std::uint32_t, std::uint64_t>;
  static_assert(sizeof memory.room >= max_small_table_bytes && max_small_table_bytes % 16 == 0);
  const auto entries_bytes = static_cast<std::uint32_t>(stream_bytes(to.table_count, sizeof(W)));
  for (std::uint32_t i = 16 * block.rank(); i < entries_bytes; i += 16 * block.size())
    store_aligned(memory.room + i, load_aligned<Vector<std::uint32_t>>(to.table + i));
  to.table = memory.room;
  block.sync();
  const std::uint32_t count = memory.outer.count,
                      all = reinterpret_cast<std::uintptr_t>(to.out) % 16 == 0 ? count / of_lane : 0;
  FLOE_NO_UNROLL
  for (std::uint32_t first = block.rank(); first < all; first += batch * block.size()) {
    Codes own[batch];
    Pair words[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * block.size();
      own[i] = at < all ? load_aligned<Codes>(codes + std::uint64_t{at} * sizeof(Codes)) : Codes{0};
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      FLOE_UNROLL
      for (unsigned k = 0; k < of_lane; ++k)
        words[i].word[k] =
            StoreLookUp<W>::look_up(to, static_cast<std::uint32_t>(own[i] >> (16 * k)) & 0xFFFF);
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t at = first + i * block.size();
      if (at < all) store_aligned(to.out + std::uint64_t{at} * sizeof(Pair), words[i]);
    }
  }
  for (std::uint32_t i = all * of_lane + block.rank(); i < count; i += block.size())
    store_word(to.out, i, StoreLookUp<W>::look_up(to, load_aligned<std::uint16_t>(codes + 2 * i)));
  return !block.any(to.bad);
}

/// A block's threads as those that expand_runs needs.
template <class Block>
class RunsGroup {
 public:
  FLOE_DEVICE explicit RunsGroup(Block& block) : block_(block) {
    using Memory = std::remove_reference_t<decltype(block.memory())>;
    static_assert(sizeof Memory::room >= sizeof(SmallRunsMemory));
  }
  FLOE_DEVICE auto& warp() { return block_.warp(); }
  FLOE_DEVICE SmallRunsMemory& memory() const {
    return *reinterpret_cast<SmallRunsMemory*>(block_.memory().room);
  }
  FLOE_DEVICE unsigned rank() const { return block_.rank(); }
  FLOE_DEVICE unsigned size() const { return block_.size(); }
  FLOE_DEVICE unsigned warp_index() const { return block_.warp_index(); }
  FLOE_DEVICE unsigned warp_count() const { return block_.warp_count(); }
  FLOE_DEVICE void sync() const { block_.sync(); }

 private:
  Block& block_;
};

/// Makes words of two streams that are there. Called by all threads, after a barrier; false to all if they
/// contradict each other.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool join_streams_as(Block& block) {
  auto& memory = block.memory();
  const OuterSteps& outer = memory.outer;
  const StreamPositions positions(memory);
  if (outer.kind == OuterSteps::codes) {
    StoreArguments to(outer.out, 1);
    to.table = positions.first;
    to.table_count = outer.others;
    return look_up_codes<W>(block, positions.second, to);
  }
  if (outer.vectors != nullptr &&
      block.any(!unpack_words<std::uint32_t>(block, memory.chain.bytes, outer.vectors, outer.others,
                                             positions.second)))
    return false;
  RunsGroup<Block> group(block);
  return expand_runs<W>(group, {positions.second, positions.first, outer.others, outer.count, outer.out});
}

template <class Block>
FLOE_DEVICE bool join_streams(Block& block) {
  const OuterSteps& outer = block.memory().outer;
  if (outer.kind == OuterSteps::codes && outer.vectors != nullptr)
    return true;  // where words of vectors are made
  return word_bytes(outer.type) == 8 ? join_streams_as<std::uint64_t>(block)
                                     : join_streams_as<std::uint32_t>(block);
}

}  // namespace floe::gpu
