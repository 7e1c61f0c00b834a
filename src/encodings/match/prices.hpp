// What sequences and literals cost, by how often each kind stood in an earlier parse of the same words.
#pragma once

#include <array>
#include <span>

#include "core/fixed_log.hpp"
#include "encodings/match/sequences.hpp"

namespace floe::trees {

/// Numbers of one kind: those below 2^(upper_bits + 1) have a price each, others one for their size and upper
/// bits, and their lower bits.
template <unsigned upper_bits>
class NumberPrices {
 public:
  void count(std::uint32_t number) { ++counts_[class_of(number)]; }
  /// After all were counted. What never stood there costs as if it had done so once.
  void set() {
    std::uint64_t total = 0;
    for (const std::uint32_t count : counts_) total += count;
    for (std::size_t i = 0; i < counts_.size(); ++i)
      prices_[i] = core::fixed_log2(total) - core::fixed_log2(counts_[i]) + lower_bits(i) * match_cost_of_bit;
  }
  [[nodiscard]] std::uint32_t operator()(std::uint32_t number) const { return prices_[class_of(number)]; }

 private:
  static std::size_t class_of(std::uint32_t number) {
    if (number >> (upper_bits + 1) == 0) return number;
    const unsigned shift = core::bit_length(number) - 1 - upper_bits;
    return (std::size_t{shift} << upper_bits) + (number >> shift);
  }
  static unsigned lower_bits(std::size_t index) {
    return index >> (upper_bits + 1) == 0 ? 0 : static_cast<unsigned>(index >> upper_bits) - 1;
  }

  static constexpr std::size_t classes = std::size_t{33 - upper_bits} << upper_bits;
  std::array<std::uint32_t, classes> counts_{}, prices_{};
};

struct SequencePrices {
  NumberPrices<7> literals;
  NumberPrices<3> literal_lengths, match_lengths, distance_codes;

  SequencePrices(std::span<const std::uint8_t> bytes, std::span<const Sequence> sequences) {
    const std::uint8_t* at = bytes.data();
    const auto count_literals = [&](const std::uint8_t* end) {
      for (; at < end; ++at) literals.count(*at);
    };
    for (const Sequence& sequence : sequences) {
      literal_lengths.count(sequence.literals);
      match_lengths.count(sequence.length - 1);
      distance_codes.count(sequence.distance_code);
      count_literals(at + sequence.literals);
      at += sequence.length;
    }
    count_literals(bytes.data() + bytes.size());
    for (auto* const prices : {&literal_lengths, &match_lengths, &distance_codes}) prices->set();
    literals.set();
  }
};

}  // namespace floe::trees
