// Trees for the tests of devices: every encoding that devices have, alone and in the patterns that share a
// chain.
#pragma once

#include <string>
#include <vector>

#include "core/splitmix.hpp"
#include "gpu/decode/decode_memory.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

inline std::vector<std::string> device_trees(DType type) {
  std::vector<std::string> trees = {
      "raw",
      "constant",
      "rle,raw,raw",
      "rle,bitpack,raw",
      "rle,sparse,bitpack,bitpack,raw",
      "rle,dict,bitpack,bitpack,bitpack,raw",
      "rle,delta,bitpack,raw",
      "rle,delta(2,2),bitpack,dict,raw,bitpack,raw",
      "rle,rle,bitpack,bitpack,sparse,bitpack,raw",
      "rle,split,bitpack,bitpack,bitpack,raw",
      "rle,stride_split(2),bitpack,bitpack,raw",
      "sparse,bitpack,raw",
      "sparse,delta(1,3),bitpack,raw",
      "dict,raw,bitpack,raw",
      "dict(1,3),raw,bitpack,raw",
      "dict(0,2),raw,rle,bitpack,bitpack,raw",
      "stride_split(2),raw,raw",
      "stride_split(5),sparse,bitpack,raw,raw,raw,rle,bitpack,raw,raw",
      "split(2),bitpack,raw,raw",
      "split(3),rle,bitpack,bitpack,raw,rle,bitpack,raw",
      "split(2),bitpack,constant,sparse,bitpack,raw",
      "dict(2,4),raw,bitpack,constant",
      "divide(3,2),bitpack,bitpack",
      "rle,divide(2,0),bitpack,bitpack,divide(1,3),delta,bitpack,rle,bitpack,bitpack"};
  const std::vector<std::string> of_integers = {"bitpack",
                                                "delta,bitpack",
                                                "delta(2,1),bitpack",
                                                "delta(1,2),bitpack",
                                                "delta(2,7),bitpack",
                                                "delta(1,64),raw",
                                                "int_mult,bitpack",
                                                "delta,int_mult,delta,bitpack",
                                                "int_mult,delta(2,1),raw",
                                                "delta,rle,bitpack,bitpack",
                                                "delta,dict,bitpack,bitpack,bitpack",
                                                "delta,dict(0,3),bitpack,bitpack,bitpack",
                                                "delta,split,bitpack,sparse,bitpack,raw,constant",
                                                "int_mult,delta,split(1),bitpack,bitpack,bitpack",
                                                "split,bitpack,bitpack,bitpack",
                                                "split(1),bitpack,bitpack,delta,bitpack",
                                                "rle,bitpack,delta,bitpack",
                                                "rle,delta,bitpack,delta,int_mult,bitpack",
                                                "dict(1,65535),delta,bitpack,delta,bitpack,bitpack",
                                                "sparse,bitpack,delta,bitpack"};
  const std::vector<std::string> of_floats = {"sortable,bitpack",
                                              "sortable,delta,bitpack",
                                              "sortable,rle,bitpack,bitpack",
                                              "decimal(1,4),bitpack,bitpack,raw",
                                              "decimal(2,4),delta,bitpack,bitpack,dict,raw,bitpack,raw",
                                              "decimal(0,4),rle,bitpack,delta,bitpack,bitpack,raw",
                                              "decimal(1,4),dict,bitpack,bitpack,bitpack,bitpack,raw",
                                              "dict,sortable,bitpack,delta,bitpack,raw",
                                              "rle,bitpack,decimal(1,4),bitpack,bitpack,raw"};
  const std::vector<std::string>& more = is_float(type) ? of_floats : of_integers;
  trees.insert(trees.end(), more.begin(), more.end());
  if (type == DType::f64) {
    trees.emplace_back("decimal(2,8),bitpack,bitpack,raw");
    trees.emplace_back("decimal(1,8),delta(2,1),bitpack,bitpack,raw");
    trees.emplace_back("decimal(1,8),int_mult,delta,bitpack,bitpack,raw");
  }
  std::erase_if(trees, [type](const std::string& tree) { return !trees::plan_from_text(tree, type); });
  return trees;
}

