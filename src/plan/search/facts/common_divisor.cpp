#include "plan/search/facts/common_divisor.hpp"

#include <algorithm>
#include <numeric>

#include "core/fixed_log.hpp"
#include "encodings/word_order.hpp"
#include "plan/search/facts/integer_facts.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// So many times the others, at least.
constexpr std::uint64_t min_multiples_of_others = 3;
/// Quotients must save so many bits besides.
constexpr std::uint64_t min_saved_bits = 512;

/// What a divisor makes of all words that are nearly all its multiples, beside what divides all of them.
template <core::Word W>
bool saves_bits(const ColumnView& stream, W divisor) {
  const std::span<const W> words = stream.words<W>();
  W min = 0, max = 0;
  kernels().of<W>().range(words.data(), words.size(), sign_flip<W>(stream.type), min, max);
  const W remainder = static_cast<W>(static_cast<W>(words[words.size() / 2] - min) % divisor);
  const std::uint64_t multiples =
      kernels().of<W>().count_multiples(words.data(), words.size(), static_cast<W>(min + remainder), divisor);
  const std::uint64_t others = words.size() - multiples;
  if (others == 0 || others * min_multiples_of_others >= multiples) return false;
  W common = divisor;  // what int_mult divides by, or a multiple of that
  for (std::size_t i = 0; i < words.size() && common > 1; ++i) {
    if (const W offset = static_cast<W>(words[i] - min); offset % common != 0)
      common = static_cast<W>(std::gcd(std::uint64_t{common}, std::uint64_t{offset}));
  }
  const std::uint64_t bits = core::fixed_log2(divisor) / 256,
                      gap_bits = core::fixed_log2(words.size() / others) / 256 + 2;
  return multiples * (core::fixed_log2(divisor / common)) / 256 > others * (bits + gap_bits) + min_saved_bits;
}

}  // namespace

std::optional<PlanNode> divisor_of_most(const ColumnView& stream) {
  const auto divisor = find_divisor(stream);
  if (!divisor || !DivideRules::accepts(stream.type, divisor->parameters[0], divisor->parameters[1]))
    return {};
  const bool saves = with_word(size_of(stream.type), [&]<class W>(W) {
    return saves_bits(stream,
                      static_cast<W>(std::uint64_t{divisor->parameters[0]} << divisor->parameters[1]));
  });
  if (!saves) return {};
  return PlanNode{EncodingId::divide, divisor->parameters};
}

}  // namespace floe::trees
