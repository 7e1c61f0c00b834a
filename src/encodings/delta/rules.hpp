// The rules of `delta`: differences to the words before.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct DeltaRules {
  static constexpr const char* name = "delta";
  static constexpr const char* summary = "differences to the words before";
  static constexpr unsigned children = 1;
  static constexpr unsigned parameters = 2;
  static constexpr ParameterRange ranges[2] = {{1, 2, 1}, {1, 64, 1}};  // order, stride
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_integer(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return signed_type(size_of(type));
  }
};

}  // namespace floe::trees
