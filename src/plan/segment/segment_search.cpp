#include "plan/segment/segment_search.hpp"

#include "plan/segment/best_tree.hpp"
#include "plan/tree_time.hpp"

namespace floe::trees {
namespace {

/// Of a short segment, the plan may take more bytes than the tree saves.
bool is_worth_its_plan(const EncodedTree& tree, const ColumnView& segment, const Plan& raw) {
  return written_bytes(tree.plan) + tree.body.size() <= written_bytes(raw) + segment.bytes();
}

}  // namespace

EncodedTree encode_searched(const ColumnView& segment, const Objective& objective, Scratch& scratch,
                            bool is_whole, std::optional<std::uint64_t>* codec_bytes,
                            std::span<const Plan> similar) {
  // What is fast enough anyway is stored as if no speed was demanded.
  if (objective.decode_megabytes_per_second > 0) {
    Objective any_speed = objective;
    any_speed.decode_megabytes_per_second = 0;
    EncodedTree tree = encode_searched(segment, any_speed, scratch);
    if (keeps_speed(tree, segment, objective)) return tree;
  }
  SegmentSearch search(segment, objective, scratch, is_whole);
  if (codec_bytes != nullptr) *codec_bytes = search.codec_bytes();
  EncodedTree tree = *search.best_tree({}, similar);
  const Plan raw{{{EncodingId::raw, {}}}};
  return is_worth_its_plan(tree, segment, raw) ? std::move(tree) : encode_tree(segment, raw, scratch);
}

std::optional<EncodedTree> encode_searched_below(std::uint64_t known_bytes, const ColumnView& segment,
                                                 const Objective& objective, Scratch& scratch) {
  return SegmentSearch(segment, objective, scratch, false).best_tree(known_bytes);
}

}  // namespace floe::trees
