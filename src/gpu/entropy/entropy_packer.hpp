// Encodes the segment of a block that packs entropy to its scratch, when its words are where they are read.
#pragma once

#include "gpu/entropy/encode_entropy.hpp"
#include "gpu/entropy/entropy_header.hpp"
#include "gpu/entropy/quick_range.hpp"
#include "gpu/entropy/store_remainders.hpp"

namespace floe::gpu {

/// Encodes segments of words of one type. `Float`: as LeafOfSegment says.
template <core::Word W, bool finds_facts, PackedChains chains, class Float, class Block>
class EntropyPacker {
 public:
  /// `kept`: what remains of the segment.
  FLOE_DEVICE EntropyPacker(Block& block, std::uint8_t* symbols, std::uint8_t* kept)
      : block_(block),
        memory_(block.memory()),
        header_(memory_),
        words_(memory_.now.words),
        symbols_(symbols),
        kept_(kept) {}

  /// Encodes the segment of memory.now; all but its position is known then, to all.
  FLOE_DEVICE void encode() {
    const LeafChain chain = memory_.now.chain;
    const std::uint32_t count = leaf_count(words_, chain);
    if (header_.is_stored() && memory_.now.is_constant) return settle({EntropyOutcome::constant, 0, 0});
    if constexpr (are_decimals) {
      encode_decimals(count);
    } else if constexpr (Header::is_divided) {
      encode_quotients(count);
    } else {
      encode_words(count);
    }
  }

 private:
  using Memory = std::remove_reference_t<decltype(std::declval<Block&>().memory())>;
  using Header = EntropyHeader<W, chains, Float, Memory>;
  using Leaf = typename Header::Leaf;
  // Others than decimals seldom have sections of two blocks, and lose more by the code for that.
  static constexpr bool are_decimals = !std::is_void_v<Float>;
  using Section = SectionEncoder<W, Block, sizeof(W) == 8 || are_decimals, are_decimals>;

  FLOE_DEVICE void encode_words(std::uint32_t count) {
    if (count == 0) {
      if constexpr (finds_facts) survey_words_of(Leaf(words_.words, words_.count, words_.type));
      return settle_heads();
    }
    const Leaf leaf = leaf_of(count);
    encode_leaf(leaf, survey_words_of(leaf));
  }
  /// Of a segment of as many words as differences begin with.
  FLOE_DEVICE void settle_heads() {
    const bool all_equal = words_.count == 1 || header_.heads_are_equal(),
               grows = header_.delta_bytes() > std::uint64_t{words_.count} * sizeof(W);
    settle({all_equal ? header_.constant_before_delta()
            : grows   ? header_.raw_without_delta()
                      : EntropyOutcome::raw_leaf,
            0, 0});
  }
  /// Encodes a segment of decimals, but with another kernel if some word is none.
  FLOE_DEVICE void encode_decimals(std::uint32_t count) {
    const LeafChain chain = memory_.now.chain;
    const Leaf leaf = count > 0 ? leaf_of(count)
                                : Leaf(words_.words, words_.count, words_.type, {false, 0, 1, chain.shift});
    bool are_good = false;
    const WordSurvey<W> survey = survey_decimals(leaf, are_good);
    if (!are_good) return settle({EntropyOutcome::none, 0, 0});
    if (count == 0) return settle_heads();
    encode_leaf(leaf, survey);
  }
  /// Encodes the words of the leaf, of which there are some.
  FLOE_DEVICE void encode_leaf(const Leaf& leaf, const WordSurvey<W>& survey) {
    const LeafChain chain = memory_.now.chain;
    const std::uint32_t count = leaf.count();
    if (survey.is_constant()) {
      const bool all_equal =
          chain.order == 0 || (survey.range.min == survey.flip && header_.heads_are_equal());
      const bool grows = header_.delta_bytes() + sizeof(W) > std::uint64_t{words_.count} * sizeof(W);
      settle({all_equal ? header_.constant_before_delta()
              : !grows  ? EntropyOutcome::constant_differences
                        : header_.raw_without_delta(),
              0, 0});
      return;
    }
    Section section = section_of(count);
    section.encode(leaf, survey);
    if (block_.warp_index() == 0) section.put_front(memory_.front());
    block_.sync();
    settle(header_.judge(section.bytes(), count));
  }
  /// Encodes a segment of quotients, but with another kernel where there are few words.
  FLOE_DEVICE void encode_quotients(std::uint32_t count) {
    const Leaf leaf =
        count > 0 ? leaf_of(count)
                  : Leaf(words_.words, words_.count, words_.type, {false, 0, 1, memory_.now.chain.shift});
    bool are_same = false;
    const WordSurvey<W> survey = survey_quotients(leaf, are_same);
    if (count == 0 && words_.count > 1) return settle({EntropyOutcome::none, 0, 0});
    if (count == 0) return settle({EntropyOutcome::constant, 0, 0});
    if (are_same) {
      if (block_.rank() == 0) memory_.now.remainders.bytes = sizeof(W);
    } else if (!store_remainders<W, finds_facts>(block_,
                                                 kept_ + kept_entropy_bytes(words_.count, sizeof(W)))) {
      return settle({EntropyOutcome::raw_words, 0, 0});
    }
    encode_leaf(leaf, survey);
  }

