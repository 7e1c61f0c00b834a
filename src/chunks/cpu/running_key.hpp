// The key of a word's context, which words of the same context share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "chunks/stages/stages.hpp"
#include "core/word.hpp"

namespace floe::cpu {

/// The key of each word in turn, from the hashes of the three words before it. Equal contexts have equal
/// keys, and only they: the product with an odd number can be undone. It spreads contexts that differ in few
/// bits over all parts.
class RunningKey {
 public:
  /// For the word that follows `before` words.
  RunningKey(std::span<const std::uint8_t> content, std::size_t before) {
    for (std::size_t i = before - std::min<std::size_t>(before, stages::MatchHistory::context_words);
         i < before; ++i)
      advance(core::load<std::uint64_t>(content.data() + 8 * i));
  }
  [[nodiscard]] std::uint32_t key() const { return key_of(latest_ ^ before_ ^ oldest_); }
  static std::uint32_t key_of(std::uint32_t hashes) { return hashes * 0x9E3779B1u; }
  void advance(std::uint64_t word) {
    oldest_ = before_;
    before_ = latest_;
    latest_ = stages::MatchHistory::hash(word);
  }

 private:
  static_assert(stages::MatchHistory::context_words == 3);
  std::uint32_t latest_ = 0, before_ = 0, oldest_ = 0;
};

}  // namespace floe::cpu
