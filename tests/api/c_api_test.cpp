// Does the C ABI make the same frames, and does it survive callers who make mistakes?
#include <gtest/gtest.h>

#include "floe/floe.h"
#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

floe_extent extent_of(const Extent& extent) {
  floe_extent out{};
  std::copy(extent.size.begin(), extent.size.end(), out.size);
  out.rank = extent.rank;
  return out;
}

int append_to_bytes(void* user, const void* bytes, size_t count) {
  append(*static_cast<Bytes*>(user), {static_cast<const std::byte*>(bytes), count});
  return 0;
}
int refuse(void*, const void*, size_t) { return 5; }

class CApi : public testing::Test {
 protected:
  CApi() {
    floe_options_default(&options_);
    floe_decode_options_default(&decode_options_);
  }

  /// The frame of content_ with options_.
  Bytes compress_content() {
    uint64_t bound = 0;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_OK);
    Bytes frame(bound);
    size_t bytes = frame.size();
    EXPECT_EQ(
        floe_compress(frame.data(), &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, &options_)
            .code,
        FLOE_OK);
    frame.resize(bytes);
    return frame;
  }

  const Bytes content_ = make_bytes(32, 5, 24000, 1);
  const floe_extent extent_ = extent_of({{20, 3, 100}, 3});
  floe_options options_;
  floe_decode_options decode_options_;
};

TEST_F(CApi, SameBytes) {
  const Bytes prefix = {9, 8, 7};
  options_.codec = "gfc";
  options_.dimensionality = 3;
  options_.threads = 2;
  options_.segment_bytes = 16384;
  options_.prefix = prefix.data();
  options_.prefix_bytes = prefix.size();
  Options same;
  same.codec = "gfc";
  same.dimensionality = 3;
  same.segment_bytes = 16384;
  same.prefix = view_of(prefix);
  const Bytes frame = compress_content();
  EXPECT_TRUE(frame == frame_of(content_, DType::f32, {{20, 3, 100}, 3}, same));

  Bytes streamed;
  floe_compressor* compressor = nullptr;
  const uint64_t inner[] = {3, 100};
  ASSERT_EQ(
      floe_compressor_create(&compressor, append_to_bytes, &streamed, FLOE_F32, inner, 2, &options_).code,
      FLOE_OK);
  ASSERT_EQ(floe_compressor_write(compressor, content_.data(), 10001).code, FLOE_OK);
  ASSERT_EQ(floe_compressor_write(compressor, nullptr, 0).code, FLOE_OK);
  ASSERT_EQ(floe_compressor_write(compressor, content_.data() + 10001, content_.size() - 10001).code,
            FLOE_OK);
  ASSERT_EQ(floe_compressor_finish(compressor).code, FLOE_OK);
  floe_compressor_destroy(compressor);
  EXPECT_TRUE(streamed == frame);

  floe_frame_info info;
  info.struct_size = sizeof info;
  ASSERT_EQ(floe_inspect(&info, frame.data(), frame.size()).code, FLOE_OK);
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.dtype, FLOE_F32);
  EXPECT_EQ(std::memcmp(&info.extent, &extent_, sizeof extent_), 0);
  EXPECT_EQ(info.element_count, 6000u);
  EXPECT_STREQ(info.codec, "gfc");
  EXPECT_EQ(info.format_version, 1u);
  EXPECT_EQ(info.dimensionality, 3u);
  EXPECT_EQ(info.has_checksums, 1u);
  EXPECT_EQ(info.segment_bytes, 16384u);
  EXPECT_EQ(info.segment_count, 2u);
  EXPECT_NE(info.digest, 0u);
  EXPECT_EQ(info.prefix_bytes, 3u);
  Bytes out_prefix(3);
  ASSERT_EQ(floe_prefix(out_prefix.data(), 3, frame.data(), frame.size()).code, FLOE_OK);
  EXPECT_TRUE(out_prefix == prefix);
  EXPECT_EQ(floe_prefix(out_prefix.data(), 2, frame.data(), frame.size()).code, FLOE_INVALID_ARGUMENT);

  Bytes out(content_.size());
  ASSERT_EQ(floe_decompress(out.data(), out.size(), frame.data(), frame.size(), &decode_options_).code,
            FLOE_OK);
  EXPECT_TRUE(out == content_);
  Bytes slice(400);
  ASSERT_EQ(floe_decompress_slice(slice.data(), 400, frame.data(), frame.size(), 4050, 100, nullptr).code,
            FLOE_OK);
  EXPECT_TRUE(std::equal(slice.begin(), slice.end(), content_.begin() + 4 * 4050));

  Bytes restored;
  floe_decompressor* decompressor = nullptr;
  ASSERT_EQ(floe_decompressor_create(&decompressor, append_to_bytes, &restored, nullptr).code, FLOE_OK);
  for (std::size_t at = 0; at < frame.size(); at += 999) {
    ASSERT_EQ(floe_decompressor_write(decompressor, frame.data() + at,
                                      std::min<std::size_t>(999, frame.size() - at))
                  .code,
              FLOE_OK);
  }
  ASSERT_EQ(floe_decompressor_finish(decompressor).code, FLOE_OK);
  floe_decompressor_destroy(decompressor);
  EXPECT_TRUE(restored == content_);
}

