// Kernels between floats and integers that stand for them: decimals, lines, grids.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/power_of_ten.hpp"
#include "core/splitmix.hpp"
#include "simd/kernels.hpp"

namespace floe::trees {
namespace {

class FloatKernelsOfIsa : public testing::TestWithParam<cpu::Isa> {};

template <class F, class I>
void check_decimals(cpu::Isa isa) {
  std::vector<I> integers = {0, 1, -1, std::numeric_limits<std::int32_t>::max(),
                             std::numeric_limits<std::int32_t>::min()};
  for (const std::int64_t odd : {16777217, 16777219, 33554431}) {  // halfway between two floats
    for (const std::int64_t factor : {1, 5, 25, 125}) {
      for (std::int64_t tie = odd * factor; tie < std::int64_t{1} << 31; tie *= 2)
        integers.insert(integers.end(), {static_cast<I>(tie), static_cast<I>(-tie), static_cast<I>(tie + 1)});
    }
  }
  for (std::uint64_t i = 0; i < 1000; ++i)
    integers.push_back(static_cast<I>(static_cast<std::int32_t>(core::splitmix(i) >> (i % 64))));
  std::vector<F> values(integers.size());
  for (std::uint32_t digits = 0; digits <= core::max_decimal_digits; ++digits) {
    const double power = core::power_of_ten(digits);
    ASSERT_TRUE(
        (kernels_of(isa).decimals<F, I>().to_values(integers.data(), integers.size(), power, values.data())));
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], static_cast<F>(static_cast<double>(integers[i]) / power))
          << integers[i] << " " << digits;
  }
}

TEST_P(FloatKernelsOfIsa, DivideByPowersOfTen) {
  check_decimals<float, std::int32_t>(GetParam());
  check_decimals<double, std::int32_t>(GetParam());
  check_decimals<double, std::int64_t>(GetParam());
  const std::vector<std::int64_t> wide = {std::int64_t{1} << 51};
  double value = 0;
  EXPECT_FALSE(
      (kernels_of(GetParam()).decimals<double, std::int64_t>().to_values(wide.data(), 1, 10, &value)));
}

/// What a float is rounded to, by the definition.
double rounded(float value, DecimalRounding rounding) {
  if (rounding.kind == DecimalRounding::none) return value;
  std::uint32_t digits = rounding.digits;
  if (rounding.kind == DecimalRounding::significant) {
    // So many that one more would leave none of the significant digits before the point for the next decade.
    digits = 0;
    while (digits < core::max_decimal_digits &&
           std::fabs(double{value}) < (rounding.digits > digits + 1
                                           ? core::power_of_ten(rounding.digits - digits - 1)
                                           : 1 / core::power_of_ten(digits + 1 - rounding.digits)))
      ++digits;
  }
  const double power = core::power_of_ten(digits);
  return std::copysign(std::nearbyint(double{value} * power) / power, value);
}

TEST_P(FloatKernelsOfIsa, FloatsRoundedToDigits) {
  std::vector<float> floats = {0,      -0.0F,  0.1F,    1,     -1,   9.5F, 10,
                               99.99F, 1e-22F, -1e-30F, 1e15F, 0.5F, 2.5F, -0.25F};
  for (std::uint32_t i = 0; i < 15; ++i) {
    const auto power = static_cast<float>(core::power_of_ten(i)),
               inverse = static_cast<float>(1 / core::power_of_ten(i));
    for (const float edge : {power, inverse})
      floats.insert(floats.end(), {edge, std::nextafter(edge, 0.0F), std::nextafter(edge, 1e30F)});
  }
  for (std::uint64_t i = 0; i < 3000; ++i) {
    const auto scale = std::exp2(static_cast<float>(i % 70) - 60);
    floats.push_back((static_cast<float>(core::splitmix(i) >> 40) - 0x1p23F) * scale);
  }
  const NarrowKernels& kernel = kernels_of(GetParam()).narrow;
  std::vector<double> values(floats.size());
  std::vector<float> found(floats.size());
  std::vector<std::uint8_t> failed(floats.size());
  for (const auto kind :
       {DecimalRounding::none, DecimalRounding::after_point, DecimalRounding::significant}) {
    for (std::uint32_t digits = kind == DecimalRounding::significant ? 1 : 0; digits <= 15; ++digits) {
      const DecimalRounding rounding{kind, digits};
      std::vector<float> good;
      for (const float value : floats) {
        if (kind != DecimalRounding::after_point || std::fabs(value) * core::power_of_ten(digits) < 0x1p51)
          good.push_back(value);
      }
      ASSERT_TRUE(kernel.to_values(good.data(), good.size(), rounding, values.data()));
      std::size_t failures = 0;
      kernel.to_floats(values.data(), good.size(), rounding, found.data(), failed.data());
      for (std::size_t i = 0; i < good.size(); ++i) {
        const double expected = rounded(good[i], rounding);
        ASSERT_EQ(std::bit_cast<std::uint64_t>(values[i]), std::bit_cast<std::uint64_t>(expected))
            << good[i] << " " << kind << " " << digits;
        ASSERT_EQ(found[i], static_cast<float>(expected));
        const bool comes_back = std::bit_cast<std::uint64_t>(rounded(found[i], rounding)) ==
                                std::bit_cast<std::uint64_t>(expected);
        ASSERT_EQ(failed[i], comes_back ? 0 : 1) << good[i] << " " << kind << " " << digits;
        failures += failed[i];
      }
      EXPECT_EQ(kernel.to_floats(values.data(), good.size(), rounding, found.data(), failed.data()),
                failures);
    }
  }
}

