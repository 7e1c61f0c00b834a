// Chooses matches by what they save, one after the other: where a match that begins a word or two later saves
// more, the words before it stay literals.
#include "encodings/match/found_matches.hpp"
#include "encodings/match/match_finder.hpp"
#include "encodings/match/sequences.hpp"

namespace floe::trees {
namespace {

/// About what a sequence takes for its lengths, and for a distance that was used before.
constexpr std::uint32_t lengths_cost = 7 * match_cost_of_bit, recent_cost = 1 * match_cost_of_bit;

struct Effort {
  std::uint32_t attempts = 0, steps_ahead = 0;
  std::uint32_t good_length = 0;  ///< Longer matches are taken at once.
  /// Words before a later match are no literals if a match that begins earlier takes them. Else longer
  /// matches are preferred: of words that differ little, literals cost least where they are not torn apart.
  bool fills_gaps = false;
};
/// Matches of bytes are short and many, so that it pays to look at more of them.
template <core::Word W>
constexpr Effort effort_of(std::uint32_t effort) {
  if (effort != 0) return {FoundMatches<W>::attempts, 2, FoundMatches<W>::good_length, effort > 1};
  return sizeof(W) == 1 ? Effort{16, 2, 128} : Effort{12, 1, 64};
}

/// Chains of so many bytes are not in the caches. Where matches have less than half of so many in the middle,
/// most positions are looked at, which then takes longer than to sort them.
constexpr std::size_t min_sorted_bytes = std::size_t{1} << 20, bytes_of_middle = std::size_t{1} << 15;

struct Match {
  std::uint32_t length = 0, distance = 0;
  std::int64_t gain = 0;  ///< What it saves.
};

template <core::Word W, class Finder>
class LazyParser {
 public:
  LazyParser(std::span<const W> words, const ParseOptions& options, Finder& finder)
      : words_(words.data()),
        count_(static_cast<std::uint32_t>(words.size())),
        literal_cost_(options.literal_cost),
        effort_(effort_of<W>(options.effort)),
        finder_(finder) {}

  std::vector<Sequence> parse() {
    std::uint32_t at = 0, literals_from = 0;
    while (at < count_) {
      Match match = best_at(at);
      if (match.gain <= 0) {
        ++at;
        continue;
      }
      std::uint32_t begin = at;
      for (std::uint32_t step = 1; step <= effort_.steps_ahead && match.length < effort_.good_length;
           ++step) {
        if (begin + step >= count_) break;
        const Match later = best_at(begin + step);
        if (later.gain <= match.gain + (effort_.fills_gaps ? gain_of_rest(later, match.length, step) : 0))
          continue;
        match = later;
        begin += step;
        step = 0;
      }
      // Backwards over literals that are the same.
      while (begin > literals_from && match.distance < begin &&
             words_[begin - 1] == words_[begin - 1 - match.distance]) {
        --begin;
        ++match.length;
      }
      take(literals_from, begin, match);
      at = literals_from = begin + match.length;
    }
    return std::move(sequences_);
  }

 private:
  void take(std::uint32_t literals_from, std::uint32_t begin, const Match& match) {
    const std::uint32_t code = recent_.code_of(match.distance);
    recent_.take(code);
    sequences_.push_back({begin - literals_from, match.length, code});
    const std::uint32_t end = begin + match.length;
    enter_before(end);
    entered_ = std::max(entered_, end);
  }

  void enter_before(std::uint32_t end) {
    if constexpr (!Finder::are_sorted) {
      for (; entered_ < end && finder_.has_hash(entered_); ++entered_) finder_.enter(entered_);
    }
  }

  Match best_at(std::uint32_t at) {
    Match best;
    for (std::uint32_t position = 0; position < RecentDistances::count; ++position) {
      const std::uint32_t distance = recent_[position];
      if (distance > at || words_[at] != words_[at - distance]) continue;
      const std::uint32_t length = equal_words(words_ + at - distance, words_ + at, count_ - at);
      consider(length, distance, recent_cost + position * match_cost_of_bit, best);
    }
    if (!finder_.has_hash(at)) return best;
    enter_before(at + 1);
    finder_.find(at, effort_.attempts, std::max(best.length, hashed_words<W> - 1),
                 [&](std::uint32_t length, std::uint32_t distance) {
                   consider(length, distance, (core::bit_length(distance) + 1) * match_cost_of_bit, best);
                   return length < effort_.good_length;
                 });
    return best;
  }

  /// What a match that begins `step` words later saves if the first `length` words are taken before it.
  [[nodiscard]] std::int64_t gain_of_rest(const Match& later, std::uint32_t length,
                                          std::uint32_t step) const {
    const std::int64_t taken = std::max<std::int64_t>(std::int64_t{length} - step, 0);
    return std::max<std::int64_t>(later.gain - taken * literal_cost_, 0);
  }

  void consider(std::uint32_t length, std::uint32_t distance, std::uint32_t distance_cost,
                Match& best) const {
    const std::int64_t gain = std::int64_t{length} * literal_cost_ - lengths_cost - distance_cost;
    if (gain > best.gain) best = {length, distance, gain};
  }

  const W* words_;
  std::uint32_t count_;
  std::uint32_t literal_cost_;
  Effort effort_;
  Finder& finder_;
  RecentDistances recent_;
  std::uint32_t entered_ = 0;  ///< Positions before are known to the finder.
  std::vector<Sequence> sequences_;
};

template <class Positions, core::Word W>
std::vector<Sequence> parse_with(std::span<const W> words, const ParseOptions& options, Scratch& scratch) {
  MatchFinder<W, Positions> finder(words, scratch);
  return LazyParser(words, options, finder).parse();
}

bool suits_sorted(std::span<const std::uint8_t> bytes, const ParseOptions& options, Scratch& scratch) {
  if (bytes.size() < min_sorted_bytes) return false;
  const auto middle = bytes.subspan((bytes.size() - bytes_of_middle) / 2, bytes_of_middle);
  std::size_t matched = 0;
  for (const Sequence& sequence : parse_with<HashChains>(middle, options, scratch))
    matched += sequence.length;
  return matched < bytes_of_middle / 2;
}
/// Of wider words, many positions are looked at where there is an effort.
template <core::Word W>
bool suits_sorted(std::span<const W>, const ParseOptions& options, Scratch&) {
  return options.effort > 0;
}

}  // namespace

template <core::Word W>
std::vector<Sequence> parse_lazily(std::span<const W> words, const ParseOptions& options, Scratch& scratch) {
  return suits_sorted(words, options, scratch) ? parse_with<SortedPositions>(words, options, scratch)
                                               : parse_with<HashChains>(words, options, scratch);
}
template <core::Word W>
std::vector<Sequence> parse_lazily(std::span<const W> words, const ParseOptions& options,
                                   FoundMatches<W>& found) {
  return LazyParser(words, options, found).parse();
}

#define FLOE_INSTANTIATE(W)                                                                       \
  template std::vector<Sequence> parse_lazily(std::span<const W>, const ParseOptions&, Scratch&); \
  template std::vector<Sequence> parse_lazily(std::span<const W>, const ParseOptions&, FoundMatches<W>&);
FLOE_INSTANTIATE(std::uint8_t)
FLOE_INSTANTIATE(std::uint16_t)
FLOE_INSTANTIATE(std::uint32_t)
FLOE_INSTANTIATE(std::uint64_t)
#undef FLOE_INSTANTIATE

}  // namespace floe::trees
