// Memory that is not cleared before it is used, and views of bytes as the two byte types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace floe::core {

/// A block of bytes that grows without keeping its contents, aligned to 64. Throws std::bad_alloc.
class Buffer {
 public:
  std::span<std::uint8_t> reserve(std::size_t bytes);

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::uint8_t* begin_ = nullptr;  ///< The first aligned byte of the memory.
  std::size_t capacity_ = 0;
};

inline std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline std::span<std::uint8_t> as_u8(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace floe::core
