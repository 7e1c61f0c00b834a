// Takes a stream apart word by word with a block: into the children of a split, quotients and remainders,
// strides, differences over a stride.
#pragma once

#include "gpu/encode/encode_frequent.hpp"
#include "gpu/encode/encode_int_mult.hpp"
#include "gpu/encode/encode_runs.hpp"
#include "gpu/encode/encode_select.hpp"
#include "gpu/entropy/quick_range.hpp"
#include "gpu/warp/atomics.hpp"

namespace floe::gpu {

/// The bits of an offset up to which words go to the first child: memory.number[0], as in split.cpp.
template <core::Word W, class Block>
FLOE_DEVICE void choose_split_bits(Block& block, const EncodeStream& stream, W base, W width) {
  EncodeMemory& memory = block.memory();
  constexpr unsigned bits = core::word_bits<W>;
  for (unsigned i = block.rank(); i <= bits; i += block.size()) {
    memory.counts[i] = 0;
    memory.min[i] = static_cast<W>(~W{0});
  }
  block.sync();
  constexpr std::uint32_t max_counted_words = trees::SplitRules::max_counted_words;
  const std::uint32_t step = (stream.count + max_counted_words - 1) / max_counted_words,
                      counted = (stream.count + step - 1) / step;
  for (std::uint32_t i = block.rank(); i < counted; i += block.size()) {
    const W offset = static_cast<W>(stream_word<W>(stream, std::uint64_t{i} * step) - base);
    const unsigned length = core::bit_length(offset);
    atomic_add(&memory.counts[length], 1);
    if (offset < *static_cast<const volatile std::uint64_t*>(&memory.min[length]))
      atomic_min(&memory.min[length], offset);
  }
  block.sync();
  if (block.rank() == 0) {
    unsigned best = bits;
    std::uint64_t best_bits = std::uint64_t{counted} * core::bit_length(width), above = 0;
    W min_above = static_cast<W>(~W{0});
    for (unsigned length = bits; length > 0; --length) {
      above += memory.counts[length];
      min_above = memory.min[length] < min_above ? static_cast<W>(memory.min[length]) : min_above;
      if (above == 0) continue;
      const std::uint64_t cost = (counted - above) * (length - 1) +
                                 above * core::bit_length(static_cast<W>(width - min_above)) + counted / 8;
      if (cost < best_bits) {
        best_bits = cost;
        best = length - 1;
      }
    }
    memory.number[0] = best;
  }
  block.sync();
}

/// Divides words between `first` and `second`, and marks those of the second. Returns how many those are.
template <core::Word W, class Block, class IsSecond>
FLOE_DEVICE std::uint32_t divide_words(Block& block, const EncodeStream& stream, const IsSecond& is_second,
                                       std::uint8_t* marks, std::uint8_t* first, std::uint8_t* second) {
  return select_words(
      block, stream.count, [&](std::uint32_t i) { return stream_word<W>(stream, i); }, is_second,
      [&](std::uint32_t i, W word, std::uint32_t n, bool is_marked) {
        marks[i] = is_marked ? 1 : 0;
        if (is_marked) {
          store_word(second, n, word);
        } else {
          store_word(first, i - n, word);
        }
      });
}

/// A split of kind 0 to 3.
template <core::Word W, class Block>
FLOE_DEVICE_CALL std::uint32_t split_words(Block& block, const EncodeStream& stream, unsigned kind,
                                           std::uint8_t* marks, std::uint8_t* first, std::uint8_t* second) {
  EncodeMemory& memory = block.memory();
  // Words of the second child have offsets from `base` of more than `limit`: that covers all kinds.
  W base = 0, limit = 0;
  if (kind < 2) {
    const W flip = flip_of<W>(stream.type);
    const WordRange<W> range = find_range<W>(block, stream, flip);
    const W width = static_cast<W>(range.max - range.min);
    base = static_cast<W>(range.min ^ flip);
    if (kind == 0) {
      choose_split_bits<W>(block, stream, base, width);
      limit = core::low_mask<W>(static_cast<unsigned>(memory.number[0]));
    } else {
      const W tenth = static_cast<W>(width / 10);
      base = static_cast<W>(base + tenth);
      limit = static_cast<W>(width - 2 * tenth);
    }
  } else if (kind == 2) {
    limit = static_cast<W>(static_cast<W>(~W{0}) >> 1);
  } else {
    base = static_cast<W>(stream_word<W>(stream, 0) + 1);
    limit = static_cast<W>(~W{0} - 1);
  }
  return divide_words<W>(
      block, stream, [&](W word) { return static_cast<W>(word - base) > limit; }, marks, first, second);
}

/// How a word is divided; see encodings/divide/divide.cpp.
template <core::Word W>
class WordDivider {
 public:
  FLOE_DEVICE WordDivider(DType type, std::uint32_t multiplier, unsigned shift)
      : divisor_(static_cast<W>(std::uint64_t{multiplier} << shift)),
        multiplier_(multiplier),
        shift_(shift),
        is_float_(is_float(type)),
        is_signed_(is_signed(type)) {}

