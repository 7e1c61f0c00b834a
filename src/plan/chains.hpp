// Chains: trees of encodings that take little time, and of which one stream is nearly all.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/finalists.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// The chains that encoded a segment. Samples seldom deceive about them, and once they are encoded, what they
/// cost is certain. Segment, objective and scratch memory must outlive it.
class Chains {
 public:
  Chains(const ColumnView& segment, const Objective& objective, Scratch& scratch)
      : segment_(segment), objective_(objective), scratch_(scratch) {}

  /// The best one by these weights, if it is likely to pay and was not tried before.
  std::optional<EncodedTree> encode_best(const Objective& by, const Finalists& finalists);
  /// Whether one of them costs less than the best of these trees is likely to.
  [[nodiscard]] bool are_better_than(const Finalists& finalists) const;
  /// From now on, only chains count that are the best ones by later weights: what is decided then does not
  /// depend on the weights before.
  void begin_again();

 private:
  [[nodiscard]] bool are_tried() const;

  const ColumnView& segment_;
  const Objective& objective_;
  Scratch& scratch_;
  struct Known {
    EncodedTree tree;  ///< Without its bytes.
    std::uint64_t estimate;
  };
  [[nodiscard]] std::span<const Known> counted() const { return std::span(encoded_).subspan(first_counted_); }
  std::vector<Known> encoded_;
  std::size_t first_counted_ = 0;   ///< Of the encoded ones.
  std::uint64_t min_estimate_ = 0;  ///< Of all that were looked at; 0 if none was.
};

}  // namespace floe::trees
