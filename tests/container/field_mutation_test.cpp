// Is every field of a frame checked? Each gets edge values and random ones, with the checksums made right
// again: the decoders must refuse the frame with the right error, or the field must not matter and the data
// be the same.
#include <gtest/gtest.h>

#include "tests/support/frames.hpp"
#include "tests/support/reseal.hpp"

namespace floe::test {
namespace {

using enum ErrorCode;

struct Field {
  std::string name;
  std::size_t offset = 0;
  std::size_t bytes = 4;
  std::vector<ErrorCode> errors = {corrupt_frame};
  bool may_succeed = false;  ///< Some values change nothing, or nothing that concerns the elements.
};

struct Subject {
  std::string name;
  Bytes content;
  Bytes frame;
  std::vector<Field> fields;
};

std::uint64_t number_at(const Bytes& frame, std::size_t offset, std::size_t bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, frame.data() + offset, bytes);
  return number;
}

/// The fields of a header, docs/format/frame.md section 2.
std::vector<Field> header_fields(const Bytes& frame, bool one_segment) {
  const auto rank = frame[6];
  const std::vector<ErrorCode> unknown = {unsupported_version, corrupt_frame};
  std::vector<Field> fields = {{"magic", 0},
                               {"version", 4, 1, {unsupported_version}},
                               {"element type", 5, 1, unknown, true},
                               {"rank", 6, 1, unknown, true},
                               {"chunk size", 7, 1, {unsupported_version}},
                               {"required features", 8, 4, unknown, true},
                               {"optional features", 12, 4, {}, true},
                               {"chunks per segment", 16, 4, {corrupt_frame}, one_segment},
                               {"header bytes", 20, 4, {corrupt_frame, truncated_frame}},
                               {"codec", 24, 2, {unsupported_codec, corrupt_frame}, true},
                               {"reserved", 26, 2}};
  std::size_t at = 28;
  for (unsigned d = 1; d < rank; ++d, at += 8)
    fields.push_back({"inner dimension", at, 8, {corrupt_frame}, true});
  const std::size_t end = number_at(frame, 20, 4) - 4;
  while (end - at >= 8 && number_at(frame, at, 2) != 0) {
    const std::size_t length = number_at(frame, at + 4, 4);
    fields.push_back({"tag", at, 2, unknown, true});
    fields.push_back({"reserved of a field", at + 2, 2});
    fields.push_back({"length of a field", at + 4, 4, unknown, true});
    at += 8 + length;
    for (; at % 8 != 28 % 8; ++at) fields.push_back({"padding of a field", at, 1});
  }
  for (; at < end; ++at) fields.push_back({"padding of the header", at, 1});
  return fields;
}

/// The fields of a segment at `at`, section 3. Checksums are left out: making them right again would undo the
/// change.
std::vector<Field> segment_fields(const Bytes& frame, std::size_t at) {
  std::vector<Field> fields = {{"segment magic", at},
                               {"head bytes", at + 4},
                               {"segment index", at + 8, 8},
                               {"content bytes", at + 16, 8},
                               {"payload bytes", at + 24, 8},
                               {"chunk count", at + 32},
                               {"kind", at + 36, 1},
                               {"reserved of a segment", at + 37, 1},
                               {"reserved of a segment", at + 38, 2},
                               {"field bytes of a segment", at + 44}};
  const std::size_t head = number_at(frame, at + 4, 4), chunks = number_at(frame, at + 32, 4),
                    groups = (chunks + 255) / 256 - 1;
  const bool checksums = (frame[8] & 1) != 0;
  std::size_t offset = at + 48;
  for (std::size_t g = 0; g < groups; ++g, offset += 8) fields.push_back({"group offset", offset, 8});
  if (checksums) offset += 4 * chunks;
  const std::size_t step = std::max<std::size_t>(1, chunks / 3);
  for (std::size_t c = 0; c < chunks; c += step) {
    fields.push_back({"stored bytes", offset + 2 * c, 2, {corrupt_frame}, true});
    fields.push_back({"mode", offset + 2 * chunks + c, 1});
  }
  for (offset += 3 * chunks; offset < at + head - 4; ++offset)
    fields.push_back({"padding of a head", offset, 1});
  return fields;
}

/// The fields of the footer, section 4. With checksums the digest is left out.
std::vector<Field> footer_fields(const Bytes& frame) {
  const std::size_t footer_bytes = number_at(frame, frame.size() - 16, 8), at = frame.size() - footer_bytes;
  const std::vector<ErrorCode> not_found = {corrupt_frame, truncated_frame};
  std::vector<Field> fields = {{"footer magic", at, 4},
                               {"field bytes of the footer", at + 4, 4, not_found},
                               {"outermost dimension", at + 8, 8, {corrupt_frame}, true},
                               {"element count", at + 16, 8},
                               {"segment count", at + 32, 8}};
  if ((frame[8] & 1) == 0) fields.push_back({"digest", at + 24, 8});
  for (std::size_t offset = at + 40; offset < frame.size() - 16; offset += 8)
    fields.push_back({"segment offset", offset, 8});
  fields.push_back({"footer bytes", frame.size() - 16, 8, not_found});
  fields.push_back({"end magic", frame.size() - 4, 4, not_found});
  return fields;
}

Subject make_subject(std::string name, Bytes content, DType dtype, const Extent& extent,
                     const Options& options) {
  Subject subject{std::move(name), std::move(content), {}, {}};
  subject.frame = frame_of(subject.content, dtype, extent, options);
  const Result<FrameView> view = FrameView::parse(view_of(subject.frame));
  if (!view) return subject;
  subject.fields = header_fields(subject.frame, view->info().segment_count <= 1);
  std::size_t at = number_at(subject.frame, 20, 4);
  for (std::uint64_t s = 0; s < view->info().segment_count; ++s) {
    for (Field& field : segment_fields(subject.frame, at)) subject.fields.push_back(std::move(field));
    at += number_at(subject.frame, at + 4, 4) + number_at(subject.frame, at + 24, 8);
  }
  for (Field& field : footer_fields(subject.frame)) subject.fields.push_back(std::move(field));
  return subject;
}

std::vector<Subject> subjects() {
  const auto options = [](std::string_view codec, std::uint64_t segment_bytes) {
    Options o;
    o.codec = codec;
    o.segment_bytes = segment_bytes;
    return o;
  };
  static const Bytes prefix = {'p', 'r', 'e', 'f', 'i'};
  std::vector<Subject> list;
  Options gfc = options("gfc", 16384);
  gfc.dimensionality = 3;
  gfc.prefix = view_of(prefix);
  list.push_back(make_subject("gfc, 2 segments, 3 dimensions", make_bytes(64, 5, 24000, 1), DType::f64,
                              {{300, 5, 2}, 3}, gfc));
  list.push_back(make_subject("dpratio, history", make_bytes(64, 11, 40000, 2), DType::f64,
                              Extent::linear(5000), options("dpratio", 32768)));
  list.push_back(make_subject("dpratio, noise", make_bytes(64, 8, 20000, 2), DType::f64, {{50, 50}, 2},
                              options("dpratio", 32768)));
  list.push_back(make_subject("spspeed, 515 chunks", Bytes(515 * 16384 - 400), DType::f32,
                              Extent::linear(515 * 4096 - 100), options("spspeed", 16u << 20)));
  Options unchecked = options("speed8", 16384);
  unchecked.checksum = false;
  list.push_back(make_subject("speed8, no checksums", make_bytes(8, 4, 40000, 4), DType::u8,
                              Extent::linear(40000), unchecked));
  list.push_back(
      make_subject("scalar", make_bytes(32, 1, 4, 5), DType::f32, {{}, 0}, options("spratio", 16384)));
  list.push_back(make_subject("empty", {}, DType::f32, {{0, 3, 0}, 3}, options("spratio", 16384)));
  return list;
}

class FieldMutation : public testing::Test {
 protected:
  void try_value(const Subject& subject, const Field& field, std::uint64_t value) {
    if (number_at(subject.frame, field.offset, field.bytes) == value) return;
    Bytes frame = subject.frame;
    std::memcpy(frame.data() + field.offset, &value, field.bytes);
    reseal(frame);
    expect_verdict(decode_view(frame), subject, field, value);
    if (is_large(subject)) return;
    expect_verdict(decode_reader(frame), subject, field, value);
    expect_verdict(decode_stream(frame), subject, field, value);
    ++tried_;
  }

