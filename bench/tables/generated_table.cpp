#include "generated_table.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "floe/floe.hpp"
#include "measuring.hpp"
#include "research/generated_table.hpp"
#include "rows/cells/column_reader.hpp"
#include "rows/csv/cell_index.hpp"
#include "thesis_columns.hpp"

namespace floe::bench {
namespace {

std::string generated_text(std::uint64_t rows) {
  std::string text;
  const Status status = research::generate_table(rows, [&text](std::span<const std::byte> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return Status{};
  });
  return status.ok() ? text : std::string();
}

template <class Feed>
std::vector<std::byte> compressed(const TableOptions& table, const Options& options, Feed&& feed) {
  std::vector<std::byte> frame;
  auto writer = Writer::create(
      [&frame](std::span<const std::byte> bytes) {
        frame.insert(frame.end(), bytes.begin(), bytes.end());
        return Status{};
      },
      table, options);
  writer.status().or_throw();
  feed(*writer);
  writer->finish().or_throw();
  return frame;
}

std::vector<std::byte> compressed_text(const std::string& text, Goal goal) {
  return compressed({}, {.goal = goal, .threads = 1},
                    [&text](Writer& to) { to.write(std::as_bytes(std::span(text))).or_throw(); });
}

void decompress(const std::vector<std::byte>& frame) {
  std::uint64_t bytes = 0;
  const auto count = [&bytes](std::span<const std::byte> part) {
    bytes += part.size();
    return Status{};
  };
  Reader::open(frame).value().restore(count, {.threads = 1}).or_throw();
}

/// Reads the values of all columns; each thread takes the next one that is left.
void read_columns(const std::vector<std::byte>& frame, const Schema& schema, std::uint64_t rows,
                  unsigned threads) {
  std::atomic<std::size_t> next{0};
  const Reader reader = Reader::open(frame).value();
  const auto take_columns = [&] {
    std::vector<std::byte> values;
    for (std::size_t column = next++; column < schema.size(); column = next++) {
      values.resize(static_cast<std::size_t>(rows * size_of(schema[column].type)));
      reader.read_values(column, {0, rows}, values, {}, {.threads = 1}).or_throw();
    }
  };
  std::vector<std::thread> others;
  for (unsigned thread = 1; thread < threads; ++thread) others.emplace_back(take_columns);
  take_columns();
  for (std::thread& other : others) other.join();
}

/// Bytes that some words take.
std::uint64_t encoded_bytes(const rows::Words& words) {
  return pipeline::encode_alone({words.type(), words.data(), words.count()}, {}).size();
}

}  // namespace

void generated_table() {
  const std::string text = generated_text(1000000);
  const auto text_bytes = static_cast<double>(text.size());
  std::vector<std::byte> table;
  for (const auto& [name, goal] : {std::pair{"ratio", Goal::ratio}, {"balanced", Goal::balance}}) {
    table = compressed_text(text, goal);
    print("GEN1", "CSV", name, text_bytes / static_cast<double>(table.size()));
  }
  const double compress_seconds = best_seconds_of(3, [&] { (void)compressed_text(text, Goal::balance); });
  print("GEN1", "CSV", "compress GB/s", text_bytes / compress_seconds / 1e9);
  print("GEN1", "CSV", "decompress GB/s", text_bytes / best_seconds_of(5, [&] { decompress(table); }) / 1e9);

  rows::CellIndex cells;
  const std::string body = text.substr(text.find('\n') + 1);
  const double index_seconds = best_seconds_of(5, [&] { cells.build(body, {}, 6, 1u << 20, true); });
  print("GEN1", "CSV", "find cells GB/s", text_bytes / index_seconds / 1e9);
  const double read_seconds = best_seconds_of(5, [&] {
    for (std::uint32_t column = 0; column < 6; ++column)
      (void)rows::read_column(cells, column, {true, encoded_bytes});
  });
  print("GEN1", "CSV", "read cells GB/s", text_bytes / (index_seconds + read_seconds) / 1e9);
}

/// The same columns as arrays in memory.
void generated_columns() {
  constexpr std::size_t n = 1000000;
  research::TimeSeries series(1454284800, 0.05, 4);
  std::array<Packs, 6> packs;
  packs[0].push_back(times_i64(series, n));
  packs[1].push_back(pattern_a_i32(0, n, 10, 10, 0, 1000000));
  packs[2].push_back(pattern_b_i32(0, n, 100000, 0, 1000000));
  packs[3].push_back(decimals_f32(n, 4, 2));
  packs[4].push_back(pattern_a_f32(0, n, 10, 0.01F, 0, 1000));
  packs[5].push_back(pattern_b_f32(0, n, 1000000, 0, 10000000));
  std::array<const void*, 6> columns{};
  std::ranges::transform(packs, columns.begin(), [](const Packs& column) { return column[0].data(); });
  TableOptions layout;
  layout.source = TableSource::columns;
  layout.schema = research::generated_schema();
  Options options;
  const auto bytes = static_cast<double>(n * (8 + 5 * 4));
  std::vector<std::byte> table;
  const auto compress = [&] {
    table = compressed(layout, options, [&](Writer& to) { to.write_columns(columns, n).or_throw(); });
  };
  options.threads = 1;
  const double seconds = best_seconds_of(5, compress);
  print("GEN1", "columns in memory", "balanced", bytes / static_cast<double>(table.size()));
  print("GEN1", "columns in memory", "compress GB/s", bytes / seconds / 1e9);
  print("GEN1", "columns in memory", "decompress GB/s",
        bytes / best_seconds_of(5, [&] { read_columns(table, layout.schema, n, 1); }) / 1e9);
  options.threads = 2;
  print("GEN1", "columns in memory", "compress GB/s with 2 threads",
        bytes / best_elapsed_seconds_of(5, compress) / 1e9);
  const double read_seconds = best_elapsed_seconds_of(5, [&] { read_columns(table, layout.schema, n, 2); });
  print("GEN1", "columns in memory", "decompress GB/s with 2 threads", bytes / read_seconds / 1e9);

  for (const int rounds : {1, 8, 64})
    print_planning("GEN1", {&packs[0], &packs[1], &packs[2], &packs[3], &packs[4], &packs[5]}, rounds);
}

namespace {

/// Seconds to compress, with one thread and with two; the two take turns, so that what disturbs meets both.
template <class Feed>
void print_two_threads(const std::string& row, double bytes, const TableOptions& table, const Feed& feed) {
  Options options;
  double seconds[2] = {1e9, 1e9};
  for (int run = 0; run < 7; ++run) {
    for (const std::uint32_t threads : {1U, 2U}) {
      options.threads = threads;
      seconds[threads - 1] = std::min(
          seconds[threads - 1], best_elapsed_seconds_of(1, [&] { (void)compressed(table, options, feed); }));
    }
  }
  print("threads", row, "one", bytes / seconds[0] / 1e9);
  print("threads", row, "two", bytes / seconds[1] / 1e9);
}

}  // namespace

/// Tables with fewer columns than there are threads, or hardly more.
void few_columns() {
  constexpr std::size_t n = std::size_t{1} << 20, max_segments = 64;
  std::vector<std::int32_t> pattern(n * max_segments);
  research::pattern_b<std::int32_t>(pattern, 0, n * 8, 3, 10000000, 1);
  std::vector<float> decimals(n * max_segments);
  for (std::size_t i = 0; i < decimals.size(); i += n) {
    const Words pack = decimals_f32(n, 4, i);
    std::memcpy(&decimals[i], pack.data(), n * sizeof(float));
  }
  TableOptions table;
  table.source = TableSource::columns;
  table.segment_rows = n;
  for (const std::size_t segments : {std::size_t{1}, std::size_t{8}, max_segments}) {
    const auto print_columns = [&](const char* name, Schema schema, const std::vector<const void*>& columns) {
      table.schema = std::move(schema);
      const std::size_t rows = segments * n;
      print_two_threads(std::string(name) + "; " + std::to_string(segments) + " segments",
                        static_cast<double>(4 * rows * columns.size()), table,
                        [&](Writer& to) { to.write_columns(columns, rows).or_throw(); });
    };
    print_columns("Pattern B", {{"b", DType::i32, 0}}, {pattern.data()});
    print_columns("decimals", {{"d", DType::f32, 4}}, {decimals.data()});
    print_columns("Pattern B and decimals", {{"b", DType::i32, 0}, {"d", DType::f32, 4}},
                  {pattern.data(), decimals.data()});
  }
  std::string text = "value\n";
  for (std::size_t i = 0; i < n; ++i) text += std::to_string(pattern[i]) + '\n';
  for (const std::size_t segments : {1U, 8U}) {
    print_two_threads(
        "Pattern B as CSV; " + std::to_string(segments) + " segments",
        static_cast<double>(segments * text.size()), {}, [&](Writer& to) {
          for (std::size_t i = 0; i < segments; ++i)
            to.write(std::as_bytes(std::span(text)).subspan(i == 0 ? 0 : text.find('\n') + 1)).or_throw();
        });
  }
}

}  // namespace floe::bench
