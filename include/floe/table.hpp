// floe: tables of CSV text, binary records, and columns in memory. Writer and Reader of floe.hpp write and
// read them.
//
// A table is stored column by column, in segments of up to 2^20 rows, each of which says its numbers' bounds,
// so that one column or a range of rows is read without the rest. CSV text comes back byte by byte. What
// floe.hpp says of threads, errors and determinism holds here, too.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// Reads a header file: a line `name,type,precision` for each column. Types are time char short int unsigned
/// float double bool, as programs in C call them, and the names of DType; spaces around a field and lines
/// that are empty or begin with # do not matter. Errors: invalid_argument; byte_offset is then the number of
/// the line, from 1.
Result<Schema> parse_schema(std::string_view text);
/// The inverse.
std::string schema_text(const Schema& schema);

/// A line of a CSV text that is no row. It is kept as it is.
struct MalformedRow {
  std::uint64_t line = 0;    ///< From 1.
  std::uint64_t column = 0;  ///< The first cell that is missing or too much, from 1.
  std::uint64_t cell_count = 0;
};

enum class NameRow : std::uint8_t { detect = 0, yes = 1, no = 2 };

/// A tree that the user chose for a stream of columns.
struct GivenTree {
  std::string column;  ///< Its name, or its number from 1 if no column is called so; empty: all columns whose
                       ///< words it takes.
  std::uint32_t stream = 0;  ///< Which of the column's streams, in the order of StoredColumn::trees.
  std::string tree;          ///< As StoredColumn::trees has it: "rle,bitpack,delta,bitpack".
};

/// A given tree does not fit the words that it was given for.
struct UnfitTree {
  std::size_t index = 0;  ///< In TableOptions::trees.
  std::string words;      ///< The type of the words, "i16"; empty if there is no such column or stream.
  std::uint64_t segment = 0;
  Status reason;  ///< byte_offset is the place in the tree's text.
};

class PlannerFactory;  // internal

struct TableOptions {
  TableSource source = TableSource::csv;
  Schema schema = {};                  ///< Needed for records and columns; inferred from CSV text if empty.
  char separator = 0;                  ///< CSV: 0 detects one of , ; tab |
  NameRow name_row = NameRow::detect;  ///< CSV: whether the first line holds the names of the columns.
  bool keep_text = true;  ///< CSV: false keeps the values of numbers, not how each of them was written.
  std::uint32_t padding_bytes = 0;  ///< Records: bytes behind each of them.
  std::uint32_t segment_rows =
      1u << 20;  ///< Rows per segment, 1 to 2^20. A segment of CSV text holds at most 96 MiB of it.
  std::function<void(const MalformedRow&)> on_malformed_row =
      {};  ///< Called by the thread that writes, for lines of CSV that are no rows.
  /// The last one that names a stream counts. Streams without one are planned. A tree for a column by name
  /// must take the column's words in all segments, one for all columns those of some column in the first
  /// segment; otherwise compression ends with invalid_argument.
  std::vector<GivenTree> trees = {};
  std::function<void(const UnfitTree&)> on_unfit_tree =
      {};  ///< Called by the thread that writes, before compression ends for it.
  const PlannerFactory* planners = nullptr;  ///< internal: planners of other kinds, for comparison
};

/// What a text seems to be.
enum class TextKind : std::uint8_t { table, other };
/// Whether the first bytes of a file look like a table of CSV or TSV text: several rows of as many cells,
/// most with numbers among them.
TextKind recognize_text(std::span<const std::byte> first_bytes) noexcept;

}  // namespace floe

#pragma GCC visibility pop
