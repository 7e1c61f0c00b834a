// Is every stage undone exactly by its inverse, in both backends and at every width it is defined for, and
// are both backends' bytes equal?
#include <gtest/gtest.h>

#include "chunks/cpu/run_pipeline.hpp"
#include "chunks/stages/stages.hpp"
#include "tests/oracle/run_pipeline.hpp"
#include "tests/support/data.hpp"
#include "tests/support/sanitized.hpp"

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

/// A stage at a word, in both backends: only this is compiled for each of them.
struct StageFunctions {
  unsigned word_bits;
  std::size_t (*encode)(const Bytes& in, Bytes& out, const core::ChunkContext& context);
  /// Of the first `bytes` of `in`.
  std::size_t (*decode)(const Bytes& in, std::size_t bytes, Bytes& out, const core::ChunkContext& context);
  oracle::MaybeBytes (*encode_by_oracle)(const Bytes& in, const core::ChunkContext& context);
  oracle::MaybeBytes (*decode_by_oracle)(const Bytes& in, const core::ChunkContext& context);
};

template <class Stage, core::Word W>
std::size_t encode_at(const Bytes& in, Bytes& out, const core::ChunkContext& context) {
  return cpu::encode<Stage, W>(typename Stage::Shape{}, in.data(), in.size(), out.data(), context);
}

template <class Stage, core::Word W>
std::size_t decode_at(const Bytes& in, std::size_t bytes, Bytes& out, const core::ChunkContext& context) {
  return cpu::decode<Stage, W>(typename Stage::Shape{}, in.data(), bytes, out.data(), context);
}

template <class StageAtWord>
StageFunctions functions_of() {
  using Stage = typename StageAtWord::Stage;
  using W = typename StageAtWord::Word;
  return {core::word_bits<W>, encode_at<Stage, W>, decode_at<Stage, W>, oracle::encode_stage<Stage, W>,
          oracle::decode_stage<Stage, W>};
}

/// Encodes with both backends, compares, decodes with both, compares again. Nothing to decode if the output
/// does not fit.
void expect_inverse(const StageFunctions& stage, const Bytes& in, std::uint32_t dimensionality) {
  core::ChunkContext context;
  context.bytes = in.size();
  context.parameters.dimensionality = dimensionality;
  const oracle::MaybeBytes expected = stage.encode_by_oracle(in, context);
  Bytes area(cpu::area_bytes(in.size()));
  const std::size_t encoded_bytes = stage.encode(in, area, context);
  ASSERT_EQ(encoded_bytes == cpu::no_result, !expected);
  if (!expected) return;
  ASSERT_EQ(Bytes(area.begin(), area.begin() + static_cast<std::ptrdiff_t>(encoded_bytes)), *expected);
  ASSERT_EQ(stage.decode_by_oracle(*expected, context), in);

  Bytes decoded(cpu::area_bytes(in.size()));
  ASSERT_EQ(stage.decode(area, encoded_bytes, decoded, context), in.size());
  decoded.resize(in.size());
  ASSERT_EQ(decoded, in);
}

