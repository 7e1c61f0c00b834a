// What the tree of a segment above a leaf of entropy becomes, when the section is encoded or is not worth it,
// and the header that says so.
#pragma once

#include "gpu/entropy/decimal_words.hpp"
#include "gpu/entropy/pack_entropy_memory.hpp"

namespace floe::gpu {

/// The type of the leaf below a chain, and how many words it has.
FLOE_DEVICE DType leaf_type(DType type, const LeafChain& chain) {
  if (chain.is_sortable) type = trees::child_type_of(EncodingId::sortable, type, 0, 0);
  if (chain.order > 0) type = trees::child_type_of(EncodingId::delta, type, 1, 0);
  return type;
}
FLOE_DEVICE std::uint32_t leaf_count(const EncodeStream& words, const LeafChain& chain) {
  return words.count > chain.heads() ? words.count - chain.heads() : 0;
}

/// Puts the words in the header of the last delta of memory.now that is stored to `to`, or nowhere. Returns
/// how many bytes they are. By a warp.
template <core::Word W, class Warp>
FLOE_DEVICE std::uint32_t put_stored_header(Warp& warp, const PackedSegment& now, std::uint8_t* to) {
  const std::uint32_t heads = now.stored_heads();
  if (heads == 0) return 0;
  const DeltaTaps taps = taps_of(now.deltas, now.stored - 1u);
  const auto word = [&](std::uint32_t index) {
    return difference_at<W>(taps, index, [&](std::uint32_t i) {
      bool good = true;
      const W own = load_aligned<W>(now.undone.words + std::uint64_t{i} * sizeof(W));
      return now.is_sortable ? MapSortable<W>::map(own, {}, good) : own;
    });
  };
  const std::uint32_t stride = now.deltas.step[now.stored - 1].stride;
  std::uint32_t size = 0;
  for (std::uint32_t first = 0; first < heads; first += warp_lanes) {
    const std::uint32_t i = first + warp.lane();
    std::uint64_t number = 0;
    if (i < heads)
      number = folded(static_cast<W>(word(i) - (i < stride ? W{0} : word(i - stride))), core::word_bits<W>);
    const std::uint32_t bytes = i < heads ? varint_bytes(number) : 0, inclusive = inclusive_scan(warp, bytes);
    if (to != nullptr && i < heads) HeaderWriter{to + size + inclusive - bytes}.put_varint(number);
    size += warp.shuffle(inclusive, warp_lanes - 1);
  }
  return size;
}

/// The words of the leaf of a segment: `Float` is void, or what decimals are that are mapped while they are
/// read.
template <core::Word W, PackedChains chains, class Float>
struct LeafOfSegment {
  using Type = DecimalWords<W, Float>;
};
template <core::Word W, PackedChains chains>
struct LeafOfSegment<W, chains, void> {
  static constexpr bool is_divided = chains == PackedChains::quotients;
  using Type = LeafWords<W, true, chains == PackedChains::strides, !is_divided, is_divided>;
};

/// Whether a kernel maps decimals while it reads them: those that take differences of others store them.
FLOE_HD constexpr bool maps_decimals(PackedChains chains) { return chains == PackedChains::decimals; }

/// Calls work.operator()<W, Float>() with the integers and the floats of a segment of decimals.
template <class Work>
FLOE_DEVICE void with_decimals(const PackedSegment& segment, const Work& work) {
  if (segment.words.type == DType::i64) {
    work.template operator()<std::uint64_t, double>();
  } else if (segment.target.words.type == DType::f64) {
    work.template operator()<std::uint32_t, double>();
  } else {
    work.template operator()<std::uint32_t, float>();
  }
}

/// Of the segment of memory.now.
template <core::Word W, PackedChains chains, class Float, class Memory>
class EntropyHeader {
 public:
  static constexpr bool is_divided = chains == PackedChains::quotients;
  using Leaf = typename LeafOfSegment<W, chains, Float>::Type;