  [[nodiscard]] FLOE_DEVICE Leaf leaf_of(std::uint32_t count) const {
    return Leaf(words_.words, count, leaf_type(words_.type, memory_.now.chain), memory_.now.chain);
  }
  [[nodiscard]] FLOE_DEVICE Section section_of(std::uint32_t count) {
    return Section(block_, memory_.room.memory, memory_.room.rings[0], count, symbols_,
                   kept_ + max_entropy_header_bytes + max_section_front_bytes);
  }

  /// The survey of all words, and their range if somebody asks for it. That of words that were stored is
  /// known.
  FLOE_DEVICE WordSurvey<W> survey_words_of(const Leaf& leaf) {
    if constexpr (finds_facts) {
      const bool is_known = header_.is_decimal() || header_.is_stored();
      const auto with_range = [&](auto range, const auto& map) {
        if constexpr (sizeof(W) == 8) return survey_range_far(leaf, range, map);
        return survey_range(leaf, range, map);
      };
      if (!is_known && leaf.is_sortable())
        return with_range(SortableRange<W>(words_.type), [](W word) { return Leaf::sortable(word); });
      if (!is_known) return with_range(QuickRange<W>(words_.type), [](W word) { return word; });
    }
    return survey_words(block_, leaf, memory_.room.memory.totals, [](const auto&, const auto&) {});
  }
  /// What a survey of quotients sees: which bits of words differ, and the range if somebody asks for it.
  struct QuotientsSeen {
    W first, differences = 0;
    QuotientRange<W> range;

