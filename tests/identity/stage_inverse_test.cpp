// Is every stage undone exactly by its inverse, in both backends and at every width it is defined for, and
// are both backends' bytes equal?
#include <gtest/gtest.h>

#include "chunks/cpu/run_pipeline.hpp"
#include "chunks/stages/stages.hpp"
#include "tests/oracle/run_pipeline.hpp"
#include "tests/support/data.hpp"

namespace floe::test {
namespace {

template <class StageType, core::Word WordType>
struct At {
  using Stage = StageType;
  using Word = WordType;
};

template <class StageAtWord>
class StageInverse : public testing::Test {};

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using StagesAtWords = testing::Types<
    At<stages::Delta, u8>, At<stages::Delta, u16>, At<stages::Delta, u32>, At<stages::Delta, u64>,      //
    At<stages::ZigZag, u8>, At<stages::ZigZag, u16>, At<stages::ZigZag, u32>, At<stages::ZigZag, u64>,  //
    At<stages::LaneDelta, u8>, At<stages::LaneDelta, u16>, At<stages::LaneDelta, u32>,
    At<stages::LaneDelta, u64>,  //
    At<stages::BitTranspose, u8>, At<stages::BitTranspose, u16>, At<stages::BitTranspose, u32>,
    At<stages::BitTranspose, u64>,                                                                          //
    At<stages::BitPack, u8>, At<stages::BitPack, u16>, At<stages::BitPack, u32>, At<stages::BitPack, u64>,  //
    At<stages::OffsetPack, u8>, At<stages::OffsetPack, u16>,                                                //
    At<stages::BytePack, u32>, At<stages::BytePack, u64>,                                                   //
    At<stages::DropZeroBytes, u8>, At<stages::DropZeroBytes, u32>, At<stages::DropZeroTops, u64>,
    At<stages::DropRepeatedTops, u64>>;
TYPED_TEST_SUITE(StageInverse, StagesAtWords);

/// Encodes with both backends, compares, decodes with both, compares again. Nothing to decode if the output
/// does not fit.
template <class Stage, core::Word W>
void expect_inverse(const Bytes& in, std::uint32_t dimensionality) {
  core::ChunkContext context;
  context.bytes = in.size();
  context.parameters.dimensionality = dimensionality;
  const oracle::MaybeBytes expected = oracle::encode_stage<Stage, W>(in, context);
  Bytes area(cpu::area_bytes(in.size()));
  const std::size_t encoded_bytes =
      cpu::encode<Stage, W>(typename Stage::Shape{}, in.data(), in.size(), area.data(), context);
  ASSERT_EQ(encoded_bytes == cpu::no_result, !expected);
  if (!expected) return;
  ASSERT_EQ(Bytes(area.begin(), area.begin() + static_cast<std::ptrdiff_t>(encoded_bytes)), *expected);
  ASSERT_EQ((oracle::decode_stage<Stage, W>(*expected, context)), in);

  Bytes decoded(cpu::area_bytes(in.size()));
  ASSERT_EQ(
      (cpu::decode<Stage, W>(typename Stage::Shape{}, area.data(), encoded_bytes, decoded.data(), context)),
      in.size());
  decoded.resize(in.size());
  ASSERT_EQ(decoded, in);
}

TYPED_TEST(StageInverse, EdgeWords) {
  using W = typename TypeParam::Word;
  std::vector<W> words;
  for (const W a : edge_words<W>()) {
    for (const W b : {a, static_cast<W>(~a), W{0}, W{1}}) words.push_back(b);
  }
  Bytes in(words.size() * sizeof(W));
  std::memcpy(in.data(), words.data(), in.size());
  for (std::size_t cut = 0; cut < std::min<std::size_t>(in.size(), 80); ++cut) {
    expect_inverse<typename TypeParam::Stage, W>(
        Bytes(in.begin() + static_cast<std::ptrdiff_t>(cut), in.end()), 1);
    if (this->HasFatalFailure()) return;
  }
}

TYPED_TEST(StageInverse, AllContents) {
  using W = typename TypeParam::Word;
  for (const auto& content : contents<W>()) {
    for (const std::size_t size :
         {1u, 7u, 8u, 9u, 31u, 64u, 128u, 129u, 1000u, 4096u, 5000u, 16383u, 16384u}) {
      SCOPED_TRACE(std::string(content.name) + ", " + std::to_string(size) + " bytes");
      expect_inverse<typename TypeParam::Stage, W>(make_bytes(content, size, size),
                                                   1 + static_cast<std::uint32_t>(size % 32));
      if (this->HasFatalFailure()) return;
    }
  }
}

/// What both backends make of the output of a stage, if that is what it is.
template <class Stage, core::Word W>
void expect_same_verdict(const Bytes& payload, std::size_t chunk_bytes) {
  core::ChunkContext context;
  context.bytes = chunk_bytes;
  context.parameters.dimensionality = 1;
  // Larger payloads are refused before any stage.
  if (payload.size() > cpu::stage_bytes(chunk_bytes)) return;
  Bytes in(cpu::area_bytes(chunk_bytes)), out(cpu::area_bytes(chunk_bytes));
  std::copy(payload.begin(), payload.end(), in.begin());
  const std::size_t bytes =
      cpu::decode<Stage, W>(typename Stage::Shape{}, in.data(), payload.size(), out.data(), context);
  const oracle::MaybeBytes expected = oracle::decode_stage<Stage, W>(payload, context);
  ASSERT_EQ(bytes == cpu::no_result, !expected) << payload.size();
  if (!expected) return;
  out.resize(bytes);
  ASSERT_EQ(out, *expected) << payload.size();
}

TYPED_TEST(StageInverse, DamagedOutputIsJudgedAlike) {
  using Stage = typename TypeParam::Stage;
  using W = typename TypeParam::Word;
  Random random(1);
  for (const auto& content : contents<W>()) {
    for (const std::size_t size : {1u, 9u, 129u, 1000u, 16384u}) {
      SCOPED_TRACE(std::string(content.name) + ", " + std::to_string(size) + " bytes");
      core::ChunkContext context;
      context.bytes = size;
      context.parameters.dimensionality = 1;
      const auto encoded = oracle::encode_stage<Stage, W>(make_bytes(content, size, size), context);
      if (!encoded) continue;
      for (unsigned round = 0; round < 60 && !this->HasFatalFailure(); ++round) {
        Bytes payload = *encoded;
        if (round < 8) {
          payload.resize(std::min<std::size_t>(round, payload.size()));
        } else if (round < 16) {
          payload.resize(payload.size() + round - 7);
        } else if (!payload.empty()) {
          // Headers stand at the front or at the end.
          const std::uint64_t edge = std::min<std::uint64_t>(payload.size(), 24);
          const std::uint64_t at = round % 3 == 0   ? random.below(edge)
                                   : round % 3 == 1 ? payload.size() - 1 - random.below(edge)
                                                    : random.below(payload.size());
          payload[at] = round % 2 == 0 ? static_cast<std::uint8_t>(random.next()) : std::uint8_t{0xFF};
        }
        expect_same_verdict<Stage, W>(payload, size);
      }
    }
  }
}

// Stages whose bitmaps or headers are made for a chunk refuse more than one; others take what stages before
// them have made longer.
TYPED_TEST(StageInverse, MoreThanAChunkIsRefusedOrComesBack) {
  using Stage = typename TypeParam::Stage;
  using W = typename TypeParam::Word;
  for (const std::size_t size : {core::chunk_bytes + 1, core::chunk_bytes + 64}) {
    const Bytes in = make_bytes(static_cast<unsigned>(8 * sizeof(W)), 5, size, 1);
    Bytes encoded(cpu::area_bytes(size)), decoded(cpu::area_bytes(size));
    core::ChunkContext context;
    context.bytes = size;
    const auto shape = typename Stage::Shape{};
    const std::size_t bytes = cpu::encode<Stage, W>(shape, in.data(), size, encoded.data(), context);
    if (bytes == cpu::no_result) continue;
    ASSERT_EQ((cpu::decode<Stage, W>(shape, encoded.data(), bytes, decoded.data(), context)), size);
    decoded.resize(size);
    ASSERT_EQ(decoded, in);
  }
}

}  // namespace
}  // namespace floe::test
