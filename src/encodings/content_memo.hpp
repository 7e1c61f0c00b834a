// What was found out about words that may be encoded again at another place: known by what they are.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "encodings/scratch.hpp"

namespace floe::trees {

/// Says with near certainty whether bytes, and what else matters, are the same. What a memo returns must be
/// safe, though not good, for others.
struct ContentKey {
  std::uint64_t first = 0, second = 0;
  bool operator==(const ContentKey&) const = default;
};

inline ContentKey content_key(std::span<const std::uint8_t> bytes, std::uint64_t what_else) {
  std::array<std::uint64_t, 4> sums{core::splitmix(what_else), core::splitmix(~bytes.size()), 2, 3};
  const auto add = [](std::uint64_t& sum, std::uint64_t eight) {
    sum = (sum ^ eight) * core::splitmix_step;
    sum ^= sum >> 29;
  };
  std::size_t i = 0;
  for (; i + 32 <= bytes.size(); i += 32) {
    for (std::size_t k = 0; k < 4; ++k) add(sums[k], core::load<std::uint64_t>(bytes.data() + i + 8 * k));
  }
  for (; i < bytes.size(); ++i) add(sums[i % 4], bytes[i]);
  ContentKey key;
  for (const std::uint64_t sum : sums) {
    key.first = core::splitmix(key.first ^ sum);
    key.second = core::splitmix(key.second + sum);
  }
  return key;
}

/// The last `max_entries` that were found.
template <class Found, std::size_t max_entries>
class ContentMemo final : public Notes {
 public:
  /// What find() returned for that key.
  template <class Find>
  const Found& get(const ContentKey& key, const Find& find) {
    const auto known = std::find(keys_.begin(), keys_.end(), key);
    if (known != keys_.end()) return found_[static_cast<std::size_t>(known - keys_.begin())];
    Found found = find();
    if (keys_.size() < max_entries) {
      found_.push_back(std::move(found));
      keys_.push_back(key);
      return found_.back();
    }
    const std::size_t place = std::exchange(oldest_, (oldest_ + 1) % max_entries);
    keys_[place] = key;
    return found_[place] = std::move(found);
  }

 private:
  std::vector<ContentKey> keys_;
  std::vector<Found> found_;
  std::size_t oldest_ = 0;
};

}  // namespace floe::trees
