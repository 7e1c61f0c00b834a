#include "encodings/affine/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/power_of_ten.hpp"

namespace floe::trees {
namespace {

/// Steps pay that are longer than so many units in the last place of the greatest word.
constexpr double min_step = 16;
/// More words than one of so many may be off the lattice.
constexpr std::size_t strays_part = 4;
constexpr std::size_t max_folded = 24;

/// A number that is known up to an error.
struct Approximate {
  double value = 0, error = 0;
};

/// Euclid's algorithm, until what remains may be 0. What comes out may be no longer than its error: then
/// there is no divisor.
Approximate common_divisor(Approximate a, Approximate b) {
  if (a.value < b.value) std::swap(a, b);
  while (b.value > 2 * b.error) {
    const double times = nearest_integer(a.value / b.value);
    const Approximate rest{std::abs(a.value - times * b.value), a.error + times * b.error};
    a = b;
    b = rest;
  }
  return a;
}

/// What divides differences, which ascend; 0 if nothing does.
Approximate divisor_of(std::span<const double> differences, double error, double min_value) {
  Approximate divisor{differences[0], error};
  double reach = 1;
  for (const double difference : differences) {
    const double times = nearest_integer(difference / divisor.value),
                 rest = std::abs(difference - times * divisor.value),
                 rest_error = error + times * divisor.error;
    if (rest > 2 * rest_error) {
      divisor = common_divisor(divisor, {rest, rest_error});
      reach = 1;
      if (divisor.value < min_value || divisor.value < 8 * divisor.error) return {};
    } else if (times > reach) {
      reach = times;
      divisor = {difference / times, error / times};
    }
  }
  return divisor;
}

/// Decimals that were calculated with: of the powers of ten, the first one that most words are near to. Their
/// differences say nothing, as errors of them add up in Euclid's algorithm. Of doubles.
std::optional<RoughLattice> near_decimals(std::span<const double> values, double greatest) {
  constexpr double units = 32, min_decimal_step = 8 * units;
  constexpr std::uint32_t max_digits = 64;
  const double unit = ulp_of(greatest, 53);
  for (std::uint32_t digits = 0; digits <= max_digits; ++digits) {
    const double power = core::power_of_ten(digits);
    if (1 / power > greatest) continue;  // all would be 0
    if (1 / power < min_decimal_step * unit) return {};
    RoughLattice lattice{.step = 1 / power, .reach = HUGE_VAL, .units = units, .power_of_ten = power};
    const auto strays =
        std::count_if(values.begin(), values.end(), [&](double value) { return !lattice.takes(value, 53); });
    if (static_cast<std::size_t>(strays) * strays_part <= values.size()) return lattice;
  }
  return {};
}

/// Lattices of any step, by what divides differences of sorted words.
std::optional<RoughLattice> lattice_of_differences(std::span<const double> sorted, double greatest,
                                                   int precision) {
  const double unit = ulp_of(greatest, precision);
  std::vector<double> differences;
  for (std::size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i] - sorted[i - 1] > min_step / 2 * unit) differences.push_back(sorted[i] - sorted[i - 1]);
  if (differences.size() < 3) return {};
  std::sort(differences.begin(), differences.end());
  const std::size_t part = std::max<std::size_t>(3, std::min(max_folded, differences.size() / 2));
  // A word that is off the lattice spoils all differences that it is part of; there are others.
  for (std::size_t first = 0; first + part <= differences.size(); first += part) {
    const Approximate divisor =
        divisor_of(std::span(differences).subspan(first, part), 2 * unit, min_step * unit);
    if (divisor.value == 0) continue;
    for (const std::size_t at : {sorted.size() / 2, sorted.size() / 4}) {
      RoughLattice lattice{sorted[at], divisor.value, divisor.error};
      std::size_t strays = 0;
      // Away from the base, so that what is learnt of the step serves the words that are farther.
      for (std::size_t up = at, down = at; up < sorted.size() || down > 0;) {
        const bool is_up =
            down == 0 || (up < sorted.size() && sorted[up] - sorted[at] < sorted[at] - sorted[down - 1]);
        strays += lattice.takes(is_up ? sorted[up++] : sorted[--down], precision) ? 0 : 1;
      }
      if (strays * strays_part <= sorted.size() && lattice.step >= min_step * unit) return lattice;
    }
  }
  return {};
}

}  // namespace

std::optional<RoughLattice> find_lattice(std::span<const double> values, int precision) {
  std::vector<double> sorted;
  double greatest = 0;
  for (const double value : values) {
    if (!(std::abs(value) < 0x1p400)) continue;
    sorted.push_back(value);
    greatest = std::max(greatest, std::abs(value));
  }
  if (sorted.size() * strays_part < values.size() * (strays_part - 1)) return {};
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  if (sorted.size() == 1) return RoughLattice{sorted[0], 1, 0, 1, true};
  if (auto lattice = lattice_of_differences(sorted, greatest, precision)) return lattice;
  return precision == 53 ? near_decimals(sorted, greatest) : std::nullopt;
}

}  // namespace floe::trees
