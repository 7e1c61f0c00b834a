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
  /// one of entropy, of one section; short_entropy: with short frequencies of words of 16 bits.
  enum State : std::uint32_t { none, whole, runs, entropy, short_entropy, failed };
  std::uint32_t state = none;
  std::uint32_t count = 0;  ///< Words of the payload.
  std::uint8_t word_bytes = 0, out_bytes = 0;
  FinalKind final = FinalKind::same;
  /// Of the delta, or 0; `stride` times `order` words stand before those of the payload. The order is 2 only
  /// above entropy, of neighbours; decimals are then as wide as words.
  std::uint8_t stride : 4 = 0, order : 4 = 0;
  bool is_constant = false;             ///< The payload is one word again and again: vectors of no bits.
  std::uint8_t leaf = 0;                ///< Of the part's nodes, that of the payload.
  std::uint16_t first_entry = 0;        ///< Of the record's entries, that of the first vector.
  const std::uint8_t* bytes = nullptr;  ///< Of the segment.
  std::uint8_t* out = nullptr;
  ChainStep before, after;  ///< Of the delta, on the way from the payload; without one only the first.
  double power = 1;         ///< Of decimals.
  std::uint64_t head[max_unpack_stride] = {};
  /// Words of a dictionary of `out_bytes`, in the segment; or bytes of a payload of entropy.
  std::uint32_t table_at = 0, table_count = 0;
};
static_assert(sizeof(UnpackChain) == 4 * warp_lanes, "each lane fetches 32 bits");
FLOE_DEVICE bool is_of_entropy(const UnpackChain& chain) {
  return chain.state == UnpackChain::entropy || chain.state == UnpackChain::short_entropy;
}

/// What is known of a segment opened ahead: a chain or none, that of lengths, and steps above; a part; the
/// entries of its vectors. Behind it stand numbers that belong to lists of such segments.
struct OpenedRecord {
  static constexpr std::uint32_t lengths = sizeof(UnpackChain), outer = 2 * sizeof(UnpackChain),
                                 part = outer + sizeof(OuterSteps), entries = part + opened_bytes;
  FLOE_HD static constexpr std::uint64_t bytes(std::uint32_t words) {
    return entries + (sizeof(VectorEntry) * max_opened_entries(words) + 15) / 16 * 16 + 32;
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

/// Makes `chain` that from a node of a part down to a payload, if there is one.
FLOE_DEVICE void set_chain(const OpenedPart& part, unsigned index, const std::uint8_t* bytes,
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
  const bool is_wider = chain.final == FinalKind::decimal && chain.out_bytes != chain.word_bytes;
  if (order > 1 && (has_vectors || is_wider)) return;
  if (has_vectors) {
    if (stride == 0 || chain.word_bytes >= 4) chain.state = UnpackChain::whole;
  } else if (is_section_with_sums(*node, bytes) &&
             (stride <= 1 || (chain.word_bytes >= 4 && chain.final != FinalKind::decimal))) {
    chain.state = chain.word_bytes == 2 && has_short_frequencies(*node, bytes) ? UnpackChain::short_entropy
                                                                               : UnpackChain::entropy;
    chain.table_at = node->at;
    chain.table_count = node->end - node->at;
  }
}

/// What a segment is whose only part was opened: its chain, that of lengths if it is one of runs, and the
/// steps above a chain of entropy.
struct SegmentChains {
  UnpackChain chain, lengths;
  OuterSteps outer;
};

/// Makes the chain of a segment that of its tree below steps for all threads, if there are such.
FLOE_DEVICE void set_inner_chain(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                                 SegmentChains& to) {
  UnpackChain& chain = to.chain;
  const unsigned index = set_outer_steps(part, max_unpack_stride, out, to.outer);
  set_chain(part, index, bytes, chain);
  if (index == 0) return;
  const bool is_inner =
      chain.state == UnpackChain::entropy && chain.final == FinalKind::same && chain.word_bytes >= 4;
  if (!is_inner) chain.state = UnpackChain::none;
}

/// By one thread; words go to `out`. The state stays `none` if the segment, or its dictionary, needs a block.
FLOE_DEVICE void set_chains(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                            std::uint32_t max_table_bytes, SegmentChains& to) {
  const Node& root = part.nodes[0];
  UnpackChain& chain = to.chain;
  if (root.encoding == EncodingId::dict) {
    set_look_up(part, bytes, max_table_bytes, chain);
  } else if (root.encoding == EncodingId::rle) {
    if (root.count > max_run_words || reinterpret_cast<std::uintptr_t>(out) % 16 != 0) return;
    set_chain(part, root.child[0], bytes, to.lengths);
    set_chain(part, root.child[1], bytes, chain);
    const bool need_block = chain.state != UnpackChain::whole || to.lengths.state != UnpackChain::whole;
    chain.state = need_block ? UnpackChain::none : UnpackChain::runs;
    if (need_block) to.lengths.state = UnpackChain::none;
  } else {
    set_inner_chain(part, bytes, out, to);
    // Blocks are faster where vectors are little work, and where neighbours of 64 bits are added up.
    if (!is_of_entropy(chain) &&
        (chain.stride == 0 ? chain.is_constant : chain.stride == 1 && chain.word_bytes == 8))
      chain.state = UnpackChain::none;
  }
  chain.out = out + std::uint64_t{to.outer.heads()} * chain.word_bytes;
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
