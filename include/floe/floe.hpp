// floe: lossless compression of numeric arrays.
//
// Every call is thread-safe, prints nothing, never exits and keeps no global state. Every frame is the same, byte for byte,
// whichever instruction set, number of threads, call or machine wrote it. The format is described in docs/format/.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "floe/dtype.hpp"
#include "floe/error.hpp"

#pragma GCC visibility push(default)

namespace floe {

/// "1.2.3" of the library, which may differ from that of the headers for a shared library.
std::string_view version() noexcept;
/// The instruction set whose kernels this process uses, e.g. "avx512": the best that the CPU has, or the one that the environment variable
/// FLOE_ISA names. It never changes a result.
std::string_view instruction_set() noexcept;
/// CPUs that this process may use, which is what 0 threads stand for: those of its affinity mask, and no more than its control groups
/// grant.
std::uint32_t available_threads() noexcept;
/// Options::threads beyond this are as good as this.
inline constexpr std::uint32_t most_threads = 256;
/// The newest format version that this library writes, and reads together with all older ones.
inline constexpr std::uint32_t newest_format_version = 1;

enum class Goal : std::uint8_t { speed = 0, balance = 1, ratio = 2 };

/// A share of the work of one call. Does not throw.
using Task = std::function<void(std::uint32_t index)>;
/// Runs tasks in threads of the caller's: calls task(0) ... task(count - 1), each once, in any order and as many at the same time as it
/// likes, and returns when all have returned. The library's calls wait in it, so it must not wait for them.
using Executor = std::function<void(std::uint32_t count, const Task& task)>;

struct Options {
  Goal goal = Goal::balance;                ///< Chooses the codec when `codec` is empty.
  std::string_view codec = {};              ///< A name from codecs(), e.g. "spspeed".
  std::uint32_t threads = 0;                ///< At most so many; 0 = as many as this process may use. Never changes the bytes.
  std::uint32_t format_version = 0;         ///< 0 = newest. Older values write frames for older readers.
  bool checksum = true;                     ///< A checksum per chunk, verified by every decoder.
  std::uint32_t dimensionality = 1;         ///< gfc only: 1 to 32 values that belong together.
  std::uint64_t segment_bytes = 64u << 20;  ///< Unit of streaming and bounded memory: a multiple of 16 KiB, at most 1 GiB.
  std::span<const std::byte> prefix = {};   ///< Up to 1 MiB kept verbatim in the frame, e.g. a file's header. See FrameInfo::prefix.
  const Executor* executor = nullptr;       ///< Null: every call, or stream, has threads of its own. Must outlive the call or stream.
};

/// How to decode. The defaults suit trusted and untrusted frames alike.
struct DecodeOptions {
  std::uint32_t threads = 0;                                  ///< As in Options.
  std::uint64_t memory_limit_bytes = std::uint64_t{4} << 30;  ///< For buffers that floe itself allocates, not for the caller's.
  const Executor* executor = nullptr;                         ///< As in Options.
};

/// A codec as the registry knows it. `word_bits` is the width of the types that it takes.
struct CodecInfo {
  std::string_view name;
  std::string_view summary;
  std::uint32_t word_bits = 0;
  std::uint16_t id = 0;
};
/// All codecs, in a fixed order. A name may stand there twice, with different word_bits.
std::span<const CodecInfo> codecs() noexcept;
/// The codec that `options` chooses for `dtype`. Errors: unsupported_codec (unknown name, or it cannot take the type).
Result<CodecInfo> choose_codec(DType dtype, const Options& options = {});

/// Upper bound in bytes of the frame of any content. Errors: invalid_argument, unsupported_codec, unsupported_version.
Result<std::uint64_t> max_compressed_size(DType dtype, const Extent& extent, const Options& options = {});

/// Writes one frame to `out` and returns its bytes. `in` holds the elements of `extent`, native little-endian, any alignment; `in` and
/// `out` must not overlap. With out.size() >= max_compressed_size it cannot fail for lack of room; with less it succeeds when the
/// frame fits. Errors: invalid_argument, unsupported_codec, unsupported_version, output_too_small, out_of_memory.
Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype, const Extent& extent,
                                  const Options& options = {});
