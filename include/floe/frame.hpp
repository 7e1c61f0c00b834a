// What frames say about themselves, and what compression made of segments, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "floe/types.hpp"

#pragma GCC visibility push(default)

namespace floe {

// ---- what frames say

enum class Content : std::uint8_t { array = 0, table = 1 };

/// Where the rows of a table come from.
enum class TableSource : std::uint8_t {
  csv = 0,      ///< Text. It comes back byte by byte.
  records = 1,  ///< Binary records: the values of a row one behind the other, little-endian, then padding.
                ///< They come back byte by byte.
  columns = 2,  ///< Arrays in memory. They come back as records.
};

/// A column of a table.
struct Column {
  std::string name;
  DType type = DType::text;
  std::uint8_t decimals = 6;  ///< Digits behind the point when floating-point numbers are printed.
  friend bool operator==(const Column&, const Column&) = default;
};
using Schema = std::vector<Column>;

/// What a frame says about itself.
struct FrameInfo {
  Content content = Content::array;
  // Arrays
  DType dtype = DType::u8;
  Extent extent;
  std::vector<std::byte> prefix;  ///< Options::prefix.
  // Tables
  TableSource source = TableSource::csv;
  Schema columns;
  std::uint32_t padding_bytes = 0;
  // Both
  std::uint64_t element_count = 0;  ///< Rows, for a table.
  std::uint32_t format_version = 0;
  bool has_checksums = false;
  std::uint64_t max_segment_length = 0;  ///< No segment has more elements, or rows.
  std::uint64_t segment_count = 0;
  std::uint64_t frame_bytes = 0;
  std::uint64_t digest = 0;  ///< Of all checksums.

  /// Bytes of an array's elements.
  [[nodiscard]] std::uint64_t array_bytes() const noexcept { return element_count * size_of(dtype); }
};

/// The smallest and the largest number of a column in a segment, or of a segment of an array; NaN, and cells
/// without a number, do not count.
struct ValueBounds {
  bool is_known = false;
  double min = 0, max = 0;  ///< 64-bit integers are rounded outwards.
};

/// A column of one segment as it is stored. An array is one column.
struct StoredColumn {
  std::string cell_format;  ///< How its cells are written, e.g. "decimals, 2 digits".
  std::vector<std::string>
      trees;  ///< The tree of encodings of each of its streams, of the first part if there are several.
  std::uint64_t stored_bytes = 0;
  std::uint64_t exception_count = 0;  ///< Cells that are kept as text.
  ValueBounds bounds;
};
/// How the chunks of a codec are stored.
struct ChunkCounts {
  std::uint64_t chunks = 0, raw = 0, coded = 0;
  std::uint64_t payload_bytes = 0;  ///< Stored bytes of chunks, without padding and tables.
};
struct StoredSegment {
  std::uint64_t first = 0, count = 0;  ///< Elements or rows.
  std::uint64_t offset = 0, stored_bytes = 0;
  std::vector<StoredColumn> columns;
  ChunkCounts chunks;  ///< Of the streams that are nothing but a codec.
};

// ---- plans: Options::on_segment gets them

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
