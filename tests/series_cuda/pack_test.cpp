// Tests of words of chains, packed by emulated warps tile by tile: they become the bytes of the CPU's
// wherever they lie.
#include <gtest/gtest.h>

#include "gpu/pack/pack_limits.hpp"
#include "tests/series_cuda/emulated_encoder.hpp"

namespace floe::test {
namespace {

/// Exceptions of bit packing of every width, and vectors of every width.
TEST(DevicePacker, PacksEveryWidth) {
  for (const DType type : {DType::i8, DType::u16, DType::i32, DType::u64}) {
    const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
    for (unsigned width = 0; width <= bits; ++width) {
      for (unsigned rare = 0; rare < 3; ++rare) {
        Column column(type, 2048 + 77);
        for (std::uint64_t i = 0; i < column.count(); ++i) {
          const std::uint64_t random = core::splitmix(i + 10000 * width);
          const bool is_rare = rare > 0 && core::splitmix(random) % (rare == 1 ? 12 : 300) == 0;
          column.set(i, 1000 + (is_rare      ? core::splitmix(random + 1)
                                : width == 0 ? 0
                                             : random >> (64 - width)));
        }
        expect_same_bytes(trees::plan_from_text("bitpack", type).value(), column,
                          "width " + std::to_string(width));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Words on both sides of where their order begins again, and distances from the first word that just fit
/// into 32 bits, or just do not.
TEST(DevicePacker, PacksWordsOnBothSidesOfTheirOrdersEnd) {
  for (const DType type : {DType::i64, DType::u64, DType::i32, DType::u32}) {
    const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
    for (const std::uint64_t middle :
         {std::uint64_t{0}, std::uint64_t{1} << (bits - 1), std::uint64_t{12345} << 20}) {
      for (const unsigned width : {3u, 20u, 30u, 31u, 32u, 33u}) {
        for (unsigned first = 0; first < 3; ++first) {
          const std::uint64_t reach = std::uint64_t{1} << width;
          Column column(type, 2 * 1024 + 9);
          for (std::uint64_t i = 0; i < column.count(); ++i)
            column.set(i, middle - reach / 2 +
                              (i % 1024 == 0 ? first * (reach / 2) - (first > 1 ? 1 : 0)
                                             : core::splitmix(i) % reach));
          for (const char* tree : {"bitpack", "delta,bitpack"}) {
            expect_same_bytes(
                trees::plan_from_text(tree, type).value(), column,
                std::string(tree) + " around " + std::to_string(middle) + ", width " + std::to_string(width));
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
}

/// Multiples of divisors, odd ones and even ones, from anywhere on in the order of the type; words all equal,
/// or of no divisor; and words of which one is no multiple, or leaves the rest only where the order has begun
/// again: those are not packed so unless that shows beforehand.
TEST(DevicePacker, PacksMultiplesStraightToTheirPlaces) {
  unsigned packed = 0, given_up = 0;
  std::size_t number = 0;
  for (const DType type : {DType::i32, DType::u32, DType::i64, DType::u64}) {
    const unsigned bits = 8 * static_cast<unsigned>(size_of(type));
    const trees::Plan plan = trees::plan_from_text("int_mult,bitpack", type).value();
    for (const std::uint64_t divisor : {0, 1, 2, 7, 60, 1000, 4096, 86400, 99999999}) {
      for (const std::uint64_t origin :
           {std::uint64_t{0}, std::uint64_t{12345}, std::uint64_t{1} << (bits - 1), ~std::uint64_t{0} - 70}) {
        for (const std::uint64_t count : {1, 2, 1024, 3000}) {
          for (unsigned odd = 0; odd < 3; ++odd) {
            if (sanitized && number++ % 4 == 1) continue;
            Column column(type, count);
            const std::uint64_t reach = divisor == 0 ? 1
                                                     : std::min((~std::uint64_t{0} >> (65 - bits)) / divisor,
                                                                std::uint64_t{1} << (7 + odd * 8));
            for (std::uint64_t i = 0; i < count; ++i)
              column.set(i, origin + divisor * (core::splitmix(i + divisor) % reach));
            if (odd == 1) column.set(count / 2, origin + divisor * 3 + 1);
            if (odd == 2) column.set(count / 3, origin - 5 * divisor);
            const std::vector<std::uint8_t> bytes = pack_emulated(plan, column, Way::held_by_clusters);
            (bytes.empty() ? given_up : packed) += 1;
            expect_same_bytes(plan, column,
                              "divisor " + std::to_string(divisor) + " from " + std::to_string(origin) +
                                  ", " + std::to_string(odd) + " on " + std::to_string(count) + " of " +
                                  std::string(name_of(type)));
            if (HasFatalFailure()) return;
            EXPECT_FALSE(odd == 0 && origin < 99999 && bytes.empty());
          }
        }
      }
    }
  }
  EXPECT_GT(packed, 2 * given_up);
  EXPECT_GT(given_up, 10u);
}

/// Chains as the planner makes them: decimals that all map, strides, steps that are equal, words that do not
/// shrink.
TEST(DevicePacker, PacksChainsStraightToTheirPlaces) {
  unsigned packed = 0;
  std::size_t number = 0;
  for (const DType type : {DType::f32, DType::f64, DType::i64, DType::u32, DType::u16, DType::i8}) {
    for (unsigned kind = 0; kind < 6; ++kind) {
      for (const std::uint64_t count : {1, 70, 1024, 1025, 5000}) {
        Column column(type, count);
        for (std::uint64_t i = 0; i < count; ++i) {
          const std::uint64_t random = core::splitmix(i + kind), min = kind == 3 ? core::splitmix(i % 3) : 0;
          const std::uint64_t number = kind == 0   ? random % 1000
                                       : kind == 1 ? 7 * i
                                       : kind == 2 ? 5
                                       : kind == 3 ? min
                                       : kind == 4 ? i / 70
                                                   : random;
          if (type == DType::f64 && kind != 5) {
            column.set(i, std::bit_cast<std::uint64_t>(static_cast<double>(number % 100000) / 100));
          } else if (type == DType::f32 && kind != 5) {
            column.set(i, std::bit_cast<std::uint32_t>(static_cast<float>(number % 10000) / 100));
          } else {
            column.set(i, number);
          }
        }
        const std::vector<std::string> chains =
            is_wide_float(type) ? std::vector<std::string>{"decimal(2,4),bitpack,bitpack,raw",
                                                           "decimal(2,4),delta,bitpack,raw,raw",
                                                           "decimal(2,4),delta(2,3),bitpack,bitpack,raw",
                                                           "sortable,bitpack", "sortable,delta(1,2),bitpack"}
                                : std::vector<std::string>{"bitpack",
                                                           "delta,bitpack",
                                                           "delta(2),bitpack",
                                                           "delta(1,3),bitpack",
                                                           "delta(1,32),bitpack",
                                                           "delta(2,16),bitpack",
                                                           "delta(2,64),bitpack"};
        for (const std::string& tree : chains) {
          if (sanitized && number++ % 3 != 0) continue;
          const trees::Plan plan = trees::plan_from_text(tree, type).value();
          packed += pack_emulated(plan, column, Way::held_by_clusters).empty() ? 0 : 1;
          expect_same_bytes(plan, column,
                            tree + " of kind " + std::to_string(kind) + " on " + std::to_string(count));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
  EXPECT_GT(packed, sanitized ? 250u : 800u);
}

/// A warp per tile, eight in a block: not for segments of which most warps would have nothing, nor for more
/// tiles than eight blocks have.
TEST(DevicePacker, TakesSegmentsByClustersWhereThatIsFaster) {
  using gpu::PackKind;
  const auto blocks = [](PackKind kind, std::uint8_t order, std::uint32_t segment_words,
                         std::uint32_t other_words) {
    gpu::PackJob job;
    job.column_count = 2;
    for (gpu::PackColumn& column : job.column) column.order = order;
    job.column[0].segment_words = segment_words;
    job.column[1].segment_words = other_words;
    return cluster_blocks_of(job, kind);
  };
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 65536), 8u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 57344, 57344), 7u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 65537), 0u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 40000), 8u);
  EXPECT_EQ(blocks(PackKind::same64, 1, 65536, 20000), 0u);
  EXPECT_EQ(blocks(PackKind::same32, 1, 9000, 9000), 2u);
  EXPECT_EQ(blocks(PackKind::same32, 1, 8192, 8192), 0u);
  EXPECT_EQ(blocks(PackKind::same64, 0, 65536, 65536), 0u);
  EXPECT_EQ(blocks(PackKind::same32, 0, 65536, 65536), 8u);
  EXPECT_EQ(blocks(PackKind::f32_as_i32, 0, 16384, 16384), 2u);
}

}  // namespace
}  // namespace floe::test
