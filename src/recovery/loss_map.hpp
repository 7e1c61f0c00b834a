// The map of what is lost of a frame, as it grows: ranges that touch become one.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "floe/recover.hpp"

namespace floe::recovery {

class LossMap {
 public:
  RecoveryMap counts;  ///< All but the ranges.

  void lose(const LostRange& range) {
    ++lost_count_;
    lost_.add(range);
  }
  void doubt(const LostRange& range) { unproven_.add(range); }
  /// How often something was lost.
  [[nodiscard]] std::size_t lost_count() const noexcept { return lost_count_; }
  RecoveryMap release() {
    counts.lost = std::move(lost_.ranges);
    counts.unproven = std::move(unproven_.ranges);
    return std::move(counts);
  }

 private:
  struct Ranges {
    std::vector<LostRange> ranges;
    std::map<std::pair<Loss, std::uint32_t>, std::size_t> latest;  ///< Of its kind, or of its column.

    void add(const LostRange& range) {
      const auto [entry, is_first] = latest.try_emplace({range.what, range.column}, ranges.size());
      if (!is_first) {
        LostRange& before = ranges[entry->second];
        if (before.first + before.count == range.first) {
          before.count += range.count;
          return;
        }
        entry->second = ranges.size();
      }
      ranges.push_back(range);
    }
  };
  Ranges lost_, unproven_;
  std::size_t lost_count_ = 0;
};

}  // namespace floe::recovery
