// The rules of `raw`: the words as they are.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct RawRules {
  static constexpr const char* name = "raw";
  static constexpr const char* summary = "the words as they are";
  static constexpr unsigned children = 0;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};

}  // namespace floe::trees
