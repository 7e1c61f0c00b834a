// What the published streams share: views of bytes, error statuses, and the edge to code that throws.
#pragma once

#include <cstdint>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

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

/// Calls `work`, which returns a Result; memory that cannot be had becomes out_of_memory.
template <class Work>
auto guarded(Work&& work) -> decltype(work()) {
  try {
    return std::forward<Work>(work)();
  } catch (const std::bad_alloc&) {
    return Status{ErrorCode::out_of_memory, 0, "no memory"};
  } catch (const std::length_error&) {  // a vector of more bytes than there are addresses
    return Status{ErrorCode::out_of_memory, 0, "no memory"};
  }
}

}  // namespace floe::published
