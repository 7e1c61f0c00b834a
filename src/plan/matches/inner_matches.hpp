// Whether streams that encodings make of words may be worth matches: times and coordinates go on in the same
// steps, and areas lie beside the same ones in each row, though no words stand before in the same order.
#pragma once

#include <optional>
#include <vector>

#include "plan/matches/match_places.hpp"

namespace floe::trees {

/// A tree with matches below its root. Their children are plain leaves, for a ChildPlanner.
struct InnerMatches {
  Plan plan;
  std::size_t node = 0;     ///< Of the matches.
  std::uint64_t bytes = 0;  ///< Of the whole, as far as a sample promises them.
};

/// Looks for matches of streams that encodings make of one, each of them once.
class InnerMatchSearch {
 public:
  InnerMatchSearch(const ColumnView& stream, const Objective& objective, Scratch& scratch);

  /// Of streams that the best tree so far has, which makes so many bytes; those that promise most come first.
  std::vector<InnerMatches> of(const EncodedTree& best, std::uint64_t best_bytes);
  /// Of differences that begin another tree.
  std::vector<InnerMatches> of(const Plan& tree, std::uint64_t best_bytes);
  /// Of streams that trees may have: differences at strides of rows, and values of runs.
  static constexpr struct AnyTree {
  } any_tree{};
  std::vector<InnerMatches> of(AnyTree, std::uint64_t best_bytes);

 private:
  /// Of upper bits of words, and of the list of all different ones.
  void add_parts_of_words(std::uint64_t best_bytes, std::vector<InnerMatches>& found);
  std::vector<InnerMatches> promising(std::vector<MatchPlace> places, std::uint64_t best_bytes);
  void leave_hopeful(std::vector<MatchPlace>& places) const;
  [[nodiscard]] std::optional<InnerMatches> matches_of(const MatchPlace& place, std::uint64_t best_bytes,
                                                       PlaceReader& reader) const;
  struct Shown;
  [[nodiscard]] Shown shown_at(const MatchPlace& place, PlaceReader& reader) const;

  const ColumnView& stream_;
  const Objective& objective_;
  Scratch& scratch_;
  const bool suits_, tries_all_;
  std::vector<std::vector<PlanNode>> tried_;  ///< What stands before streams that were looked at.
};

/// The same tree with another effort of its matches.
Plan with_match_effort(const InnerMatches& matches, std::uint32_t effort);

}  // namespace floe::trees
