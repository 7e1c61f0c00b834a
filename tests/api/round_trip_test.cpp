// Does every codec bring back every array, of every size, shape and content, and do all ways of compressing
// write the same frame?
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/chunk.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

/// The frame as a writer makes it of pieces of random sizes.
Bytes stream_frame(const Bytes& content, DType dtype, std::span<const std::uint64_t> inner,
                   const Options& options, Random& random) {
  Bytes frame;
  auto stream = Writer::create(sink_to(frame), dtype, inner, options);
  if (!stream) return {};
  std::span<const std::uint8_t> rest(content);
  while (!rest.empty()) {
    const auto piece =
        rest.first(std::min<std::size_t>(rest.size(), random.below(std::uint64_t{1} << random.below(18))));
    if (!stream->write(view_of(piece)).ok()) return {};
    rest = rest.subspan(piece.size());
  }
  if (!stream->finish().ok() || stream->info().frame_bytes != frame.size()) return {};
  return frame;
}

void expect_round_trip(const Bytes& content, const Bytes& frame, DType dtype, const Extent& extent,
                       const Options& options) {
  ASSERT_FALSE(frame.empty());
  const auto bound = max_compressed_size(dtype, extent, options);
  ASSERT_TRUE(bound);
  ASSERT_LE(frame.size(), *bound);
  const Decoded decoded = decode_memory(frame);
  ASSERT_TRUE(decoded.status.ok()) << decoded.status.message();
  ASSERT_TRUE(decoded.content == content);
  const FrameInfo info = Reader::open(view_of(frame))->info();
  ASSERT_EQ(info.content, floe::Content::array);
  ASSERT_EQ(info.extent, extent);
  ASSERT_EQ(info.dtype, dtype);
  ASSERT_EQ(info.array_bytes(), content.size());
}
void expect_round_trip(const Bytes& content, DType dtype, const Extent& extent, const Options& options) {
  expect_round_trip(content, frame_of(content, dtype, extent, options), dtype, extent, options);
}

/// All ways of compressing and decompressing.
void expect_round_trips(const Bytes& content, DType dtype, const Extent& extent, const Options& options,
                        Random& random) {
  const Bytes frame = frame_of(content, dtype, extent, options);
  expect_round_trip(content, frame, dtype, extent, options);
  if (testing::Test::HasFatalFailure()) return;
  Bytes out(*max_compressed_size(dtype, extent, options));
  const auto written = compress_into(room_of(out), view_of(content), dtype, extent, options);
  ASSERT_TRUE(written) << written.status().message();
  ASSERT_EQ(*written, frame.size());
  ASSERT_TRUE(std::equal(frame.begin(), frame.end(), out.begin()));

  const std::span inner = std::span(extent.size).first(extent.rank).subspan(extent.rank == 0 ? 0 : 1);
  const bool streams = extent.rank > 0 && (extent.element_count() != 0 ||
                                           extent.size[0] == 0);  // else the outermost size is not known
  if (streams) {
    ASSERT_TRUE(stream_frame(content, dtype, inner, options, random) == frame);
  }

  ASSERT_TRUE(decode_file(frame).content == content);
  ASSERT_TRUE(decode_restored(frame).content == content);
  const Decoded pieces =
      decode_stream(frame, [&] { return 1 + random.below(std::uint64_t{1} << random.below(16)); });
  ASSERT_TRUE(pieces.status.ok()) << pieces.status.message();
  ASSERT_TRUE(pieces.content == content);
}

std::vector<std::size_t> element_counts(std::size_t word_bytes) {
  const std::size_t chunk = core::chunk_bytes / word_bytes;
  std::vector<std::size_t> counts;
  for (std::size_t n = 0; n <= 130; ++n) counts.push_back(n);
  for (const std::size_t edge : {chunk / 2, chunk, 2 * chunk}) {
    for (std::size_t n = edge - 3; n <= edge + 3; ++n) counts.push_back(n);
  }
  for (std::size_t n = 131; n < 2 * chunk; n += sanitized ? 1009 : 97) counts.push_back(n);
  return counts;
}

