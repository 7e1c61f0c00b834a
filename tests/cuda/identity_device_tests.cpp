// Tests of frames on a device: they are those of the CPU byte by byte, and the device reads them.
#include "core/chunk.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {
namespace {

std::vector<ArrayCase> device_cases() {
  std::vector<ArrayCase> cases = codec_cases();
  std::erase_if(cases, [](const ArrayCase& c) { return !cuda::supports(c.dtype, c.options()); });
  return cases;
}

/// A size in bytes whose parts end where something can go wrong.
std::size_t interesting_size(Random& random, std::size_t segment_bytes, std::size_t word_bytes) {
  constexpr std::size_t around[] = {
      0, 128, 512, core::chunk_bytes, 2 * core::chunk_bytes, 256 * core::chunk_bytes};
  std::size_t bytes = 0;
  switch (random.below(5)) {
    case 0:
      bytes = around[random.below(random.below(20) == 0 ? 6 : 5)] + random.below(40) * word_bytes;
      break;
    case 1:
      bytes = segment_bytes * random.below(4) + random.below(3) * word_bytes;
      break;
    case 2:
      bytes = random.below(300);
      break;
    default:
      bytes = random.below(random.below(8) == 0 ? 1 << 20 : 1 << 17);
  }
  bytes = std::min<std::size_t>(bytes, 5 << 20);
  return bytes / word_bytes * word_bytes - (random.below(4) == 0 && bytes >= 2 * word_bytes ? word_bytes : 0);
}

/// Segments have the first ones of a list of lengths. `may_lack_room`: some trees have more streams beside
/// each other than a workspace of the usual size has room for, which is said in the result.
void expect_frames_of_cpu(const std::vector<ArrayCase>& cases, std::size_t round_count,
                          std::size_t length_count, bool may_lack_room = false) {
  Random random(2026);
  for (std::size_t round = 0; round < rounds(round_count); ++round) {
    ArrayCase c = cases[round % cases.size()];
    if (c.tree == "gfc") c.tree = "gfc(" + std::to_string(1 + random.below(32)) + ")";
    Options options = c.options();
    options.checksum = random.below(4) != 0;
    constexpr std::uint64_t segments[] = {1, 2, 3, 7, 256, 257, 4096};
    options.segment_bytes = core::chunk_bytes * segments[random.below(length_count)];
    const std::size_t content_kind = random.below(content_names().size());
    const Bytes content =
        c.sample(content_kind, interesting_size(random, options.segment_bytes, c.word_bytes()), round);
    const Extent extent = Extent::linear(content.size() / c.word_bytes());
    const std::uint64_t shift = random.below(3) == 0 ? c.word_bytes() * random.below(32) : 0;
    const auto where = [&] {
      return c.name() + " " + std::string(content_names()[content_kind]) + " " +
             std::to_string(content.size()) + " bytes, segments of " + std::to_string(options.segment_bytes) +
             ", shift " + std::to_string(shift) + ", round " + std::to_string(round);
    };

    const Bytes frame = frame_of(content, c.dtype, extent, options);
    const DeviceOutcome made = device_compress(content, c.dtype, extent, options,
                                               *max_compressed_size(c.dtype, extent, options), shift);
    ASSERT_TRUE(made.status.ok()) << made.status.message() << " " << where();
    ASSERT_EQ(made.code(), ErrorCode::ok) << where();
    ASSERT_TRUE(made.intact) << where();
    ASSERT_EQ(made.bytes.size(), frame.size()) << where();
    ASSERT_TRUE(made.bytes == frame) << where() << ", first difference at "
                                     << std::mismatch(frame.begin(), frame.end(), made.bytes.begin()).first -
                                            frame.begin();

    const DeviceOutcome read = device_decompress(frame, {c.dtype, c.tree, options.segment_bytes}, whole_array,
                                                 content.size(), shift);
    ASSERT_TRUE(read.status.ok()) << read.status.message() << " " << where();
    if (may_lack_room && read.code() == ErrorCode::out_of_memory) {
      ASSERT_GT(read.result.failed_chunks, 0u) << where();
      continue;
    }
    ASSERT_EQ(read.code(), ErrorCode::ok) << where() << ", offset " << read.result.byte_offset;
    ASSERT_TRUE(read.intact) << where();
    ASSERT_TRUE(read.bytes == content) << where();
  }
}

TEST(CudaIdentity, FramesAreThoseOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const std::vector<ArrayCase> cases = device_cases();
  ASSERT_EQ(cases.size(), codec_cases().size());
  expect_frames_of_cpu(cases, 10000, 7);
}

TEST(CudaIdentity, FramesOfTreesAreThoseOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  expect_frames_of_cpu(device_tree_cases(), 5000, 6);
  std::vector<ArrayCase> cases;
  for (const DType dtype : all_dtypes) {
    for (const std::string& tree : device_trees(dtype)) cases.push_back({dtype, tree});
  }
  expect_frames_of_cpu(cases, 2 * cases.size(), 5, true);
}

void expect_shapes(const std::string& tree) {
  Options options;
  options.tree = tree;
  options.profile = Profile::gpu;
  Extent scalar;
  scalar.rank = 0;
  const Extent shapes[] = {scalar,      {{2, 3, 5}, 3}, {{0, 3}, 2},
                           {{4, 0}, 2}, {{100, 41}, 2}, {{1, 1, 1, 1, 1, 1, 1, 9}, 8}};
  for (const Extent& shape : shapes) {
    const Bytes content = make_bytes(32, 4, *shape.element_count() * 4, 1);
    const DeviceOutcome made = device_compress(content, DType::f32, shape, options,
                                               *max_compressed_size(DType::f32, shape, options));
    ASSERT_TRUE(made.status.ok()) << made.status.message();
    EXPECT_TRUE(made.bytes == frame_of(content, DType::f32, shape, options)) << shape.rank;
    const DeviceOutcome read = device_decompress(made.bytes, {DType::f32, tree}, whole_array, content.size());
    EXPECT_EQ(read.code(), ErrorCode::ok);
    EXPECT_TRUE(read.bytes == content);
  }
}

TEST(CudaIdentity, ShapesAndScalars) {
  FLOE_NEEDS_DEVICE();
  expect_shapes("spspeed");
  expect_shapes("sortable,bitpack");
}

TEST(CudaIdentity, SlicesAreThoseOfTheArray) {
  FLOE_NEEDS_DEVICE();
  Random random(5);
  std::vector<ArrayCase> cases = device_cases();
  for (ArrayCase& c : device_tree_cases()) cases.push_back(std::move(c));
  for (const ArrayCase& c : cases) {
    Options options = c.options();
    options.segment_bytes = 5 * core::chunk_bytes;
    const std::size_t elements = 300000 / c.word_bytes();
    const Bytes content = c.sample(5, elements * c.word_bytes(), 7);
    const Bytes frame = frame_of(content, c.dtype, options);
    for (std::size_t round = 0; round < rounds(40); ++round) {
      Slice slice{random.below(elements + 1), 0};
      slice.count = random.below(round % 2 == 0 ? elements - slice.first + 1
                                                : std::min<std::size_t>(elements - slice.first, 100) + 1);
      const std::size_t bytes = slice.count * c.word_bytes();
      const DeviceOutcome read = device_decompress(frame, {c.dtype, c.tree, options.segment_bytes}, slice,
                                                   bytes, random.below(2) * c.word_bytes());
      ASSERT_EQ(read.code(), ErrorCode::ok) << c.name();
      ASSERT_TRUE(read.intact) << c.name();
      const auto begin = content.begin() + static_cast<std::ptrdiff_t>(slice.first * c.word_bytes());
      ASSERT_TRUE(read.bytes.size() == bytes && std::equal(read.bytes.begin(), read.bytes.end(), begin))
          << c.name();
    }
    const DeviceOutcome beyond = device_decompress(frame, {c.dtype, c.tree}, {elements, 1}, c.word_bytes());
    EXPECT_EQ(beyond.code(), ErrorCode::invalid_argument);
  }
}

/// A part of a segment with history needs room for the whole segment; whole segments need none.
TEST(CudaIdentity, SlicesOfSegmentsWithHistoryNeedRoom) {
  FLOE_NEEDS_DEVICE();
  Options options;
  options.tree = "dpratio";
  options.segment_bytes = 3 * core::chunk_bytes;
  const std::uint64_t segment_elements = options.segment_bytes / 8;
  Bytes content = make_bytes(64, 1, 2 * options.segment_bytes, 4);
  for (std::size_t i = 4000; i < content.size(); ++i) content[i] = content[i - 4000];
  const Bytes frame = frame_of(content, DType::f64, options);
  // Values and distances.
  ASSERT_EQ(Reader::open(view_of(frame)).value().segment(0).value().chunks.chunks, 6u);
  const auto read = [&](Slice slice, std::uint64_t room_for) {
    return device_decompress(frame, {DType::f64, "dpratio", room_for}, slice, slice.count * 8);
  };
  const auto is_part = [&](const Bytes& bytes, Slice slice) {
    return std::equal(bytes.begin(), bytes.end(),
                      content.begin() + static_cast<std::ptrdiff_t>(8 * slice.first));
  };
  for (const Slice slice :
       {Slice{1, 5}, Slice{segment_elements - 1, segment_elements}, Slice{0, 2 * segment_elements - 1}}) {
    const DeviceOutcome refused = read(slice, 0);
    EXPECT_EQ(refused.code(), ErrorCode::out_of_memory) << slice.first;
    EXPECT_TRUE(refused.intact) << slice.first;
    const DeviceOutcome given = read(slice, options.segment_bytes);
    EXPECT_EQ(given.code(), ErrorCode::ok) << slice.first;
    EXPECT_TRUE(given.intact && is_part(given.bytes, slice)) << slice.first;
  }
  const DeviceOutcome whole = read({segment_elements, segment_elements}, 0);
  EXPECT_EQ(whole.code(), ErrorCode::ok);
  EXPECT_TRUE(is_part(whole.bytes, {segment_elements, segment_elements}));
}

void expect_large_array(const std::string& tree) {
  constexpr std::uint64_t bytes = (std::uint64_t{4} << 30) + (std::uint64_t{300} << 20) + 12;
  constexpr std::uint64_t piece_bytes = std::uint64_t{64} << 20;
  std::size_t free = 0, total = 0;
  expect_cuda(cudaMemGetInfo(&free, &total));
  if (free < 4 * bytes) GTEST_SKIP() << "not enough device memory";
  const Bytes piece = make_bytes(32, 5, piece_bytes, 3);
  Bytes content(bytes);
  for (std::uint64_t at = 0; at < bytes; at += piece_bytes)
    std::memcpy(content.data() + at, piece.data(), std::min(piece_bytes, bytes - at));
  Options options;
  options.tree = tree;
  options.profile = Profile::gpu;
  const Extent extent = Extent::linear(bytes / 4);
  const DeviceOutcome made = device_compress(content, DType::f32, extent, options,
                                             *max_compressed_size(DType::f32, extent, options));
  ASSERT_EQ(made.code(), ErrorCode::ok);
  EXPECT_TRUE(made.bytes == frame_of(content, DType::f32, extent, options));
  const DeviceOutcome read = device_decompress(made.bytes, {DType::f32, tree}, whole_array, bytes);
  EXPECT_EQ(read.code(), ErrorCode::ok);
  EXPECT_TRUE(read.bytes == content);
}

TEST(CudaIdentity, ArraysOfMoreThan4GiB) {
  FLOE_NEEDS_DEVICE();
  expect_large_array("spspeed");
  expect_large_array("sortable,delta,bitpack");
}

}  // namespace
}  // namespace floe::test
