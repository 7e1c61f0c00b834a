// The CRC is that of Castagnoli.
#include "core/crc32c.hpp"

#include <gtest/gtest.h>

#include <string_view>

#include "tests/support/data.hpp"

namespace floe::test {
namespace {

std::uint32_t crc_bit_by_bit(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~crc;
}

Bytes size_of(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Crc32c, PublishedVectors) {  // RFC 3720, appendix B.4
  EXPECT_EQ(core::crc32c({}), 0u);
  EXPECT_EQ(core::crc32c(size_of("123456789")), 0xE3069283u);
  EXPECT_EQ(core::crc32c(Bytes(32, 0x00)), 0x8A9136AAu);
  EXPECT_EQ(core::crc32c(Bytes(32, 0xFF)), 0x62A8AB43u);
  Bytes ascending(32);
  for (std::size_t i = 0; i < ascending.size(); ++i) ascending[i] = static_cast<std::uint8_t>(i);
  EXPECT_EQ(core::crc32c(ascending), 0x46DD794Eu);
  std::reverse(ascending.begin(), ascending.end());
  EXPECT_EQ(core::crc32c(ascending), 0x113FDB5Cu);
}

TEST(Crc32c, EveryLengthAndAlignment) {
  Random random(1);
  Bytes bytes(400);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random.next());
  for (std::size_t offset = 0; offset < 9; ++offset) {
    for (std::size_t length = 0; length + offset <= bytes.size(); ++length) {
      const auto part = std::span<const std::uint8_t>(bytes).subspan(offset, length);
      const std::uint32_t crc = crc_bit_by_bit(part);
      ASSERT_EQ(core::crc32c(part), crc) << offset << ", " << length;
      ASSERT_EQ(core::crc32c_by_tables(part), crc) << offset << ", " << length;
    }
  }
}

TEST(Crc32c, FindsEverySingleBit) {
  Bytes bytes = make_bytes(8, 0, 200, 0);
  const std::uint32_t crc = core::crc32c(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
    EXPECT_NE(core::crc32c(bytes), crc);
    bytes[bit / 8] ^= static_cast<std::uint8_t>(1u << bit % 8);
  }
}

}  // namespace
}  // namespace floe::test