void check_edge_words(const StageFunctions& stage) {
  Bytes in;
  with_word(stage.word_bits, [&]<core::Word W>(W) {
    std::vector<W> words;
    for (const W a : edge_words<W>()) {
      for (const W b : {a, static_cast<W>(~a), W{0}, W{1}}) words.push_back(b);
    }
    in.resize(words.size() * sizeof(W));
    std::memcpy(in.data(), words.data(), in.size());
  });
  for (std::size_t cut = 0; cut < std::min<std::size_t>(in.size(), 80); ++cut) {
    expect_inverse(stage, Bytes(in.begin() + static_cast<std::ptrdiff_t>(cut), in.end()), 1);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TYPED_TEST(StageInverse, EdgeWords) { check_edge_words(functions_of<TypeParam>()); }

void check_all_contents(const StageFunctions& stage) {
  const auto names = content_names();
  for (std::size_t content = 0; content < names.size(); ++content) {
    for (const std::size_t size :
         {1u, 7u, 8u, 9u, 31u, 64u, 128u, 129u, 1000u, 4096u, 5000u, 16383u, 16384u}) {
      SCOPED_TRACE(std::string(names[content]) + ", " + std::to_string(size) + " bytes");
      expect_inverse(stage, make_bytes(stage.word_bits, content, size, size),
                     1 + static_cast<std::uint32_t>(size % 32));
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TYPED_TEST(StageInverse, AllContents) { check_all_contents(functions_of<TypeParam>()); }

/// What both backends make of the output of a stage, if that is what it is.
void expect_same_verdict(const StageFunctions& stage, const Bytes& payload, std::size_t chunk_bytes) {
  core::ChunkContext context;
  context.bytes = chunk_bytes;
  context.parameters.dimensionality = 1;
  // Larger payloads are refused before any stage.
  if (payload.size() > cpu::stage_bytes(chunk_bytes)) return;
  Bytes in(cpu::area_bytes(chunk_bytes)), out(cpu::area_bytes(chunk_bytes));
  std::copy(payload.begin(), payload.end(), in.begin());
  const std::size_t bytes = stage.decode(in, payload.size(), out, context);
  const oracle::MaybeBytes expected = stage.decode_by_oracle(payload, context);
  ASSERT_EQ(bytes == cpu::no_result, !expected) << payload.size();
  if (!expected) return;
  out.resize(bytes);
  ASSERT_EQ(out, *expected) << payload.size();
}

/// The output of a stage with another length, or another byte. Headers stand at the front or at the end.
Bytes damaged(Bytes payload, unsigned round, Random& random) {
  if (round < 8) {
    payload.resize(std::min<std::size_t>(round, payload.size()));
  } else if (round < 16) {
    payload.resize(payload.size() + round - 7);
  } else if (!payload.empty()) {
    const std::uint64_t edge = std::min<std::uint64_t>(payload.size(), 24);
    const std::uint64_t at = round % 3 == 0   ? random.below(edge)
                             : round % 3 == 1 ? payload.size() - 1 - random.below(edge)
                                              : random.below(payload.size());
    payload[at] = round % 2 == 0 ? static_cast<std::uint8_t>(random.next()) : std::uint8_t{0xFF};
  }
  return payload;
}

void check_damaged_output(const StageFunctions& stage) {
  Random random(1);
  const auto names = content_names();
  for (std::size_t content = 0; content < names.size(); ++content) {
    for (const std::size_t size : {1u, 9u, 129u, 1000u, 16384u}) {
      SCOPED_TRACE(std::string(names[content]) + ", " + std::to_string(size) + " bytes");
      core::ChunkContext context;
      context.bytes = size;
      context.parameters.dimensionality = 1;
      const auto encoded = stage.encode_by_oracle(make_bytes(stage.word_bits, content, size, size), context);
      if (!encoded) continue;
      for (unsigned round = 0; round < (sanitized ? 15 : 60); ++round) {
        expect_same_verdict(stage, damaged(*encoded, round, random), size);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TYPED_TEST(StageInverse, DamagedOutputIsJudgedAlike) { check_damaged_output(functions_of<TypeParam>()); }

// Stages whose bitmaps or headers are made for a chunk refuse more than one; others take what stages before
// them have made longer.
void check_more_than_a_chunk(const StageFunctions& stage) {
  for (const std::size_t size : {core::chunk_bytes + 1, core::chunk_bytes + 64}) {
    const Bytes in = make_bytes(stage.word_bits, 5, size, 1);
    Bytes encoded(cpu::area_bytes(size)), decoded(cpu::area_bytes(size));
    core::ChunkContext context;
    context.bytes = size;
    const std::size_t bytes = stage.encode(in, encoded, context);
    if (bytes == cpu::no_result) continue;
    ASSERT_EQ(stage.decode(encoded, bytes, decoded, context), size);
    decoded.resize(size);
    ASSERT_EQ(decoded, in);
  }
}

TYPED_TEST(StageInverse, MoreThanAChunkIsRefusedOrComesBack) {
  check_more_than_a_chunk(functions_of<TypeParam>());
}

}  // namespace
}  // namespace floe::test