  FLOE_DEVICE explicit EntropyHeader(Memory& memory) : memory_(memory), words_(memory.now.words) {}

  [[nodiscard]] FLOE_DEVICE bool is_decimal() const {
    if constexpr (chains != PackedChains::of_neighbours) return memory_.now.is_decimal;
    return false;
  }

  [[nodiscard]] FLOE_DEVICE bool is_stored() const {
    if constexpr (chains == PackedChains::all) return memory_.now.is_stored();
    return false;
  }
  [[nodiscard]] FLOE_DEVICE bool is_grid() const {
    if constexpr (chains == PackedChains::all) return memory_.now.is_grid;
    return false;
  }

  /// The bytes of a leaf with its header, and what comes of the segment if it is larger than its words.
  FLOE_DEVICE EntropyOutcome judge(std::uint32_t section_bytes, std::uint32_t count) const {
    const std::uint32_t unit = static_cast<std::uint32_t>(trees::entropy_unit(count)), delta = delta_bytes(),
                        before = delta + map_header_bytes() + stored_header_bytes();
    std::uint32_t header = varint_bytes(section_bytes);
    header += (unit - (before + header) % unit) % unit;
    EntropyOutcome outcome;
    std::uint64_t size = header + std::uint64_t{section_bytes};
    if (size > std::uint64_t{count} * sizeof(W)) {
      outcome.kind = memory_.now.chain.order > 0 ? EntropyOutcome::raw_leaf : raw_without_delta();
      size = std::uint64_t{count} * sizeof(W);
    }
    if (delta + size > std::uint64_t{words_.count} * sizeof(W)) outcome.kind = raw_without_delta();
    return outcome;
  }
  /// Without differences that were not stored.
  [[nodiscard]] FLOE_DEVICE EntropyOutcome::Kind raw_without_delta() const {
    const bool has_map = memory_.now.chain.is_sortable || is_divided || is_decimal() || is_stored();
    return has_map ? EntropyOutcome::raw_before : EntropyOutcome::raw_words;
  }
  [[nodiscard]] FLOE_DEVICE EntropyOutcome::Kind constant_before_delta() const {
    const bool have_others = is_divided && memory_.now.remainders.node != EncodingId::constant;
    return is_stored() || have_others ? EntropyOutcome::constant_stored : EntropyOutcome::constant;
  }
  /// Bytes of the header of a delta, if there is one.
  [[nodiscard]] FLOE_DEVICE std::uint32_t delta_bytes() const {
    std::uint32_t bytes = 0;
    for (unsigned i = 0; i < heads(); ++i) bytes += varint_bytes(folded(head(i), core::word_bits<W>));
    return bytes;
  }
  /// Whether all words are equal where all differences are 0.
  [[nodiscard]] FLOE_DEVICE bool heads_are_equal() const {
    if (!is_strided()) return heads() < 2 || head(1) == 0;
    bool are_equal = true;
    for (unsigned i = 1; i < heads(); ++i) are_equal = are_equal && head(i) == head(0);
    return are_equal;
  }

  /// Writes the header of what fits, and tells it in memory.now. By one thread.
  FLOE_DEVICE void settle(EntropyOutcome outcome) {
    HeaderParts parts;
    EntropyOutcome::Kind fitting = outcome.kind;
    do {
      outcome.kind = fitting;
      parts = put_header(outcome);
      fitting = fitting_kind(outcome, parts);
    } while (fitting != outcome.kind);
    memory_.now.outcome = outcome;
    memory_.now.front_bytes = outcome.kind == EntropyOutcome::coded ? memory_.room.memory.coded.starts[0] : 0;
    memory_.parts = parts;
  }

