// Encodes a segment with matches where they may make it shorter.
#pragma once

#include "plan/matches/inner_matches.hpp"
#include "plan/search/search_memo.hpp"

namespace floe::trees {

/// Tries matches of a segment's words, and of streams that encodings make of these.
class MatchTrials {
 public:
  /// `best` encoded the segment, and becomes what is better. `faster` is the objective of a faster goal.
  MatchTrials(const ColumnView& segment, const Objective& objective, const Objective& faster,
              SearchMemo& memo, Scratch& scratch, EncodedTree& best)
      : segment_(segment),
        objective_(objective),
        faster_(faster),
        memo_(memo),
        scratch_(scratch),
        best_(best) {}

  /// `first`: the tree that was found first. Throws std::bad_alloc.
  void run(const Plan& first);

 private:
  void consider_words();
  /// Of matches of bytes.
  bool is_far_from_best(Plan matches);
  void consider_all_words(const std::vector<Plan>& plans);
  void consider(const std::vector<InnerMatches>& choices);
  /// Returns the bytes with plain leaves below matches, or with trees of their own.
  std::uint64_t consider(const InnerMatches& matches);
  void remember_matched_stream(const InnerMatches& matches);
  std::uint64_t consider_all_of(const Plan& plan);
  EncodedTree encode(const Plan& plan, const Objective& of_children);
  void keep_if_preferred(EncodedTree tree);

  const ColumnView& segment_;
  const Objective &objective_, &faster_;
  SearchMemo& memo_;
  Scratch& scratch_;
  EncodedTree& best_;
  bool has_inner_matches_ = false;  ///< Whether the last ones that were tried paid.
};

}  // namespace floe::trees
