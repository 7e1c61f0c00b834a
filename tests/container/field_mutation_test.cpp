// Is every field of a frame checked? Each gets edge values and random ones, with the checksums made right
// again: readers must refuse the frame with the right error, or the field must not matter and the data be the
// same.
#include <gtest/gtest.h>

#include "tests/container/frame_fields.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

struct Subject {
  std::string name;
  Bytes content;
  Bytes frame;
  std::vector<FrameField> fields = {};

  /// Large frames are here for their chunk tables; all ways of reading share what they check of them.
  [[nodiscard]] bool is_large() const { return content.size() > 100'000; }
};

std::uint64_t number_at(const Bytes& frame, std::size_t offset, std::size_t bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, frame.data() + offset, bytes);
  return number;
}

Options options_of(std::string_view tree, std::uint64_t segment_bytes) {
  Options options;
  options.tree = tree;
  options.segment_bytes = segment_bytes;
  return options;
}

Subject array(std::string name, Bytes content, DType dtype, const Extent& extent, const Options& options) {
  Bytes frame = frame_of(content, dtype, extent, options);
  return {std::move(name), std::move(content), std::move(frame)};
}

std::vector<Subject> subjects() {
  static const Bytes prefix = {'p', 'r', 'e', 'f', 'i'};
  std::vector<Subject> list;
  Options gfc = options_of("gfc(3)", 16384);
  gfc.prefix = view_of(prefix);
  list.push_back(
      array("gfc, 2 segments, 3 dimensions", make_bytes(64, 5, 24000, 1), DType::f64, {{300, 5, 2}, 3}, gfc));
  list.push_back(array("dpratio, history", make_bytes(64, 11, 40000, 2), DType::f64, Extent::linear(5000),
                       options_of("dpratio", 32768)));
  list.push_back(array("dpratio, noise", make_bytes(64, 8, 20000, 2), DType::f64, {{50, 50}, 2},
                       options_of("dpratio", 32768)));
  list.push_back(array("spspeed, 515 chunks", Bytes(515 * 16384 - 400), DType::f32,
                       Extent::linear(515 * 4096 - 100), options_of("spspeed", 16u << 20)));
  Options unchecked = options_of("speed8", 16384);
  unchecked.checksum = false;
  list.push_back(
      array("speed8, no checksums", make_bytes(8, 4, 40000, 4), DType::u8, Extent::linear(40000), unchecked));
  list.push_back(array("scalar", make_bytes(32, 1, 4, 5), DType::f32, {{}, 0}, options_of("spratio", 16384)));
  list.push_back(array("empty", {}, DType::f32, {{0, 3, 0}, 3}, options_of("spratio", 16384)));
  list.push_back(array("tree, 3 segments", make_bytes(32, 3, 40000, 1), DType::i32, {{2, 5000}, 2},
                       options_of("delta,bitpack", 16384)));
  list.push_back(array("planned", make_bytes(64, 2, 8000, 1), DType::f64, Extent::linear(1000), {}));

  TableOptions csv;
  csv.segment_rows = 20;
  const std::string text = some_csv(50);
  list.push_back({"CSV", bytes_of(text), table_of(text, csv)});
  TableOptions records;
  records.source = TableSource::records;
  records.schema = {{"i", DType::i16, 0}, {"x", DType::f64, 3}};
  records.padding_bytes = 3;
  const Bytes bytes = make_bytes(8, 5, 13 * 30 + 4, 1);
  list.push_back({"records", bytes, table_of(text_of(bytes), records)});
  for (Subject& subject : list) subject.fields = FrameFields(subject.frame).find();
  return list;
}

constexpr DecodeOptions little_memory{.threads = 1, .memory_limit_bytes = 32u << 20};