/// The same, into a vector of the frame's size.
Result<std::vector<std::byte>> compress(std::span<const std::byte> in, DType dtype, const Extent& extent, const Options& options = {});

/// What a frame says about itself.
struct FrameInfo {
  DType dtype = DType::u8;
  Extent extent;
  std::uint64_t element_count = 0;
  CodecInfo codec;
  std::uint32_t format_version = 0;
  std::uint32_t dimensionality = 1;  ///< gfc only.
  bool has_checksums = false;
  std::uint64_t segment_bytes = 0;  ///< Uncompressed bytes of every segment but the last.
  std::uint64_t segment_count = 0;
  std::uint64_t frame_bytes = 0;
  std::uint64_t digest = 0;       ///< Hash of all chunk checksums; 0 without checksums.
  std::vector<std::byte> prefix;  ///< Options::prefix.

  [[nodiscard]] std::uint64_t array_bytes() const noexcept { return element_count * size_of(dtype); }
};

/// How a frame's chunks are stored; see FrameView::count_chunks.
struct ChunkCounts {
  std::uint64_t chunks = 0, raw = 0, coded = 0;
  std::uint64_t segments_without_history = 0;  ///< dpratio segments stored without their stage over the segment, as it did not pay.
  std::uint64_t payload_bytes = 0;             ///< Stored bytes of chunks, without padding and tables.
};

/// A validated look at a frame in memory: decodes nothing; the bytes must outlive it. Cheap to copy, thread-safe.
class FrameView {
 public:
  /// Checks header and footer, and that the segments lie where the footer says. O(segments). The frame must end where the bytes end.
  /// Errors: corrupt_frame, truncated_frame, unsupported_version, unsupported_codec.
  static Result<FrameView> parse(std::span<const std::byte> frame);

  [[nodiscard]] const FrameInfo& info() const noexcept;
  /// Walks and verifies all chunk tables. O(chunks). Errors: corrupt_frame.
  [[nodiscard]] Result<ChunkCounts> count_chunks() const;

  /// Decodes the chunks that overlap `slice` (for dpratio: the segments) and nothing else. out.size() must be the bytes of the
  /// slice's elements. On an error the contents of `out` are unspecified. Errors: invalid_argument, corrupt_frame, out_of_memory.
  Status decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options = {}) const;
  /// Decodes everything; out.size() must be info().array_bytes(). Errors: as decompress_slice.
  Status decompress(std::span<std::byte> out, const DecodeOptions& options = {}) const;

  struct Parsed;  // internal

 private:
  explicit FrameView(std::shared_ptr<const Parsed> parsed) : parsed_(std::move(parsed)) {}
  std::shared_ptr<const Parsed> parsed_;
};

/// Reads `bytes.size()` bytes at `offset` of a frame that is not in memory, such as a file.
using ReadAt = std::function<Status(std::uint64_t offset, std::span<std::byte> bytes)>;

/// Decodes slices of a frame that is not in memory: reads header, footer and what a slice needs of the rest. Not thread-safe.
class FrameReader {
 public:
  /// `frame_bytes` is the length of the frame. The footer, which is as long as it says, may take so much memory. Errors: those of
  /// FrameView::parse, those of `read_at`, out_of_memory.
  static Result<FrameReader> open(ReadAt read_at, std::uint64_t frame_bytes,
                                  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes);
  FrameReader(FrameReader&&) noexcept;
  FrameReader& operator=(FrameReader&&) noexcept;
  ~FrameReader();

  [[nodiscard]] const FrameInfo& info() const noexcept;
  /// As FrameView::count_chunks.
  [[nodiscard]] Result<ChunkCounts> count_chunks();
  /// As FrameView::decompress_slice; needs memory for one segment at a time.
  Status decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options = {});

  struct State;  // internal

 private:
  explicit FrameReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Takes bytes; a status that is not ok stops the stream and is returned to the caller.
using Sink = std::function<Status(std::span<const std::byte>)>;

