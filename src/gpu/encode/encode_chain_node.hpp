// Encodes a chain with a block: a map, a delta and the bitpack below, judged when the sizes are known.
#pragma once

#include "core/power_of_ten.hpp"
#include "gpu/encode/encode_frames.hpp"

namespace floe::gpu {

/// The chain of `nodes` nodes from the current one on, of which only the last one can be a leaf.
FLOE_DEVICE void set_up_chain(EncodeMemory& memory, unsigned node, unsigned steps) {
  EncodeChain& chain = memory.chain;
  chain = EncodeChain{};
  chain.from = memory.at;
  DType type = memory.at.type;
  for (unsigned end = node + steps; node < end; ++node) {
    const EncodingId id = memory.plan.id(node);
    const std::uint32_t a = memory.plan.parameter[node][0], b = memory.plan.parameter[node][1];
    if (id == EncodingId::decimal) {
      chain.map = EncodeMap::decimal;
      chain.power = core::power_of_ten(a);
      chain.reciprocal = 1 / chain.power;
    } else if (id == EncodingId::sortable) {
      chain.map = EncodeMap::sortable;
    } else if (id == EncodingId::int_mult) {
      chain.has_int_mult = true;
    } else if (id == EncodingId::delta) {
      chain.order = static_cast<std::uint8_t>(a < memory.at.count ? a : memory.at.count);
    } else {
      continue;
    }
    type = trees::child_type_of(id, type, b, 0);
  }
  chain.word_bytes = static_cast<std::uint8_t>(word_bytes(type));
  chain.is_signed = is_signed(type);
  chain.count = memory.at.count - chain.order;
  if (chain.map == EncodeMap::decimal) {
    chain.positions =
        reinterpret_cast<std::uint32_t*>(memory.scratch.take(4 * std::uint64_t{memory.at.count}));
    chain.exceptions = memory.scratch.take(std::uint64_t{memory.at.count} * word_bytes(memory.at.type));
  }
}

/// The gaps between the exceptions of a chain of decimals: memory.number[0] is where they are.
template <class Block>
FLOE_DEVICE void find_gaps_of_chain(Block& block) {
  EncodeMemory& memory = block.memory();
  const EncodeChain& chain = memory.chain;
  if (block.rank() == 0)
    memory.number[0] =
        reinterpret_cast<std::uintptr_t>(memory.scratch.take(8 * std::uint64_t{chain.exception_count}));
  block.sync();
  find_gaps(block, chain.positions, chain.exception_count, reinterpret_cast<std::uint8_t*>(memory.number[0]));
}
/// The children of a decimal that these are.
FLOE_DEVICE void set_exceptions(const EncodeMemory& memory, EncodeFrame& frame) {
  const EncodeChain& chain = memory.chain;
  frame.child[1] = {reinterpret_cast<const std::uint8_t*>(memory.number[0]), chain.exception_count,
                    DType::u64};
  frame.child[2] = {chain.exceptions, chain.exception_count, frame.stream.type};
}

/// The header of a node of a chain.
FLOE_DEVICE HeaderWriter chain_header(EncodeMemory& memory, EncodingId id) {
  const EncodeChain& chain = memory.chain;
  const unsigned bits = 8u * chain.word_bytes;
  HeaderWriter header = new_header(memory, 32);
  if (id == EncodingId::decimal) {
    header.put_varint(chain.exception_count);
  } else if (id == EncodingId::int_mult) {
    header.put_signed(chain.base, bits);
    header.put_varint(chain.divisor);
  } else if (id == EncodingId::delta) {
    for (unsigned i = 0; i < chain.order; ++i) header.put_signed(chain.head[i], bits);
  }
  return header;
}

/// What becomes of a chain, from the nodes above the leaf down: as they are, or raw from some node on.
struct ChainOutcome {
  bool has_leaf = true;    ///< Otherwise a stream is raw: that of ...
  bool is_before = false;  ///< ... the words before differences are taken, instead of after;
  bool is_source = false;  ///< ... or the chain's source.
  bool is_constant = false, is_constant_before = false;
};

/// Whether the words before differences are taken are all equal. `varies`: not all packed are chain.first.
FLOE_DEVICE bool is_flat(const EncodeChain& chain, bool varies, bool has_delta) {
  if (chain.from.count == 0) return false;
  if (!has_delta) return !varies;
  return (chain.count == 0 || (!varies && chain.first == 0)) && (chain.order < 2 || chain.head[1] == 0);
}

FLOE_DEVICE ChainOutcome judge_chain(const EncodeChain& chain, bool varies, bool has_map, bool has_delta,
                                     std::uint32_t divisor_bytes, std::uint32_t delta_bytes) {
  ChainOutcome outcome;
  const std::uint64_t words_bytes = std::uint64_t{chain.count} * chain.word_bytes,
                      stream_bytes = std::uint64_t{chain.from.count} * chain.word_bytes;
  outcome.is_constant = chain.count > 0 && !varies;
  if (has_delta && chain.map == EncodeMap::decimal) {
    outcome.is_constant_before = is_flat(chain, varies, has_delta);
    if (outcome.is_constant_before) return outcome;
  }
  std::uint64_t size = chain.count == 0 ? 0
                       : outcome.is_constant
                           ? chain.word_bytes
                           : varint_bytes(chain.payload_bytes) + std::uint64_t{chain.payload_bytes};
  if (size > words_bytes) {
    outcome.has_leaf = false;
    size = words_bytes;
  }
  if (has_delta) {
    size += delta_bytes;
    if (size > stream_bytes) {
      outcome.has_leaf = false;
      outcome.is_before = true;
      size = stream_bytes;
    }
  }
  if (chain.has_int_mult && size + divisor_bytes > stream_bytes) {
    outcome.has_leaf = false;
    outcome.is_source = true;
  }
  if (!has_map && (outcome.is_before || (!outcome.has_leaf && !has_delta))) outcome.is_source = true;
  return outcome;
}

/// Encodes the current stream with the `nodes` nodes of a chain.
template <class Block>
FLOE_DEVICE_CALL void encode_chain(Block& block, unsigned nodes) {
  EncodeMemory& memory = block.memory();
  EncodeChain& chain = memory.chain;
  if (block.rank() == 0) {
    set_up_chain(memory, memory.at_node, nodes);
    const std::uint64_t slots = slots_bytes(chain.count, chain.word_bytes),
                        words = std::uint64_t{chain.from.count} * chain.word_bytes;
    chain.out = memory.scratch.take(slots > words ? slots : words);
  }
  block.sync();
  if (chain.has_int_mult) with_word_of(chain.word_bytes, [&]<class W>(W) { find_divisor<W>(block); });
  pack_chain(block);
  const EncodePlan& plan = memory.plan;
  const unsigned node = memory.at_node;
  const bool has_map = is_map(plan.id(node));
  const unsigned delta_node = node + (has_map ? 1 : 0);
  const bool has_delta = plan.id(delta_node) == EncodingId::delta;
  const bool is_decimal = chain.map == EncodeMap::decimal;
  if (is_decimal) find_gaps_of_chain(block);
  if (block.rank() == 0) {
    memory.raw_stage = 0;
    const HeaderWriter map_header = chain_header(memory, plan.id(node)),
                       delta_header = chain_header(memory, plan.id(delta_node));
    const ChainOutcome outcome =
        judge_chain(chain, memory.flag != 0, has_map, has_delta, chain.has_int_mult ? map_header.size : 0,
                    has_delta ? delta_header.size : 0);
    const EncodeStream stream = memory.at;
    const auto type_below = [&](unsigned at, DType type) {
      return trees::child_type_of(plan.id(at), type, plan.parameter[at][1], 0);
    };
    // Where a map can change which words are equal, they were looked at before.
    if (!is_decimal && is_flat(chain, memory.flag != 0, has_delta)) {
      put_constant(memory, stream);
    } else if (outcome.is_source) {
      put_raw(memory, stream);
    } else {
      DType type = stream.type;
      if (is_decimal) {
        EncodeFrame& frame =
            push_frame(memory, EncodingId::decimal, plan.parameter[node][0], plan.parameter[node][1]);
        frame.next_child = 1;
        frame.child_node = plan.next[node + 1];
        set_exceptions(memory, frame);
        // Words that are given up need the memory of the chain no more, but nothing else may take it before.
      } else if (has_map) {
        memory.out_plan.put(plan.id(node), 0, 0);
      }
      if (has_map) {
        put_piece(memory, map_header);
        type = type_below(node, type);
      }
      if (outcome.is_constant_before) {
        put_constant(memory, chain.head[0], chain.word_bytes);
      } else {
        if (has_delta && !outcome.is_before) {
          memory.out_plan.put(EncodingId::delta, plan.parameter[delta_node][0],
                              plan.parameter[delta_node][1]);
          put_piece(memory, delta_header);
          type = type_below(delta_node, type);
        }
        const std::uint32_t count = outcome.is_before ? stream.count : chain.count;
        if (count == 0) {
          memory.out_plan.put(EncodingId::raw, 0, 0);
        } else if (!outcome.has_leaf) {
          put_raw(memory, {chain.out, count, type});
          memory.raw_stage = outcome.is_before ? 2 : 1;
        } else if (outcome.is_constant) {
          put_constant(memory, chain.first, chain.word_bytes);
        } else {
          memory.out_plan.put(EncodingId::bitpack, 0, 0);
          HeaderWriter length = new_header(memory, 8);
          length.put_varint(chain.payload_bytes);
          put_piece(memory, length);
          put_piece(memory, chain.out, chain.payload_bytes, tiles_of(chain.count), chain.word_bytes);
        }
      }
    }
    if (memory.raw_stage == 2) {
      chain.count = stream.count;
      chain.order = 0;
    }
  }
  block.sync();
  if (memory.raw_stage != 0) store_chain(block);
}

}  // namespace floe::gpu
