#include "plan/tree_time.hpp"

#include "chunks/codecs/codecs.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "plan/search/dict_growth.hpp"

namespace floe::trees {
namespace {

/// Adds the times of the sub-tree at `node`, and moves behind it.
void add_times(const EncodedTree& tree, std::size_t& node, DType type, const Objective& objective,
               TreeTime& sum) {
  const PlanNode& at = tree.plan.nodes[node];
  const Encoding& encoding = encoding_of(at.encoding);
  const std::uint64_t words = tree.sizes[node++].words_bytes / size_of(type);
  const EncodingTime time = time_of(at, objective);
  sum.encode_picoseconds += words * time.encode_picoseconds;
  sum.decode_picoseconds += words * time.decode_picoseconds;
  if (is_dictionary(at.encoding) && !objective.for_devices) {
    const std::uint64_t entries =
        tree.sizes[node].words_bytes / size_of(encoding.child_type(type, at.parameters, 0));
    sum.encode_picoseconds += entries * time_of_entry.encode_picoseconds;
  }
  for (unsigned child = 0; child < encoding.children_of(at.parameters); ++child)
    add_times(tree, node, encoding.child_type(type, at.parameters, child), objective, sum);
}

}  // namespace

// Codecs with bit planes take twice as long as the others, those with a stage over the segment much longer.
// Narrow floats that keep all digits are not rounded; for significant digits, magnitudes are looked up first.
// Parts that share a child are gathered in blocks.
EncodingTime time_of(const PlanNode& node, const Objective& objective) {
  EncodingTime time = time_of(objective, encoding_of(node.encoding));
  if (node.encoding == EncodingId::narrow && node.parameters[1] != 1) {
    const bool is_rounded = node.parameters[1] == 2;
    time.encode_picoseconds = time.encode_picoseconds * (is_rounded ? 7 : 3) / 4;
    time.decode_picoseconds = time.decode_picoseconds * (is_rounded ? 9 : 2) / 4;
  }
  if (node.encoding == EncodingId::stride_split && StrideSplitRules::has_one_child(node.parameters[0])) {
    time.encode_picoseconds *= 3;
    time.decode_picoseconds *= 4;
  }
  if (node.encoding != EncodingId::codec) return time;
  const registry::CodecEntry& codec = *registry::find_codec(static_cast<std::uint16_t>(node.parameters[0]));
  const bool has_planes = codec.id == chunk_codecs::SpRatio::id;
  time.encode_picoseconds *= codec.has_history ? 150 : has_planes ? 2 : 1;
  time.decode_picoseconds *= codec.has_history ? 50 : has_planes ? 2 : 1;
  return time;
}

TreeTime time_of(const EncodedTree& tree, DType type, const Objective& objective) {
  TreeTime sum;
  std::size_t node = 0;
  add_times(tree, node, type, objective, sum);
  return sum;
}

bool keeps_speed(const EncodedTree& tree, const ColumnView& stream, const Objective& objective) {
  if (objective.decode_megabytes_per_second == 0) return true;
  constexpr std::uint64_t picoseconds_per_microsecond = 1'000'000;  // in which one byte comes at 1 MB/s
  return time_of(tree, stream.type, objective).decode_picoseconds <=
         stream.bytes() * picoseconds_per_microsecond / objective.decode_megabytes_per_second;
}

bool is_preferred(const EncodedTree& tree, const EncodedTree& other, const ColumnView& stream,
                  const Objective& objective) {
  const bool is_fast_enough = keeps_speed(tree, stream, objective);
  if (is_fast_enough != keeps_speed(other, stream, objective)) return is_fast_enough;
  if (is_fast_enough) return stored_bytes(tree) < stored_bytes(other);
  return time_of(tree, stream.type, objective).decode_picoseconds <
         time_of(other, stream.type, objective).decode_picoseconds;
}

}  // namespace floe::trees
