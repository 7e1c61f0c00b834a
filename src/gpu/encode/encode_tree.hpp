// Encodes a tree with a block. Node by node in pre-order, from streams in memory; nodes that are packed in
// one go with the leaf below them are a chain. Which encodings the tree has in the end is decided as in
// tree/tree_encoder.cpp: equal words become a constant, what does not take its words becomes a plain
// leaf, and what grows becomes raw. One thread decides, all threads work.
#pragma once

#include "gpu/encode/encode_chain_node.hpp"
#include "gpu/entropy/encode_entropy.hpp"

namespace floe::gpu {

/// Takes the words of the current stream through one map or delta, and pushes its frame.
template <class Block>
FLOE_DEVICE_CALL void encode_step(Block& block) {
  EncodeMemory& memory = block.memory();
  EncodeChain& chain = memory.chain;
  const unsigned node = memory.at_node;
  const EncodingId id = memory.plan.id(node);
  const std::uint32_t a = memory.plan.parameter[node][0], b = memory.plan.parameter[node][1];
  if (block.rank() == 0) {
    push_frame(memory, id, a, b);
    set_up_chain(memory, node, 1);
    chain.out = memory.scratch.take(std::uint64_t{chain.count} * chain.word_bytes);
  }
  block.sync();
  if (chain.has_int_mult) with_word_of(chain.word_bytes, [&]<class W>(W) { find_divisor<W>(block); });
  store_chain(block);
  if (id == EncodingId::decimal) find_gaps_of_chain(block);
  if (block.rank() == 0) {
    EncodeFrame& frame = memory.frames[memory.frame_count - 1];
    frame.child[0] = {chain.out, chain.count, trees::child_type_of(id, frame.stream.type, b, 0)};
    set_exceptions(memory, frame);
    put_piece(memory, chain_header(memory, id));
  }
  block.sync();
}

/// Takes the current stream apart, and pushes its frame. False if its words do not fit: nothing was pushed.
template <class Block>
FLOE_DEVICE_CALL bool encode_streams(Block& block) {
  EncodeMemory& memory = block.memory();
  const unsigned node = memory.at_node;
  const EncodingId id = memory.plan.id(node);
  const std::uint32_t a = memory.plan.parameter[node][0], b = memory.plan.parameter[node][1];
  const EncodeStream stream = memory.at;
  const unsigned width = word_bytes(stream.type);
  const std::uint64_t count = stream.count;
  // Every thread works this out; one of them keeps it.
  EncodeScratch scratch = memory.scratch;
  HeaderWriter header{scratch.take(1408), 0};
  EncodeStream child[8];
  bool fits = true;
  const auto child_of = [&](unsigned index, std::uint32_t words) {
    const DType type = trees::child_type_of(id, stream.type, b, index);
    return EncodeStream{scratch.take(std::uint64_t{words} * word_bytes(type)), words, type};
  };
  const auto add_children = [&](unsigned number) {
    for (unsigned i = 0; i < number; ++i) child[i] = child_of(i, stream.count);
  };
  const auto words_of = [](const EncodeStream& of) { return const_cast<std::uint8_t*>(of.words); };
  const bool finds_range = wants_range(memory);  // before one thread pushes a frame
  block.sync();
  with_word_of(width, [&]<class W>(W) {
    switch (id) {
      case EncodingId::rle:
        add_children(2);
        child[0].count = child[1].count =
            split_runs<W>(block, stream, words_of(child[0]), words_of(child[1]));
        if (block.rank() == 0) header.put_varint(child[0].count);
        break;
      case EncodingId::sparse: {
        add_children(2);
        EncodeScratch rest = scratch;
        auto* const positions = reinterpret_cast<std::uint32_t*>(rest.take(4 * count));
        find_common<W>(block, stream);
        const std::uint64_t common = memory.number[0];
        child[0].count = child[1].count = split_rare<W>(block, stream, common, positions, words_of(child[1]));
        find_gaps(block, positions, child[0].count, words_of(child[0]));
        if (block.rank() == 0) {
          header.put_word(common, sizeof(W));
          header.put_varint(child[0].count);
        }
        break;
      }
      case EncodingId::split: {
        add_children(3);
        child[2].count =
            split_words<W>(block, stream, a, words_of(child[0]), words_of(child[1]), words_of(child[2]));
        child[1].count = stream.count - child[2].count;
        if (block.rank() == 0) header.put_varint(child[2].count);
        break;
      }
      case EncodingId::divide: {
        add_children(2);
        const unsigned second = memory.plan.next[node + 1];
        const bool may_be_one = !finds_constants(memory.plan, second, packed_nodes(memory.plan, second));
        child[1].is_constant = divide_stream<W>(block, stream, a, b, may_be_one, finds_range,
                                                words_of(child[0]), words_of(child[1]));
        break;
      }
      case EncodingId::stride_split:
        for (unsigned i = 0; i < a; ++i) {
          child[i] = child_of(i, (stream.count + a - 1 - i) / a);
          take_stride<W>(block, stream, a, i, words_of(child[i]), child[i].count);
        }
        break;
      case EncodingId::dict: {
        child[0] = child_of(0, stream.count < b ? stream.count : b);
        child[1] = child_of(1, stream.count);
        child[2] = child_of(2, static_cast<std::uint32_t>(max_dict_exceptions(count, b)));
        const DictResult made = make_dict<W>(block, stream, a, b, DictMemory(scratch, stream.count),
                                             words_of(child[0]), words_of(child[1]), words_of(child[2]));
        fits = made.fits;
        if (finds_range && fits && made.exceptions == 0)
          find_range_of_entries<W>(block, stream.type, words_of(child[0]), made.entries);
        child[0].count = made.entries;
        child[2].count = made.exceptions;
        if (block.rank() == 0) {
          header.put_varint(made.entries);
          header.put_varint(made.exceptions);
        }
        break;
      }
      case EncodingId::grid:
        if constexpr (sizeof(W) >= 2) {
          child[0] = child_of(0, stream.count);
          child[1] = child_of(1, stream.count * sizeof(W));
          child[2] = child_of(2, stream.count);
          child[3] = child_of(3, stream.count);
          EncodeScratch rest = scratch;
          auto* const positions = reinterpret_cast<std::uint32_t*>(rest.take(4 * count));
          const GridResult made = make_grid<W>(
              block, stream, {words_of(child[0]), words_of(child[1]), words_of(child[3]), positions});
          fits = made.exponent != 0;
          child[1].count = made.low_bytes;
          child[2].count = child[3].count = made.exceptions;
          find_gaps(block, positions, made.exceptions, words_of(child[2]));
          if (block.rank() == 0) {
            header.put_varint(made.exponent);
            header.put_varint(made.low_bytes);
            header.put_varint(made.exceptions);
          }
        }
        break;
      default: {
        const bool is_far = b > trees::DeltaRules::max_near_stride;
        const std::uint32_t heads = is_far ? 0 : stream.count < a * b ? stream.count : a * b;
        child[0] = child_of(0, stream.count - heads);
        if (is_far) {
          subtract_rows<W>(block, stream, a, b, words_of(child[0]));
        } else {
          subtract_strides<W>(block, stream, a, b, header, words_of(child[0]), child[0].count);
        }
      }
    }
  });
  if (id == EncodingId::rle && child[0].count == 1) {
    if (block.rank() == 0) put_constant(memory, stream);
  } else if (fits && block.rank() == 0) {
    EncodeFrame& frame = push_frame(memory, id, a, b);
    for (unsigned i = 0; i < frame.children; ++i) frame.child[i] = child[i];
    memory.scratch = scratch;
    put_piece(memory, header);
  }
  block.sync();
  return fits;
}

/// Puts the current stream where its node does not take it: bitpack for integers, and raw for others.
template <class Block>
FLOE_DEVICE void encode_plain(Block& block) {
  EncodeMemory& memory = block.memory();
  if (is_float(memory.at.type)) {
    if (block.rank() == 0) put_raw(memory, memory.at);
    return;
  }
  block.sync();
  if (block.rank() == 0) {
    memory.at_node = max_nodes;
    memory.plan.encoding[max_nodes] = static_cast<std::uint8_t>(EncodingId::bitpack);
  }
  block.sync();
  encode_chain(block, 1);
}

/// Steps that are taken while words of the leaf of entropy below them are read, and how many nodes these are:
/// none if there is no such leaf.
struct StepsAboveLeaf {
  LeafChain chain;
  unsigned nodes = 0;
};
FLOE_DEVICE StepsAboveLeaf steps_above_entropy(const EncodePlan& plan, unsigned node,
                                               const EncodeStream& stream) {
  StepsAboveLeaf steps;
  unsigned at = node;
  if (plan.id(at) == EncodingId::sortable) {
    steps.chain.is_sortable = true;
    ++at;
  }
  const std::uint32_t order = plan.parameter[at][0], stride = plan.parameter[at][1];
  const bool is_strided = plan.id(at) == EncodingId::delta && word_bytes(stream.type) == 2 && order == 1 &&
                          stride <= max_packed_stride(2);
  if (is_plain_delta(plan.id(at), stride) || is_strided) {
    steps.chain.order = static_cast<std::uint8_t>(order);
    steps.chain.stride = static_cast<std::uint8_t>(stride);
    ++at;
  }
  const bool is_one_section = stream.count > steps.chain.heads() && stream.count <= trees::section_words;
  if (plan.id(at) == EncodingId::entropy && word_bytes(stream.type) >= 2 && is_one_section)
    steps.nodes = at - node;
  return steps;
}

/// Encodes the current stream with a chain of several steps and the leaf of entropy below. False to all
/// threads if there is none, or what comes out is not smaller: then step by step.
template <class Block>
FLOE_DEVICE bool encode_steps_to_leaf(Block& block) {
  EncodeMemory& memory = block.memory();
  const StepsAboveLeaf steps = steps_above_entropy(memory.plan, memory.at_node, memory.at);
  bool fits = false;
  if (steps.nodes > 0)
    with_word_of(word_bytes(memory.at.type),
                 [&]<class W>(W) { fits = encode_entropy_below<W>(block, steps.chain); });
  return fits;
}

/// Encodes memory.at with the plan, to pieces. Called by all threads; ends with a barrier.
template <class Block>
FLOE_DEVICE void encode_tree(Block& block) {
  EncodeMemory& memory = block.memory();
  while (true) {
    const EncodeStream stream = memory.at;
    const unsigned node = memory.at_node;
    const EncodingId id = memory.plan.id(node);
    const unsigned packed = packed_nodes(memory.plan, node), width = word_bytes(stream.type);
    bool is_constant = stream.is_constant;
    if (!is_constant && stream.count > 0 && !finds_constants(memory.plan, node, packed))
      with_word_of(width, [&]<class W>(W) { is_constant = is_constant_stream<W>(block, stream); });
    block.sync();
    if (stream.count == 0 || id == EncodingId::raw) {
      if (block.rank() == 0 && !is_constant) put_raw(memory, stream);
    }
    if (is_constant) {
      if (block.rank() == 0) put_constant(memory, stream);
    } else if (stream.count > 0 && id != EncodingId::raw) {
      if (packed > 0) {
        encode_chain(block, packed);
      } else if (encode_steps_to_leaf(block)) {
        // All is done.
      } else if (is_map(id) || is_plain_delta(id, memory.plan.parameter[node][1])) {
        encode_step(block);
      } else if (id == EncodingId::entropy) {
        with_word_of(width, [&]<class W>(W) { encode_entropy<W>(block); });
      } else if (id == EncodingId::constant || !encode_streams(block)) {
        encode_plain(block);
      }
    }
    block.sync();
    if (block.rank() == 0) memory.flag = next_stream(memory) ? 1 : 0;
    block.sync();
    const bool has_more = memory.flag != 0;
    block.sync();
    if (!has_more) return;
  }
}

}  // namespace floe::gpu
