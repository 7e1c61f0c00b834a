// Tests of workspaces: there is always a block for what is not opened ahead, and everything lies within.
#include "gpu/decode/decode_rooms.hpp"

#include <gtest/gtest.h>

#include "gpu/unpack/unpack_chain.hpp"

namespace floe::gpu {
namespace {

TEST(DecodeRooms, LeaveABlockItsRoom) {
  for (const std::uint64_t segments : {1, 2, 3, 7, 64, 1000, 100000}) {
    for (const std::uint64_t block : {256, 4096, 600064}) {
      for (const std::uint64_t opened : {0, 1440, 4928, 4930, 70000}) {
        for (const std::uint64_t wanted : {std::uint64_t{1}, std::min<std::uint64_t>(segments, 396)}) {
          const std::uint64_t whole = decode_room(segments, block, opened);
          for (const std::uint64_t room :
               {block, block + 1, block + 4928, whole / 2, whole - 1, whole, whole + 100000}) {
            if (room < block) continue;
            const DecodeRooms rooms = decode_rooms(room, segments, wanted, block, opened);
            ASSERT_GE(rooms.block_count, 1u);
            ASSERT_LE(rooms.block_count, wanted);
            ASSERT_GE(rooms.block_bytes, block);
            ASSERT_LE(rooms.opened_bytes + rooms.block_count * rooms.block_bytes, room);
            ASSERT_GE(rooms.opened_bytes, rooms.opened_count * opened);
            ASSERT_EQ(rooms.opened_bytes % room_unit, 0u);
          }
        }
      }
    }
  }
}

TEST(DecodeRooms, AreEnoughForAllIfTheWorkspaceIsAsLongAsWasSaid) {
  for (const std::uint32_t words : {1u, 1000u, 57344u, 65536u, 1u << 20}) {
    for (const std::uint64_t segments : {1, 2, 300, 5000}) {
      const std::uint64_t block = decode_scratch_bytes(words, 8), opened = OpenedRecord::bytes(words),
                          wanted = std::min<std::uint64_t>(segments, max_decode_blocks);
      const DecodeRooms rooms =
          decode_rooms(decode_room(segments, block, opened), segments, wanted, block, opened);
      EXPECT_EQ(rooms.block_count, wanted) << words << " words, " << segments << " segments";
      EXPECT_EQ(rooms.opened_count, std::min<std::uint64_t>(segments, max_opened_segments));
    }
  }
}

TEST(DecodeRooms, NeedNoBlockWhereBlocksNeedNothing) {
  EXPECT_EQ(decode_rooms(0, 0, 0, 0, 0).block_count, 0u);
}

}  // namespace
}  // namespace floe::gpu
