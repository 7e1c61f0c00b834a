#include "plan/matches/inner_matches.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "plan/matches/repetition_sample.hpp"
#include "plan/search/distinct_words.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 1024;
/// The bytes of a position that are compared first: few different differences may be all that there are.
constexpr std::uint64_t key_bytes = 32, word_key_bytes = 8;
/// What matches must save if all that may save bytes is tried, as a part of all bytes.
constexpr std::uint64_t small_part = 16;
/// Else an eighth of the words is looked at, or so many, in windows. About a fourth of what matches save
/// shows there, and a fourth of all bytes must; a ninth if half of the words are looked at.
constexpr std::uint64_t looked_at_part = 8, min_looked_at = 1 << 15, windows = 16;
constexpr std::uint64_t clear_part = 4, clear_part_of_half = 9;
/// Before that, such a part or so many in shorter windows, where so many of the positions that are looked for
/// must come again.
constexpr std::uint64_t first_part = 64, min_first = 1 << 12, first_windows = 64, hopeful_positions = 1;
/// Streams that take a smaller part of all bytes are not looked at.
constexpr std::uint64_t minor_part = 4;
/// Words of a row that may be a point, each of which has differences of its own.
constexpr std::uint32_t max_row = 64;
constexpr std::uint64_t mean_run = 3, mean_run_of_all = 2;

bool suits(const ColumnView& stream, const Objective& objective) {
  return objective.rival && !objective.for_devices && objective.match_effort >= 0 &&
         stream.count >= min_words && size_of(stream.type) > 1;
}

/// Whether equal words of a stream are equal at the place, and hardly others: matches of words say as much.
bool repeats_like_words(const MatchPlace& place) {
  const EncodingId first = place.before[0].encoding;
  return place.before.size() == 1 &&
         (first == EncodingId::sortable || first == EncodingId::decimal || first == EncodingId::grid ||
          first == EncodingId::affine || first == EncodingId::narrow);
}

/// So many words of a stream, in windows. Their distances differ, because words repeat at equal ones.
Stream some_of(const ColumnView& stream, std::uint64_t count, std::uint64_t window_count, Scratch& scratch) {
  const std::uint64_t each = count / window_count, word_bytes = size_of(stream.type),
                      step = stream.count / window_count;
  Stream some(stream.type, each * window_count, scratch);
  for (std::uint64_t i = 0; i < window_count; ++i) {
    const std::uint64_t first = step * i + core::splitmix(i) % (step - each + 1);
    std::memcpy(static_cast<std::uint8_t*>(some.data()) + i * each * word_bytes,
                static_cast<const std::uint8_t*>(stream.values) + first * word_bytes, each * word_bytes);
  }
  return some;
}

/// Whether a word depends on others half a window before it.
bool reaches_far(const MatchPlace& place, std::uint64_t count, std::uint64_t window_count) {
  return 2 * window_count * reach_of(place) > count;
}

}  // namespace

/// What matches save of the words at a place.
struct InnerMatchSearch::Shown {
  std::uint64_t saved = 0, all = 1;  ///< Bits of the words around all positions that are looked for.
  bool is_of_half = false;           ///< Of the stream, or more.
};

InnerMatchSearch::InnerMatchSearch(const ColumnView& stream, const Objective& objective, Scratch& scratch)
    : stream_(stream),
      objective_(objective),
      scratch_(scratch),
      suits_(suits(stream, objective)),
      tries_all_(!objective.remembers) {}

std::vector<InnerMatches> InnerMatchSearch::of(const EncodedTree& best, std::uint64_t best_bytes) {
  if (!suits_) return {};
  std::vector<MatchPlace> places =
      places_in(best, best_bytes / (tries_all_ ? small_part : minor_part), min_words, tries_all_);
  if (!tries_all_) std::erase_if(places, repeats_like_words);
  // What else the tree has may follow the same steps.
  for (MatchPlace& place : places) {
    if (are_first_differences(place)) place.bytes = best_bytes;
  }
  return promising(std::move(places), best_bytes);
}

std::vector<InnerMatches> InnerMatchSearch::of(const Plan& tree, std::uint64_t best_bytes) {
  if (!suits_) return {};
  std::vector<MatchPlace> places;
  if (auto place = first_differences(tree)) {
    place->bytes = best_bytes;
    places.push_back(std::move(*place));
  }
  return promising(std::move(places), best_bytes);
}

std::vector<InnerMatches> InnerMatchSearch::of(AnyTree, std::uint64_t best_bytes) {
  if (!suits_) return {};
  std::vector<std::uint32_t> strides;
  if (tries_all_) strides.push_back(1);
  const auto far = objective_.strides.get();
  if (!far.empty() && far[0] <= max_row) strides.push_back(far[0]);
  std::vector<MatchPlace> places = places_of_differences(stream_, strides, tries_all_, objective_, scratch_);
  if (auto runs = place_of_runs(stream_, tries_all_ ? mean_run_of_all : mean_run))
    places.push_back(std::move(*runs));
  for (MatchPlace& place : places) place.bytes = best_bytes;
  std::vector<InnerMatches> found = promising(std::move(places), best_bytes);
  if (tries_all_) add_parts_of_words(best_bytes, found);
  return found;
}

