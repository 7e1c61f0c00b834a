#include "chunks/cpu/match_share.hpp"

#include <vector>

#include "chunks/cpu/running_key.hpp"
#include "core/bits.hpp"

namespace floe::cpu {
namespace {

/// One context in so many is looked at, all words of it.
constexpr std::uint32_t contexts_per_sample = 64;

}  // namespace

std::uint32_t matches_in_thousand(std::span<const std::uint8_t> content) {
  const std::size_t words = content.size() / 8;
  // The latest word of a context. Contexts that share a slot drive each other out, which costs some matches.
  const unsigned bits = std::max(8u, core::bit_length(words / contexts_per_sample));
  std::vector<std::uint64_t> latest(std::size_t{1} << bits);
  RunningKey running(content, 0);
  std::uint64_t seen = 0, matches = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const auto word = core::load<std::uint64_t>(content.data() + 8 * i);
    const std::uint32_t key = running.key();
    running.advance(word);
    if (key % contexts_per_sample != 0) continue;
    std::uint64_t& slot = latest[key >> (32 - bits)];
    ++seen;
    matches += slot == word;
    slot = word;
  }
  return seen == 0 ? 0 : static_cast<std::uint32_t>(1000 * matches / seen);
}

}  // namespace floe::cpu
