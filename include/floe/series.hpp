// floe: lossless compression of tables of time series: CSV text, binary records, and columns in memory.
//
// A table is stored column by column, in segments of up to 2^20 rows, each of which says its numbers' least and greatest, so that one
// column or a range of rows is read without the rest. CSV text comes back byte by byte. The format is described in
// docs/format/series/table.md. What floe.hpp says of threads, errors and determinism holds here, too.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/error.hpp"
#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe::tables {

struct Column {
  std::string name;
  DType type = DType::text;
  std::uint8_t decimals = 6;  ///< Digits behind the point when floating-point numbers are printed.
  friend bool operator==(const Column&, const Column&) = default;
};
using Schema = std::vector<Column>;

/// Reads a header file: a line `name,type,precision` for each column. Types are time char short int unsigned float double bool, as programs
/// in C call them, and the names of ColumnType; spaces around a field and lines that are empty or begin with # do not matter. Errors:
/// invalid_argument; byte_offset is then the number of the line, from 1.
Result<Schema> parse_schema(std::string_view text);
/// The inverse.
std::string schema_text(const Schema& schema);

/// Where the rows of a table come from.
enum class TableSource : std::uint8_t {
  csv = 0,      ///< Text. It comes back byte by byte.
  records = 1,  ///< Binary records: the values of a row one behind the other, little-endian, then padding. They come back byte by byte.
  columns = 2,  ///< Arrays in memory. They come back as records.
};

/// A line of a CSV text that is no row. It is kept as it is.
struct BadLine {
  std::uint64_t line = 0;    ///< From 1.
  std::uint64_t column = 0;  ///< The first cell that is missing or too much, from 1.
  std::uint64_t cell_count = 0;
};

enum class NameRow : std::uint8_t { detect = 0, yes = 1, no = 2 };

/// What chooses the trees of encodings.
enum class TreePlanner : std::uint8_t {
  standard = 0,         ///< Samples, remembers kinds of data, notices when they change. Follows TableOptions::goal.
  edge_statistics = 1,  ///< That of K. Dzitkowski's thesis (2016), repaired: a baseline to compare with.
};

/// Where a table will be decoded.
enum class Profile : std::uint8_t {
  cpu = 0,
  gpu = 1,  ///< Planners choose only encodings that GPUs decode fast (floe/series_cuda.hpp).
};

/// What an encoding by itself costs, without its children, in picoseconds per word: what planners weigh against bits.
struct EncodingTime {
  std::string encoding;  ///< Its name.
  std::uint32_t encode_picoseconds = 0, decode_picoseconds = 0;
  friend bool operator==(const EncodingTime&, const EncodingTime&) = default;
};
/// Those that planners use unless TableOptions::encoding_times says others: of a server of 2023, rounded, the same everywhere.
std::vector<EncodingTime> built_in_encoding_times();
/// Those of this machine, measured by one thread in some seconds. They differ from run to run. Throws std::bad_alloc.
std::vector<EncodingTime> measure_encoding_times();
/// Reads a line `encoding,encode,decode` for each encoding, in any order; others keep the times that are built in. Spaces around a field
/// and lines that are empty or begin with # do not matter. Times are whole picoseconds up to 1 000 000. Errors: invalid_argument;
/// byte_offset is then the number of the line, from 1.
Result<std::vector<EncodingTime>> parse_encoding_times(std::string_view text);
/// The inverse.
std::string encoding_times_text(const std::vector<EncodingTime>& times);

/// A tree that the user chose for a stream of columns.
struct GivenTree {
  std::string column;        ///< Its name, or its number from 1 if no column is called so; empty: all columns whose words it takes.
  std::uint32_t stream = 0;  ///< Which of the column's streams, in the order of StoredColumn::trees.
  std::string tree;          ///< As StoredColumn::trees has it: "rle,bitpack,delta,bitpack".
};

/// Whether a text is a tree that takes words of some type. Errors: invalid_argument; byte_offset is then the place in the text.
Status check_tree(std::string_view tree);

/// A given tree does not fit the words that it was given for.
struct UnfitTree {
  std::size_t index = 0;  ///< In TableOptions::trees.
  std::string words;      ///< The type of the words, "i16"; empty if there is no such column or stream.
  std::uint64_t segment = 0;
  Status reason;  ///< byte_offset is the place in the tree's text.
};