void InnerMatchSearch::add_parts_of_words(std::uint64_t best_bytes, std::vector<InnerMatches>& found) {
  std::vector<InnerMatches> upper = promising(places_of_upper_bits(stream_, best_bytes), best_bytes);
  if (!upper.empty()) found.push_back(std::move(upper[0]));
  const std::uint64_t distinct = count_distinct_words(stream_, scratch_).words;
  if (distinct < min_words || distinct > stream_.count / 16 * 15) return;
  std::vector<MatchPlace> places;
  if (auto entries = place_of_entries(stream_, distinct, best_bytes)) places.push_back(std::move(*entries));
  std::ranges::move(promising(std::move(places), best_bytes), std::back_inserter(found));
}

std::vector<InnerMatches> InnerMatchSearch::promising(std::vector<MatchPlace> places,
                                                      std::uint64_t best_bytes) {
  std::erase_if(places, [&](const MatchPlace& place) {
    return std::find(tried_.begin(), tried_.end(), place.before) != tried_.end();
  });
  for (const MatchPlace& place : places) tried_.push_back(place.before);
  if (!tries_all_) leave_hopeful(places);
  std::vector<InnerMatches> found;
  if (places.empty()) return found;
  const std::uint64_t count = std::max(stream_.count / looked_at_part, min_looked_at);
  const bool sees_all = tries_all_ || count >= stream_.count;
  std::optional<Stream> some;
  if (!sees_all) some.emplace(some_of(stream_, count, windows, scratch_));
  PlaceReader all(stream_, !tries_all_ && sees_all, scratch_),
      reader(sees_all ? stream_ : some->view(), !tries_all_, scratch_);
  for (const MatchPlace& place : places) {
    const bool is_far = !sees_all && reaches_far(place, count, windows);
    if (auto matches = matches_of(place, best_bytes, is_far ? all : reader))
      found.push_back(std::move(*matches));
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const InnerMatches& a, const InnerMatches& b) { return a.bytes < b.bytes; });
  return found;
}

/// Removes those of which few words say that nothing repeats.
void InnerMatchSearch::leave_hopeful(std::vector<MatchPlace>& places) const {
  const std::uint64_t count = std::max(stream_.count / first_part, min_first);
  if (places.empty() || 2 * count >= stream_.count) return;
  const Stream some = some_of(stream_, count, first_windows, scratch_);
  PlaceReader reader(some.view(), true, scratch_);
  std::erase_if(places, [&](const MatchPlace& place) {
    if (reaches_far(place, count, first_windows)) return !are_first_differences(place);
    const Shown shown = shown_at(place, reader);
    return shown.saved * repetition_anchors < shown.all * hopeful_positions;
  });
}

InnerMatchSearch::Shown InnerMatchSearch::shown_at(const MatchPlace& place, PlaceReader& reader) const {
  const ColumnView& some = reader.stream();
  const std::optional<ColumnView> words = reader.words_at(place);
  if (!words || words->count < repetition_anchors) return {};
  // What first differences save is saved of all words.
  const std::uint64_t count = words->count * stream_.count / some.count,
                      counted = are_first_differences(place) ? stream_.count : count,
                      bits = std::max<std::uint64_t>(
                          place.bytes * 8 * 256 / std::max<std::uint64_t>(counted, 1), 1);
  if (count < min_words) return {};
  const bool looks_at_part = !tries_all_ && some.count == stream_.count && stream_.count > min_looked_at;
  const std::uint64_t part = looks_at_part ? looked_at_part : 1;
  // Of entries in their order, single differences come again.
  const bool is_of_entries = place.before[0].encoding == EncodingId::unique;
  Shown shown{is_of_entries ? saved_by_repetitions<word_key_bytes>(*words, bits, part)
                            : saved_by_repetitions<key_bytes>(*words, bits, part),
              repetition_anchors * bits};
  shown.is_of_half = !looks_at_part && 2 * some.count >= stream_.count;
  return shown;
}

/// A tree with matches of these words, if they may pay.
std::optional<InnerMatches> InnerMatchSearch::matches_of(const MatchPlace& place, std::uint64_t best_bytes,
                                                         PlaceReader& reader) const {
  const Shown shown = shown_at(place, reader);
  const std::uint64_t needed_part = tries_all_         ? small_part
                                    : shown.is_of_half ? clear_part_of_half
                                                       : clear_part,
                      saved_bytes = place.bytes * shown.saved / shown.all;
  if (saved_bytes < best_bytes / needed_part || shown.saved == 0) return {};
  const std::uint64_t bits = std::clamp<std::uint64_t>(shown.all / repetition_anchors / 256, 1, 64);
  InnerMatches matches{{place.before}, place.before.size(), best_bytes - std::min(saved_bytes, best_bytes)};
  std::vector<PlanNode>& nodes = matches.plan.nodes;
  nodes.push_back({EncodingId::match, {1, static_cast<std::uint32_t>(bits)}});
  nodes.insert(nodes.end(), 4, {EncodingId::entropy, {}});
  nodes.insert(nodes.end(), place.behind.begin(), place.behind.end());
  if (!check_plan(matches.plan, stream_.type).ok()) return {};
  return matches;
}

Plan with_match_effort(const InnerMatches& matches, std::uint32_t effort) {
  Plan plan = matches.plan;
  plan.nodes[matches.node].parameters[0] = effort;
  return plan;
}

}  // namespace floe::trees
