// The rules of `split`: two children and a stencil.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct SplitRules {
  static constexpr const char* name = "split";
  static constexpr const char* summary = "two children and a stencil";
  static constexpr unsigned children = 3;
  static constexpr unsigned parameters = 1;
  static constexpr ParameterRange ranges[2] = {{0, 3, 0}};  // kind
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t a, std::uint32_t) {
    return is_integer(type) || a >= 2;
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::boolean : type;
  }
};

}  // namespace floe::trees
