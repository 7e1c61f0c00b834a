#include "plan/matches/matches.hpp"

#include <algorithm>

#include "plan/lists/list_estimate.hpp"
#include "plan/matches/repetition_sample.hpp"
#include "plan/search/dict_growth.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 256;
/// The bytes of a position that are compared first.
constexpr std::uint64_t key_bytes = 8;
/// Of a long stream, such a part is looked at.
constexpr std::uint64_t scanned_part = 8;
/// What matches of the anchors must save at least, as a part of all their bits: usually, where matches of
/// words take long because long chains are tried, too, and if all that may save bytes is tried.
constexpr std::uint64_t usual_part = 16, clear_part = 9, small_part = 64;
/// Where the known tree is one of few different words, or of words on lines, literals cost more than its
/// words do. Matches then are tried on a part of the stream first, and may need more by a part that trees for
/// their children may save.
constexpr std::uint64_t tried_part = 16, min_tried_words = 1 << 13, saved_by_children = 16;
/// First on such a part of these words, of which they need more by such a part where there is no hope.
constexpr std::uint64_t few_part = 4, far_part = 4;
/// Where an eighth is looked at, about so much of what matches save shows.
constexpr std::uint64_t shown_part = 4;
constexpr std::uint64_t anchors = repetition_anchors;

Plan match_plan(const Parameters& parameters) {
  const PlanNode packed{EncodingId::entropy, {}};
  return {{{EncodingId::match, parameters}, packed, packed, packed, packed}};
}

/// What matches save of as many bytes in the middle of the stream as the words around all anchors, in bits:
/// matches of text are often shorter than a key, and near.
std::uint64_t saved_bits_of_text(const ColumnView& stream, std::uint64_t bits_of_256_words,
                                 Scratch& scratch) {
  const std::uint64_t count = std::min<std::uint64_t>(stream.count, std::uint64_t{anchors} * 256);
  const auto* const bytes = static_cast<const std::uint8_t*>(stream.values) + (stream.count - count) / 2;
  const EncodedTree tree = encode_tree({stream.type, bytes, count}, match_plan({0, 0}), scratch);
  const std::uint64_t known = count * bits_of_256_words / 256, matched = 8 * encoded_bytes(tree);
  return known > matched ? (known - matched) * (anchors * 256) / count : 0;
}

/// A dictionary may be one of decimals, or of floats in their order.
bool has_dear_literals(const Plan& known) {
  const EncodingId first = first_of_integers(known);
  return is_dictionary(first) || first == EncodingId::affine;
}

/// Whether matches may be shorter in the middle of the stream. Few words often say that they are far from it.
bool are_shorter_in_middle(const ColumnView& stream, const Plan& known, const Plan& matches,
                           Scratch& scratch) {
  const auto are_longer = [&](std::uint64_t count, std::uint64_t part) {
    const std::uint64_t first = (stream.count - count) / 2;
    const auto* const words = static_cast<const std::uint8_t*>(stream.values) + first * size_of(stream.type);
    const auto bytes = [&](const Plan& plan) {
      return encoded_bytes(encode_tree({stream.type, words, count}, plan, scratch));
    };
    const std::uint64_t known_bytes = bytes(known);
    return bytes(matches) > known_bytes + known_bytes / part;
  };
  const std::uint64_t count = std::min(stream.count, std::max(stream.count / tried_part, min_tried_words));
  return !are_longer(count / few_part, far_part) && !are_longer(count, saved_by_children);
}

/// Whether single words of 4 bytes or more do so, though those around them may not.
bool words_come_again(const ColumnView& stream) {
  if (size_of(stream.type) < 4) return false;
  const auto estimates = estimate_lists(stream);
  return estimates && words_repeat(estimates->words, stream.count);
}

/// What matches take for as many words as there are around all anchors, in bits.
std::uint64_t time_of_matches(const Objective& objective) {
  return time_cost(patient(objective), encoding_of(EncodingId::match), std::uint64_t{256} * anchors) /
         cost_of_bit;
}

/// Whether a faster goal, which weighs time, tries matches that save so many bits, too.
bool pays_for_faster_goal(std::uint64_t all, std::uint64_t saved, const Objective& objective) {
  const std::uint64_t time = time_of_matches(objective_of(*objective.rival));
  return all >= time && saved >= all / usual_part && shown_part * saved >= time;
}

}  // namespace

std::vector<Plan> match_plans(const ColumnView& stream, const EncodedTree& known, const Objective& objective,
                              Scratch& scratch) {
  if (objective.match_effort < 0 || objective.for_devices || stream.count < min_words) return {};
  const std::uint64_t bits_of_256_words =
      std::max<std::uint64_t>(encoded_bytes(known) * 8 * 256 / stream.count, 1);
  // Of the words around all anchors.
  const std::uint64_t all = anchors * bits_of_256_words,
                      time = weighs_time(objective) ? time_of_matches(objective) : 0;
  if (all < time) return {};
  const bool tries_all = !objective.remembers, is_of_bytes = size_of(stream.type) == 1,
             looks_first = objective.rival && !tries_all && !is_of_bytes && !objective.for_columns;
  const auto saved_in = [&](std::uint64_t part) {
    return saved_by_repetitions<key_bytes>(stream, bits_of_256_words, part);
  };
  const std::uint64_t shown = looks_first ? saved_in(scanned_part) : 0;
  // What is worth a try shows at some anchors.
  if (looks_first && stream.count >= 2 * min_tried_words && shown < bits_of_256_words) return {};
  const bool is_doubtful = looks_first && !pays_for_faster_goal(all, shown, objective);
  const auto is_promising = [&](std::uint64_t saved) {
    const std::uint64_t min_part = tries_all ? small_part : is_doubtful ? clear_part : usual_part;
    return saved >= all / min_part && shown_part * saved >= time;
  };
  const bool promises_much = is_promising(saved_in(objective.rival ? 1 : scanned_part)),
             is_of_single_words = !promises_much && tries_all && words_come_again(stream);
  if (!promises_much && !is_of_single_words &&
      !(is_of_bytes && is_promising(saved_bits_of_text(stream, bits_of_256_words, scratch))))
    return {};
  // A literal may cost what words cost now, or much more where they are in a dictionary now.
  const auto bits = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits_of_256_words / 256, 1, 64));
  if ((is_doubtful || weighs_time(objective)) && has_dear_literals(known.wanted) &&
      !are_shorter_in_middle(stream, known.wanted, match_plan({0, bits}), scratch))
    return {};
  const auto effort = static_cast<std::uint32_t>(objective.match_effort);
  std::vector<Parameters> choices;
  if (is_of_bytes) {
    choices = {{effort, 0}};
  } else if (weighs_time(objective)) {
    choices = {{effort, bits}};
  } else if (is_of_single_words) {
    choices = {{1, bits}, {2, 0}, {1, 0}, {2, bits}};
  } else {
    // Shorter chains find nearer matches, and the same distances more often. They are tried first.
    choices = {{0, bits}, {1, bits}};
    if (tries_all || has_dear_literals(known.wanted)) choices.push_back({2, 0});
    if (tries_all) {  // what lies between these
      choices.push_back({1, 0});
      choices.push_back({2, bits});
    }
  }
  std::vector<Plan> plans;
  for (const Parameters& parameters : choices) plans.push_back(match_plan(parameters));
  return plans;
}

}  // namespace floe::trees
