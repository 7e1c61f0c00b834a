// What a frame says of itself, from C++ to C.
#pragma once

#include <cstddef>

#include "api/c/arguments.hpp"

namespace floe::c_abi {

inline floe_status put_info(const FrameInfo& of, floe_frame_info* info) {
  constexpr std::size_t first_bytes = offsetof(floe_frame_info, prefix_bytes) + sizeof(uint64_t);
  if (info->struct_size < first_bytes) return to_c(bad_struct_size);
  floe_frame_info known{};
  known.struct_size = info->struct_size;
  known.content = static_cast<floe_content>(of.content);
  known.dtype =
      static_cast<floe_dtype>(of.content == Content::array ? static_cast<std::uint32_t>(of.dtype) : 0);
  std::copy(of.extent.size.begin(), of.extent.size.end(), known.extent.size);
  known.extent.rank = of.extent.rank;
  known.element_count = of.element_count;
  known.source = static_cast<floe_table_source>(of.source);
  known.column_count = static_cast<std::uint32_t>(of.columns.size());
  known.padding_bytes = of.padding_bytes;
  known.format_version = of.format_version;
  known.has_checksums = of.has_checksums;
  known.max_segment_length = of.max_segment_length;
  known.segment_count = of.segment_count;
  known.frame_bytes = of.frame_bytes;
  known.digest = of.digest;
  known.prefix_bytes = of.prefix.size();
  std::memcpy(info, &known, std::min<std::size_t>(info->struct_size, sizeof known));
  return to_c({});
}

inline floe_status put_prefix(const FrameInfo& of, void* out, std::size_t out_bytes) {
  if (out_bytes != of.prefix.size())
    return to_c({ErrorCode::invalid_argument, 0, "the output's size is not that of the prefix"});
  if (!of.prefix.empty()) std::memcpy(out, of.prefix.data(), of.prefix.size());
  return to_c({});
}

/// Its name lives as long as the frame's.
inline floe_status put_column(const FrameInfo& of, std::uint32_t index, floe_column* column) {
  if (index >= of.columns.size())
    return to_c({ErrorCode::invalid_argument, 0, "the table has no such column"});
  const Column& found = of.columns[index];
  *column = {found.name.c_str(), static_cast<floe_dtype>(found.type), found.decimals};
  return to_c({});
}

}  // namespace floe::c_abi
