#include "plan/plan_cache.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "core/fixed_log.hpp"

namespace floe::trees {
namespace {

/// Of kinds whose distances differ by no more, the one that was used last is as likely.
constexpr std::uint32_t indistinct = 3;

/// Drift, in 1/256 of a doubling: what is forgiven per segment, and the sum that is not.
constexpr std::int64_t forgiven_drift = 8, alarming_drift = 38;
/// log2(1.15): a segment that needs so much more is encoded again.
constexpr std::int64_t bad_residual = 52;
/// What so few bits per 1024 words are worth is less than a search.
constexpr std::uint64_t negligible_bits = 10;
/// A segment that needs fewer bits than these more can wait for some segments: a search costs as much as
/// encoding a segment or two.
constexpr std::uint64_t urgent_bits = 100, patience_without_urgency = 8;

std::int64_t residual(std::uint64_t actual, std::uint64_t expected) {
  return static_cast<std::int64_t>(core::fixed_log2(actual)) -
         static_cast<std::int64_t>(core::fixed_log2(expected));
}

}  // namespace

CachedPlan* PlanCache::nearest(const Fingerprint& fingerprint, const CachedPlan* other_than,
                               std::uint32_t max_distance) const {
  CachedPlan* nearest = nullptr;
  std::uint32_t min_distance = 0;
  for (const auto& plan : plans_) {
    const std::uint32_t here = distance(plan->fingerprint, fingerprint);
    if (plan.get() == other_than || here > max_distance) continue;
    const bool is_as_near =
        nearest != nullptr && std::max(here, min_distance) - std::min(here, min_distance) <= indistinct;
    if (nearest != nullptr && (is_as_near ? plan->last_used < nearest->last_used : here > min_distance))
      continue;
    nearest = plan.get();
    min_distance = here;
  }
  return nearest;
}

std::vector<CachedPlan*> PlanCache::neighbours(const Fingerprint& fingerprint, const CachedPlan* other_than,
                                               std::size_t count, std::size_t among) const {
  std::vector<std::pair<std::uint32_t, CachedPlan*>> kinds;
  for (const auto& plan : std::span(plans_).first(std::min(among, plans_.size()))) {
    if (plan.get() != other_than) kinds.emplace_back(distance(plan->fingerprint, fingerprint), plan.get());
  }
  std::stable_sort(kinds.begin(), kinds.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  if (kinds.size() > count) kinds.resize(count);
  std::vector<CachedPlan*> nearest;
  for (const auto& kind : kinds) nearest.push_back(kind.second);
  return nearest;
}

CachedPlan& PlanCache::add() { return *plans_.emplace_back(std::make_unique<CachedPlan>()); }

void PlanCache::trim() {
  while (plans_.size() > max_plans_)
    plans_.erase(std::min_element(plans_.begin(), plans_.end(),
                                  [](const auto& a, const auto& b) { return a->last_used < b->last_used; }));
}

bool is_sudden(const CachedPlan& kind, std::uint64_t bits) {
  return bits > kind.bits_per_kiloword + negligible_bits &&
         residual(bits, kind.bits_per_kiloword) > bad_residual;
}

/// Page, "Continuous inspection schemes", 1954: small residuals of one sign add up to an alarm.
bool is_drifting(CachedPlan& kind, std::uint64_t bits, std::uint64_t segment) {
  const std::int64_t now = residual(bits, kind.bits_per_kiloword);
  kind.drift = std::max<std::int64_t>(0, kind.drift + now - forgiven_drift);
  if (bits <= kind.bits_per_kiloword + negligible_bits) {
    kind.drift = 0;
    return false;
  }
  const bool is_alarming = kind.drift > alarming_drift || is_sudden(kind, bits);
  const bool is_urgent = bits > kind.bits_per_kiloword + urgent_bits;
  return is_alarming && segment - kind.searched >=
                            (is_urgent ? kind.patience : std::max(kind.patience, patience_without_urgency));
}

}  // namespace floe::trees
