// Tests of the decoder of devices, run by emulated lanes: it gives the words that the CPU's gives, and
// refuses what that refuses.
#include <gtest/gtest.h>

#include "core/bit_stream.hpp"
#include "tests/series_cuda/emulated_decoder.hpp"
#include "tests/series_cuda/trees.hpp"

namespace floe::test {
namespace {

using trees::EncodingId;

std::size_t scratch_for(const Column& column) { return 64 * 1024 + 200 * column.count(); }

void expect_same(const trees::Plan& plan, const Column& column, const std::string& what) {
  const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(column.view());
  for (const bool is_opened : {false, true}) {
    Column decoded(column.type, column.count());
    ASSERT_EQ(decode_emulated(bytes, decoded, scratch_for(column), is_opened), ErrorCode::ok) << what;
    ASSERT_EQ(decoded.bytes, column.bytes) << what << (is_opened ? ", opened ahead" : "");
  }
}

class DeviceDecoderOf : public testing::TestWithParam<DType> {};

TEST_P(DeviceDecoderOf, GivesTheWordsOfEveryTree) {
  std::size_t number = 0;
  for (const std::string& tree : decoded_trees(GetParam())) {
    if (!is_sampled(GetParam(), number++)) continue;
    const auto plan = trees::plan_from_text(tree, GetParam());
    ASSERT_TRUE(plan.status().ok()) << tree;
    for (const std::uint64_t count : {1, 33, 1025, 2100}) {
      for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
        expect_same(*plan, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DeviceDecoderOf, WalksLongPayloads) {
  for (const char* tree : {"rle,bitpack,raw", "dict,raw,delta,bitpack,raw", "sparse,bitpack,raw"}) {
    for (const auto& [name, column] : sampled_columns(GetParam(), 40 * 1024 + 7)) {
      expect_same(trees::plan_from_text(tree, GetParam()).value(), column, std::string(tree) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

/// Vectors of many lengths, so that a walk cannot guess where they are.
TEST_P(DeviceDecoderOf, WalksVectorsOfManyLengths) {
  if (is_float(GetParam())) return;
  for (const unsigned range : {1u, 3u, 40u}) {
    Column column(GetParam(), 70 * 1024 + 7);
    for (std::uint64_t i = 0; i < column.count(); ++i) {
      const std::uint64_t random = core::splitmix(i), of_vector = core::splitmix(i / 1024),
                          width = of_vector % range;
      const std::uint64_t noise = width == 0 ? 0 : random % 97 == 0 ? random >> 20 : random >> (64 - width);
      column.set(i, of_vector % 300 + noise);
    }
    expect_same(trees::plan_from_text("bitpack", GetParam()).value(), column,
                "range " + std::to_string(range));
    if (HasFatalFailure()) return;
  }
}

TEST_P(DeviceDecoderOf, DecodesRandomTrees) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 12 : 30); ++seed) {
    const trees::Plan plan =
        random_plan(core::splitmix(1000 * seed + static_cast<unsigned>(GetParam())), GetParam());
    ASSERT_TRUE(check_plan(plan, GetParam()).ok());
    for (const auto& [name, column] : few_columns(GetParam(), 1 + core::splitmix(seed) % 2500)) {
      expect_same(plan, column, text_of(plan) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

/// Segments of several parts come from the planner, which also uses encodings that devices do not have.
TEST_P(DeviceDecoderOf, DecodesPartsOrSaysThatItCannot) {
  Column column(GetParam(), 80000);
  for (std::uint64_t i = 0; i < column.count(); ++i)
    column.set(i, i < 40000 ? i / 50 : core::splitmix(i) >> 40);
  const std::vector<std::uint8_t> bytes = ColumnEncoder(trees::Preset::fast).encode(column.view());
  const auto parts = trees::parts_of(bytes, GetParam(), column.count()).value();
  bool is_known = true;
  for (const trees::StreamPart& part : parts) {
    for (const trees::PlanNode& node : part.plan.nodes)
      is_known = is_known && trees::is_decoded_by_devices(node.encoding);
  }
  for (const bool is_opened : {false, true}) {
    Column decoded(GetParam(), column.count());
    const ErrorCode code = decode_emulated(bytes, decoded, scratch_for(column), is_opened);
    EXPECT_EQ(code, is_known ? ErrorCode::ok : ErrorCode::unsupported_codec);
    if (is_known) {
      EXPECT_EQ(decoded.bytes, column.bytes);
    }
  }
}

TEST_P(DeviceDecoderOf, SaysThatItHasNoRoomForLargeTrees) {
  Column column(GetParam(), 2000);
  for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, core::splitmix(i));
  for (const trees::Plan& plan : trees_at_limits()) {
    const std::vector<std::uint8_t> bytes = ColumnEncoder(plan).encode(column.view());
    for (const bool is_opened : {false, true}) {
      Column decoded(GetParam(), column.count());
      EXPECT_EQ(decode_emulated(bytes, decoded, scratch_for(column), is_opened),
                has_device_form(plan) ? ErrorCode::ok : ErrorCode::unsupported_codec)
          << text_of(plan);
    }
  }
}

/// Encodings that devices do not encode are among these.
TEST_P(DeviceDecoderOf, DecodesRandomTreesOfWhatOnlyCpusEncode) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 12 : 30); ++seed) {
    const trees::Plan plan = random_plan(core::splitmix(7000 * seed + static_cast<unsigned>(GetParam())),
                                         GetParam(), Drawn::decoded_by_devices);
    ASSERT_TRUE(check_plan(plan, GetParam()).ok());
    for (const auto& [name, column] : few_columns(GetParam(), 1 + core::splitmix(seed) % 2500)) {
      expect_same(plan, column, text_of(plan) + " on " + name);
      if (HasFatalFailure()) return;
    }
  }
}

/// Chains that need no block: any step on either side of a delta, of any stride.
TEST_P(DeviceDecoderOf, UnpacksChains) {
  std::vector<std::string> trees = {"bitpack", "int_mult,bitpack"};
  for (const char* delta : {"delta", "delta(1,2)", "delta(1,3)", "delta(1,4)"}) {
    for (const char* tree :
         {"%,bitpack", "int_mult,%,bitpack", "%,int_mult,bitpack", "int_mult,%,int_mult,bitpack"}) {
      std::string text(tree);
      trees.push_back(text.replace(text.find('%'), 1, delta));
    }
  }
  for (std::string tree : trees) {
    if (is_wide_float(GetParam()))
      tree = (GetParam() == DType::f64 ? "decimal(2,8)," : "decimal(2,4),") + tree + ",bitpack,raw";
    if (is_float(GetParam()) && !is_wide_float(GetParam())) tree = "sortable," + tree;
    const auto plan = trees::plan_from_text(tree, GetParam());
    ASSERT_TRUE(plan.status().ok()) << tree;
    for (const std::uint64_t count : {5, 1027, 1028, 5000}) {
      for (const auto& [name, column] : sampled_columns(GetParam(), count)) {
        expect_same(*plan, column, tree + " on " + name + " of " + std::to_string(count));
        if (HasFatalFailure()) return;
      }
    }
  }
}

/// Differences of few bits, with exceptions, of as many bits as a register, of one more, and of all, vector
/// by vector: bytes of the next one are on their way while words of one lie in the tile.
TEST_P(DeviceDecoderOf, UnpacksDifferencesOfAllKinds) {
  if (is_float(GetParam())) return;
  const unsigned bits = 8 * static_cast<unsigned>(size_of(GetParam()));
  for (unsigned seed = 0; seed < 12; ++seed) {
    Column column(GetParam(), 12 * 1024 + 1 + seed % 2 * 77);
    std::uint64_t sum = 0;
    for (std::uint64_t i = 0; i < column.count(); ++i) {
      const std::uint64_t random = core::splitmix(i + 100000 * seed),
                          kind = core::splitmix(i / 1024 + 1000 * seed) % 6;
      const unsigned lengths[] = {5, 9, 20, 32, 33, 64}, length = std::min(bits, lengths[kind]);
      const bool is_rare = kind == 1 && i % 50 == 0;
      sum += is_rare ? random >> (64 - bits) : random >> (64 - length);
      column.set(i, sum);
    }
    for (const char* tree : {"delta,bitpack", "delta(1,2),bitpack", "int_mult,delta,bitpack"}) {
      expect_same(trees::plan_from_text(tree, GetParam()).value(), column,
                  tree + (", seed " + std::to_string(seed)));
      if (HasFatalFailure()) return;
    }
  }
}

/// Ramps, of which nothing is left but a word.
TEST_P(DeviceDecoderOf, UnpacksConstantDifferences) {
  if (is_float(GetParam())) return;
  for (const char* tree : {"delta,constant", "delta(1,2),constant", "delta(1,3),constant",
                           "delta(1,4),constant", "int_mult,delta(1,2),constant"}) {
    for (const std::uint64_t count : {5, 1026, 5000}) {
      Column column(GetParam(), count);
      for (std::uint64_t i = 0; i < count; ++i) column.set(i, 7 + i * 12);
      expect_same(trees::plan_from_text(tree, GetParam()).value(), column,
                  tree + (" of " + std::to_string(count)));
      if (HasFatalFailure()) return;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceDecoderOf, testing::ValuesIn(word_types),
                         [](const auto& type) { return std::string(name_of(type.param)); });

TEST(DeviceDecoder, RefusesOrDecodesDamagedBytes) {
  for (const DType type : {DType::i32, DType::f64, DType::u16}) {
    for (const std::string& tree : decoded_trees(type)) {
      for (const auto& [name, column] : sampled_columns(type, 1100)) {
        if (name != "runs" && name != "outliers") continue;
        const std::vector<std::uint8_t> bytes =
            ColumnEncoder(trees::plan_from_text(tree, type).value()).encode(column.view());
        for (std::uint64_t change = 0; change < 24; ++change) {
          std::vector<std::uint8_t> damaged = bytes;
          const std::uint64_t random = core::splitmix(change * 977 + bytes.size());
          const std::size_t range =
              change % 2 == 0 ? std::min<std::size_t>(damaged.size(), 40) : damaged.size();
          damaged[random % range] = static_cast<std::uint8_t>(random >> 32);
          if (change % 3 == 0) damaged.resize(random % damaged.size());
          Column here(type, column.count()), there(type, column.count());
          const ErrorCode code = decode_emulated(damaged, here, scratch_for(column), change % 4 < 2);
          const Status status = decode(damaged, there);
          if (code == ErrorCode::unsupported_codec || code == ErrorCode::out_of_memory) continue;
          if (code == ErrorCode::ok && status.ok()) {
            ASSERT_EQ(here.bytes, there.bytes) << tree << " on " << name << ", change " << change;
          }
          // Devices sum up runs modulo 2^32 and refuse lengths that go beyond; the CPU never looks at those
          // behind the last word.
          if (tree.find("rle") == std::string::npos) {
            EXPECT_EQ(code == ErrorCode::ok, status.ok()) << tree << " on " << name << ", change " << change;
          }
        }
      }
    }
  }
}

/// What no encoder writes: integers beyond those that decimals divide.
TEST(DeviceDecoder, RefusesDecimalsOutOfRange) {
  for (const std::uint64_t wrong : {0, 700, 1500, 1999}) {
    Column integers(DType::i64, 2000);
    for (std::uint64_t i = 0; i < integers.count(); ++i)
      integers.set(i, i == wrong ? std::uint64_t{1} << 52 : i % 1000);
    const std::vector<std::uint8_t> packed =
        ColumnEncoder(trees::plan_from_text("bitpack", DType::i64).value()).encode(integers.view());
    ASSERT_EQ(packed[2], static_cast<std::uint8_t>(EncodingId::bitpack));
    constexpr auto raw = static_cast<std::uint8_t>(EncodingId::raw);
    std::vector<std::uint8_t> bytes = {
        1, 0, static_cast<std::uint8_t>(EncodingId::decimal), 2, 8, packed[2], raw, raw, 0};
    bytes.insert(bytes.end(), packed.begin() + 3, packed.end());
    Column here(DType::f64, 2000), there(DType::f64, 2000);
    EXPECT_EQ(decode(bytes, there).code, ErrorCode::corrupt_frame);
    for (const bool is_opened : {false, true})
      EXPECT_EQ(decode_emulated(bytes, here, scratch_for(here), is_opened), ErrorCode::corrupt_frame)
          << wrong;
  }
}

TEST(DeviceDecoder, TakesRunsOfLengthZero) {
  // rle of 5 words: lengths 0 2 0 0 3, values 9 7 8 6 5, raw.
  const std::vector<std::uint8_t> bytes = {1, 0, 4, 0, 0, 5, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0,
                                           0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 9, 7, 8, 6, 5};
  Column here(DType::u8, 5), there(DType::u8, 5);
  EXPECT_TRUE(decode(bytes, there).ok());
  EXPECT_EQ(decode_emulated(bytes, here, 8192, true), ErrorCode::ok);
  EXPECT_EQ(here.bytes, (std::vector<std::uint8_t>{7, 7, 5, 5, 5}));
  EXPECT_EQ(here.bytes, there.bytes);
}

/// Vectors of a payload whose bases and exceptions are written as numbers of up to so many bytes; `padding`
/// bytes of each are more than it needs.
std::vector<std::uint8_t> vectors_with_numbers(std::uint64_t vectors, unsigned longest, unsigned padding) {
  const auto put_number = [&](trees::ByteWriter& out, std::uint64_t number) {
    unsigned needed = (core::bit_length(number | 1) + 6) / 7;
    for (unsigned i = 0; i < needed + padding; ++i) {
      const std::uint64_t bits = i < needed ? number >> (7 * i) & 0x7F : 0;
      out.put_byte(static_cast<std::uint8_t>(bits | (i + 1 < needed + padding ? 0x80 : 0)));
    }
  };
  trees::ByteWriter writer;
  for (const std::uint8_t byte :
       {std::uint8_t{1}, std::uint8_t{0}, static_cast<std::uint8_t>(EncodingId::bitpack)})
    writer.put_byte(byte);
  const std::size_t payload = writer.size();
  for (std::uint64_t vector = 0; vector < vectors; ++vector) {
    const std::uint64_t random = core::splitmix(vector);
    const bool has_exceptions = random % 3 == 0;
    const unsigned width = 2 + static_cast<unsigned>(vector / 30),
                   bytes = 1 + static_cast<unsigned>(random >> 8) % longest;
    writer.put_byte(static_cast<std::uint8_t>(width | (has_exceptions ? 0x80 : 0)));
    put_number(writer, core::splitmix(random) >> (bytes > 9 ? 0 : 64 - 7 * bytes));
    for (unsigned i = 0; i < 128 * width; ++i)
      writer.put_byte(static_cast<std::uint8_t>(core::splitmix(1000 * vector + i)));
    if (!has_exceptions) continue;
    const std::uint64_t exceptions = 1 + random % (longest > 1 ? 300 : 50);
    put_number(writer, exceptions);
    writer.put_byte(4);
    core::BitWriter bits(writer);
    for (std::uint64_t i = 0; i < exceptions; ++i) {
      bits.put(3 * i, 10);
      bits.put((random >> i % 60) % 16, 4);
    }
    bits.finish();
  }
  writer.put_length_at(payload);
  return writer.release();
}

TEST(DeviceDecoder, TakesLongNumbersInVectors) {
  constexpr std::uint64_t vectors = 70;
  for (const unsigned longest : {1u, 4u, 10u}) {
    const std::vector<std::uint8_t> bytes = vectors_with_numbers(vectors, longest, 0);
    Column there(DType::i64, 1024 * vectors);
    ASSERT_TRUE(decode(bytes, there).ok()) << longest;
    for (const bool is_opened : {false, true}) {
      Column here(DType::i64, there.count());
      ASSERT_EQ(decode_emulated(bytes, here, scratch_for(here), is_opened), ErrorCode::ok) << longest;
      ASSERT_EQ(here.bytes, there.bytes) << longest;
    }
  }
}

TEST(DeviceDecoder, RefusesNumbersOfMoreBytesThanTheyNeed) {
  constexpr std::uint64_t vectors = 70;
  for (const unsigned longest : {1u, 4u}) {
    for (const unsigned padding : {1u, 3u}) {
      const std::vector<std::uint8_t> bytes = vectors_with_numbers(vectors, longest, padding);
      Column column(DType::i64, 1024 * vectors);
      EXPECT_EQ(decode(bytes, column).code, ErrorCode::corrupt_frame) << longest << " " << padding;
      for (const bool is_opened : {false, true})
        EXPECT_EQ(decode_emulated(bytes, column, scratch_for(column), is_opened), ErrorCode::corrupt_frame)
            << longest << " " << padding;
    }
  }
}

TEST(DeviceDecoder, SaysWhenItsMemoryIsTooSmall) {
  Column column(DType::i32, 5000);
  for (std::uint64_t i = 0; i < column.count(); ++i) column.set(i, i / 3);
  const auto bytes =
      ColumnEncoder(trees::plan_from_text("rle,bitpack,bitpack", DType::i32).value()).encode(column.view());
  for (const std::size_t scratch_bytes : {std::size_t{1024}, std::size_t{8192}}) {
    EXPECT_EQ(decode_emulated(bytes, column, scratch_bytes, false), ErrorCode::out_of_memory);
    EXPECT_EQ(decode_emulated(bytes, column, scratch_bytes, true), ErrorCode::out_of_memory);
  }
}

}  // namespace
}  // namespace floe::test
