// What a stream is parsed into: sequences of some literals and a match each, and literals behind the last
// one.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/word.hpp"
#include "encodings/rules.hpp"
#include "encodings/scratch.hpp"

namespace floe::trees {

/// Some words as they are, then so many that stand at a distance before.
struct Sequence {
  std::uint32_t literals = 0, length = 0;
  std::uint32_t distance_code = 0;
};

/// The three last distances, most recent first. A distance that is one of them has its position as its code.
class RecentDistances {
 public:
  static constexpr std::uint32_t count = 3;

  [[nodiscard]] std::uint32_t operator[](std::uint32_t position) const { return distances_[position]; }
  [[nodiscard]] std::uint32_t code_of(std::uint32_t distance) const {
    for (std::uint32_t position = 0; position < count; ++position) {
      if (distances_[position] == distance) return position;
    }
    return distance + (count - 1);
  }
  /// The distance of a code, which becomes the most recent one.
  std::uint32_t take(std::uint32_t code) {
    const std::uint32_t distance = code < count ? distances_[code] : code - (count - 1);
    if (code != 0) {
      distances_[2] = code == 1 ? distances_[2] : distances_[1];
      distances_[1] = distances_[0];
      distances_[0] = distance;
    }
    return distance;
  }

 private:
  std::array<std::uint32_t, count> distances_ = {1, 2, 3};
};

/// Costs of encoders are in 1/256 bit.
inline constexpr std::uint32_t match_cost_of_bit = 256;

/// How a stream is parsed; `literal_cost` is about what a word costs that is in no match.
struct ParseOptions {
  std::uint32_t effort = 0;
  std::uint32_t literal_cost = 0;
};

/// Chooses matches by what they save, one after the other, and looks a word or two ahead. Throws
/// std::bad_alloc.
template <core::Word W>
std::vector<Sequence> parse_lazily(std::span<const W> words, const ParseOptions& options, Scratch& scratch);
/// The same, by matches of these words that other parses with an effort find, too.
template <core::Word W>
class FoundMatches;
template <core::Word W>
std::vector<Sequence> parse_lazily(std::span<const W> words, const ParseOptions& options,
                                   FoundMatches<W>& found);

/// Chooses the sequences of bytes that cost least by prices from an earlier parse, first from `parsed`, in as
/// many rounds as `effort`, which is not 0. Throws std::bad_alloc.
std::vector<Sequence> parse_optimally(std::span<const std::uint8_t> bytes, std::vector<Sequence> parsed,
                                      std::uint32_t effort, Scratch& scratch);

}  // namespace floe::trees
