// Lattices: floats that are integers times a step, plus an offset, but for the rounding of their type. What
// finds the step and the offset of some words.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "simd/kernels.hpp"

namespace floe::trees {

/// What lies between a float and its neighbours: precision is that of its type, with the leading one.
inline double ulp_of(double value, int precision) {
  const double power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(value) & 0x7FF0000000000000);
  return power * (precision == 53 ? 0x1p-52 : 0x1p-23);
}

/// std::nearbyint, which is a call where the instruction set is not known.
inline double nearest_integer(double value) {
  constexpr double whole_from = 0x1p51, rounding = 0x1.8p52;
  return std::abs(value) < whole_from ? value + rounding - rounding : std::nearbyint(value);
}

/// A step that is known up to an error, and one of the words, from which the others are some steps away.
struct RoughLattice {
  double base = 0, step = 0, error = 0;
  double reach = 1;          ///< Steps to the farthest word so far, which the step was found from.
  bool is_constant = false;  ///< All words so far are `base`; the step means nothing.
  double units = 4;          ///< In the last place, by which words may be wrong.
  double power_of_ten = 0;   ///< Whose inverse the step is, and words are near to decimals; 0: another step.

  /// Whether a word is on it, as far as the error lets that be said. Learns from it.
  bool takes(double value, int precision) {
    if (is_constant) return value == base;
    const double difference = value - base, steps = nearest_integer(difference / step), far = std::abs(steps),
                 rounding = units * ulp_of(std::max(std::abs(value), std::abs(base)), precision),
                 tolerance = rounding + far * error;
    if (!(std::abs(difference - steps * step) <= tolerance) || !(4 * tolerance < step)) return false;
    if (far > reach) {
      reach = far;
      step = difference / steps;
      error = rounding / far;
    }
    return true;
  }
};

/// The lattice that most of some words are on. None if there is no step that is long enough to pay.
std::optional<RoughLattice> find_lattice(std::span<const double> values, int precision);

/// How most of some floats come from integers: of the lines that roundings allow the one that is right for
/// most of them. Of `form`; if that is plain, of any. Floats that are not on the lattice say nothing.
AffineLine fit_line(std::span<const double> values, const RoughLattice& rough, int precision,
                    AffineForm form);

/// About how many bits errors take, of floats whose integers the line says: of each, and of all. There are
/// some wherever a float is not on the line.
std::uint64_t bits_of_errors(const AffineLine& line, std::span<const double> values, int precision,
                             std::vector<std::uint8_t>& bits_of);

}  // namespace floe::trees
