// Does every float come back from its multiple and the bits below it, and what is an exception?
#include "encodings/grid/grid.hpp"

#include <gtest/gtest.h>

namespace floe::trees {
namespace {

template <core::Word W>
void expect_inverse(DType type, W step) {
  const FloatLayout layout = layout_of(type);
  for (const unsigned exponent : {1U, 2U, layout.top_exponent() / 2, layout.top_exponent() - 1}) {
    W word = 0;
    std::uint64_t on_grid = 0;
    do {
      if (const auto found = layout.on_grid(word, exponent)) {
        ++on_grid;
        ASSERT_EQ(layout.low_bits_of(found->multiple), found->low_bits);
        ASSERT_TRUE(layout.is_valid(found->multiple, exponent, found->low_bits));
        ASSERT_EQ(layout.off_grid(found->multiple, exponent, found->low, found->low_bits), word);
      }
      word = static_cast<W>(word + step);
    } while (word >= step);
    EXPECT_GT(on_grid, 1U) << exponent;
  }
}

TEST(GridEncoding, BringsBackFloatsOfEveryType) {
  expect_inverse<std::uint16_t>(DType::f16, 1);
  expect_inverse<std::uint16_t>(DType::bf16, 1);
  expect_inverse<std::uint32_t>(DType::f32, 40503);
  expect_inverse<std::uint64_t>(DType::f64, 0x3C6EF372FE95);
}

TEST(GridEncoding, SaysNeitherSpecialNumbersNorThoseBeyondTheGrid) {
  const FloatLayout layout = layout_of(DType::f32);
  constexpr unsigned one = 127;
  const auto is_on_grid = [&](float value) {
    return layout.on_grid(std::bit_cast<std::uint32_t>(value), one).has_value();
  };
  for (const float value : {0.0f, 1.0f, -1.5f, 1.99f, 0x1p-23f, -0x1p-23f})
    EXPECT_TRUE(is_on_grid(value)) << value;
  for (const float value : {-0.0f, 2.0f, -2.0f, 0x1.8p-24f, 0x1p-130f, 1.0f / 0.0f, 0.0f / 0.0f})
    EXPECT_FALSE(is_on_grid(value)) << value;
}

TEST(GridEncoding, MultiplesAreLinear) {
  const FloatLayout layout = layout_of(DType::f64);
  const auto multiple = [&](double value) {
    return static_cast<std::int64_t>(layout.on_grid(std::bit_cast<std::uint64_t>(value), 1023 + 3)->multiple);
  };
  EXPECT_EQ(multiple(8) - multiple(7.5), multiple(0.25) - multiple(-0.25));
}

}  // namespace
}  // namespace floe::trees
