// Which segments need no team? Those whose whole tree is a payload of afl below at most one delta and one step on either side of it, or
// below a dictionary: every vector can be unpacked by a warp of its own, once somebody has found the vectors. This is what such a warp has
// to know of a segment.
#pragma once

#include "series_cuda/open_tree.hpp"

namespace floe::series_cuda {

/// The longest stride of a delta whose vectors need no team.
inline constexpr unsigned most_unpack_stride = 4;

struct alignas(16) UnpackChain {
  enum State : std::uint32_t { none, whole, failed };
  std::uint32_t state = none;
  std::uint32_t count = 0;  ///< Words of the payload.
  std::uint8_t word_bytes = 0, out_bytes = 0;
  FinalKind final = FinalKind::same;
  std::uint8_t stride = 0;              ///< Of the delta; 0 if there is none. That many words stand before those of the payload.
  bool is_constant = false;             ///< The payload is one word again and again: vectors of no bits.
  const std::uint8_t* bytes = nullptr;  ///< Of the segment.
  std::uint8_t* out = nullptr;
  ChainStep before, after;  ///< Of the delta, on the way from the payload; without one only the first.
  double power = 1;         ///< Of decimals.
  std::uint64_t head[most_unpack_stride] = {};
  std::uint32_t table_at = 0, table_count = 0;  ///< Words of a dictionary of `out_bytes`, in the segment.
};
static_assert(sizeof(UnpackChain) == 4 * warp_lanes, "each lane fetches 32 bits");

/// What is known of a segment that was opened ahead: a chain or none; a part; the places of its vectors. Behind it stand two numbers that
/// belong to lists of such segments.
struct OpenedRecord {
  static constexpr std::uint32_t part = sizeof(UnpackChain), places = part + opened_bytes;
  FLOE_HD static constexpr std::uint64_t bytes(std::uint32_t words) {
    return places + (sizeof(VectorPlace) * most_opened_places(words) + 15) / 16 * 16 + 16;
  }
};
static_assert(OpenedRecord::places % 16 == 0);

/// Makes a chain of codes: of a dictionary in memory as it is, of up to `most_table_bytes`, above a payload of afl, without words that have
/// no code.
FLOE_DEVICE void set_look_up(const OpenedPart& part, const Node& node, std::uint32_t most_table_bytes, UnpackChain& chain) {
  const Node &table = part.nodes[node.child[0]], &codes = part.nodes[node.child[1]];
  if (node.number[1] > 0 || table.encoding != EncodingId::raw || codes.encoding != EncodingId::afl || codes.table == nullptr) return;
  if (chain.out_bytes < 4 || node.number[0] * chain.out_bytes > most_table_bytes) return;
  chain.final = FinalKind::look_up;
  chain.word_bytes = 2;
  chain.count = codes.count;
  chain.table_at = table.at;
  chain.table_count = static_cast<std::uint32_t>(node.number[0]);
  chain.state = UnpackChain::whole;
}

/// Puts the places of vectors of no bits, for a chain that is constant. Called by all lanes.
template <class Warp>
FLOE_DEVICE void put_constant_places(Warp& warp, const OpenedPart& part, std::uint32_t count, std::uint8_t* places) {
  VectorPlace place;
  for (unsigned i = 0; i < part.node_count; ++i) {
    if (part.nodes[i].encoding == EncodingId::constant && part.nodes[i].count > 0) place.base = part.nodes[i].number[0];
  }
  for (std::uint32_t vector = warp.lane(); vector < (count + tile_words - 1) / tile_words; vector += warp_lanes)
    cuda::store_aligned(places + std::uint64_t{vector} * sizeof(VectorPlace), place);
}

/// The chain of a part that was opened and is all of its segment, by one thread. Its state stays `none` if it needs a team, as with a
/// dictionary of more than `most_table_bytes`.
FLOE_DEVICE UnpackChain unpack_chain_of(const OpenedPart& part, const std::uint8_t* bytes, std::uint8_t* out,
                                        std::uint32_t most_table_bytes) {
  UnpackChain chain;
  const Node* node = part.nodes;
  chain.out = out;
  chain.bytes = bytes;
  chain.out_bytes = static_cast<std::uint8_t>(word_bytes(node->type));
  if (node->encoding == EncodingId::decimal) {
    if (node->number[0] > 0) return chain;
    chain.final = FinalKind::decimal;
    chain.power = power_of_ten(node->parameter[0]);
    node = &part.nodes[node->child[0]];
  }
  chain.after.kind = chain.before.kind = ChainStep::nothing;
  if (node->encoding == EncodingId::dict) {
    if (node->count > 0) set_look_up(part, *node, most_table_bytes, chain);
    return chain;
  }
  for (; node->encoding != EncodingId::afl; node = &part.nodes[node->child[0]]) {
    chain.is_constant = node->encoding == EncodingId::constant && chain.stride > 0;
    if (chain.is_constant) break;
    if (!is_step(*node) && node->encoding != EncodingId::delta) return chain;
    if (node->encoding == EncodingId::delta) {
      if (chain.stride > 0 || node->parameter[0] != 1 || node->parameter[1] > most_unpack_stride || word_bytes(node->type) < 4)
        return chain;
      chain.stride = static_cast<std::uint8_t>(node->parameter[1]);
      HeaderReader reader{bytes, node->at, node->end};
      for (unsigned i = 0; i < chain.stride && i < node->number[0]; ++i) chain.head[i] = reader.get_signed(8 * word_bytes(node->type));
      continue;
    }
    ChainStep& step = chain.stride > 0 ? chain.before : chain.after;
    if (step.kind != ChainStep::nothing) return chain;
    step.kind = node->encoding == EncodingId::scale ? ChainStep::scale : ChainStep::turn;
    step.number[0] = node->number[0];
    step.number[1] = node->number[1];
  }
  // Teams are faster where there is little to do for a vector, and where neighbours of 64 bits are added up.
  if (word_bytes(node->type) == 1 || (word_bytes(node->type) == 8 && chain.stride == 1)) return chain;
  chain.count = node->count;
  chain.word_bytes = static_cast<std::uint8_t>(word_bytes(node->type));
  if (node->count > 0 && (chain.is_constant || node->table != nullptr)) chain.state = UnpackChain::whole;
  return chain;
}

}  // namespace floe::series_cuda
