// The rules of `decimal`: floats as integers, divided by a power of ten.
#pragma once

#include "core/power_of_ten.hpp"
#include "encodings/rule.hpp"

namespace floe::trees {

struct DecimalRules {
  static constexpr const char* name = "decimal";
  static constexpr const char* summary = "floats as integers, divided by a power of ten";
  static constexpr unsigned children = 3;
  static constexpr unsigned parameters = 2;
  static constexpr ParameterRange ranges[2] = {{0, core::max_decimal_digits, 0},
                                               {4, 8, 4}};  // digits, bytes of the integers
  static constexpr bool has_device_form = true;
  static FLOE_HD constexpr bool accepts(DType type, std::uint32_t, std::uint32_t b) {
    return (b == 4 && is_wide_float(type)) || (b == 8 && type == DType::f64);
  }
  static FLOE_HD constexpr DType child_type(DType type, std::uint32_t b, unsigned child) {
    return child == 0 ? signed_type(b) : child == 1 ? DType::u64 : type;
  }
};

}  // namespace floe::trees