TEST_F(CApi, DefaultsAreThoseOfTheLibrary) {
  const Bytes frame = compress_content();
  EXPECT_TRUE(frame == frame_of(content_, DType::f32, {{20, 3, 100}, 3}, {}));
  Bytes out(frame.size());
  size_t bytes = out.size();
  EXPECT_EQ(
      floe_compress(out.data(), &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, nullptr).code,
      FLOE_OK);
  EXPECT_TRUE(out == frame);
}

TEST_F(CApi, NullPointers) {
  uint64_t bound = 0;
  size_t bytes = 0;
  EXPECT_EQ(floe_max_compressed_size(nullptr, FLOE_F32, &extent_, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  Bytes out(100'000);
  bytes = out.size();
  EXPECT_EQ(
      floe_compress(nullptr, &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, nullptr).code,
      FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(
      floe_compress(out.data(), nullptr, content_.data(), content_.size(), FLOE_F32, &extent_, nullptr).code,
      FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_compress(out.data(), &bytes, nullptr, content_.size(), FLOE_F32, &extent_, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(
      floe_compress(out.data(), &bytes, content_.data(), content_.size(), FLOE_F32, nullptr, nullptr).code,
      FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(bytes, out.size());
  bytes = 0;
  EXPECT_EQ(
      floe_compress(nullptr, &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, nullptr).code,
      FLOE_OUTPUT_TOO_SMALL);
  floe_frame_info info;
  info.struct_size = sizeof info;
  EXPECT_EQ(floe_inspect(nullptr, out.data(), 10).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_inspect(&info, nullptr, 10).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_prefix(nullptr, 1, out.data(), 10).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress(nullptr, 1, out.data(), 10, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress(out.data(), 1, nullptr, 10, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress_slice(nullptr, 1, out.data(), 10, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress_slice(out.data(), 1, nullptr, 10, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  options_.prefix_bytes = 10;
  EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT);
}

TEST_F(CApi, EmptyArrays) {
  const floe_extent nothing = extent_of(Extent::linear(0));
  Bytes frame(1000);
  size_t bytes = frame.size();
  ASSERT_EQ(floe_compress(frame.data(), &bytes, nullptr, 0, FLOE_F64, &nothing, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_decompress(nullptr, 0, frame.data(), bytes, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_decompress_slice(nullptr, 0, frame.data(), bytes, 0, 0, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_prefix(nullptr, 0, frame.data(), bytes).code, FLOE_OK);
}

TEST_F(CApi, StructSizes) {
  const Bytes frame = compress_content();
  Bytes out(content_.size());
  uint64_t bound = 0;
  for (const std::uint32_t size : {0u, 1u, 4u, 12u, static_cast<unsigned>(sizeof options_) - 1}) {
    options_.struct_size = size;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT)
        << size;
    size_t bytes = out.size();
    EXPECT_EQ(
        floe_compress(out.data(), &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, &options_)
            .code,
        FLOE_INVALID_ARGUMENT);
    floe_compressor* compressor = nullptr;
    EXPECT_EQ(floe_compressor_create(&compressor, refuse, nullptr, FLOE_F32, nullptr, 0, &options_).code,
              FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(compressor, nullptr);
  }
  for (const std::uint32_t size : {0u, 4u, static_cast<unsigned>(sizeof decode_options_) - 1}) {
    decode_options_.struct_size = size;
    EXPECT_EQ(floe_decompress(out.data(), out.size(), frame.data(), frame.size(), &decode_options_).code,
              FLOE_INVALID_ARGUMENT)
        << size;
    floe_decompressor* decompressor = nullptr;
    EXPECT_EQ(floe_decompressor_create(&decompressor, refuse, nullptr, &decode_options_).code,
              FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(decompressor, nullptr);
  }
  floe_frame_info info;
  for (const std::uint32_t size : {0u, 4u, static_cast<unsigned>(sizeof info) - 1}) {
    info.struct_size = size;
    EXPECT_EQ(floe_inspect(&info, frame.data(), frame.size()).code, FLOE_INVALID_ARGUMENT) << size;
  }
}

/// A caller who was compiled with a later header, whose structs are longer.
TEST_F(CApi, LongerStructs) {
  struct LaterOptions {
    floe_options known;
    std::uint64_t unknown[4];
  } later{};
  floe_options_default(&later.known);
  later.known.struct_size = sizeof later;
  later.known.codec = "spspeed";
  uint64_t bound = 0;
  EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &later.known).code, FLOE_OK);

  struct LaterInfo {
    floe_frame_info known;
    std::uint64_t unknown[4];
  } info{};
  info.known.struct_size = sizeof info;
  info.unknown[0] = 77;
  const Bytes frame = compress_content();
  EXPECT_EQ(floe_inspect(&info.known, frame.data(), frame.size()).code, FLOE_OK);
  EXPECT_EQ(info.known.element_count, 6000u);
  EXPECT_EQ(info.unknown[0], 77u);
}

TEST_F(CApi, NumbersThatAreNoEnumerators) {
  uint64_t bound = 0;
  for (const int number : {0, 13, 255, 257, 258, 65537, -1}) {
    const auto dtype = static_cast<floe_dtype>(number);
    EXPECT_EQ(floe_max_compressed_size(&bound, dtype, &extent_, nullptr).code, FLOE_INVALID_ARGUMENT)
        << number;
    EXPECT_EQ(floe_dtype_size(dtype), 0u) << number;
  }
  for (const std::uint32_t goal : {3u, 256u, 257u, ~0u}) {
    options_.goal = goal;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT)
        << goal;
  }
  floe_extent extent = extent_;
  for (const std::uint32_t rank : {9u, 256u, ~0u}) {
    extent.rank = rank;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent, nullptr).code, FLOE_INVALID_ARGUMENT)
        << rank;
  }
  EXPECT_STREQ(floe_error_name(static_cast<floe_error>(99)), "unknown");
  EXPECT_STREQ(floe_error_name(FLOE_CORRUPT_FRAME), "corrupt_frame");
  EXPECT_EQ(floe_dtype_size(FLOE_BF16), 2u);
}

TEST_F(CApi, MisusedStreams) {
  floe_compressor* compressor = nullptr;
  floe_decompressor* decompressor = nullptr;
  Bytes out;
  EXPECT_EQ(floe_compressor_create(nullptr, refuse, nullptr, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompressor_create(nullptr, refuse, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  compressor = reinterpret_cast<floe_compressor*>(&out);  // whatever it was, it is NULL after a failure
  decompressor = reinterpret_cast<floe_decompressor*>(&out);
  EXPECT_EQ(floe_compressor_create(&compressor, nullptr, nullptr, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompressor_create(&decompressor, nullptr, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(compressor, nullptr);
  EXPECT_EQ(decompressor, nullptr);
  EXPECT_EQ(floe_compressor_create(&compressor, refuse, nullptr, FLOE_F32, nullptr, 2, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_compressor_write(nullptr, out.data(), 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_compressor_finish(nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompressor_write(nullptr, out.data(), 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompressor_finish(nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_compressor_destroy(nullptr);
  floe_decompressor_destroy(nullptr);

  ASSERT_EQ(floe_compressor_create(&compressor, append_to_bytes, &out, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(floe_compressor_write(compressor, nullptr, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_compressor_finish(compressor).code, FLOE_OK);
  EXPECT_EQ(floe_compressor_finish(compressor).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_compressor_write(compressor, "abcd", 4).code, FLOE_INVALID_ARGUMENT);
  floe_compressor_destroy(compressor);

  ASSERT_EQ(floe_compressor_create(&compressor, refuse, nullptr, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(floe_compressor_finish(compressor).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_compressor_finish(compressor).code, FLOE_IO_ERROR);
  floe_compressor_destroy(compressor);

  const Bytes frame = compress_content();
  ASSERT_EQ(floe_decompressor_create(&decompressor, refuse, nullptr, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_decompressor_write(decompressor, frame.data(), frame.size()).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_decompressor_finish(decompressor).code, FLOE_IO_ERROR);
  floe_decompressor_destroy(decompressor);
  ASSERT_EQ(floe_compressor_create(&compressor, append_to_bytes, &out, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(floe_compressor_write(compressor, "abcd", 4).code, FLOE_OK);
  floe_compressor_destroy(compressor);  // unfinished
}

TEST_F(CApi, ErrorsSayWhere) {
  Bytes frame = compress_content();
  Bytes out(content_.size());
  frame[frame.size() / 2] ^= 1;
  const floe_status status = floe_decompress(out.data(), out.size(), frame.data(), frame.size(), nullptr);
  EXPECT_EQ(status.code, FLOE_CORRUPT_FRAME);
  EXPECT_GT(status.byte_offset, 0u);
  EXPECT_STRNE(status.detail, "");
  EXPECT_EQ(floe_decompress(out.data(), out.size(), frame.data(), 40, nullptr).code, FLOE_TRUNCATED_FRAME);
  EXPECT_STREQ(floe_decompress(out.data(), 0, frame.data(), 0, nullptr).detail,
               "the frame ends before its footer");
}

}  // namespace
}  // namespace floe::test
