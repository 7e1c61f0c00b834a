// Memory that is not cleared before it is used, and views of bytes as the two byte types.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace floe::api {

/// A block of bytes that grows without keeping its contents. Throws std::bad_alloc.
class Buffer {
 public:
  std::span<std::uint8_t> reserve(std::size_t bytes) {
    if (bytes > capacity_) {
      memory_.reset();
      capacity_ = 0;
      memory_ = std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
      capacity_ = bytes;
    }
    return {memory_.get(), bytes};
  }

 private:
  std::unique_ptr<std::uint8_t[]> memory_;
  std::size_t capacity_ = 0;
};

inline std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline std::span<std::uint8_t> as_u8(std::span<std::byte> bytes) { return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()}; }

}  // namespace floe::api
