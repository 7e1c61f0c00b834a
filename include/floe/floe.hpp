// floe: lossless compression of numeric arrays and tables.
//
// Every call is thread-safe, prints nothing and never exits. Of one call nothing but working memory is kept
// for the next, 32 MiB at most (release_memory). Every frame is the same, byte for byte, whichever
// instruction set, number of threads, call, device or machine wrote it. The format is described in
// docs/format/. GPUs are in floe/cuda.hpp.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "floe/options.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// "1.2.3" of the library, which may differ from that of the headers for a shared library.
std::string_view version() noexcept;
/// The instruction set whose kernels this process uses, e.g. "avx512": the best that the CPU has, or the one
/// that the environment variable FLOE_ISA names. It never changes a result.
std::string_view instruction_set() noexcept;
/// CPUs that this process may use, which is what 0 threads stand for: those of its affinity mask, and no more
/// than its control groups grant.
std::uint32_t available_threads() noexcept;
/// Options::threads beyond this are as good as this.
inline constexpr std::uint32_t max_threads = 256;
/// The newest format version that this library writes: that of compact frames. It reads all up to it.
inline constexpr std::uint32_t format_version = 2;

/// A codec of the publications, which trees name as a leaf. `word_bits` is the width of the types that it
/// takes.
struct CodecInfo {
  std::string_view name;
  std::string_view summary;
  std::uint32_t word_bits = 0;
  std::uint16_t id = 0;
};
/// All codecs, in a fixed order. A name may stand there twice, with different word_bits.
std::span<const CodecInfo> codecs() noexcept;
/// Gives back the working memory that calls have left for the next ones. Safe at any time, from any thread.
void release_memory() noexcept;

/// Whether a text is a tree that takes words of some type. Errors: invalid_argument, whose byte_offset is the
/// position in the text; out_of_memory.
Status check_tree(std::string_view tree);
/// Whether it is one for arrays of this type.
Status check_tree(std::string_view tree, DType dtype);

// ---- arrays

/// Upper bound in bytes of the frame of any content. Errors: invalid_argument.
Result<std::uint64_t> max_compressed_size(DType dtype, const Extent& extent, const Options& options = {});

/// Writes one frame to `out` and returns its bytes. `in` holds the elements of `extent`, native
/// little-endian, any alignment; `in` and `out` must not overlap. With out.size() >= max_compressed_size it
/// cannot fail for lack of room; with less it succeeds when the frame fits. Errors: invalid_argument,
/// output_too_small, out_of_memory.
Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                  const Extent& extent, const Options& options = {});
/// The same, into a vector of the frame's size.
Result<std::vector<std::byte>> compress(std::span<const std::byte> in, DType dtype, const Extent& extent,
                                        const Options& options = {});

// ---- reading

/// Reads `bytes.size()` bytes at `offset` of a frame that is not in memory, such as a file.
using ReadAt = std::function<Status(std::uint64_t offset, std::span<std::byte> bytes)>;
/// Takes bytes; a status that is not ok stops the work and is returned to the caller.
using Sink = std::function<Status(std::span<const std::byte>)>;

/// A cell that is no value of its column's type.
struct MissingValue {
  std::size_t column = 0;
  std::uint64_t row = 0;
};

/// Reads a frame, or parts of it: only what they need of the frame's bytes. Movable. Thread-safe for a frame
/// in memory; otherwise as far as the function that reads is.
class Reader {
 public:
  /// Checks header and footer, and that the segments lie where the footer says. O(segments). The frame must
  /// end where the bytes end, which must outlive the reader. Errors: corrupt_frame, truncated_frame,
  /// unsupported_version, out_of_memory.
  static Result<Reader> open(std::span<const std::byte> frame);
  /// The same for a frame that is not in memory. The footer, which is as long as it says, may take so much
  /// memory. Errors besides: those of `read_at`.
  static Result<Reader> open(ReadAt read_at, std::uint64_t frame_bytes,
                             std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes);
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;
  ~Reader();

  [[nodiscard]] const FrameInfo& info() const noexcept;
  /// What is stored of a segment, and how. Errors: invalid_argument, corrupt_frame, those of `read_at`.
  [[nodiscard]] Result<StoredSegment> segment(std::uint64_t index) const;

