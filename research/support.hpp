// What the published streams share: views of bytes, and error statuses.
#pragma once

#include <cstdint>
#include <span>

#include "core/guard.hpp"
#include "floe/types.hpp"

namespace floe::published {

inline std::span<const std::uint8_t> as_u8(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}
inline std::span<std::uint8_t> as_u8(std::span<std::byte> bytes) {
  return {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()};
}

inline Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }
inline Status corrupt(std::uint64_t offset, const char* detail) {
  return {ErrorCode::corrupt_frame, offset, detail};
}
inline Status truncated(std::uint64_t offset, const char* detail) {
  return {ErrorCode::truncated_frame, offset, detail};
}

using core::guarded;

}  // namespace floe::published