/// Compresses a stream of unknown length with memory for about one segment and a few MiB (dpratio: several segments). The frame is the same
/// as that of compress() for the same elements and shape. One stream at a time; not thread-safe.
class Compressor {
 public:
  /// `inner_extent`: the dimensions of one outermost entry, e.g. {} for a list of numbers, {1800, 3600} for a list of such maps.
  static Result<Compressor> create(Sink sink, DType dtype, std::span<const std::uint64_t> inner_extent = {}, const Options& options = {});
  Compressor(Compressor&&) noexcept;
  Compressor& operator=(Compressor&&) noexcept;
  ~Compressor();
  /// Any number of bytes, also parts of elements. Errors: those of the sink, out_of_memory.
  Status write(std::span<const std::byte> bytes);
  /// Writes what remains and the footer. Errors: invalid_argument if the bytes are no whole number of outermost entries.
  Status finish();

 private:
  struct State;
  explicit Compressor(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Decompresses a frame that arrives in pieces, with memory for some MiB (dpratio: several segments). One stream at a time; not
/// thread-safe.
class Decompressor {
 public:
  explicit Decompressor(Sink sink, const DecodeOptions& options = {});
  Decompressor(Decompressor&&) noexcept;
  Decompressor& operator=(Decompressor&&) noexcept;
  ~Decompressor();
  /// The frame's next bytes. The sink gets only bytes whose checksums matched: first the prefix (if `with_prefix`), then the elements.
  Status write(std::span<const std::byte> bytes);
  /// Says that the frame ends here. Errors: truncated_frame.
  Status finish();
  /// Whether the frame's prefix is written to the sink before the elements; default false. Set before the first write.
  void with_prefix(bool yes) noexcept;
  /// Null until the header has arrived, i.e. set before the first call of the sink. Counts, shape and digest are complete after finish().
  [[nodiscard]] const FrameInfo* info() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// ---- typed conveniences -------------------------------------------------------------------------------------------------------

/// Compresses a one-dimensional array, or one of the given shape.
template <Element T>
Result<std::vector<std::byte>> compress(std::span<const T> in, const Options& options = {}) {
  return compress(std::as_bytes(in), dtype_of<T>(), Extent::linear(in.size()), options);
}
template <Element T>
Result<std::vector<std::byte>> compress(std::span<const T> in, const Extent& extent, const Options& options = {}) {
  return compress(std::as_bytes(in), dtype_of<T>(), extent, options);
}

/// Decodes a whole frame. Errors: those of FrameView, invalid_argument if the frame's type is not T, out_of_memory.
template <Element T>
Result<std::vector<T>> decompress(std::span<const std::byte> frame, const DecodeOptions& options = {});

/// Decodes elements of a frame. Errors: those of FrameView::decompress_slice, invalid_argument if the frame's type is not T.
template <Element T>
Status decompress_slice(std::span<T> out, const FrameView& frame, Slice slice, const DecodeOptions& options = {}) {
  if (frame.info().dtype != dtype_of<T>()) return {ErrorCode::invalid_argument, 0, "the frame holds another element type"};
  return frame.decompress_slice(std::as_writable_bytes(out), slice, options);
}

template <Element T>
Result<std::vector<T>> decompress(std::span<const std::byte> frame, const DecodeOptions& options) {
  const Result<FrameView> view = FrameView::parse(frame);
  if (!view) return view.status();
  if (view->info().dtype != dtype_of<T>()) return Status{ErrorCode::invalid_argument, 0, "the frame holds another element type"};
  if (view->info().element_count > options.memory_limit_bytes / sizeof(T))
    return Status{ErrorCode::out_of_memory, 0, "the array is larger than memory_limit_bytes"};
  std::vector<T> out;
  try {
    out.resize(view->info().element_count);
  } catch (const std::bad_alloc&) {
    return Status{ErrorCode::out_of_memory, 0, "no memory for the decoded array"};
  }
  if (const Status status = view->decompress(std::as_writable_bytes(std::span(out)), options); !status.ok()) return status;
  return out;
}

}  // namespace floe

#pragma GCC visibility pop
