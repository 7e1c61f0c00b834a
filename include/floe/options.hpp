// How to compress and decode: goals, trees, threads, limits, tables, accelerators.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/frame.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// What counts beside each other: speed of compression, size, speed of decompression. Trees of encodings are
/// chosen by it. `max` never stores more bytes of an array than `ratio` or `balance`.
enum class Goal : std::uint8_t { speed = 0, balance = 1, ratio = 2, max = 3 };

/// Where a frame will be decoded.
enum class Profile : std::uint8_t {
  cpu = 0,
  gpu = 1,  ///< Only encodings that GPUs decode fast, in segments of a length that suits them.
};

/// A share of the work of one call. Does not throw.
using Task = std::function<void(std::uint32_t index)>;
/// Runs tasks in threads of the caller's: calls task(0) ... task(count - 1), each once, in any order and as
/// many at the same time as it likes, and returns when all have returned. The library's calls wait in it, so
/// it must not wait for them.
using Executor = std::function<void(std::uint32_t count, const Task& task)>;

class Accelerator;

/// How much of the work of a call, a writer or a reader an accelerator has done.
struct AcceleratorShare {
  std::uint64_t words_bytes = 0;        ///< Of all streams.
  std::uint64_t accelerated_bytes = 0;  ///< Of those that the accelerator coded.
};

struct Options {
  Goal goal = Goal::balance;
  /// The tree for every segment of an array instead of one that is chosen by the goal:
  /// "decimal(2),delta,entropy,bitpack,raw", or the name of a codec of codecs(), which is a leaf: "spspeed",
  /// "gfc(3)". docs/format/trees.md lists encodings. Tables: TableOptions::trees.
  std::string_view tree = {};
  Profile profile = Profile::cpu;  ///< A given tree is taken as it is.
  std::uint32_t threads =
      0;  ///< At most so many; 0 = as many as this process may use. Never changes the bytes.
  const Executor* executor =
      nullptr;  ///< Null: every call, or writer, has threads of its own. Must outlive the call or writer.
  bool checksum = true;  ///< Of all payloads, verified by every decoder.
  /// Arrays: unit of streaming and bounded memory, a multiple of 16 KiB, at most 1 GiB. 0: 64 MiB for a
  /// codec, which slices its segments into chunks of 16 KiB; 1 MiB for other trees (but for Goal::speed 4 MiB
  /// of elements of one byte, and 64 MiB of those of eight bytes where dpratio is best; up to 16 MiB with
  /// Goal::ratio and max where segments repeat each other), 2^16 elements with Profile::gpu.
  std::uint64_t segment_bytes = 0;
  std::span<const std::byte> prefix =
      {};  ///< Arrays: up to 1 MiB kept verbatim in the frame, e.g. a file's header.
  /// 10^6 bytes of words that one thread shall decode in a second, going by measured times of encodings: the
  /// smallest tree is taken that is so fast, and where there is none the fastest. 0: the goal alone counts.
  /// Not for Profile::gpu.
  std::uint32_t decode_megabytes_per_second = 0;
  std::function<void(const PlannedSegment&)> on_segment =
      {};                                ///< Called by the thread that writes, for every segment.
  std::uint64_t explained_segments = 0;  ///< on_segment gets candidates and nodes for so many segments.
  /// Encodes beside the CPU, e.g. on GPUs; must outlive the call or writer. Never changes the bytes.
  Accelerator* accelerator = nullptr;
  /// What was encoded is added to it; complete when the call, or Writer::finish(), returns.
  AcceleratorShare* accelerator_share = nullptr;
};

/// How to decode. The defaults suit trusted and untrusted frames alike.
struct DecodeOptions {
  std::uint32_t threads = 0;           ///< As in Options.
  const Executor* executor = nullptr;  ///< As in Options.
  /// For what floe itself allocates, not for the caller's buffers: words of segments, and what decoders of
  /// trees keep (docs/architecture.md), for which 1 MiB is there however small the limit is.
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;
  Accelerator* accelerator = nullptr;  ///< Decodes beside the CPU; must outlive the call or reader.
  AcceleratorShare* accelerator_share = nullptr;  ///< What was decoded is added to it.
};

// ---- tables

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
  Status reason;  ///< byte_offset is the position in the tree's text.
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

// ---- accelerators

/// A stream of words, and the tree that it shall be encoded with.
struct StreamToEncode {
  const void* words = nullptr;
  DType type = DType::u8;
  std::uint64_t count = 0;
  std::string tree = {};  ///< "delta,bitpack", or the name of a codec.
  bool checksum = true;   ///< Of the chunks of a codec.
  /// Set by Batch::wait_for_sizes(). 0: the CPU shall encode it, for whatever reason.
  std::uint64_t encoded_bytes = 0;
  /// Memory for the encoded bytes, set between wait_for_sizes() and fetch(). Null: finish() sets it to memory
  /// of the batch. There the stream is then, byte by byte as the CPU encodes it. What lies between two
  /// streams that are less than 128 bytes apart may be overwritten; all of a batch belong to one piece of
  /// memory.
  std::byte* encoded = nullptr;
  /// Whether the words lie right behind those of the stream before, in the same piece of memory.
  bool follows = false;
};

/// A stored stream of words.
struct StreamToDecode {
  std::span<const std::byte> bytes;
  DType type = DType::u8;
  std::uint64_t count = 0;
  bool has_checksums = true;  ///< Its chunks, if it is a codec.
  std::uint64_t digest = 0;   ///< It was compared with the table of its chunks, or with all of its bytes.
  void* words = nullptr;      ///< Room for `count` words.
  bool is_decoded = false;    ///< Set by Batch::finish(); the CPU decodes the others, and says what is wrong.
  /// Whether the words lie right behind those of the stream before, in the same piece of memory, and the
  /// bytes somewhere behind those of that stream, in the same piece of memory.
  bool follows = false;
};

/// Codes batches of streams beside the CPU: floe::cuda::Devices of floe/cuda_host.hpp does it on GPUs. It
/// never changes a byte, and what it does not take, the CPU does. Several calls may use it at the same time,
/// and share what it has.
class Accelerator {
 public:
  /// Streams that are being coded. They and their memory stay as they are until the batch is finished, or
  /// destroyed, which waits for the work. Errors of all functions end the call that uses the accelerator.
  class Batch {
   public:
    virtual ~Batch() = default;
    /// Encoding only: waits until it is known how many bytes the streams have.
    virtual Status wait_for_sizes() { return {}; }
    /// Encoding only, after wait_for_sizes(): begins to copy the encoded bytes to where they belong.
    virtual Status fetch() { return {}; }
    /// Waits for the results.
    virtual Status finish() = 0;
  };

  virtual ~Accelerator() = default;
  /// Bytes of words that a batch should have, and how many batches it works on at the same time.
  [[nodiscard]] virtual std::uint64_t batch_bytes() const = 0;
  [[nodiscard]] virtual std::size_t batches_at_once() const = 0;
  /// Begins with a batch; null if it takes nothing of it. It copies between memories of the host in tasks of
  /// the executor, which outlives the batch.
  virtual Result<std::unique_ptr<Batch>> encode(std::span<StreamToEncode> streams,
                                                const Executor& executor) = 0;
  virtual Result<std::unique_ptr<Batch>> decode(std::span<StreamToDecode> streams,
                                                const Executor& executor) = 0;
  /// Bytes of the host's memory that decoding a batch needs besides that of the streams.
  [[nodiscard]] virtual std::uint64_t decoding_bytes(std::span<const StreamToDecode> streams) const = 0;
};

}  // namespace floe

#pragma GCC visibility pop
