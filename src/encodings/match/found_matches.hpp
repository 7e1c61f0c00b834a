// Matches at the positions of a stream that is parsed several times: found once, where a parse looks for
// them.
#pragma once

#include <vector>

#include "encodings/encoding_memo.hpp"
#include "encodings/match/match_finder.hpp"

namespace floe::trees {

/// With the limits that all parses with an effort have.
template <core::Word W>
class FoundMatches final : public Notes {
 public:
  static constexpr std::uint32_t attempts = 64;
  static constexpr std::uint32_t good_length = 256;  ///< Longer matches are taken at once.
  static constexpr bool are_sorted = true;

  /// Matches beyond are found again where they are needed: one word may have more than twenty, but words of
  /// a stream usually have less than two each.
  static constexpr std::size_t max_kept(std::size_t words) { return none + 1 + 4 * words; }

  FoundMatches(std::span<const W> words, Scratch& scratch)
      : finder_(words, scratch), begins_(words.size(), unknown), matches_(none + 1) {}

  [[nodiscard]] bool has_hash(std::uint32_t at) const { return finder_.has_hash(at); }

  /// As MatchFinder::find() does, but for those that are no longer than others with distances of as few bits.
  template <class Found>
  void find(std::uint32_t at, std::uint32_t, std::uint32_t longer_than, const Found& found) {
    if (longer_than >= good_length) return finder_.find(at, attempts, longer_than, found);
    std::uint32_t begin = begins_[at];
    const std::size_t kept = matches_.size();
    if (begin == unknown) begin = add_matches(at);
    for (const Match* match = matches_.data() + begin; match->length != 0; ++match) {
      if (match->length > longer_than && !found(match->length, match->distance)) break;
    }
    if (matches_.size() <= max_kept(begins_.size()))
      begins_[at] = begin;
    else
      matches_.resize(kept);
  }
  [[nodiscard]] std::size_t kept() const { return matches_.size(); }

 private:
  struct Match {
    std::uint32_t length = 0, distance = 0;
  };
  static constexpr std::uint32_t unknown = 0, none = 1;

  /// Where those of a position begin. They end with one of no words.
  std::uint32_t add_matches(std::uint32_t at) {
    const std::size_t begin = matches_.size();
    finder_.find(at, attempts, hashed_words<W> - 1, [&](std::uint32_t length, std::uint32_t distance) {
      while (matches_.size() > begin &&
             core::bit_length(matches_.back().distance) >= core::bit_length(distance))
        matches_.pop_back();
      matches_.push_back({length, distance});
      return length < good_length;
    });
    if (matches_.size() == begin) return none;
    matches_.emplace_back();
    return static_cast<std::uint32_t>(begin);
  }

  MatchFinder<W, SortedPositions> finder_;
  std::vector<std::uint32_t> begins_;  ///< In matches_, for each position.
  std::vector<Match> matches_;
};

}  // namespace floe::trees
