// Is every argument that makes no sense an error that says so, and is nothing done then?
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/frames.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 62;

/// What compressing, streaming, the bound and the choice of a codec say of options; all must say the same.
void expect_code(DType dtype, const Options& options, ErrorCode code, const char* what) {
  const Bytes content(64);
  const Extent extent = Extent::linear(size_of(dtype) == 0 ? 64 : 64 / size_of(dtype));
  Bytes out(2 << 20);
  EXPECT_EQ(compress(view_of(content), dtype, extent, options).status().code, code) << what;
  EXPECT_EQ(compress_into(room_of(out), view_of(content), dtype, extent, options).status().code, code)
      << what;
  EXPECT_EQ(max_compressed_size(dtype, extent, options).status().code, code) << what;
  EXPECT_EQ(choose_codec(dtype, options).status().code, code) << what;
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  EXPECT_EQ(Compressor::create(ignore, dtype, {}, options).status().code, code) << what;
}

TEST(Arguments, Options) {
  const auto expect_option = [](const std::function<void(Options&)>& change, ErrorCode code,
                                const char* what) {
    Options options;
    change(options);
    expect_code(DType::f32, options, code, what);
  };
  using enum ErrorCode;
  expect_option([](Options&) {}, ok, "defaults");
  expect_option([](Options& o) { o.codec = "no_such_codec"; }, unsupported_codec, "unknown codec");
  expect_option([](Options& o) { o.codec = "SPSPEED"; }, unsupported_codec, "capitals");
  expect_option([](Options& o) { o.codec = "dpspeed"; }, unsupported_codec, "codec of another width");
  expect_option([](Options& o) { o.goal = static_cast<Goal>(3); }, invalid_argument, "goal");
  expect_option([](Options& o) { o.format_version = 2; }, unsupported_version, "format version");
  for (const std::uint32_t dimensionality : {0u, 33u, ~0u}) {
    expect_option([&](Options& o) { o.codec = "gfc", o.dimensionality = dimensionality; }, invalid_argument,
                  "dimensionality");
  }
  expect_option([](Options& o) { o.dimensionality = 2; }, invalid_argument, "dimensionality without gfc");
  for (const std::uint64_t bytes :
       {0ull, 1ull, 16383ull, 16385ull, (1ull << 30) + 16384, ~0ull, ~0ull << 14}) {
    expect_option([&](Options& o) { o.segment_bytes = bytes; }, invalid_argument, "segment_bytes");
  }
  expect_option([](Options& o) { o.segment_bytes = 1u << 30; }, ok, "largest segment");
  static const Bytes prefix((1 << 20) + 1);
  expect_option([](Options& o) { o.prefix = view_of(prefix); }, invalid_argument, "prefix");
  expect_option([](Options& o) { o.prefix = view_of(prefix).first(1 << 20); }, ok, "longest prefix");
}

TEST(Arguments, EveryCodecTakesItsTypesOnly) {
  for (const CodecInfo& codec : codecs()) {
    for (const DType dtype : all_dtypes) {
      bool takes = false;
      for (const CodecInfo& other : codecs())
        takes = takes || (other.name == codec.name && other.word_bits == 8 * size_of(dtype));
      Options options;
      options.codec = codec.name;
      expect_code(dtype, options, takes ? ErrorCode::ok : ErrorCode::unsupported_codec, "type");
    }
  }
}

TEST(Arguments, UnknownTypes) {
  for (const unsigned number : {0u, 13u, 100u, 255u})
    expect_code(static_cast<DType>(number), {}, ErrorCode::invalid_argument, "dtype");
}

TEST(Arguments, ShapesAndSizes) {
  const Bytes content(240);
  Bytes out(10'000);
  const auto code = [&](DType dtype, const Extent& extent) {
    const ErrorCode one = compress(view_of(content), dtype, extent).status().code;
    EXPECT_EQ(compress_into(room_of(out), view_of(content), dtype, extent).status().code, one);
    return one;
  };
  using enum ErrorCode;
  EXPECT_EQ(code(DType::f32, {{60}, 1}), ok);
  EXPECT_EQ(code(DType::f32, {{5, 4, 3}, 3}), ok);
  EXPECT_EQ(code(DType::f32, {{2, 1, 5, 1, 2, 1, 3, 1}, 8}), ok);
  EXPECT_EQ(code(DType::f32, {{59}, 1}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{61}, 1}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{60, 0}, 2}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{}, 0}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{60, 1, 1, 1, 1, 1, 1, 1}, 9}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{60}, ~0u}), invalid_argument);
  EXPECT_EQ(code(DType::f64, {{60}, 1}), invalid_argument);
  // Products that wrap to the right number of bytes.
  EXPECT_EQ(code(DType::f32, {{huge + 60}, 1}), invalid_argument);
  EXPECT_EQ(code(DType::f32, {{std::uint64_t{1} << 32, std::uint64_t{1} << 32, 60}, 3}), invalid_argument);
  EXPECT_EQ(code(DType::f64, {{(std::uint64_t{1} << 61) + 30}, 1}), invalid_argument);
  EXPECT_FALSE(max_compressed_size(DType::f64, {{huge}, 1}));
  EXPECT_FALSE(max_compressed_size(DType::u8, {{huge, 4}, 2}));
  EXPECT_TRUE(max_compressed_size(DType::u8, {{2 * huge - 1}, 1}));
  EXPECT_FALSE(max_compressed_size(DType::u8, {{2 * huge}, 1}));
}

