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

}  // namespace
}  // namespace floe::test