    struct See {
      QuotientsSeen& seen;
      template <class IsWord>
      FLOE_DEVICE void source(const typename Leaf::Group& group, const IsWord& is_word) const {
        FLOE_UNROLL
        for (unsigned k = 0; k < Leaf::steps; ++k)
          if (is_word(k)) seen.add_source(group.words.word[k]);
      }
      template <class IsWord>
      FLOE_DEVICE void operator()(const W (&words)[Leaf::steps], const IsWord& is_word) const {
        FLOE_UNROLL
        for (unsigned k = 0; k < Leaf::steps; ++k)
          if (is_word(k)) seen.add_quotient(words[k]);
      }
    };
    FLOE_DEVICE void add_source(W word) { differences = static_cast<W>(differences | (word ^ first)); }
    FLOE_DEVICE void add_quotient(W quotient) {
      if constexpr (finds_facts) range.add(quotient);
    }
  };
  /// The same of quotients, and whether all remainders are the same; the range only then.
  FLOE_DEVICE_CALL WordSurvey<W> survey_quotients(const Leaf leaf, bool& are_same) {
    const W first = load_aligned<W>(words_.words);
    QuotientsSeen seen{
        first, 0,
        QuotientRange<W>(memory_.now.target.words.type, memory_.now.chain.shift, leaf.remainder(first))};
    for (std::uint32_t i = leaf.count(); i < words_.count; ++i) {
      const W word = load_aligned<W>(words_.words + i * sizeof(W));
      seen.add_source(word);
      seen.add_quotient(leaf.quotient(word));
    }
    std::uint64_t* const totals = memory_.room.memory.totals;
    const WordSurvey<W> survey = survey_words(block_, leaf, totals, typename QuotientsSeen::See{seen});
    are_same = !block_.any(leaf.remainder(seen.differences) != 0);
    if constexpr (finds_facts)
      if (are_same) publish_range(block_, totals, seen.range);
    return survey;
  }
  /// The survey of decimals, and whether all words are decimals; the range only then.
  FLOE_DEVICE_CALL WordSurvey<W> survey_decimals(const Leaf leaf, bool& are_good) {
    using From = typename Leaf::From;
    using Seen = DecimalsSeen<W, Float, finds_facts>;
    std::uint64_t* const totals = memory_.room.memory.totals;
    Seen seen(leaf.power(), memory_.now.target.words.type);
    for (std::uint32_t i = leaf.count(); i < words_.count; ++i)
      seen.add(load_aligned<From>(words_.words + std::uint64_t{i} * sizeof(From)));
    const WordSurvey<W> survey = survey_words(block_, leaf, totals, typename Seen::See{seen});
    are_good = !block_.any(!seen.all_good());
    if constexpr (finds_facts)
      if (are_good) publish_range(block_, totals, seen.range());
    return survey;
  }
  /// The survey with the range of all words, which is published; map(word) is as the survey sees it.
  template <class Range, class Map>
  FLOE_DEVICE WordSurvey<W> survey_range(const Leaf& leaf, Range range, const Map& map) {
    std::uint64_t* const totals = memory_.room.memory.totals;
    // The survey sees as many words as the leaf has.
    for (std::uint32_t i = leaf.count(); i < words_.count; ++i)
      range.add(map(load_aligned<W>(words_.words + i * sizeof(W))));
    const WordSurvey<W> survey =
        survey_words(block_, leaf, totals, [&](const auto& words, const auto& is_word) {
          FLOE_UNROLL
          for (unsigned k = 0; k < Leaf::steps; ++k)
            if (is_word(k)) range.add(words[k]);
        });
    publish_range(block_, totals, range);
    return survey;
  }
  /// The same, called: see SectionEncoder.
  template <class Range, class Map>
  FLOE_DEVICE_CALL WordSurvey<W> survey_range_far(const Leaf leaf, Range range, const Map map) {
    return survey_range(leaf, range, map);
  }

  /// Writes the header of the segment, and says how long it is. Called by all threads; with barriers.
  FLOE_DEVICE void settle(EntropyOutcome outcome) {
    if (block_.rank() == 0) header_.settle(outcome);
    block_.sync();
    if (header_.is_stored()) {
      const HeaderParts parts = memory_.parts;
      if (block_.warp_index() == 0 && parts.stored > parts.map)
        put_stored_header<W>(block_.warp(), memory_.now, memory_.header() + parts.map);
      block_.sync();
    }
    keep(memory_.header(), memory_.now.outcome.header_bytes, kept_);
    keep(memory_.front(), memory_.now.front_bytes, kept_ + max_entropy_header_bytes);
  }
  FLOE_DEVICE void keep(const std::uint8_t* from, std::uint32_t bytes, std::uint8_t* to) const {
    for (std::uint32_t i = 4 * block_.rank(); i < bytes; i += 4 * block_.size())
      store_aligned(to + i, load_aligned<std::uint32_t>(from + i));
  }

  Block& block_;
  Memory& memory_;
  Header header_;
  EncodeStream words_;
  std::uint8_t *symbols_, *kept_;
};

}  // namespace floe::gpu