TEST(RoundTrip, EveryCodecAndTypeOfManySizes) {
  for (const ArrayCase& c : codec_cases()) {
    SCOPED_TRACE(c.name());
    const bool first_type =
        c.dtype == DType::f64 || c.dtype == DType::f32 || c.dtype == DType::u8 || c.dtype == DType::i16;
    for (const std::size_t n : element_counts(c.word_bytes())) {
      if (!first_type && n % 11 != 0) continue;
      SCOPED_TRACE(n);
      expect_round_trip(c.sample(n % content_names().size(), n * c.word_bytes(), n), c.dtype,
                        Extent::linear(n), c.options());
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RoundTrip, EveryTreeGoalAndTypeOfManySizes) {
  std::vector<ArrayCase> cases = tree_cases();
  for (ArrayCase& c : goal_cases()) cases.push_back(std::move(c));
  for (const ArrayCase& c : cases) {
    SCOPED_TRACE(c.name());
    for (const std::size_t n : element_counts(c.word_bytes())) {
      if (n > 9 && n % (sanitized ? 43 : 11) != 0) continue;
      SCOPED_TRACE(n);
      expect_round_trip(c.sample(n % content_names().size(), n * c.word_bytes(), n), c.dtype,
                        Extent::linear(n), c.options());
      if (HasFatalFailure()) return;
    }
  }
}

TEST(RoundTrip, EveryWayAndContent) {
  Random random(1);
  std::vector<ArrayCase> cases = mixed_cases();
  for (ArrayCase& c : goal_cases()) cases.push_back(std::move(c));
  for (std::size_t number = 0; number < cases.size(); ++number) {
    const ArrayCase& c = cases[number];
    if (sanitized && number % 3 != 0) continue;
    SCOPED_TRACE(c.name());
    const std::size_t step = sanitized ? 11 : 3;
    for (std::size_t content = number % step; content < content_names().size(); content += step) {
      SCOPED_TRACE(content_names()[content]);
      const std::size_t n = 3 * core::chunk_bytes / c.word_bytes() + 77;
      Options options = c.options();
      if (content % 2 == 0) options.segment_bytes = 16384;
      expect_round_trips(c.sample(content, n * c.word_bytes(), 1), c.dtype, Extent::linear(n), options,
                         random);
      if (HasFatalFailure()) return;
    }
  }
}

// FLOE_LARGEST_POWER says how large the arrays get.
TEST(RoundTrip, SizesAroundPowersOfTwo) {
  const char* const given = std::getenv("FLOE_LARGEST_POWER");
  const std::size_t largest = given != nullptr ? std::strtoull(given, nullptr, 10) : sanitized ? 14 : 18;
  for (const ArrayCase& c : mixed_cases()) {
    SCOPED_TRACE(c.name());
    const Bytes all = c.sample(5, ((std::size_t{1} << largest) + 1) * c.word_bytes(), 2);
    for (std::size_t power = 1; power <= largest; ++power) {
      for (std::size_t n = (std::size_t{1} << power) - 1; n <= (std::size_t{1} << power) + 1; ++n) {
        const Bytes content(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n * c.word_bytes()));
        expect_round_trip(content, c.dtype, Extent::linear(n), c.options());
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST(RoundTrip, ShapesOfEveryRank) {
  Random random(2);
  Options options;
  options.segment_bytes = 16384;
  options.threads = 1;
  for (const ArrayCase& c :
       {ArrayCase{DType::f32, "spspeed"}, ArrayCase{DType::f64, "dpratio"}, ArrayCase{DType::u8},
        ArrayCase{DType::bf16}, ArrayCase{DType::i64, "delta,bitpack"}}) {
    options.tree = c.tree;
    const DType dtype = c.dtype;
    for (std::uint32_t rank = 0; rank <= max_rank; ++rank) {
      for (unsigned round = 0; round < (sanitized ? 4 : 12); ++round) {
        Extent extent;
        extent.rank = rank;
        for (std::uint32_t d = 0; d < rank; ++d) extent.size[d] = 1 + random.below(rank < 4 ? 30 : 4);
        if (rank > 0 && round % 4 == 0) extent.size[random.below(rank)] = 0;
        if (rank > 1 && round % 4 == 1) extent.size[random.below(rank)] = 701;
        const std::size_t n = *extent.element_count();
        const auto bits = static_cast<unsigned>(8 * size_of(dtype));
        expect_round_trips(make_bytes(bits, round, n * size_of(dtype), round), dtype, extent, options,
                           random);
        ASSERT_FALSE(HasFatalFailure()) << "rank " << rank << ", round " << round;
      }
    }
  }
}

TEST(RoundTrip, Options) {
  Random random(3);
  static const Bytes prefix = make_bytes(8, 8, 1000, 1);
  for (ArrayCase c : sampled_cases()) {
    SCOPED_TRACE(c.name());
    for (const std::uint64_t chunks : {1, 2, 3, 7, 64, 65536}) {
      for (const bool checksum : {true, false}) {
        if (sanitized && checksum == (chunks % 2 == 0)) continue;
        if (c.tree.starts_with("gfc")) c.tree = "gfc(" + std::to_string(1 + random.below(32)) + ")";
        Options options = c.options();
        options.segment_bytes = chunks * core::chunk_bytes;
        options.checksum = checksum;
        options.prefix = view_of(prefix).first(random.below(prefix.size() + 1));
        const std::size_t n = (5 * core::chunk_bytes + 24) / c.word_bytes();
        const Bytes content = c.sample(5 + chunks % 3, n * c.word_bytes(), chunks);
        expect_round_trips(content, c.dtype, Extent::linear(n), options, random);
        if (HasFatalFailure()) return;

        const Bytes frame = frame_of(content, c.dtype, options);
        const FrameInfo info = Reader::open(view_of(frame))->info();
        EXPECT_EQ(info.max_segment_length, options.segment_bytes / c.word_bytes());
        EXPECT_EQ(info.segment_count, (content.size() + options.segment_bytes - 1) / options.segment_bytes);
        EXPECT_EQ(info.has_checksums, checksum);
        EXPECT_EQ(info.format_version, 1u);
        EXPECT_EQ(info.frame_bytes, frame.size());
        EXPECT_TRUE(
            std::equal(info.prefix.begin(), info.prefix.end(), options.prefix.begin(), options.prefix.end()));
      }
    }
  }
}

TEST(RoundTrip, DemandedSpeeds) {
  Random random(5);
  for (const DType dtype : all_dtypes) {
    for (const std::uint32_t speed : {1u, 1000u, 1000000u}) {
      Options options;
      options.decode_megabytes_per_second = speed;
      options.threads = 1;
      const Bytes content =
          make_bytes(static_cast<unsigned>(8 * size_of(dtype)), 5, sanitized ? 10'000 : 30'000, speed);
      expect_round_trips(content, dtype, Extent::linear(content.size() / size_of(dtype)), options, random);
      if (HasFatalFailure()) return;
    }
  }
}

// One edge word among ordinary ones, and edge words only.
TEST(RoundTrip, EdgeWordsInEveryPosition) {
  for (const ArrayCase& c : mixed_cases()) {
    SCOPED_TRACE(c.name());
    with_word(c.word_bits(), [&]<core::Word W>(W) {
      const std::vector<W> edges = edge_words<W>();
      const std::vector<W> ordinary = make_words(contents<W>()[4], 67, 1);
      Bytes content(ordinary.size() * sizeof(W));
      const auto expect_words = [&](const std::vector<W>& words) {
        std::memcpy(content.data(), words.data(), content.size());
        expect_round_trip(content, c.dtype, Extent::linear(words.size()), c.options());
      };
      for (const W edge : edges) {
        for (std::size_t position = 0; position < ordinary.size() && !HasFatalFailure();
             position += sanitized ? 29 : 1) {
          std::vector<W> words = ordinary;
          words[position] = edge;
          expect_words(words);
        }
        expect_words(std::vector<W>(ordinary.size(), edge));
      }
    });
    if (HasFatalFailure()) return;
  }
}

TEST(RoundTrip, TypedFunctions) {
  const std::vector<double> doubles = {1.5, -0.0, 3e300, 1.5};
  const auto frame = compress(std::span(doubles));
  ASSERT_TRUE(frame);
  const auto back = decompress<double>(*frame);
  ASSERT_TRUE(back);
  EXPECT_EQ(std::memcmp(back->data(), doubles.data(), 8 * doubles.size()), 0);
  EXPECT_EQ(decompress<float>(*frame).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(decompress<std::int64_t>(*frame).status().code, ErrorCode::invalid_argument);
  const auto reader = Reader::open(*frame);
  double one = 0;
  EXPECT_TRUE(decompress_slice(std::span(&one, 1), *reader, {2, 1}).ok());
  EXPECT_EQ(one, 3e300);
  float other = 0;
  EXPECT_EQ(decompress_slice(std::span(&other, 1), *reader, {2, 1}).code, ErrorCode::invalid_argument);

  const std::vector<std::uint8_t> bytes = {1, 2, 3, 4, 5, 6};
  const auto shaped = compress(std::span(bytes), Extent{{2, 3}, 2});
  ASSERT_TRUE(shaped);
  EXPECT_EQ(Reader::open(*shaped)->info().extent, (Extent{{2, 3}, 2}));
  EXPECT_EQ(*decompress<std::uint8_t>(*shaped), bytes);
}

}  // namespace
}  // namespace floe::test
