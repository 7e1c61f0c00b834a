// The rules of `dict`: a dictionary, codes, and exceptions.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct DictRules {
  static constexpr const char* name = "dict";
  static constexpr const char* summary = "a dictionary, codes, and exceptions";
  static constexpr unsigned children = 3;
  static constexpr unsigned parameters = 2;
  static constexpr ParameterRange ranges[2] = {{0, 2, 0}, {1, 65535, 65535}};  // order, most entries
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType, std::uint32_t, std::uint32_t) { return true; }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned child) {
    return child == 1 ? DType::u16 : type;
  }
};

}  // namespace floe::trees
