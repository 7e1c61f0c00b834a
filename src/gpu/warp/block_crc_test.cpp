// Tests of CRCs in parts: the sum of the threads' shares is the CRC of the whole.
#include "gpu/warp/block_crc.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "core/crc32c.hpp"
#include "tests/support/data.hpp"

namespace floe::gpu {
namespace {

std::uint32_t crc_of(const std::vector<std::uint32_t>& words, const CrcTables& tables) {
  const std::size_t padding = (crc_threads - words.size() % crc_threads) % crc_threads;
  std::uint32_t crc = 0;
  for (unsigned t = 0; t < crc_threads; ++t) {
    std::uint32_t share = 0;
    for (std::size_t at = t; at < words.size() + padding; at += crc_threads) {
      const std::uint32_t word = at < padding ? 0 : words[at - padding];
      share = crc_step(tables.step[0].data(), share, at == padding ? ~word : word);
    }
    crc ^= crc_contribution(tables.last[t], share);
  }
  return ~crc;
}

TEST(CrcParts, MakeTheCrcOfTheWhole) {
  const auto tables = std::make_unique<CrcTables>(make_crc_tables());
  test::Random random(1);
  for (const std::size_t count : {1u, 2u, 3u, 11u, 511u, 512u, 513u, 1024u, 7000u, 7167u, 7168u}) {
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random.next());
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(words.data());
    EXPECT_EQ(crc_of(words, *tables), core::crc32c({bytes, 4 * count})) << count;
  }
}

}  // namespace
}  // namespace floe::gpu
