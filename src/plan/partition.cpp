#include "plan/partition.hpp"

#include <algorithm>
#include <optional>

#include "plan/fingerprint.hpp"
#include "plan/search/finalists.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t close_page_words = 1 << 15, cursory_page_words = 1 << 17;  // looked at once each
constexpr std::uint64_t window_words = 256;
/// Between kinds of data that look different. Words of 64 bits differ in twice as many bits: where time
/// counts, less than twice the distance is not worth a look.
constexpr std::uint32_t changed_distance = 28, changed_distance_of_wide_words = 56;
constexpr std::size_t max_parts = 64;
constexpr std::uint64_t part_overhead = 64;  ///< Bytes that a part takes for its plan and tables.
/// A cut must save this part of the cost, because samples deceive.
constexpr std::uint64_t min_gain_part = 32;
/// Where time counts, parts whose fingerprints suggest the same differences are one, unless those of each
/// would save such a part of the bits: words that are only wider need no tree of their own. Where words need
/// few bits, fingerprints say too little.
constexpr std::uint64_t alike_part = 64;
constexpr std::uint8_t alike_shares = 2, min_alike_quarters = 4 * 12;
/// Parts begin at multiples of most strides, so that remembered trees with strides fit.
constexpr std::uint64_t part_alignment = 24;

Fingerprint window_at(const ColumnView& segment, std::uint64_t first) {
  const auto* const bytes = static_cast<const std::uint8_t*>(segment.values);
  return fingerprint_of({segment.type, bytes + first * size_of(segment.type), window_words});
}

/// Where between two windows of different kinds the second kind begins, by bisection.
std::uint64_t find_change(const ColumnView& segment, std::uint64_t before, const Fingerprint& kind_before,
                          std::uint64_t after, const Fingerprint& kind_after) {
  while (after - before > 2 * window_words) {
    const std::uint64_t middle = before + (after - before) / 2;
    const Fingerprint found = window_at(segment, middle);
    (distance(found, kind_before) <= distance(found, kind_after) ? before : after) = middle;
  }
  return after - after % part_alignment;
}

/// Some words, and their fingerprint.
struct Piece {
  std::uint64_t first, count;
  Fingerprint kind;
};

/// Whether trees of the pieces are likely to be the same.
bool are_alike(const Piece& a, const Piece& b) {
  constexpr std::size_t widths = 4;
  for (std::size_t i = widths; i < a.kind.size(); ++i) {
    if (std::max(a.kind[i], b.kind[i]) - std::min(a.kind[i], b.kind[i]) > alike_shares) return false;
  }
  const auto min_width = [](const Fingerprint& kind) {
    return *std::min_element(kind.begin(), kind.begin() + widths);
  };
  if (std::min(min_width(a.kind), min_width(b.kind)) < min_alike_quarters) return false;
  std::uint64_t together = ~std::uint64_t{0};
  for (std::size_t i = 0; i < widths; ++i)
    together = std::min(together, a.count * a.kind[i] + b.count * b.kind[i]);
  return (together - a.count * min_width(a.kind) - b.count * min_width(b.kind)) * alike_part <= together;
}

/// Where windows look different by such a distance.
std::vector<std::uint64_t> partition(const ColumnView& segment, Look look, std::uint32_t min_distance) {
  // Words of 64 bits need larger dictionaries and tables, so that short parts pay less.
  const std::uint64_t page_words = look == Look::cursory        ? cursory_page_words
                                   : size_of(segment.type) == 8 ? 2 * close_page_words
                                                                : close_page_words;
  std::vector<std::uint64_t> parts;
  std::uint64_t begin = 0, last_window = 0;
  Fingerprint last_kind{};
  for (std::uint64_t page = 0; page + page_words <= segment.count; page += page_words) {
    const std::uint64_t window = page + (page_words - window_words) / 2;
    const Fingerprint kind = window_at(segment, window);
    if (page > 0 && distance(kind, last_kind) > min_distance) {
      if (look == Look::cursory) return partition(segment, Look::close, min_distance);
      const std::uint64_t change = find_change(segment, last_window, last_kind, window, kind);
      parts.push_back(change - begin);
      begin = change;
    }
    last_kind = kind;
    last_window = window;
  }
  parts.push_back(segment.count - begin);
  if (parts.size() > max_parts) return {segment.count};
  return parts;
}

}  // namespace

std::vector<std::uint64_t> partition(const ColumnView& segment, Look look) {
  return partition(segment, look, changed_distance);
}

std::vector<std::uint64_t> partition(const ColumnView& segment, Look look, const Objective& objective,
                                     const PlanCache& known, Scratch& scratch) {
  if (objective.is_hasty) return {segment.count};
  const bool weighs_encoding = trees::weighs_encoding(objective);
  const std::vector<std::uint64_t> parts = partition(
      segment, look,
      weighs_encoding && size_of(segment.type) == 8 ? changed_distance_of_wide_words : changed_distance);
  if (parts.size() == 1 || parts.size() > objective.max_parts) return {segment.count};
  Objective quick = quick_objective(objective);
  if (weighs_encoding && size_of(segment.type) < 8) quick.max_candidates = 1;
  const bool is_compared = objective.compares_streams;  // with the whole, by their bytes
  const auto words = [&](std::uint64_t first, std::uint64_t count) {
    const auto* const bytes = static_cast<const std::uint8_t*>(segment.values);
    return ColumnView{segment.type, bytes + first * size_of(segment.type), count};
  };
  const auto piece = [&](std::uint64_t first, std::uint64_t count) {
    return Piece{first, count, fingerprint_of(words(first, count))};
  };
  const auto cost_of = [&](const Piece& of) {
    const ColumnView part = words(of.first, of.count);
    const CachedPlan* const kind = known.nearest(of.kind);
    return part_overhead * cost_of_byte +
           (kind != nullptr && shows_in_samples(kind->plan)
                ? estimate_known_tree(part, kind->plan, quick, scratch)
            : is_compared ? find_finalists(part, quick, max_plan_depth, scratch).choices[0].cost
                          : estimate_best_tree(part, quick, scratch));
  };
  const bool may_be_alike = !objective.rival && !is_fast(objective);
  std::vector<std::uint64_t> kept;
  Piece now = piece(0, parts[0]);
  std::optional<std::uint64_t> cost;  // of these words, if it is known
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Piece next = piece(now.first + now.count, parts[i]);
    const Piece both = piece(now.first, now.count + next.count);
    if (may_be_alike && are_alike(now, next)) {
      now = both;
      cost.reset();
      continue;
    }
    if (!cost) cost = cost_of(now);
    const std::uint64_t next_cost = cost_of(next), cost_together = cost_of(both);
    if (cost_together - (is_compared ? 0 : cost_together / min_gain_part) <= *cost + next_cost) {
      now = both;
      cost = cost_together;
      continue;
    }
    kept.push_back(now.count);
    now = next;
    cost = next_cost;
  }
  kept.push_back(now.count);
  return kept;
}

}  // namespace floe::trees
