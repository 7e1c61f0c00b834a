// Where the fields of a frame stand, and what changing them may lead to: docs/format/container.md as a table.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chunks/chunk_table.hpp"
#include "chunks/leaf_decoder.hpp"
#include "container/cell_format.hpp"
#include "container/layout.hpp"
#include "floe/floe.hpp"
#include "tests/support/data.hpp"

namespace floe::test {

/// What a reader may make of a frame with another value in a field, when all checksums are right.
enum class Outcome {
  error,      ///< One of the errors of the field.
  same_data,  ///< Or the same data: some values mean the same, or nothing that concerns the data.
  any_data,   ///< Or other data, which nobody can tell from what was meant.
};

struct FrameField {
  std::string name;
  std::size_t offset = 0;
  std::size_t bytes = 4;
  std::vector<ErrorCode> errors = {ErrorCode::corrupt_frame};
  Outcome outcome = Outcome::error;
};

/// Fields of the frames that this library writes. Checksums are left out, as those that follow from others
/// are made right again after every change.
class FrameFields {
 public:
  explicit FrameFields(const Bytes& frame)
      : frame_(frame), is_table_(frame[container::header_at::content] == 1) {}

  std::vector<FrameField> find() {
    add_header();
    std::size_t at = number(container::header_at::header_bytes, 4);
    while (number(at, 4) == container::segment_magic) at = add_segment(at);
    add_footer(at);
    return std::move(fields_);
  }

 private:
  using Errors = std::vector<ErrorCode>;
  static inline const Errors corrupt = {ErrorCode::corrupt_frame},
                             unknown = {ErrorCode::unsupported_version, ErrorCode::corrupt_frame},
                             cut = {ErrorCode::corrupt_frame, ErrorCode::truncated_frame},
                             large = {ErrorCode::corrupt_frame, ErrorCode::out_of_memory},
                             far = {ErrorCode::corrupt_frame, ErrorCode::out_of_memory,
                                    ErrorCode::truncated_frame};

  [[nodiscard]] std::uint64_t number(std::size_t offset, std::size_t bytes) const {
    std::uint64_t value = 0;
    std::memcpy(&value, frame_.data() + offset, bytes);
    return value;
  }
  void add(std::string name, std::size_t offset, std::size_t bytes, const Errors& errors = corrupt,
           Outcome outcome = Outcome::error) {
    fields_.push_back({std::move(name), offset, bytes, errors, outcome});
  }
  void add_zeros(const char* name, std::size_t begin, std::size_t end) {
    for (; begin < end; ++begin) add(name, begin, 1);
  }

  void add_header() {
    namespace header_at = container::header_at;
    const auto rank = frame_[header_at::rank];
    add("magic", 0, 4);
    // Version 2 is that of compact frames, whose length stands behind it.
    add("version", header_at::version, 1,
        {ErrorCode::unsupported_version, ErrorCode::corrupt_frame, ErrorCode::truncated_frame});
    add("content", header_at::content, 1, unknown);
    add("element type", header_at::dtype, 1, unknown, Outcome::same_data);
    add("rank", header_at::rank, 1, corrupt, Outcome::same_data);
    add("required features", header_at::required_features, 4, unknown, Outcome::same_data);
    add("optional features", header_at::required_features + 4, 4, {}, Outcome::same_data);
    add("segment length", header_at::segment_length, 4, corrupt, Outcome::same_data);
    add("header bytes", header_at::header_bytes, 4, cut);
    std::size_t at = container::fixed_header_bytes;
    for (unsigned d = 1; d < rank; ++d, at += 8) add("inner dimension", at, 8, corrupt, Outcome::same_data);
    const std::size_t end = number(header_at::header_bytes, 4) - 4;
    while (end - at >= 8 && number(at, 2) != 0) {
      const std::size_t length = number(at + 4, 4);
      // The rows of a table stand behind its prefix.
      add("tag", at, 2, unknown, is_table_ ? Outcome::any_data : Outcome::same_data);
      add("reserved of a field", at + 2, 2);
      add("length of a field", at + 4, 4, unknown, Outcome::any_data);
      if (number(at, 2) == container::table_tag) add_table(at + 8);
      const std::size_t padded = core::align_up(length, 8);
      add_zeros("padding of a field", at + 8 + length, at + 8 + padded);
      at += 8 + padded;
    }
    add_zeros("padding of the header", at, end);
  }

  void add_table(std::size_t at) {
    add("source", at, 1, unknown, Outcome::any_data);
    add("flags", at + 1, 1, corrupt, Outcome::any_data);
    add("separator", at + 2, 1, corrupt, Outcome::any_data);
    add("reserved of a table", at + 3, 1);
    add("padding bytes", at + 4, 4, corrupt, Outcome::any_data);
    add("column count", at + 8, 4);
    const std::size_t columns = number(at + 8, 4);
    at += 12;
    for (std::size_t i = 0; i < columns; ++i) {
      add("column type", at, 1, unknown, Outcome::any_data);
      add("column decimals", at + 1, 1, corrupt, Outcome::any_data);
      add("reserved of a column", at + 2, 2);
      add("length of a name", at + 4, 4, unknown, Outcome::any_data);
      at += 8 + number(at + 4, 4);
    }
  }

