// Checks of the memory that a caller gives.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "floe/floe.hpp"

namespace floe::api {

inline bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

/// Precondition: the shape was planned, so that its size is no overflow.
inline Status check_input(std::span<const std::byte> in, DType dtype, const Extent& extent) {
  if (in.size() != *extent.element_count() * size_of(dtype))
    return {ErrorCode::invalid_argument, 0, "the input's size is not that of its shape"};
  return {};
}

}  // namespace floe::api
