// The range of the words of a segment, for its header, by whoever reads them anyway.
#pragma once

#include "gpu/encode/encode_chain.hpp"
#include "gpu/frames/segment_facts.hpp"

namespace floe::gpu {

/// The range of words, with few comparisons each. Of floats it is not known where some are NaN.
template <core::Word W>
class QuickRange {
 public:
  FLOE_DEVICE explicit QuickRange(DType type)
      : type_(type), flip_(is_signed(word_type(type)) && !is_float(type) ? top : W{0}) {}

  FLOE_DEVICE void add(W word) {
    const W number = static_cast<W>(word ^ flip_), other = static_cast<W>(word ^ top);
    range_.add(number);
    largest_ = other > largest_ ? other : largest_;
  }
  /// Of all threads, to all of them; false if it is not known. `totals` is shared memory for a number per
  /// warp.
  template <class Block>
  FLOE_DEVICE bool of_block(Block& block, std::uint64_t* totals, container::ValueRange& range) const {
    const container::RangeNumbers<W> numbers(type_);
    const W min = block_min(block, totals, range_.min),
            max = static_cast<W>(~block_min(block, totals, static_cast<W>(~range_.max))),
            largest = static_cast<W>(~block_min(block, totals, static_cast<W>(~largest_)) ^ top);
    if (!is_float(type_)) {
      range = numbers.range(min, max);
      return true;
    }
    // In the order of unsigned numbers negative floats are behind the others, and the other way round.
    const bool has_negative = max >= top, has_positive = largest < top;
    if ((has_negative && numbers.is_nan(max)) || (has_positive && numbers.is_nan(largest))) return false;
    range = numbers.range(numbers.of_float(has_negative ? max : min),
                          numbers.of_float(has_positive ? largest : min));
    return true;
  }

 private:
  static constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  DType type_;
  W flip_;
  WordRange<W> range_;
  W largest_ = 0;  ///< As a signed number, of which the top bit is flipped.
};

/// The range of floats that were made sortable. It is not known where some are NaN.
template <core::Word W>
class SortableRange {
 public:
  FLOE_DEVICE explicit SortableRange(DType type) : type_(type) {}
  FLOE_DEVICE void add(W sortable) { range_.add(sortable); }
  /// As above.
  template <class Block>
  FLOE_DEVICE bool of_block(Block& block, std::uint64_t* totals, container::ValueRange& range) const {
    return of_block(block, totals, range, [](W number) { return number; });
  }

 protected:
  /// The same of numbers that become what they stand for by `number_of`.
  template <class Block, class NumberOf>
  FLOE_DEVICE bool of_block(Block& block, std::uint64_t* totals, container::ValueRange& range,
                            const NumberOf& number_of) const {
    const container::RangeNumbers<W> numbers(type_);
    const WordRange<W> own = range_.numbers();
    const W min = number_of(block_min(block, totals, own.min)),
            max = number_of(static_cast<W>(~block_min(block, totals, static_cast<W>(~own.max))));
    const W infinity = numbers.infinity(), negative = static_cast<W>(infinity | top);
    if (max > numbers.of_float(infinity) || min < numbers.of_float(negative)) return false;
    range = numbers.range(min, max);
    return true;
  }

 private:
  static constexpr W top = static_cast<W>(W{1} << (core::word_bits<W> - 1));
  DType type_;
  SignedRange<W> range_;
};

/// The range of floats of which the quotients by 2^shift are seen; all remainders are the same.
template <core::Word W>
class QuotientRange : public SortableRange<W> {
 public:
  FLOE_DEVICE QuotientRange(DType type, unsigned shift, W remainder)
      : SortableRange<W>(type), shift_(shift), remainder_(remainder) {}
  /// As above.
  template <class Block>
  FLOE_DEVICE bool of_block(Block& block, std::uint64_t* totals, container::ValueRange& range) const {
    return SortableRange<W>::of_block(block, totals, range, [&](W number) {
      constexpr W highest = static_cast<W>(W{1} << (core::word_bits<W> - 1));
      const W sign = (number & highest) != 0 ? W{0} : static_cast<W>(~W{0}),
              quotient = static_cast<W>(number ^ highest ^ sign);
      return static_cast<W>(static_cast<W>(static_cast<W>(quotient << shift_) | remainder_) ^ sign ^ highest);
    });
  }

 private:
  unsigned shift_;
  W remainder_;
};

/// Publishes the range of the words of memory.now, if somebody asks for it. `totals` is shared memory for a
/// number per warp. By all threads; with barriers.
template <class Range, class Block>
FLOE_DEVICE void publish_range(Block& block, std::uint64_t* totals, const Range& found) {
  auto& now = block.memory().now;
  container::ValueRange range;
  const bool is_known = found.of_block(block, totals, range);
  if (block.rank() == 0 && now.target.facts != nullptr) {
    StreamFacts& facts = *now.target.facts;
    facts.range_kind = static_cast<std::uint32_t>(range.kind);
    facts.range_min = range.min;
    facts.range_max = range.max;
    now.has_range = is_known;
  }
  block.sync();
}

}  // namespace floe::gpu