 private:
  /// Without those that were, either.
  [[nodiscard]] FLOE_DEVICE EntropyOutcome::Kind raw_without_stored() const {
    const PackedSegment& now = memory_.now;
    if (now.stored > 1 || now.is_grid || now.is_decimal) return EntropyOutcome::none;
    return now.is_sortable ? EntropyOutcome::raw_sortable : EntropyOutcome::raw_words;
  }
  [[nodiscard]] FLOE_DEVICE std::uint32_t stored_header_bytes() const {
    return is_stored() ? memory_.now.stored_header_bytes : 0;
  }
  /// Of decimals, or of a grid.
  [[nodiscard]] FLOE_DEVICE std::uint32_t map_header_bytes() const {
    if (is_decimal()) return 1;
    const StoredGrid& grid = memory_.now.grid;
    return is_grid() ? varint_bytes(grid.exponent) + varint_bytes(grid.bytes) + varint_bytes(grid.exceptions)
                     : 0;
  }
  [[nodiscard]] FLOE_DEVICE bool is_strided() const {
    if constexpr (chains == PackedChains::strides) return memory_.now.chain.stride > 1;
    return false;
  }
  /// Words that the header of a delta has.
  [[nodiscard]] FLOE_DEVICE unsigned heads() const {
    const LeafChain& chain = memory_.now.chain;
    const std::uint32_t all = is_strided() ? chain.heads() : chain.order;
    return words_.count < all ? words_.count : all;
  }
  /// What differences begin with: the first word, and the first difference; or as many words as the stride.
  [[nodiscard]] FLOE_DEVICE W head(unsigned index) const {
    const bool is_sortable = memory_.now.chain.is_sortable;
    if (is_strided()) return Leaf(words_.words, 1, words_.type, {is_sortable}).word(index);
    return Leaf(words_.words, 1, words_.type,
                {is_sortable, static_cast<std::uint8_t>(index), 1, memory_.now.chain.shift})
        .word(0);
  }
  /// What takes the place of something that is larger than its words; the same if nothing is.
  [[nodiscard]] FLOE_DEVICE EntropyOutcome::Kind fitting_kind(const EntropyOutcome& outcome,
                                                              const HeaderParts& parts) const {
    const EncodeStream& source = memory_.now.target.words;
    const std::uint32_t low_bytes = has_grid(outcome.kind) ? memory_.now.grid.stored_bytes() : 0;
    if (parts.stored > parts.map &&
        outcome.bytes - low_bytes - parts.map > memory_.now.undone.count * sizeof(W))
      return raw_without_stored();
    const bool is_whole = (!is_decimal() && !is_grid() && !is_divided) ||
                          outcome.kind == EntropyOutcome::constant || outcome.kind == EntropyOutcome::none;
    const bool fits = is_whole || outcome.bytes - parts.nodes <= source.count * word_bytes(source.type);
    // Raw differences of a few words, with their remainders.
    if (fits && is_divided && outcome.kind == EntropyOutcome::raw_leaf) return EntropyOutcome::none;
    return fits ? outcome.kind : EntropyOutcome::raw_words;
  }
  [[nodiscard]] FLOE_DEVICE bool has_grid(EntropyOutcome::Kind kind) const {
    return is_grid() && kind != EntropyOutcome::constant && kind != EntropyOutcome::raw_words;
  }
  /// Writes the header of an outcome. Words in the header of a delta that is stored come later.
  FLOE_DEVICE HeaderParts put_header(EntropyOutcome& outcome) {
    using Kind = EntropyOutcome;
    const PackedSegment& now = memory_.now;
    HeaderWriter header{memory_.header()};
    HeaderParts parts;
    outcome.bytes = outcome.header_bytes = 0;
    if (outcome.kind == Kind::none) return parts;
    const LeafChain chain = now.chain;
    const bool is_constant = outcome.kind == Kind::constant || outcome.kind == Kind::constant_stored ||
                             outcome.kind == Kind::constant_differences,
               has_map = outcome.kind != Kind::constant && outcome.kind != Kind::raw_words,
               has_decimal = has_map && is_decimal(), is_coded = outcome.kind == Kind::coded,
               has_stored = is_stored() && has_map && outcome.kind != Kind::raw_sortable,
               has_delta = chain.order > 0 && (is_coded || outcome.kind == Kind::raw_leaf ||
                                               outcome.kind == Kind::constant_differences);
    const auto put_node = [&](EncodingId id) { header.put_byte(static_cast<std::uint8_t>(id)); };
    header.put_byte(1);
    header.put_byte(0);
    if (has_decimal) {
      put_node(EncodingId::decimal);
      header.put_byte(now.digits);
      header.put_byte(sizeof(W));
    } else if (has_map && is_divided) {
      put_node(EncodingId::divide);
      header.put_byte(1);
      header.put_byte(chain.shift);
    } else if (has_grid(outcome.kind)) {
      put_node(EncodingId::grid);
    } else if (has_map && (chain.is_sortable || (is_stored() && now.is_sortable))) {
      put_node(EncodingId::sortable);
    }
    for (unsigned i = 0; has_stored && i < now.stored; ++i) {
      put_node(EncodingId::delta);
      header.put_varint(now.deltas.step[i].order);
      header.put_varint(now.deltas.step[i].stride);
    }
    if (has_delta) {
      put_node(EncodingId::delta);
      header.put_byte(chain.order);
      header.put_byte(chain.stride);
    }
    put_node(is_coded ? EncodingId::entropy : is_constant ? EncodingId::constant : EncodingId::raw);
    if (has_grid(outcome.kind)) {
      put_node(now.grid.is_constant ? EncodingId::constant : EncodingId::raw);
      put_node(now.grid.gaps_node);
      put_node(now.grid.words_node);
    }
    for (unsigned i = 0; has_decimal && i < 2; ++i) put_node(EncodingId::raw);  // no exceptions
    if (has_map && is_divided) put_node(now.remainders.node);
    while (is_coded && header.size % 16 != 0) header.put_byte(0);
    parts.nodes = header.size;
    if (has_decimal) header.put_varint(0);
    if (has_grid(outcome.kind)) {
      header.put_varint(now.grid.exponent);
      header.put_varint(now.grid.bytes);
      header.put_varint(now.grid.exceptions);
    }
    parts.map = header.size;
    if (has_stored) header.size += stored_header_bytes();
    parts.stored = header.size;
    for (unsigned i = 0; has_delta && i < heads(); ++i) header.put_signed(head(i), core::word_bits<W>);
    if (is_coded) {
      const std::uint32_t section = memory_.room.memory.coded.end, count = leaf_count(words_, chain),
                          unit = static_cast<std::uint32_t>(trees::entropy_unit(count));
      header.put_varint(section);
      while ((header.size - parts.nodes) % unit != 0) header.put_byte(0);
      outcome.bytes = header.size + section;
    } else if (outcome.kind == Kind::constant) {
      const unsigned width = word_bytes(now.target.words.type);
      header.put_word(load_bits(now.target.words.words, 0, 8 * width), width);
      outcome.bytes = header.size;
    } else if (is_constant) {  // the first difference
      const LeafChain before =
          outcome.kind == Kind::constant_stored ? LeafChain{false, 0, 1, chain.shift} : chain;
      header.put_word(Leaf(words_.words, 1, words_.type, before).word(0), sizeof(W));
      outcome.bytes = header.size;
    } else if (outcome.kind == Kind::raw_words) {
      outcome.bytes = header.size + now.target.words.count * word_bytes(now.target.words.type);
    } else {
      const std::uint32_t count = has_delta                            ? leaf_count(words_, chain)
                                  : outcome.kind == Kind::raw_sortable ? now.undone.count
                                                                       : words_.count;
      outcome.bytes = header.size + count * static_cast<std::uint32_t>(sizeof(W));
    }
    if (has_grid(outcome.kind)) outcome.bytes += now.grid.stored_bytes();
    if (has_map && is_divided) outcome.bytes += now.remainders.bytes;
    outcome.header_bytes = header.size;
    return parts;
  }

  Memory& memory_;
  EncodeStream words_;
};

}  // namespace floe::gpu
