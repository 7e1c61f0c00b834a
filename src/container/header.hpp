// The header of a frame: docs/format/frame.md section 2.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "floe/dtype.hpp"
#include "floe/error.hpp"
#include "container/layout.hpp"

namespace floe::format {

struct Header {
  DType dtype = DType::u8;
  std::uint32_t rank = 1;
  std::array<std::uint64_t, max_rank - 1> inner_extent{};  ///< rank - 1 of them
  bool checksums = true;
  std::uint32_t chunks_per_segment = 0;
  std::uint16_t codec_id = 0;
  std::vector<std::uint8_t> prefix;
  std::vector<std::uint8_t> codec_parameters;

  [[nodiscard]] std::uint64_t segment_bytes() const noexcept { return std::uint64_t{chunks_per_segment} * core::chunk_bytes; }
};

/// The header's bytes. Precondition: a header that parse_header would return.
std::vector<std::uint8_t> write_header(const Header& header);

/// The length of a header, from its first smallest_header_bytes bytes. Errors: corrupt_frame (no frame), unsupported_version.
Result<std::size_t> header_length(std::span<const std::uint8_t> first_bytes);

/// Reads a whole header, of exactly header_length bytes. Errors: corrupt_frame, unsupported_version.
Result<Header> parse_header(std::span<const std::uint8_t> bytes);

/// The CRC-32C that ends a header.
std::uint32_t header_crc(std::span<const std::uint8_t> header) noexcept;

}  // namespace floe::format
