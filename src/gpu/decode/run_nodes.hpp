// What is done beside chains. The ends of runs are looked at before their words can be given, exceptions are
// put into streams, and streams of strides are put together. All threads of a block do this together.
#pragma once

#include "gpu/decode/build_chain.hpp"
#include "gpu/decode/chain_sources.hpp"

namespace floe::gpu {

/// Checks the ends of runs, and finds the run at the beginning of each tile.
template <class Block>
FLOE_DEVICE_CALL void prepare_runs(Block& block, const Node& node) {
  DecodeMemory& memory = block.memory();
  const std::uint8_t* const ends = memory.nodes[node.child[0]].words;
  const auto runs = static_cast<std::uint32_t>(node.number[0]);
  if (block.rank() == 0) memory.has_empty_runs = 0;
  block.sync();
  constexpr unsigned batch = 4;  // runs of a thread whose loads overlap
  bool bad = false, has_empty = false;
  for (std::uint32_t first = block.rank(); first < runs; first += batch * block.size()) {
    std::uint32_t begins[batch], run_ends[batch];
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t run = first + i * block.size();
      begins[i] =
          run == 0 || run >= runs ? 0 : load_aligned<std::uint32_t>(ends + 4 * (std::uint64_t{run} - 1));
      run_ends[i] = run >= runs ? 0 : load_aligned<std::uint32_t>(ends + 4 * std::uint64_t{run});
    }
    FLOE_UNROLL
    for (unsigned i = 0; i < batch; ++i) {
      const std::uint32_t run = first + i * block.size(), begin = begins[i], run_end = run_ends[i];
      if (run >= runs) break;
      bad = bad || run_end < begin || (run + 1 == runs && run_end < node.count);
      has_empty = has_empty || run_end == begin;
      const std::uint32_t end = run_end < node.count ? run_end : node.count;
      for (std::uint64_t tile = (std::uint64_t{begin} + tile_words - 1) / tile_words; tile * tile_words < end;
           ++tile)
        store_aligned(node.table + 4 * tile, run);
    }
  }
  if (bad) memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  if (has_empty) memory.has_empty_runs = 1;
  block.sync();
}

/// Puts exceptions into the words of a stream; those behind its end are ignored.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void put_exceptions(Block& block, const Node& node, const Node& gaps, const Node& words) {
  DecodeMemory& memory = block.memory();
  std::uint64_t next = 0;  // the first position behind the exceptions so far
  for (std::uint32_t first = 0; first < gaps.count; first += block.size()) {
    const std::uint32_t i = first + block.rank();
    std::uint64_t gap = i < gaps.count ? load_aligned<std::uint64_t>(gaps.words + 8 * std::uint64_t{i}) : 0;
    if (gap > node.count) gap = node.count;  // so that no sum overflows
    const BlockScan scan = block_scan(block, memory.totals, i < gaps.count ? gap + 1 : 0);
    const std::uint64_t position = next + scan.before + gap;
    if (i < gaps.count && position < node.count)
      store_word(node.words, position, load_aligned<W>(words.words + std::uint64_t{i} * sizeof(W)));
    next += scan.total;
  }
  block.sync();
}

template <class Block>
FLOE_DEVICE_CALL void put_exceptions(Block& block, const Node& node, unsigned gap_slot) {
  DecodeMemory& memory = block.memory();
  const Node &gaps = memory.nodes[node.child[gap_slot]], &words = memory.nodes[node.child[gap_slot + 1]];
  with_word_of(word_bytes(node.type), [&]<class W>(W) { put_exceptions<W>(block, node, gaps, words); });
}

/// Puts the children of a stride_split together.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void join_strides(Block& block, const Node& node) {
  DecodeMemory& memory = block.memory();
  const std::uint32_t children = node.parameter[0];
  for (std::uint32_t i = block.rank(); i < node.count; i += block.size()) {
    const Node& from = memory.nodes[node.child[i % children]];
    store_word(node.words, i, load_aligned<W>(from.words + std::uint64_t{i / children} * sizeof(W)));
  }
  block.sync();
}

/// The words of a divide from quotients and remainders; see encodings/divide/divide.cpp.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void join_quotients(Block& block, const Node& node) {
  DecodeMemory& memory = block.memory();
  const std::uint8_t* const quotients = memory.nodes[node.child[0]].words;
  const Operand<W> remainders(memory.nodes[node.child[1]]);
  const W divisor = static_cast<W>(std::uint64_t{node.parameter[0]} << node.parameter[1]);
  const W signs = is_float(node.type) ? static_cast<W>(W{1} << (core::word_bits<W> - 1))
                                      : W{0};  // the bit that goes with quotients
  bool bad = false;                            // stays so: there are as many remainders as words
  for (std::uint32_t i = block.rank(); i < node.count; i += block.size()) {
    const W quotient = load_aligned<W>(quotients + std::uint64_t{i} * sizeof(W));
    const W sign = (quotient & signs) != 0 ? static_cast<W>(~W{0}) : W{0};
    const W magnitude =
        static_cast<W>(std::uint64_t{static_cast<W>(quotient ^ sign)} * divisor + remainders.word(i, bad));
    store_word(node.words, i, static_cast<W>(magnitude ^ (sign & signs)));
  }
  block.sync();
}

