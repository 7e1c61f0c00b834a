// A golden file: what it is made of, and how.
#pragma once

#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include "floe/floe.hpp"
#include "tests/golden/sha256.hpp"

namespace floe::test {

struct GoldenCase {
  std::string
      name;  ///< "arrays/codecs/spspeed_f32" is the file codecs/spspeed_f32.floe of the folder arrays.
  /// What is compressed: elements, CSV text, or records.
  std::function<std::vector<std::byte>()> content;
  std::function<std::vector<std::byte>(std::span<const std::byte> content)> compress;
  /// Whether later versions have to write the same bytes. Trees that a planner chose may change.
  bool is_rewritten = true;
  bool comes_back = true;  ///< Byte by byte; false if only the values were kept.

  /// The folder with the manifest.
  [[nodiscard]] std::string folder() const { return name.substr(0, name.find('/')); }
  /// The file in that folder.
  [[nodiscard]] std::string file() const { return name.substr(name.find('/') + 1) + ".floe"; }
};

/// A Writer's sink.
inline Sink append_to(std::vector<std::byte>& bytes) {
  return [&bytes](std::span<const std::byte> more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return Status{};
  };
}

inline Result<std::vector<std::byte>> restored(std::span<const std::byte> frame) {
  const Result<Reader> reader = Reader::open(frame);
  if (!reader) return reader.status();
  std::vector<std::byte> content;
  if (const Status status = reader->restore(append_to(content)); !status.ok()) return status;
  return content;
}

/// "3x4"; empty for a scalar.
inline std::string shape_text(const Extent& extent) {
  std::string text;
  for (std::uint32_t d = 0; d < extent.rank; ++d)
    text += (d == 0 ? "" : "x") + std::to_string(extent.size[d]);
  return text;
}

inline constexpr std::string_view manifest_columns =
    "file,holds,shape,segments,checksums,prefix_bytes,content_bytes,content_sha256,frame_bytes,frame_sha256,"
    "rewritten";

/// A row of the manifest, with its end. `content` is what comes back.
inline std::string manifest_row(const GoldenCase& golden, std::span<const std::byte> content,
                                std::span<const std::byte> frame) {
  const Result<Reader> reader = Reader::open(frame);
  reader.status().or_throw();
  const FrameInfo& info = reader->info();
  constexpr const char* sources[] = {"csv", "records", "columns"};
  const bool is_array = info.content == Content::array;
  std::ostringstream row;
  row << golden.file() << ','
      << (is_array ? name_of(info.dtype) : sources[static_cast<std::size_t>(info.source)]) << ','
      << (is_array ? shape_text(info.extent)
                   : std::to_string(info.element_count) + 'x' + std::to_string(info.columns.size()))
      << ',' << info.segment_count << ',' << (info.has_checksums ? "yes" : "no") << ',' << info.prefix.size()
      << ',' << content.size() << ',' << Sha256::hex(content) << ',' << frame.size() << ','
      << Sha256::hex(frame) << ',' << (golden.is_rewritten ? "yes" : "no") << '\n';
  return row.str();
}

}  // namespace floe::test
