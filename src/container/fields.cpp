#include "container/fields.hpp"

#include "container/layout.hpp"

namespace floe::container {
namespace {

constexpr std::size_t field_alignment = 8;

}  // namespace

std::uint64_t field_bytes(std::uint64_t content_bytes) noexcept {
  return field_header_bytes + core::align_up(content_bytes, field_alignment);
}

void write_field(core::ByteWriter& out, std::uint16_t tag, std::span<const std::uint8_t> field) {
  if (field.empty()) return;
  out.put_word(tag);
  out.put_word(std::uint16_t{0});
  out.put_word(static_cast<std::uint32_t>(field.size()));
  out.put_bytes(field);
  out.zero_until(out.size() + core::align_up(field.size(), field_alignment) - field.size());
}

Result<std::size_t> read_fields(std::span<const std::uint8_t> area, std::uint64_t frame_offset,
                                const FieldUser& use) {
  const auto corrupt = [&](std::size_t offset, const char* detail) {
    return Status{ErrorCode::corrupt_frame, frame_offset + offset, detail};
  };
  core::ByteReader in(area);
  std::uint16_t last_tag = 0;
  std::size_t used = 0;
  while (in.remaining() >= field_header_bytes) {
    const std::size_t start = in.position();
    Field field;
    field.frame_offset = frame_offset + start;
    field.tag = in.get_word<std::uint16_t>();
    const auto reserved = in.get_word<std::uint16_t>();
    const auto length = in.get_word<std::uint32_t>();
    if (reserved != 0) return corrupt(start + 2, "a reserved number is not zero");
    if (field.tag == 0 && length == 0) break;  // padding
    if (field.tag <= last_tag) return corrupt(start, "fields are not in ascending order");
    last_tag = field.tag;
    if (length == 0) return corrupt(start + 4, "a field is empty");
    field.bytes = in.get_bytes(length);
    const std::uint64_t padding = core::align_up(length, field_alignment) - length;
    if (in.failed() || in.remaining() < padding)
      return corrupt(start + 4, "a field is longer than the area that it is in");
    const std::size_t end = in.position();
    if (!in.zeros_until(end + static_cast<std::size_t>(padding)))
      return corrupt(end, "the padding of a field is not zero");
    const Result<bool> known = use(field);
    if (!known) return known.status();
    if (!*known && field.tag >= first_required_tag)
      return Status{ErrorCode::unsupported_version, field.frame_offset,
                    "the frame needs a field that this version does not know"};
    used = in.position();
  }
  core::ByteReader rest(area.subspan(used));
  if (!rest.zeros_until(rest.remaining())) return corrupt(used, "the padding after the fields is not zero");
  return used;
}

Status skip_fields(std::span<const std::uint8_t> area, std::uint64_t frame_offset) {
  const Result<std::size_t> used = read_fields(area, frame_offset, [](const Field&) { return false; });
  if (!used) return used.status();
  if (*used != area.size())
    return {ErrorCode::corrupt_frame, frame_offset + *used, "fields do not fill the area that they are in"};
  return {};
}

}  // namespace floe::container
