// Is memory that goes used again, and no more kept than a limit?
#include "core/spare_memory.hpp"

#include <gtest/gtest.h>

#include "tests/support/sanitized.hpp"

namespace floe::core {
namespace {

const bool keeps = !test::address_sanitizer;

TEST(SpareMemory, ABlockWithRoomIsUsedAgain) {
  free_spare_memory();
  AlignedMemory block = take_spare_block(100'000);
  std::uint8_t* const data = block.data();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(data) % 64, 0U);
  keep_spare(std::move(block));
  AlignedMemory larger = take_spare_block(100'001), same = take_spare_block(90'000);
  EXPECT_NE(larger.data(), data);
  EXPECT_EQ(same.data() == data, keeps);
  EXPECT_GE(same.capacity(), 90'000U);
}

TEST(SpareMemory, VectorsComeEmptyWithRoom) {
  free_spare_memory();
  keep_spare(std::vector<std::uint8_t>(200'000, 7));
  const std::vector<std::uint8_t> vector = take_spare_vector(150'000);
  EXPECT_TRUE(vector.empty());
  EXPECT_GE(vector.capacity(), keeps ? 200'000U : 150'000U);
}

TEST(SpareMemory, TheOldestBlocksMakeRoom) {
  free_spare_memory();
  constexpr std::size_t block_bytes = max_spare_bytes / 8;
  std::vector<AlignedMemory> blocks;
  std::vector<const std::uint8_t*> addresses;
  for (std::size_t i = 0; i < 6; ++i) {
    blocks.push_back(take_spare_block(block_bytes));
    addresses.push_back(blocks.back().data());
  }
  for (AlignedMemory& block : blocks) keep_spare(std::move(block));
  for (std::size_t i = 2; i < 6; ++i) {
    blocks[i] = take_spare_block(block_bytes);
    EXPECT_EQ(blocks[i].data() == addresses[i], keeps) << i;
  }
  free_spare_memory();
}

}  // namespace
}  // namespace floe::core