/// The sums of one class of words of a stride, from row `first` up to `end`; sums go on from `sum`.
template <core::Word W>
FLOE_DEVICE void sum_class(const std::uint8_t* differences, std::uint32_t count, std::uint32_t stride,
                           std::uint32_t of_class, std::uint64_t first, std::uint64_t end, W sum,
                           std::uint8_t* out) {
  constexpr unsigned batch = 8;  // rows whose loads overlap
  const std::uint64_t rows = count > of_class ? (count - of_class - 1) / stride + 1 : 0,
                      to = end < rows ? end : rows;
  std::uint64_t row = first;
  FLOE_NO_UNROLL
  for (; row + batch <= to; row += batch) {
    W own[batch];
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      own[k] = load_aligned<W>(differences + ((row + k) * stride + of_class) * sizeof(W));
    FLOE_UNROLL
    for (unsigned k = 0; k < batch; ++k)
      store_word(out, (row + k) * stride + of_class, sum = static_cast<W>(sum + own[k]));
  }
  FLOE_NO_UNROLL
  for (; row < to; ++row) {
    const std::uint64_t i = row * stride + of_class;
    store_word(out, i, sum = static_cast<W>(sum + load_aligned<W>(differences + i * sizeof(W))));
  }
}

/// One step of a delta to far words, of which none stand in the header: a thread sums up whole classes.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void sum_far(Block& block, const std::uint8_t* differences, std::uint32_t count,
                              std::uint32_t stride, std::uint8_t* out) {
  const std::uint32_t rows = (count + stride - 1) / stride;
  for (std::uint32_t c = block.rank(); c < stride && c < count; c += block.size())
    sum_class<W>(differences, count, stride, c, 0, rows, W{0}, out);
  block.sync();
}

/// One step of a strided delta: `heads` words, then sums of differences, which threads share by rows.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void sum_stride(Block& block, const std::uint64_t* first_words, std::uint32_t heads,
                                 const std::uint8_t* differences, std::uint32_t count, std::uint32_t stride,
                                 std::uint8_t* sums, std::uint8_t* out) {
  for (std::uint32_t i = block.rank(); i < heads; i += block.size())
    store_word(out, i, static_cast<W>(first_words[i]));
  const std::uint32_t groups = block.size() / stride == 0 ? 1 : block.size() / stride;
  const std::uint32_t rows = (count + stride - 1) / stride, group_rows = (rows + groups - 1) / groups;
  const auto difference = [&](std::uint64_t i) {
    return i < count ? load_aligned<W>(differences + i * sizeof(W)) : W{0};
  };
  for (std::uint32_t share = block.rank(); share < groups * stride; share += block.size()) {
    W sum = 0;
    const std::uint64_t first = std::uint64_t{share / stride} * group_rows;
    for (std::uint64_t row = first; row < first + group_rows; ++row)
      sum = static_cast<W>(sum + difference(row * stride + share % stride));
    store_word(sums, share, std::uint64_t{sum});
  }
  block.sync();
  for (std::uint32_t i = block.rank(); i < stride; i += block.size()) {
    std::uint64_t sum = i < heads ? first_words[i] : 0;
    for (std::uint32_t group = 0; group < groups; ++group) {
      const auto own = load_aligned<std::uint64_t>(sums + 8 * (group * stride + i));
      store_word(sums, group * stride + i, sum);
      sum += own;
    }
  }
  block.sync();
  for (std::uint32_t share = block.rank(); share < groups * stride; share += block.size()) {
    const std::uint64_t first = std::uint64_t{share / stride} * group_rows;
    sum_class<W>(differences, count, stride, share % stride, first, first + group_rows,
                 static_cast<W>(load_aligned<std::uint64_t>(sums + 8 * share)),
                 out + std::uint64_t{heads} * sizeof(W));
  }
  block.sync();
}

template <core::Word W, class Block>
FLOE_DEVICE_CALL void sum_strides(Block& block, const Node& node, const std::uint8_t* bytes) {
  DecodeMemory& memory = block.memory();
  const Node& child = memory.nodes[node.child[0]];
  const std::uint32_t stride = node.parameter[1];
  if (stride > trees::DeltaRules::max_near_stride) {
    const bool is_twice = node.parameter[0] == 2;
    std::uint8_t* const between = is_twice ? node.table + 8 * max_strided_sums : node.words;
    sum_far<W>(block, child.words, child.count, stride, between);
    if (is_twice) sum_far<W>(block, between, child.count, stride, node.words);
    return;
  }
  const auto heads = static_cast<std::uint32_t>(node.number[0]),
             inner_heads = static_cast<std::uint32_t>(node.number[1]);
  HeaderReader reader{bytes, node.at, node.end};
  const auto read_words = [&](std::uint32_t count) {
    if (block.rank() == 0) {
      for (std::uint32_t i = 0; i < count; ++i) memory.first_words[i] = reader.get_signed(core::word_bits<W>);
    }
    block.sync();
  };
  const std::uint8_t* differences = child.words;
  std::uint32_t count = child.count;
  if (node.parameter[0] == 2) {
    // The inner step's words stand behind those of the outer one.
    read_words(heads);
    read_words(inner_heads);
    std::uint8_t* const between = node.table + 8 * max_strided_sums;
    sum_stride<W>(block, memory.first_words, inner_heads, differences, count, stride, node.table, between);
    differences = between;
    count += inner_heads;
    reader.at = node.at;
  }
  read_words(heads);
  sum_stride<W>(block, memory.first_words, heads, differences, count, stride, node.table, node.words);
}

}  // namespace floe::gpu
