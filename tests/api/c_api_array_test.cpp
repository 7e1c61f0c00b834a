// Does the C ABI make the same frames of arrays, and does it survive callers who make mistakes?
#include <gtest/gtest.h>

#include "tests/api/c_api.hpp"

namespace floe::test {
namespace {

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
  const floe_extent extent_ = c_extent({{20, 3, 100}, 3});
  floe_options options_;
  floe_decode_options decode_options_;
};

TEST_F(CApi, SameBytes) {
  const Bytes prefix = {9, 8, 7};
  floe_release_memory();
  options_.tree = "gfc(3)";
  options_.threads = 2;
  options_.segment_bytes = 16384;
  options_.prefix = prefix.data();
  options_.prefix_bytes = prefix.size();
  Options same;
  same.tree = "gfc(3)";
  same.segment_bytes = 16384;
  same.prefix = view_of(prefix);
  const Bytes frame = compress_content();
  EXPECT_TRUE(frame == frame_of(content_, DType::f32, {{20, 3, 100}, 3}, same));

  Bytes streamed;
  floe_writer* writer = nullptr;
  const uint64_t inner[] = {3, 100};
  ASSERT_EQ(floe_writer_create_array(&writer, append_to_bytes, &streamed, FLOE_F32, inner, 2, &options_).code,
            FLOE_OK);
  ASSERT_EQ(floe_writer_write(writer, content_.data(), 10001).code, FLOE_OK);
  ASSERT_EQ(floe_writer_write(writer, nullptr, 0).code, FLOE_OK);
  ASSERT_EQ(floe_writer_write(writer, content_.data() + 10001, content_.size() - 10001).code, FLOE_OK);
  ASSERT_EQ(floe_writer_finish(writer).code, FLOE_OK);
  floe_writer_close(writer);
  EXPECT_TRUE(streamed == frame);

  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  floe_frame_info info;
  info.struct_size = sizeof info;
  ASSERT_EQ(floe_reader_info(reader, &info).code, FLOE_OK);
  EXPECT_EQ(info.struct_size, sizeof info);
  EXPECT_EQ(info.content, FLOE_ARRAY);
  EXPECT_EQ(info.dtype, FLOE_F32);
  EXPECT_EQ(std::memcmp(&info.extent, &extent_, sizeof extent_), 0);
  EXPECT_EQ(info.element_count, 6000u);
  EXPECT_EQ(info.column_count, 0u);
  EXPECT_EQ(info.format_version, 1u);
  EXPECT_EQ(info.has_checksums, 1u);
  EXPECT_EQ(info.max_segment_length, 4096u);
  EXPECT_EQ(info.segment_count, 2u);
  EXPECT_EQ(info.frame_bytes, frame.size());
  EXPECT_NE(info.digest, 0u);
  EXPECT_EQ(info.prefix_bytes, 3u);
  Bytes out_prefix(3);
  ASSERT_EQ(floe_reader_prefix(reader, out_prefix.data(), 3).code, FLOE_OK);
  EXPECT_TRUE(out_prefix == prefix);
  EXPECT_EQ(floe_reader_prefix(reader, out_prefix.data(), 2).code, FLOE_INVALID_ARGUMENT);
  Bytes of_reader(400), all;
  ASSERT_EQ(floe_reader_slice(reader, of_reader.data(), 400, 4050, 100, nullptr).code, FLOE_OK);
  EXPECT_TRUE(std::equal(of_reader.begin(), of_reader.end(), content_.begin() + 4 * 4050));
  ASSERT_EQ(floe_reader_restore(reader, append_to_bytes, &all, &decode_options_).code, FLOE_OK);
  EXPECT_TRUE(all == content_);
  EXPECT_EQ(floe_reader_restore(reader, refuse, nullptr, nullptr).code, FLOE_IO_ERROR);
  floe_reader_close(reader);

  Bytes out(content_.size());
  ASSERT_EQ(floe_decompress(out.data(), out.size(), frame.data(), frame.size(), &decode_options_).code,
            FLOE_OK);
  EXPECT_TRUE(out == content_);
  Bytes slice(400);
  ASSERT_EQ(floe_decompress_slice(slice.data(), 400, frame.data(), frame.size(), 4050, 100, nullptr).code,
            FLOE_OK);
  EXPECT_TRUE(std::equal(slice.begin(), slice.end(), content_.begin() + 4 * 4050));

  Bytes restored;
  floe_stream_reader* stream = nullptr;
  ASSERT_EQ(floe_stream_reader_create(&stream, append_to_bytes, &restored, nullptr).code, FLOE_OK);
  for (std::size_t at = 0; at < frame.size(); at += 999) {
    ASSERT_EQ(
        floe_stream_reader_write(stream, frame.data() + at, std::min<std::size_t>(999, frame.size() - at))
            .code,
        FLOE_OK);
  }
  ASSERT_EQ(floe_stream_reader_finish(stream).code, FLOE_OK);
  floe_stream_reader_close(stream);
  EXPECT_TRUE(restored == content_);
}

TEST_F(CApi, ReadsFramesThatAreNotInMemory) {
  Bytes frame = compress_content();
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open_at(&reader, read_bytes_at, &frame, frame.size(), 1 << 20).code, FLOE_OK);
  Bytes slice(400);
  ASSERT_EQ(floe_reader_slice(reader, slice.data(), 400, 4050, 100, nullptr).code, FLOE_OK);
  EXPECT_TRUE(std::equal(slice.begin(), slice.end(), content_.begin() + 4 * 4050));
  floe_reader_close(reader);
  EXPECT_EQ(floe_reader_open_at(&reader, read_bytes_at, &frame, frame.size() + 1, 1 << 20).code,
            FLOE_IO_ERROR);
  EXPECT_EQ(reader, nullptr);
  EXPECT_EQ(floe_reader_open_at(&reader, read_bytes_at, &frame, frame.size(), 10).code, FLOE_OUT_OF_MEMORY);
  EXPECT_EQ(floe_reader_open_at(&reader, nullptr, &frame, frame.size(), 1 << 20).code, FLOE_INVALID_ARGUMENT);
}