  FLOE_DEVICE void divide(W word, W& quotient, W& remainder) const {
    constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
    const W sign = is_float_ || is_signed_
                       ? static_cast<W>(W{0} - static_cast<W>(word >> (core::word_bits<W> - 1)))
                       : W{0};
    const W number = is_float_ ? static_cast<W>(word & ~top) : static_cast<W>(word ^ sign);
    const W of_number =
        multiplier_ == 1 ? static_cast<W>(number >> shift_) : static_cast<W>(number / divisor_);
    const W left = static_cast<W>(number - static_cast<W>(std::uint64_t{of_number} * divisor_));
    quotient = static_cast<W>(of_number ^ sign);
    remainder = is_signed_ && sign != 0 ? static_cast<W>(divisor_ - 1 - left) : left;
  }

 private:
  W divisor_;
  std::uint32_t multiplier_;
  unsigned shift_;
  bool is_float_, is_signed_;
};

/// Quotients and remainders. True to all if all remainders are the same: then only the first one is stored,
/// if `may_be_one`. `finds_range`: for the facts of the segment, whose words these are.
template <core::Word W, class Block>
FLOE_DEVICE_CALL bool divide_stream(Block& block, const EncodeStream& stream, std::uint32_t multiplier,
                                    unsigned shift, bool may_be_one, bool finds_range,
                                    std::uint8_t* quotients, std::uint8_t* remainders) {
  const WordDivider<W> by(stream.type, multiplier, shift);
  W unused, first;
  by.divide(stream_word<W>(stream, 0), unused, first);
  QuickRange<W> range(stream.type);
  bool differs = false;
  const auto load = [&](std::uint32_t i) { return stream_word<W>(stream, i); };
  const auto visit = [&](std::uint32_t begin, std::uint32_t end, bool has_quotients, bool has_remainders) {
    for_each_loaded(block, begin, end, load, [&](std::uint32_t i, W word) {
      W quotient, remainder;
      by.divide(word, quotient, remainder);
      differs = differs || remainder != first;
      if (has_quotients) store_word(quotients, i, quotient);
      if (has_quotients && finds_range) range.add(word);
      if (has_remainders) store_word(remainders, i, remainder);
    });
  };
  // Where remainders are not the same, the first ones mostly say so.
  const std::uint32_t looks = 8 * block.size() < stream.count ? 8 * block.size() : stream.count;
  visit(0, looks, true, true);
  const bool has_both = !may_be_one || block.any(differs);
  visit(looks, stream.count, true, has_both);
  const bool is_one = !has_both && !block.any(differs);
  if (!has_both && !is_one) visit(looks, stream.count, false, true);
  if (finds_range) publish_range(block, block.memory().bases[0], range);
  block.sync();
  return is_one;
}

/// Every k-th word, from word `child` on.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void take_stride(Block& block, const EncodeStream& stream, unsigned children, unsigned child,
                                  std::uint8_t* out, std::uint32_t count) {
  for_each_loaded(
      block, 0, count,
      [&](std::uint32_t i) { return stream_word<W>(stream, std::uint64_t{i} * children + child); },
      [&](std::uint32_t i, W word) { store_word(out, i, word); });
  block.sync();
}

/// Differences over a stride, once or twice; the heads go to a header.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void subtract_strides(Block& block, const EncodeStream& stream, unsigned order,
                                       std::uint32_t stride, HeaderWriter& header, std::uint8_t* out,
                                       std::uint32_t count) {
  const auto word = [&](std::uint64_t i) { return stream_word<W>(stream, i); };
  const auto difference = [&](std::uint32_t i) {
    const W step = static_cast<W>(word(i + std::uint64_t{stride}) - word(i));
    return order == 1
               ? step
               : static_cast<W>(word(i + 2 * std::uint64_t{stride}) - word(i + std::uint64_t{stride}) - step);
  };
  for_each_loaded(block, 0, count, difference, [&](std::uint32_t i, W step) { store_word(out, i, step); });
  if (block.rank() == 0) {
    const std::uint32_t heads = stride < stream.count ? stride : stream.count, rest = stream.count - heads;
    for (std::uint32_t i = 0; i < heads; ++i) header.put_signed(word(i), core::word_bits<W>);
    if (order == 2) {
      for (std::uint32_t i = 0; i < (stride < rest ? stride : rest); ++i)
        header.put_signed(static_cast<W>(word(i + stride) - word(i)), core::word_bits<W>);
    }
  }
  block.sync();
}

/// Differences over a far stride, once or twice, as if there were zeros before the first word.
template <core::Word W, class Block>
FLOE_DEVICE_CALL void subtract_rows(Block& block, const EncodeStream& stream, unsigned order,
                                    std::uint32_t stride, std::uint8_t* out) {
  const auto before = [&](std::uint32_t i, std::uint64_t distance) {
    return i < distance ? W{0} : stream_word<W>(stream, i - distance);
  };
  for_each_loaded(
      block, 0, stream.count,
      [&](std::uint32_t i) {
        const W step = static_cast<W>(stream_word<W>(stream, i) - before(i, stride));
        return order == 1 ? step
                          : static_cast<W>(step - before(i, stride) + before(i, 2 * std::uint64_t{stride}));
      },
      [&](std::uint32_t i, W step) { store_word(out, i, step); });
  block.sync();
}

}  // namespace floe::gpu
