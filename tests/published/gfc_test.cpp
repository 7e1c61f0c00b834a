// Is the bare GFC stream that of the paper, and is its decoder safe?
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "research/published.hpp"
#include "tests/published/samples.hpp"

namespace floe::published {
namespace {

Bytes compress(const Bytes& in, const GfcOptions& options) {
  const auto stream = compress_gfc(std::as_bytes(std::span(in)), options);
  EXPECT_TRUE(stream) << stream.status().message();
  if (!stream) return {};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stream->data());
  return {bytes, bytes + stream->size()};
}

Result<std::vector<std::byte>> decompress(const Bytes& stream) {
  return decompress_gfc(std::as_bytes(std::span(stream)));
}

void put(Bytes& bytes, std::uint64_t number, unsigned count) {
  for (unsigned b = 0; b < count; ++b) bytes.push_back(static_cast<std::uint8_t>(number >> 8 * b));
}

/// One sub-chunk of 32 doubles at `at`, predicted from the sub-chunk before unless it is the first of its
/// chunk.
void put_subchunk(Bytes& out, const std::vector<std::uint64_t>& doubles, std::size_t at, bool first,
                  unsigned dimensionality) {
  Bytes codes, magnitudes;
  for (unsigned lane = 0; lane < 32; ++lane) {
    const std::uint64_t prediction = first ? 0 : doubles[at - dimensionality + lane % dimensionality];
    const std::uint64_t residual = doubles[at + lane] - prediction;
    const bool negative = residual >> 63 != 0;
    const std::uint64_t magnitude = negative ? 0 - residual : residual;
    unsigned bytes = 0;
    while (bytes < 8 && magnitude >> 8 * bytes != 0) ++bytes;
    if (bytes == 2) bytes = 3;
    codes.push_back(static_cast<std::uint8_t>((negative ? 8 : 0) + (bytes < 2 ? bytes : bytes - 1)));
    put(magnitudes, magnitude, bytes);
  }
  for (unsigned pair = 0; pair < 32; pair += 2)
    out.push_back(static_cast<std::uint8_t>(codes[pair] | codes[pair + 1] << 4));
  out.insert(out.end(), magnitudes.begin(), magnitudes.end());
}

/// The stream as docs/format/published.md describes it.
Bytes model(const Bytes& in, const GfcOptions& options) {
  std::vector<std::uint64_t> doubles(in.size() / 8);
  for (std::size_t i = 0; i < doubles.size(); ++i) doubles[i] = core::load<std::uint64_t>(in.data() + 8 * i);
  const std::size_t count = doubles.size(), padded = (count + 31) / 32 * 32;
  const std::size_t each =
      std::max<std::size_t>(32, ((padded + options.chunk_count - 1) / options.chunk_count + 31) / 32 * 32);
  for (std::size_t i = count; i < padded; ++i) {
    const std::size_t subchunk = i / 32 * 32;
    doubles.push_back(
        subchunk % each == 0 ? 0 : doubles[subchunk - options.dimensionality + i % options.dimensionality]);
  }
  Bytes stream, chunks;
  put(stream, count, 4);
  put(stream, options.dimensionality, 1);
  put(stream, options.chunk_count, 2);
  for (std::size_t c = 0; c < options.chunk_count; ++c) {
    const std::size_t before = chunks.size();
    for (std::size_t at = c * each; at < std::min((c + 1) * each, padded); at += 32) {
      put_subchunk(chunks, doubles, at, at == c * each, options.dimensionality);
    }
    put(stream, chunks.size() - before, 4);
  }
  stream.insert(stream.end(), chunks.begin(), chunks.end());
  return stream;
}

void expect_model_and_round_trip(const Bytes& in, const GfcOptions& options) {
  SCOPED_TRACE(std::to_string(in.size()) + " bytes, " + std::to_string(options.chunk_count) +
               " chunks, dimensionality " + std::to_string(options.dimensionality));
  const Bytes stream = compress(in, options);
  ASSERT_EQ(stream, model(in, options));
  const auto out = decompress(stream);
  ASSERT_TRUE(out) << out.status().message();
  EXPECT_TRUE(std::ranges::equal(std::as_bytes(std::span(in)), *out));
}

TEST(PublishedGfc, EqualsTheModelForEveryLengthNearASubchunk) {
  for (std::size_t doubles = 0; doubles <= 130; ++doubles) {
    for (const std::uint32_t chunks : {1u, 2u, 3u, 100u}) {
      for (const std::uint32_t dimensionality : {1u, 3u, 32u})
        expect_model_and_round_trip(sample(4, 8 * doubles, doubles), {chunks, dimensionality});
    }
  }
}

TEST(PublishedGfc, EqualsTheModelForEveryDimensionalityAndContent) {
  for (std::uint32_t dimensionality = 1; dimensionality <= 32; ++dimensionality) {
    for (unsigned kind = 0; kind < sample_kinds; ++kind) {
      expect_model_and_round_trip(sample(kind, 8 * (700 + dimensionality), kind),
                                  {1 + dimensionality % 7, dimensionality});
    }
  }
  expect_model_and_round_trip(sample(3, 8 * 100000, 1), {1000, 1});
  expect_model_and_round_trip(sample(3, 8 * 5000, 1), {65535, 2});
  expect_model_and_round_trip(sample(3, 8 * 50000, 1), {1, 5});
}

TEST(PublishedGfc, StoresChunksCodedEvenIfTheyGrow) {
  const Bytes noise = sample(0, 8 * 320, 1);
  EXPECT_GT(compress(noise, {10, 1}).size(), noise.size() + 10 * 16);
}

TEST(PublishedGfc, TruncatedStreamsAreRecognised) {
  const Bytes stream = compress(sample(4, 8 * 500, 1), {7, 3});
  for (std::size_t bytes = 0; bytes < stream.size(); ++bytes) {
    const auto out = decompress(Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes)));
    EXPECT_EQ(out.status().code, ErrorCode::truncated_frame) << bytes;
  }
}

