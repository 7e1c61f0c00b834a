#include "plan/regimes.hpp"

#include <algorithm>

#include "core/fixed_log.hpp"

namespace floe::series {
namespace {

constexpr std::size_t most_regimes = 8;
/// Fingerprints nearer than this are one regime.
constexpr std::uint32_t regime_distance = 16;
/// Of regimes whose distances differ by no more, the one that was used last is as likely.
constexpr std::uint32_t indistinct = 3;

/// Drift, in 1/256 of a doubling: what is forgiven per segment, and the sum that is not.
constexpr std::int64_t forgiven_drift = 8, alarming_drift = 38;
/// log2(1.15): a segment that needs so much more is encoded again.
constexpr std::int64_t bad_residual = 52;
/// What so few bits per 1024 words are worth is less than a search.
constexpr std::uint64_t negligible_bits = 10;
/// A segment that needs fewer bits than these more can wait for some segments: a search costs as much as encoding a segment or two.
constexpr std::uint64_t urgent_bits = 100, patience_without_urgency = 8;

std::int64_t residual(std::uint64_t actual, std::uint64_t expected) {
  return static_cast<std::int64_t>(fixed_log2(actual)) - static_cast<std::int64_t>(fixed_log2(expected));
}

}  // namespace

Regime* Regimes::nearest(const Fingerprint& fingerprint, const Regime* other_than) {
  Regime* nearest = nullptr;
  std::uint32_t least = 0;
  for (Regime& regime : regimes_) {
    const std::uint32_t here = distance(regime.fingerprint, fingerprint);
    if (&regime == other_than || here > regime_distance) continue;
    const bool is_as_near = nearest != nullptr && std::max(here, least) - std::min(here, least) <= indistinct;
    if (nearest != nullptr && (is_as_near ? regime.last_used < nearest->last_used : here > least)) continue;
    nearest = &regime;
    least = here;
  }
  return nearest;
}

Regime& Regimes::add() {
  regimes_.reserve(most_regimes);  // so that none moves
  if (regimes_.size() < most_regimes) return regimes_.emplace_back();
  return *std::min_element(regimes_.begin(), regimes_.end(), [](const Regime& a, const Regime& b) { return a.last_used < b.last_used; });
}

bool is_sudden(const Regime& regime, std::uint64_t bits) {
  return bits > regime.bits_per_kiloword + negligible_bits && residual(bits, regime.bits_per_kiloword) > bad_residual;
}

/// Page, "Continuous inspection schemes", 1954: small residuals of one sign add up to an alarm.
bool is_drifting(Regime& regime, std::uint64_t bits, std::uint64_t segment) {
  const std::int64_t now = residual(bits, regime.bits_per_kiloword);
  regime.drift = std::max<std::int64_t>(0, regime.drift + now - forgiven_drift);
  if (bits <= regime.bits_per_kiloword + negligible_bits) {
    regime.drift = 0;
    return false;
  }
  const bool is_alarming = regime.drift > alarming_drift || is_sudden(regime, bits);
  const bool is_urgent = bits > regime.bits_per_kiloword + urgent_bits;
  return is_alarming && segment - regime.searched >= (is_urgent ? regime.patience : std::max(regime.patience, patience_without_urgency));
}

}  // namespace floe::series
