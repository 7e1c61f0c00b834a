// What is known of a segment before a block comes to it. A warp opens its first part and finds the vectors of
// all payloads. Many warps do so for many segments at once, so that no block waits for one thread that reads
// headers, or for one warp that walks along a payload.
#pragma once

#include "gpu/decode/open_part.hpp"
#include "gpu/unpack/unpack_chain.hpp"
#include "gpu/unpack/walk_vectors.hpp"

namespace floe::gpu {

/// What a warp needs for it that its lanes share.
struct alignas(16) OpeningMemory : SegmentChains {
  OpenedPart part;
  std::uint8_t behind[opened_bytes + walk_shared_bytes > sizeof(OpenedPart)
                          ? opened_bytes + walk_shared_bytes - sizeof(OpenedPart)
                          : 16];

  /// For walks, which begin when it is known that the part's nodes from max_opened_nodes on do not matter.
  FLOE_DEVICE std::uint8_t* windows() { return reinterpret_cast<std::uint8_t*>(&part) + opened_bytes; }
};

/// Opens the first part of a segment with `scratch`, the memory of some block after what it takes for the
/// segment's words, finds the vectors of its payloads, and what it is if the words go to `out` (that is not
/// null), with a dictionary of up to `max_table_bytes`: `memory` says it then. The places of vectors are put
/// to the record `opened`, a multiple of 16 with OpenedRecord::bytes(count) bytes. Returns how many. Called
/// by all lanes.
template <class Warp>
FLOE_DEVICE std::uint32_t open_for_block(Warp& warp, OpeningMemory& memory, const std::uint8_t* bytes,
                                         std::uint32_t size, DType type, std::uint32_t count,
                                         ScratchMemory scratch, std::uint8_t* out,
                                         std::uint32_t max_table_bytes, std::uint8_t* opened) {
  OpenedPart& part = memory.part;
  if (warp.lane() == 0) {
    SegmentScratch own(scratch, count);
    part.node_count = 0;
    part.code = own.is_there() ? begin_segment(bytes, size, count, part)
                               : static_cast<std::uint32_t>(ErrorCode::out_of_memory);
    if (part.code == 0) part.code = open_part(bytes, size, type, opened, own.rest, nullptr, part);
    if (part.code == 0 && part.node_count > max_opened_nodes) part.code = not_opened;
  }
  warp.sync();
  std::uint32_t code = part.code, places = 0;
  for (unsigned i = 0; code == 0 && i < part.node_count; ++i) {
    const Node& node = part.nodes[i];
    const std::uint32_t vectors = (node.count + tile_words - 1) / tile_words;
    if (node.encoding != EncodingId::bitpack || vectors == 0 || places + vectors > max_opened_places(count))
      continue;
    std::uint8_t* const to = opened + OpenedRecord::places + sizeof(VectorPlace) * places;
    places += vectors;
    code = walk_vectors(warp, Payload{bytes, node.at, node.end, node.count, word_bytes(node.type)}, to,
                        memory.windows());
    if (warp.lane() == 0) part.nodes[i].table = to;
  }
  warp.sync();
  if (warp.lane() == 0) {
    part.code = code;
    if (code != 0) part.node_count = 0;
    static_cast<SegmentChains&>(memory) = {};
    if (code == 0 && part.part_words == count && part.parts_left == 0 && out != nullptr)
      set_chains(part, bytes, out, max_table_bytes, memory);
  }
  warp.sync();
  return places;
}

/// Puts to a record with `places` places what `memory` says: for unpack_tile, or unpack_codes, if the segment
/// needs no block, and otherwise for decode_segment. Called by all lanes.
template <class Warp>
FLOE_DEVICE void put_record(Warp& warp, OpeningMemory& memory, std::uint32_t places, std::uint8_t* opened) {
  put_places(warp, memory.part, opened, places, memory.chain);
  put_places(warp, memory.part, opened, places, memory.lengths);
  static_assert(sizeof(SegmentChains) == OpenedRecord::part);
  const auto* const chains =
      reinterpret_cast<const std::uint8_t*>(static_cast<const SegmentChains*>(&memory));
  for (unsigned i = warp.lane(); i < OpenedRecord::part / 4; i += warp_lanes)
    store_aligned(opened + 4 * i, word32(chains, i));
  std::uint8_t* const to = opened + OpenedRecord::part;
  if (memory.chain.state != UnpackChain::none) {
    // A block gets the segment only if its words are damaged, and then opens it itself.
    if (warp.lane() == 0) store_aligned(to + offsetof(OpenedPart, code), std::uint32_t{not_opened});
    return;
  }
  const auto* const part = reinterpret_cast<const std::uint8_t*>(&memory.part);
  for (std::uint32_t i = 8 * warp.lane(); i < opened_bytes; i += 8 * warp_lanes)
    store_aligned(to + i, load_aligned<std::uint64_t>(part + i));
}

}  // namespace floe::gpu
