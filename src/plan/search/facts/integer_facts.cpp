#include "plan/search/facts/integer_facts.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <span>

#include "core/bits.hpp"
#include "core/fixed_log.hpp"
#include "core/power_of_ten.hpp"
#include "encodings/word_order.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

/// Decimals of so few words say whether there are any: fewer of few words.
constexpr std::size_t few_decimals = 32, min_decimals = 8, min_words_for_few = 256;

template <class F>
constexpr std::uint32_t max_digits = sizeof(F) == 4 ? 9 : 17;

/// With fewer digits, more than half of the values are no integers, going by some from all over them.
template <class F, class I>
std::uint32_t min_digits(const F* values, std::size_t count) {
  constexpr std::size_t looked_at = 16;
  std::array<F, looked_at> some;
  std::array<I, looked_at> integers;
  std::array<std::uint8_t, looked_at> failed;
  for (std::size_t i = 0; i < looked_at; ++i) some[i] = values[count * (2 * i + 1) / (2 * looked_at)];
  double power = 1;
  for (std::uint32_t digits = 0; digits <= max_digits<F>; ++digits, power *= 10) {
    if (2 * kernels().decimals<F, I>().to_integers(some.data(), looked_at, power, integers.data(),
                                                   failed.data()) <=
        looked_at)
      return digits;
  }
  return 0;
}

template <class F, class I>
DecimalFacts decimals_of(const F* values, std::size_t count) {
  std::uint32_t first_digits = 0;
  if (count >= few_decimals) {
    const std::size_t screened = count >= min_words_for_few ? few_decimals : min_decimals;
    const DecimalFacts few = decimals_of<F, I>(values + count / 2, screened);
    if (few.exceptions * 2 > screened) return {count, few.digits, sizeof(I), count};
    first_digits = min_digits<F, I>(values, count);
  }
  DecimalFacts best{count, 0, sizeof(I), count + 1};
  std::array<I, max_sampled_words> integers;
  std::array<std::uint8_t, max_sampled_words> failed;
  double power = 1;
  for (std::uint32_t digits = 0; digits <= max_digits<F> && best.exceptions > 0; ++digits, power *= 10) {
    if (digits < first_digits) continue;
    const std::size_t failures =
        kernels().decimals<F, I>().to_integers(values, count, power, integers.data(), failed.data());
    // More digits make longer integers; they have to save at least one exception in a hundred.
    if (failures + count / 100 < best.exceptions) best = {count, digits, sizeof(I), failures};
  }
  return best;
}

/// A divisor of words, and what it saves, in 1/256 bit.
struct Divisor {
  std::uint64_t divisor = 1;
  std::uint64_t saved_bits = 0;
  std::uint64_t remainder_bits = 0;  ///< Of those that are not the usual one, in 1/256 bit, too.
  std::uint64_t looked_at = 0;       ///< Words, or differences.
  /// A remainder that is not the usual one costs the bits that the divisor saves, and a bit more.
  void consider(std::uint64_t other, std::uint64_t fitting, std::uint64_t all) {
    const std::uint64_t bits = core::fixed_log2(other), saved = fitting * (bits + 256), spent = all * 256;
    if (saved > spent && saved - spent > saved_bits)
      *this = {other, saved - spent, (all - fitting) * bits, all};
  }
};

/// Of the greatest common divisors of neighbouring differences, the one that saves most. Any number divides
/// differences of 0, and saves nothing of them.
template <core::Word W>
Divisor divisor_of_integers(std::span<const W> words) {
  constexpr std::size_t max_tried = 96, max_divisors = 8, first_tried = 16;
  std::array<W, max_sampled_words> differences;
  for (std::size_t i = 1; i < words.size(); ++i)
    differences[i - 1] = static_cast<W>(std::max(words[i], words[i - 1]) - std::min(words[i], words[i - 1]));
  const auto end = std::remove(differences.begin(), differences.begin() + (words.size() - 1), W{0});
  const std::span<const W> all(differences.begin(), end);
  std::array<std::uint64_t, max_divisors> tried{};
  std::size_t count = 0, pairs = 0, with_divisor = 0;
  W before = 0;
  Divisor best;
  for (const W difference : all.first(std::min(all.size(), max_tried))) {
    // Of any two numbers, one pair in six has a divisor of 4 or more.
    if (pairs++ == first_tried && with_divisor * 2 < first_tried) break;
    const std::uint64_t common = std::gcd(std::uint64_t{before}, std::uint64_t{difference});
    before = difference;
    with_divisor += common >= 4 ? 1 : 0;
    if (common < 4 || std::find(tried.begin(), tried.end(), common) != tried.end()) continue;
    tried[count++ % max_divisors] = common;
    best.consider(common,
                  kernels().of<W>().count_multiples(all.data(), all.size(), 0, static_cast<W>(common)),
                  all.size());
  }
  return best;
}

/// The power of two that divides the bits of floats best, as it does where they were once numbers of fewer
/// bits.
template <core::Word W>
Divisor divisor_of_floats(std::span<const W> words) {
  std::array<std::uint64_t, core::word_bits<W> + 1> counts{};
  for (const W word : words) ++counts[static_cast<std::size_t>(std::countr_zero(word))];
  std::uint64_t fitting = words.size();
  Divisor best;
  for (unsigned shift = 1; shift < core::word_bits<W> - 1; ++shift) {
    fitting -= counts[shift - 1];
    best.consider(std::uint64_t{1} << shift, fitting, words.size());
  }
  return best;
}

