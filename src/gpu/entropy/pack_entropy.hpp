// Segments that are a leaf of entropy of one section below at most one delta between neighbours and one step
// to sortable words, with a block of a few warps: words are mapped while they are read, and go straight from
// the block's scratch to their place. The bytes are those of gpu/encode/encode_target.hpp.
#pragma once

#include "gpu/encode/encode_target.hpp"
#include "gpu/entropy/pack_entropy_memory.hpp"
#include "gpu/entropy/quick_range.hpp"

namespace floe::gpu {

/// Packs segments of words of one type.
template <core::Word W, bool finds_facts, class Block>
class EntropyPacker {
 public:
  FLOE_DEVICE EntropyPacker(Block& block, std::uint8_t* scratch)
      : block_(block), memory_(block.memory()), words_(memory_.target.words), scratch_(scratch) {}

  /// Encodes the segment of memory.target with memory.chain; all but its place is known then, to all.
  FLOE_DEVICE void encode() {
    const LeafChain chain = memory_.chain;
    const std::uint32_t count = leaf_count(chain);
    if (count == 0) {  // as many words as differences begin with
      if constexpr (finds_facts) survey_words_of(Leaf(words_.words, words_.count, words_.type));
      const bool all_equal = words_.count == 1 || head(1) == 0,
                 grows = delta_bytes() > std::uint64_t{words_.count} * sizeof(W);
      settle({all_equal ? EntropyOutcome::constant
              : grows   ? raw_without_delta()
                        : EntropyOutcome::raw_leaf,
              0, 0});
      return;
    }
    const Leaf leaf = leaf_of(count);
    const WordSurvey<W> survey = survey_words_of(leaf);
    if (survey.is_constant()) {
      const bool all_equal =
          chain.order == 0 || (survey.range.min == survey.flip && (chain.order == 1 || head(1) == 0));
      const bool grows = delta_bytes() + sizeof(W) > std::uint64_t{words_.count} * sizeof(W);
      settle({all_equal ? EntropyOutcome::constant
              : !grows  ? EntropyOutcome::constant_differences
                        : raw_without_delta(),
              0, 0});
      return;
    }
    Section section = section_of(count);
    section.encode(leaf, survey);
    if (block_.warp_index() == 0) section.put_front(memory_.front());
    block_.sync();
    settle(judge(section.bytes(), count));
  }

  /// Puts the segment to `out`. Called by all threads.
  FLOE_DEVICE void put(std::uint8_t* out) {
    const EntropyOutcome outcome = memory_.outcome;
    for (std::uint32_t i = block_.rank(); i < outcome.head_bytes; i += block_.size())
      out[i] = memory_.head()[i];
    out += outcome.head_bytes;
    const std::uint32_t count = leaf_count(memory_.chain);
    if (outcome.kind == EntropyOutcome::coded) {
      Section section = section_of(count);
      const std::uint32_t front = section.bytes_before_blocks();
      for (std::uint32_t i = block_.rank(); i < front; i += block_.size()) out[i] = memory_.front()[i];
      section.put_blocks(out);
      return;
    }
    LeafChain chain = memory_.chain;
    if (outcome.kind != EntropyOutcome::raw_leaf) chain.order = 0;
    if (outcome.kind == EntropyOutcome::raw_words) chain = {};
    if (outcome.kind == EntropyOutcome::constant || outcome.kind == EntropyOutcome::constant_differences)
      return;
    const std::uint32_t words = leaf_count(chain);
    const Leaf leaf(words_.words, words, leaf_type(), chain);
    for (std::uint32_t i = block_.rank(); i < words; i += block_.size()) {
      const W word = leaf.word(i);
      if (reinterpret_cast<std::uintptr_t>(out) % sizeof(W) == 0) {
        store_word(out, i, word);
      } else {
        HeaderWriter{out + i * sizeof(W)}.put_word(word, sizeof(W));
      }
    }
  }

 private:
  using Leaf = LeafWords<W, true>;
  using Section = SectionEncoder<W, Block>;

  [[nodiscard]] FLOE_DEVICE DType leaf_type() const {
    DType type = words_.type;
    if (memory_.chain.is_sortable) type = trees::child_type_of(EncodingId::sortable, type, 0, 0);
    if (memory_.chain.order > 0) type = trees::child_type_of(EncodingId::delta, type, 1, 0);
    return type;
  }
  /// Words of the leaf below a chain.
  [[nodiscard]] FLOE_DEVICE std::uint32_t leaf_count(const LeafChain& chain) const {
    return words_.count > chain.order ? words_.count - chain.order : 0;
  }
  [[nodiscard]] FLOE_DEVICE Leaf leaf_of(std::uint32_t count) const {
    return Leaf(words_.words, count, leaf_type(), memory_.chain);
  }
  [[nodiscard]] FLOE_DEVICE Section section_of(std::uint32_t count) {
    return Section(block_, memory_.room.memory, memory_.room.rings[0], count, scratch_,
                   scratch_ + (count + 15) / 16 * 16);
  }

