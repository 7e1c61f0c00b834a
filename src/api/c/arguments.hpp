// Arguments of the C ABI as those of C++: for the library and for its part on GPUs, each of which has an ABI.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <memory>

#include "floe/floe.h"
#include "floe/floe.hpp"

struct floe_accelerator {
  std::unique_ptr<floe::Accelerator> accelerator;
};

namespace floe::c_abi {

/// NULL is none.
inline Accelerator* to_cpp(const floe_accelerator* accelerator) {
  return accelerator == nullptr ? nullptr : accelerator->accelerator.get();
}

inline floe_status to_c(const Status& status) {
  return {static_cast<floe_error>(status.code), status.byte_offset, status.detail};
}

inline constexpr Status null_pointer{ErrorCode::invalid_argument, 0, "a pointer is NULL"};
inline constexpr Status bad_struct_size{ErrorCode::invalid_argument, 0,
                                        "struct_size is too small: the struct was not initialised"};

/// A number that does not fit a DType becomes 0, which is none, and is refused by the library.
inline DType to_cpp(floe_dtype dtype) {
  const auto number = static_cast<std::uint32_t>(dtype);
  return static_cast<DType>(number <= 255 ? number : 0);
}

/// A rank that is too large stays so, and is refused by the library.
inline Extent to_cpp(const floe_extent& extent) {
  Extent out;
  std::copy(std::begin(extent.size), std::end(extent.size), out.size.begin());
  out.rank = extent.rank;
  return out;
}

/// What the caller's header knew of a struct, over the defaults. NULL gives the defaults. `first_bytes` is
/// the size of the struct in the first version of the ABI: a smaller struct_size was never initialised.
template <class Struct>
Result<Struct> known_part(const Struct* given, void (*set_default)(Struct*), std::size_t first_bytes) {
  Struct known;
  set_default(&known);
  if (given == nullptr) return known;
  if (given->struct_size < first_bytes) return bad_struct_size;
  std::memcpy(&known, given, std::min<std::size_t>(given->struct_size, sizeof known));
  return known;
}

inline Result<floe_options> known_part(const floe_options* given) {
  return known_part(given, floe_options_default, offsetof(floe_options, executor_user) + sizeof(void*));
}

/// All options but the executor.
inline Result<Options> to_cpp(const floe_options& known) {
  if (known.prefix == nullptr && known.prefix_bytes != 0) return null_pointer;
  Options options;
  options.goal = static_cast<Goal>(std::min(known.goal, 255u));
  if (known.tree != nullptr) options.tree = known.tree;
  options.profile = static_cast<Profile>(std::min(known.profile, 255u));
  options.threads = known.threads;
  options.checksum = known.checksum != 0;
  options.decode_megabytes_per_second = known.decode_megabytes_per_second;
  options.segment_bytes = known.segment_bytes;
  options.prefix = {static_cast<const std::byte*>(known.prefix), known.prefix_bytes};
  options.accelerator = to_cpp(known.accelerator);
  return options;
}

}  // namespace floe::c_abi
