// Chooses trees for the segments of one stream: remembers the trees of kinds of data, notices when they no
// longer fit, and searches anew.
//
// Segments are planned in groups, so that those of a group are encoded side by side: what a tree made of a
// segment counts from the next group on. The calls for the parts of a group are made in these steps, of which
// (p) may run at the same time for different parts:
//   cut (p), look_at (p), assign, search or encode (p), note_search, decide, search or encode of those that
//   were deferred (p), note_deferred, encode of those that waited (p), better_of_neighbours (p), judge,
//   reconsider (p), settle, follow (p), end_group.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/fingerprint.hpp"
#include "plan/objective.hpp"
#include "plan/partition.hpp"
#include "plan/plan_cache.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// A part of a segment on its way through a planner.
struct PartJob {
  ColumnView words;
  Fingerprint fingerprint{};
  EncodedTree tree;
  std::optional<std::uint64_t> codec_bytes;  ///< What samples promised of the best codec.

  /// What to do to get the tree.
  enum class Action : std::uint8_t {
    search,  ///< Nothing is known of such data.
    encode,  ///< With the tree of the kind.
    wait,    ///< As encode, when the search for an earlier part of the group is done.
    defer,   ///< As decide() says when the others that are searched are done.
  };
  Action action = Action::search;
  CachedPlan* kind = nullptr;
  const CachedPlan* similar_kind = nullptr;  ///< That its own may turn out to share the tree of.
  std::vector<Plan> similar_trees;           ///< That a search tries first.
  std::uint64_t number = 0;                  ///< Among all parts of the stream.

  /// What judge() says of the tree.
  enum class Verdict : std::uint8_t {
    good,
    slow,
    drifting,
    following,  ///< As an earlier part of the group, whose new tree may fit better.
  };
  Verdict verdict = Verdict::good;
  const PartJob* leader = nullptr;  ///< That part.
  std::int64_t drift_before = 0;
  std::optional<EncodedTree> other;     ///< By the tree of another kind that looks the same, if that is good.
  std::optional<EncodedTree> searched;  ///< By a search that promised to be better.
};

class StreamPlanner {
 public:
  explicit StreamPlanner(const Objective& objective) : objective_(objective) {}

  /// How closely segments of the next group are looked at.
  [[nodiscard]] Look look() const { return calm_segments_ < 2 ? Look::close : Look::cursory; }

  /// Lengths of the parts of a segment (p).
  [[nodiscard]] std::vector<std::uint64_t> cut(const ColumnView& segment, Scratch& scratch) const {
    return partition(segment, look(), objective_, plans_, scratch);
  }
  static void look_at(PartJob& part) { part.fingerprint = fingerprint_of(part.words); }
  void assign(PartJob& part);
  /// Precondition: the action of the part is search. If it `is_whole`, not a part of a longer segment, a
  /// codec may come without its bytes.
  void search(PartJob& part, Scratch& scratch, bool is_whole) const;
  void note_search(PartJob& part);
  /// For a part whose action is defer: encode with the tree of the similar kind, or search; where such trees
  /// are tried first, with those of the nearest kinds. In their order; note_deferred when it is encoded.
  void decide(PartJob& part, Scratch& scratch);
  void note_deferred(PartJob& part);
  /// The tree to encode a part with whose action is not search.
  [[nodiscard]] const Plan& plan_of(const PartJob& part) const { return part.kind->plan; }
  void encode(PartJob& part, Scratch& scratch) const;
  /// Whether parts try the trees of others: fingerprints do not tell which fits best. Devices have no time.
  [[nodiscard]] bool exchanges_trees() const { return !objective_.for_devices && !objective_.is_hasty; }
  /// Whether what was cut may turn out shorter as a whole. Where speed is demanded, the parts keep it.
  [[nodiscard]] bool joins_parts() const {
    return !is_fast(objective_) && !objective_.for_devices && objective_.decode_megabytes_per_second == 0;
  }
  /// Of neighbours.
  enum class Trees : std::uint8_t { of_searches, word_lists };
  /// A better tree for one of `parts` among those of its neighbours (p).
  [[nodiscard]] std::optional<EncodedTree> better_of_neighbours(std::span<PartJob* const> parts,
                                                                std::size_t index, Trees trees,
                                                                Scratch& scratch) const;
  /// Whether the part has to be reconsidered. All parts of the group in their order; those that were
  /// searched, too.
  void judge(PartJob& part);
  /// For the verdicts slow and drifting.
  void reconsider(PartJob& part, Scratch& scratch);
  /// Chooses among what reconsider() found.
  void settle(PartJob& part);
  /// For the verdict following, when all are settled (p).
  void follow(PartJob& part, Scratch& scratch) const;
  /// After a segment of so many parts.
  void end_segment(std::size_t part_count);
  void end_group();

  [[nodiscard]] const Objective& objective() const { return objective_; }
  /// How often trees were searched so far, and parts encoded twice because a remembered tree was bad.
  [[nodiscard]] std::uint64_t search_count() const { return search_count_; }
  [[nodiscard]] std::uint64_t encoded_twice() const { return encoded_twice_; }

 private:
  Objective objective_;
  PlanCache plans_;
  std::uint64_t part_count_ = 0, search_count_ = 0, encoded_twice_ = 0;
  std::uint64_t calm_segments_ = 0;  ///< In a row, with one part and without surprises.
  bool is_surprised_ = false;        ///< By the segment at hand.
};

}  // namespace floe::trees