TEST(PublishedGfc, ChangedStreamsAreDecodedOrRejectedSafely) {
  const Bytes stream = compress(sample(4, 8 * 500, 1), {7, 3});
  test::Random random(2);
  for (int i = 0; i < 3000; ++i) {
    Bytes changed = stream;
    const std::size_t range = i % 2 == 0 ? 35 : changed.size();
    for (std::uint64_t n = 0; n <= random.below(3); ++n)
      changed[random.below(range)] = static_cast<std::uint8_t>(random.next());
    const auto out = decompress_gfc(std::as_bytes(std::span(changed)), 1 << 20);
    EXPECT_LE(out ? out->size() : 0, 1u << 20);
  }
}

TEST(PublishedGfc, ImpossibleHeadsAreRejected) {
  const Bytes stream = compress(sample(4, 8 * 40, 1), {2, 3});
  const auto error_with = [&](std::size_t at, std::uint8_t byte) {
    Bytes changed = stream;
    changed[at] = byte;
    return decompress(changed).status().code;
  };
  EXPECT_EQ(error_with(3, 0x80), ErrorCode::corrupt_frame);  // a negative count
  EXPECT_EQ(error_with(4, 0), ErrorCode::corrupt_frame);     // dimensionality
  EXPECT_EQ(error_with(4, 33), ErrorCode::corrupt_frame);
  EXPECT_EQ(error_with(5, 0), ErrorCode::corrupt_frame);     // no chunks
  EXPECT_EQ(error_with(7, 1), ErrorCode::corrupt_frame);     // less than the codes of a sub-chunk
  EXPECT_EQ(error_with(9, 0xFF), ErrorCode::corrupt_frame);  // more than a sub-chunk can have
  EXPECT_EQ(error_with(2, 0x7F), ErrorCode::corrupt_frame);  // more doubles than the chunks can hold
  Bytes longer = stream;
  longer.push_back(0);
  EXPECT_EQ(decompress(longer).status().code, ErrorCode::corrupt_frame);
}

TEST(PublishedGfc, KeepsToTheMemoryLimit) {
  const Bytes stream = compress(Bytes(1 << 20), {1, 1});
  EXPECT_EQ(decompress_gfc(std::as_bytes(std::span(stream)), 1 << 20).status().code,
            ErrorCode::out_of_memory);
  EXPECT_TRUE(decompress_gfc(std::as_bytes(std::span(stream)), 1 << 23));
}

TEST(PublishedGfc, ArgumentsAreChecked) {
  const Bytes bytes(16);
  const auto error = [&](std::size_t size, const GfcOptions& options) {
    return compress_gfc(std::as_bytes(std::span(bytes).first(size)), options).status().code;
  };
  EXPECT_EQ(error(16, {}), ErrorCode::ok);
  EXPECT_EQ(error(0, {}), ErrorCode::ok);
  EXPECT_EQ(error(15, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(error(16, {0, 1}), ErrorCode::invalid_argument);
  EXPECT_EQ(error(16, {65536, 1}), ErrorCode::invalid_argument);
  EXPECT_EQ(error(16, {1, 0}), ErrorCode::invalid_argument);
  EXPECT_EQ(error(16, {1, 33}), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::published
