// Tests of arrays in memory of the host that go through a device in pieces: every reader reads the frame, it
// is that of the CPU for the same trees, and it does not depend on whose memory is pinned.
#include <cuda_runtime.h>

#include "floe/cuda_host.hpp"
#include "tests/cuda/device_memory.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t piece_bytes = std::uint64_t{32} << 20;
constexpr std::uint32_t planned_segment_words = 16384;
constexpr std::uint64_t planned_batch_words = 65536;

/// Stretches of several kinds, some of which are there again later.
Bytes patchwork(DType type, std::uint64_t bytes) {
  const std::uint64_t width = size_of(type), stretch = 700'000;
  Bytes content(bytes);
  const auto words = difficult_words(type);
  for (std::uint64_t i = 0; i < bytes / width; ++i) {
    const std::uint64_t which = i * width / stretch % 7;
    std::uint64_t word = 17;
    if (which == 1) word = core::splitmix(i);
    if (which == 2) word = 3 * i;
    if (which == 3) word = words[core::splitmix(i) % words.size()];
    if (which == 4) word = core::splitmix(i / 9) % 5;
    if (which == 5) word = core::splitmix(i) % 100 + i;
    if (which == 6 && type == DType::f64) word = bits_of(static_cast<double>(core::splitmix(i) % 9999) / 100);
    std::memcpy(content.data() + i * width, &word, width);
  }
  return content;
}

cuda::PlannedEncoder encoder_of(DType type) {
  return cuda::PlannedEncoder::create(type, planned_batch_words, planned_segment_words, planned_batch_words)
      .value();
}

struct HostFrame {
  Status status;
  Bytes bytes;
};

/// Into `room` bytes, of which those behind the frame must stay as they are.
HostFrame compress_host(cuda::PlannedEncoder& encoder, std::span<const std::byte> content, DType type,
                        const Extent& extent, std::uint64_t room, const Options& options = {}) {
  HostFrame made{{}, Bytes(room + 64, 0xA5)};
  const auto bytes =
      encoder.compress_into(room_of(std::span(made.bytes).first(room)), content, type, extent, options);
  if (!bytes) made.status = bytes.status();
  const std::uint64_t end = bytes ? *bytes : room;
  EXPECT_TRUE(std::all_of(made.bytes.begin() + static_cast<std::ptrdiff_t>(end), made.bytes.end(),
                          [](std::uint8_t byte) { return byte == 0xA5; }));
  made.bytes.resize(end);
  return made;
}

HostFrame compress_host(cuda::PlannedEncoder& encoder, const Bytes& content, DType type) {
  const Extent extent = Extent::linear(content.size() / size_of(type));
  Options options;
  options.segment_bytes = planned_segment_words * size_of(type);
  return compress_host(encoder, view_of(content), type, extent,
                       max_compressed_size(type, extent, options).value());
}

void expect_content(const HostFrame& made, const Bytes& content, const std::string& what) {
  ASSERT_TRUE(made.status.ok()) << what << ": " << made.status.message();
  const Decoded decoded = decode_memory(made.bytes);
  ASSERT_TRUE(decoded.status.ok()) << what << ": " << decoded.status.message();
  ASSERT_TRUE(decoded.content == content) << what;
}

TEST(HostPieces, EveryTypeComesBack) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t bytes = rounds(100) < 100 ? 3'000'000 : piece_bytes + piece_bytes / 3;
  for (const DType type : all_dtypes) {
    auto encoder = encoder_of(type);
    const Bytes content = patchwork(type, bytes / size_of(type) * size_of(type));
    const HostFrame made = compress_host(encoder, content, type);
    expect_content(made, content, std::string(name_of(type)));
    EXPECT_EQ(encoder.trees().size(),
              (content.size() / size_of(type) + planned_batch_words - 1) / planned_batch_words);
    if (HasFatalFailure()) return;
  }
}

TEST(HostPieces, AnyLength) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t segment = planned_segment_words * 4;
  std::vector<std::uint64_t> sizes = {0, 4, segment - 4, segment, segment + 4, 5 * segment + 400};
  if (rounds(100) == 100) {
    for (const std::uint64_t size : {piece_bytes - 4, piece_bytes, piece_bytes + 4, 2 * piece_bytes + segment,
                                     7 * piece_bytes + 8 * segment + 4, 15 * piece_bytes})
      sizes.push_back(size);
  }
  const Bytes all = patchwork(DType::f32, sizes.back());
  auto encoder = encoder_of(DType::f32);
  for (const std::uint64_t size : sizes) {
    const Bytes content(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(size));
    expect_content(compress_host(encoder, content, DType::f32), content, std::to_string(size));
    if (HasFatalFailure()) return;
  }
}

