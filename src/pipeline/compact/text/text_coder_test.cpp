// Tests of codes of text: every text comes back, and any bytes are the code of some text.
#include "pipeline/compact/text/text_coder.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "core/splitmix.hpp"

namespace floe::pipeline {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

Bytes random_bytes(std::size_t count, std::uint64_t seed, unsigned kinds) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(core::splitmix(seed << 32 | i) % kinds);
  return bytes;
}

Bytes bytes_of(const std::string& text) { return {text.begin(), text.end()}; }

TEST(TextCoder, TextsComeBack) {
  std::vector<Bytes> texts{
      {0}, {255}, Bytes(3000, 'a'), random_bytes(2000, 1, 256), random_bytes(2000, 2, 3)};
  std::string table = "a,b\n";
  for (int i = 0; i < 300; ++i) table += std::to_string(i * i % 50) + ",\"x, y\"\n";
  texts.push_back(bytes_of(table));
  for (int byte = 0; byte < 256; ++byte) table += static_cast<char>(byte);
  texts.push_back(bytes_of(table));
  texts.push_back(bytes_of(std::string(9000, ',')));  // more columns than contexts tell apart
  for (const Bytes& text : texts) {
    for (const std::uint8_t separator : {std::uint8_t{','}, std::uint8_t{';'}}) {
      for (const TextKind kind : {TextKind::numbers, TextKind::letters})
        EXPECT_EQ(decode_text(encode_text(text, separator, kind, no_limit), text.size(), separator, kind),
                  text);
    }
  }
}

TEST(TextCoder, RepetitionsTakeNearlyNothing) {
  const std::string row = "1996-01-02,Bonn,7.25,yes\n";
  std::string text;
  for (int i = 0; i < 400; ++i) text += row;
  EXPECT_LT(encode_text(bytes_of(text), ',', TextKind::letters, no_limit).size(), 100u);
}

TEST(TextCoder, LongRepetitionsAreFoundAmongShortOnes) {
  const auto row = [](std::uint64_t number) {
    std::string cells;
    for (std::uint64_t i = 0; i < 60; ++i) {
      cells += static_cast<char>('0' + core::splitmix(number << 32 | i) % 3);
      cells += ',';
    }
    return cells + '\n';
  };
  std::string text;
  for (std::uint64_t i = 0; i < 200; ++i) text += row(i);
  const std::size_t once = encode_text(bytes_of(text), ',', TextKind::numbers, no_limit).size();
  for (std::uint64_t i = 0; i < 200; ++i) text += row(i * 77 % 200);
  EXPECT_LT(encode_text(bytes_of(text), ',', TextKind::numbers, no_limit).size(), once + once / 2);
}

TEST(TextCoder, AnyBytesAreACode) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Bytes code = random_bytes(seed * 7, seed, 256);
    const auto kind = static_cast<TextKind>(seed % 2);
    const Bytes text = decode_text(code, 500, ',', kind);
    ASSERT_EQ(text.size(), 500u);
    EXPECT_EQ(decode_text(encode_text(text, ',', kind, no_limit), 500, ',', kind), text);
  }
}

// Zeros at its end are left out; a one there is not.
TEST(TextCoder, CodesEndWithTheirLastByteThatIsNotZero) {
  std::array<int, 256> ends{};
  for (unsigned i = 0; i < 200; ++i) {
    const Bytes text = random_bytes(1 + i % 3, i, i % 2 == 0 ? 256 : 4);
    const Bytes code = encode_text(text, ',', TextKind::numbers, no_limit);
    ASSERT_EQ(decode_text(code, text.size(), ',', TextKind::numbers), text) << i;
    if (!code.empty()) ++ends[code.back()];
  }
  EXPECT_EQ(ends[0], 0);
  EXPECT_GT(ends[1], 0);
}

TEST(TextCoder, KindsGoByBytes) {
  EXPECT_EQ(kind_of_text(bytes_of("1.5,20,0.25\n"), ','), TextKind::numbers);
  EXPECT_EQ(kind_of_text(bytes_of("Bonn,Germany\n"), ','), TextKind::letters);
}

TEST(TextCoder, LongCodesAreNotMade) {
  const Bytes text = random_bytes(5000, 3, 256);
  EXPECT_TRUE(encode_text(text, ',', TextKind::numbers, 4000).empty());
  EXPECT_FALSE(encode_text(text, ',', TextKind::letters, 6000).empty());
}

std::string digits(std::size_t count, std::uint64_t seed) {
  std::string text;
  for (std::uint64_t i = 0; i < count; ++i)
    text += static_cast<char>('0' + core::splitmix(seed << 32 | i) % 10);
  return text;
}

// What repeats others further on is not given up for its beginnings.
TEST(TextCoder, CodesAreLongIfTheirBeginningsAre) {
  const Bytes noise = bytes_of(digits(70'000, 1));
  const std::uint64_t least = noise.size() * 332 / 800;
  EXPECT_TRUE(encode_text(noise, ',', TextKind::numbers, least, true).empty());
  EXPECT_FALSE(encode_text(noise, ',', TextKind::numbers, least + least / 16, true).empty());
  std::string rows, text;
  for (std::uint64_t i = 0; i < 100; ++i) rows += digits(60, 3 + i) + '\n';
  for (int i = 0; i < 60; ++i) text += rows;
  const std::uint64_t size = encode_text(bytes_of(text), ',', TextKind::numbers, no_limit).size();
  EXPECT_EQ(encode_text(bytes_of(text), ',', TextKind::numbers, size, true).size(), size);
}

}  // namespace
}  // namespace floe::pipeline
