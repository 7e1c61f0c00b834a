#include "pipeline/compact/neighbours.hpp"

#include <algorithm>

#include "core/type.hpp"
#include "pipeline/compact/sketch.hpp"

namespace floe::pipeline {
namespace {

/// There are no more.
constexpr std::size_t max_groups = 1000;

struct Group {
  std::size_t streams;
  Sketch sketch;
  std::uint64_t cost;
};

/// What is saved if two groups become one; 0 if nothing is.
std::uint64_t saved_by_joining(const Group& a, const Group& b, std::uint64_t group_cost) {
  Sketch both = a.sketch;
  both.add(b.sketch);
  const std::uint64_t apart = a.cost + b.cost + group_cost;
  return apart - std::min(apart, both.cost());
}

void join(Group& a, const Group& b) {
  a.streams += b.streams;
  a.sketch.add(b.sketch);
  a.cost = a.sketch.cost();
}

/// Each stream joins the group before it, or begins one.
std::vector<Group> first_groups(const trees::ColumnView& words, std::span<const std::uint64_t> counts,
                                std::uint64_t group_cost) {
  std::vector<Group> groups;
  const auto* bytes = static_cast<const std::uint8_t*>(words.values);
  for (const std::uint64_t count : counts) {
    Group next{1, Sketch({words.type, bytes, count}), 0};
    next.cost = next.sketch.cost();
    bytes += count * size_of(words.type);
    if (!groups.empty() && saved_by_joining(groups.back(), next, group_cost) > 0)
      join(groups.back(), next);
    else
      groups.push_back(std::move(next));
  }
  return groups;
}

/// Neighbours become one group, always those that save the most by it.
void join_neighbours(std::vector<Group>& groups, std::uint64_t group_cost) {
  std::vector<std::uint64_t> saved;  // by each group with the next one
  const auto saved_at = [&](std::size_t i) { return saved_by_joining(groups[i], groups[i + 1], group_cost); };
  for (std::size_t i = 0; i + 1 < groups.size(); ++i) saved.push_back(saved_at(i));
  while (!saved.empty()) {
    const auto largest = std::max_element(saved.begin(), saved.end());
    if (*largest == 0) return;
    const auto best = static_cast<std::size_t>(largest - saved.begin());
    join(groups[best], groups[best + 1]);
    groups.erase(groups.begin() + static_cast<std::ptrdiff_t>(best) + 1);
    saved.erase(largest);
    if (best < saved.size()) saved[best] = saved_at(best);
    if (best > 0) saved[best - 1] = saved_at(best - 1);
  }
}

}  // namespace

std::vector<std::size_t> group_neighbours(const trees::ColumnView& words,
                                          std::span<const std::uint64_t> counts, std::uint64_t group_bytes) {
  std::uint64_t group_cost = group_bytes * trees::cost_of_byte;
  std::vector<Group> groups = first_groups(words, counts, group_cost);
  while (groups.size() > max_groups) groups = first_groups(words, counts, group_cost *= 2);
  join_neighbours(groups, group_cost);
  std::vector<std::size_t> streams;
  for (const Group& group : groups) streams.push_back(group.streams);
  return streams;
}

}  // namespace floe::pipeline