/// The frame is the same whatever memory there is, and wherever in it the array lies.
TEST(HostPieces, PinnedMemoryAndOther) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t bytes = rounds(100) < 100 ? 3'000'000 : 4 * piece_bytes + 2'000'000;
  const Extent extent = Extent::linear(bytes / 8);
  const Bytes content = patchwork(DType::f64, bytes);
  auto encoder = encoder_of(DType::f64);
  const HostFrame pageable = compress_host(encoder, content, DType::f64);
  expect_content(pageable, content, "pageable");
  const auto in = cuda::PinnedMemory::allocate(bytes + 1).value(),
             out = cuda::PinnedMemory::allocate(pageable.bytes.size()).value();
  for (const std::size_t shift : {0u, 1u}) {
    std::ranges::copy(view_of(content), in.bytes().begin() + static_cast<std::ptrdiff_t>(shift));
    const auto elements = std::span<const std::byte>(in.bytes()).subspan(shift, bytes);
    for (const bool to_pinned : {true, false}) {
      encoder.forget();
      Bytes frame;
      if (to_pinned) {
        std::ranges::fill(out.bytes(), std::byte{0});
        const auto made = encoder.compress_into(out.bytes(), elements, DType::f64, extent);
        ASSERT_TRUE(made) << made.status().message();
        append(frame, out.bytes().first(*made));
      } else {
        frame = compress_host(encoder, elements, DType::f64, extent, pageable.bytes.size()).bytes;
      }
      EXPECT_TRUE(frame == pageable.bytes) << shift << ", " << to_pinned;
    }
  }
}

/// That of the CPU, which is told the tree. With a prefix, rows, and without checksums.
TEST(HostPieces, FrameOfTheCpu) {
  FLOE_NEEDS_DEVICE();
  const std::uint64_t columns = 1000, rows = rounds(100) < 100 ? 1000 : 30'000;
  Column column(DType::i32, rows * columns);
  for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, 100 * i + core::splitmix(i) % 50);
  const std::string prefix = "before";
  auto encoder = encoder_of(DType::i32);
  for (const bool checksum : {true, false}) {
    Options options;
    options.checksum = checksum;
    options.prefix = std::as_bytes(std::span(prefix));
    const Extent extent{{rows, columns}, 2};
    const std::uint64_t room = 2 * column.bytes.size();
    const HostFrame made = compress_host(encoder, view_of(column.bytes), DType::i32, extent, room, options);
    expect_content(made, column.bytes, "rows");
    const std::string tree = encoder.trees()[0];
    EXPECT_TRUE(
        std::ranges::all_of(encoder.trees(), [&](const std::string& other) { return other == tree; }));
    options.tree = tree;
    options.profile = Profile::gpu;
    options.segment_bytes = planned_segment_words * 4;
    EXPECT_TRUE(made.bytes == frame_of(column.bytes, DType::i32, extent, options)) << tree;
    options.tree = {};
    EXPECT_TRUE(compress_host(encoder, view_of(column.bytes), DType::i32, extent, made.bytes.size(), options)
                    .status.ok());
    for (const std::uint64_t narrow : {made.bytes.size() - 1, made.bytes.size() / 2, std::size_t{0}}) {
      EXPECT_EQ(
          compress_host(encoder, view_of(column.bytes), DType::i32, extent, narrow, options).status.code,
          ErrorCode::output_too_small);
    }
  }
}

TEST(HostPieces, RefusesArguments) {
  FLOE_NEEDS_DEVICE();
  auto encoder = encoder_of(DType::f32);
  const Bytes content(4000);
  const auto code = [&](DType type, std::uint64_t count, const Options& options) {
    return compress_host(encoder, view_of(content), type, Extent::linear(count), 9000, options).status.code;
  };
  EXPECT_EQ(code(DType::f32, 1000, {}), ErrorCode::ok);
  EXPECT_EQ(code(DType::i32, 1000, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(DType::f32, 999, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(DType::f32, ~std::uint64_t{0} / 2, {}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(DType::f32, 1000, {.tree = "bitpack"}), ErrorCode::invalid_argument);
  auto odd = cuda::PlannedEncoder::create(DType::f32, 5000, 1000, 1000).value();
  EXPECT_EQ(compress_host(odd, view_of(content), DType::f32, Extent::linear(1000), 9000).status.code,
            ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace floe::test
