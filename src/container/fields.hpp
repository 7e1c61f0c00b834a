// Fields: tagged parts of headers and footers, so that later versions can say more (docs/format/container.md
// section 2.3); and the CRC-32C with which parts end.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "container/layout.hpp"
#include "core/byte_stream.hpp"
#include "core/crc32c.hpp"
#include "floe/types.hpp"

namespace floe::container {

struct Field {
  std::uint16_t tag = 0;
  std::span<const std::uint8_t> bytes;  ///< At least one.
  std::uint64_t frame_offset = 0;       ///< Of the field, for error messages.
};

/// Of a field with a content of so many bytes, which is not empty.
std::uint64_t field_bytes(std::uint64_t content_bytes) noexcept;
/// Nothing is written for an empty one.
void write_field(core::ByteWriter& out, std::uint16_t tag, std::span<const std::uint8_t> field);

/// Takes a field and says whether it knows the tag, or what is wrong with it.
using FieldUser = std::function<Result<bool>(const Field&)>;

/// Reads the fields at the front of an area that begins at `frame_offset`; what follows them must be zero.
/// Returns the bytes that they occupy. Errors: those of `use`, corrupt_frame, unsupported_version (a required
/// field that `use` does not know).
Result<std::size_t> read_fields(std::span<const std::uint8_t> area, std::uint64_t frame_offset,
                                const FieldUser& use);

/// Reads an area in which this version knows no field, and which fields must fill. Errors: corrupt_frame,
/// unsupported_version.
Status skip_fields(std::span<const std::uint8_t> area, std::uint64_t frame_offset);

/// Fills a part up to a multiple of 16 with its CRC at the end, and writes its length where it belongs.
inline std::vector<std::uint8_t> sealed(core::ByteWriter part, std::size_t length_at) {
  part.zero_until(static_cast<std::size_t>(padded(part.size() + 4)));
  std::vector<std::uint8_t> bytes = part.release();
  core::store(bytes.data() + length_at, static_cast<std::uint32_t>(bytes.size()));
  core::store(bytes.data() + bytes.size() - 4, core::crc32c(std::span(bytes).first(bytes.size() - 4)));
  return bytes;
}

inline bool is_sealed(std::span<const std::uint8_t> part) {
  return part.size() >= 4 && core::crc32c(part.first(part.size() - 4)) ==
                                 core::load<std::uint32_t>(part.data() + part.size() - 4);
}

}  // namespace floe::container
