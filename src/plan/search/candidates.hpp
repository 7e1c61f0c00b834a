// The encodings that are worth a try on a stream, and what trees that begin with them may cost at best.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "plan/objective.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/search/facts/facts.hpp"
#include "plan/search/windows.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Where in a tree a stream is.
struct Position {
  std::optional<EncodingId> parent{};
  unsigned child = 0;       ///< Of the parent.
  bool below_dict = false;  ///< Some ancestor is a dict.
  /// Of the whole stream; unknown where a dictionary does not pay.
  DistinctCount distinct = {};
  std::uint32_t order = 0;          ///< Of differences, if these are the words.
  std::uint64_t distinct_part = 0;  ///< Of 256 words, about so many different ones.
};

/// Whether the first child has as many different words as its parent.
bool keeps_words(EncodingId encoding);

/// Whether second differences go on getting clearly shorter. Nothing else is tried then, and it is no work,
/// so that some is left for what comes at the end.
bool is_curve(const StreamFacts& facts, const Position& position);

/// Leaves that take the type, whatever the words; codecs are compared apart.
std::vector<PlanNode> candidate_leaves(DType type);

/// Shorter streams are not worth a tree.
inline constexpr std::uint64_t min_words_for_transforms = 16;

/// Which differences are clearly shorter than the words, or differences, that they are taken of? Of facts
/// with all strides.
struct ShorterDifferences {
  bool of_neighbours = false, of_differences = false;
  std::uint32_t stride = 1;  ///< The smallest one at which words are clearly nearer to each other than
                             ///< neighbours are; 1 if there is none.
};
ShorterDifferences shorter_differences(const StreamFacts& facts);

/// Whether runs, or a dictionary, are worth a try.
constexpr bool has_runs(const StreamFacts& facts) { return facts.runs * 3 <= facts.sampled * 2; }
constexpr bool repeats_words(const StreamFacts& facts) { return facts.distinct * 3 <= facts.sampled * 2; }

/// An encoding with children that may pay.
struct Prospect {
  PlanNode node;
  std::uint64_t bits = 0;  ///< About what trees that begin with it need for the sampled words of the facts.
  std::uint64_t remainder_bits = 0;  ///< Which it needs unless remainders repeat.
};
/// Encodings with children whose chances the words and their facts show. Precondition: at least two different
/// words.
std::vector<Prospect> candidate_transforms(const ColumnView& sample, const StreamFacts& facts,
                                           const Position& position);

/// Few words are looked at to find the best stride: that of short rows, of these lengths, takes its place if
/// it is at least half as good.
void prefer_rows(const StreamFacts& facts, const Position& position, std::span<const std::uint32_t> rows,
                 std::vector<Prospect>& prospects);

/// Adds floats that doubles were once, where these were rounded and promise clearly less than all prospects
/// do. Where they kept all their digits, they may take the place of quotients, which take longer.
void add_narrow(const ColumnView& sample, bool replaces_quotients, std::vector<Prospect>& prospects);

/// The most promising ones first, as many as the objective lets a search try; without those that promise
/// clearly more bits for the `sampled` words than `known_bits`, which some tree needs, or than the best of
/// them: by a part of those, and a bit for each word.
std::vector<PlanNode> short_list(std::vector<Prospect> prospects, std::uint64_t known_bits,
                                 std::uint64_t sampled, const Objective& objective);

/// What good trees may come to, per word. Not a bound: entropy coders may need less. But a tree that looks
/// too long by bits alone is hardly ever the best one.
std::uint64_t optimistic_cost(const StreamFacts& facts);

/// The candidates in the order of their times, so that the first ones bound the others.
std::vector<PlanNode> fastest_first(const std::vector<Prospect>& prospects, const Objective& objective);

/// Whether trees that begin with this encoding hardly cost less than `limit`, going by times and by the facts
/// of its words.
bool is_hopeless(const PlanNode& node, const Sample& sample, const StreamFacts& facts, std::uint64_t limit,
                 const Objective& objective);

}  // namespace floe::trees