TEST(Arguments, InnerDimensionsOfStreams) {
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  const auto code = [&](std::vector<std::uint64_t> inner) {
    return Compressor::create(ignore, DType::f32, inner).status().code;
  };
  EXPECT_EQ(code({1, 2, 3, 4, 5, 6, 7}), ErrorCode::ok);
  EXPECT_EQ(code({1, 2, 3, 4, 5, 6, 7, 8}), ErrorCode::invalid_argument);
  EXPECT_EQ(code(std::vector<std::uint64_t>(1000, 1)), ErrorCode::invalid_argument);
  EXPECT_EQ(code({huge}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({huge, huge}), ErrorCode::invalid_argument);
  EXPECT_EQ(code({huge, huge, 0}), ErrorCode::ok);
}

TEST(Arguments, OverlappingBuffers) {
  Bytes memory(10'000);
  const auto code = [&](std::size_t in_at, std::size_t in_size, std::size_t out_at, std::size_t out_size) {
    const auto all = room_of(memory);
    return compress_into(all.subspan(out_at, out_size), all.subspan(in_at, in_size), DType::u8,
                         Extent::linear(in_size))
        .status()
        .code;
  };
  EXPECT_EQ(code(0, 1000, 0, 10'000), ErrorCode::invalid_argument);
  EXPECT_EQ(code(0, 1000, 999, 9000), ErrorCode::invalid_argument);
  EXPECT_EQ(code(8999, 1000, 0, 9000), ErrorCode::invalid_argument);
  EXPECT_EQ(code(4000, 10, 0, 10'000), ErrorCode::invalid_argument);
  EXPECT_EQ(code(0, 1000, 1000, 9000), ErrorCode::ok);
  EXPECT_EQ(code(9000, 1000, 0, 9000), ErrorCode::ok);
  EXPECT_EQ(code(4000, 0, 0, 10'000), ErrorCode::ok);
}

TEST(Arguments, OutputsOfAnotherSize) {
  const Bytes frame = frame_of(Bytes(240), DType::f32, {});
  const auto view = FrameView::parse(view_of(frame));
  for (const std::size_t size : {0u, 1u, 239u, 241u, 1000u}) {
    Bytes out(size);
    EXPECT_EQ(view->decompress(room_of(out)).code, ErrorCode::invalid_argument) << size;
  }
}

TEST(Arguments, NothingToDo) {
  const auto frame = compress({}, DType::f32, Extent::linear(0));
  ASSERT_TRUE(frame);
  const auto view = FrameView::parse(*frame);
  ASSERT_TRUE(view);
  EXPECT_TRUE(view->decompress({}).ok());
  EXPECT_EQ(decompress<float>(*frame)->size(), 0u);
  EXPECT_EQ(FrameView::parse({}).status().code, ErrorCode::truncated_frame);
  EXPECT_EQ(compress_into({}, {}, DType::f32, Extent::linear(0)).status().code, ErrorCode::output_too_small);
}

TEST(Names, OfTypes) {
  for (const DType dtype : all_dtypes) EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  for (const std::string_view name : {"", "f", "f6", "f644", "F64", "unknown", "float"})
    EXPECT_FALSE(dtype_from_name(name)) << name;
  EXPECT_EQ(name_of(static_cast<DType>(0)), "unknown");
}

TEST(Names, OfErrors) {
  EXPECT_STREQ(name_of(ErrorCode::truncated_frame), "truncated_frame");
  EXPECT_STREQ(name_of(static_cast<ErrorCode>(1000)), "unknown");
  const Status status{ErrorCode::corrupt_frame, 4711, "why"};
  EXPECT_EQ(status.message(), "corrupt_frame at byte 4711: why");
  EXPECT_THROW(status.or_throw(), Error);
  EXPECT_NO_THROW(Status{}.or_throw());
  EXPECT_THROW((void)Result<int>(status).value(), Error);
  EXPECT_EQ(Result<int>(3).value(), 3);
}

}  // namespace
}  // namespace floe::test
