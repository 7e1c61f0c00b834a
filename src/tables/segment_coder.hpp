// How do the columns of one segment become bytes? Columns are coded side by side; the bytes do not depend on the number of threads.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "series/column_codec.hpp"
#include "tables/cell_index.hpp"
#include "tables/column_content.hpp"
#include "tables/table_parts.hpp"

namespace floe::tables {

/// Makes the content of a column; may throw std::bad_alloc. Called from several threads, for each column once.
using ColumnMaker = std::function<ColumnContent(std::uint32_t column)>;

/// A segment that is ready to be written but for its head, which names the header.
struct CodedSegment {
  SegmentHead head;
  std::vector<std::vector<std::uint8_t>> payloads;  ///< In the order of the head's streams.
};

/// Codes the segments of a table one after the other. Keeps an encoder per column and stream, as encoders learn.
class SegmentCoder {
 public:
  SegmentCoder(std::uint32_t column_count, std::uint32_t threads, Goal goal) : columns_(column_count), threads_(threads), goal_(goal) {}

  /// `strays` and `padding` may be empty. Throws std::bad_alloc.
  CodedSegment code(std::uint32_t row_count, const ColumnMaker& make_column, const std::vector<Words>& strays,
                    const std::vector<Words>& padding);

 private:
  /// The stream's place in its column, the way of writing and the type of the words.
  using EncoderKey = std::tuple<std::size_t, WritingKind, series::Type>;
  struct CodedColumn {
    ColumnEntry entry;
    std::vector<std::vector<std::uint8_t>> payloads;
  };
  using Encoders = std::map<EncoderKey, series::ColumnEncoder>;

  CodedColumn code_column(const ColumnContent& content, Encoders& encoders) const;

  std::vector<Encoders> columns_;
  std::uint32_t threads_;
  Goal goal_;
};

/// What some words take when they are encoded by themselves.
std::uint64_t encoded_bytes(const Words& words);

/// Lines that are no rows, as streams.
std::vector<Words> stray_words(std::string_view text, const std::vector<StrayLine>& strays);

}  // namespace floe::tables
