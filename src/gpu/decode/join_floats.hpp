// Floats that come from several streams, by all threads of a block: those on a grid, from multiples and the
// bits below them; those on lines, from integers and errors. And words that come from a list of all different
// ones.
#pragma once

#include "gpu/decode/chain_sources.hpp"
#include "gpu/decode/open_tree.hpp"
#include "gpu/warp/divide_integer.hpp"

namespace floe::gpu {

/// Words of a thread between two scans of what they take.
inline constexpr unsigned grid_words = 4;

/// Floats from multiples. The bits below that a word takes follow those of the words before it, of which a
/// block knows the sum.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void join_grid(Block& block, const Node& node) {
  DecodeMemory& memory = block.memory();
  const Node &multiples = memory.nodes[node.child[0]], &low = memory.nodes[node.child[1]];
  const trees::FloatLayout layout = trees::layout_of(node.type);
  const std::uint32_t exponent = node.parameter[0];
  const std::uint64_t low_bits = 8 * std::uint64_t{low.count};
  std::uint64_t used = 0;
  bool bad = false;
  for (std::uint32_t first = 0; first < node.count; first += grid_words * block.size()) {
    const std::uint32_t own = first + grid_words * block.rank();
    W multiple[grid_words];
    unsigned width[grid_words], all = 0;
    FLOE_UNROLL
    for (unsigned k = 0; k < grid_words; ++k) {
      multiple[k] = own + k < node.count
                        ? load_aligned<W>(multiples.words + (std::uint64_t{own} + k) * sizeof(W))
                        : W{0};
      width[k] = layout.low_bits_of(multiple[k]);
      bad = bad || !layout.is_valid(multiple[k], exponent, width[k]);
      all += width[k];
    }
    const BlockScan scan = block_scan(block, memory.totals, std::uint64_t{all});
    std::uint64_t position = used + scan.before;
    used += scan.total;
    bad = bad || position + all > low_bits;
    FLOE_UNROLL
    for (unsigned k = 0; k < grid_words; ++k) {
      if (own + k >= node.count) break;
      const W bits = bad ? W{0} : static_cast<W>(load_bits(low.words, position, width[k]));
      store_word(node.words, own + k, layout.off_grid(multiple[k], exponent, bits, width[k]));
      position += width[k];
    }
  }
  if (bad) memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  block.sync();
}

/// The block of lines that a thread's words are in, which ascend.
class AffinePosition {
 public:
  FLOE_DEVICE explicit AffinePosition(const std::uint8_t* blocks)
      : blocks_(blocks), entry_(load_aligned<AffineBlockEntry>(blocks)) {}
  FLOE_DEVICE void go_to(std::uint32_t word) {
    while (word >= entry_.end) {
      begin_ = entry_.end;
      blocks_ += sizeof(AffineBlockEntry);
      entry_ = load_aligned<AffineBlockEntry>(blocks_);
    }
  }
  [[nodiscard]] FLOE_DEVICE const AffineBlockEntry& entry() const { return entry_; }
  [[nodiscard]] FLOE_DEVICE std::uint32_t begin() const { return begin_; }

 private:
  const std::uint8_t* blocks_;
  AffineBlockEntry entry_;
  std::uint32_t begin_ = 0;
};

/// Floats F from integers I and errors.
template <class F, class I, class Block>
FLOE_DEVICE_CALL void join_lines(Block& block, const Node& node, const std::uint8_t* bytes) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  using Integer = std::make_unsigned_t<I>;
  DecodeMemory& memory = block.memory();
  const std::uint32_t channels = node.parameter[0];
  if (block.rank() == 0) {
    HeaderReader reader{bytes, node.at, node.end};
    AffineNumbers numbers;
    read_affine_blocks(reader, node.type, channels, node.count, node.table, numbers);
  }
  block.sync();
  const std::uint8_t *const integers = memory.nodes[node.child[0]].words,
                            *const plain = memory.nodes[node.child[2]].words,
                            *const lines = node.table + 16 * (node.number[0] >> 32);
  const Operand<std::uint8_t> errors(memory.nodes[node.child[1]]);
  AffinePosition position(node.table);
  bool bad = false;
  for (std::uint32_t i = block.rank(); i < node.count; i += block.size()) {
    position.go_to(i);
    const AffineBlockEntry& entry = position.entry();
    const auto form = static_cast<trees::AffineForm>(entry.form);
    if (form == trees::AffineForm::plain) {
      store_word(node.words, i,
                 load_aligned<W>(plain + std::uint64_t{i - entry.before_on_lines} * sizeof(W)));
      continue;
    }
    const std::uint32_t in_block = i - position.begin(), channel = channels == 1 ? 0 : in_block % channels;
    const std::uint64_t index = std::uint64_t{entry.before_on_lines} + in_block;
    const auto line = load_aligned<AffineLineEntry>(lines + 16 * (std::uint64_t{entry.first_line} + channel));
    const auto integer = static_cast<I>(load_aligned<Integer>(integers + index * sizeof(I)));
    if constexpr (sizeof(I) == 8)
      bad = bad || (static_cast<std::uint64_t>(integer) + (std::uint64_t{1} << 51)) >> 52 != 0;
    const auto error = static_cast<std::int8_t>(errors.word(index, bad));
    store_word(node.words, i, std::bit_cast<W>(float_near_line<F>(form, line, double_of(integer), error)));
  }
  if (bad) memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  block.sync();
}

template <class Block>
FLOE_DEVICE void join_lines(Block& block, const Node& node, const std::uint8_t* bytes) {
  if (node.type == DType::f32)
    join_lines<float, std::int32_t>(block, node, bytes);
  else if (node.parameter[1] == 4)
    join_lines<double, std::int32_t>(block, node, bytes);
  else
    join_lines<double, std::int64_t>(block, node, bytes);
}

/// Words from a list of all different ones.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void look_up_unique(Block& block, const Node& node) {
  DecodeMemory& memory = block.memory();
  const Node &list = memory.nodes[node.child[0]], &codes = memory.nodes[node.child[1]];
  block.sync();  // before it nothing may fail
  bool bad = false;
  for (std::uint32_t i = block.rank(); i < node.count; i += block.size()) {
    const auto code = load_aligned<std::uint32_t>(codes.words + 4 * std::uint64_t{i});
    const bool exists = code < list.count;
    bad = bad || !exists;
    store_word(node.words, i, exists ? load_aligned<W>(list.words + std::uint64_t{code} * sizeof(W)) : W{0});
  }
  if (bad) memory.code = static_cast<std::uint32_t>(ErrorCode::corrupt_frame);
  block.sync();
}

}  // namespace floe::gpu
