// Chooses the sequences that cost least, by prices from an earlier parse: the cheapest way to each position
// is found from the cheapest ways to the positions before it.
#include <limits>

#include "encodings/match/prices.hpp"
#include "encodings/match/tree_finder.hpp"

namespace floe::trees {
namespace {

/// Matches of so many bytes are taken at once, and positions that others may begin at are compared up to
/// there; of more bytes where sizes are all that counts, which makes 3 % less of what repeats at length.
constexpr std::uint32_t max_good_length = 512;
constexpr std::uint32_t good_length_of(std::uint32_t effort) {
  return effort > 1 ? max_good_length : max_good_length / 2;
}
/// Ways of about so many bytes are followed at a time.
constexpr std::uint32_t way_bytes = 1 << 12;
/// Of the position that ways begin at: a longer run of literals may cost less than a shorter one.
constexpr std::uint32_t begin_price = 1 << 20;

/// The last round alone makes up to 0.6 % more of text, and 0.1 % less of programs. Of more bytes it is
/// enough.
constexpr std::size_t max_bytes_of_all_rounds = 1 << 20;

constexpr std::uint32_t attempts_of(std::uint32_t round) { return round == 1 ? 24 : 48; }

/// The cheapest way to a position that is known.
struct Way {
  std::uint32_t price = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t length = 0;    ///< Of the match that ends here; 0: a literal.
  std::uint32_t distance = 0;  ///< Of the match; if a literal ends here, unused.
  std::uint32_t literals = 0;  ///< Since the last match.
  RecentDistances recent;
};

struct Found {
  std::uint32_t length = 0, distance = 0;
};

class OptimalParser {
 public:
  OptimalParser(std::span<const std::uint8_t> bytes, std::uint32_t good_length, std::uint32_t round,
                const SequencePrices& prices, Scratch& scratch)
      : bytes_(bytes.data()),
        count_(static_cast<std::uint32_t>(bytes.size())),
        good_length_(good_length),
        prices_(prices),
        finder_(bytes, attempts_of(round), good_length, scratch),
        ways_(way_bytes + good_length + 1) {
    triples_.resize(std::size_t{1} << triple_bits);
    for (std::uint32_t i = 0; i < good_length; ++i) length_prices_[i] = prices.match_lengths(i);
  }

  std::vector<Sequence> parse() {
    while (begin_ < count_) follow_ways();
    return std::move(sequences_);
  }

 private:
  static constexpr unsigned triple_bits = 16;

  /// Follows the ways from `begin_` on until all meet, or a long match begins, and takes the best one.
  void follow_ways() {
    Way& first = ways_[0];
    first.price = begin_price;
    first.length = 0;
    first.literals = literals_;
    first.recent = recent_;
    std::uint32_t reached = 0;  // by some way, beyond `begin_`
    const auto reach = [&](std::uint32_t to) {
      while (reached < to) ways_[++reached].price = std::numeric_limits<std::uint32_t>::max();
    };
    std::uint32_t at = 0;
    for (;; ++at) {
      if (at > 0) arrive(at);
      const std::uint32_t position = begin_ + at;
      if (position == count_ || (at > 0 && at == reached) || at >= way_bytes) break;
      find_matches(position);
      Way& way = ways_[at];
      const Found longest = longest_match(position, way.recent);
      if (longest.length >= good_length_) {
        take_way(at);
        take_match(longest);
        return;
      }
      if (longest.length == 0 && at == 0) {  // nothing to choose
        ++literals_;
        ++begin_;
        return;
      }
      reach(at + std::max<std::uint32_t>(longest.length, 1));
      add_literal(at);
      add_matches(at);
    }
    take_way(at);
  }

  /// The distances that are remembered, now that the cheapest way to a position is known.
  void arrive(std::uint32_t at) {
    Way& way = ways_[at];
    if (way.length == 0) {
      way.recent = ways_[at - 1].recent;
      return;
    }
    way.recent = ways_[at - way.length].recent;
    way.recent.take(way.recent.code_of(way.distance));
  }

  void find_matches(std::uint32_t position) {
    found_.clear();
    find_triple(position);
    if (!finder_.has_hash(position)) return;
    finder_.enter(position, [&](std::uint32_t length, std::uint32_t distance) {
      if (found_.empty() || length > found_.back().length) found_.push_back({length, distance});
    });
  }
  /// The nearest match of three bytes.
  void find_triple(std::uint32_t position) {
    if (count_ - position < 4) return;
    const std::uint32_t key =
        core::load<std::uint32_t>(reinterpret_cast<const std::uint8_t*>(bytes_ + position));
    std::uint32_t& last = triples_[(key << 8) * std::uint32_t{0x9e3779b1} >> (32 - triple_bits)];
    const std::uint32_t before = std::exchange(last, position + 1);
    if (before != 0 && position - before < max_match_distance &&
        equal_words(bytes_ + before - 1, bytes_ + position, 3) == 3)
      found_.push_back({3, position - (before - 1)});
  }
  void pass_over(std::uint32_t position) {
    found_.clear();
    find_triple(position);
    if (finder_.has_hash(position)) finder_.enter(position, [](std::uint32_t, std::uint32_t) {});
  }

