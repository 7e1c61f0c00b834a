// Segments that are a leaf of entropy of one section below deltas and one step to sortable words, decimals or
// multiples, with a block of a few warps: words are mapped while they are read, and one delta is taken there;
// multiples and other deltas before, and decimals by kernels that take those. They go straight from the
// block's scratch to their position. Segments of narrow words get their position when the next one is
// encoded: those before it have published their sizes by then. The bytes are those of
// gpu/encode/encode_target.hpp.
#pragma once

#include "gpu/encode/encode_target.hpp"
#include "gpu/entropy/entropy_packer.hpp"
#include "gpu/entropy/put_packed.hpp"
#include "gpu/entropy/store_mapped.hpp"
#include "gpu/entropy/store_steps.hpp"

namespace floe::gpu {

/// Stores the words of memory.now as what `Map` makes of them. False to all threads if some word is no
/// decimal.
template <bool finds_facts, class Map, class Block>
FLOE_DEVICE bool store_mapped(Block& block) {
  const PackedSegment& segment = block.memory().now;
  const double power = core::power_of_ten(segment.digits);
  auto* const to = const_cast<std::uint8_t*>(segment.words.words);
  QuickRange<typename Map::From> found(segment.target.words.type);
  const bool good =
      store_mapped<Map>(block, segment.target.words, {power, 1 / power}, to, [&](typename Map::From word) {
        if constexpr (finds_facts) found.add(word);
      });
  if constexpr (finds_facts)
    if (good) publish_range(block, block.memory().room.memory.totals, found);
  return good;
}

/// The same for decimals of any type.
template <bool finds_facts, class Block>
FLOE_DEVICE_CALL bool store_decimals(Block& block) {
  const PackedSegment& segment = block.memory().now;
  bool are_good = false;
  with_decimals(segment, [&]<class W, class Float>() {
    are_good = store_mapped<finds_facts, MapDecimal<Float, W>>(block);
  });
  return are_good;
}

/// Reads what chain the tree of a segment is. `strided`: strides are taken while words are read.
/// Precondition: packed_entropy_leaf in gpu/encode/encode_limits.hpp.
FLOE_DEVICE void read_entropy_chain(PackedSegment& segment, bool strided) {
  const std::uint8_t* plan = segment.target.tree;
  const auto id = static_cast<EncodingId>(*plan);
  segment.chain.is_sortable = id == EncodingId::sortable;
  segment.is_decimal = id == EncodingId::decimal;
  segment.is_grid = id == EncodingId::grid;
  if (segment.is_decimal) {
    segment.digits = segment.chain.shift = plan[1];
    segment.words.type = trees::child_type_of(id, segment.words.type, plan[2], 0);
    segment.words.words = nullptr;
    plan += 2;
  }
  const bool is_divided = id == EncodingId::divide;
  if (is_divided) {  // by a power of two
    segment.chain.shift = plan[2];
    segment.words.type = trees::child_type_of(id, segment.words.type, plan[2], 0);
    plan += 2;
  }
  if (segment.is_decimal || segment.is_grid || is_divided || segment.chain.is_sortable) ++plan;
  const auto next_number = [&] {
    std::uint32_t number = 0;
    for (unsigned shift = 0;; shift += 7) {
      const std::uint32_t byte = *plan++;
      number |= (byte & 0x7F) << shift;
      if (byte < 0x80) return number;
    }
  };
  DeltaSteps& deltas = segment.deltas;
  while (static_cast<EncodingId>(*plan) == EncodingId::delta) {
    ++plan;
    const std::uint32_t order = next_number();
    deltas.step[deltas.count++] = {order, next_number()};
  }
  if (segment.is_grid) {  // behind the leaf and the bits below
    const auto gaps = static_cast<EncodingId>(plan[2]);
    segment.grid.packs_gaps = gaps == EncodingId::bitpack;
    segment.grid.takes_exceptions = (segment.grid.packs_gaps || gaps == EncodingId::raw) &&
                                    static_cast<EncodingId>(plan[3]) == EncodingId::raw;
  }
  segment.stored = static_cast<std::uint8_t>(deltas.stored(word_bytes(segment.words.type), strided));
  if (segment.stored < deltas.count) {
    const DeltaStep last = deltas.step[segment.stored];
    segment.chain.order = static_cast<std::uint8_t>(last.order);
    segment.chain.stride = static_cast<std::uint8_t>(last.stride);
  }
  segment.is_sortable = segment.chain.is_sortable && segment.stored > 0;
  if (segment.is_sortable) segment.chain.is_sortable = false;
}

/// Calls work(W{}) with the words of a segment, which have min_bytes bytes or more.
template <unsigned min_bytes, class Work>
FLOE_DEVICE void with_packed_word(const PackedSegment& segment, const Work& work) {
  static_assert(min_bytes == 2 || min_bytes == 8);
  const unsigned width = word_bytes(segment.words.type);
  if (min_bytes == 8 || width == 8) {
    work(std::uint64_t{});
  } else if constexpr (min_bytes == 2) {
    if (width == 4) {
      work(std::uint32_t{});
    } else {
      work(std::uint16_t{});
    }
  }
}

/// Calls work.operator()<W, Float>() with the words of a segment, and what decimals are that are mapped while
/// they are read, or void.
template <PackedChains chains, unsigned min_bytes, class Work>
FLOE_DEVICE void with_packed_leaf(const PackedSegment& segment, const Work& work) {
  if constexpr (maps_decimals(chains)) {
    if (segment.is_decimal)
      return with_decimals(segment, [&]<class W, class Float>() { work.template operator()<W, Float>(); });
  }
  with_packed_word<min_bytes>(segment, [&]<class W>(W) { work.template operator()<W, void>(); });
}

[[nodiscard]] FLOE_DEVICE bool is_placed_at_once(const PackedSegment& segment) {
  return is_placed_at_once(word_bytes(segment.words.type));
}

/// Makes the segment of a ticket memory.now; arrays without elements have a ticket, too. Begins and ends with
/// a barrier.
template <class Block>
FLOE_DEVICE void find_packed(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket, bool strided) {
  PackedSegment& segment = block.memory().now;
  block.sync();
  if (block.rank() == 0) {
    segment = {};
    segment.ticket = ticket;
    find_target(job, ticket, segment.target);
    segment.words = segment.target.words;
    if (segment.target.tree != nullptr) read_entropy_chain(segment, strided);
  }
  block.sync();
}

/// Encodes the segment of memory.now, and publishes its size. Called by all threads. If some word is no
/// decimal, or of quotients that are too few, segments have no bytes from then on: another kernel encodes
/// them.
template <bool finds_facts, PackedChains chains, unsigned min_bytes, class Block>
FLOE_DEVICE void encode_packed(Block& block, const EncodeColumnsJob& job, std::uint8_t* symbols,
                               std::uint8_t* kept) {
  PackedSegment& segment = block.memory().now;
  const std::uint32_t count = segment.target.words.count;
  if (count == 0) return;
  bool is_good = segment.target.tree != nullptr;
  if constexpr (chains == PackedChains::quotients) {
    is_good = is_good && !block.any(read_shared_word(job.failed) != 0);
  } else if constexpr (chains != PackedChains::of_neighbours) {
    const unsigned width = word_bytes(segment.words.type);
    std::uint8_t* room = kept + kept_entropy_bytes(count, width);
    const bool is_decimal = segment.is_decimal, is_mapped = is_decimal && maps_decimals(chains),
               is_stored = chains == PackedChains::all && segment.is_stored();
    if (is_decimal && block.rank() == 0) segment.words.words = is_mapped ? segment.target.words.words : room;
    if (is_decimal || is_stored) is_good = is_good && !block.any(read_shared_word(job.failed) != 0);
    if constexpr (!maps_decimals(chains)) {
      if (is_good && is_decimal) {
        room += stored_words_bytes(count, width);
        is_good = store_decimals<finds_facts>(block);
      }
    }
    if constexpr (chains == PackedChains::all) {
      if (is_good && is_stored)
        with_packed_word<min_bytes>(segment, [&]<class W>(W) {
          is_good = store_steps<W, finds_facts>(block, room,
                                                kept + max_entropy_header_bytes + max_section_front_bytes);
        });
    }
    if (!is_good && (is_decimal || is_stored) && block.rank() == 0) set_word(job.failed, 1);
  }
  if (is_good) {
    with_packed_leaf<chains, min_bytes>(segment, [&]<class W, class Float>() {
      EntropyPacker<W, finds_facts, chains, Float, Block>(block, symbols, kept).encode();
    });
    if (segment.outcome.kind == EntropyOutcome::none && block.rank() == 0) set_word(job.failed, 1);
  }
  if (block.rank() == 0) publish_size(job, segment.target, segment.ticket, segment.outcome.bytes);
}

/// Puts the segment of memory.before, of which `kept` remains, to its position. Begins and ends with a
/// barrier.
template <bool finds_facts, PackedChains chains, unsigned min_bytes, class Block>
FLOE_DEVICE_CALL void place_packed(Block& block, const EncodeColumnsJob& job, const std::uint8_t* kept) {
  auto& memory = block.memory();
  const PackedSegment& segment = memory.before;
  const EncodeTarget& to = segment.target;
  const std::uint32_t bytes = segment.outcome.bytes;
  block.sync();
  if (block.warp_index() == 0)
    place_published_segment(block.warp(), job, to, segment.ticket, bytes, memory.offset);
  block.sync();
  if (memory.offset != nowhere && bytes > 0) {
    std::uint8_t* const out = to.out + memory.offset;
    const auto put = [&] {
      with_packed_word<min_bytes>(segment, [&]<class W>(W) { put_packed<W, chains>(block, kept, out); });
      if (block.rank() < (16 - bytes % 16) % 16) out[bytes + block.rank()] = 0;
    };
    if constexpr (finds_facts) {
      std::uint64_t digest = 0;
      if (finds_facts_always(chains) && to.facts == nullptr) {
        put();
      } else {
        with_packed_word<min_bytes>(
            segment, [&]<class W>(W) { digest = put_with_digest<W, chains>(block, kept, out); });
        if (block.rank() == 0) publish_digest(memory, digest);
      }
    } else {
      put();
    }
  }
  block.sync();
}

/// Makes what was encoded last the segment that waits for its position. Ends with a barrier.
template <class Block>
FLOE_DEVICE void keep_packed(Block& block) {
  auto& memory = block.memory();
  const auto copy = [&](const auto& from, auto& to) {
    static_assert(sizeof from == sizeof to && sizeof from % 4 == 0);
    for (std::uint32_t i = 4 * block.rank(); i < sizeof from; i += 4 * block.size())
      store_aligned(reinterpret_cast<std::uint8_t*>(&to) + i,
                    load_aligned<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(&from) + i));
  };
  copy(memory.now, memory.before);
  copy(memory.room.memory.coded, memory.coded_before);
  block.sync();
}

