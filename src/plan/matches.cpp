#include "plan/matches.hpp"

#include <algorithm>
#include <array>

#include "core/bits.hpp"
#include "core/splitmix.hpp"
#include "plan/tree_time.hpp"
#include "tree/tree_encoder.hpp"

namespace floe::trees {
namespace {

constexpr std::uint64_t min_words = 256;
/// Places that are looked for, and the bytes of each that are compared first.
constexpr std::uint32_t anchors = 256, key_bytes = 8;
/// The other places that are looked at are neighbours in so many windows, and a part of all.
constexpr std::uint64_t scan_windows = 16, scanned_part = 8;
/// What matches of the anchors must save at least, as a part of all their bits: usually, and if all that may
/// save bytes is tried.
constexpr std::uint64_t clear_part = 16, small_part = 64;
/// Where an eighth is looked at, about so much of what matches save shows.
constexpr std::uint64_t shown_part = 4;
/// Other places with the same key that are compared with one: words that repeat everywhere take no longer.
constexpr std::uint8_t max_judged = 8;
/// Equal words beyond that save no more of each.
constexpr std::uint64_t max_length = 256;
/// Bits of a match beside those of its distance.
constexpr std::uint64_t lengths_bits = 8;

template <core::Word W>
class RepetitionSample {
 public:
  explicit RepetitionSample(std::span<const W> words)
      : words_(words.data()), count_(words.size()), last_(count_ - key_words) {
    for (std::uint32_t i = 0; i < anchors; ++i) {
      const std::uint64_t place = place_of(i), hash = hash_at(place);
      slots_[hash >> slot_shift] = static_cast<std::uint8_t>(i);
      filter_[hash >> filter_shift >> 6] |= std::uint64_t{1} << (hash >> filter_shift & 63);
    }
  }

  /// What matches save of the anchors' words that need so many bits in 256 words.
  std::uint64_t saved_bits(std::uint64_t bits_of_256_words, std::uint64_t part) {
    const std::uint64_t windows = std::min<std::uint64_t>(scan_windows, part == 1 ? 1 : scan_windows),
                        window = last_ / windows / part;
    for (std::uint64_t i = 0; i < windows; ++i) {
      const std::uint64_t first = last_ / windows * i + (last_ / windows - window) / 2;
      for (std::uint64_t at = first; at < first + window; ++at) {
        const std::uint64_t hash = hash_at(at);
        if ((filter_[hash >> filter_shift >> 6] >> (hash >> filter_shift & 63) & 1) == 0) continue;
        judge(slots_[hash >> slot_shift], at, bits_of_256_words);
      }
    }
    std::uint64_t sum = 0;
    for (const std::uint64_t saved : saved_) sum += saved;
    return sum;
  }

 private:
  static constexpr std::uint64_t key_words = key_bytes / sizeof(W);
  static constexpr unsigned slot_shift = 64 - 10, filter_shift = 64 - 16;

  [[nodiscard]] std::uint64_t place_of(std::uint32_t anchor) const {
    const std::uint64_t step = std::max<std::uint64_t>(last_ / anchors, 1);
    return std::min(last_, anchor * step + core::splitmix(anchor) % step);
  }
  [[nodiscard]] std::uint64_t hash_at(std::uint64_t at) const {
    return core::load<std::uint64_t>(reinterpret_cast<const std::uint8_t*>(words_ + at)) *
           core::splitmix_step;
  }
  void judge(std::uint32_t anchor, std::uint64_t at, std::uint64_t bits_of_256_words) {
    if (judged_[anchor] == max_judged) return;
    const std::uint64_t place = place_of(anchor), a = std::min(at, place), b = std::max(at, place);
    if (a == b) return;
    std::uint64_t length = 0, before = 0;
    while (length < max_length && b + length < count_ && words_[a + length] == words_[b + length]) ++length;
    if (length < key_words) return;
    ++judged_[anchor];
    while (before < max_length && before < a && words_[a - before - 1] == words_[b - before - 1]) ++before;
    length += before;
    const std::uint64_t all = length * bits_of_256_words / 256,
                        match = lengths_bits + core::bit_length(b - a);
    if (all > match) saved_[anchor] = std::max(saved_[anchor], (all - match) * 256 / length);
  }

  const W* words_;
  std::uint64_t count_, last_;
  std::array<std::uint8_t, 1 << 10> slots_{};
  std::array<std::uint64_t, 1 << 10> filter_{};
  std::array<std::uint64_t, anchors> saved_{};  ///< Bits of 256 words.
  std::array<std::uint8_t, anchors> judged_{};
};

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

}  // namespace

std::vector<Plan> match_plans(const ColumnView& stream, std::uint64_t known_bytes, const Objective& objective,
                              Scratch& scratch) {
  if (!objective.match_effort || objective.for_devices || stream.count < min_words) return {};
  const std::uint64_t bits_of_256_words = std::max<std::uint64_t>(known_bytes * 8 * 256 / stream.count, 1);
  // Of the words around all anchors.
  const std::uint64_t all = anchors * bits_of_256_words, words = std::uint64_t{256} * anchors,
                      time = weighs_time(objective)
                                 ? time_cost(patient(objective), encoding_of(EncodingId::match), words) /
                                       cost_of_bit
                                 : 0;
  if (all < time) return {};
  const std::uint64_t part = objective.rival ? 1 : scanned_part;
  const bool tries_all = !objective.remembers, is_of_bytes = size_of(stream.type) == 1;
  const auto is_promising = [&](std::uint64_t saved) {
    return saved >= all / (tries_all ? small_part : clear_part) && shown_part * saved >= time;
  };
  const std::uint64_t saved = with_word(size_of(stream.type), [&]<class W>(W) {
    return RepetitionSample<W>(stream.words<W>()).saved_bits(bits_of_256_words, part);
  });
  if (!is_promising(saved) &&
      !(is_of_bytes && is_promising(saved_bits_of_text(stream, bits_of_256_words, scratch))))
    return {};
  // A literal may cost what words cost now, or much more where they are in a dictionary now.
  const auto bits = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(bits_of_256_words / 256, 1, 64));
  std::vector<Parameters> choices = {{*objective.match_effort, is_of_bytes ? 0 : bits}};
  // Shorter chains find nearer matches, and the same distances more often. They are tried first.
  if (!weighs_time(objective) && !is_of_bytes) choices.insert(choices.begin(), {0, bits});
  if (tries_all && !is_of_bytes) choices.push_back({*objective.match_effort, 0});
  std::vector<Plan> plans;
  for (const Parameters& parameters : choices) plans.push_back(match_plan(parameters));
  return plans;
}

}  // namespace floe::trees
