// MatchHistory over a segment, as sequentially as it is defined: a list of earlier positions per key.
#pragma once

#include <unordered_map>
#include <vector>

#include "chunks/stages/stages.hpp"

namespace floe::oracle {

/// n words to 2n words: values, then distances.
inline std::vector<std::uint64_t> encode_history(const std::vector<std::uint64_t>& words) {
  using Stage = stages::MatchHistory;
  const std::size_t n = words.size();
  std::vector<std::uint64_t> out(2 * n, 0);
  std::unordered_map<std::uint32_t, std::vector<std::size_t>>
      positions;  // looked up by key only, never iterated
  for (std::size_t i = 0; i < n; ++i) {
    std::uint32_t key = 0;
    for (std::size_t back = 1; back <= Stage::context_words && back <= i; ++back)
      key ^= Stage::hash(words[i - back]);
    std::vector<std::size_t>& earlier = positions[key];
    out[i] = words[i];
    for (std::size_t c = 0; c < Stage::candidates && c < earlier.size(); ++c) {
      const std::size_t candidate = earlier[earlier.size() - 1 - c];
      if (words[candidate] != words[i]) continue;
      out[i] = 0;
      out[n + i] = i - candidate;
      break;
    }
    earlier.push_back(i);
  }
  return out;
}

/// 2n words back to n words. False if a distance leads before the first word.
inline bool decode_history(const std::vector<std::uint64_t>& values_and_distances,
                           std::vector<std::uint64_t>& words) {
  const std::size_t n = values_and_distances.size() / 2;
  words.assign(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t distance = values_and_distances[n + i];
    if (distance > i) return false;
    words[i] = distance == 0 ? values_and_distances[i] : words[i - distance];
  }
  return true;
}

}  // namespace floe::oracle
