// Segments whose whole tree is a leaf of entropy of one section below at most one delta, of second order or
// of a few words' stride, and one step on either side of it, straight to their words. A few warps take such a
// segment. As the section says what the words of each block sum up to, a warp knows the sum of all words
// before its block without them. Of second differences that is the first difference of a block, and not its
// first word; with a stride it says nothing of each class of words. Then words are stored as if their block
// began with 0, and get what it begins with when all blocks are there. Of second differences each warp takes
// blocks that follow each other, so that only the first one of its blocks begins with 0, and of the first
// warp none.
#pragma once

#include "gpu/entropy/add_beginnings.hpp"
#include "gpu/entropy/decode_entropy.hpp"
#include "gpu/entropy/two_streams.hpp"
#include "gpu/unpack/chain_sink.hpp"
#include "gpu/unpack/run_outer_steps.hpp"

namespace floe::gpu {

/// Every `count`-th block of a section, from `index` on.
struct SectionShare {
  std::uint32_t index = 0, count = 1;
};

/// How many thread blocks of `warps` warps share a segment: `wanted`, if then each warp has a block of the
/// section, and where nobody waits for all words; else one.
FLOE_DEVICE std::uint32_t shares_of(const UnpackChain& chain, const OuterSteps& outer, unsigned warps,
                                    std::uint32_t wanted) {
  if (outer.kind != OuterSteps::words || outer.are_some() || chain.order > 1 || chain.stride > 1) return 1;
  const unsigned block_bits = chain.table_count < 3 ? 0 : chain.bytes[chain.table_at + 2];
  return block_bits <= trees::max_block_bits && chain.count >> block_bits >= wanted * warps ? wanted : 1;
}

/// The tables that a block has room for: those of long frequencies with entries of four bytes, or of one; or
/// those of short frequencies.
enum class TableRoom : std::uint8_t { large, small, of_short_frequencies };

/// What a block of so many warps that unpacks has in shared memory; with small tables a section has no more
/// blocks than that. `checks`: it finds digests of streams.
template <unsigned warps, TableRoom table_room, bool checks>
struct alignas(16) UnpackEntropyMemory {
  static constexpr bool has_small_table = table_room == TableRoom::small;
  static constexpr unsigned max_warps = warps,
                            frequency_bits = table_room == TableRoom::of_short_frequencies
                                                 ? trees::short_frequency_bits
                                                 : trees::long_frequency_bits,
                            max_blocks = has_small_table ? warps : max_summed_blocks;
  static constexpr std::uint32_t table_bytes = has_small_table ? small_entropy_table_bytes
                                                               : entropy_table_bytes(frequency_bits),
                                 check_bytes = has_small_table && checks ? warps * RingCheck::room : 0;
  UnpackChain chain, other;
  OuterSteps outer;
  ScratchMemory scratch;  ///< Of this block, at a multiple of 16.
  std::uint32_t ticket;
  SectionShare share;  ///< Of the segment, that this block takes.
  StreamCheck check;
  /// What the differences of a block sum up to: all of them, or those of each class.
  std::uint64_t sums[max_blocks][max_unpack_stride];
  alignas(16) std::uint8_t room[table_bytes + rings_room(warps) + check_bytes];

  FLOE_DEVICE EntropyTable& table() { return *reinterpret_cast<EntropyTable*>(room); }
  FLOE_DEVICE std::uint8_t* rings() { return room + table_bytes; }
  using Check = std::conditional_t<checks, RingCheck, NoCheck>;
  /// What a warp knows of the stream: in place of symbols, if nobody needs these when there are entries.
  FLOE_DEVICE Check ring_check(unsigned warp, unsigned lane) {
    static_assert(has_small_table || warps * RingCheck::room <= sizeof EntropyTable::symbols);
    if constexpr (Check::is_present) {
      auto* const at = has_small_table ? room + table_bytes + rings_room(warps)
                                       : reinterpret_cast<std::uint8_t*>(table().symbols);
      return {check, at + RingCheck::room * warp, lane};
    } else {
      return {};
    }
  }
};

/// What the sums of a section say of block `index`.
template <core::Word W>
struct BlockSum {
  W before, own;

