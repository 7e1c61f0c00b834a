// The exact numbers of a lattice: of those that roundings leave, the simplest ones.
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "encodings/affine/lattice.hpp"

namespace floe::trees {
namespace {

constexpr std::size_t points_at_once = 64;

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

/// Half of the distance to a value's neighbours.
double half_of(double value, int precision) { return std::max(ulp_of(value, precision) / 2, 0x1p-1000); }

/// Bits for an error, about.
std::uint64_t error_bits(double value, double on_line, double half) {
  if (on_line == value) return 0;
  const double error = std::abs(on_line - value) / (2 * half);
  return error < 64 ? 2 + static_cast<std::uint64_t>(std::bit_width(static_cast<unsigned>(error))) : 12;
}

/// The points that a line is fitted by, and the kernels of their type.
class Points {
 public:
  explicit Points(int precision)
      : kernels_(precision == 53 ? kernels().lines_f64 : kernels().lines_f32), precision_(precision) {}
  void add(double steps, double value) {
    steps_.push_back(steps);
    values_.push_back(value);
    halves_.push_back(half_of(value, precision_));
  }
  /// Counts from another integer.
  void move(double steps) {
    for (double& each : steps_) each += steps;
  }
  [[nodiscard]] bool empty() const { return values_.empty(); }
  [[nodiscard]] std::size_t size() const { return values_.size(); }
  [[nodiscard]] Interval steps_for(double offset) const { return kernels_.steps_of(view(), offset); }
  [[nodiscard]] Interval offsets_for(double step) const { return kernels_.offsets_of(view(), step); }
  /// The bits of all errors, unless they are so many or more.
  [[nodiscard]] std::optional<std::uint64_t> bits_below(std::uint64_t limit, const AffineLine& line) const;

  struct Point {
    double steps = 0, value = 0, half = 0;
  };
  [[nodiscard]] Point nearest_to_zero() const { return at(position_of(values_, std::less<>())); }
  [[nodiscard]] Point farthest_in_steps() const { return at(position_of(steps_, std::greater<>())); }

 private:
  [[nodiscard]] LinePoints view() const { return {steps_.data(), values_.data(), halves_.data(), size()}; }
  [[nodiscard]] Point at(std::size_t i) const { return {steps_[i], values_[i], halves_[i]}; }
  /// Of the first one whose size comes before that of all others.
  template <class Precedes>
  static std::size_t position_of(const std::vector<double>& numbers, const Precedes& precedes) {
    const auto found = std::min_element(numbers.begin(), numbers.end(), [&](double a, double b) {
      return precedes(std::abs(a), std::abs(b));
    });
    return static_cast<std::size_t>(found - numbers.begin());
  }

  const LineKernels& kernels_;
  const int precision_;
  std::vector<double> steps_, values_, halves_;
};

/// A number that single precision has. GCC 12 leaves the rounding out where it sees a number of which the
/// caller takes the single precision only, but keeps the number itself.
double in_single_precision(double number) {
  const volatile float rounded = static_cast<float>(number);
  return double{rounded};
}

/// Where a function that rises and then falls is greatest, nearly: the golden section of what is left was
/// looked at before.
template <class Function>
double position_of_max(double low, double high, const Function& function) {
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

std::optional<std::uint64_t> Points::bits_below(std::uint64_t limit, const AffineLine& line) const {
  std::array<double, points_at_once> on_line;
  std::uint64_t bits = 0;
  for (std::size_t first = 0; first < size(); first += points_at_once) {
    const std::size_t count = std::min(points_at_once, size() - first);
    const double* const values = values_.data() + first;
    if (kernels_.to_floats(line, steps_.data() + first, values, count, on_line.data()) == 0) continue;
    for (std::size_t i = 0; i < count; ++i) {
      bits += error_bits(values[i], on_line[i], halves_[first + i]);
      if (bits >= limit) return {};
    }
  }
  return bits < limit ? std::optional(bits) : std::nullopt;
}

class Fit {
 public:
  Fit(const Points& points, int precision, AffineForm form)
      : points_(points),
        precision_(precision),
        form_(form),
        nearest_(points.nearest_to_zero()),
        farthest_(points.farthest_in_steps()) {}

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
    find_sum(position_of_max(step - error, step + error, [&](double some) {
      const Interval offsets = points_.offsets_for(some);
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
    find_scaled(position_of_max(offset - unsure, offset + unsure,
                                [&](double some) {
                                  const Interval steps = points_.steps_for(some);
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
    if (const auto bits = points_.bits_below(min_bits_, line)) {
      min_bits_ = *bits;
      best_ = line;
    }
  }

  /// (k + offset) * step and (k + offset) / step.
  void find_scaled(double offset, double rough_step) {
    const Interval steps = points_.steps_for(offset);
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
    const Interval offsets = points_.offsets_for(step);
    consider({AffineForm::sum, step, simplest_in(offsets)});
    consider({AffineForm::sum, step, nearest_.value - nearest_.steps * step});
  }

  const Points& points_;
  const int precision_;
  const AffineForm form_;
  const Points::Point nearest_, farthest_;
  std::uint64_t min_bits_ = ~std::uint64_t{0};
  AffineLine best_;
};

}  // namespace

AffineLine fit_line(std::span<const double> values, const RoughLattice& rough, int precision,
                    AffineForm form) {
  if (rough.is_constant) return {form == AffineForm::plain ? AffineForm::sum : form, 1, rough.base};
  Points points(precision);
  RoughLattice lattice = rough;
  double nearest = HUGE_VAL, nearest_steps = 0;
  for (const double value : values) {
    if (!lattice.takes(value, precision)) continue;
    const double steps = nearest_integer((value - lattice.base) / lattice.step);
    points.add(steps, value);
    if (std::abs(value) < std::abs(nearest)) {
      nearest = value;
      nearest_steps = steps;
    }
  }
  if (points.empty()) return {form == AffineForm::plain ? AffineForm::sum : form, rough.step, rough.base};
  // Integers are counted from the position of 0.
  const double to_zero = nearest_integer(nearest / lattice.step);
  points.move(to_zero - nearest_steps);
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

std::uint64_t bits_of_errors(const AffineLine& line, std::span<const double> values, int precision,
                             std::vector<std::uint8_t>& bits_of) {
  const LineKernels& lines = precision == 53 ? kernels().lines_f64 : kernels().lines_f32;
  std::array<double, points_at_once> on_line;
  bits_of.assign(values.size(), 0);
  std::uint64_t all = 0;
  for (std::size_t first = 0; first < values.size(); first += points_at_once) {
    const std::span<const double> some =
        values.subspan(first, std::min(points_at_once, values.size() - first));
    if (lines.to_nearest(line, some.data(), some.size(), on_line.data()) == 0) continue;
    for (std::size_t i = 0; i < some.size(); ++i) {
      const std::uint64_t bits = error_bits(some[i], on_line[i], half_of(some[i], precision));
      bits_of[first + i] = static_cast<std::uint8_t>(bits);
      all += bits;
    }
  }
  return all;
}

}  // namespace floe::trees
