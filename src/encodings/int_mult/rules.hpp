// The rules of `int_mult`: words less the smallest, divided by what divides all of them.
#pragma once

#include "encodings/rule.hpp"

namespace floe::trees {

struct IntMultRules {
  static constexpr const char* name = "int_mult";
  static constexpr const char* summary = "words less the smallest, divided by what divides all of them";
  static constexpr unsigned children = 1;
  static constexpr unsigned parameters = 0;
  static constexpr ParameterRange ranges[2] = {};
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t) { return is_integer(type); }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t, unsigned) {
    return unsigned_type(size_of(type));
  }
};

}  // namespace floe::trees
