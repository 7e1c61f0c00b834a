// The rules of `bitpack`: bit packing, 1024 words at a time.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct BitpackRules {
  static constexpr const char* name = "bitpack";
  static constexpr const char* summary = "bit packing, 1024 words at a time";
  static constexpr unsigned children = 0;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_integer(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) { return type; }
};

}  // namespace floe::trees
