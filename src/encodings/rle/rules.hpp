// The rules of `rle`: lengths and words of runs.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct RleRules {
  static constexpr const char* name = "rle";
  static constexpr const char* summary = "lengths and words of runs";
  static constexpr unsigned children = 2;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 0 ? DType::u32 : type;
  }
};

}  // namespace floe::trees