TEST_F(CApi, EveryGoalProfileAndTree) {
  for (const char* tree : {static_cast<const char*>(nullptr), "", "spratio", "sortable,delta,entropy"}) {
    for (const std::uint32_t goal : {0u, 1u, 2u, 3u}) {
      for (const std::uint32_t profile : {0u, 1u}) {
        options_.tree = tree;
        options_.goal = goal;
        options_.profile = profile;
        Options same;
        if (tree != nullptr) same.tree = tree;
        same.goal = static_cast<Goal>(goal);
        same.profile = static_cast<Profile>(profile);
        EXPECT_TRUE(compress_content() == frame_of(content_, DType::f32, {{20, 3, 100}, 3}, same));
      }
    }
  }
  EXPECT_EQ(floe_check_tree("sortable,delta,entropy", FLOE_F32).code, FLOE_OK);
  EXPECT_EQ(floe_check_tree("sortable,nonsense", FLOE_F32).byte_offset, 9u);
  EXPECT_EQ(floe_check_tree("delta,bitpack", FLOE_F32).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_check_tree(nullptr, FLOE_F32).code, FLOE_INVALID_ARGUMENT);
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
  floe_reader* reader = nullptr;
  EXPECT_EQ(floe_reader_open(nullptr, out.data(), 10).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_open(&reader, nullptr, 10).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_info(nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_prefix(nullptr, out.data(), 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_slice(nullptr, out.data(), 0, 0, 0, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_restore(nullptr, refuse, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_reader_close(nullptr);
  const Bytes frame = compress_content();
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  EXPECT_EQ(floe_reader_info(reader, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_prefix(reader, nullptr, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_slice(reader, nullptr, 4, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_reader_restore(reader, nullptr, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_reader_close(reader);
  EXPECT_EQ(floe_decompress(nullptr, 1, out.data(), 10, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress(out.data(), 1, nullptr, 10, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress_slice(nullptr, 1, out.data(), 10, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_decompress_slice(out.data(), 1, nullptr, 10, 0, 1, nullptr).code, FLOE_INVALID_ARGUMENT);
  options_.prefix_bytes = 10;
  EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT);
}

TEST_F(CApi, EmptyArrays) {
  const floe_extent nothing = c_extent(Extent::linear(0));
  Bytes frame(1000);
  size_t bytes = frame.size();
  ASSERT_EQ(floe_compress(frame.data(), &bytes, nullptr, 0, FLOE_F64, &nothing, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_decompress(nullptr, 0, frame.data(), bytes, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_decompress_slice(nullptr, 0, frame.data(), bytes, 0, 0, nullptr).code, FLOE_OK);
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), bytes).code, FLOE_OK);
  EXPECT_EQ(floe_reader_prefix(reader, nullptr, 0).code, FLOE_OK);
  EXPECT_EQ(floe_reader_slice(reader, nullptr, 0, 0, 0, nullptr).code, FLOE_OK);
  floe_reader_close(reader);
}

TEST_F(CApi, StructSizes) {
  const Bytes frame = compress_content();
  Bytes out(content_.size());
  uint64_t bound = 0;
  for (const std::uint32_t size :
       {0u, 1u, 4u, 12u, static_cast<unsigned>(offsetof(floe_options, executor_user))}) {
    options_.struct_size = size;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT)
        << size;
    size_t bytes = out.size();
    EXPECT_EQ(
        floe_compress(out.data(), &bytes, content_.data(), content_.size(), FLOE_F32, &extent_, &options_)
            .code,
        FLOE_INVALID_ARGUMENT);
    floe_writer* writer = nullptr;
    EXPECT_EQ(floe_writer_create_array(&writer, refuse, nullptr, FLOE_F32, nullptr, 0, &options_).code,
              FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(writer, nullptr);
  }
  for (const std::uint32_t size :
       {0u, 4u, static_cast<unsigned>(offsetof(floe_decode_options, executor_user))}) {
    decode_options_.struct_size = size;
    EXPECT_EQ(floe_decompress(out.data(), out.size(), frame.data(), frame.size(), &decode_options_).code,
              FLOE_INVALID_ARGUMENT)
        << size;
    floe_stream_reader* stream = nullptr;
    EXPECT_EQ(floe_stream_reader_create(&stream, refuse, nullptr, &decode_options_).code,
              FLOE_INVALID_ARGUMENT);
    EXPECT_EQ(stream, nullptr);
  }
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  floe_frame_info info;
  for (const std::uint32_t size : {0u, 4u, static_cast<unsigned>(sizeof info) - 1}) {
    info.struct_size = size;
    EXPECT_EQ(floe_reader_info(reader, &info).code, FLOE_INVALID_ARGUMENT) << size;
  }
  floe_reader_close(reader);
}

/// A caller who was compiled with a later header, whose structs are longer.
TEST_F(CApi, LongerStructs) {
  struct LaterOptions {
    floe_options known;
    std::uint64_t unknown[4];
  } later{};
  floe_options_default(&later.known);
  later.known.struct_size = sizeof later;
  later.known.tree = "spspeed";
  uint64_t bound = 0;
  EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &later.known).code, FLOE_OK);

  struct LaterInfo {
    floe_frame_info known;
    std::uint64_t unknown[4];
  } info{};
  info.known.struct_size = sizeof info;
  info.unknown[0] = 77;
  const Bytes frame = compress_content();
  floe_reader* reader = nullptr;
  ASSERT_EQ(floe_reader_open(&reader, frame.data(), frame.size()).code, FLOE_OK);
  EXPECT_EQ(floe_reader_info(reader, &info.known).code, FLOE_OK);
  floe_reader_close(reader);
  EXPECT_EQ(info.known.element_count, 6000u);
  EXPECT_EQ(info.unknown[0], 77u);
}

TEST_F(CApi, NumbersThatAreNoEnumerators) {
  uint64_t bound = 0;
  for (const int number : {0, 16, 255, 257, 258, 65537, -1}) {
    const auto dtype = static_cast<floe_dtype>(number);
    EXPECT_EQ(floe_max_compressed_size(&bound, dtype, &extent_, nullptr).code, FLOE_INVALID_ARGUMENT)
        << number;
    EXPECT_EQ(floe_dtype_size(dtype), 0u) << number;
  }
  for (const std::uint32_t goal : {4u, 256u, 257u, ~0u}) {
    options_.goal = goal;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT)
        << goal;
  }
  options_.goal = 1;
  for (const std::uint32_t profile : {2u, 256u, 257u, ~0u}) {
    options_.profile = profile;
    EXPECT_EQ(floe_max_compressed_size(&bound, FLOE_F32, &extent_, &options_).code, FLOE_INVALID_ARGUMENT)
        << profile;
  }
  for (const floe_dtype dtype : {FLOE_TIME, FLOE_TEXT}) {
    EXPECT_EQ(floe_max_compressed_size(&bound, dtype, &extent_, nullptr).code, FLOE_INVALID_ARGUMENT);
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
  EXPECT_EQ(floe_dtype_size(FLOE_TIME), 8u);
  EXPECT_EQ(floe_dtype_size(FLOE_TEXT), 0u);
}

TEST_F(CApi, MisusedStreams) {
  floe_writer* writer = nullptr;
  floe_stream_reader* stream = nullptr;
  Bytes out;
  EXPECT_EQ(floe_writer_create_array(nullptr, refuse, nullptr, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_stream_reader_create(nullptr, refuse, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  writer = reinterpret_cast<floe_writer*>(&out);  // whatever it was, it is NULL after a failure
  stream = reinterpret_cast<floe_stream_reader*>(&out);
  EXPECT_EQ(floe_writer_create_array(&writer, nullptr, nullptr, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_stream_reader_create(&stream, nullptr, nullptr, nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(writer, nullptr);
  EXPECT_EQ(stream, nullptr);
  EXPECT_EQ(floe_writer_create_array(&writer, refuse, nullptr, FLOE_F32, nullptr, 2, nullptr).code,
            FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_write(nullptr, out.data(), 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_finish(nullptr).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_stream_reader_write(nullptr, out.data(), 0).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_stream_reader_finish(nullptr).code, FLOE_INVALID_ARGUMENT);
  floe_writer_close(nullptr);
  floe_stream_reader_close(nullptr);

  ASSERT_EQ(floe_writer_create_array(&writer, append_to_bytes, &out, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(floe_writer_write(writer, nullptr, 1).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_OK);
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_INVALID_ARGUMENT);
  EXPECT_EQ(floe_writer_write(writer, "abcd", 4).code, FLOE_INVALID_ARGUMENT);
  floe_writer_close(writer);

  ASSERT_EQ(floe_writer_create_array(&writer, refuse, nullptr, FLOE_F32, nullptr, 0, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_writer_finish(writer).code, FLOE_IO_ERROR);
  floe_writer_close(writer);

  const Bytes frame = compress_content();
  ASSERT_EQ(floe_stream_reader_create(&stream, refuse, nullptr, nullptr).code, FLOE_OK);
  EXPECT_EQ(floe_stream_reader_write(stream, frame.data(), frame.size()).code, FLOE_IO_ERROR);
  EXPECT_EQ(floe_stream_reader_finish(stream).code, FLOE_IO_ERROR);
  floe_stream_reader_close(stream);
  ASSERT_EQ(floe_writer_create_array(&writer, append_to_bytes, &out, FLOE_F32, nullptr, 0, nullptr).code,
            FLOE_OK);
  EXPECT_EQ(floe_writer_write(writer, "abcd", 4).code, FLOE_OK);
  floe_writer_close(writer);  // unfinished
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
