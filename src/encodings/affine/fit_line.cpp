// The exact numbers of a lattice: of those that roundings leave, the simplest ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "encodings/affine/lattice.hpp"

namespace floe::trees {
namespace {

struct Interval {
  double low, high;
};

/// Intervals of some points each, so that no point waits for the one before.
struct Intervals {
  static constexpr std::size_t count = 4;
  std::array<double, count> low, high;

  Intervals(double least, double most) {
    low.fill(least);
    high.fill(most);
  }
  void cut(std::size_t i, double a, double b) {
    low[i] = std::max(low[i], a);
    high[i] = std::min(high[i], b);
  }
  [[nodiscard]] Interval common() const {
    return {*std::max_element(low.begin(), low.end()), *std::min_element(high.begin(), high.end())};
  }
};

/// The number with the fewest digits, binary or decimal, in an interval, or what is in the middle of it.
double simplest_in(const Interval& interval) {
  const auto [low, high] = interval;
  const double middle = low + (high - low) / 2;
  if (!(low < high)) return middle;
  if (low <= 0 && high >= 0) return 0;
  const double greatest = std::max(std::abs(low), std::abs(high));
  double unit = std::bit_cast<double>(std::bit_cast<std::uint64_t>(greatest) & 0x7FF0000000000000);
  for (int bits = 1; bits <= 26; ++bits, unit /= 2) {
    const double rounded = nearest_integer(middle / unit) * unit;
    if (rounded >= low && rounded <= high) return rounded;
  }
  double power = 1;
  for (int digits = 0; digits <= 15; ++digits, power *= 10) {
    const double rounded = nearest_integer(middle * power) / power;
    if (rounded >= low && rounded <= high) return rounded;
  }
  return middle;
}

struct Point {
  double steps = 0, value = 0, half = 0;  ///< The integer; half of the distance to the value's neighbours.
};

double value_of(const AffineLine& line, double integer, int precision) {
  return precision == 53 ? float_on<double>(line.form, line.step, line.offset, integer)
                         : double{float_on<float>(line.form, line.step, line.offset, integer)};
}

/// A number that single precision has. GCC 12 leaves the rounding out where it sees a number of which the
/// caller takes the single precision only, but keeps the number itself.
double in_single_precision(double number) {
  const volatile float rounded = static_cast<float>(number);
  return double{rounded};
}

/// Bits for an error, about.
std::uint64_t error_bits(double value, double on_line, double half) {
  if (on_line == value) return 0;
  const double error = std::abs(on_line - value) / (2 * half);
  return error < 64 ? 2 + static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(error))) : 12;
}

/// Where a function that rises and then falls is greatest, nearly: the golden section of what is left was
/// looked at before.
template <class Function>
double place_of_most(double low, double high, const Function& function) {
  constexpr double section = 0.6180339887498949;
  double left = high - section * (high - low), right = low + section * (high - low);
  double at_left = function(left), at_right = function(right);
  for (int i = 0; i < 20 && low < high; ++i) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + section * (high - low);
      at_right = function(right);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - section * (high - low);
      at_left = function(left);
    }
  }
  return low + (high - low) / 2;
}