/// With these digits.
std::uint64_t count_exceptions(const std::array<double, max_sampled_words>& words,
                               const DecimalFacts& decimals) {
  std::array<std::uint8_t, max_sampled_words> failed;
  const auto count = [&]<class I>(I) {
    std::array<I, max_sampled_words> integers;
    return std::uint64_t{kernels().decimals<double, I>().to_integers(
        words.data(), words.size(), core::power_of_ten(decimals.digits), integers.data(), failed.data())};
  };
  return decimals.integer_bytes == 4 ? count(std::int32_t{}) : count(std::int64_t{});
}

}  // namespace

std::optional<DivisorFacts> find_divisor(const ColumnView& stream) {
  const auto count = static_cast<std::size_t>(std::min(stream.count, max_sampled_words));
  const auto first = static_cast<std::size_t>((stream.count - count) / 2);
  const Divisor found = with_word(size_of(stream.type), [&]<class W>(W) {
    const std::span<const W> words = stream.words<W>().subspan(first, count);
    if (is_float(stream.type)) return divisor_of_floats(words);
    std::array<W, max_sampled_words> ordered;
    std::transform(words.begin(), words.end(), ordered.begin(),
                   [&](W word) { return in_order(word, order_of(stream.type)); });
    return divisor_of_integers(std::span<const W>(ordered).first(count));
  });
  if (found.saved_bits == 0 || found.saved_bits < 512 * found.looked_at) return std::nullopt;
  const auto shift = static_cast<unsigned>(std::countr_zero(found.divisor));
  const std::uint64_t odd = found.divisor >> shift;
  if (odd > std::numeric_limits<std::uint32_t>::max()) return std::nullopt;
  return DivisorFacts{
      {static_cast<std::uint32_t>(odd), shift}, found.saved_bits / 256, found.remainder_bits / 256, count};
}

DecimalFacts find_decimals(const ColumnView& stream) {
  const auto count = static_cast<std::size_t>(std::min(stream.count, max_sampled_words));
  const auto first = static_cast<std::size_t>((stream.count - count) / 2);
  const DecimalFacts none{count, 0, 4, count};
  if (!is_wide_float(stream.type)) return none;
  if (stream.type == DType::f32)
    return decimals_of<float, std::int32_t>(static_cast<const float*>(stream.values) + first, count);
  const double* const values = static_cast<const double*>(stream.values) + first;
  const DecimalFacts wide = decimals_of<double, std::int64_t>(values, count);
  // Integers of 32 bits are faster, but a few words of the whole stream may need more.
  std::array<std::int32_t, max_sampled_words> integers;
  std::array<std::uint8_t, max_sampled_words> failed;
  const bool is_narrow = wide.exceptions == 0 && kernels().decimals<double, std::int32_t>().to_integers(
                                                     values, count, core::power_of_ten(wide.digits),
                                                     integers.data(), failed.data()) == 0;
  return is_narrow ? DecimalFacts{count, wide.digits, 4, 0} : wide;
}

std::vector<DecimalFacts> find_decimals_of_parts(const ColumnView& stream) {
  std::vector<DecimalFacts> parts = {find_decimals(stream)};
  if (stream.type != DType::f64 || stream.count <= max_sampled_words) return parts;
  constexpr std::size_t positions = 8, words = max_sampled_words / positions;
  std::array<double, max_sampled_words> some;
  for (std::size_t i = 0; i < positions; ++i) {
    const std::uint64_t first = (stream.count - words) * i / (positions - 1);
    std::copy_n(static_cast<const double*>(stream.values) + first, words, some.data() + i * words);
  }
  const DecimalFacts all_over = find_decimals({stream.type, some.data(), max_sampled_words});
  DecimalFacts& in_middle = parts[0];
  if (all_over.digits == in_middle.digits && all_over.integer_bytes == in_middle.integer_bytes) return parts;
  in_middle.exceptions = std::max(in_middle.exceptions, count_exceptions(some, in_middle));
  parts.push_back(all_over);
  return parts;
}

StreamFacts find_coarse_facts_of_decimals(const ColumnView& stream, const DecimalFacts& decimals,
                                          std::size_t max_stride) {
  const auto count = static_cast<std::size_t>(std::min(stream.count, max_sampled_words));
  double power = 1;
  for (std::uint32_t digit = 0; digit < decimals.digits; ++digit) power *= 10;
  const auto find = [&]<class F, class I>(F, I, DType integer_type) {
    std::array<I, max_sampled_words> integers;
    std::array<std::uint8_t, max_sampled_words> failed;
    kernels().decimals<F, I>().to_integers(static_cast<const F*>(stream.values), count, power,
                                           integers.data(), failed.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (failed[i] != 0) integers[i] = i == 0 ? I{0} : integers[i - 1];
    }
    return find_coarse_facts({integer_type, integers.data(), count}, max_stride);
  };
  return stream.type == DType::f32 ? find(float{}, std::int32_t{}, DType::i32)
                                   : find(double{}, std::int64_t{}, DType::i64);
}

}  // namespace floe::trees
