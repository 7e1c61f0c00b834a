// What is intact of a frame that was damaged or cut off, and a map of what is lost.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "floe/floe.hpp"

#pragma GCC visibility push(default)

namespace floe {

struct RecoveryOptions {
  /// A frame that was written alike, with the same type, inner dimensions, options and prefix, or columns and
  /// their names, or the first bytes of one: where the damaged frame's own header is lost, this one's is
  /// taken if it is the same, which the segments prove.
  std::span<const std::byte> similar_frame = {};
  /// Between the cells of CSV text whose header is lost.
  char separator = ',';
  /// Lost elements of arrays, and lost binary records, become zero bytes, so that the others stay where they
  /// were. Else they are left out. Lost rows of CSV text are always left out.
  bool fill_lost = true;
  /// Gaps that take more are an error: a forged frame may claim any.
  std::uint64_t max_filled_bytes = std::uint64_t{1} << 40;
  std::uint64_t memory_limit_bytes = DecodeOptions{}.memory_limit_bytes;
};

/// Where the header comes from that segments are read by.
enum class HeaderSource : std::uint8_t {
  intact = 0,
  mended = 1,   ///< One bit of it had changed: the CRC that all segments name says which.
  similar = 2,  ///< RecoveryOptions::similar_frame.
  guessed = 3,  ///< From segments: dimensions, prefix, names and separator are not known.
};

enum class Loss : std::uint8_t {
  elements = 0,  ///< Of an array.
  rows = 1,      ///< All cells.
  cells = 2,     ///< Of one column: empty in CSV text, zero in records.
  lines = 3,    ///< Lines between these rows that were no rows of the table, or bytes behind the last record.
  padding = 4,  ///< Of these records: zero.
};

/// What is lost, and why.
struct LostRange {
  Loss what = Loss::elements;
  std::uint64_t first = 0, count = 0;  ///< Elements or rows.
  std::uint32_t column = 0;            ///< Of lost cells.
  Status cause;                        ///< byte_offset: where in the damaged bytes, if what is lost is there.
};

/// What became of a frame. Ranges are in the order of their segments, and those that touch are one.
struct RecoveryMap {
  std::vector<LostRange> lost;
  /// What is there, but not beyond doubt: chunks that match their checksums, in a table of which more than
  /// one entry is damaged, so that nothing proves that it is theirs.
  std::vector<LostRange> unproven;
  /// Elements, or rows of which at least one cell is there.
  std::uint64_t recovered = 0;
  std::uint64_t intact_segments = 0;
  std::uint64_t damaged_segments = 0;  ///< Of which parts may be intact.
  std::uint64_t missing_segments = 0;  ///< Not found; as far as is known how many there were.
  std::uint64_t unreadable_bytes = 0;  ///< That the source could not read.
  /// Whether it is known how many elements or rows there were. If not, more may have followed.
  bool is_length_known = true;
  bool has_checksums = true;  ///< Without them only what contradicts the format is found.

  /// Whether nothing is lost, and all is proven.
  [[nodiscard]] bool is_complete() const noexcept {
    return lost.empty() && unproven.empty() && is_length_known;
  }
};

/// A frame of which anything may be damaged. The bytes may begin or end anywhere, and bytes may be missing or
/// added between segments. Movable. Not thread-safe.
class Recovery {
 public:
  /// Looks for header, segments and footer, wherever they are. Reads all bytes but those of payloads that
  /// stand where they should. Errors: corrupt_frame if there is neither a header nor a segment;
  /// out_of_memory; those of `read_at` if nothing can be read. Otherwise bytes that cannot be read are as
  /// good as lost.
  static Result<Recovery> open(std::span<const std::byte> bytes, const RecoveryOptions& options = {});
  static Result<Recovery> open(ReadAt read_at, std::uint64_t byte_count, const RecoveryOptions& options = {});
  Recovery(Recovery&&) noexcept;
  Recovery& operator=(Recovery&&) noexcept;
  ~Recovery();

  /// What the frame was, as far as it is known. element_count: without a footer as many as the segments that
  /// were found reach to.
  [[nodiscard]] const FrameInfo& info() const noexcept;
  [[nodiscard]] HeaderSource header_source() const noexcept;

  /// Decodes what is intact: segments, of leaf streams chunks of 16 KiB, of tables columns. Writes the bytes
  /// of the elements, without a prefix, the text or the records. With the memory of a segment. Errors: those
  /// of the sink, out_of_memory; corrupt_frame for gaps of more than max_filled_bytes. What is lost is no
  /// error, but stands in the map.
  Result<RecoveryMap> restore(const Sink& sink, const DecodeOptions& options = {}) const;

  struct State;  // internal

 private:
  explicit Recovery(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace floe

#pragma GCC visibility pop
