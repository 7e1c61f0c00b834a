#include "container/compact_frame.hpp"

#include "container/layout.hpp"
#include "core/byte_stream.hpp"
#include "core/crc32c.hpp"

namespace floe::container {
namespace {

constexpr std::size_t length_at = 5;

/// The bytes of the body, and where it begins.
struct Body {
  std::uint64_t bytes = 0;
  std::size_t begin = 0;
};
Result<Body> find_body(std::span<const std::uint8_t> first_bytes) {
  core::ByteReader in(first_bytes);
  in.get_bytes(length_at);
  const std::uint64_t bytes = in.get_varint();
  if (in.failed() || bytes == 0 || bytes > max_compact_body_bytes)
    return Status{ErrorCode::corrupt_frame, length_at, "the length of a compact frame is impossible"};
  return Body{bytes, in.position()};
}

}  // namespace

bool is_compact(std::span<const std::uint8_t> first_bytes) noexcept {
  return core::load<std::uint32_t>(first_bytes.data()) == header_magic && first_bytes[4] == compact_version;
}

Result<std::uint64_t> compact_frame_length(std::span<const std::uint8_t> first_bytes) {
  const Result<Body> body = find_body(first_bytes);
  if (!body) return body.status();
  return body->begin + body->bytes + sizeof(std::uint32_t);
}

std::vector<std::uint8_t> write_compact_frame(std::span<const std::uint8_t> body) {
  core::ByteWriter out;
  out.put_word(header_magic);
  out.put_byte(compact_version);
  out.put_varint(body.size());
  out.put_bytes(body);
  out.put_word(core::crc32c(out.bytes()));
  return out.release();
}

Result<std::span<const std::uint8_t>> compact_body(std::span<const std::uint8_t> frame) {
  const std::size_t end = frame.size() - sizeof(std::uint32_t);
  if (core::crc32c(frame.first(end)) != core::load<std::uint32_t>(frame.data() + end))
    return Status{ErrorCode::corrupt_frame, end, "the checksum of a compact frame does not match"};
  const Result<Body> body = find_body(frame);
  if (!body) return body.status();
  if (body->bytes != end - body->begin)
    return Status{ErrorCode::corrupt_frame, length_at, "a compact frame has another length than it says"};
  return frame.subspan(body->begin, static_cast<std::size_t>(body->bytes));
}

void note_compact(FrameInfo& info, std::uint64_t frame_bytes) noexcept {
  info.format_version = compact_version;
  info.frame_bytes = frame_bytes;
}

}  // namespace floe::container