  /// Arrays: decodes the elements of a slice. Reads the chunks of 16 KiB that overlap it where a segment is
  /// nothing but a codec, else segments, whose trees pass over the blocks in front of it. out.size() must be
  /// the bytes of the slice's elements. On an error the contents of `out` are unspecified. Errors:
  /// invalid_argument, corrupt_frame, out_of_memory, those of `read_at`.
  Status decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options = {}) const;
  /// Arrays: decodes everything; out.size() must be info().array_bytes(). Errors: as decompress_slice.
  Status decompress(std::span<std::byte> out, const DecodeOptions& options = {}) const;
  /// Writes what was compressed: the text, the records, or the elements. Errors: as decompress_slice, and
  /// those of `sink`.
  Status restore(const Sink& sink, const DecodeOptions& options = {}) const;

  /// Tables: the values of a column that is no text, in its type; size_of(type) · rows.count bytes. A cell
  /// without a value is 0, and 0 in `valid`, which may be empty. Decodes the segments that `rows` overlaps,
  /// of these only the column. Errors: invalid_argument, corrupt_frame, out_of_memory, those of `read_at`.
  Status read_values(std::size_t column, Slice rows, std::span<std::byte> out,
                     std::span<std::uint8_t> valid = {}, const DecodeOptions& options = {}) const;
  /// Tables: the cells of a column as text, with the quotes that they have in CSV. Binary values are printed
  /// with the decimals of their column. Errors: as read_values.
  [[nodiscard]] Result<std::vector<std::string>> read_texts(std::size_t column, Slice rows,
                                                            const DecodeOptions& options = {}) const;
  /// Tables: writes CSV text: a line with the names of `columns`, which may repeat, and a line for each row.
  /// Cells stand there as in read_texts, between the separators of the text that they come from, or commas.
  /// Decodes the segments that `rows` overlaps one by one, of these only the columns; `sink` is called by
  /// this thread. Errors: as read_values, and those of `sink`.
  Status print_rows(std::span<const std::size_t> columns, Slice rows, const Sink& sink,
                    const DecodeOptions& options = {}) const;
  /// Tables: writes binary records: of each row the values of `columns`, which may repeat, one behind the
  /// other, little-endian, as read_values gives them. A cell without a value becomes NaN in a column of
  /// floating-point numbers; elsewhere it ends this with invalid_argument, after some of the rows before it,
  /// and `missing`, which may be null, says where. Errors: as read_values, and those of `sink`.
  Status write_records(std::span<const std::size_t> columns, Slice rows, const Sink& sink,
                       const DecodeOptions& options = {}, MissingValue* missing = nullptr) const;

  struct State;  // internal

 private:
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Restores what was compressed from a frame that arrives in pieces, with memory for a segment. One frame at
/// a time; not thread-safe.
class StreamReader {
 public:
  explicit StreamReader(Sink sink, const DecodeOptions& options = {});
  StreamReader(StreamReader&&) noexcept;
  StreamReader& operator=(StreamReader&&) noexcept;
  ~StreamReader();
  /// The frame's next bytes. The sink gets only bytes of segments whose checksums matched: the prefix of an
  /// array first if `with_prefix`. Errors: corrupt_frame, unsupported_version, out_of_memory, those of the
  /// sink.
  Status write(std::span<const std::byte> bytes);
  /// Says that the frame ends here. Errors: truncated_frame.
  Status finish();
  /// Whether the frame's prefix is written to the sink before the elements; default false. Set before the
  /// first write.
  void with_prefix(bool yes) noexcept;
  /// Null until the header has arrived, i.e. set before the first call of the sink. Counts, shape and digest
  /// are complete after finish().
  [[nodiscard]] const FrameInfo* info() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- writing

/// Compresses an array or a table of unknown length that arrives in pieces of any size, with memory for some
/// segments. The frame of an array is that of compress() for the same elements and shape. One frame at a
/// time; not thread-safe.
class Writer {
 public:
  /// An array. `inner_extent`: the dimensions of one outermost entry, e.g. {} for a list of numbers, {1800,
  /// 3600} for a list of such maps. Errors: invalid_argument.
  static Result<Writer> create(Sink sink, DType dtype, std::span<const std::uint64_t> inner_extent = {},
                               const Options& options = {});
  /// A table. Errors: invalid_argument.
  static Result<Writer> create(Sink sink, const TableOptions& table, const Options& options = {});
  Writer(Writer&&) noexcept;
  Writer& operator=(Writer&&) noexcept;
  ~Writer();
  /// The next bytes of the elements, of the text or of the records. Errors: those of the sink, out_of_memory.
  Status write(std::span<const std::byte> bytes);
  /// The next rows of a table of columns: `values[i]` points to row_count values of column i. They are
  /// compressed where they lie, so every call ends with a segment. Errors: as write; invalid_argument.
  Status write_columns(std::span<const void* const> values, std::uint64_t row_count);
  /// Writes what remains and the footer. Errors: invalid_argument if the bytes are no whole number of
  /// outermost entries.
  Status finish();
  /// Complete after finish(). Type and columns are known when Options::on_segment is called.
  [[nodiscard]] const FrameInfo& info() const noexcept;

