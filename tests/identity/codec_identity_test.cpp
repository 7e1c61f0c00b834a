// Does the portable CPU backend write the reference's bytes, and read them back, for every codec?
#include <gtest/gtest.h>

#include "core/chunk_checksum.hpp"
#include "core/memory_overlap.hpp"
#include "tests/identity/chunk_runner.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

class CodecIdentity : public testing::TestWithParam<registry::CodecEntry> {
 protected:
  /// Both backends agree on the payload; each decodes it to the chunk. `where` names the case in a failure.
  void expect_identity(const Bytes& chunk, const std::string& where, std::uint32_t dimensionality = 1) {
    core::ChunkContext context;
    context.parameters.dimensionality = dimensionality;
    const MaybeBytes expected = oracle_.encode(chunk, context);
    const MaybeBytes payload = cpu_.encode(chunk, context);
    ASSERT_EQ(payload, expected) << where;
    if (!payload) return;
    ASSERT_LT(payload->size(), chunk.size()) << where;
    ASSERT_EQ(oracle_.decode(*payload, chunk.size(), context), chunk) << where;
    ASSERT_EQ(cpu_.decode(*payload, chunk.size(), context), chunk) << where;
  }

  void expect_identity_of_contents(std::size_t size, std::uint32_t dimensionality = 1) {
    const auto names = content_names();
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (sanitized && (c + size + dimensionality) % 7 != 0) continue;
      const std::string where = std::string(names[c]) + ", " + std::to_string(size) +
                                " bytes, dimensionality " + std::to_string(dimensionality);
      expect_identity(make_bytes(GetParam().word_bits, c, size, size), where, dimensionality);
      if (HasFatalFailure()) return;
    }
  }

  ChunkRunner cpu_{GetParam().cpu};
  ChunkRunner oracle_{oracle::coder_of(GetParam())};
};

TEST_P(CodecIdentity, EverySmallSize) {
  for (std::size_t size = 1; size <= 600 && !HasFatalFailure(); ++size) expect_identity_of_contents(size);
}

TEST_P(CodecIdentity, SizesAroundThoseOfGroupsAndTiles) {
  unsigned number = 0;
  for (const std::size_t unit : {128u, 256u, 512u, 4096u}) {
    for (std::size_t multiple = unit; multiple <= core::chunk_bytes;
         multiple += std::max<std::size_t>(unit, 1792)) {
      if (sanitized && number++ % 3 != 0) continue;
      for (const std::size_t size : {multiple - 1, multiple, multiple + 1}) {
        if (size <= core::chunk_bytes && !HasFatalFailure()) expect_identity_of_contents(size);
      }
    }
  }
}

TEST_P(CodecIdentity, FullChunks) {
  for (std::size_t size = core::chunk_bytes - 9; size <= core::chunk_bytes && !HasFatalFailure(); ++size)
    expect_identity_of_contents(size);
}

TEST_P(CodecIdentity, EdgeWordsInEveryPosition) {
  with_word(GetParam().word_bits, [&]<core::Word W>(W) {
    for (const W edge : edge_words<W>()) {
      for (std::size_t position = 0; position < 40 && !HasFatalFailure(); ++position) {
        std::vector<W> words(40, word_of<W>(1.25));
        words[position] = edge;
        Bytes chunk(words.size() * sizeof(W));
        std::memcpy(chunk.data(), words.data(), chunk.size());
        expect_identity(chunk, "edge word " + std::to_string(edge) + " at " + std::to_string(position));
      }
    }
  });
}

TEST_P(CodecIdentity, EveryBitWidth) {
  with_word(GetParam().word_bits, [&]<core::Word W>(W) {
    for (unsigned width = 1; width <= core::word_bits<W> && !HasFatalFailure(); ++width) {
      Random random(width);
      std::vector<W> words(core::chunk_bytes / sizeof(W));
      for (std::size_t i = 0; i < words.size(); ++i)
        words[i] = i % 2 == 0 ? W{0} : static_cast<W>(random.next() >> (64 - width));
      Bytes chunk(core::chunk_bytes);
      std::memcpy(chunk.data(), words.data(), chunk.size());
      expect_identity(chunk, "differences of " + std::to_string(width) + " bits");
    }
  });
}

TEST_P(CodecIdentity, EveryDimensionality) {
  for (std::uint32_t dimensionality = 1; dimensionality <= 32 && !HasFatalFailure(); ++dimensionality) {
    for (const std::size_t size : {std::size_t{1000}, std::size_t{4096}, std::size_t{5001}})
      expect_identity_of_contents(size, dimensionality);
    if (GetParam().takes_dimensionality) expect_identity_of_contents(core::chunk_bytes, dimensionality);
  }
}

TEST_P(CodecIdentity, ChecksumsAddedUpBesideTheWork) {
  const Bytes summed = make_bytes(64, 8, core::chunk_bytes, 1);
  for (std::size_t content = 0; content < content_names().size(); ++content) {
    const Bytes chunk = make_bytes(GetParam().word_bits, content, core::chunk_bytes, 1);
    core::ChunkContext context;
    core::MemoryOverlap overlap;
    context.overlap = &overlap;
    for (const std::size_t summed_bytes : {0, 4, 64, 68, 1000, 11772, 16320, 16384}) {
      const Bytes exact(summed.begin(), summed.begin() + static_cast<std::ptrdiff_t>(
                                                             summed_bytes));  // so that reading on is found
      const auto expect_checksum = [&](const char* what) {
        ASSERT_EQ(GetParam().cpu.finish_checksum(overlap.checksum()),
                  core::chunk_checksum(exact.data(), exact.size()))
            << what << " " << content_names()[content] << ", " << summed_bytes << " bytes";
      };
      overlap.checksum().start(exact.data(), exact.size());
      const MaybeBytes payload = cpu_.encode(chunk, context);
      expect_checksum("encoding");
      if (!payload) continue;
      overlap.checksum().start(exact.data(), exact.size());
      ASSERT_EQ(cpu_.decode(*payload, chunk.size(), context), chunk);
      expect_checksum("decoding");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, CodecIdentity,
                         testing::ValuesIn(registry::all_codecs().begin(), registry::all_codecs().end()),
                         [](const auto& codec) { return test_name(codec.param); });

/// The published container of GFC cuts data into chunks of any length.
class LongChunkIdentity : public CodecIdentity {};

TEST_P(LongChunkIdentity, LengthsBeyondTheFormatsChunk) {
  for (const std::size_t size : {core::chunk_bytes + 1, 3 * core::chunk_bytes + 100, std::size_t{1} << 18}) {
    for (const std::uint32_t dimensionality : {1u, 3u}) {
      if (!HasFatalFailure()) expect_identity_of_contents(size, dimensionality);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gfc, LongChunkIdentity,
                         testing::Values(*registry::find_codec("gfc", 64), *registry::find_codec("gfc", 32)),
                         [](const auto& codec) { return test_name(codec.param); });

}  // namespace
}  // namespace floe::test
