// Memory that is not cleared before it is used, and views of bytes as the two byte types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "core/spare_memory.hpp"

namespace floe::core {

/// A block of bytes that grows without keeping its contents, aligned to 64. Its memory is kept for other
/// buffers.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&&) = default;
  Buffer& operator=(Buffer&&) = default;
  ~Buffer() { keep_spare(std::move(memory_)); }
  /// Throws std::bad_alloc.
  std::span<std::uint8_t> reserve(std::size_t bytes);

 private:
  AlignedMemory memory_;
};

inline std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline std::span<std::uint8_t> as_u8(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace floe::core
