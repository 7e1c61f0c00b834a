// What a few hundred doubles show about floats that they were once.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/search/facts/facts.hpp"
#include "simd/decimal_rounding.hpp"

namespace floe::trees {

/// Whether all doubles of a stream were floats.
bool were_floats(const ColumnView& stream);

/// Whether some decimals with so many digits after the point are integers that are no longer than floats.
bool are_short_decimals(const ColumnView& stream, std::uint32_t digits);

/// Floats that most of some doubles are, rounded to decimal digits.
struct RoundedFloats {
  DecimalRounding rounding;
  std::uint64_t exceptions = 0;  ///< Of the sampled words.
  StreamFacts facts;             ///< Exceptions count like the word before.
};
/// Nothing where too many are exceptions. Precondition: a stream of doubles.
std::optional<RoundedFloats> find_rounded_floats(const ColumnView& stream);

}  // namespace floe::trees
