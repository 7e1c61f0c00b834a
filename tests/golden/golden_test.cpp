// Do all frames that were ever written still decode to the same content, and does the same content still give
// the same frame? The files are written once by make_golden.cpp and never again. The reference decoder reads
// them in golden_frames_test.py.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>

#include "floe/floe.hpp"
#include "tests/golden/cases.hpp"
#include "tests/golden/sha256.hpp"

namespace floe::test {
namespace {

const std::filesystem::path golden_folder = "tests/golden/v1";
const std::filesystem::path reject_folder = "tests/golden/reject";
const std::filesystem::path newer_folder = "tests/golden/newer";

using Row = std::map<std::string, std::string>;

/// The rows of a table with a head line.
std::vector<Row> read_csv(const std::filesystem::path& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << "cannot read " << path << ": run this test in the root of the checkout";
  std::vector<std::string> head;
  std::vector<Row> rows;
  std::string line, cell;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream cell_stream(line + ",");
    while (std::getline(cell_stream, cell, ',')) cells.push_back(cell);
    if (head.empty()) {
      head = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), head.size()) << line;
    Row row;
    for (std::size_t i = 0; i < std::min(cells.size(), head.size()); ++i) row[head[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::byte> read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << "cannot read " << path;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// What the frame says of itself, as a row of the manifest, without the columns on the bytes.
Row described(const FrameInfo& info) {
  return {{"dtype", std::string(name_of(info.dtype))},
          {"shape", shape_text(info.extent)},
          {"codec", std::string(info.codec.name)},
          {"segment_bytes", std::to_string(info.segment_bytes)},
          {"checksums", info.has_checksums ? "yes" : "no"},
          {"dimensionality", std::to_string(info.dimensionality)},
          {"prefix_bytes", std::to_string(info.prefix.size())},
          {"content_bytes", std::to_string(info.array_bytes())},
          {"frame_bytes", std::to_string(info.frame_bytes)}};
}

Options options_of(const FrameInfo& info) {
  Options options;
  options.codec = info.codec.name;
  options.format_version = info.format_version;
  options.checksum = info.has_checksums;
  options.dimensionality = info.dimensionality;
  options.segment_bytes = info.segment_bytes;
  options.prefix = info.prefix;
  return options;
}

/// The whole content through the stream decoder, fed with pieces of `piece_bytes`; empty if it fails.
std::optional<std::vector<std::byte>> decompress_in_pieces(std::span<const std::byte> frame,
                                                           std::size_t piece_bytes) {
  std::vector<std::byte> content;
  Decompressor decompressor([&](std::span<const std::byte> bytes) {
    content.insert(content.end(), bytes.begin(), bytes.end());
    return Status{};
  });
  for (std::size_t at = 0; at < frame.size(); at += piece_bytes) {
    if (!decompressor.write(frame.subspan(at, std::min(piece_bytes, frame.size() - at))).ok())
      return std::nullopt;
  }
  if (!decompressor.finish().ok()) return std::nullopt;
  return content;
}

Result<std::vector<std::byte>> decompress_bytes(std::span<const std::byte> frame) {
  const auto view = FrameView::parse(frame);
  if (!view) return view.status();
  std::vector<std::byte> out(view->info().array_bytes());
  if (const Status status = view->decompress(out); !status.ok()) return status;
  return out;
}

TEST(Golden, FramesDecodeAndComeBackByteForByte) {
  const auto rows = read_csv(golden_folder / "manifest.csv");
  EXPECT_GE(rows.size(), 58u);
  for (Row row : rows) {
    SCOPED_TRACE(row["file"]);
    const std::vector<std::byte> frame = read_bytes(golden_folder / row["file"]);
    ASSERT_EQ(Sha256::hex(frame), row["frame_sha256"]);
    const auto view = FrameView::parse(frame);
    ASSERT_TRUE(view) << view.status().message();
    for (const auto& [column, value] : described(view->info())) EXPECT_EQ(value, row[column]) << column;

    std::vector<std::byte> content(view->info().array_bytes());
    const Status status = view->decompress(content);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(Sha256::hex(content), row["content_sha256"]);
    EXPECT_EQ(decompress_in_pieces(frame, 100), content);

    const auto again = compress(content, view->info().dtype, view->info().extent, options_of(view->info()));
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(*again, frame) << "the encoder no longer writes what it wrote";
  }
}

TEST(Golden, EveryCaseHasItsFileAndEveryFileItsRow) {
  std::set<std::string> listed, present, named;
  for (Row row : read_csv(golden_folder / "manifest.csv"))
    EXPECT_TRUE(listed.insert(row["file"]).second) << row["file"] << " is listed twice";
  for (const auto& entry : std::filesystem::directory_iterator(golden_folder)) {
    if (entry.path().extension() == ".floe") present.insert(entry.path().filename().string());
  }
  for (const GoldenCase& golden : golden::cases) named.insert(std::string(golden.name) + ".floe");
  EXPECT_EQ(listed, present);
  EXPECT_EQ(listed, named);
}

TEST(Golden, FramesCoverEveryCodecTypeAndRank) {
  std::set<std::string> codecs_seen, dtypes_seen;
  std::set<std::uint32_t> ranks_seen;
  for (const GoldenCase& golden : golden::cases) {
    codecs_seen.insert(std::string(golden.codec) + std::to_string(8 * size_of(golden.dtype)));
    dtypes_seen.insert(std::string(name_of(golden.dtype)));
    ranks_seen.insert(golden.extent.rank);
  }
  for (const CodecInfo& codec : codecs())
    EXPECT_TRUE(codecs_seen.contains(std::string(codec.name) + std::to_string(codec.word_bits)))
        << codec.name;
  EXPECT_EQ(dtypes_seen.size(), 12u);
  EXPECT_EQ(ranks_seen.size(), max_rank + 1);
}

TEST(Golden, BadFramesAreRejectedForTheRightReason) {
  const auto rows = read_csv(reject_folder / "manifest.csv");
  EXPECT_GE(rows.size(), 12u);
  for (Row row : rows) {
    SCOPED_TRACE(row["file"]);
    const std::vector<std::byte> frame = read_bytes(reject_folder / row["file"]);
    EXPECT_STREQ(name_of(decompress_bytes(frame).status().code), row["error"].c_str());
    EXPECT_FALSE(decompress_in_pieces(frame, 1));
  }
}

TEST(Golden, WhatVersion1SkipsIsSkipped) {
  const auto rows = read_csv(newer_folder / "manifest.csv");
  EXPECT_GE(rows.size(), 4u);
  for (Row row : rows) {
    SCOPED_TRACE(row["file"]);
    const std::vector<std::byte> frame = read_bytes(newer_folder / row["file"]);
    const auto content = decompress_bytes(frame),
               expected = decompress_bytes(read_bytes(golden_folder / row["content_of"]));
    ASSERT_TRUE(content) << content.status().message();
    ASSERT_TRUE(expected);
    EXPECT_EQ(*content, *expected);
    EXPECT_EQ(decompress_in_pieces(frame, 1), *expected);
  }
}

}  // namespace
}  // namespace floe::test