  /// Returns where the segment ends.
  std::size_t add_segment(std::size_t at) {
    namespace segment_at = container::segment_at;
    add("segment magic", at, 4);
    add("segment header bytes", at + segment_at::header_bytes, 4, cut);
    add("segment index", at + segment_at::index, 8);
    add("first element", at + segment_at::first, 8);
    add("element count", at + segment_at::count, 4);
    add("segment flags", at + segment_at::flags, 4, unknown, Outcome::any_data);
    add("stream entries", at + segment_at::stream_count, 4);
    add("columns of a segment", at + segment_at::column_count, 4);
    add("field bytes of a segment", at + segment_at::fields_bytes, 4, unknown);
    const std::uint64_t flags = number(at + segment_at::flags, 4),
                        columns = number(at + segment_at::column_count, 4),
                        header_bytes = number(at + segment_at::header_bytes, 4);
    std::size_t entry = at + container::fixed_segment_bytes, stream = at + header_bytes;
    const auto add_streams = [&](std::size_t count) {
      for (; count > 0; --count, entry += container::stream_entry_bytes) add_stream(entry, stream);
    };
    add_streams(((flags & 2) != 0 ? 3 : 0) + ((flags & 4) != 0 ? 1 : 0));
    for (std::uint64_t c = 0; c < columns; ++c) {
      core::ByteReader reader{std::span<const std::uint8_t>(frame_).subspan(entry)};
      container::CellFormat format;
      EXPECT_TRUE(container::get_cell_format(reader, format).ok());
      const Outcome outcome = is_table_ ? Outcome::any_data : Outcome::error;
      for (std::size_t i = 0; i < container::cell_format_bytes; ++i)
        add("byte " + std::to_string(i) + " of a cell format", entry + i, 1, unknown, outcome);
      namespace column_at = container::column_at;
      add("kind of a range", entry + column_at::range_kind, 1, corrupt, Outcome::same_data);
      add_zeros("reserved of a range", entry + column_at::range_kind + 1, entry + column_at::range_min);
      add("min", entry + column_at::range_min, 8, corrupt, Outcome::same_data);
      add("max", entry + column_at::range_max, 8, corrupt, Outcome::same_data);
      entry += container::column_entry_bytes;
      add_streams(container::stream_count(format));
    }
    add_zeros("padding of a segment header", entry, at + header_bytes - 4);
    return stream;
  }

  /// A stream's entry, and what stands in front of its chunks. Moves `stream` behind it.
  void add_stream(std::size_t entry, std::size_t& stream) {
    const Outcome outcome = is_table_ ? Outcome::any_data : Outcome::error;
    add("word type", entry, 1, unknown, outcome);
    add_zeros("reserved of a stream", entry + 1, entry + 4);
    add("word count", entry + 4, 4, is_table_ ? large : corrupt, outcome);
    add("stored bytes", entry + 8, 8, far);
    const std::size_t stored = number(entry + 8, 8);
    const auto bytes = std::span(frame_).subspan(stream, stored);
    const auto type = static_cast<DType>(frame_[entry]);
    if (stored != 0 && chunks::leaf_of_front(bytes, size_of(type)))
      add_leaf(stream, number(entry + 4, 4) * size_of(type));
    add_zeros("padding of a stream", stream + stored, stream + container::padded(stored));
    stream += container::padded(stored);
  }

  void add_leaf(std::size_t stream, std::uint64_t content_bytes) {
    const bool checksums = (frame_[container::header_at::required_features] & 1) != 0;
    for (std::size_t i = 0; i < chunks::front_bytes; ++i)  // the parameter, and the codec of other words
      add("byte " + std::to_string(i) + " of a front", stream + i, 1, unknown,
          i == 3 || i == 4 ? Outcome::any_data : Outcome::error);
    const std::uint64_t chunk_count = chunks::chunk_count_of(content_bytes, frame_[stream + chunks::kind_at]);
    std::size_t at = stream + chunks::front_bytes;
    for (std::uint64_t g = 1; g < core::divide_up(chunk_count, chunks::chunks_per_group); ++g, at += 8)
      add("group offset", at, 8);
    if (checksums) at += 4 * chunk_count;
    for (std::uint64_t c = 0; c < chunk_count; c += std::max<std::uint64_t>(1, chunk_count / 3)) {
      add("stored bytes of a chunk", at + 2 * c, 2, corrupt, Outcome::any_data);
      add("mode of a chunk", at + 2 * chunk_count + c, 1);
    }
    add_zeros("padding of a chunk table", at + 3 * chunk_count,
              stream + chunks::front_bytes + chunks::table_bytes(chunk_count, checksums));
  }

  void add_footer(std::size_t at) {
    add("footer magic", at, 4);
    namespace footer_at = container::footer_at;
    add("field bytes of the footer", at + footer_at::fields_bytes, 4, cut);
    add("reserved of the footer", at + footer_at::reserved, 4);
    add("outermost dimension", at + footer_at::outer_size, 8, corrupt, Outcome::same_data);
    const std::size_t end = frame_.size() - container::footer_end_bytes;
    for (std::size_t offset = at + footer_at::index; offset < end; offset += container::index_entry_bytes) {
      add("segment offset", offset, 8);
      add("first element of a segment", offset + 8, 8);
    }
    add("footer bytes", end, 8, cut);
    add("end magic", frame_.size() - 4, 4, cut);
  }

  const Bytes& frame_;
  bool is_table_;
  std::vector<FrameField> fields_;
};

}  // namespace floe::test