struct PlannedSegment;

struct TableOptions {
  TableSource source = TableSource::csv;
  Goal goal = Goal::balance;
  Schema schema = {};                                    ///< Needed for records and columns; inferred from CSV text if empty.
  char separator = 0;                                    ///< CSV: 0 detects one of , ; tab |
  NameRow name_row = NameRow::detect;                    ///< CSV: whether the first line holds the names of the columns.
  bool keep_text = true;                                 ///< CSV: false keeps the values of numbers, not how each of them was written.
  std::uint32_t padding_bytes = 0;                       ///< Records: bytes behind each of them.
  std::uint32_t threads = 0;                             ///< CPU threads; 0 = as many as this process may use. Never changes the bytes.
  std::uint32_t segment_rows = 1u << 20;                 ///< Rows per segment, 1 to 2^20. A segment of CSV text holds at most 96 MiB of it.
  std::function<void(const BadLine&)> on_bad_line = {};  ///< Called from the thread that writes, for lines of CSV text that are no rows.
  TreePlanner planner = TreePlanner::standard;
  Profile profile = Profile::cpu;  ///< Of the standard planner. Given trees are taken as they are.
  /// 10^6 bytes of a stream's words that one thread shall decode in a second, going by the times of encodings: the standard planner takes
  /// the smallest tree that it finds to be so fast, and where there is none the fastest. 0: the goal alone counts. Not for GPUs.
  std::uint32_t decode_megabytes_per_second = 0;
  /// Instead of those that are built in, so that the bytes depend on them. Not for GPUs.
  std::vector<EncodingTime> encoding_times = {};
  /// The last one that names a stream counts. Streams without one are planned. A tree for a column by name must take the column's words in
  /// all segments, one for all columns those of some column in the first segment; otherwise compression ends with invalid_argument.
  std::vector<GivenTree> trees = {};
  std::function<void(const UnfitTree&)> on_unfit_tree = {};    ///< Called from the thread that writes, before compression ends for it.
  std::function<void(const PlannedSegment&)> on_segment = {};  ///< Called from the thread that writes, for every segment.
  std::uint64_t explained_segments = 0;                        ///< on_segment gets candidates and nodes for so many segments.
};

/// What a table says about itself.
struct TableInfo {
  TableSource source = TableSource::csv;
  Schema columns;
  std::uint64_t row_count = 0;      ///< Complete after the last segment.
  std::uint64_t segment_count = 0;  ///< Likewise.
  std::uint64_t table_bytes = 0;    ///< Likewise.
  std::uint32_t padding_bytes = 0;
};

/// A stream of words of a column, and the tree that it shall be encoded with.
struct StreamWords {
  const void* words = nullptr;
  DType type = DType::u8;  ///< Of the words; never text or time.
  std::uint64_t count = 0;
  std::string tree;                   ///< As StoredColumn::trees has it.
  std::vector<std::byte> bytes = {};  ///< Set by StreamEncoder::finish(): the segment, byte by byte as the CPU encodes it with this tree.
  bool is_encoded = false;            ///< Likewise; what it does not encode, for whatever reason, the CPU encodes.
};

/// Encodes streams beside the CPU, batch by batch: floe::cuda::StreamEncodingDevices of floe/series_cuda_host.hpp does it on GPUs.
class StreamEncoder {
 public:
  virtual ~StreamEncoder() = default;
  /// Bytes of text or records that a batch should have, and how many batches it works on at the same time.
  [[nodiscard]] virtual std::uint64_t batch_bytes() const = 0;
  [[nodiscard]] virtual std::size_t batches_at_once() const = 0;
  /// Begins with a batch. Streams and their memory stay as they are until it is finished. Errors end compression.
  virtual Status begin(std::span<StreamWords> streams) = 0;
  /// Waits for the batch that was begun first.
  virtual Status finish() = 0;
};

/// How much a StreamEncoder has done of a table.
struct EncoderShare {
  std::uint64_t words_bytes = 0;   ///< Of all streams of columns.
  std::uint64_t beside_bytes = 0;  ///< Of those that it encoded.
};

