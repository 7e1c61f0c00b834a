// The segments that need no block. Those whose whole tree is a payload of bitpack below at most one delta and
// one step on either side of it, or below a dictionary: every vector can be unpacked by a warp of its own,
// once somebody has found the vectors. And those that are runs whose lengths and values are such payloads, or
// the same word again and again. This is what such a warp has to know of a segment.
#pragma once

#include "core/power_of_ten.hpp"
#include "gpu/decode/open_tree.hpp"
#include "gpu/unpack/expand_runs.hpp"
#include "gpu/unpack/outer_steps.hpp"

namespace floe::gpu {

/// The longest stride of a delta whose vectors need no block.
inline constexpr unsigned max_unpack_stride = 4;

struct alignas(16) UnpackChain {
  /// runs: the chain is that of their values; that of their lengths stands behind it. entropy: the payload is
  /// one of entropy, of one section; short_entropy: with short frequencies of words of 16 bits; two_blocks:
  /// of wide words and two blocks at most; few, packed: entries of a dictionary, see set_entries.
  enum State : std::uint32_t { none, whole, runs, entropy, short_entropy, two_blocks, few, packed, failed };
  std::uint32_t state = none;
  std::uint32_t count = 0;  ///< Words of the payload.
  std::uint8_t word_bytes = 0, out_bytes = 0;
  FinalKind final = FinalKind::same;
  /// Of the delta, or 0; `stride` times `order` words stand before those of the payload. The order is 2 only
  /// above entropy, of neighbours.
  std::uint8_t stride : 4 = 0, order : 4 = 0;
  bool is_constant = false;             ///< The payload is one word again and again: vectors of no bits.
  std::uint8_t leaf = 0;                ///< Of the part's nodes, that of the payload.
  std::uint16_t first_entry = 0;        ///< Of the record's entries, that of the first vector.
  const std::uint8_t* bytes = nullptr;  ///< Of the segment.
  std::uint8_t* out = nullptr;
  ChainStep before, after;  ///< Of the delta, on the way from the payload; without one only the first.
  double power = 1;         ///< Of decimals.
  std::uint64_t head[max_unpack_stride] = {};
  /// Words of a dictionary of `out_bytes`, in the segment, or where the chain's words go if they are at 0; or
  /// bytes of a payload of entropy.
  std::uint32_t table_at = 0, table_count = 0;
};
static_assert(sizeof(UnpackChain) == 4 * warp_lanes, "each lane fetches 32 bits");
/// The words of the dictionary of a chain.
FLOE_DEVICE const std::uint8_t* table_of(const UnpackChain& chain) {
  return chain.table_at == 0 ? chain.out : chain.bytes + chain.table_at;
}
FLOE_DEVICE bool is_of_entropy(const UnpackChain& chain) {
  return chain.state == UnpackChain::entropy || chain.state == UnpackChain::short_entropy ||
         chain.state == UnpackChain::two_blocks;
}

/// What is known of a segment opened ahead: a chain or none, the other chain, and steps above; a part; the
/// entries of its vectors. Behind it stand numbers that belong to lists of such segments.
struct OpenedRecord {
  static constexpr std::uint32_t other = sizeof(UnpackChain), outer = 2 * sizeof(UnpackChain),
                                 part = outer + sizeof(OuterSteps), entries = part + opened_bytes, lists = 48;
  FLOE_HD static constexpr std::uint64_t bytes(std::uint32_t words) {
    return entries + (sizeof(VectorEntry) * max_opened_entries(words) + 15) / 16 * 16 + lists;
  }
};
static_assert(OpenedRecord::entries % 16 == 0);

/// Makes `chain` that of a dictionary as it is, of up to `max_table_bytes`, above codes that are a payload of
/// bitpack, if there are no words without a code.
FLOE_DEVICE void set_look_up(const OpenedPart& part, const std::uint8_t* bytes, std::uint32_t max_table_bytes,
                             UnpackChain& chain) {
  const Node &node = part.nodes[0], &table = part.nodes[node.child[0]], &codes = part.nodes[node.child[1]];
  if (node.number[1] > 0 || table.encoding != EncodingId::raw || codes.encoding != EncodingId::bitpack ||
      codes.table == nullptr)
    return;
  const unsigned out_bytes = word_bytes(node.type);
  if (out_bytes < 4 || node.number[0] * out_bytes > max_table_bytes) return;
  chain.bytes = bytes;
  chain.out_bytes = static_cast<std::uint8_t>(out_bytes);
  chain.after.kind = chain.before.kind = ChainStep::nothing;
  chain.final = FinalKind::look_up;
  chain.word_bytes = 2;
  chain.count = codes.count;
  chain.leaf = node.child[1];
  chain.table_at = table.at;
  chain.table_count = static_cast<std::uint32_t>(node.number[0]);
  chain.state = UnpackChain::whole;
}

/// Whether a node is a leaf of entropy of one section, whose blocks have sums and begin and end at multiples
/// of 16.
FLOE_DEVICE bool is_section_with_sums(const Node& node, const std::uint8_t* bytes) {
  return node.encoding == EncodingId::entropy && trees::entropy_unit(node.count) > 1 &&
         node.count <= trees::section_words && (node.end - node.at) % 16 == 0 &&
         reinterpret_cast<std::uintptr_t>(bytes + node.at) % 16 == 0;
}

/// Of such a leaf.
FLOE_DEVICE bool has_short_frequencies(const Node& node, const std::uint8_t* bytes) {
  trees::SectionHeader header;
  if (node.end - node.at >= 2) header.set(0, bytes[node.at + 1], 0);
  return header.frequency_bits == trees::short_frequency_bits;
}

/// Whether a chain is a section of entropy of wide words that has no more blocks than two warps take at once.
FLOE_DEVICE bool has_two_blocks(const UnpackChain& chain) {
  if (chain.state != UnpackChain::entropy || chain.word_bytes < 4 || chain.table_count < 3) return false;
  const unsigned block_bits = chain.bytes[chain.table_at + 2];
  return block_bits <= trees::max_block_bits && (chain.count - 1) >> block_bits < 2;
}

/// Whether a chain is a section of entropy whose words are stored as they are.
FLOE_DEVICE bool is_plain_section(const UnpackChain& chain) {
  return is_of_entropy(chain) && chain.final == FinalKind::same;
}

/// Makes `chain` that from a node of a part down to a payload, if there is one. A function of its own: the
/// kernel that opens segments is short, and waits for its instructions.
FLOE_DEVICE_CALL void set_chain(const OpenedPart& part, unsigned index, const std::uint8_t* bytes,
                                UnpackChain& chain) {
  const Node* node = &part.nodes[index];
  chain.bytes = bytes;
  chain.out_bytes = static_cast<std::uint8_t>(word_bytes(node->type));
  if (node->encoding == EncodingId::decimal) {
    if (node->number[0] > 0) return;
    chain.final = FinalKind::decimal;
    chain.power = core::power_of_ten(node->parameter[0]);
    node = &part.nodes[node->child[0]];
  }
  chain.after.kind = chain.before.kind = ChainStep::nothing;
  unsigned stride = 0, order = 0;
  while (is_step(*node) || node->encoding == EncodingId::delta) {
    if (node->encoding == EncodingId::delta) {
      if (stride > 0 || node->parameter[1] > max_unpack_stride) return;
      order = node->parameter[0];
      stride = node->parameter[1];
      if (order > 1 && (order > 2 || stride > 1)) return;
      HeaderReader reader{bytes, node->at, node->end};
      for (unsigned i = 0; i < stride * order && i < node->number[0] + node->number[1]; ++i)
        chain.head[i] = reader.get_signed(8 * word_bytes(node->type));
    } else {
      ChainStep& step = stride > 0 ? chain.before : chain.after;
      if (step.kind != ChainStep::nothing) return;
      step.kind = node->encoding == EncodingId::int_mult ? ChainStep::int_mult : ChainStep::sortable;
      step.number[0] = node->number[0];
      step.number[1] = node->number[1];
    }
    node = &part.nodes[node->child[0]];
  }
  const bool is_constant = node->encoding == EncodingId::constant;
  chain.stride = static_cast<std::uint8_t>(stride & 15);
  chain.order = static_cast<std::uint8_t>(order & 15);
  chain.is_constant = is_constant;
  chain.leaf = static_cast<std::uint8_t>(node - part.nodes);
  chain.count = node->count;
  chain.word_bytes = static_cast<std::uint8_t>(word_bytes(node->type));
  const bool has_vectors = is_constant || (node->encoding == EncodingId::bitpack && node->table != nullptr);
  if (node->count == 0 || chain.word_bytes == 1) return;
  if (order > 1 && has_vectors) return;
  if (has_vectors) {
    if (stride == 0 || chain.word_bytes >= 4) chain.state = UnpackChain::whole;
  } else if (is_section_with_sums(*node, bytes)) {
    chain.state = chain.word_bytes == 2 && has_short_frequencies(*node, bytes) ? UnpackChain::short_entropy
                                                                               : UnpackChain::entropy;
    chain.table_at = node->at;
    chain.table_count = node->end - node->at;
  }
}

/// What a segment is whose only part was opened: its chain, the other one, which is that of lengths if it has
/// runs, and of entries if it has a dictionary, and what is above a chain of entropy.
struct SegmentChains {
  UnpackChain chain, other;
  OuterSteps outer;
};

/// Of a dictionary that small blocks look up in: from device memory, blocks of more warps are faster.
inline constexpr std::uint32_t max_small_table_bytes = 28 << 10;

/// Says in `outer` that the root has two streams, and where its words go.
FLOE_DEVICE void set_streams(const Node& root, OuterSteps::Kind kind, std::uint32_t others,
                             const std::uint8_t* vectors, std::uint8_t* out, OuterSteps& outer) {
  outer.kind = kind;
  outer.type = root.type;
  outer.count = root.count;
  outer.others = others;
  outer.vectors = vectors;
  outer.out = out;
}

/// Makes the chain that of the quotients of a divide whose remainders are all the same, or vectors.
FLOE_DEVICE void set_quotients(const OpenedPart& part, const std::uint8_t* bytes, SegmentChains& to) {
  const Node &node = part.nodes[0], &remainders = part.nodes[node.child[1]];
  UnpackChain& chain = to.chain;
  const bool have_vectors = remainders.encoding == EncodingId::bitpack && remainders.table != nullptr;
  if (!have_vectors && remainders.encoding != EncodingId::constant) return;
  set_chain(part, node.child[0], bytes, chain);
  if (!is_plain_section(chain) || chain.word_bytes < 4 || chain.order > 1 || chain.stride > 1 ||
      chain.after.kind != ChainStep::nothing) {
    chain.state = UnpackChain::none;
    return;
  }
  chain.after.kind = ChainStep::divide;
  chain.after.number[0] = have_vectors ? 0 : remainders.number[0];
  chain.after.number[1] = std::uint64_t{node.parameter[0]} << node.parameter[1];
  set_streams(node, OuterSteps::quotients, 0, have_vectors ? remainders.table : nullptr, nullptr, to.outer);
}

/// Where the word of entries stands that are the same, or of equal differences.
inline constexpr unsigned head_of_constant = max_unpack_stride - 1;

/// Makes `entries` the chain of entries: one of entropy; else `whole`, raw words or the same one, `packed`, a
/// payload of bitpack, or `few`, a leaf of entropy of a section of any shape, below a delta of neighbours or
/// none, below a step to sortable words or none; the payload is where the table is.
FLOE_DEVICE void set_entries(const OpenedPart& part, unsigned index, const std::uint8_t* bytes,
                             UnpackChain& entries) {
  set_chain(part, index, bytes, entries);
  if (is_plain_section(entries)) return;
  entries.state = UnpackChain::none;
  const Node* node = &part.nodes[index];
  entries.after.kind = ChainStep::nothing;
  if (node->encoding == EncodingId::sortable) {
    entries.after.kind = ChainStep::sortable;
    node = &part.nodes[node->child[0]];
  }
  if (is_plain_delta(*node)) node = &part.nodes[node->child[0]];  // set_chain() has seen it
  if (node->count == 0) return;
  entries.table_at = node->at;
  entries.table_count = node->end - node->at;
  if (node->encoding == EncodingId::raw || node->encoding == EncodingId::constant) {
    entries.state = UnpackChain::whole;
    entries.head[head_of_constant] = node->number[0];
  }
  if (node->encoding == EncodingId::bitpack && node->table != nullptr) {
    entries.state = UnpackChain::packed;
    entries.leaf = static_cast<std::uint8_t>(node - part.nodes);
  }
  if (node->encoding == EncodingId::entropy && node->count <= trees::section_words)
    entries.state = UnpackChain::few;
}

/// Makes the chain that of the codes of a dictionary of wide words, of entropy or of vectors, if there is
/// room for the entries in the shared memory of those who look up. The other one is that of its entries.
FLOE_DEVICE void set_codes(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                           std::uint32_t max_table_bytes, SegmentChains& to) {
  const Node &node = part.nodes[0], &codes = part.nodes[node.child[1]];
  UnpackChain& chain = to.chain;
  const unsigned width = word_bytes(node.type);
  if (node.number[1] > 0 || width < 4) return;
  set_entries(part, node.child[0], bytes, to.other);
  set_chain(part, node.child[1], bytes, chain);
  const bool are_packed = chain.state == UnpackChain::whole && codes.encoding == EncodingId::bitpack;
  const bool fit = node.number[0] * width <= (are_packed ? max_table_bytes : max_small_table_bytes) &&
                   (are_packed || is_plain_section(chain));
  if (to.other.state == UnpackChain::none || !fit) {
    chain.state = to.other.state = UnpackChain::none;
    return;
  }
  chain.state = UnpackChain::entropy;
  set_streams(node, OuterSteps::codes, static_cast<std::uint32_t>(node.number[0]),
              are_packed ? codes.table : nullptr, out, to.outer);
  if (to.other.state == UnpackChain::packed) to.outer.other_vectors = part.nodes[to.other.leaf].table;
}

/// What a chain of codes that are vectors is when the entries are where the words go.
FLOE_DEVICE UnpackChain chain_of_codes(const UnpackChain& chain, const OuterSteps& outer,
                                       const std::uint8_t* record) {
  UnpackChain own = chain;
  own.state = UnpackChain::whole;
  own.final = FinalKind::look_up;
  own.out_bytes = static_cast<std::uint8_t>(word_bytes(outer.type));
  own.out = outer.out;
  own.table_at = 0;
  own.table_count = outer.others;
  own.first_entry = static_cast<std::uint16_t>(
      static_cast<std::uint32_t>(outer.vectors - (record + OpenedRecord::entries)) / sizeof(VectorEntry));
  return own;
}

/// Makes the chain that of the values of runs, of entropy; the other one is that of their lengths, which are
/// of entropy or vectors.
FLOE_DEVICE void set_values(const OpenedPart& part, std::uint8_t* out, SegmentChains& to) {
  const Node &node = part.nodes[0], &lengths = part.nodes[node.child[0]];
  const bool are_packed = to.other.state == UnpackChain::whole && lengths.encoding == EncodingId::bitpack;
  const bool fit = is_plain_section(to.chain) && to.chain.word_bytes >= 4 &&
                   (are_packed || is_plain_section(to.other)) && node.count <= max_small_run_words;
  if (!fit) {
    to.chain.state = to.other.state = UnpackChain::none;
    return;
  }
  set_streams(node, OuterSteps::values, static_cast<std::uint32_t>(node.number[0]),
              are_packed ? lengths.table : nullptr, out, to.outer);
}

/// Makes the chain of a segment that of its tree below steps for all threads, if there are such.
FLOE_DEVICE void set_inner_chain(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                                 SegmentChains& to) {
  UnpackChain& chain = to.chain;
  const unsigned index = set_outer_steps(part, max_unpack_stride, out, to.outer);
  set_chain(part, index, bytes, chain);
  if (index == 0) return;
  const bool is_inner = is_plain_section(chain) && (chain.word_bytes >= 4 || !to.outer.is_grid);
  if (!is_inner) chain.state = UnpackChain::none;
}

/// By one thread; words go to `out`. The state stays `none` if the segment, or its dictionary, needs a block.
FLOE_DEVICE void set_chains(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                            std::uint32_t max_table_bytes, SegmentChains& to) {
  const Node& root = part.nodes[0];
  UnpackChain& chain = to.chain;
  if (root.encoding == EncodingId::dict) {
    set_look_up(part, bytes, max_table_bytes, chain);
    if (chain.state == UnpackChain::none) {
      chain = {};
      set_codes(part, bytes, out, max_table_bytes, to);
    }
  } else if (root.encoding == EncodingId::divide) {
    set_quotients(part, bytes, to);
  } else if (root.encoding == EncodingId::rle) {
    if (root.count > max_run_words || reinterpret_cast<std::uintptr_t>(out) % 16 != 0) return;
    set_chain(part, root.child[0], bytes, to.other);
    set_chain(part, root.child[1], bytes, chain);
    if (chain.state == UnpackChain::whole && to.other.state == UnpackChain::whole) {
      chain.state = UnpackChain::runs;
    } else {
      set_values(part, out, to);
    }
  } else {
    set_inner_chain(part, bytes, out, to);
    // Blocks are faster where vectors are little work, and where neighbours of 64 bits are added up.
    if (!is_of_entropy(chain) &&
        (chain.stride == 0 ? chain.is_constant : chain.stride == 1 && chain.word_bytes == 8))
      chain.state = UnpackChain::none;
    if (!to.outer.are_some() && has_two_blocks(chain)) chain.state = UnpackChain::two_blocks;
  }
  chain.out = out;
  if (to.outer.are_some()) chain.out += std::uint64_t{to.outer.heads()} * slot_bytes(to.outer);
}

/// Says where the entries of a chain's vectors are in a record, which has `entries` so far: none but of the
/// chains that need no block, of which there is room for two as long as the segment. Those of a payload that
/// is one word again and again, vectors of no bits, are put there. Called by all lanes.
template <class Warp>
FLOE_DEVICE void put_entries(Warp& warp, const OpenedPart& part, std::uint8_t* opened, std::uint32_t& entries,
                             UnpackChain& chain) {
  if (chain.state == UnpackChain::none || is_of_entropy(chain)) return;
  const Node& leaf = part.nodes[chain.leaf];
  std::uint8_t* const all = opened + OpenedRecord::entries;
  const std::uint32_t vectors = tiles_of(chain.count), first = entries;
  if (chain.is_constant) {
    VectorEntry entry;
    entry.base = leaf.number[0];
    for (std::uint32_t vector = warp.lane(); vector < vectors; vector += warp_lanes)
      store_aligned(all + (first + std::uint64_t{vector}) * sizeof(VectorEntry), entry);
    entries += vectors;
  }
  warp.sync();
  if (warp.lane() == 0)
    chain.first_entry = static_cast<std::uint16_t>(
        chain.is_constant ? first : static_cast<std::uint32_t>(leaf.table - all) / sizeof(VectorEntry));
  warp.sync();
}

}  // namespace floe::gpu
