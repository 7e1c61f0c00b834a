// Makes the chain of a node: one thread goes down as long as words need no memory of their own.
#pragma once

#include "core/power_of_ten.hpp"
#include "gpu/decode/open_tree.hpp"

namespace floe::gpu {

FLOE_DEVICE void add_step(Chain& chain, ChainStep::Kind kind, bool has_head, std::uint64_t a,
                          std::uint64_t b) {
  ChainStep& step = chain.step[chain.step_count++];
  step.kind = kind;
  step.has_head = has_head;
  step.number[0] = a;
  step.number[1] = b;
}

/// Adds what a node does to words, outermost first.
FLOE_DEVICE void add_steps_of(const Node& node, const std::uint8_t* bytes, Chain& chain) {
  if (node.encoding == EncodingId::delta) {
    HeaderReader reader{bytes, node.at, node.end};
    const unsigned bits = 8 * word_bytes(node.type);
    const std::uint64_t first = reader.get_signed(bits);
    add_step(chain, ChainStep::sum, true, first, 0);
    if (node.parameter[0] == 2)
      add_step(chain, ChainStep::sum, node.number[1] > 0, node.number[1] > 0 ? reader.get_signed(bits) : 0,
               0);
  } else if (node.encoding == EncodingId::int_mult) {
    add_step(chain, ChainStep::int_mult, false, node.number[0], node.number[1]);
  } else {
    add_step(chain, ChainStep::sortable, false, 0, 0);
  }
}

/// Whether the lengths of runs can be summed up while they are made; otherwise that takes a chain of its own.
FLOE_DEVICE bool sums_while_made(const Node& node) {
  return is_step(node) || node.encoding == EncodingId::bitpack || node.encoding == EncodingId::raw ||
         node.encoding == EncodingId::constant || node.encoding == EncodingId::rle ||
         node.encoding == EncodingId::dict || node.encoding == EncodingId::split;
}

/// A counter that is `first` before tile 0.
FLOE_DEVICE void begin_counter(DecodeMemory& memory, unsigned counter, std::uint64_t first) {
  memory.carry[counter][1] = first;
  memory.carry_of[counter][1] = 0;
  memory.carry_of[counter][0] = ~0u;
}

/// The words that stand in headers, after all steps; and what the sums begin with.
FLOE_DEVICE void run_head(DecodeMemory& memory) {
  Chain& chain = memory.chain;
  const unsigned bits = 8u * chain.word_bytes;
  const auto mask = core::low_mask<std::uint64_t>(bits);
  for (unsigned s = 0; s < chain.step_count; ++s) {
    const ChainStep& step = chain.step[s];
    if (step.kind == ChainStep::sum && step.has_head) {
      for (unsigned i = chain.head_count++; i > 0; --i) chain.head[i] = chain.head[i - 1];
      chain.head[0] = step.number[0];
    }
    std::uint64_t sum = 0;
    for (unsigned i = 0; i < chain.head_count; ++i) {
      std::uint64_t& word = chain.head[i];
      if (step.kind == ChainStep::sum) {
        word = sum = (sum + word) & mask;
      } else if (step.kind == ChainStep::int_mult) {
        word = (word * step.number[1] + step.number[0]) & mask;
      } else if ((word >> (bits - 1)) != 0) {
        word ^= mask >> 1;
      }
    }
    if (step.kind == ChainStep::sum) begin_counter(memory, s, sum);
  }
}

/// The source that a node is, or a stream that was made before.
FLOE_DEVICE void set_source(const Node& node, bool is_made, const std::uint8_t* bytes, DecodeMemory& memory) {
  Chain& chain = memory.chain;
  chain.count = node.count;
  chain.node = &node;
  chain.source = SourceKind::bytes;
  chain.word_bytes = static_cast<std::uint8_t>(word_bytes(node.type));
  if (is_made) {
    chain.data = node.words;
    return;
  }
  switch (node.encoding) {
    case EncodingId::bitpack:
      chain.source = SourceKind::vectors;
      chain.data = node.table == nullptr ? memory.vector_entries : node.table;
      break;
    case EncodingId::rle:
      chain.source = SourceKind::runs;
      chain.data = node.table;
      break;
    case EncodingId::constant:
    case EncodingId::sparse:
      chain.source = SourceKind::constant;
      chain.constant = node.number[0];
      break;
    case EncodingId::dict:
    case EncodingId::split:
      chain.source = node.encoding == EncodingId::dict ? SourceKind::escapes : SourceKind::merge;
      begin_counter(memory, source_counter, 0);
      break;
    default:
      chain.data = bytes + node.at;
  }
}

/// The chain that makes the words of a stream.
template <class Block>
FLOE_DEVICE_CALL void build_chain(Block& block, unsigned index, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  Chain& chain = memory.chain;
  chain = Chain{};
  const Node& top = memory.nodes[index];
  const Node* at = &top;
  bool is_made = false;
  const auto go_down = [&](unsigned slot) {
    at = &memory.nodes[at->child[slot]];
    is_made = at->is_stream;
  };
  chain.out = top.words;
  const bool is_summed = is_run_length(memory, index) && sums_while_made(top);
  if (is_summed) add_step(chain, ChainStep::sum, false, 0, 0);
  if (top.encoding == EncodingId::decimal) {
    chain.final = FinalKind::decimal;
    chain.power = core::power_of_ten(top.parameter[0]);
    go_down(0);
  } else if (top.encoding == EncodingId::dict && top.number[1] == 0 && !is_run_length(memory, index)) {
    chain.final = FinalKind::look_up;
    chain.table = memory.nodes[top.child[0]].words;
    chain.table_count = static_cast<std::uint32_t>(top.number[0]);
    go_down(1);
  }
  while (!is_made && is_step(*at)) {
    add_steps_of(*at, bytes, chain);
    go_down(0);
  }
  for (unsigned i = 0; i < chain.step_count / 2u; ++i) {
    const ChainStep step = chain.step[i];
    chain.step[i] = chain.step[chain.step_count - 1u - i];
    chain.step[chain.step_count - 1u - i] = step;
  }
  set_source(*at, is_made, bytes, memory);
  chain.out_bytes = static_cast<std::uint8_t>(word_bytes(top.type));
  run_head(memory);
}

/// The chain that sums up a stream at its position.
template <class Block>
FLOE_DEVICE_CALL void build_sum(Block& block, unsigned index, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  Chain& chain = memory.chain;
  const Node& node = memory.nodes[index];
  chain = Chain{};
  chain.out = node.words;
  add_step(chain, ChainStep::sum, false, 0, 0);
  set_source(node, true, bytes, memory);
  chain.out_bytes = chain.word_bytes;
  run_head(memory);
}

}  // namespace floe::gpu
