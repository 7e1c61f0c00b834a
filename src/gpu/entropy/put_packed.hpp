// Puts the segment that a block has packed and that waits for its position there; where somebody asks for it,
// with the digest of its stream.
#pragma once

#include "gpu/entropy/entropy_packer.hpp"
#include "gpu/entropy/put_stream.hpp"
#include "gpu/entropy/store_grid.hpp"
#include "gpu/entropy/store_remainders.hpp"

namespace floe::gpu {

/// Pieces of the stream of a segment at most: it takes no more than its words and a header.
inline constexpr std::uint32_t max_segment_pieces =
    static_cast<std::uint32_t>(trees::section_words * sizeof(std::uint64_t) / core::chunk_bytes) + 1;

/// Puts what stands before the blocks of the segment of memory.before to `out`. Called by all threads.
template <class Block>
FLOE_DEVICE void put_front(Block& block, const std::uint8_t* kept, std::uint8_t* out) {
  const PackedSegment& segment = block.memory().before;
  const std::uint32_t header_bytes = segment.outcome.header_bytes;
  for (std::uint32_t i = block.rank(); i < header_bytes; i += block.size()) out[i] = kept[i];
  kept += max_entropy_header_bytes;
  for (std::uint32_t i = block.rank(); i < segment.front_bytes; i += block.size())
    out[header_bytes + i] = kept[i];
}

/// Puts the bits below the grid of the segment of memory.before and exceptions, or what is left of words that
/// were divided, the end of its stream, to the stream at `out`. Returns where they begin. Called by all
/// threads.
template <core::Word W, PackedChains chains, class Block>
FLOE_DEVICE std::uint32_t put_end(Block& block, const std::uint8_t* kept, std::uint8_t* out) {
  const PackedSegment& segment = block.memory().before;
  const EntropyOutcome outcome = segment.outcome;
  if constexpr (chains == PackedChains::all) {
    if (segment.is_grid && segment.grid.stored_bytes() > 0 && outcome.kind != EntropyOutcome::constant &&
        outcome.kind != EntropyOutcome::raw_words) {
      const std::uint32_t begin = outcome.bytes - segment.grid.stored_bytes();
      put_low_bits(block, segment.grid, kept + kept_entropy_bytes(segment.target.words.count, sizeof(W)),
                   out + begin);
      return begin;
    }
  }
  if constexpr (chains == PackedChains::quotients) {
    if (outcome.kind != EntropyOutcome::constant && outcome.kind != EntropyOutcome::raw_words) {
      const std::uint32_t begin = outcome.bytes - segment.remainders.bytes;
      put_remainders<W>(block, kept + kept_entropy_bytes(segment.target.words.count, sizeof(W)), out + begin);
      return begin;
    }
  }
  return outcome.bytes;
}

/// Puts raw words to `out`. Called by all threads.
template <class Leaf, class Block>
FLOE_DEVICE void put_raw_words(Block& block, const Leaf& leaf, std::uint8_t* out) {
  using W = typename Leaf::W;
  for (std::uint32_t i = block.rank(); i < leaf.count(); i += block.size()) {
    const W word = leaf.word(i);
    if (reinterpret_cast<std::uintptr_t>(out) % sizeof(W) == 0) {
      store_word(out, i, word);
    } else {
      HeaderWriter{out + i * sizeof(W)}.put_word(word, sizeof(W));
    }
  }
}

/// Puts the segment of memory.before, of which `kept` remains, to `out`. Called by all threads.
template <core::Word W, PackedChains chains, class Block>
FLOE_DEVICE void put_packed(Block& block, const std::uint8_t* kept, std::uint8_t* out) {
  auto& memory = block.memory();
  const PackedSegment& segment = memory.before;
  const EntropyOutcome outcome = segment.outcome;
  put_front(block, kept, out);
  put_end<W, chains>(block, kept, out);
  out += outcome.header_bytes;
  if (outcome.kind == EntropyOutcome::coded) {
    const BlockSlots slots(
        const_cast<std::uint8_t*>(kept) + max_entropy_header_bytes + max_section_front_bytes, sizeof(W));
    return put_blocks(block, memory.coded_before, slots, out);
  }
  EncodeStream words = segment.words;
  LeafChain chain = segment.chain;
  if (outcome.kind != EntropyOutcome::raw_leaf) chain.order = 0;
  if (outcome.kind == EntropyOutcome::raw_words) {
    chain = {};
    words = segment.target.words;
    words.count *= word_bytes(words.type) / static_cast<std::uint32_t>(sizeof(W));  // decimals may be wider
  }
  if (outcome.kind == EntropyOutcome::raw_sortable) {
    chain.is_sortable = true;
    words = segment.target.words;
  }
  if (outcome.kind == EntropyOutcome::constant || outcome.kind == EntropyOutcome::constant_stored ||
      outcome.kind == EntropyOutcome::constant_differences)
    return;
  const std::uint32_t count = leaf_count(words, chain);
  const DType type = leaf_type(segment.words.type, segment.chain);
  if constexpr (maps_decimals(chains) && sizeof(W) >= 4) {
    const bool is_double = segment.target.words.type == DType::f64;
    if (segment.is_decimal && outcome.kind != EntropyOutcome::raw_words) {
      if (sizeof(W) == 8 || is_double)
        return put_raw_words(block, DecimalWords<W, double>(words.words, count, type, chain), out);
      if constexpr (sizeof(W) == 4)
        return put_raw_words(block, DecimalWords<W, float>(words.words, count, type, chain), out);
    }
  }
  put_raw_words(block, LeafWords<W, true, chains == PackedChains::strides>(words.words, count, type, chain),
                out);
}

/// Puts the segment of memory.before to `out`, and returns the digest of its stream. Called by all threads.
template <core::Word W, PackedChains chains, class Block>
FLOE_DEVICE std::uint64_t put_with_digest(Block& block, const std::uint8_t* kept, std::uint8_t* out) {
  auto& memory = block.memory();
  const PackedSegment& segment = memory.before;
  const EntropyOutcome outcome = segment.outcome;
  EntropyEncodeMemory& room = memory.room.memory;
  // Blocks of few words begin anywhere.
  const bool has_vectors = trees::entropy_unit(memory.coded_before.words) > 1;
  if (outcome.kind != EntropyOutcome::coded || !has_vectors || !segment.target.checksums) {
    put_packed<W, chains>(block, kept, out);
    if (block.rank() < (16 - outcome.bytes % 16) % 16) out[outcome.bytes + block.rank()] = 0;
    block.sync();
    return stream_digest(block, room.totals, out, outcome.bytes, segment.target.checksums);
  }
  put_front(block, kept, out);
  const BlockSlots slots(const_cast<std::uint8_t*>(kept) + max_entropy_header_bytes + max_section_front_bytes,
                         sizeof(W));
  static_assert(sizeof room.histogram >= max_segment_pieces * checksum_columns * sizeof(std::uint32_t));
  const std::uint32_t behind = put_end<W, chains>(block, kept, out);
  if (behind < outcome.bytes && block.rank() < (16 - outcome.bytes % 16) % 16)
    out[outcome.bytes + block.rank()] = 0;
  return put_blocks_of_stream(block, memory.coded_before, slots, outcome.header_bytes, behind, out,
                              outcome.bytes, room.histogram[0], room.totals);
}

/// Publishes the digest of the segment of memory.before. By one thread.
template <class Memory>
FLOE_DEVICE void publish_digest(const Memory& memory, std::uint64_t digest) {
  const PackedSegment& segment = memory.before;
  StreamFacts& facts = *segment.target.facts;
  facts.digest = digest;
  facts.is_known = segment.has_range ? 1 : 0;
}

}  // namespace floe::gpu