  /// `sums` are at any address. Called by all lanes.
  template <class Warp>
  FLOE_DEVICE static BlockSum find(Warp& warp, const std::uint8_t* sums, std::uint32_t index) {
    W before = 0;
    for (std::uint32_t i = warp.lane(); i < index; i += warp_lanes)
      before = static_cast<W>(before + load_word<W>(sums + i * sizeof(W)));
    const W inclusive = scan_words(warp, before);
    return {warp.shuffle(inclusive, warp_lanes - 1), load_word<W>(sums + index * sizeof(W))};
  }
};

/// Unpacks the segment of the chain in memory. Called by all threads; false to all if it is damaged.
template <core::Word W, EntropyShape shape, class Final, LeafSums added, class Block>
FLOE_DEVICE_CALL bool unpack_section(Block& block, const EntropyPayload& payload) {
  auto& memory = block.memory();
  auto& warp = block.warp();
  using Warp = std::remove_reference_t<decltype(warp)>;
  const UnpackChain& chain = memory.chain;
  const EntropySection& section = memory.table().section;
  if (added == LeafSums::strided &&
      section.block_count() > std::remove_reference_t<decltype(memory)>::max_blocks)
    return false;
  const EntropyCode<W, shape> code(memory.table());
  const EntropyRings rings = rings_of(memory.rings(), block.warp_count(), block.warp_index());
  const std::uint8_t* const sums =
      payload.bytes + section.directory_at + trees::directory_entry_bytes * section.block_count();
  StoreArguments to(chain.out, chain.power);
  bool good = true;
  using Check = typename std::remove_reference_t<decltype(memory)>::Check;
  const Check check = memory.ring_check(block.warp_index(), warp.lane());
  using Sink = ChainSink<W, Final, added, Warp>;
  constexpr bool in_runs = added == LeafSums::second_order;
  const SectionShare share = memory.share;
  std::uint32_t next = share.index + share.count * block.warp_index(), end = section.block_count(),
                step = share.count * block.warp_count();
  typename Sink::Beginning begin;
  if constexpr (in_runs) {
    const BlockRun run = BlockRun::of(section.block_count(), block.warp_count(), block.warp_index());
    next = run.first, end = run.end, step = 1;
    if (block.warp_index() == 0) begin = {static_cast<W>(chain.head[0]), true};
  }
  for (std::uint32_t i = next; i < end; i += step) {
    const std::uint32_t first = i << section.header.block_bits;
    const EntropyBlock own = find_block(payload, section, i);
    W carry = 0, expected = 0;
    if constexpr (added != LeafSums::none) {
      const auto sum = BlockSum<W>::find(warp, sums, i);
      carry = static_cast<W>(chain.head[in_runs ? 1 : 0] + apply_to_sum(chain.before, sum.before, first));
      expected = static_cast<W>(carry + apply_to_sum(chain.before, sum.own, own.words));
    }
    Sink sink(warp, chain, memory.outer, to, carry,
              chain.out + std::uint64_t{first} * sizeof(typename Final::Out), begin);
    BlockDecoder<W, shape, Warp, Check> decoder(warp, code, rings, check);
    good = decoder.run(own, sink) && sink.carry() == expected && good;
    if constexpr (in_runs) begin.word = sink.sum_of_block(0);
    if (warp.lane() != 0) continue;
    if (added != LeafSums::none && first + own.words == section.words)
      sink.store_last(chain.out + std::uint64_t{section.words} * sizeof(typename Final::Out), own.words);
    if constexpr (in_runs) {
      memory.sums[block.warp_index()][0] = begin.word;
    } else if constexpr (added == LeafSums::strided) {
      for (unsigned c = 0; c < chain.stride; ++c) memory.sums[i][c] = sink.sum_of_block(c);
    }
  }
  if (block.any(!good || to.bad)) return false;
  if constexpr (in_runs) {
    add_beginnings_of_runs<W, Final>(block, to);
    if constexpr (!std::is_same_v<Final, FinalSame<W>>) return !block.any(to.bad);
  }
  if constexpr (added == LeafSums::strided) {
    with_stride(chain.stride, [&]<unsigned stride>() { add_beginnings<W, stride, Final>(block, to); });
    if constexpr (!std::is_same_v<Final, FinalSame<W>>) return !block.any(to.bad);
  }
  return true;
}

template <core::Word W, EntropyShape shape, class Final, class Block>
FLOE_DEVICE bool unpack_shape(Block& block, const EntropyPayload& payload) {
  const UnpackChain& chain = block.memory().chain;
  if (chain.order == 2) return unpack_section<W, shape, Final, LeafSums::second_order>(block, payload);
  if (chain.stride > 1) return unpack_section<W, shape, Final, LeafSums::strided>(block, payload);
  return chain.stride > 0 ? unpack_section<W, shape, Final, LeafSums::neighbours>(block, payload)
                          : unpack_section<W, shape, Final, LeafSums::none>(block, payload);
}

template <core::Word W, class Final, class Block>
FLOE_DEVICE bool unpack_entropy_as(Block& block) {
  auto& memory = block.memory();
  const UnpackChain& chain = memory.chain;
  const EntropyPayload payload{chain.bytes, chain.table_at, chain.table_at + chain.table_count, chain.count};
  using Shape = EntropyShape;
  using Memory = std::remove_reference_t<decltype(memory)>;
  constexpr unsigned bits = Memory::frequency_bits;
  if (!open_section<W, Memory::has_small_table>(block, payload, 0, memory.table(), bits)) return false;
  if (block.rank() == 0) {
    memory.check.body_begin =
        static_cast<std::uint32_t>(find_block(payload, memory.table().section, 0).states - chain.bytes);
    memory.check.body_end = memory.table().section.end;
  }
  const Shape shape = shape_of<W>(memory.table().section);
  constexpr Shape with_long_codes = Memory::has_small_table ? Shape::small_table : Shape::long_codes;
  if constexpr (bits == trees::long_frequency_bits)
    if (shape == Shape::long_codes) return unpack_shape<W, with_long_codes, Final>(block, payload);
  if constexpr (sizeof(W) == 2)
    if (shape == Shape::halves && chain.stride == 0 && chain.before.kind == ChainStep::nothing)
      return unpack_section<W, Shape::halves, Final, LeafSums::none>(block, payload);
  return unpack_shape<W, Shape::short_codes, Final>(block, payload);
}

/// A chain of words of 16 bits, and the steps above.
template <class Block>
FLOE_DEVICE bool unpack_narrow_chain(Block& block) {
  return unpack_entropy_as<std::uint16_t, FinalSame<std::uint16_t>>(block) &&
         run_outer_steps<std::uint16_t, std::uint16_t>(block);
}

/// The chain of a segment that is nothing else but for steps above.
template <class Block>
FLOE_DEVICE bool unpack_only_chain(Block& block) {
  constexpr bool has_only_chains = std::remove_reference_t<decltype(block.memory())>::has_small_table;
  const UnpackChain& chain = block.memory().chain;
  if (chain.final == FinalKind::decimal) {
    if (chain.word_bytes == 8)
      return unpack_entropy_as<std::uint64_t, FinalDecimal<std::uint64_t, double>>(block);
    if (chain.out_bytes == 8)
      return unpack_entropy_as<std::uint32_t, FinalDecimal<std::uint32_t, double>>(block);
    return unpack_entropy_as<std::uint32_t, FinalDecimal<std::uint32_t, float>>(block);
  }
  if constexpr (has_only_chains) {
    return chain.word_bytes == 8 ? unpack_entropy_as<std::uint64_t, FinalSame<std::uint64_t>>(block)
                                 : unpack_entropy_as<std::uint32_t, FinalSame<std::uint32_t>>(block);
  } else {
    if (chain.word_bytes == 8)
      return unpack_entropy_as<std::uint64_t, FinalSame<std::uint64_t>>(block) &&
             add_to_remainders<std::uint64_t>(block) && run_outer_steps<std::uint64_t, std::uint64_t>(block);
    if (chain.word_bytes == 4 && block.memory().outer.is_decimal && slot_bytes(block.memory().outer) == 8)
      return unpack_entropy_as<std::uint32_t, FinalWide>(block) &&
             run_outer_steps<std::uint32_t, std::uint64_t>(block);
    if (chain.word_bytes == 4)
      return unpack_entropy_as<std::uint32_t, FinalSame<std::uint32_t>>(block) &&
             add_to_remainders<std::uint32_t>(block) && run_outer_steps<std::uint32_t, std::uint32_t>(block);
    return unpack_narrow_chain(block);
  }
}

/// Unpacks the segment of memory.chain, of whose state entropy, with memory.other and memory.outer; with
/// short frequencies words of 16 bits, with small tables wide words and nothing else. Of a dictionary whose
/// codes are vectors only entries are made, where the words go. Called by all threads, between barriers;
/// false to all if it is damaged, or a block must decode it.
template <class Block>
FLOE_DEVICE bool unpack_entropy(Block& block) {
  auto& memory = block.memory();
  using Memory = std::remove_reference_t<decltype(memory)>;
  if constexpr (Memory::frequency_bits == trees::short_frequency_bits) {
    return unpack_narrow_chain(block);
  } else if constexpr (Memory::has_small_table) {
    return unpack_only_chain(block);
  } else {
    const bool has_streams = memory.outer.has_streams();
    if (has_streams && !place_streams(block)) return false;
    while (true) {  // so that there is one place that calls these large functions
      if (memory.chain.state != UnpackChain::none && !unpack_only_chain(block)) return false;
      if (!has_streams) return true;
      if (!take_other_chain(block)) return join_streams(block);
    }
  }
}

}  // namespace floe::gpu
