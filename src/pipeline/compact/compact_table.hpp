// A small table as a compact frame, and back: docs/format/compact.md. The words of all streams of a type
// stand one behind the other in one stream, after those of bytes that describe the table.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "container/frame_index.hpp"
#include "container/layout.hpp"
#include "core/byte_stream.hpp"
#include "plan/objective.hpp"
#include "rows/cells/column_content.hpp"

namespace floe::pipeline {

/// The words of all streams take no more bytes, and there are no more columns.
inline constexpr std::uint64_t max_compact_words_bytes = std::uint64_t{1} << 22;
inline constexpr std::uint32_t max_compact_columns = container::max_columns;
/// What a column takes besides its words: its description, in the ordinary frame, too, and its streams.
inline constexpr std::uint64_t memory_of_compact_column = 2048;

/// A table of one segment. Of the entries of streams only type and count matter.
struct CompactTable {
  container::Header header;
  container::SegmentHeader segment;
  std::vector<bool> has_quotes;  ///< Of columns of texts: all of them stand in quotes, which are left out.
};

/// Takes quotes off texts that all stand in quotes; false for others.
bool take_quotes_off(rows::Words& lengths, rows::Words& bytes);
/// False if lengths do not add up to the bytes, or become too large for their type.
bool put_quotes_on(rows::Words& lengths, rows::Words& bytes);

/// What decides where among the streams of a type the words of a stream stand.
enum class Role : std::uint8_t { bytes, lengths, codes, decimals, marks, numbers };
/// A stream of a table: its position among all streams of the segment, which are in the order of an ordinary
/// frame.
struct CompactStream {
  std::size_t index = 0;
  Role role = Role::bytes;
  DType type = DType::u8;
  std::uint64_t count = 0;
};
/// All streams in the order in which their words stand.
std::vector<CompactStream> compact_order(const container::SegmentHeader& segment);

/// The cells of the line of names at the end of the prefix, without quotes around them; none if they are not
/// as many as the columns.
std::vector<std::string_view> names_in_prefix(const container::Header& header, std::size_t columns);

/// Whether the description has room for everything that is said of a table.
bool can_be_compact(const CompactTable& table);
void put_description(core::ByteWriter& out, const CompactTable& table);
/// Errors: corrupt_frame, unsupported_version, out_of_memory.
Result<CompactTable> get_description(core::ByteReader& in, std::uint64_t memory_limit_bytes);

inline constexpr std::uint64_t any_gain = 1, whole_gain = std::uint64_t{1} << 20;
/// How a compact frame is searched for.
struct CompactSearch {
  trees::Objective objective;
  /// Whether neighbours are encoded together to find out what that saves, and not only where estimates say
  /// so.
  bool tries_neighbours = false;
  /// Whether texts of different columns may repeat each other, and words that many columns share be listed.
  bool finds_repetition = false;
  /// The table is kept as text if words take so many times its bytes more, divided by `whole_gain`.
  std::uint64_t text_gain = 0;
  /// Words of a type are encoded as faster goals would do it, too; the fewest bytes count.
  std::vector<CompactSearch> faster = {};
};
/// The frame; nothing if the words are too many for one, or if it would surely have more than `max_bytes`
/// says, which is asked once with what short searches find. `words`: of all streams in the order of an
/// ordinary frame. Precondition: can_be_compact(). Throws std::bad_alloc.
std::vector<std::uint8_t> encode_compact(CompactTable table, std::vector<rows::Words> words,
                                         const CompactSearch& search,
                                         const std::function<std::uint64_t(std::uint64_t)>& max_bytes);

/// What a compact frame stores of a stream of its table.
struct CompactShare {
  std::string tree;                ///< Of its first word.
  std::uint64_t stored_bytes = 0;  ///< Its share of the parts that it stands in, by words.
};
/// Says of a segment of a compact frame what that stores, instead of what it was expanded to.
void take_shares(StoredSegment& segment, const container::SegmentHeader& header,
                 std::span<const CompactShare> shares, std::uint64_t frame_bytes);
/// What was in a compact frame.
struct OpenedTable {
  CompactTable table;
  std::vector<rows::Words> streams;  ///< In the order of an ordinary frame.
  std::vector<CompactShare> shares;  ///< Of all streams.
};
/// The same table as an ordinary frame, whose streams are encoded by nothing.
struct ExpandedFrame {
  std::vector<std::uint8_t> frame;
  std::vector<CompactShare> shares;  ///< Of all streams.
};
/// Errors: corrupt_frame, unsupported_version. Throws std::bad_alloc.
Result<ExpandedFrame> expand_table(OpenedTable opened);
/// Errors: corrupt_frame, unsupported_version, out_of_memory. Throws std::bad_alloc.
Result<ExpandedFrame> expand_compact(std::span<const std::uint8_t> frame, std::uint64_t memory_limit_bytes);
/// The same of a frame that lies in a source; nothing if that is no compact one. Errors: truncated_frame,
/// those of the source, too.
Result<std::optional<ExpandedFrame>> expand_if_compact(const container::ByteSource& source,
                                                       std::uint64_t frame_bytes,
                                                       std::uint64_t memory_limit_bytes);

}  // namespace floe::pipeline
