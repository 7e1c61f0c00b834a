// Do the weights predict what follows a rule, and is that the prediction that the format says?
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/encoding.hpp"
#include "encodings/linear/weights.hpp"

namespace floe::trees {
namespace {

/// An oscillation, and noise of a few steps.
template <core::Word W>
std::vector<W> oscillation(std::size_t count, double amplitude) {
  std::vector<W> words(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double value = amplitude * std::sin(0.07 * static_cast<double>(i));
    words[i] =
        static_cast<W>(static_cast<std::int64_t>(value) + static_cast<std::int64_t>(core::splitmix(i) % 5));
  }
  return words;
}

template <core::Word W>
std::vector<W> errors_of(const std::vector<W>& words, std::uint32_t count) {
  Scratch scratch;
  core::ByteWriter header;
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  const ColumnView view{signed_type(sizeof(W)), words.data(), words.size()};
  EXPECT_TRUE(encoding_of(EncodingId::linear).encode(view, {count, 1}, encoded));
  const std::span<const W> errors = children[0].view().template words<W>();
  return {errors.begin(), errors.end()};
}

template <core::Word W>
double mean_error(const std::vector<W>& errors) {
  double sum = 0;
  for (const W error : errors)
    sum += std::fabs(static_cast<double>(static_cast<std::make_signed_t<W>>(error)));
  return sum / static_cast<double>(errors.size());
}

TEST(LinearEncoding, PredictsOscillations) {
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint32_t>(20000, 1e6), 8)), 50);
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint16_t>(20000, 3e4), 8)), 50);
  // Weights of 16 bits behind the point cannot do better.
  EXPECT_LT(mean_error(errors_of(oscillation<std::uint64_t>(20000, 1e15), 8)), 1e11);
}

TEST(LinearEncoding, PredictsAsTheFormatSays) {
  Weights weights{};
  weights[0] = 2 << weight_bits;
  weights[1] = -(1 << weight_bits);
  const std::array<std::int64_t, 2> line{10, 20};
  EXPECT_EQ(predict<std::uint32_t>(line.data() + 2, weights.data(), 2U), 30U);
  const std::array<std::int64_t, 2> wide{factor_of(std::uint64_t{1} << 40),
                                         factor_of(std::uint64_t{3} << 40)};
  EXPECT_EQ(predict<std::uint64_t>(wide.data() + 2, weights.data(), 2U), std::uint64_t{5} << 40);
  weights[0] = 1 << (weight_bits - 1);  // a half, rounded upwards
  const std::array<std::int64_t, 1> negative{factor_of(static_cast<std::uint8_t>(-5))};
  EXPECT_EQ(predict<std::uint8_t>(negative.data() + 1, weights.data(), 1U), static_cast<std::uint8_t>(-2));
}

TEST(LinearEncoding, FindsRowsAndPlanes) {
  // Of planes of 30 rows of 50 words, each word is the sum of two before it, and noise.
  std::vector<std::uint32_t> words(45000);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto noise = static_cast<std::uint32_t>(core::splitmix(i) % 7);
    words[i] = i < 1500 ? static_cast<std::uint32_t>(core::splitmix(i) >> 44)
                        : static_cast<std::uint32_t>((words[i - 50] + words[i - 1500]) / 2 + noise);
  }
  const auto distances = find_distances(std::span<const std::uint32_t>(words), 4, 50);
  ASSERT_TRUE(distances);
  EXPECT_TRUE(std::is_sorted(distances->begin(), distances->begin() + 4));
  for (const std::uint32_t distance : {50U, 1500U})
    EXPECT_NE(std::find(distances->begin(), distances->begin() + 4, distance), distances->begin() + 4);
  EXPECT_FALSE(find_distances(std::span<const std::uint32_t>(words).first(100), 4, 20));
}

TEST(LinearEncoding, FindsNoWeightsForZerosAndFewWords) {
  const std::vector<std::uint32_t> zeros(1000), few(20, 7);
  EXPECT_FALSE(find_weights(std::span<const std::uint32_t>(zeros), 4));
  EXPECT_FALSE(find_weights(std::span<const std::uint32_t>(few), 16));
}

}  // namespace
}  // namespace floe::trees
