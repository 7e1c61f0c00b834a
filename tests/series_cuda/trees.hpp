// Trees for the tests of devices: every encoding that devices have, alone and in the patterns that share a chain.
#pragma once

#include <string>
#include <vector>

#include "core/splitmix.hpp"
#include "gpu/decode/node.hpp"
#include "tests/series/columns.hpp"

namespace floe::test {

inline std::vector<std::string> device_trees(Type type) {
  std::vector<std::string> trees = {"raw",
                                    "constant",
                                    "rle,raw,raw",
                                    "rle,afl,raw",
                                    "rle,freq,afl,afl,raw",
                                    "rle,dict,afl,afl,afl,raw",
                                    "rle,delta,afl,raw",
                                    "rle,delta(2,2),afl,dict,raw,afl,raw",
                                    "rle,rle,afl,afl,freq,afl,raw",
                                    "rle,split,afl,afl,afl,raw",
                                    "rle,stride_split(2),afl,afl,raw",
                                    "freq,afl,raw",
                                    "freq,delta(1,3),afl,raw",
                                    "dict,raw,afl,raw",
                                    "dict(1,3),raw,afl,raw",
                                    "dict(0,2),raw,rle,afl,afl,raw",
                                    "stride_split(2),raw,raw",
                                    "stride_split(5),freq,afl,raw,raw,raw,rle,afl,raw,raw",
                                    "split(2),afl,raw,raw",
                                    "split(3),rle,afl,afl,raw,rle,afl,raw",
                                    "split(2),afl,constant,freq,afl,raw",
                                    "dict(2,4),raw,afl,constant",
                                    "divide(3,2),afl,afl",
                                    "rle,divide(2,0),afl,afl,divide(1,3),delta,afl,rle,afl,afl"};
  const std::vector<std::string> of_integers = {"afl",
                                                "delta,afl",
                                                "delta(2,1),afl",
                                                "delta(1,2),afl",
                                                "delta(2,7),afl",
                                                "delta(1,64),raw",
                                                "scale,afl",
                                                "delta,scale,delta,afl",
                                                "scale,delta(2,1),raw",
                                                "delta,rle,afl,afl",
                                                "delta,dict,afl,afl,afl",
                                                "delta,dict(0,3),afl,afl,afl",
                                                "delta,split,afl,freq,afl,raw,constant",
                                                "scale,delta,split(1),afl,afl,afl",
                                                "split,afl,afl,afl",
                                                "split(1),afl,afl,delta,afl",
                                                "rle,afl,delta,afl",
                                                "rle,delta,afl,delta,scale,afl",
                                                "dict(1,65535),delta,afl,delta,afl,afl",
                                                "freq,afl,delta,afl"};
  const std::vector<std::string> of_floats = {"ordered,afl",
                                              "ordered,delta,afl",
                                              "ordered,rle,afl,afl",
                                              "decimal(1,4),afl,afl,raw",
                                              "decimal(2,4),delta,afl,afl,dict,raw,afl,raw",
                                              "decimal(0,4),rle,afl,delta,afl,afl,raw",
                                              "decimal(1,4),dict,afl,afl,afl,afl,raw",
                                              "dict,ordered,afl,delta,afl,raw",
                                              "rle,afl,decimal(1,4),afl,afl,raw"};
  const std::vector<std::string>& more = series::is_float(type) ? of_floats : of_integers;
  trees.insert(trees.end(), more.begin(), more.end());
  if (type == Type::f64) {
    trees.emplace_back("decimal(2,8),afl,afl,raw");
    trees.emplace_back("decimal(1,8),delta(2,1),afl,afl,raw");
    trees.emplace_back("decimal(1,8),scale,delta,afl,afl,raw");
  }
  return trees;
}

/// Those and more, for what is decoded only: hashes of what device_trees makes are recorded.
inline std::vector<std::string> decoded_trees(Type type) {
  std::vector<std::string> trees = device_trees(type);
  trees.emplace_back("rle,constant,raw");
  const std::vector<std::string> of_integers = {"rle,afl,afl",
                                                "rle,constant,afl",
                                                "rle,afl,constant",
                                                "rle,constant,constant",
                                                "rle,delta(1,2),afl,delta(1,2),afl",
                                                "rle,scale,delta,scale,afl,scale,delta(1,3),scale,afl"};
  const std::vector<std::string> of_floats = {"rle,afl,ordered,delta,afl", "decimal(1,4),dict,raw,afl,raw,afl,raw"};
  const std::vector<std::string>& more = series::is_float(type) ? of_floats : of_integers;
  trees.insert(trees.end(), more.begin(), more.end());
  return trees;
}

/// A plan at random, of encodings that devices have.
inline void add_random_node(std::uint64_t& seed, Type type, unsigned depth, series::Plan& plan) {
  while (true) {
    seed = core::splitmix(seed);
    const auto& all = series::all_encodings();
    const series::Encoding& encoding = all[seed % all.size()];
    series::PlanNode node{encoding.id, {}};
    for (unsigned i = 0; i < encoding.parameter_count; ++i) {
      const series::ParameterRange range = encoding.ranges[i];
      seed = core::splitmix(seed);
      const std::uint32_t most = encoding.id == series::EncodingId::dict ? range.most : std::min(range.most, range.least + 7);
      node.parameters[i] = range.least + static_cast<std::uint32_t>(seed % (most - range.least + 1));
    }
    const unsigned children = encoding.children_of(node.parameters);
    const bool has_room = children == 0 || (depth < 5 && plan.nodes.size() + children < 24);
    if (!series_cuda::decodes(encoding.id) || !has_room || !encoding.accepts(type, node.parameters)) continue;
    plan.nodes.push_back(node);
    for (unsigned child = 0; child < children; ++child)
      add_random_node(seed, encoding.child_type(type, node.parameters, child), depth + 1, plan);
    return;
  }
}

inline series::Plan random_plan(std::uint64_t seed, Type type) {
  series::Plan plan;
  add_random_node(seed, type, 1, plan);
  return plan;
}

}  // namespace floe::test