/// Those and more, for what is decoded only: hashes of what device_trees makes are recorded.
inline std::vector<std::string> decoded_trees(DType type) {
  std::vector<std::string> trees = device_trees(type);
  trees.emplace_back("rle,constant,raw");
  const std::vector<std::string> of_integers = {
      "rle,bitpack,bitpack",
      "rle,constant,bitpack",
      "rle,bitpack,constant",
      "rle,constant,constant",
      "rle,delta(1,2),bitpack,delta(1,2),bitpack",
      "rle,int_mult,delta,int_mult,bitpack,int_mult,delta(1,3),int_mult,bitpack",
      "entropy",
      "delta,entropy",
      "delta(2,3),entropy",
      "int_mult,delta,entropy",
      "rle,entropy,entropy",
      "rle,delta,entropy,delta,bitpack",
      "dict,entropy,entropy,entropy",
      "dict(0,3),bitpack,entropy,bitpack",
      "split,entropy,entropy,entropy",
      "stride_split(3),entropy,raw,delta,entropy",
      "multi_entropy",
      "delta(2,3),multi_entropy(3)",
      "rle,multi_entropy,delta,multi_entropy",
      "unique,delta,bitpack,entropy",
      "delta(1,65),bitpack",
      "delta(2,70),delta,entropy",
      "delta(1,257),int_mult,delta(2,1000),bitpack",
      "rle,delta(1,100),bitpack,raw",
      "divide(3,1),entropy,entropy"};
  const std::vector<std::string> of_floats = {"rle,bitpack,sortable,delta,bitpack",
                                              "decimal(1,4),dict,raw,bitpack,raw,bitpack,raw",
                                              "sortable,entropy",
                                              "sortable,delta,entropy",
                                              "decimal(2,4),delta,entropy,entropy,raw",
                                              "sparse,entropy,sortable,entropy",
                                              "sortable,delta,multi_entropy(3)",
                                              "sortable,delta(2,100),multi_entropy(1)",
                                              "unique,raw,bitpack",
                                              "grid,delta,bitpack,raw,bitpack,raw",
                                              "grid,raw,entropy,raw,sortable,bitpack",
                                              "rle,bitpack,grid,bitpack,rle,bitpack,bitpack,raw,raw",
                                              "affine(1,4),delta,bitpack,raw,raw,bitpack,raw",
                                              "affine(3,4),bitpack,entropy,sortable,bitpack,raw,raw",
                                              "affine(64,4),raw,constant,raw,raw,raw",
                                              "affine(1,8),delta,entropy,raw,raw,bitpack,raw"};
  const std::vector<std::string>& more = is_float(type) ? of_floats : of_integers;
  trees.insert(trees.end(), more.begin(), more.end());
  std::erase_if(trees, [type](const std::string& tree) { return !trees::plan_from_text(tree, type); });
  return trees;
}

/// Of which encodings are random plans? `recorded` are those that devices encoded when hashes were recorded.
enum class Drawn { recorded, encoded_by_devices, decoded_by_devices, every };

inline void add_random_node(std::uint64_t& seed, DType type, unsigned depth, Drawn drawn, trees::Plan& plan) {
  while (true) {
    seed = core::splitmix(seed);
    const auto all =
        trees::all_encodings().first(drawn == Drawn::recorded ? 16 : trees::all_encodings().size());
    const trees::Encoding& encoding = all[seed % all.size()];
    trees::PlanNode node{encoding.id, {}};
    for (unsigned i = 0; i < encoding.parameter_count; ++i) {
      const trees::ParameterRange range = encoding.ranges[i];
      seed = core::splitmix(seed);
      const std::uint32_t max_value = encoding.id == trees::EncodingId::dict ? range.max
                                      : encoding.id == trees::EncodingId::stride_split
                                          ? trees::StrideSplitRules::max_on_devices
                                          : std::min(range.max, range.min + 7);
      node.parameters[i] = range.min + static_cast<std::uint32_t>(seed % (max_value - range.min + 1));
    }
    if (drawn != Drawn::recorded && encoding.id == trees::EncodingId::delta && seed % 3 == 0)
      node.parameters[1] =
          trees::DeltaRules::max_near_stride + 1 + static_cast<std::uint32_t>(seed / 3 % 3000);
    const unsigned children = encoding.children_of(node.parameters);
    const bool has_room = children == 0 || (depth < 5 && plan.nodes.size() + children < 24);
    const bool is_drawn = drawn == Drawn::every || trees::has_device_form(encoding.id) ||
                          (drawn == Drawn::decoded_by_devices && trees::is_decoded_by_devices(encoding.id));
    if (!is_drawn || !has_room || !encoding.accepts(type, node.parameters)) continue;
    plan.nodes.push_back(node);
    for (unsigned child = 0; child < children; ++child)
      add_random_node(seed, encoding.child_type(type, node.parameters, child), depth + 1, drawn, plan);
    return;
  }
}

inline trees::Plan random_plan(std::uint64_t seed, DType type, Drawn drawn = Drawn::encoded_by_devices) {
  trees::Plan plan;
  add_random_node(seed, type, 1, drawn, plan);
  return plan;
}

/// A tree of so many parts, each of them of so many, or of one, as it is.
inline trees::Plan split_evenly(unsigned parts, unsigned parts_of_parts) {
  trees::Plan plan{{{trees::EncodingId::stride_split, {parts, 0}}}};
  for (unsigned i = 0; i < parts; ++i) {
    if (parts_of_parts > 1) plan.nodes.push_back({trees::EncodingId::stride_split, {parts_of_parts, 0}});
    plan.nodes.insert(plan.nodes.end(), parts_of_parts, {trees::EncodingId::raw, {}});
  }
  return plan;
}
/// Trees at the limits of what devices have room for, and beyond; the last one has its parts one behind the
/// other.
inline std::vector<trees::Plan> trees_at_limits() {
  return {split_evenly(7, 8),
          split_evenly(8, 8),
          split_evenly(8, 1),
          split_evenly(9, 1),
          {{{trees::EncodingId::stride_split, {67, 0}}, {trees::EncodingId::raw, {}}}}};
}

}  // namespace floe::test
