// Do readers skip what later writers may add, and refuse what they must not ignore?
#include <gtest/gtest.h>

#include "container/fields.hpp"
#include "container/layout.hpp"
#include "tests/support/reseal.hpp"
#include "tests/support/tables.hpp"

namespace floe::test {
namespace {

struct AddedField {
  std::uint16_t tag = 0;
  std::size_t bytes = 1;
};

Bytes fields_of(const std::vector<AddedField>& added) {
  core::ByteWriter out;
  for (const AddedField& field : added) container::write_field(out, field.tag, Bytes(field.bytes, 0xAB));
  return out.release();
}

struct Sample {
  Bytes content, frame;
};
Sample codec_sample() {
  Options options;
  options.tree = "spspeed";
  const Bytes content = make_bytes(32, 4, 3 * 16384 + 100, 1);
  return {content, frame_of(content, DType::f32, options)};
}
Sample tree_sample() {
  const Bytes content = make_bytes(64, 5, 3000, 1);
  return {content, frame_of(content, DType::i64, {})};
}
Sample table_sample() {
  const std::string text = some_csv(30);
  return {bytes_of(text), table_of(text)};
}

/// A frame of one segment with fields added to its parts, as a later version may write it.
class LaterFrame {
 public:
  explicit LaterFrame(Sample sample) : sample_(std::move(sample)) {}
  Bytes header_fields, segment_fields, footer_fields;

  [[nodiscard]] Bytes bytes() const {
    const std::span<const std::uint8_t> frame = sample_.frame;
    const std::size_t header_bytes = core::load<std::uint32_t>(&frame[container::header_at::header_bytes]),
                      old_footer = frame.size() - container::footer_bytes(1);
    // Known fields reach up to a tag of 0, or to the CRC. Those with larger tags stand behind what is added.
    std::size_t known_end = container::fixed_header_bytes, position = known_end;
    while (header_bytes - 4 - known_end >= 8 && core::load<std::uint16_t>(&frame[known_end]) != 0) {
      const auto tag = core::load<std::uint16_t>(&frame[known_end]);
      known_end += 8 + core::align_up(core::load<std::uint32_t>(&frame[known_end + 4]), 8);
      if (!header_fields.empty() && tag < core::load<std::uint16_t>(header_fields.data()))
        position = known_end;
    }

    Bytes later;
    add(later, frame.first(position));
    add(later, header_fields);
    add(later, frame.first(known_end).subspan(position));
    later.resize(std::max<std::size_t>(container::padded(later.size() + 4), container::min_header_bytes));
    const std::size_t segment = later.size();
    core::store(&later[container::header_at::header_bytes], static_cast<std::uint32_t>(segment));

    const auto header = frame.subspan(header_bytes, core::load<std::uint32_t>(&frame[header_bytes + 4]));
    add(later, header.first(container::fixed_segment_bytes));
    add(later, segment_fields);
    // The entries end before the padding, which is less than 16 bytes, and zero: it may stand twice.
    add(later, header.first(entries_end(header)).subspan(container::fixed_segment_bytes));
    later.resize(segment + container::padded(later.size() - segment + 4));
    core::store(&later[segment + container::segment_at::header_bytes],
                static_cast<std::uint32_t>(later.size() - segment));
    core::store(&later[segment + container::segment_at::fields_bytes],
                static_cast<std::uint32_t>(segment_fields.size()));
    add(later, frame.first(old_footer).subspan(header_bytes + header.size()));

    const std::size_t footer = later.size();
    add(later, frame.subspan(old_footer, container::fixed_footer_bytes - container::footer_end_bytes + 16));
    core::store(&later[footer + container::footer_at::fields_bytes],
                static_cast<std::uint32_t>(footer_fields.size()));
    core::store(&later[footer + container::footer_at::index], std::uint64_t{segment});
    add(later, footer_fields);
    add(later, frame.last(container::footer_end_bytes));
    core::store(&later[later.size() - 16], std::uint64_t{later.size() - footer});
    reseal(later);
    return later;
  }
  [[nodiscard]] const Bytes& content() const { return sample_.content; }

 private:
  static void add(Bytes& to, std::span<const std::uint8_t> part) { append(to, view_of(part)); }

  static std::size_t entries_end(std::span<const std::uint8_t> header) {
    const auto streams = core::load<std::uint32_t>(&header[container::segment_at::stream_count]),
               columns = core::load<std::uint32_t>(&header[container::segment_at::column_count]);
    return container::fixed_segment_bytes + container::column_entry_bytes * columns +
           container::stream_entry_bytes * streams;
  }