class Fit {
 public:
  Fit(std::span<const Point> points, int precision, AffineForm form)
      : points_(points), precision_(precision), form_(form) {
    nearest_ = *std::min_element(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return std::abs(a.value) < std::abs(b.value);
    });
    farthest_ = *std::max_element(points.begin(), points.end(), [](const Point& a, const Point& b) {
      return std::abs(a.steps) < std::abs(b.steps);
    });
  }

  /// The offset, in steps, is small, or 0 if it may be.
  void find(double step, double error, bool has_offset) {
    if (!has_offset) {
      find_scaled(0, step);
      if (is_exact()) return;
    }
    const double simple = simplest_in({step - error, step + error});
    find_sum(simple);
    if (!is_exact()) find_scaled(nearest_.value / simple - nearest_.steps, simple);
    if (is_exact()) return;
    find_sum(place_of_most(step - error, step + error, [&](double some) {
      const Interval offsets = offsets_of(some);
      return offsets.high - offsets.low;
    }));
    if (is_exact()) return;
    double offset = 0;
    for (int i = 0; i < 3; ++i) {
      offset = nearest_.value / step - nearest_.steps;
      if (farthest_.steps + offset != 0) step = farthest_.value / (farthest_.steps + offset);
    }
    const double unsure = 2 * nearest_.half / step;
    find_scaled(simplest_in({offset - unsure, offset + unsure}), step);
    if (is_exact()) return;
    find_scaled(place_of_most(offset - unsure, offset + unsure,
                              [&](double some) {
                                const Interval steps = steps_of(some);
                                return steps.high - steps.low;
                              }),
                step);
  }

  void consider(const AffineLine& line) {
    consider_as_it_is(line);
    if (precision_ == 24 && (line.offset != 0 || is_in_single(form_)))
      consider_as_it_is(
          {in_single(line.form), in_single_precision(line.step), in_single_precision(line.offset)});
  }

  [[nodiscard]] const AffineLine& best() const { return best_; }

 private:
  [[nodiscard]] bool is_exact() const { return min_bits_ == 0; }

  void consider_as_it_is(const AffineLine& line) {
    if ((form_ != AffineForm::plain && form_ != line.form) || !(line.step > 0)) return;
    std::uint64_t bits = 0;
    for (const Point& point : points_) {
      bits += error_bits(point.value, value_of(line, point.steps, precision_), point.half);
      if (bits >= min_bits_) return;
    }
    min_bits_ = bits;
    best_ = line;
  }

  /// Of (k + offset) * step, but near 0, where errors of the offset count.
  [[nodiscard]] Interval steps_of(double offset) const {
    Intervals steps(0, HUGE_VAL);
    for_groups([&](std::size_t i, const Point& point) {
      const double moved = point.steps + offset, a = (point.value - point.half) / moved,
                   b = (point.value + point.half) / moved;
      const bool is_near = std::abs(moved) < 1;
      steps.cut(i, is_near ? 0 : std::min(a, b), is_near ? HUGE_VAL : std::max(a, b));
    });
    return steps.common();
  }
  [[nodiscard]] Interval offsets_of(double step) const {
    Intervals offsets(-HUGE_VAL, HUGE_VAL);
    for_groups([&](std::size_t i, const Point& point) {
      const double offset = point.value - point.steps * step;
      offsets.cut(i, offset - point.half, offset + point.half);
    });
    return offsets.common();
  }
  /// Calls function(place in its group, point) for all points.
  template <class Function>
  void for_groups(const Function& function) const {
    constexpr std::size_t group = Intervals::count;
    std::size_t first = 0;
    for (; first + group <= points_.size(); first += group) {
      for (std::size_t i = 0; i < group; ++i) function(i, points_[first + i]);
    }
    for (std::size_t i = 0; first + i < points_.size(); ++i) function(i, points_[first + i]);
  }

  /// (k + offset) * step and (k + offset) / step.
  void find_scaled(double offset, double rough_step) {
    const Interval steps = steps_of(offset);
    if (steps.low <= steps.high && steps.low > 0) {
      consider({AffineForm::product, simplest_in(steps), offset});
      consider({AffineForm::quotient, simplest_in({1 / steps.high, 1 / steps.low}), offset});
      consider({AffineForm::product, steps.low + (steps.high - steps.low) / 2, offset});
    }
    const double moved = farthest_.steps + offset, step = moved == 0 ? rough_step : farthest_.value / moved;
    for (const double some : {rough_step, step}) {
      consider({AffineForm::product, some, offset});
      consider({AffineForm::quotient, 1 / some, offset});
    }
  }

  /// k * step + offset.
  void find_sum(double step) {
    const Interval offsets = offsets_of(step);
    consider({AffineForm::sum, step, simplest_in(offsets)});
    consider({AffineForm::sum, step, nearest_.value - nearest_.steps * step});
  }

  std::span<const Point> points_;
  const int precision_;
  AffineForm form_;
  Point nearest_, farthest_;
  std::uint64_t min_bits_ = ~std::uint64_t{0};
  AffineLine best_;
};

}  // namespace

AffineLine fit_line(std::span<const double> values, const RoughLattice& rough, int precision,
                    AffineForm form) {
  if (rough.is_constant) return {form == AffineForm::plain ? AffineForm::sum : form, 1, rough.base};
  std::vector<Point> points;
  RoughLattice lattice = rough;
  double nearest = HUGE_VAL, nearest_steps = 0;
  for (const double value : values) {
    if (!lattice.takes(value, precision)) continue;
    const double steps = nearest_integer((value - lattice.base) / lattice.step);
    points.push_back({steps, value, std::max(ulp_of(value, precision) / 2, 0x1p-1000)});
    if (std::abs(value) < std::abs(nearest)) {
      nearest = value;
      nearest_steps = steps;
    }
  }
  if (points.empty()) return {form == AffineForm::plain ? AffineForm::sum : form, rough.step, rough.base};
  // Integers are counted from the place of 0.
  const double to_zero = nearest_integer(nearest / lattice.step);
  for (Point& point : points) point.steps += to_zero - nearest_steps;
  const double away = std::abs(nearest - to_zero * lattice.step);
  Fit fit(points, precision, form);
  if (rough.power_of_ten > 0) {
    fit.consider({AffineForm::quotient, rough.power_of_ten, 0});
    fit.consider({AffineForm::product, 1 / rough.power_of_ten, 0});
    return fit.best();
  }
  fit.find(lattice.step, lattice.error,
           away > 2 * ulp_of(nearest, precision) + std::abs(to_zero) * lattice.error);
  return fit.best();
}

std::uint64_t bits_of_errors(const AffineLine& line, std::span<const double> values, int precision) {
  const AffineForm form = in_double(line.form);
  std::uint64_t bits = 0;
  for (const double value : values) {
    const double integer = nearest_integer(form == AffineForm::sum       ? (value - line.offset) / line.step
                                           : form == AffineForm::product ? value / line.step - line.offset
                                                                         : value * line.step - line.offset);
    const double on_line = value_of(line, integer, precision);
    if (on_line != value)
      bits += error_bits(value, on_line, std::max(ulp_of(value, precision) / 2, 0x1p-1000));
  }
  return bits;
}

}  // namespace floe::trees
