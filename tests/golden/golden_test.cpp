// Do all golden files still decode to the same content, does the same content still give the same file, and
// are bad files refused for the right reason? The files are written once and never again. The reference
// decoder reads them in golden_files_test.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "tests/golden/array_cases.hpp"
#include "tests/golden/table_cases.hpp"
#include "tests/support/sanitized.hpp"

namespace floe::test {
namespace {

namespace fs = std::filesystem;
const fs::path root = "tests/golden";

using Row = std::map<std::string, std::string>;

/// The rows of a manifest; of none if it cannot be read.
std::vector<Row> read_manifest(const std::string& folder) {
  std::ifstream file(root / folder / "manifest.csv");
  EXPECT_TRUE(file) << folder << ": run this test in the root of the checkout";
  std::vector<std::string> header;
  std::vector<Row> rows;
  std::string line, cell;
  while (std::getline(file, line)) {
    std::vector<std::string> cells;
    std::istringstream cell_stream(line + ",");
    while (std::getline(cell_stream, cell, ',')) cells.push_back(cell);
    if (header.empty()) {
      header = cells;
      continue;
    }
    EXPECT_EQ(cells.size(), header.size()) << line;
    Row row;
    for (std::size_t i = 0; i < std::min(cells.size(), header.size()); ++i) row[header[i]] = cells[i];
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::byte> read_bytes(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file) << "cannot read " << path;
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

/// The content of a frame that arrives in pieces.
Result<std::vector<std::byte>> restored_in_pieces(std::span<const std::byte> frame, std::size_t piece_bytes) {
  std::vector<std::byte> content;
  StreamReader reader(append_to(content));
  for (std::size_t at = 0; at < frame.size(); at += piece_bytes) {
    const Status status = reader.write(frame.subspan(at, std::min(piece_bytes, frame.size() - at)));
    if (!status.ok()) return status;
  }
  if (const Status status = reader.finish(); !status.ok()) return status;
  return content;
}

std::vector<GoldenCase> all_cases() {
  std::vector<GoldenCase> cases = golden::array_cases();
  for (GoldenCase& table : golden::table_cases()) cases.push_back(std::move(table));
  return cases;
}

std::string header_row(const Row& row) {
  std::string text, column;
  std::istringstream columns{std::string(manifest_columns)};
  while (std::getline(columns, column, ',')) text += (text.empty() ? "" : ",") + row.at(column);
  return text + '\n';
}

/// Slices at both ends, and one around every end of a segment.
void expect_slices(const Reader& reader, std::span<const std::byte> content) {
  const FrameInfo& info = reader.info();
  const std::uint64_t width = size_of(info.dtype), count = info.element_count;
  std::vector<Slice> slices = {
      {0, std::min<std::uint64_t>(count, 3)},
      {count - std::min<std::uint64_t>(count, 3), std::min<std::uint64_t>(count, 3)}};
  for (std::uint64_t i = 1; i < info.segment_count; ++i) {
    const std::uint64_t first = reader.segment(i).value().first - 2;
    slices.push_back({first, std::min<std::uint64_t>(count - first, 5)});
  }
  for (const Slice& slice : slices) {
    std::vector<std::byte> elements(slice.count * width);
    const Status status = reader.decompress_slice(elements, slice);
    EXPECT_TRUE(status.ok()) << status.message();
    EXPECT_TRUE(std::ranges::equal(elements, content.subspan(slice.first * width, elements.size())))
        << slice.count << " elements from " << slice.first << " on";
  }
}

TEST(Golden, FilesDecodeAndComeBackByteForByte) {
  std::map<std::string, Row> rows;
  for (const char* folder : {"arrays", "tables"}) {
    for (const Row& row : read_manifest(folder)) rows[std::string(folder) + '/' + row.at("file")] = row;
  }
  // With sanitizers, each lesser instruction set that is asked for decodes a part of them.
  const std::size_t parts = address_sanitizer && std::getenv("FLOE_ISA") != nullptr ? 3 : 1;
  std::size_t number = 0;
  for (const GoldenCase& golden : all_cases()) {
    if (number++ % parts != 0) continue;
    SCOPED_TRACE(golden.name);
    ASSERT_TRUE(rows.contains(golden.name + ".floe"));
    const std::vector<std::byte> frame = read_bytes(root / golden.folder() / golden.file());
    const auto content = restored(frame);
    ASSERT_TRUE(content) << content.status().message();
    EXPECT_EQ(manifest_row(golden, *content, frame), header_row(rows[golden.name + ".floe"]));
    const auto again = restored_in_pieces(frame, 100);
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(*again, *content);
    const Reader reader = Reader::open(frame).value();
    if (reader.info().content == floe::Content::array) {
      std::vector<std::byte> elements(reader.info().array_bytes());
      const Status status = reader.decompress(elements);
      EXPECT_TRUE(status.ok()) << status.message();
      EXPECT_EQ(elements, *content);
      expect_slices(reader, *content);
    }

    const std::vector<std::byte> source = golden.content();
    EXPECT_EQ(*content == source, golden.comes_back);
    const std::vector<std::byte> written = golden.compress(source);
    EXPECT_TRUE(written == frame || !golden.is_rewritten) << "the encoder no longer writes what it wrote";
    const auto restored_now = restored(written);
    ASSERT_TRUE(restored_now) << restored_now.status().message();
    EXPECT_EQ(*restored_now, *content);
  }
}

TEST(Golden, EveryCaseHasItsFileAndEveryFileItsRow) {
  std::set<std::string> listed, present, named;
  for (const char* folder : {"arrays", "tables"}) {
    for (const Row& row : read_manifest(folder))
      EXPECT_TRUE(listed.insert(std::string(folder) + '/' + row.at("file")).second) << row.at("file");
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (entry.path().extension() == ".floe") present.insert(fs::relative(entry.path(), root).string());
    }
  }
  for (const GoldenCase& golden : all_cases()) named.insert(golden.name + ".floe");
  EXPECT_EQ(listed, present);
  EXPECT_EQ(listed, named);
}

TEST(Golden, ArraysCoverEveryCodecTypeAndRank) {
  std::set<std::string> codecs_seen;
  std::set<DType> types;
  std::set<std::uint32_t> ranks;
  for (const golden::ArrayCase& array : golden::all_arrays()) {
    codecs_seen.insert(std::string(array.tree.substr(0, array.tree.find('('))) +
                       std::to_string(8 * size_of(array.dtype)));
    types.insert(array.dtype);
    ranks.insert(array.extent.rank);
  }
  for (const CodecInfo& codec : codecs())
    EXPECT_TRUE(codecs_seen.contains(std::string(codec.name) + std::to_string(codec.word_bits)))
        << codec.name;
  EXPECT_EQ(types.size(), 13u);
  EXPECT_EQ(ranks.size(), max_rank + 1);
}

TEST(Golden, BadFilesAreRefusedForTheRightReason) {
  const auto rows = read_manifest("reject");
  EXPECT_GE(rows.size(), 100u);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("file"));
    const std::vector<std::byte> frame = read_bytes(root / "reject" / row.at("file"));
    const Status status = restored(frame).status();
    EXPECT_STREQ(name_of(status.code), row.at("error").c_str()) << status.message();
    EXPECT_EQ(std::to_string(status.byte_offset), row.at("offset")) << status.message();
    EXPECT_FALSE(restored_in_pieces(frame, 1));
  }
}

TEST(Golden, WhatDecodersHaveToAcceptIsAccepted) {
  for (const char* folder : {"newer", "unusual"}) {
    const auto rows = read_manifest(folder);
    EXPECT_GE(rows.size(), 4u);
    for (const Row& row : rows) {
      SCOPED_TRACE(row.at("file"));
      const std::vector<std::byte> frame = read_bytes(root / folder / row.at("file"));
      const auto content = restored(frame);
      ASSERT_TRUE(content) << content.status().message();
      EXPECT_EQ(Sha256::hex(*content), row.at("content_sha256"));
      const auto again = restored_in_pieces(frame, 1);
      ASSERT_TRUE(again) << again.status().message();
      EXPECT_EQ(*again, *content);
    }
  }
}

}  // namespace
}  // namespace floe::test
