// How floats come from integers on a line.
#pragma once

#include <cstdint>

#include "core/word.hpp"

namespace floe::trees {

enum class AffineForm : std::uint8_t {
  plain,     ///< Not at all.
  sum,       ///< k * step + offset
  product,   ///< (k + offset) * step
  quotient,  ///< (k + offset) / step
  sum_in_single,
  product_in_single,
  quotient_in_single
};
/// Whether operations are rounded to single precision, instead of double.
FLOE_HD constexpr bool is_in_single(AffineForm form) { return form >= AffineForm::sum_in_single; }
FLOE_HD constexpr AffineForm in_double(AffineForm form) {
  return is_in_single(form) ? static_cast<AffineForm>(static_cast<int>(form) - 3) : form;
}
constexpr AffineForm in_single(AffineForm form) {
  return is_in_single(form) ? form : static_cast<AffineForm>(static_cast<int>(form) + 3);
}

struct AffineLine {
  AffineForm form = AffineForm::plain;
  double step = 1, offset = 0;
};

/// Each operation is rounded to its type.
template <class Arithmetic>
Arithmetic value_on(AffineForm form, Arithmetic step, Arithmetic offset, Arithmetic integer) {
  if (form == AffineForm::sum) {
    const Arithmetic product = integer * step;
    return product + offset;
  }
  const Arithmetic sum = integer + offset;
  return form == AffineForm::product ? sum * step : sum / step;
}

/// The float of type F of an integer.
template <class F>
F float_on(AffineForm form, double step, double offset, double integer) {
  if (is_in_single(form))
    return static_cast<F>(value_on<float>(in_double(form), static_cast<float>(step),
                                          static_cast<float>(offset), static_cast<float>(integer)));
  return static_cast<F>(value_on<double>(form, step, offset, integer));
}

}  // namespace floe::trees
