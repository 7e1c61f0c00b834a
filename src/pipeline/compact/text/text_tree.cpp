#include "pipeline/compact/text/text_tree.hpp"

#include <string_view>

namespace floe::pipeline {
namespace {

using Pair = std::array<std::uint16_t, 2>;

constexpr std::uint16_t leaf(std::uint32_t byte) {
  return static_cast<std::uint16_t>(TextTree::byte_flag | byte);
}
constexpr std::uint16_t byte(char c) { return leaf(static_cast<std::uint8_t>(c)); }
constexpr std::uint16_t first_node(unsigned group) {
  return static_cast<std::uint16_t>(group << TextTree::group_bits | 1);
}

/// Of what most tables consist: from node 1 on.
constexpr std::array<Pair, 15> first_group{{{2, 11},
                                            {3, 4},
                                            {byte('0'), byte('1')},
                                            {5, 8},
                                            {6, 7},
                                            {byte('2'), byte('3')},
                                            {byte('4'), byte('5')},
                                            {9, 10},
                                            {byte('6'), byte('7')},
                                            {byte('8'), byte('9')},
                                            {byte(','), 12},
                                            {13, 15},
                                            {byte('.'), 14},
                                            {byte('"'), byte('\n')},
                                            {first_node(1), first_node(2)}}};
/// Sixteen bytes each, or fewer and then groups.
constexpr std::array<std::string_view, 3> listed_groups{"eatsionrlcmud -g", "/\r;\t:hypfbANES",
                                                        "MLCFIDRTWOBPUGvw"};
constexpr unsigned group_of_halves =
    4;  ///< By the upper half of a byte; behind it one for each, by the lower.

std::uint16_t listed(unsigned group, unsigned position) {
  const std::string_view bytes = listed_groups[group - 1];
  return position < bytes.size() ? byte(bytes[position])
                                 : first_node(group + 1 + position - static_cast<unsigned>(bytes.size()));
}

}  // namespace

TextTree::TextTree(std::uint8_t separator, TextKind kind)
    : root_(first_node(kind == TextKind::letters ? group_of_halves : 0)) {
  const auto exchanged = [&](std::uint16_t to) -> std::uint16_t {
    if (to == byte(',')) return leaf(separator);
    return to == leaf(separator) ? byte(',') : to;
  };
  for (unsigned node = 1; node < 16; ++node) {
    for (unsigned bit = 0; bit < 2; ++bit) {
      next_[node][bit] = exchanged(first_group[node - 1][bit]);
      const unsigned below = 2 * node + bit, position = below & 15;
      for (unsigned group = 1; group < group_count; ++group) {
        std::uint16_t& next = next_[group << group_bits | node][bit];
        if (below < 16)
          next = static_cast<std::uint16_t>(group << group_bits | below);
        else if (group < group_of_halves)
          next = exchanged(listed(group, position));
        else if (group == group_of_halves)
          next = first_node(group + 1 + position);
        else
          next = leaf((group - group_of_halves - 1) << 4 | position);
      }
    }
  }
  find_paths(root_, {});
}

void TextTree::find_paths(std::uint32_t node, Path path) {
  ++path.length;
  for (unsigned bit = 0; bit < 2; ++bit) {
    const std::uint16_t next = next_[node][bit];
    const Path longer{path.bits << 1 | bit, path.length};
    if ((next & byte_flag) == 0) {
      find_paths(next, longer);
    } else if (Path& known = paths_[next & 255]; known.length == 0 || longer.length < known.length) {
      known = longer;
    }
  }
}

}  // namespace floe::pipeline