  /// The survey of all words, and their range if somebody asks for it.
  FLOE_DEVICE WordSurvey<W> survey_words_of(const Leaf& leaf) {
    std::uint64_t* const totals = memory_.room.memory.totals;
    if constexpr (!finds_facts) {
      return survey_words(block_, leaf, totals, [](W) {});
    } else {
      QuickRange<W> found(words_.type);
      // The survey sees as many words as the leaf has.
      for (std::uint32_t i = leaf.count(); i < words_.count; ++i)
        found.add(load_aligned<W>(words_.words + i * sizeof(W)));
      const WordSurvey<W> survey = survey_words(block_, leaf, totals, [&](W word) { found.add(word); });
      container::ValueRange range;
      const bool is_known = found.of_block(block_, totals, range);
      if (block_.rank() == 0) {
        StreamFacts& facts = *memory_.target.facts;
        facts.range_kind = static_cast<std::uint32_t>(range.kind);
        facts.range_min = range.min;
        facts.range_max = range.max;
        memory_.has_range = is_known;
      }
      block_.sync();
      return survey;
    }
  }

  /// The bytes of a leaf with its header, and what comes of the segment if it is larger than its words.
  FLOE_DEVICE EntropyOutcome judge(std::uint32_t section_bytes, std::uint32_t count) const {
    const std::uint32_t unit = static_cast<std::uint32_t>(trees::entropy_unit(count)), delta = delta_bytes();
    std::uint32_t header = varint_bytes(section_bytes);
    header += (unit - (delta + header) % unit) % unit;
    EntropyOutcome outcome;
    std::uint64_t size = header + std::uint64_t{section_bytes};
    if (size > std::uint64_t{count} * sizeof(W)) {
      outcome.kind = memory_.chain.order > 0 ? EntropyOutcome::raw_leaf : raw_without_delta();
      size = std::uint64_t{count} * sizeof(W);
    }
    if (delta + size > std::uint64_t{words_.count} * sizeof(W)) outcome.kind = raw_without_delta();
    return outcome;
  }
  /// Without differences.
  [[nodiscard]] FLOE_DEVICE EntropyOutcome::Kind raw_without_delta() const {
    return memory_.chain.is_sortable ? EntropyOutcome::raw_before : EntropyOutcome::raw_words;
  }
  /// Bytes of the header of a delta, if there is one.
  [[nodiscard]] FLOE_DEVICE std::uint32_t delta_bytes() const {
    std::uint32_t bytes = 0;
    for (unsigned i = 0; i < memory_.chain.order; ++i)
      bytes += varint_bytes(folded(head(i), core::word_bits<W>));
    return bytes;
  }
  /// What differences begin with: the first word, and the first difference.
  [[nodiscard]] FLOE_DEVICE W head(unsigned index) const {
    return Leaf(words_.words, 1, words_.type, {memory_.chain.is_sortable, static_cast<std::uint8_t>(index)})
        .word(0);
  }

  /// Writes the head of the segment, and says how long it is. Called by all threads; with barriers.
  FLOE_DEVICE void settle(EntropyOutcome outcome) {
    if (block_.rank() == 0) {
      using Kind = EntropyOutcome;
      HeaderWriter head{memory_.head()};
      const LeafChain chain = memory_.chain;
      head.put_byte(1);
      head.put_byte(0);
      const auto put_node = [&](EncodingId id) { head.put_byte(static_cast<std::uint8_t>(id)); };
      const bool has_map =
                     chain.is_sortable && outcome.kind != Kind::constant && outcome.kind != Kind::raw_words,
                 has_delta =
                     chain.order > 0 && (outcome.kind == Kind::coded || outcome.kind == Kind::raw_leaf ||
                                         outcome.kind == Kind::constant_differences),
                 is_coded = outcome.kind == Kind::coded;
      if (has_map) put_node(EncodingId::sortable);
      if (has_delta) {
        put_node(EncodingId::delta);
        head.put_byte(chain.order);
        head.put_byte(1);
      }
      const bool is_constant = outcome.kind == Kind::constant || outcome.kind == Kind::constant_differences;
      put_node(is_coded ? EncodingId::entropy : is_constant ? EncodingId::constant : EncodingId::raw);
      while (is_coded && head.size % 16 != 0) head.put_byte(0);
      const std::uint32_t body = head.size;
      for (unsigned i = 0; has_delta && i < chain.order; ++i)
        head.put_signed(this->head(i), core::word_bits<W>);
      if (is_coded) {
        const std::uint32_t section = memory_.room.memory.end, count = leaf_count(chain),
                            unit = static_cast<std::uint32_t>(trees::entropy_unit(count));
        head.put_varint(section);
        while ((head.size - body) % unit != 0) head.put_byte(0);
        outcome.bytes = head.size + section;
      } else if (is_constant) {
        // Of differences the first one, of words the first one.
        const bool of_differences = outcome.kind == Kind::constant_differences;
        head.put_word(Leaf(words_.words, 1, words_.type, of_differences ? chain : LeafChain{}).word(0),
                      sizeof(W));
        outcome.bytes = head.size;
      } else {
        const std::uint32_t count = has_delta ? leaf_count(chain) : words_.count;
        outcome.bytes = head.size + count * static_cast<std::uint32_t>(sizeof(W));
      }
      outcome.head_bytes = head.size;
      memory_.outcome = outcome;
    }
    block_.sync();
  }

