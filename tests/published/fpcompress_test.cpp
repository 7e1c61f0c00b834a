// Are the streams of the ASPLOS'25 codecs those of the publication, and are their decoders safe?
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>

#include "chunks/registry/codec_entry.hpp"
#include "core/crc32c.hpp"
#include "research/published.hpp"
#include "tests/oracle/match_history.hpp"
#include "tests/oracle/oracle.hpp"
#include "tests/published/samples.hpp"

namespace floe::published {
namespace {

constexpr const char* codec_names[] = {"spspeed", "spratio", "dpspeed", "dpratio"};

bool is_single(std::string_view codec) { return codec.starts_with("sp"); }

Bytes input_of(std::string_view codec, const Bytes& bytes) {
  return codec == "dpratio" ? whole_words(bytes) : bytes;
}

Bytes compress(const Bytes& in, std::string_view codec) {
  const auto stream = compress_fpcompress(std::as_bytes(std::span(in)), codec);
  EXPECT_TRUE(stream) << stream.status().message();
  if (!stream) return {};
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(stream->data());
  return {bytes, bytes + stream->size()};
}

Result<std::vector<std::byte>> decompress(const Bytes& stream, std::string_view codec) {
  return decompress_fpcompress(std::as_bytes(std::span(stream)), codec);
}

ErrorCode decompress_error(const Bytes& stream, std::string_view codec) {
  return decompress(stream, codec).status().code;
}

void expect_round_trip(const Bytes& in, const Bytes& stream, std::string_view codec) {
  const auto out = decompress(stream, codec);
  ASSERT_TRUE(out) << out.status().message();
  const auto bytes = std::as_bytes(std::span(in));
  EXPECT_TRUE(std::ranges::equal(bytes, *out));
}

/// The stream as docs/format/published.md describes it, out of the chunks of the oracle.
Bytes stream_of_oracle(const Bytes& in, std::string_view codec) {
  const auto* entry = registry::find_codec(codec, is_single(codec) ? 32 : 64);
  Bytes coded = in;
  if (entry->has_history) {
    std::vector<std::uint64_t> words(in.size() / 8);
    std::memcpy(words.data(), in.data(), in.size());
    const std::vector<std::uint64_t> both = oracle::encode_history(words);
    coded.resize(8 * both.size());
    std::memcpy(coded.data(), both.data(), coded.size());
  }
  const registry::ChunkCoder coder = oracle::coder_of(*entry);
  Bytes stream(is_single(codec) ? 4 : 8), payloads;
  const std::uint64_t length = coded.size();
  std::memcpy(stream.data(), &length, stream.size());
  for (std::size_t at = 0; at < coded.size(); at += core::chunk_bytes) {
    const auto chunk = std::span(coded).subspan(at, std::min(core::chunk_bytes, coded.size() - at));
    core::ChunkContext context;
    context.bytes = chunk.size();
    Bytes payload(chunk.begin(), chunk.end());
    const std::size_t stored = coder.encode(chunk, payload, {}, context);
    if (stored != registry::raw_chunk) payload.resize(stored);
    stream.push_back(static_cast<std::uint8_t>(payload.size()));
    stream.push_back(static_cast<std::uint8_t>(payload.size() >> 8));
    payloads.insert(payloads.end(), payload.begin(), payload.end());
  }
  stream.insert(stream.end(), payloads.begin(), payloads.end());
  return stream;
}

TEST(Fpcompress, EqualsTheOracleForEveryLengthAndContent) {
  std::vector<std::size_t> lengths = {127,   128,   131,   256,   1000,  4097, 16376,
                                      16383, 16384, 16385, 16400, 40001, 49152};
  for (std::size_t bytes = 1; bytes <= 40; ++bytes) lengths.push_back(bytes);
  for (const auto* codec : codec_names) {
    for (const std::size_t bytes : lengths) {
      for (unsigned kind = 0; kind < sample_kinds; ++kind) {
        const Bytes in = input_of(codec, sample(kind, bytes, bytes + kind));
        if (in.empty()) continue;
        SCOPED_TRACE(std::string(codec) + ", " + std::to_string(in.size()) + " bytes, kind " +
                     std::to_string(kind));
        const Bytes stream = compress(in, codec);
        ASSERT_EQ(stream, stream_of_oracle(in, codec));
        expect_round_trip(in, stream, codec);
      }
    }
  }
}

// The checksums are those of an independent model of the formats, which was compared with the published
// programs.
TEST(Fpcompress, EqualsKnownStreams) {
  std::ifstream file("tests/published/known_streams.csv");
  ASSERT_TRUE(file) << "run this test in the root of the checkout";
  std::string line;
  std::getline(file, line);
  ASSERT_EQ(line, "codec,seed,input_bytes,input_crc32c,stream_bytes,stream_crc32c");
  int streams = 0;
  while (std::getline(file, line)) {
    SCOPED_TRACE(line);
    std::istringstream row(line);
    std::string codec;
    char comma = 0;
    std::uint64_t seed = 0;
    std::size_t input_bytes = 0, stream_bytes = 0;
    std::uint32_t input_crc = 0, stream_crc = 0;
    std::getline(row, codec, ',');
    row >> seed >> comma >> input_bytes >> comma >> input_crc >> comma >> stream_bytes >> comma >> stream_crc;
    ASSERT_TRUE(row);
    const Bytes in = input_of(codec, known_sample(seed));
    ASSERT_EQ(in.size(), input_bytes);
    ASSERT_EQ(core::crc32c(in), input_crc);
    const Bytes stream = compress(in, codec);
    ASSERT_EQ(stream.size(), stream_bytes);
    ASSERT_EQ(core::crc32c(stream), stream_crc);
    expect_round_trip(in, stream, codec);
    ++streams;
  }
  EXPECT_GE(streams, 400);
}

TEST(Fpcompress, TruncatedStreamsAreRecognised) {
  for (const auto* codec : codec_names) {
    const Bytes stream = compress(sample(4, 36000, 1), codec);
    for (std::size_t bytes = 0; bytes < stream.size(); bytes += bytes < 64 ? 1 : 97) {
      EXPECT_EQ(
          decompress_error(Bytes(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(bytes)), codec),
          ErrorCode::truncated_frame)
          << codec << " cut to " << bytes << " bytes";
    }
  }
}

TEST(Fpcompress, BytesAfterTheStreamAreRejected) {
  for (const auto* codec : codec_names) {
    Bytes stream = compress(sample(4, 36000, 2), codec);
    stream.push_back(0);
    EXPECT_EQ(decompress_error(stream, codec), ErrorCode::corrupt_frame) << codec;
  }
}

// A bare stream has no checksum, so a changed one may decode to something else; it must not do harm.
TEST(Fpcompress, ChangedStreamsAreDecodedOrRejectedSafely) {
  for (const auto* codec : codec_names) {
    const Bytes in = sample(4, 40000, 3);
    const Bytes stream = compress(in, codec);
    test::Random random(4);
    for (int i = 0; i < 600; ++i) {
      Bytes changed = stream;
      const std::size_t range = i % 2 == 0 ? 32 : changed.size();  // the header, then anywhere
      for (std::uint64_t n = 0; n <= random.below(3); ++n)
        changed[random.below(range)] = static_cast<std::uint8_t>(random.next());
      const auto out = decompress_fpcompress(std::as_bytes(std::span(changed)), codec, 1 << 20);
      if (!out) {
        const ErrorCode code = out.status().code;
        EXPECT_TRUE(code == ErrorCode::corrupt_frame || code == ErrorCode::truncated_frame ||
                    code == ErrorCode::out_of_memory);
      }
    }
  }
}

TEST(Fpcompress, ImpossibleSizesAreRejected) {
  EXPECT_EQ(decompress_error({0, 0, 0, 0}, "spspeed"), ErrorCode::corrupt_frame);        // no length
  EXPECT_EQ(decompress_error({8, 0, 0, 0, 0, 0}, "spspeed"), ErrorCode::corrupt_frame);  // a chunk of 0 bytes
  EXPECT_EQ(decompress_error({2, 0, 0, 0, 3, 0, 1, 2, 3}, "spratio"),
            ErrorCode::corrupt_frame);  // longer than raw
  EXPECT_EQ(decompress_error({8, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 8, 0, 0}, "dpratio"),
            ErrorCode::corrupt_frame);  // half a pair
  EXPECT_EQ(decompress_error({255, 255, 255, 255, 255, 255, 255, 255, 1, 0}, "dpspeed"),
            ErrorCode::truncated_frame);
}

TEST(Fpcompress, ADistanceBeforeTheFirstWordIsRejected) {
  Bytes stream = {16, 0, 0, 0, 0, 0, 0, 0, 16, 0};
  stream.resize(stream.size() + 16);
  EXPECT_EQ(decompress_error(stream, "dpratio"), ErrorCode::ok);
  stream[18] = 1;
  EXPECT_EQ(decompress_error(stream, "dpratio"), ErrorCode::corrupt_frame);
}

TEST(Fpcompress, KeepsToTheMemoryLimit) {
  const Bytes in(65536);
  for (const auto* codec : codec_names) {
    const Bytes stream = compress(in, codec);
    EXPECT_EQ(decompress_fpcompress(std::as_bytes(std::span(stream)), codec, in.size() - 1).status().code,
              ErrorCode::out_of_memory);
    EXPECT_TRUE(decompress_fpcompress(std::as_bytes(std::span(stream)), codec, 4 * in.size()));
  }
}

TEST(Fpcompress, ArgumentsAreChecked) {
  const Bytes seven(7);
  const auto error = [](const Bytes& in, std::string_view codec) {
    return compress_fpcompress(std::as_bytes(std::span(in)), codec).status().code;
  };
  EXPECT_EQ(error({}, "spspeed"), ErrorCode::invalid_argument);
  EXPECT_EQ(error(seven, "dpratio"), ErrorCode::invalid_argument);
  EXPECT_EQ(error(seven, "dpspeed"), ErrorCode::ok);
  for (const auto* codec : {"", "gfc", "speed8", "SPspeed"}) {
    EXPECT_EQ(error(seven, codec), ErrorCode::unsupported_codec);
    EXPECT_EQ(decompress_error(seven, codec), ErrorCode::unsupported_codec);
  }
}

}  // namespace
}  // namespace floe::published