/// Compresses a table that arrives in pieces of any size. Codes one segment while the next one arrives, and begins with that when threads
/// are idle, with memory for about three segments and as many columns of the next one as there are threads. One table at a time; not
/// thread-safe.
class TableCompressor {
 public:
  /// With a StreamEncoder, which must outlive this object, segments are coded in batches, and memory grows by these. It never changes the
  /// bytes. Errors: invalid_argument.
  static Result<TableCompressor> create(Sink sink, TableOptions options, StreamEncoder* streams = nullptr);
  TableCompressor(TableCompressor&&) noexcept;
  TableCompressor& operator=(TableCompressor&&) noexcept;
  ~TableCompressor();
  /// The next bytes of the text or of the records. Errors: those of the sink, out_of_memory.
  Status write(std::span<const std::byte> bytes);
  /// The next rows of a table of columns: `values[i]` points to row_count values of column i. Errors: as write; invalid_argument.
  Status write_columns(std::span<const void* const> values, std::uint64_t row_count);
  /// Writes what remains and the footer.
  Status finish();
  [[nodiscard]] const TableInfo& info() const noexcept;
  /// Complete after the last segment. Zeros without a StreamEncoder.
  [[nodiscard]] EncoderShare encoder_share() const noexcept;

  struct State;  // internal

 private:
  explicit TableCompressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// A stream of words of a column, as a table stores it.
struct EncodedStream {
  std::span<const std::byte> bytes;
  DType type = DType::u8;  ///< Of the words; never text or time.
  std::uint64_t count = 0;
  void* words = nullptr;    ///< Room for `count` words.
  bool is_decoded = false;  ///< Set by StreamDecoder::finish(); what it does not decode, for whatever reason, the CPU decodes.
};

/// Decodes streams beside the CPU, batch by batch: floe::cuda::StreamDevices of floe/series_cuda_host.hpp does it on GPUs.
class StreamDecoder {
 public:
  virtual ~StreamDecoder() = default;
  /// Bytes of words that a batch should have, and how many batches it works on at the same time.
  [[nodiscard]] virtual std::uint64_t batch_bytes() const = 0;
  [[nodiscard]] virtual std::size_t batches_at_once() const = 0;
  /// Begins with a batch. Streams and their memory stay as they are until it is finished. Errors end decompression.
  virtual Status begin(std::span<EncodedStream> streams) = 0;
  /// Waits for the batch that was begun first.
  virtual Status finish() = 0;
};

/// Restores the text or the records of a table that arrives in pieces. The sink gets only bytes of segments whose checksums matched.
/// One table at a time; not thread-safe.
class TableDecompressor {
 public:
  /// With a StreamDecoder, which must outlive this object, memory grows by its batches.
  explicit TableDecompressor(Sink sink, const DecodeOptions& options = {}, StreamDecoder* streams = nullptr);
  TableDecompressor(TableDecompressor&&) noexcept;
  TableDecompressor& operator=(TableDecompressor&&) noexcept;
  ~TableDecompressor();
  /// Errors: corrupt_frame, unsupported_version, out_of_memory, those of the sink.
  Status write(std::span<const std::byte> bytes);
  /// Says that the table ends here. Errors: truncated_frame.
  Status finish();
  /// Null until the header has arrived.
  [[nodiscard]] const TableInfo* info() const noexcept;

  struct State;  // internal