/// Packs segments with a block. take_ticket() is called by one thread; tickets from `end` on are none.
/// `finds_facts`: columns have a place for them, or may have one (finds_facts_always). `chains`: those of all
/// trees; where some are of decimals, the job has a place for failures.
/// `min_bytes`: of the words of leaves.
template <bool finds_facts, PackedChains chains, unsigned min_bytes = 2, class Block, class TakeTicket>
FLOE_DEVICE void pack_entropy_segments(Block& block, const EncodeColumnsJob& job, std::uint32_t end,
                                       std::uint8_t* scratch_bytes, const TakeTicket& take_ticket) {
  auto& memory = block.memory();
  const PackEntropyScratch scratch(scratch_bytes, job.scratch_bytes);
  unsigned waiting = 2;  // where what a segment keeps is that waits for its position; 2: there is none
  const auto place_waiting = [&] {
    if (waiting < 2) place_packed<finds_facts, chains, min_bytes>(block, job, scratch.kept[waiting]);
    waiting = 2;
  };
  while (true) {
    block.sync();
    if (block.rank() == 0) memory.ticket = take_ticket();
    block.sync();
    const std::uint32_t ticket = memory.ticket;
    if (ticket >= end) return place_waiting();
    find_packed(block, job, ticket, chains == PackedChains::strides);
    const bool is_at_once = is_placed_at_once(memory.now), exists = memory.now.target.words.count > 0;
    if (is_at_once) place_waiting();  // whose room it takes
    const unsigned which = waiting == 0 ? 1 : 0;
    encode_packed<finds_facts, chains, min_bytes>(block, job, scratch.symbols, scratch.kept[which]);
    place_waiting();
    keep_packed(block);
    if (exists) waiting = which;
    if (is_at_once) place_waiting();
  }
}

}  // namespace floe::gpu
