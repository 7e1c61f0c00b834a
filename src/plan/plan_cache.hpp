// The plan cache of a stream: the kinds of data that it had, and a tree for each.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "plan/fingerprint.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

struct PartJob;

struct CachedPlan {
  Fingerprint fingerprint{};
  Plan plan;
  std::uint64_t bits_per_kiloword = 0;        ///< What the tree needed.
  std::uint64_t codec_bits_per_kiloword = 0;  ///< What samples promised of the best codec, if not 0.
  std::uint64_t expected_cost = 0;            ///< Of 1024 words of the first segment, by a sample.
  std::uint64_t calm = 0;                     ///< Segments in a row that kept the tree.
  std::uint64_t last_used = 0;
  std::int64_t drift = 0;      ///< Sum of what segments needed more than that, in 1/256 of a doubling.
  std::uint64_t patience = 1;  ///< Segments to wait after a search that found nothing better.
  std::uint64_t searched = 0;  ///< Segment of the last search.
  bool keeps_speed = true;     ///< Whether the tree was as fast as is demanded.
  bool is_pending = false;     ///< The tree is being searched.
  const PartJob* reconsidered = nullptr;  ///< The part of the group on which it no longer fits.
};

/// Bits per 1024 words, at least 1.
constexpr std::uint64_t bits_per_kiloword(std::uint64_t encoded_bytes, std::uint64_t words) {
  return encoded_bytes * 8 * 1024 / words + 1;
}

/// About the bytes of so many words.
constexpr std::uint64_t bytes_of_kilowords(std::uint64_t bits_per_kiloword, std::uint64_t words) {
  return bits_per_kiloword * words / (8 * 1024);
}

class PlanCache {
 public:
  static constexpr std::size_t few = 8, many = 64;
  /// Fingerprints no farther from each other are one kind.
  static constexpr std::uint32_t same_kind_distance = 16;
  /// Has up to `max_plans` plans.
  explicit PlanCache(std::size_t max_plans = few) : max_plans_(max_plans) {}

  /// The one that a segment with this fingerprint is in, the one used last if several are as near; null if
  /// there is none. Another than `other_than`, for kinds that look the same from afar.
  CachedPlan* nearest(const Fingerprint& fingerprint, const CachedPlan* other_than = nullptr,
                      std::uint32_t max_distance = same_kind_distance) const;
  /// Up to `count` others that are nearest, whatever their distance, of the first `among` ones.
  std::vector<CachedPlan*> neighbours(const Fingerprint& fingerprint, const CachedPlan* other_than,
                                      std::size_t count, std::size_t among) const;
  [[nodiscard]] std::size_t size() const noexcept { return plans_.size(); }
  /// Room for one, which stays where it is until trim() takes it away.
  CachedPlan& add();
  /// Those that were not used for longest go, if there are too many.
  void trim();

 private:
  std::size_t max_plans_;
  std::vector<std::unique_ptr<CachedPlan>> plans_;
};

/// Whether a segment that needed so many bits surprises: it is of another kind, then.
bool is_sudden(const CachedPlan& kind, std::uint64_t bits_per_kiloword);
/// Whether a tree no longer fits its kind, after a segment, the `segment`-th, that needed so many bits.
bool is_drifting(CachedPlan& kind, std::uint64_t bits_per_kiloword, std::uint64_t segment);

}  // namespace floe::trees
