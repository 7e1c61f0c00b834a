// Which trees of a segment are encoded, one after the other, until the best one is known.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/chains.hpp"
#include "plan/objective.hpp"
#include "plan/search/finalists.hpp"
#include "plan/search/search_memo.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// The weights of another preset, for the same words. Those of Preset::fast are as it has them: its samples
/// are others, and it knows no strides.
Objective like_faster_goal(const Objective& objective, Preset preset);

/// A search for the best tree of a segment, whose words and objective must outlive it.
class SegmentSearch {
 public:
  SegmentSearch(const ColumnView& segment, const Objective& objective, Scratch& scratch, bool is_whole);

  /// What samples promise of the best codec.
  [[nodiscard]] std::optional<std::uint64_t> codec_bytes() const;

  /// Nothing if it is unlikely to need fewer than the bytes that are known, if any are. Where a tree of
  /// similar words is no worse than what the faster goal finds, no other search is made.
  std::optional<EncodedTree> best_tree(std::optional<std::uint64_t> known_bytes = {},
                                       std::span<const Plan> similar = {});

 private:
  /// What another search finds is encoded unless it seems to cost more than the best tree by such a part.
  static constexpr std::uint64_t tolerated_part = 32;

  /// Of a transposed segment that some tree makes `known_bytes` of: nothing if this is unlikely to need
  /// fewer.
  std::optional<EncodedTree> best_tree_of_columns(std::uint64_t known_bytes);

  /// Tries what else may be better than the best tree of a search.
  void improve(bool takes_similar);

  /// Encodes the one of these trees that samples promise most of, if they promise anything.
  bool take_similar(std::span<const Plan> trees);

  [[nodiscard]] Objective thorough_objective() const;
  bool search_thoroughly();
  bool search_first();
  /// With more samples and trees, where samples deceived or sizes are all that counts.
  void search_again();
  [[nodiscard]] bool may_look_again() const { return objective_.rival && !objective_.for_devices; }

  /// Encodes the best tree by these weights; nothing if it was encoded before, or is unlikely to be better
  /// than a chain that was.
  std::optional<EncodedTree> search(const Objective& by, std::uint64_t tolerated = tolerated_part,
                                    bool may_begin_again = false);

  /// Searches give up early what begins otherwise than the best tree.
  void try_other_roots(const Objective& by, const Finalists& finalists, EncodedTree& best);

  /// Another search need not find what costs so much more than the best tree that it would not be encoded.
  [[nodiscard]] std::uint64_t max_cost() const;
  /// Where speed is demanded, what time costs is no measure.
  [[nodiscard]] bool compares_estimates() const {
    return objective_.remembers && !objective_.for_devices && objective_.decode_megabytes_per_second == 0;
  }
  /// The same weights for the words that the best trees are compared on.
  [[nodiscard]] Objective judging(const Objective& weights) const;
  /// Trees that other weights or samples lead to are judged by as many words as the first one was compared
  /// with others on: fewer promise too much of dictionaries and exceptions. What it promised or took,
  /// whichever is more, is what they are compared with.
  bool may_be_better(const Finalists& finalists, std::uint64_t tolerated);

  /// Whether the best tree so far says little of what these are likely to cost.
  [[nodiscard]] bool is_in_doubt(const Finalists& finalists) const;

  /// Whether samples made too little of the best tree, and so perhaps of that of the faster goal, too.
  [[nodiscard]] bool is_underrated() const;
  void consider(const Objective& by);
  [[nodiscard]] bool takes_faster_goal() const;
  /// Whether a search may miss what that of Preset::fast finds in other samples.
  [[nodiscard]] bool takes_fastest_goal() const;
  /// Where samples deceive, the faster goal decides as if nothing was found before: else its own result may
  /// be smaller.
  void consider_like_faster_goal();
  /// As it is without several tables, and then with them. What was found so far is not known there: the
  /// result of the faster goal may depend on what lattices it finds.
  void consider_goal(Preset preset);
  /// Nothing if that would be encoded again. What the search remembers ends with it.
  std::optional<EncodedTree> best_tree_by(const Objective& faster);
  /// These trees but for their tables, which are no worse with them.
  void take_for_encoded(std::vector<Plan> plans);
  void consider_columns();
  /// Where encoding shall not take long, columns are searched briefly. Where samples promise that they save
  /// nearly half of what the best of all other trees costs, that one is not encoded.
  std::optional<EncodedTree> try_quick_columns(const Finalists& finalists);
  /// Beside the best other tree.
  void consider_quick_columns(const EncodedTree& other);
  /// There are many streams below, of which most get brief searches.
  EncodedTree encode_columns();
  /// Each has a search of its own, with the words at hand in another order.
  void consider_transposed();
  void consider(const Plan& plan);
  void keep_if_preferred(EncodedTree tree);
  EncodedTree encode(const Plan& plan, const Objective& of_children);

  /// From rows and planes, as far as a part of the words promises that they pay.
  void consider_predictions();
  void consider_contexts();

  /// Of few words, several tables may take more bytes than they save; faster goals have one.
  void consider_single_tables();

  /// What is tried later begins with the best trees so far: others than those of rounded floats may lead
  /// further.
  void consider_without_narrow();

  /// The first tree that is fast enough is the smallest of those that any weight leads to, but for accidents.
  /// More speed demanded can only lead to a later one.
  void gain_speed();

  const ColumnView& segment_;
  const Objective& objective_;
  Scratch& scratch_;
  SearchMemo memo_;  ///< Several trees are likely to begin alike.
  const bool is_whole_, leaves_codecs_;
  const std::vector<Choice> codecs_;
  Chains chains_;
  Objective faster_;
  std::vector<Plan> encoded_;  ///< By searches.
  std::uint64_t first_estimate_ = 0;
  std::optional<std::uint64_t> max_first_bytes_;  ///< That samples may promise of the first tree.
  std::optional<Choice> columns_;                 ///< By a quick search, if there was one.
  std::optional<EncodedTree> tree_of_columns_;    ///< What the faster goal takes in the end.
  bool is_for_other_goal_ = false;                ///< Which has columns of its own.
  bool found_narrow_ = false;                     ///< Some search found rounded floats.
  bool was_deceived_ = false;                     ///< By the last search.
  bool misses_children_ = false;                  ///< Its samples made too little of the tree.
  bool looks_again_if_deceived_ = false;  ///< On more windows, instead of trying what those at hand suggest.
  EncodedTree best_;
};

}  // namespace floe::trees
