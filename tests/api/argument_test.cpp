// Is every argument that makes no sense an error that says so, and is nothing done then?
#include <gtest/gtest.h>

#include <functional>

#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

constexpr std::uint64_t huge = std::uint64_t{1} << 62;

/// What compressing, writing and the bound say of options; all must say the same.
void expect_code(DType dtype, const Options& options, ErrorCode code, const std::string& what) {
  const Bytes content(64);
  const Extent extent = Extent::linear(size_of(dtype) == 0 ? 64 : 64 / size_of(dtype));
  Bytes out(2 << 20);
  EXPECT_EQ(compress(view_of(content), dtype, extent, options).status().code, code) << what;
  EXPECT_EQ(compress_into(room_of(out), view_of(content), dtype, extent, options).status().code, code)
      << what;
  EXPECT_EQ(max_compressed_size(dtype, extent, options).status().code, code) << what;
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  EXPECT_EQ(Writer::create(ignore, dtype, {}, options).status().code, code) << what;
}

TEST(Arguments, Options) {
  const auto expect_option = [](const std::function<void(Options&)>& change, ErrorCode code,
                                const std::string& what) {
    Options options;
    change(options);
    expect_code(DType::f32, options, code, what);
  };
  using enum ErrorCode;
  expect_option([](Options&) {}, ok, "defaults");
  for (const char* tree : {"no_such_tree", "SPSPEED", "dpspeed", "gfc(0)", "gfc(33)", "spspeed(2)",
                           "codec(1)", "delta,bitpack", "decimal,bitpack", "raw,raw", ",", "raw,",
                           "sortable,delta,entropy,raw", "decimal(99),raw,bitpack,raw"})
    expect_option([&](Options& o) { o.tree = tree; }, invalid_argument, tree);
  for (const char* tree : {"spspeed", "gfc", "gfc(32)", " sortable , bitpack ", "raw", "constant",
                           "decimal(2),delta,entropy,bitpack,raw"})
    expect_option([&](Options& o) { o.tree = tree; }, ok, tree);
  expect_option([](Options& o) { o.goal = static_cast<Goal>(4); }, invalid_argument, "goal");
  expect_option([](Options& o) { o.profile = static_cast<Profile>(2); }, invalid_argument, "profile");
  expect_option([](Options& o) { o.decode_megabytes_per_second = 100; }, ok, "speed");
  expect_option([](Options& o) { o.decode_megabytes_per_second = 100, o.profile = Profile::gpu; },
                invalid_argument, "speed of GPUs");
  for (const std::uint64_t bytes : {1ull, 16383ull, 16385ull, (1ull << 30) + 16384, ~0ull, ~0ull << 14})
    expect_option([&](Options& o) { o.segment_bytes = bytes; }, invalid_argument, "segment_bytes");
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
      options.tree = codec.name;
      expect_code(dtype, options, takes ? ErrorCode::ok : ErrorCode::invalid_argument, "type");
      EXPECT_EQ(check_tree(codec.name, dtype).ok(), takes);
    }
    EXPECT_TRUE(check_tree(codec.name).ok());
  }
}

TEST(Arguments, UnknownTypes) {
  for (const unsigned number : {0u, 14u, 15u, 16u, 100u, 255u}) {
    const auto dtype = static_cast<DType>(number);
    expect_code(dtype, {}, ErrorCode::invalid_argument, "dtype");
    EXPECT_EQ(check_tree("raw", dtype).code, ErrorCode::invalid_argument);
  }
}

TEST(Arguments, TreesSayWhereTheyAreWrong) {
  EXPECT_EQ(check_tree("delta,sortable,bitpack").byte_offset, 6u);
  EXPECT_EQ(check_tree("delta,nonsense", DType::i32).byte_offset, 6u);
  EXPECT_EQ(check_tree("delta,bitpack", DType::f32).byte_offset, 0u);
  Options options;
  options.tree = "sortable,delta(0),bitpack";
  const Status status = max_compressed_size(DType::f32, Extent::linear(1), options).status();
  EXPECT_EQ(status.byte_offset, 9u);
  EXPECT_STRNE(status.detail, "");
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

TEST(Arguments, InnerDimensionsOfWriters) {
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  const auto code = [&](std::vector<std::uint64_t> inner) {
    return Writer::create(ignore, DType::f32, inner).status().code;
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
  for (const char* tree : {"spspeed", "raw"}) {
    Options options;
    options.tree = tree;
    const Bytes frame = frame_of(Bytes(240), DType::f32, options);
    const auto reader = Reader::open(view_of(frame));
    for (const std::size_t size : {0u, 1u, 239u, 241u, 1000u}) {
      Bytes out(size);
      EXPECT_EQ(reader->decompress(room_of(out)).code, ErrorCode::invalid_argument) << size;
    }
  }
}

TEST(Arguments, NothingToDo) {
  const auto frame = compress({}, DType::f32, Extent::linear(0));
  ASSERT_TRUE(frame);
  const auto reader = Reader::open(*frame);
  ASSERT_TRUE(reader);
  EXPECT_TRUE(reader->decompress({}).ok());
  EXPECT_FALSE(reader->segment(0));
  EXPECT_EQ(decompress<float>(*frame)->size(), 0u);
  EXPECT_EQ(Reader::open(std::span<const std::byte>{}).status().code, ErrorCode::truncated_frame);
  EXPECT_EQ(compress_into({}, {}, DType::f32, Extent::linear(0)).status().code, ErrorCode::output_too_small);
}

TEST(Arguments, CallsForTheOtherContent) {
  const Bytes array = frame_of(Bytes(240), DType::f32, {}), table = table_of("a,b\n1,2\n");
  const auto ignore = [](std::span<const std::byte>) { return Status{}; };
  const std::array<std::size_t, 1> first = {0};
  Bytes out(240);
  const auto of_array = Reader::open(view_of(array)), of_table = Reader::open(view_of(table));
  EXPECT_EQ(of_table->decompress_slice(room_of(out), {0, 1}).code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_table->decompress(room_of(out)).code, ErrorCode::invalid_argument);
  EXPECT_EQ(decompress<std::int64_t>(view_of(table)).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_array->read_values(0, {0, 1}, room_of(out).first(4)).code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_array->read_texts(0, {0, 1}).status().code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_array->print_rows(first, {0, 1}, ignore).code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_array->write_records(first, {0, 1}, ignore).code, ErrorCode::invalid_argument);
  EXPECT_EQ(of_array->restore({}).code, ErrorCode::invalid_argument);

  auto writer = Writer::create(ignore, DType::f32);
  const std::array<const void*, 1> column = {out.data()};
  EXPECT_EQ(writer->write_columns(column, 1).code, ErrorCode::invalid_argument);
}

TEST(Names, OfTypes) {
  for (const DType dtype : all_dtypes) EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  EXPECT_EQ(dtype_from_name("time"), DType::time);
  EXPECT_EQ(dtype_from_name("text"), DType::text);
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