  Block& block_;
  std::remove_reference_t<decltype(std::declval<Block&>().memory())>& memory_;
  EncodeStream words_;
  std::uint8_t* scratch_;
};

/// Reads what chain a tree is. Precondition: packs_entropy in gpu/encode/encode_limits.hpp.
FLOE_DEVICE LeafChain read_entropy_chain(const std::uint8_t* plan) {
  LeafChain chain;
  chain.is_sortable = static_cast<EncodingId>(plan[0]) == EncodingId::sortable;
  const unsigned node = chain.is_sortable ? 1 : 0;
  if (static_cast<EncodingId>(plan[node]) == EncodingId::delta) chain.order = plan[node + 1];
  return chain;
}

/// Finds the digest of the segment that was put to `out`, and its padding. Called by all threads.
template <class Block>
FLOE_DEVICE void find_stream_digest(Block& block, const std::uint8_t* out) {
  auto& memory = block.memory();
  block.sync();
  const std::uint64_t digest =
      stream_digest(block, memory.room.memory.totals, out, memory.outcome.bytes, memory.target.checksums);
  if (block.rank() != 0) return;
  StreamFacts& facts = *memory.target.facts;
  facts.digest = digest;
  facts.is_known = memory.has_range ? 1 : 0;
}

/// Calls work(packer) for the segment of memory.target.
template <bool finds_facts, class Block, class Work>
FLOE_DEVICE void with_entropy_packer(Block& block, std::uint8_t* scratch, const Work& work) {
  const unsigned width = word_bytes(block.memory().target.words.type);
  if (width == 8) {
    work(EntropyPacker<std::uint64_t, finds_facts, Block>(block, scratch));
  } else if (width == 4) {
    work(EntropyPacker<std::uint32_t, finds_facts, Block>(block, scratch));
  } else {
    work(EntropyPacker<std::uint16_t, finds_facts, Block>(block, scratch));
  }
}

/// Encodes the segment of a ticket; calls take_next() by one thread when it needs that no more.
/// `finds_facts`: the column has a place for them.
template <bool finds_facts, class Block, class TakeNext>
FLOE_DEVICE void pack_entropy_ticket(Block& block, const EncodeColumnsJob& job, std::uint32_t ticket,
                                     std::uint8_t* scratch, const TakeNext& take_next) {
  auto& memory = block.memory();
  const EncodeTarget& to = memory.target;
  if (block.rank() == 0) {
    find_target(job, ticket, memory.target);
    memory.outcome = {};
    if (to.tree != nullptr) memory.chain = read_entropy_chain(to.tree);
  }
  block.sync();
  const bool exists = to.words.count > 0;  // arrays without elements have a ticket, too
  if (exists && to.tree != nullptr)
    with_entropy_packer<finds_facts>(block, scratch, [](auto packer) { packer.encode(); });
  if (block.warp_index() == 0 && exists)
    place_segment(block.warp(), job, to, ticket, memory.outcome.bytes, memory.offset);
  block.sync();
  const std::uint64_t offset = exists ? memory.offset : nowhere, bytes = memory.outcome.bytes;
  if (block.rank() == 0) take_next();
  if (offset != nowhere) {
    std::uint8_t* const out = to.out + offset;
    with_entropy_packer<finds_facts>(block, scratch, [&](auto packer) { packer.put(out); });
    if (block.rank() < (16 - bytes % 16) % 16) out[bytes + block.rank()] = 0;
    if constexpr (finds_facts) find_stream_digest(block, out);
  }
  block.sync();
}

}  // namespace floe::gpu
