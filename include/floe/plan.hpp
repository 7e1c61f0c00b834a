// floe: what compression made of segments, and why. Options::on_segment gets it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// What a tree takes, in nanoseconds for each word of its stream, of one thread.
struct TreeSpeed {
  double encode_nanoseconds = 0, decode_nanoseconds = 0;
};

/// A tree that could encode a stream: the best one for its encoding at the root, or where time counts more or
/// less.
struct CandidateTree {
  std::string tree;
  std::uint64_t estimated_bytes = 0;  ///< From samples, as a planner sees it.
  std::uint64_t encoded_bytes = 0;    ///< What it makes of the whole stream.
  TreeSpeed estimated_speed;          ///< Going by the times of its encodings, as a planner sees it.
  TreeSpeed measured_speed;           ///< On this machine, once; differs from run to run.
  bool is_unbeaten = false;  ///< No other candidate is as small and, by estimate, decoded as fast, and better
                             ///< in one of both.
  bool keeps_speed = true;   ///< Whether it is as fast as Options::decode_megabytes_per_second demands.
};

/// A node of a tree, and what became of its words.
struct TreeNode {
  std::string encoding;  ///< With its parameters.
  std::string role;      ///< What its words are to its parent: "lengths"; empty for the root.
  std::uint32_t child_count = 0;
  std::uint64_t word_count = 0, word_bytes = 0;  ///< Of all its words.
  std::uint64_t encoded_bytes = 0;               ///< Of the node and all below it.
};

/// How a stream of a column was encoded.
struct PlannedStream {
  DType words = DType::u8;  ///< Their type.
  std::uint64_t word_count = 0, stored_bytes = 0;
  std::uint64_t part_count = 1;  ///< Parts of different kinds, each with a tree of its own.
  // Only of explained segments:
  std::vector<TreeNode> nodes;            ///< The tree of the longest part, in pre-order.
  std::vector<CandidateTree> candidates;  ///< For the whole stream, smallest estimate first. The tree of the
                                          ///< first part is one of them.
};

struct PlannedColumn {
  std::uint64_t source_bytes = 0;  ///< The cells of CSV text with the separators behind them, or the values.
  std::vector<PlannedStream> streams;
};

/// What compression made of a segment, and why.
struct PlannedSegment {
  StoredSegment stored;
  std::uint64_t source_bytes = 0;  ///< Elements, or text or records of the segment's rows, padding included.
  std::vector<PlannedColumn> columns;  ///< As many as stored.columns.
};

}  // namespace floe

#pragma GCC visibility pop