TEST_P(FloatKernelsOfIsa, FloatsThatAreNoNumbersOrTooLarge) {
  const NarrowKernels& kernel = kernels_of(GetParam()).narrow;
  constexpr float endless = std::numeric_limits<float>::infinity();
  for (const auto kind :
       {DecimalRounding::none, DecimalRounding::after_point, DecimalRounding::significant}) {
    for (const float bad : {endless, -endless, std::numeric_limits<float>::quiet_NaN(), 0x1p51F}) {
      if (kind == DecimalRounding::none && bad == 0x1p51F) continue;
      std::vector<float> floats(9, 1.0F), found(9);
      floats[6] = bad;
      std::vector<double> values(9);
      std::vector<std::uint8_t> failed(9);
      const DecimalRounding rounding{kind, kind == DecimalRounding::none ? 0U : 1U};
      EXPECT_FALSE(kernel.to_values(floats.data(), floats.size(), rounding, values.data())) << bad << kind;
      std::ranges::copy(floats, values.begin());
      EXPECT_EQ(kernel.to_floats(values.data(), values.size(), rounding, found.data(), failed.data()), 1U);
      EXPECT_EQ(failed[6], 1);
    }
  }
}

/// Every instruction set rounds each operation, as the definition does, and finds what came from a line.
template <class F, class I>
void check_lines(cpu::Isa isa) {
  using W = std::conditional_t<sizeof(F) == 8, std::uint64_t, std::uint32_t>;
  constexpr std::size_t count = 1003;
  std::vector<I> integers(count), found(count);
  std::vector<std::int8_t> errors(count), found_errors(count);
  std::vector<std::uint8_t> failed(count);
  std::vector<double> steps(count), offsets(count);
  std::vector<F> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    // So few bits that 127 floats are less than half a step.
    constexpr unsigned integer_bits = sizeof(I) == 8 ? 40 : 14;
    integers[i] = static_cast<I>(core::splitmix(i) >> (64 - integer_bits)) - (I{1} << (integer_bits - 1));
    errors[i] = static_cast<std::int8_t>(static_cast<int>(core::splitmix(i) % 255) - 127);
    steps[i] = i % 2 == 0 ? 0.1 : 1.0 / 3;
    offsets[i] = i % 3 == 0 ? 0 : 1234.5678;
  }
  const AffineKernels<F, I>& kernel = kernels_of(isa).affine<F, I>();
  const int forms = sizeof(F) == 8 ? 3 : 6;
  for (int i = 1; i <= forms; ++i) {
    const auto form = static_cast<AffineForm>(i);
    EXPECT_TRUE((kernel.to_values(form, integers.data(), errors.data(), count, steps.data(), offsets.data(),
                                  values.data())));
    for (std::size_t at = 0; at < count; ++at) {
      const F on_line = float_on<F>(form, steps[at], offsets[at], static_cast<double>(integers[at]));
      const auto in_order = [](F value) {
        const W bits = std::bit_cast<W>(value), top = W{1} << (8 * sizeof(W) - 1);
        return (bits & top) != 0 ? static_cast<W>(~bits) : static_cast<W>(bits | top);
      };
      ASSERT_EQ(in_order(values[at]), static_cast<W>(in_order(on_line) + static_cast<W>(errors[at])))
          << i << " " << at;
    }
    EXPECT_EQ(kernel.to_integers(form, values.data(), count, steps.data(), offsets.data(), found.data(),
                                 found_errors.data(), failed.data()),
              0U);
    EXPECT_EQ(found, integers);
    EXPECT_EQ(found_errors, errors);
  }
  values[5] = std::numeric_limits<F>::quiet_NaN();
  values[6] = std::numeric_limits<F>::infinity();
  values[7] = static_cast<F>(1e30);
  EXPECT_GE(kernel.to_integers(AffineForm::sum, values.data(), 8, steps.data(), offsets.data(), found.data(),
                               found_errors.data(), failed.data()),
            3U);
  EXPECT_EQ(failed[5] + failed[6] + failed[7], 3);
}

