// What a few hundred doubles show about floats that they were once.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/search/facts.hpp"
#include "simd/decimal_rounding.hpp"

namespace floe::trees {

/// Floats from which most of some doubles come back.
struct NarrowFacts {
  DecimalRounding rounding;
  std::uint64_t exceptions = 0;  ///< Of the sampled words; none where all digits were kept.
  StreamFacts floats;            ///< Where digits were lost; exceptions count like the word before.
  [[nodiscard]] Parameters parameters() const { return {rounding.digits, rounding.kind}; }
};
/// Nothing where too many are exceptions, or if there are no doubles.
std::optional<NarrowFacts> find_narrow(const ColumnView& stream);

}  // namespace floe::trees
