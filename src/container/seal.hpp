// Parts of a frame end with their CRC-32C.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "container/layout.hpp"
#include "core/byte_stream.hpp"
#include "core/crc32c.hpp"

namespace floe::container {

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