class FieldMutation : public testing::Test {
 protected:
  void try_value(const Subject& subject, const FrameField& field, std::uint64_t value) {
    if (number_at(subject.frame, field.offset, field.bytes) == value) return;
    Bytes frame = subject.frame;
    std::memcpy(frame.data() + field.offset, &value, field.bytes);
    reseal(frame);
    const std::string where = subject.name + ": " + field.name + " at " + std::to_string(field.offset) +
                              " = " + std::to_string(value);
    expect_verdict(decode_memory(frame, little_memory), subject, field, where);
    if (subject.is_large()) return;
    expect_verdict(decode_file(frame, little_memory), subject, field, where);
    expect_verdict(decode_stream(frame, little_memory), subject, field, where);
    ++tried_;
  }

  static void expect_verdict(const Decoded& decoded, const Subject& subject, const FrameField& field,
                             const std::string& where) {
    if (decoded.status.ok()) {
      EXPECT_NE(field.outcome, Outcome::error) << where;
      EXPECT_TRUE(field.outcome == Outcome::any_data || decoded.content == subject.content)
          << where << ": other data";
    } else {
      EXPECT_NE(std::find(field.errors.begin(), field.errors.end(), decoded.status.code), field.errors.end())
          << where << ": " << decoded.status.message();
    }
  }

  unsigned tried_ = 0;
};

TEST_F(FieldMutation, EveryField) {
  Random random(1);
  std::size_t number = 0;
  for (const Subject& subject : subjects()) {
    ASSERT_TRUE(decode_memory(subject.frame).content == subject.content) << subject.name;
    ASSERT_GE(subject.fields.size(), 20u) << subject.name;
    for (const FrameField& field : subject.fields) {
      if (sanitized && subject.is_large() && number++ % 4 != 0) continue;
      const std::uint64_t now = number_at(subject.frame, field.offset, field.bytes);
      const unsigned bits = 8 * static_cast<unsigned>(field.bytes);
      const std::uint64_t mask = core::low_mask<std::uint64_t>(bits), sign = std::uint64_t{1} << (bits - 1);
      std::vector<std::uint64_t> values = {0, mask, now + 1};
      if (!subject.is_large() && (!sanitized || number++ % 5 == 0))
        values.insert(values.end(), {1, mask - 1, now - 1, now ^ sign, sign, sign - 1});
      for (const std::uint64_t value : values) try_value(subject, field, value & mask);
      for (int i = 0; i < (subject.is_large() || sanitized ? 1 : 24); ++i)
        try_value(subject, field, random.next() & mask >> random.below(bits));
    }
  }
  RecordProperty("cases", std::to_string(tried_));
  EXPECT_GT(tried_, sanitized ? 2500u : 10000u);
}

// Parameters that are possible make other data of a forged frame; impossible ones are refused.
TEST(FieldMutationOfParameters, ImpossibleDimensionality) {
  const Bytes frame = frame_of(make_bytes(32, 4, 1000, 1), DType::f32, options_of("gfc", 0));
  const auto reader = Reader::open(view_of(frame));
  ASSERT_TRUE(reader);
  const std::size_t at = container::min_header_bytes + container::array_segment_header_bytes + 4;
  ASSERT_EQ(frame[at], 1);
  for (unsigned dimensionality = 0; dimensionality < 256; ++dimensionality) {
    Bytes changed = frame;
    changed[at] = static_cast<std::uint8_t>(dimensionality);
    reseal(changed);
    const Status status = decode_memory(changed).status;
    if (dimensionality >= 1 && dimensionality <= 32) {
      const auto segment = Reader::open(view_of(changed))->segment(0);
      ASSERT_TRUE(segment) << segment.status().message();
      const std::string tree = dimensionality == 1 ? "gfc" : "gfc(" + std::to_string(dimensionality) + ")";
      EXPECT_EQ(segment->columns[0].trees, std::vector<std::string>{tree});
    } else {
      EXPECT_EQ(status.code, ErrorCode::corrupt_frame) << dimensionality;
    }
  }
}

}  // namespace
}  // namespace floe::test
