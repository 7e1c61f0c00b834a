// Small frames of every kind, with everything that a frame may have.
#pragma once

#include <string>
#include <vector>

#include "tests/support/tables.hpp"

namespace floe::test {

struct SmallFrame {
  std::string name;
  Bytes content;  ///< What restoring gives.
  Bytes frame;
};
inline void PrintTo(const SmallFrame& frame, std::ostream* out) { *out << frame.name; }

inline SmallFrame small_frame(const ArrayCase& c, std::string_view kind, Bytes content, const Extent& extent,
                              const Options& options) {
  SmallFrame small{c.name() + ", " + std::string(kind), std::move(content), {}};
  small.frame = frame_of(small.content, c.dtype, extent, options);
  return small;
}

/// Arrays of several kilobytes each at most as frames, though some hold much more.
inline std::vector<SmallFrame> small_array_frames(bool checksum = true) {
  static const Bytes prefix = make_bytes(8, 3, 77, 0);
  std::vector<SmallFrame> frames;
  const auto add = [&](const ArrayCase& c, std::string_view kind, Bytes content, const Extent& extent,
                       Options options) {
    options.checksum = checksum;
    frames.push_back(small_frame(c, kind, std::move(content), extent, options));
  };
  const auto few = [](const ArrayCase& c) { return Extent::linear(61 * 8 / c.word_bytes()); };
  constexpr std::size_t smooth_with_noise = 5, random_bits = 8, sparse = 10;
  for (ArrayCase c : codec_cases()) {
    if (c.tree == "gfc") c.tree = "gfc(3)";
    add(c, "mixed", c.sample(smooth_with_noise, 61 * 8, c.tree.size()), few(c), c.options());
  }
  for (const ArrayCase& c : tree_cases())
    add(c, "mixed", c.sample(smooth_with_noise, 61 * 8, c.tree.size()), few(c), c.options());
  for (const ArrayCase& c : tree_cases())
    add(c, "sparse", c.sample(sparse, 67 * 8, c.tree.size()), Extent::linear(67 * 8 / c.word_bytes()),
        c.options());
  for (const ArrayCase& c : goal_cases()) add(c, "mixed", c.sample(sparse, 61 * 8, 3), few(c), c.options());
  for (const ArrayCase& c : mixed_cases()) {
    if (c.tree == "raw") continue;  // whose frames are not small
    Options segments = c.options();
    segments.segment_bytes = 16384;
    segments.prefix = view_of(prefix);
    const auto zeros_then = [&](std::size_t kind, std::size_t bytes) {
      Bytes content(2 * 16384);
      append(content, view_of(c.sample(kind, bytes, 2)));
      return content;
    };
    const auto pairs = [&](const Bytes& content) {
      return Extent{{content.size() / c.word_bytes() / 2, 2}, 2};
    };
    const Bytes noise_last = zeros_then(random_bits, 64), sparse_last = zeros_then(sparse, 704);
    add(c, "segments", noise_last, pairs(noise_last), segments);
    add(c, "chunks", sparse_last, pairs(sparse_last), c.options());
    add(c, "noise", c.sample(random_bits, 320, 4), Extent::linear(320 / c.word_bytes()), c.options());
  }
  const ArrayCase codec{DType::f32, "spspeed"}, planned{DType::f64};
  for (const ArrayCase& c : {codec, planned}) {
    add(c, "empty", {}, {{0, 5}, 2}, c.options());
    add(c, "scalar", c.sample(smooth_with_noise, c.word_bytes(), 5), {{}, 0}, c.options());
  }
  const auto add_one = [&](const ArrayCase& c) {
    add(c, "one element", c.sample(random_bits, c.word_bytes(), 6), Extent::linear(1), c.options());
  };
  for (const ArrayCase& c : codecs_once()) add_one(c);
  for (const DType dtype : all_dtypes) add_one({dtype});
  return frames;
}

/// Tables of all sources, of some kilobytes each.
inline std::vector<SmallFrame> small_table_frames(bool checksum = true) {
  std::vector<SmallFrame> frames;
  Options options;
  options.checksum = checksum;
  options.threads = 1;
  const auto add = [&](std::string name, const std::string& content, const TableOptions& table) {
    frames.push_back({std::move(name), bytes_of(content), table_of(content, table, options)});
  };
  TableOptions csv;
  csv.segment_rows = 7;
  add("CSV of all cell formats",
      "a,b,c,d,e,f\n1,2.5,1e-5,2020-01-01 10:00:00,x,7\nNA,3.5,0.5,2020-01-02 10:00:00,y,\n\n"
      "3,4.5,1e20,bad,x,-1\nno row\n4,1e5,\"\",,z,0\n5,2,.5,2021-02-03 04:05:06,x,00\n",
      csv);
  csv.segment_rows = 16;
  add("CSV of three segments", some_csv(40), csv);
  csv.keep_text = false;
  csv.segment_rows = ordinary_table().segment_rows;
  add("CSV of values", "v;w\r\n1.50;9\r\n2.25;8\r\n3.00;7\r\n", csv);
  add("CSV without rows", "a,b\n", {});
  add("CSV of nothing", "", {});
  add("CSV of malformed rows", "1,2,3\n4,5\n\n6\n7,8,9\n", ordinary_table());
  add("CSV of related columns", csv_of_related_columns(1024), ordinary_table());

  TableOptions records;
  records.source = TableSource::records;
  records.schema = {
      {"i", DType::i16, 0}, {"x", DType::f64, 3}, {"b", DType::boolean, 0}, {"h", DType::f16, 2}};
  records.segment_rows = 20;
  for (const std::uint32_t padding : {0u, 3u}) {
    records.padding_bytes = padding;
    const Bytes bytes = make_bytes(16, 6, 50 * (13 + padding) + 5, padding);  // and a part of a record
    add("records", text_of(bytes), records);
  }
  return frames;
}

inline std::vector<SmallFrame> small_frames(bool checksum = true) {
  std::vector<SmallFrame> frames = small_array_frames(checksum);
  for (SmallFrame& table : small_table_frames(checksum)) frames.push_back(std::move(table));
  std::vector<std::int64_t> times(30);
  std::vector<float> values(30);
  for (std::size_t i = 0; i < times.size(); ++i) {
    times[i] = static_cast<std::int64_t>(60 * i);
    values[i] = static_cast<float>(i * i % 17) / 4;
  }
  SmallFrame columns{"columns in memory", {}, {}};
  const std::array<const void*, 2> pointers = {times.data(), values.data()};
  Options options;
  options.checksum = checksum;
  options.threads = 1;
  columns.frame =
      columns_frame(pointers, times.size(), {{"t", DType::time, 0}, {"v", DType::f32, 2}}, {}, options);
  for (std::size_t i = 0; i < times.size(); ++i) {
    append(columns.content, std::as_bytes(std::span(&times[i], 1)));
    append(columns.content, std::as_bytes(std::span(&values[i], 1)));
  }
  frames.push_back(std::move(columns));
  return frames;
}

/// Compact frames, which have one part and always a checksum.
inline std::vector<SmallFrame> small_compact_frames() {
  std::string quoted = "\"\",\"city\",\"when\",\"price\"\n";
  for (int i = 0; i < 30; ++i) {
    quoted += std::to_string(i) + (i % 3 == 0 ? ",\"Ulm\"," : ",\"Bonn\",") + "2024-01-" +
              std::to_string(10 + i % 20) + ',' + std::to_string(i % 7) + ".25\n";
    if (i % 10 == 9) quoted += "# no row\n";
  }
  const std::pair<const char*, std::string> texts[] = {{"of numbers and words", some_csv(40)},
                                                       {"of quoted texts", quoted},
                                                       {"of related columns", csv_of_related_columns(30)}};
  std::vector<SmallFrame> frames;
  for (const Goal goal : {Goal::ratio, Goal::max}) {
    for (const auto& [name, text] : texts) {
      const Bytes frame = table_of(text, {}, {.goal = goal, .threads = 1});
      EXPECT_EQ(frame[4], 2) << "no compact frame";
      frames.push_back({"compact frame " + std::string(name), bytes_of(text), frame});
    }
  }
  return frames;
}

inline std::vector<SmallFrame> small_frames_of_both_versions() {
  std::vector<SmallFrame> frames = small_frames();
  for (SmallFrame& compact : small_compact_frames()) frames.push_back(std::move(compact));
  return frames;
}

}  // namespace floe::test