  Sample sample_;
};

void expect_all(const LaterFrame& later, ErrorCode code, const std::string& where) {
  const Bytes frame = later.bytes();
  for (const Decoded& decoded : {decode_memory(frame), decode_file(frame), decode_stream(frame),
                                 decode_stream(frame, [] { return std::size_t{1}; })}) {
    EXPECT_EQ(decoded.status.code, code) << where << ": " << decoded.status.message();
    if (decoded.status.ok()) {
      EXPECT_TRUE(decoded.content == later.content()) << where;
    }
  }
}

class UnknownFields : public testing::TestWithParam<Sample (*)()> {
 protected:
  /// Fields in each of the parts.
  void expect_in_all_parts(const Bytes& fields, ErrorCode code, const std::string& what) const {
    LaterFrame in_header(GetParam()()), in_segment(GetParam()()), in_footer(GetParam()());
    in_header.header_fields = fields;
    in_segment.segment_fields = in_footer.footer_fields = fields;
    expect_all(in_header, code, what + " in the header");
    expect_all(in_segment, code, what + " in a segment");
    expect_all(in_footer, code, what + " in the footer");
  }
};

TEST_P(UnknownFields, NoneAreFine) { expect_all(LaterFrame(GetParam()()), ErrorCode::ok, "nothing"); }

TEST_P(UnknownFields, OptionalOnesAreSkipped) {
  for (const std::vector<AddedField>& added : std::vector<std::vector<AddedField>>{
           {{2, 1}}, {{2, 8}}, {{2, 9}, {3, 3}}, {{0x7FFF, 100}}, {{5, 7}, {6, 8}, {7, 9}, {0x100, 500}}}) {
    const Bytes fields = fields_of(added);
    expect_in_all_parts(fields, ErrorCode::ok, std::to_string(added.size()) + " fields");
    LaterFrame everywhere(GetParam()());
    everywhere.header_fields = everywhere.segment_fields = everywhere.footer_fields = fields;
    expect_all(everywhere, ErrorCode::ok, "everywhere");
  }
}

TEST_P(UnknownFields, RequiredOnesAreRefusedAsUnsupported) {
  for (const std::uint16_t tag : std::initializer_list<std::uint16_t>{0x8002, 0xFFFF})
    expect_in_all_parts(fields_of({{tag, 4}}), ErrorCode::unsupported_version, "a required field");
  LaterFrame in_segment(GetParam()()), in_footer(GetParam()());
  in_segment.segment_fields = in_footer.footer_fields = fields_of({{2, 5}, {0x8000, 4}});
  expect_all(in_segment, ErrorCode::unsupported_version, "behind an optional one");
  expect_all(in_footer, ErrorCode::unsupported_version, "behind an optional one");
}

TEST_P(UnknownFields, DisorderIsCorrupt) {
  expect_in_all_parts(fields_of({{3, 1}, {2, 1}}), ErrorCode::corrupt_frame, "descending tags");
  expect_in_all_parts(fields_of({{2, 1}, {2, 1}}), ErrorCode::corrupt_frame, "equal tags");
}

TEST_P(UnknownFields, AreasMustBeFilled) {
  Bytes fields = fields_of({{2, 5}});
  fields.resize(fields.size() + 16);
  expect_in_all_parts(fields, ErrorCode::corrupt_frame, "zeros behind the fields");
}

TEST_P(UnknownFields, AreasLongerThanTheLimitAreCorrupt) {
  LaterFrame in_segment(GetParam()()), in_footer(GetParam()());
  in_segment.segment_fields = in_footer.footer_fields = fields_of({{2, 400'000}, {3, 400'000}, {4, 400'000}});
  for (const Bytes& frame : {in_segment.bytes(), in_footer.bytes()}) {
    EXPECT_EQ(decode_memory(frame).status.code, ErrorCode::corrupt_frame);
    EXPECT_EQ(decode_stream(frame).status.code, ErrorCode::corrupt_frame);
  }
}

constexpr const char* names[] = {"codec", "tree", "table"};
INSTANTIATE_TEST_SUITE_P(, UnknownFields, testing::Values(codec_sample, tree_sample, table_sample),
                         [](const auto& test) { return std::string(names[test.index]); });

}  // namespace
}  // namespace floe::test