TEST_P(FloatKernelsOfIsa, Lines) {
  check_lines<float, std::int32_t>(GetParam());
  check_lines<double, std::int32_t>(GetParam());
  check_lines<double, std::int64_t>(GetParam());
}

/// Of whichever length, points near 0 say nothing of steps.
TEST_P(FloatKernelsOfIsa, IntervalsOfLines) {
  const LineKernels& kernel = kernels_of(GetParam()).lines_f64;
  constexpr double endless = std::numeric_limits<double>::infinity();
  std::vector<double> steps, values, halves;
  double min_step = 0, max_step = endless, min_offset = -endless, max_offset = endless;
  for (std::uint64_t i = 0; i < 43; ++i) {
    const LinePoints points{steps.data(), values.data(), halves.data(), steps.size()};
    const Interval of_steps = kernel.steps_of(points, 0.25), of_offsets = kernel.offsets_of(points, 0.1);
    EXPECT_EQ(of_steps.low, min_step) << i;
    EXPECT_EQ(of_steps.high, max_step) << i;
    EXPECT_EQ(of_offsets.low, min_offset) << i;
    EXPECT_EQ(of_offsets.high, max_offset) << i;
    steps.push_back(static_cast<double>(core::splitmix(i) % 21) - 10);
    values.push_back(steps.back() * 0.1 + 0.003 * static_cast<double>(core::splitmix(i) % 7));
    halves.push_back(0.5 / static_cast<double>(i + 1));
    const double moved = steps.back() + 0.25, offset = values.back() - steps.back() * 0.1;
    if (std::abs(moved) >= 1) {
      const auto [low, high] =
          std::minmax({(values.back() - halves.back()) / moved, (values.back() + halves.back()) / moved});
      min_step = std::max(min_step, low);
      max_step = std::min(max_step, high);
    }
    min_offset = std::max(min_offset, offset - halves.back());
    max_offset = std::min(max_offset, offset + halves.back());
  }
}

/// The floats of integers, and of those nearest to values of any size.
template <class F>
void check_floats_of_lines(const LineKernels& kernel, int forms) {
  constexpr std::size_t count = 205;
  std::vector<double> integers(count), values(count), on_line(count);
  for (std::size_t i = 0; i < count; ++i) {
    integers[i] = static_cast<double>(static_cast<std::int64_t>(core::splitmix(i)) >> (i % 60));
    values[i] = static_cast<double>(static_cast<F>(integers[i] * 0.37));
  }
  for (int i = 1; i <= forms; ++i) {
    const AffineLine line{static_cast<AffineForm>(i), 0.37, i % 2 == 0 ? 0 : 0.5};
    std::size_t misses = 0, misses_of_nearest = 0;
    const auto float_of = [&](double integer) {
      return static_cast<double>(float_on<F>(line.form, line.step, line.offset, integer));
    };
    const auto nearest = [&](double value) {
      const AffineForm form = in_double(line.form);
      return std::nearbyint(form == AffineForm::sum       ? (value - line.offset) / line.step
                            : form == AffineForm::product ? value / line.step - line.offset
                                                          : value * line.step - line.offset);
    };
    for (std::size_t at = 0; at < count; ++at) {
      misses += float_of(integers[at]) != values[at] ? 1 : 0;
      misses_of_nearest += float_of(nearest(values[at])) != values[at] ? 1 : 0;
    }
    EXPECT_EQ(kernel.to_floats(line, integers.data(), values.data(), count, on_line.data()), misses);
    for (std::size_t at = 0; at < count; ++at)
      ASSERT_EQ(on_line[at], float_of(integers[at])) << i << " " << at;
    EXPECT_EQ(kernel.to_nearest(line, values.data(), count, on_line.data()), misses_of_nearest);
    for (std::size_t at = 0; at < count; ++at)
      ASSERT_EQ(on_line[at], float_of(nearest(values[at]))) << i << " " << at;
  }
}

TEST_P(FloatKernelsOfIsa, FloatsOfLines) {
  check_floats_of_lines<float>(kernels_of(GetParam()).lines_f32, 6);
  check_floats_of_lines<double>(kernels_of(GetParam()).lines_f64, 3);
}

