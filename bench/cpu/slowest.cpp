// Which streams and frames take the longest for their bytes? Trees of all encodings on contents that are easy
// to lose, from one word to thousands; tables of very short segments and of very many columns, and compact
// ones; arrays in the shortest segments. Prints the slowest ones, in nanoseconds per byte of frame and
// content together, and per byte of frame.
//
// Usage: slowest [TREES]: how many random trees (default 600).
#include <algorithm>
#include <chrono>
#include <cstdio>

#include "container/compact_frame.hpp"
#include "core/byte_stream.hpp"
#include "floe/recover.hpp"
#include "pipeline/compact/text/text_coder.hpp"
#include "tests/series/columns.hpp"
#include "tests/series_cuda/trees.hpp"
#include "tests/support/small_frames.hpp"

namespace floe::test {
namespace {

struct Row {
  double seconds = 0;
  std::size_t in = 0, out = 0;
  std::string what;

  [[nodiscard]] double of_both() const { return 1e9 * seconds / static_cast<double>(in + out); }
  [[nodiscard]] double of_input() const { return 1e9 * seconds / static_cast<double>(in); }
};

template <class Work>
double seconds_of(const Work& work) {
  double best = 1e9;
  for (int run = 0; run < 3; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return best;
}

void measure_streams(const trees::Plan& plan, DType type, std::vector<Row>& rows) {
  for (const std::uint64_t count : {1u, 2u, 5u, 17u, 70u, 300u, 1500u, 8000u}) {
    for (auto& [name, column] : difficult_columns(type, count)) {
      const Bytes encoded = ColumnEncoder(plan).encode(column.view());
      test::Column out(type, count);
      const double seconds = seconds_of([&] { static_cast<void>(decode(encoded, out)); });
      rows.push_back({seconds, encoded.size(), out.bytes.size(),
                      text_of(plan) + " on " + name + " of " + std::to_string(count) + " " +
                          std::string(name_of(type))});
    }
  }
}

void measure_frame(const std::string& what, const Bytes& frame, std::vector<Row>& rows) {
  std::size_t out = 0;
  const auto sink = [&](std::span<const std::byte> part) {
    out += part.size();
    return Status{};
  };
  const DecodeOptions options{.threads = 1};
  const auto add = [&](const char* way, const auto& work) {
    const double seconds = seconds_of([&] {
      out = 0;
      work();
    });
    rows.push_back({seconds, frame.size(), out, what + ", " + way});
  };
  add("restored", [&] {
    if (const auto reader = Reader::open(view_of(frame))) static_cast<void>(reader->restore(sink, options));
  });
  add("as a stream", [&] {
    StreamReader reader(sink, options);
    for (std::size_t at = 0; at < frame.size(); at += 777)
      static_cast<void>(
          reader.write(view_of(frame).subspan(at, std::min<std::size_t>(777, frame.size() - at))));
    static_cast<void>(reader.finish());
  });
  add("recovered", [&] {
    if (const auto recovery = Recovery::open(view_of(frame), {}))
      static_cast<void>(recovery->restore(sink, options));
  });
}

void measure_tables(std::vector<Row>& rows) {
  const auto measure = [&](const std::string& what, const std::string& text, std::uint32_t segment_rows) {
    TableOptions table;
    table.segment_rows = segment_rows;
    measure_frame(what, table_of(text, table, {.goal = Goal::speed, .threads = 1}), rows);
  };
  for (const std::uint32_t segment_rows : {1u, 2u, 7u}) {
    std::string text = "a,b,c,d,e,f\n";
    for (int i = 0; i < 1500; ++i) text += "1e5,2020-01-01 10:00:00,abcdef,0.1,NA,-0\n";
    measure("table in segments of " + std::to_string(segment_rows), text, segment_rows);
  }
  std::string line = "0";
  for (int column = 1; column < 3000; ++column) line += "," + std::to_string(column * 7 % 13);
  measure("table of 3000 columns", line + "\n" + line + "\n" + line + "\n", 1);
}

void measure_compact_tables(std::vector<Row>& rows) {
  for (const SmallFrame& small : small_compact_frames()) measure_frame(small.name, small.frame, rows);
  std::string same = "a\n";
  for (int i = 0; i < 100'000; ++i) same += "x\n";
  for (const auto& [what, text] : {std::pair("of one letter", same), {"of 4000 rows", some_csv(4000)}})
    measure_frame("compact frame " + std::string(what),
                  table_of(text, {}, {.goal = Goal::ratio, .threads = 1}), rows);
}

/// Frames of texts that no table has: of a random code, and of bytes that are rare in tables.
void measure_hostile_texts(std::vector<Row>& rows) {
  constexpr std::uint64_t text_bytes = std::uint64_t{1} << 20;
  constexpr auto kind = pipeline::TextKind::numbers;
  Random random(1);
  Bytes code(text_bytes), rare(text_bytes);
  for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random.next());
  for (std::uint8_t& byte : rare) byte = static_cast<std::uint8_t>(128 + random.below(128));
  for (const auto& [what, bytes] : {std::pair("random code", code),
                                    {"rare bytes", pipeline::encode_text(rare, ',', kind, 2 * text_bytes)}}) {
    core::ByteWriter body;
    body.put_varint(1);
    body.put_byte(',');
    body.put_varint(2 * text_bytes + static_cast<std::uint64_t>(kind));
    body.put_bytes(bytes);
    const Bytes frame = container::write_compact_frame(body.bytes());
    const double seconds = seconds_of([&] { static_cast<void>(Reader::open(view_of(frame))); });
    rows.push_back({seconds, frame.size(), 0, std::string("compact frame, text of ") + what});
  }
}

void measure_arrays(std::vector<Row>& rows) {
  for (const char* tree :
       {"entropy", "spratio", "dpratio", "linear(32),entropy", "rle,entropy,entropy", "spspeed", "gfc(2)"}) {
    for (const DType type : {DType::f64, DType::f32, DType::i8}) {
      if (!check_tree(tree, type).ok()) continue;
      const ArrayCase c{type, tree};
      Options options = c.options();
      options.segment_bytes = 16384;
      for (const std::size_t kind : {0u, 5u, 8u})
        measure_frame(c.name() + " in segments of 16 KiB",
                      frame_of(c.sample(kind, 1 << 20, 3), type, options), rows);
    }
  }
}

void print(std::vector<Row> rows, double (Row::*key)() const, const char* title) {
  std::partial_sort(rows.begin(), rows.begin() + 8, rows.end(),
                    [&](const Row& a, const Row& b) { return (a.*key)() > (b.*key)(); });
  std::puts(title);
  for (std::size_t i = 0; i < 8; ++i)
    std::printf("%7.1f ns/B of both, %7.1f of input, %zu to %zu B: %.100s\n", rows[i].of_both(),
                rows[i].of_input(), rows[i].in, rows[i].out, rows[i].what.c_str());
}

}  // namespace
}  // namespace floe::test

int main(int count, char** words) {
  using namespace floe;
  using namespace floe::test;
  std::vector<Row> streams, frames;
  const std::uint64_t random_trees = count > 1 ? std::strtoull(words[1], nullptr, 10) : 600;
  for (std::uint64_t seed = 0; seed < random_trees; ++seed) {
    const DType type = word_types[core::splitmix(seed) % std::size(word_types)];
    measure_streams(random_plan(core::splitmix(seed + 3), type), type, streams);
  }
  for (const char* tree : {"entropy", "linear(32),entropy", "stride_split(64),entropy,entropy",
                           "stride_split(1064),entropy", "rle,rle,entropy,entropy,entropy", "dpratio"}) {
    for (const DType type : {DType::f64, DType::u16, DType::i8}) {
      if (const auto plan = trees::plan_from_text(tree, type)) measure_streams(*plan, type, streams);
    }
  }
  measure_tables(frames);
  measure_compact_tables(frames);
  measure_hostile_texts(frames);
  measure_arrays(frames);
  print(streams, &Row::of_both, "Streams");
  print(frames, &Row::of_both, "Frames");
  print(frames, &Row::of_input, "Frames, by their own bytes");
}
