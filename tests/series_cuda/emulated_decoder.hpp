// The decoder of devices, run by emulated lanes.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "series_cuda/decode_segment.hpp"
#include "series_cuda/open_for_team.hpp"
#include "tests/series/columns.hpp"
#include "tests/support/emulated_team.hpp"

namespace floe::test {

/// As bytes lie in device memory: at a multiple of 16, up to a multiple of 16.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::span<const std::uint8_t> bytes)
      : memory_(static_cast<std::uint8_t*>(std::aligned_alloc(16, (bytes.size() + 16) / 16 * 16))), size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), memory_);
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { std::free(memory_); }
  [[nodiscard]] const std::uint8_t* data() const { return memory_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }

 private:
  std::uint8_t* memory_;
  std::size_t size_;
};

/// Decodes a segment to `out`, which knows its type and words; `is_opened`: with a warp that opens it for the team.
inline ErrorCode decode_emulated(std::span<const std::uint8_t> bytes, Column& out, std::size_t scratch_bytes, bool is_opened) {
  const DeviceBytes copy(bytes);
  static const auto memory = std::make_unique<series_cuda::TeamMemory>();
  static const auto opening = std::make_unique<series_cuda::OpeningMemory>();
  const auto count = static_cast<std::uint32_t>(out.count());
  std::vector<std::uint64_t> opened(series_cuda::opened_record_bytes(count) / 8), scratch(2 * (scratch_bytes / 8));
  auto* const record = reinterpret_cast<std::uint8_t*>(opened.data());
  auto* const first_scratch = reinterpret_cast<std::uint8_t*>(scratch.data());
  if (is_opened) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      series_cuda::open_for_team(warp, *opening, copy.data(), copy.size(), out.type, count, {first_scratch, scratch_bytes, 0}, record);
    });
  }
  std::uint32_t code = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    EmulatedTeam team(warp, *memory);
    const std::uint32_t found =
        series_cuda::decode_segment(team, copy.data(), copy.size(), out.type, count, out.bytes.data(),
                                    {first_scratch + scratch_bytes, scratch_bytes, 0}, is_opened ? record : nullptr, scratch_bytes);
    if (team.rank() == 0) code = found;
  });
  return static_cast<ErrorCode>(code);
}

}  // namespace floe::test
