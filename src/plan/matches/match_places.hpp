// Streams that encodings make of words, in which repetitions may show that the words do not have:
// differences, values of runs, exceptions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "encodings/encoding_memo.hpp"
#include "plan/objective.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {

/// A stream in a tree: the tree but for its sub-tree.
struct MatchPlace {
  std::vector<PlanNode> before, behind;
  std::uint64_t bytes = 0;  ///< That the stream takes so far, or all that it was made of.
};

/// Those below the root of a tree that encoded a stream, and not below matches, that take `min_bytes` or
/// more, and may have `min_words` or more. `with_entries`: also words of dictionaries, of which none comes
/// twice.
std::vector<MatchPlace> places_in(const EncodedTree& tree, std::uint64_t min_bytes, std::uint64_t min_words,
                                  bool with_entries);
/// Differences that a tree takes first, on the way to the first leaf, if it does so; not of such words.
std::optional<MatchPlace> first_differences(const Plan& plan);
/// Whether that is what a place is.
bool are_first_differences(const MatchPlace& place);
/// Differences of words in their order, and of what else integers stand for, at these strides; if not `all`,
/// of the integers that are likely to repeat where words do. Precondition: 1024 words. Throws std::bad_alloc.
std::vector<MatchPlace> places_of_differences(const ColumnView& stream,
                                              std::span<const std::uint32_t> strides, bool all,
                                              const Objective& objective, Scratch& scratch);
/// Values of runs, if samples show so many times fewer of these than words. The same precondition.
std::optional<MatchPlace> place_of_runs(const ColumnView& stream, std::uint64_t mean_run);

/// Upper bits of words, above those that are noise, at several places where these may begin. `known_bytes`:
/// of the best tree, of which the upper bits take what others leave; no places if that is nothing.
std::vector<MatchPlace> places_of_upper_bits(const ColumnView& stream, std::uint64_t known_bytes);
/// Differences of different words in their order, if codes leave them a part of these bytes. `distinct`: how
/// many there are.
std::optional<MatchPlace> place_of_entries(const ColumnView& stream, std::uint64_t distinct,
                                           std::uint64_t known_bytes);

/// How many words before it a word of the place depends on.
std::uint64_t reach_of(const MatchPlace& place);

/// What trees make of some words at places.
class PlaceReader {
 public:
  /// `remembers`: what several places have above them is made once, and remains. Else the memo of the scratch
  /// memory may have it.
  PlaceReader(const ColumnView& stream, bool remembers, Scratch& scratch)
      : stream_(stream), remembers_(remembers), scratch_(scratch) {}

  [[nodiscard]] const ColumnView& stream() const { return stream_; }
  /// Valid until the next call; nothing if the tree does not take the words. Throws std::bad_alloc.
  std::optional<ColumnView> words_at(const MatchPlace& place);

 private:
  using Made = std::shared_ptr<const EncodedOnce>;
  Made make(std::span<const PlanNode> nodes, const ColumnView& words);

  const ColumnView stream_;
  const bool remembers_;
  Scratch& scratch_;
  std::vector<std::pair<std::vector<PlanNode>, Made>> made_;  ///< By the last of some nodes of a tree.
  Made last_;
};

}  // namespace floe::trees