 private:
  std::unique_ptr<State> state_;
};

/// The least and the greatest number of a column in a segment; NaN, missing and unreadable cells do not count.
struct ColumnRange {
  bool is_known = false;
  double least = 0, greatest = 0;  ///< 64-bit integers are rounded outwards.
};

/// A column of one segment as it is stored.
struct StoredColumn {
  std::string writing;             ///< How its cells are written, e.g. "decimal, 2 digits".
  std::vector<std::string> trees;  ///< The tree of encodings of each of its streams, of the first part if there are several.
  std::uint64_t stored_bytes = 0;
  std::uint64_t literal_count = 0;  ///< Cells that are kept as text.
  ColumnRange range;
};

struct StoredSegment {
  std::uint64_t first_row = 0, row_count = 0, stored_bytes = 0;
  std::vector<StoredColumn> columns;
};

/// What a tree takes, in nanoseconds for each word of its stream, of one thread.
struct TreeSpeed {
  double encode_nanoseconds = 0, decode_nanoseconds = 0;
};

/// A tree that could encode a stream: the best one for its encoding at the root, or where time counts more or less.
struct CandidateTree {
  std::string tree;
  std::uint64_t estimated_bytes = 0;  ///< From samples, as a planner sees it.
  std::uint64_t encoded_bytes = 0;    ///< What it makes of the whole stream.
  TreeSpeed estimated_speed;          ///< Going by the times of its encodings, as a planner sees it.
  TreeSpeed measured_speed;           ///< On this machine, once; differs from run to run.
  bool is_unbeaten = false;           ///< No other candidate is as small and, by estimate, decoded as fast, and better in one of both.
  bool keeps_speed = true;            ///< Whether it is as fast as TableOptions::decode_megabytes_per_second demands.
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
  std::string words;  ///< Their type.
  std::uint64_t word_count = 0, stored_bytes = 0;
  std::uint64_t part_count = 1;  ///< Parts of different kinds, each with a tree of its own.
  // Only of explained segments:
  std::vector<TreeNode> nodes;            ///< The tree of the longest part, in pre-order.
  std::vector<CandidateTree> candidates;  ///< For the whole stream, smallest estimate first. The tree of the first part is one of them.
};

struct PlannedColumn {
  std::uint64_t source_bytes = 0;  ///< The cells of CSV text with the separators behind them, or the values.
  std::vector<PlannedStream> streams;
};

/// What compression made of a segment, and why.
struct PlannedSegment {
  StoredSegment stored;
  std::uint64_t source_bytes = 0;      ///< Text or records of the segment's rows, padding included.
  std::vector<PlannedColumn> columns;  ///< As many as stored.columns.
};

/// A cell that is no value of its column's type.
struct MissingValue {
  std::size_t column = 0;
  std::uint64_t row = 0;
};

/// Reads parts of a table that lies in memory or in a file. Not thread-safe.
class TableReader {
 public:
  /// Reads header and footer; the footer, which is as long as it says, may take so much memory. Errors: corrupt_frame, truncated_frame,
  /// unsupported_version, out_of_memory, those of `read_at`.
  static Result<TableReader> open(ReadAt read_at, std::uint64_t table_bytes,
                                  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes);
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;
  ~TableReader();

  [[nodiscard]] const TableInfo& info() const noexcept;
  /// The segment's head, and the trees of its streams. Errors: corrupt_frame.
  Result<StoredSegment> segment(std::uint64_t index);
  /// The values of a column that is no text, in its type; size_of(type) · rows.count bytes. A cell without a value is 0, and 0 in `valid`,
  /// which may be empty. Decodes the segments that `rows` overlaps, of these only the column. Errors: invalid_argument, corrupt_frame,
  /// out_of_memory.
  Status read_values(std::size_t column, Slice rows, std::span<std::byte> out, std::span<std::uint8_t> valid = {},
                     const DecodeOptions& options = {});
  /// The cells of a column as text, with the quotes that they have in CSV. Binary values are printed with the decimals of their column.
  /// Errors: as read_values.
  Result<std::vector<std::string>> read_texts(std::size_t column, Slice rows, const DecodeOptions& options = {});
  /// Writes CSV text: a line with the names of `columns`, which may repeat, and a line for each row. Cells stand there as in read_texts,
  /// between the separators of the text that they come from, or commas. Decodes the segments that `rows` overlaps one by one, of these only
  /// the columns, in options.threads threads; `sink` is called by this one. Errors: as read_values, and those of `sink`.
  Status print_rows(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options = {});

  /// Writes binary records: of each row the values of `columns`, which may repeat, one behind the other, little-endian, as read_values
  /// gives them. A cell without a value becomes NaN in a column of floating-point numbers; elsewhere it ends this with invalid_argument,
  /// after some of the rows before it, and `missing`, which may be null, says where. Errors: as read_values, and those of `sink`.
  Status write_records(std::span<const std::size_t> columns, Slice rows, const Sink& sink, const DecodeOptions& options = {},
                       MissingValue* missing = nullptr);

  struct State;  // internal

 private:
  explicit TableReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- data to try it with ------------------------------------------------------------------------------------------------------

/// A table like those of K. Dzitkowski's thesis (2016), the same on every machine: times, two patterns of integers, decimals, and two
/// patterns of floating-point numbers. Writes CSV text with a row of names to `sink` in pieces.
Status generate_table(std::uint64_t row_count, const Sink& sink);
/// Its schema.
Schema generated_schema();

}  // namespace floe::tables

#pragma GCC visibility pop
