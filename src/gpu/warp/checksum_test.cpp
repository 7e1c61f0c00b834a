// Tests of checksums by an emulated warp: they are those of the CPU, of whole payloads and in pieces.
#include "gpu/warp/checksum.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/data.hpp"
#include "tests/support/emulated_warp.hpp"

namespace floe::test {
namespace {

constexpr gpu::ChecksumTables tables = gpu::make_checksum_tables();

std::vector<Bytes> payloads() {
  std::vector<Bytes> all;
  for (std::uint32_t bytes = 0; bytes <= core::chunk_bytes; bytes += bytes < 1536 ? 16 : 1056)
    all.push_back(make_bytes(32, 8, bytes, bytes));
  all.push_back(make_bytes(32, 8, core::chunk_bytes, 1));
  return all;
}

TEST(WarpChecksum, IsThatOfTheCpu) {
  for (const Bytes& payload : payloads()) {
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    const std::uint32_t expected = core::chunk_checksum(payload.data(), bytes);
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EXPECT_EQ(gpu::payload_checksum(warp, payload.data(), bytes, tables), expected) << bytes;
    });
  }
}

TEST(WarpChecksum, OfAPayloadThatIsPassedOn) {
  for (const Bytes& payload : payloads()) {
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    const std::uint32_t expected = core::chunk_checksum(payload.data(), bytes);
    Bytes copy(bytes);
    const auto pass_on = [&](std::uint32_t at, const auto& v) { gpu::store_aligned(copy.data() + at, v); };
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EXPECT_EQ(gpu::payload_checksum(warp, payload.data(), bytes, tables, pass_on), expected) << bytes;
    });
    EXPECT_TRUE(copy == payload) << bytes;
  }
}

TEST(WarpChecksum, CanBeMadeOfPieces) {
  for (const Bytes& payload : payloads()) {
    const auto bytes = static_cast<std::uint32_t>(payload.size());
    const std::uint32_t expected = core::chunk_checksum(payload.data(), bytes);
    std::uint32_t sums[core::ChecksumWeights::column_count] = {};
    for (unsigned piece = 0; piece < 3; ++piece) {
      const std::uint32_t begin = bytes / 16 * piece / 3 * 16, end = bytes / 16 * (piece + 1) / 3 * 16;
      EmulatedWarp::run([&](EmulatedWarp& warp) {
        sums[gpu::lane_column(warp, begin)] +=
            gpu::column_sum(warp, payload.data() + begin, begin, end, tables);
      });
    }
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      const std::uint32_t column = gpu::lane_column(warp, 48);
      EXPECT_EQ(gpu::checksum_of_sums(warp, column, sums[column], tables), expected) << bytes;
    });
  }
}

}  // namespace
}  // namespace floe::test