  static void expect_verdict(const Decoded& decoded, const Subject& subject, const Field& field,
                             std::uint64_t value) {
    const std::string where = subject.name + ": " + field.name + " at " + std::to_string(field.offset) +
                              " = " + std::to_string(value);
    if (decoded.status.ok()) {
      EXPECT_TRUE(field.may_succeed) << where;
      EXPECT_TRUE(decoded.content == subject.content) << where << ": other data";
    } else {
      EXPECT_NE(std::find(field.errors.begin(), field.errors.end(), decoded.status.code), field.errors.end())
          << where << ": " << decoded.status.message();
    }
  }

  /// The large frame is here for its chunk table; the three ways of decoding share what they check of it.
  static bool is_large(const Subject& subject) { return subject.content.size() > 100'000; }

  unsigned tried_ = 0;
};

TEST_F(FieldMutation, EveryField) {
  Random random(1);
  for (const Subject& subject : subjects()) {
    ASSERT_TRUE(decode_view(subject.frame).content == subject.content) << subject.name;
    ASSERT_GE(subject.fields.size(), 20u) << subject.name;
    for (const Field& field : subject.fields) {
      const std::uint64_t now = number_at(subject.frame, field.offset, field.bytes);
      const unsigned bits = 8 * static_cast<unsigned>(field.bytes);
      const std::uint64_t mask = core::low_mask<std::uint64_t>(bits), sign = std::uint64_t{1} << (bits - 1);
      for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{1}, mask - 1, mask, now + 1, now - 1,
                                        now ^ sign, sign, sign - 1}) {
        try_value(subject, field, value & mask);
      }
      for (int i = 0; i < (is_large(subject) ? 1 : sanitized ? 4 : 24); ++i)
        try_value(subject, field, random.next() & mask >> random.below(bits));
    }
  }
  EXPECT_GT(tried_, 2000u);
}

// Parameters that are possible make other data of a forged frame; impossible ones are refused.
TEST(FieldMutationOfParameters, ImpossibleDimensionality) {
  Options options;
  options.codec = "gfc";
  const Bytes content = make_bytes(32, 4, 1000, 1);
  const Bytes frame = frame_of(content, DType::f32, options);
  const std::size_t at = 28 + 8;  // no inner dimensions; the head of the field
  ASSERT_EQ(number_at(frame, 28, 2), format::codec_parameters_tag);
  for (unsigned dimensionality = 0; dimensionality < 256; ++dimensionality) {
    Bytes changed = frame;
    changed[at] = static_cast<std::uint8_t>(dimensionality);
    reseal(changed);
    const Decoded decoded = decode_view(changed);
    if (dimensionality >= 1 && dimensionality <= 32) {
      EXPECT_EQ(FrameView::parse(view_of(changed))->info().dimensionality, dimensionality);
    } else {
      EXPECT_EQ(decoded.status.code, corrupt_frame) << dimensionality;
    }
  }
}

}  // namespace
}  // namespace floe::test