  struct State;  // internal

 private:
  explicit Writer(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- parts

// One frame of an array whose parts are compressed apart: by the processes of a cluster, say, that know
// nothing of each other but sizes. floe::mpi does so with MPI.
//
//   1. Everybody creates the same PartedArray, and compresses the parts that it has.
//   2. Sizes are added up: a part lies behind the header and the bytes of all parts before it.
//   3. Everybody places its parts, and writes their bytes where they belong.
//   4. One writes the header, and, with the PlacedSegments of all, the footer.

/// A part of an array, compressed: its segments, one behind the other.
struct CompressedPart {
  std::vector<std::byte> bytes;
  std::uint64_t element_count = 0;
  std::uint64_t segment_count = 0;
};

/// What is before a part in the whole.
struct PartPosition {
  std::uint64_t offset = 0;  ///< Bytes of the frame: of its header, and of all parts before.
  std::uint64_t first_element = 0;
  std::uint64_t first_segment = 0;
};

/// What the footer needs of a segment.
struct PlacedSegment {
  std::uint64_t offset = 0;  ///< In the frame.
  std::uint64_t first_element = 0;
  std::uint64_t digest = 0;
};

/// An array that is compressed in parts. With a tree or a codec the frame is that of compress(). With a goal
/// trees are chosen for each part by itself, so the parts, and nothing else, decide about the bytes: for one
/// part it is that of compress(). Movable. Thread-safe.
class PartedArray {
 public:
  /// Everybody gives the same arguments. The options, with what they point to, must outlive it; on_segment
  /// and the accelerator are not used. Errors: those of compress().
  static Result<PartedArray> create(DType dtype, const Extent& extent, const Options& options = {});
  PartedArray(PartedArray&&) noexcept;
  PartedArray& operator=(PartedArray&&) noexcept;
  ~PartedArray();

  /// The first bytes of the frame.
  [[nodiscard]] std::span<const std::byte> header() const noexcept;
  /// Every part but the last one has a multiple of so many elements, of at most 1 GiB.
  [[nodiscard]] std::uint64_t unit() const noexcept;
  /// The elements of a part, wherever it lies. Errors: invalid_argument, out_of_memory.
  [[nodiscard]] Result<CompressedPart> compress(std::span<const std::byte> elements) const;
  /// Writes into the headers of a part's segments where they are, and says it. A part can be placed again.
  /// Errors: invalid_argument if it is no part of such an array, out_of_memory.
  [[nodiscard]] Result<std::vector<PlacedSegment>> place(CompressedPart& part,
                                                         const PartPosition& where) const;
  /// The last bytes of the frame. `segments`: all of them in their order. Errors: invalid_argument,
  /// out_of_memory.
  [[nodiscard]] Result<std::vector<std::byte>> footer(std::span<const PlacedSegment> segments) const;

 private:
  struct State;
  explicit PartedArray(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// ---- pages

/// Values of a page, at most.
inline constexpr std::uint64_t max_page_values = std::uint64_t{1} << 20;
/// So much scratch memory is enough for what most trees need to be decoded.
inline constexpr std::size_t usual_page_scratch = std::size_t{256} << 10;

/// What a page says about itself.
struct PageInfo {
  DType dtype = DType::u8;
  std::uint32_t count = 0;  ///< Of values.
  bool has_checksum = false;
};

/// Encodes pages: values of one type that stand for themselves, without a frame, as databases and loggers
/// store them. Remembers the trees of the kinds of data that it has seen, so pages of a known kind cost no
/// search; what a page holds depends on the pages before it. No threads. Not thread-safe.
class PageEncoder {
 public:
  /// Of the options goal, tree, profile, checksum and decode_megabytes_per_second matter. Errors:
  /// invalid_argument.
  static Result<PageEncoder> create(DType dtype, const Options& options = {});
  PageEncoder(PageEncoder&&) noexcept;
  PageEncoder& operator=(PageEncoder&&) noexcept;
  ~PageEncoder();
  /// Writes the page of some values to `out`, and returns its bytes, a multiple of 16. Values that are not
  /// aligned for their type are copied. Errors: invalid_argument, output_too_small (not with
  /// max_page_size()), out_of_memory.
  Result<std::size_t> encode(std::span<std::byte> out, std::span<const std::byte> values);

 private:
  struct State;
  explicit PageEncoder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The most bytes of a page of so many values. Errors: invalid_argument.
Result<std::uint64_t> max_page_size(DType dtype, std::uint64_t count);
/// Errors: corrupt_frame, truncated_frame, unsupported_version.
Result<PageInfo> page_info(std::span<const std::byte> page);
/// Decodes all values of a page to `out`, which has their bytes and alignment. Safe for any bytes. `scratch`
/// is what decoders are made in; what does not fit there, dictionaries and the like, is allocated. Errors:
/// those of page_info, invalid_argument, out_of_memory; the contents of `out` are then unspecified.
Status decode_page(std::span<std::byte> out, std::span<const std::byte> page,
                   std::span<std::byte> scratch = {});
/// Decodes the values of a slice. Those before it in the same block are decoded with it, and where a tree
/// adds values up, all before it; the checksum is that of the whole page.
Status decode_page_slice(std::span<std::byte> out, std::span<const std::byte> page, Slice slice,
                         std::span<std::byte> scratch = {});

// ---- typed conveniences

/// Compresses a one-dimensional array, or one of the given shape.
template <Element T>
Result<std::vector<std::byte>> compress(std::span<const T> in, const Options& options = {}) {
  return compress(std::as_bytes(in), dtype_of<T>(), Extent::linear(in.size()), options);
}
template <Element T>
Result<std::vector<std::byte>> compress(std::span<const T> in, const Extent& extent,
                                        const Options& options = {}) {
  return compress(std::as_bytes(in), dtype_of<T>(), extent, options);
}

/// Decodes elements of a frame. Errors: those of Reader::decompress_slice, invalid_argument if the frame's
/// type is not T.
template <Element T>
Status decompress_slice(std::span<T> out, const Reader& frame, Slice slice,
                        const DecodeOptions& options = {}) {
  if (frame.info().content != Content::array || frame.info().dtype != dtype_of<T>())
    return {ErrorCode::invalid_argument, 0, "the frame holds another element type"};
  return frame.decompress_slice(std::as_writable_bytes(out), slice, options);
}

/// Decodes a whole frame. Errors: those of Reader, invalid_argument if the frame's type is not T,
/// out_of_memory.
template <Element T>
Result<std::vector<T>> decompress(std::span<const std::byte> frame, const DecodeOptions& options = {}) {
  const Result<Reader> reader = Reader::open(frame);
  if (!reader) return reader.status();
  if (reader->info().content != Content::array || reader->info().dtype != dtype_of<T>())
    return Status{ErrorCode::invalid_argument, 0, "the frame holds another element type"};
  if (reader->info().element_count > options.memory_limit_bytes / sizeof(T))
    return Status{ErrorCode::out_of_memory, 0, "the array is larger than memory_limit_bytes"};
  std::vector<T> out;
  try {
    out.resize(reader->info().element_count);
  } catch (const std::bad_alloc&) {
    return Status{ErrorCode::out_of_memory, 0, "no memory for the decoded array"};
  }
  if (const Status status = reader->decompress(std::as_writable_bytes(std::span(out)), options); !status.ok())
    return status;
  return out;
}

}  // namespace floe

#pragma GCC visibility pop
