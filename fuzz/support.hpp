// What the fuzz targets share: taking the fuzzer's bytes apart, and stopping when a promise is broken.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace floe::fuzz {

using Bytes = std::vector<std::uint8_t>;

/// A broken promise is a finding.
inline void require(bool holds) {
  if (!holds) std::abort();
}

/// The fuzzer's bytes: numbers from the front, then the rest. Numbers beyond the end are 0.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}
  template <class T>
  T take() {
    T number{};
    const std::size_t bytes = std::min(sizeof number, rest_.size());
    std::memcpy(&number, rest_.data(), bytes);
    rest_ = rest_.subspan(bytes);
    return number;
  }
  [[nodiscard]] bool is_empty() const { return rest_.empty(); }
  /// A copy of its own, so that the sanitizers see every access beyond its ends.
  [[nodiscard]] Bytes rest() const { return {rest_.begin(), rest_.end()}; }

 private:
  std::span<const std::uint8_t> rest_;
};

}  // namespace floe::fuzz
