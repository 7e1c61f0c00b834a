// The rules of `stride_split`: every k-th word to the same child.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct StrideSplitRules {
  static constexpr const char* name = "stride_split";
  static constexpr const char* summary = "every k-th word to the same child";
  static constexpr unsigned children = children_by_parameter;
  static constexpr unsigned parameters = 1;
  static constexpr ParameterRange ranges[2] = {{2, 8, 2}};  // k
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};

}  // namespace floe::trees
