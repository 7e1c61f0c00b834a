// Random columns and trees, the segments that the CPU makes of them, and hashes of the first ones, which the
// device must tell, too.
#pragma once

#include "tests/series_cuda/trees.hpp"
#include "tests/support/frames.hpp"

namespace floe::test {

/// A random column, a tree for it, and its segments.
struct RandomTree {
  Column column;
  std::string tree, name;
  std::uint32_t segment_words = 0;
  std::vector<Bytes> segments;

  explicit RandomTree(std::uint64_t seed) {
    const DType type = word_types[core::splitmix(seed) % std::size(word_types)];
    const std::uint64_t count = 1 + core::splitmix(seed + 1) % (seed % 16 == 0 ? 60000 : 5000);
    auto columns = difficult_columns(type, count);
    auto& [data, chosen] = columns[core::splitmix(seed + 2) % columns.size()];
    column = std::move(chosen);
    const std::vector<std::string> patterns = device_trees(type);
    tree = seed % 3 == 0 ? patterns[core::splitmix(seed + 5) % patterns.size()]
                         : text_of(random_plan(core::splitmix(seed + 3), type, Drawn::recorded));
    name = tree + " on " + data + " of " + std::to_string(count) + " " + std::string(name_of(type));
    segment_words = 700 + static_cast<std::uint32_t>(core::splitmix(seed + 4) % 40000);
    const trees::Plan plan = trees::plan_from_text(tree, type).value();
    const std::size_t width = size_of(type);
    for (std::uint64_t first = 0; first < count; first += segment_words) {
      const std::uint64_t words = std::min<std::uint64_t>(segment_words, count - first);
      segments.push_back(ColumnEncoder(plan).encode({type, column.bytes.data() + first * width, words}));
    }
  }
};

inline std::uint64_t hash_of(const std::vector<Bytes>& segments) {
  std::uint64_t hash = 0;
  for (const Bytes& segment : segments) {
    hash = core::splitmix(hash + segment.size());
    for (const std::uint8_t byte : segment) hash = core::splitmix(hash + byte);
  }
  return hash;
}

inline constexpr std::uint64_t recorded_columns = 400;
inline constexpr std::uint64_t recorded_segments_hash = 10373499777284802582u;
/// Of the words that devices decode from them.
inline constexpr std::uint64_t recorded_words_hash = 13417838284644827313u;

}  // namespace floe::test
