// The rules of `unique`: all different words, ascending, and codes.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct UniqueRules {
  static constexpr const char* name = "unique";
  static constexpr const char* summary = "all different words, ascending, and codes";
  static constexpr unsigned children = 2;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = false;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 ? DType::u32 : type;
  }
};

}  // namespace floe::trees