/// The kernels of floats of 16 bits as those of others.
template <class W>
struct GridOfIsa : GridKernels<W> {
  GridOfIsa(cpu::Isa isa, unsigned) : GridKernels<W>(kernels_of(isa).grid<W>()) {}
};
template <>
struct GridOfIsa<std::uint16_t> {
  using W = std::uint16_t;
  GridOfIsa(cpu::Isa isa, unsigned precision_of_type)
      : kernels(kernels_of(isa).grid_of_short), precision(precision_of_type) {}
  bool to_multiples(const W* words, std::size_t count, unsigned exponent, W* multiples, W* low,
                    std::uint8_t* widths) const {
    return kernels.to_multiples(words, count, precision, exponent, multiples, low, widths);
  }
  std::size_t to_floats(W* words, std::size_t count, unsigned exponent, std::uint8_t* widths) const {
    return kernels.to_floats(words, count, precision, exponent, widths);
  }
  std::size_t put_low(W* words, std::size_t count, const std::uint8_t* widths, const std::uint8_t* bits,
                      std::size_t at) const {
    return kernels.put_low(words, count, widths, bits, at);
  }
  std::size_t pack_low(const W* low, std::size_t count, const std::uint8_t* widths, std::uint8_t* bits,
                       std::size_t at) const {
    return kernels.pack_low(low, count, widths, bits, at);
  }
  const ShortGridKernels& kernels;
  unsigned precision;
};

/// Mantissas of `mantissa_bits` bits behind the leading one; exponents up to `max_exponent`, the one of the
/// grid, and some beyond what it can say.
template <class W>
void check_grid(cpu::Isa isa, unsigned mantissa_bits, unsigned max_exponent) {
  constexpr std::size_t count = 1001;
  constexpr W top = W{1} << (8 * sizeof(W) - 1);
  std::vector<W> words(count), multiples(count), low(count);
  std::vector<std::uint8_t> widths(count, 0xFF);
  for (std::size_t i = 0; i < count; ++i) {
    const auto own = static_cast<W>(max_exponent + 1 - core::splitmix(i) % (mantissa_bits + 3));
    words[i] = i % 50 == 0 ? W{0}
                           : static_cast<W>((own << mantissa_bits) |
                                            (core::splitmix(i + count) & ((W{1} << mantissa_bits) - 1)) |
                                            (i % 3 == 0 ? top : W{0}));
  }
  words[7] = top;  // -0.0
  const GridOfIsa<W> kernel(isa, mantissa_bits + 1);
  const auto is_on_grid = [&](W word) {
    const auto own = static_cast<W>(static_cast<W>(word & ~top) >> mantissa_bits);
    return own != 0 && own <= max_exponent && own + mantissa_bits >= max_exponent;
  };
  EXPECT_FALSE(
      kernel.to_multiples(words.data(), count, max_exponent, multiples.data(), low.data(), widths.data()));
  for (std::size_t i = 0; i < count; ++i) {
    ASSERT_EQ(multiples[i] != 0, is_on_grid(words[i])) << i;
    if (is_on_grid(words[i])) continue;
    EXPECT_EQ(low[i] | widths[i], 0) << i;
    words[i] = 0;
  }
  EXPECT_TRUE(
      kernel.to_multiples(words.data(), count, max_exponent, multiples.data(), low.data(), widths.data()));
  std::vector<std::uint8_t> bits(count * sizeof(W) + 16), found(count);
  std::size_t end = 3, sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    for (unsigned bit = 0; bit < widths[i]; ++bit, ++end)
      bits[end / 8] |= static_cast<std::uint8_t>((low[i] >> bit & 1) << (end % 8));
    sum += widths[i];
  }
  std::vector<std::uint8_t> packed(bits.size(), 0xFF);  // but for the bits before, and what is not written
  packed[0] = 0;
  EXPECT_EQ(kernel.pack_low(low.data(), count, widths.data(), packed.data(), 3), end);
  EXPECT_TRUE(
      std::equal(packed.begin(), packed.begin() + static_cast<std::ptrdiff_t>((end + 7) / 8), bits.begin()));
  EXPECT_EQ(kernel.to_floats(multiples.data(), count, max_exponent, found.data()), sum);
  EXPECT_EQ(found, widths);
  EXPECT_EQ(kernel.put_low(multiples.data(), count, widths.data(), bits.data(), 3), end);
  EXPECT_EQ(multiples, words);
  multiples[5] = static_cast<W>(W{1} << (mantissa_bits + 1));
  EXPECT_EQ(kernel.to_floats(multiples.data(), count, max_exponent, found.data()), ~std::size_t{0});
}

TEST_P(FloatKernelsOfIsa, Grids) {
  check_grid<std::uint16_t>(GetParam(), 7, 130);
  check_grid<std::uint16_t>(GetParam(), 10, 28);
  check_grid<std::uint32_t>(GetParam(), 23, 130);
  check_grid<std::uint64_t>(GetParam(), 52, 1030);
}

INSTANTIATE_TEST_SUITE_P(Isas, FloatKernelsOfIsa,
                         testing::ValuesIn(cpu::available_isas().begin(), cpu::available_isas().end()),
                         [](const auto& isa) { return std::string(cpu::name_of(isa.param)); });

}  // namespace
}  // namespace floe::trees
