// Memory as devices have it: at a multiple of 16, and up to one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>

namespace floe::test {

class PaddedBytes {
 public:
  explicit PaddedBytes(std::size_t size)
      : size_(size), memory_(static_cast<std::uint8_t*>(std::aligned_alloc(16, (size + 31) / 16 * 16))) {
    std::fill_n(memory_, (size + 31) / 16 * 16, std::uint8_t{0xA5});
  }
  explicit PaddedBytes(std::span<const std::uint8_t> bytes) : PaddedBytes(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), memory_);
  }
  PaddedBytes(const PaddedBytes&) = delete;
  PaddedBytes& operator=(const PaddedBytes&) = delete;
  ~PaddedBytes() { std::free(memory_); }
  [[nodiscard]] std::uint8_t* data() const { return memory_; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t size_;
  std::uint8_t* memory_;
};

}  // namespace floe::test