  Found longest_match(std::uint32_t position, const RecentDistances& recent) {
    Found longest = found_.empty() ? Found{} : found_.back();
    for (std::uint32_t code = 0; code < RecentDistances::count; ++code) {
      const std::uint32_t distance = recent[code];
      recent_lengths_[code] = distance > position
                                  ? 0
                                  : equal_words(bytes_ + position - distance, bytes_ + position,
                                                std::min(count_ - position, good_length_));
      if (recent_lengths_[code] > longest.length) longest = {recent_lengths_[code], distance};
    }
    return longest;
  }

  void add_literal(std::uint32_t at) {
    const Way& way = ways_[at];
    const std::uint32_t price = way.price + prices_.literals(bytes_[begin_ + at]) +
                                prices_.literal_lengths(way.literals + 1) -
                                prices_.literal_lengths(way.literals);
    Way& next = ways_[at + 1];
    if (price >= next.price) return;
    next.price = price;
    next.length = 0;
    next.literals = way.literals + 1;
  }

  void add_matches(std::uint32_t at) {
    const Way& way = ways_[at];
    const std::uint32_t price = way.price + prices_.literal_lengths(0);
    for (std::uint32_t code = 0; code < RecentDistances::count; ++code) {
      if (!begins_too_late(at, way.recent[code]))
        add_lengths(at, 1, {recent_lengths_[code], way.recent[code]}, price + prices_.distance_codes(code));
    }
    std::uint32_t min_length = 1;
    for (const Found& found : found_) {
      if (way.length == 0 || way.distance != found.distance)
        add_lengths(at, min_length, found,
                    price + prices_.distance_codes(way.recent.code_of(found.distance)));
      min_length = found.length + 1;
    }
  }
  /// Whether a match with a remembered distance might as well have begun earlier, or have been longer: that
  /// is known already, and hardly costs more.
  [[nodiscard]] bool begins_too_late(std::uint32_t at, std::uint32_t distance) const {
    if (ways_[at].length > 0) return ways_[at].distance == distance;
    const std::uint32_t position = begin_ + at;
    return at > 0 && distance < position && bytes_[position - 1] == bytes_[position - 1 - distance];
  }
  void add_lengths(std::uint32_t at, std::uint32_t min_length, const Found& match, std::uint32_t price) {
    for (std::uint32_t length = match.length; length >= min_length; --length) {
      Way& way = ways_[at + length];
      const std::uint32_t whole = price + length_prices_[length - 1];
      if (whole >= way.price) continue;
      way.price = whole;
      way.length = length;
      way.distance = match.distance;
      way.literals = 0;
    }
  }

  /// Takes the best way to a position.
  void take_way(std::uint32_t at) {
    const std::size_t before = sequences_.size();
    const std::uint32_t trailing = ways_[at].literals;
    const std::uint32_t end = at;
    steps_.clear();
    while (at > 0) {
      const Way& way = ways_[at];
      if (way.length == 0) {
        --at;
        continue;
      }
      steps_.push_back({at - way.length, {way.length, way.distance}});
      at -= way.length;
    }
    std::uint32_t from = 0;
    for (; !steps_.empty(); steps_.pop_back()) {
      const auto& [start, match] = steps_.back();
      add_sequence(literals_ + start - from, match);
      literals_ = 0;
      from = start + match.length;
    }
    literals_ = sequences_.size() == before ? literals_ + end : trailing;
    begin_ += end;
  }
  void add_sequence(std::uint32_t literals, const Found& match) {
    const std::uint32_t code = recent_.code_of(match.distance);
    recent_.take(code);
    sequences_.push_back({literals, match.length, code});
  }
  /// A long one, which begins at the position that was just looked at.
  void take_match(Found match) {
    match.length += equal_words(bytes_ + begin_ + match.length - match.distance,
                                bytes_ + begin_ + match.length, count_ - begin_ - match.length);
    add_sequence(literals_, match);
    literals_ = 0;
    for (std::uint32_t i = 1; i < match.length; ++i) pass_over(begin_ + i);
    begin_ += match.length;
  }

  const std::uint8_t* bytes_;
  std::uint32_t count_, good_length_;
  const SequencePrices& prices_;
  std::array<std::uint32_t, max_good_length> length_prices_;  ///< Of matches of 1 byte, 2 ...
  TreeFinder finder_;
  std::vector<std::uint32_t> triples_;  ///< The last positions of hashes of three bytes, plus 1.
  std::vector<Way> ways_;               ///< To the positions from `begin_` on.
  std::vector<Found> found_;            ///< At the position that is looked at, longer and longer.
  std::array<std::uint32_t, RecentDistances::count> recent_lengths_{};
  std::vector<std::pair<std::uint32_t, Found>> steps_;
  std::uint32_t begin_ = 0, literals_ = 0;  ///< Bytes before it are parsed, the last ones to literals.
  RecentDistances recent_;
  std::vector<Sequence> sequences_;
};

}  // namespace

std::vector<Sequence> parse_optimally(std::span<const std::uint8_t> bytes, std::vector<Sequence> parsed,
                                      std::uint32_t effort, Scratch& scratch) {
  const std::uint32_t first = bytes.size() > max_bytes_of_all_rounds ? effort : 1;
  for (std::uint32_t round = first; round <= effort; ++round) {
    const SequencePrices prices(bytes, parsed);
    parsed = OptimalParser(bytes, good_length_of(effort), round, prices, scratch).parse();
  }
  return parsed;
}

}  // namespace floe::trees
