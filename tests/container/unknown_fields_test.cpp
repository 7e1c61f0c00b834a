// Do decoders skip what later writers may add, and refuse what they must not ignore?
#include <gtest/gtest.h>

#include "container/fields.hpp"
#include "container/footer.hpp"
#include "container/header.hpp"
#include "tests/support/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

struct AddedField {
  std::uint16_t tag = 0;
  std::size_t bytes = 1;
};

Bytes fields_of(const std::vector<AddedField>& added) {
  Bytes area;
  for (const AddedField& field : added) {
    const Bytes content(field.bytes, 0xAB);
    Bytes bytes(format::field_bytes(content));
    core::FieldWriter out(bytes);
    format::write_field(out, field.tag, content);
    append(area, view_of(bytes));
  }
  return area;
}

/// A frame of one segment with fields added to its parts, as a later version may write it.
class LaterFrame {
 public:
  Bytes header_fields, segment_fields, footer_fields;

  [[nodiscard]] Bytes bytes() const {
    Options options;
    options.codec = "spspeed";
    const Bytes frame = frame_of(content(), DType::f32, options);
    const std::size_t header_bytes = core::load<std::uint32_t>(frame.data() + 20),
                      old_footer = frame.size() - format::footer_bytes(1);

    Bytes later;
    add(later, std::span(frame).first(format::fixed_header_bytes));
    add(later, header_fields);
    later.resize(format::padded(later.size() + 4));
    const std::size_t segment = later.size();
    core::store(later.data() + 20, static_cast<std::uint32_t>(segment));

    const std::span<const std::uint8_t> head = std::span(frame).subspan(header_bytes);
    const std::size_t old_head_bytes = core::load<std::uint32_t>(head.data() + 4),
                      chunks = core::load<std::uint32_t>(head.data() + 32);
    add(later, head.first(48));
    add(later, segment_fields);
    add(later, head.subspan(48, 7 * chunks));
    later.resize(segment + format::padded(later.size() - segment + 4));
    core::store(later.data() + segment + 4, static_cast<std::uint32_t>(later.size() - segment));
    core::store(later.data() + segment + 44, static_cast<std::uint32_t>(segment_fields.size()));
    add(later,
        std::span(frame).subspan(header_bytes + old_head_bytes, old_footer - header_bytes - old_head_bytes));

    const std::size_t footer = later.size();
    add(later, std::span(frame).subspan(old_footer, 40));
    core::store(later.data() + footer + 4, static_cast<std::uint32_t>(footer_fields.size()));
    later.resize(later.size() + 8);
    core::store(later.data() + footer + 40, std::uint64_t{segment});
    add(later, footer_fields);
    add(later, std::span(frame).last(16));
    core::store(later.data() + later.size() - 16, std::uint64_t{later.size() - footer});
    reseal(later);
    return later;
  }
  static Bytes content() { return make_bytes(32, 4, 3 * 16384 + 100, 1); }

 private:
  static void add(Bytes& to, std::span<const std::uint8_t> part) { append(to, view_of(part)); }
};

void expect_all(const Bytes& frame, ErrorCode code, const std::string& where) {
  for (const Decoded& decoded : {decode_view(frame), decode_reader(frame), decode_stream(frame)}) {
    EXPECT_EQ(decoded.status.code, code) << where << ": " << decoded.status.message();
    if (decoded.status.ok()) {
      EXPECT_TRUE(decoded.content == LaterFrame::content()) << where;
    }
  }
  const Decoded byte_by_byte = decode_stream(frame, [] { return std::size_t{1}; });
  EXPECT_EQ(byte_by_byte.status.code, code) << where << ": " << byte_by_byte.status.message();
}

TEST(UnknownFields, OptionalOnesAreSkipped) {
  for (const std::vector<AddedField>& added :
       std::vector<std::vector<AddedField>>{{},
                                            {{2, 1}},
                                            {{2, 8}},
                                            {{2, 9}, {3, 3}},
                                            {{0x7FFF, 100}},
                                            {{5, 7}, {6, 8}, {7, 9}, {0x100, 500}}}) {
    const Bytes fields = fields_of(added);
    LaterFrame in_header, in_segment, in_footer, everywhere;
    in_header.header_fields = in_segment.segment_fields = in_footer.footer_fields = fields;
    everywhere.header_fields = everywhere.segment_fields = everywhere.footer_fields = fields;
    const std::string where = std::to_string(added.size()) + " fields";
    expect_all(in_header.bytes(), ErrorCode::ok, where + " in the header");
    expect_all(in_segment.bytes(), ErrorCode::ok, where + " in a segment");
    expect_all(in_footer.bytes(), ErrorCode::ok, where + " in the footer");
    expect_all(everywhere.bytes(), ErrorCode::ok, where + " everywhere");
  }
}

TEST(UnknownFields, RequiredOnesAreRefusedAsUnsupported) {
  for (const std::uint16_t tag : std::initializer_list<std::uint16_t>{0x8000, 0x8002, 0xFFFF}) {
    const Bytes fields = fields_of({{2, 5}, {tag, 4}});
    LaterFrame in_header, in_segment, in_footer;
    in_header.header_fields = in_segment.segment_fields = in_footer.footer_fields = fields;
    expect_all(in_header.bytes(), ErrorCode::unsupported_version, "in the header");
    expect_all(in_segment.bytes(), ErrorCode::unsupported_version, "in a segment");
    expect_all(in_footer.bytes(), ErrorCode::unsupported_version, "in the footer");
  }
}

TEST(UnknownFields, DisorderIsCorrupt) {
  for (const std::vector<AddedField>& added :
       std::vector<std::vector<AddedField>>{{{3, 1}, {2, 1}}, {{2, 1}, {2, 1}}}) {
    const Bytes fields = fields_of(added);
    LaterFrame in_header, in_segment, in_footer;
    in_header.header_fields = in_segment.segment_fields = in_footer.footer_fields = fields;
    expect_all(in_header.bytes(), ErrorCode::corrupt_frame, "in the header");
    expect_all(in_segment.bytes(), ErrorCode::corrupt_frame, "in a segment");
    expect_all(in_footer.bytes(), ErrorCode::corrupt_frame, "in the footer");
  }
}

TEST(UnknownFields, AreasMustBeFilled) {
  Bytes fields = fields_of({{2, 5}});
  fields.resize(fields.size() + 16);
  LaterFrame in_header, in_segment, in_footer;
  in_header.header_fields = in_segment.segment_fields = in_footer.footer_fields = fields;
  expect_all(in_header.bytes(), ErrorCode::corrupt_frame, "in the header");
  expect_all(in_segment.bytes(), ErrorCode::corrupt_frame, "in a segment");
  expect_all(in_footer.bytes(), ErrorCode::corrupt_frame, "in the footer");
}

TEST(UnknownFields, AreasLongerThanTheLimitAreCorrupt) {
  const Bytes fields = fields_of({{2, 400'000}, {3, 400'000}, {4, 400'000}});
  LaterFrame in_segment, in_footer;
  in_segment.segment_fields = in_footer.footer_fields = fields;
  for (const Bytes& frame : {in_segment.bytes(), in_footer.bytes()}) {
    EXPECT_EQ(decode_view(frame).status.code, ErrorCode::corrupt_frame);
    EXPECT_EQ(decode_stream(frame).status.code, ErrorCode::corrupt_frame);
  }
}

}  // namespace
}  // namespace floe::test
