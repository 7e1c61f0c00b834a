// Are steps and offsets found, exactly where they can be, and only where there are some? Do all floats come
// back?
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/splitmix.hpp"
#include "encodings/affine/blocks.hpp"
#include "encodings/encoding.hpp"

namespace floe::trees {
namespace {

template <class F>
constexpr DType type_of = sizeof(F) == 8 ? DType::f64 : DType::f32;

/// A random walk of integers.
std::vector<int> walk(std::size_t count, std::uint64_t seed = 1) {
  std::vector<int> integers(count);
  int last = 0;
  for (std::size_t i = 0; i < count; ++i) {
    seed = core::splitmix(seed);
    integers[i] = last += static_cast<int>(seed % 41) - 20;
  }
  return integers;
}

template <class F>
std::vector<F> floats(std::size_t count, const std::function<F(int)>& from) {
  std::vector<F> values;
  for (const int integer : walk(count)) values.push_back(from(integer));
  return values;
}

/// What the encoding makes of floats: how many of them are said by integers, without errors, in how many
/// blocks.
struct Said {
  bool any = false;
  std::size_t blocks = 0;
  std::uint64_t on_lines = 0, without_errors = 0, plain = 0, exceptions = 0;
};
template <class F>
Said encode(const std::vector<F>& values, std::uint32_t channels = 1, std::uint32_t integer_bytes = 4) {
  Scratch scratch;
  core::ByteWriter header;
  std::vector<Stream> children;
  Encoded encoded{header, children, scratch};
  const ColumnView view{type_of<F>, values.data(), values.size()};
  Said said;
  said.any = encoding_of(EncodingId::affine).encode(view, {channels, integer_bytes}, encoded);
  if (!said.any) return said;
  said.blocks = find_blocks(view, channels).size();
  said.on_lines = children[0].view().count;
  for (const std::uint8_t error : children[1].words<std::uint8_t>())
    said.without_errors += error == 0 ? 1 : 0;
  said.plain = children[2].view().count;
  said.exceptions = children[3].view().count;
  return said;
}

template <class F>
void expect_exact(const std::vector<F>& values, std::uint64_t errors = 0) {
  const Said said = encode(values);
  ASSERT_TRUE(said.any);
  EXPECT_EQ(said.blocks, 1U);
  EXPECT_GE(said.without_errors + errors, values.size());
  EXPECT_EQ(said.exceptions, 0U);
}

TEST(AffineEncoding, FindsStepsExactly) {
  expect_exact(floats<double>(5000, [](int i) { return i * 0.3048; }));
  expect_exact(floats<float>(5000, [](int i) { return static_cast<float>(i) * 0.0012207f; }));
  expect_exact(floats<double>(5000, [](int i) { return i / 255.0; }));
  expect_exact(floats<double>(5000, [](int i) { return i * (3.14159265358979323846 / 648000); }));
}

TEST(AffineEncoding, FindsOffsetsExactly) {
  expect_exact(floats<double>(5000, [](int i) { return i - 17.3215; }));
  expect_exact(floats<float>(5000, [](int i) { return (static_cast<float>(i) - 3.75f) / 1.75f; }), 10);
  expect_exact(floats<float>(5000, [](int i) { return static_cast<float>((i / 255.0 - 0.485) / 0.229); }),
               10);
}

TEST(AffineEncoding, FindsDecimalsThatWereCalculatedWith) {
  const auto values = floats<double>(5000, [](int i) {
    const double degrees =
        static_cast<double>(core::splitmix(static_cast<std::uint64_t>(i)) % 90'000'000'000) / 1e9;
    return degrees + 180 - 180;
  });
  const Said said = encode(values, 1, 8);
  EXPECT_EQ(said.blocks, 1U);
  EXPECT_EQ(said.on_lines, values.size());
  EXPECT_LT(said.exceptions * 20, values.size()) << "near 0, errors are more units in the last place";
  EXPECT_GT(encode(values).exceptions, 4800U) << "most integers are beyond i32";
}

TEST(AffineEncoding, FindsSmallDecimalsOfManyDigits) {
  // As text of ten digits is read: the error of 10^-27 is that of the nearest float.
  const auto values =
      floats<double>(5000, [](int k) { return (12345678901.0 + 7654321.0 * k) / 1e20 / 1e7; });
  const Said said = encode(values, 1, 8);
  ASSERT_TRUE(said.any);
  EXPECT_EQ(said.blocks, 1U);
  EXPECT_LT(said.exceptions * 20, values.size()) << "near 0, errors are more units in the last place";
  EXPECT_GT(said.without_errors, 2000U);
}

TEST(AffineEncoding, HasLinesOfEachChannel) {
  std::vector<float> values;
  const auto first = walk(3000, 1), second = walk(3000, 2), third = walk(3000, 3);
  for (std::size_t i = 0; i < first.size(); ++i) {
    values.push_back(static_cast<float>(first[i] * 0.00371 + 1));
    values.push_back(static_cast<float>(second[i] * 0.1234 - 20.7));
    values.push_back(static_cast<float>(third[i] * 7.13));
  }
  values.pop_back();  // an incomplete row
  const Said said = encode(values, 3);
  EXPECT_EQ(said.blocks, 1U);
  EXPECT_EQ(said.on_lines, values.size());
  EXPECT_GT(said.without_errors * 100, values.size() * 95);
}

TEST(AffineEncoding, CutsWhereLinesChange) {
  std::vector<double> values;
  for (const double mean : {0.25718, 14.8319, -3.17171}) {
    for (const int integer : walk(1000)) values.push_back(integer - mean);
    for (std::uint64_t i = 0; mean < 0 && i < 600; ++i)
      values.push_back(static_cast<double>(core::splitmix(i)) * 0x1.3p-60);
  }
  const Said said = encode(values);
  EXPECT_EQ(said.blocks, 4U);
  EXPECT_EQ(said.without_errors, 3000U);
  EXPECT_EQ(said.plain, 600U);
}

TEST(AffineEncoding, FindsNothingInNoise) {
  std::vector<double> noise(4000), smooth(4000);
  std::vector<float> noise_f32(4000);
  for (std::size_t i = 0; i < noise.size(); ++i) {
    noise[i] = static_cast<double>(core::splitmix(i) >> 11) * 0x1p-53;
    noise_f32[i] = static_cast<float>(std::log(noise[i] + 1e-3));
    smooth[i] = std::sin(1e-3 * static_cast<double>(i));
  }
  EXPECT_FALSE(encode(noise).any);
  EXPECT_FALSE(encode(smooth).any);
  EXPECT_FALSE(encode(noise_f32).any);
  EXPECT_FALSE(encode(std::vector<double>(100, std::numeric_limits<double>::quiet_NaN())).any);
}

TEST(AffineEncoding, MakesExceptionsOfWhatIsOnNoLine) {
  std::vector<double> values = floats<double>(3000, [](int i) { return i * 0.1; });
  for (std::size_t i = 0; i < values.size(); i += 50) values[i] = std::numeric_limits<double>::quiet_NaN();
  values[7] = -0.0;
  values[8] = std::numeric_limits<double>::infinity();
  values[9] = 1e300;
  const Said said = encode(values);
  EXPECT_EQ(said.blocks, 1U);
  EXPECT_EQ(said.exceptions, 60U + 2);
  EXPECT_EQ(said.without_errors, values.size() - 1) << "but that of -0";
}

}  // namespace
}  // namespace floe::trees
