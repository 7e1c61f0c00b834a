// Do any text and any records come back from a table, as a whole and in rows?
#include <numeric>

#include "fuzz/frames.hpp"

namespace floe::fuzz {
namespace {

TableOptions table_from(Input& input) {
  TableOptions table;
  table.segment_rows = 1 + input.take<std::uint8_t>() % 32u;
  const auto choice = input.take<std::uint8_t>();
  table.separator = std::array{'\0', ',', ';', '\t'}[choice % 4];
  table.name_row = static_cast<NameRow>(choice / 4 % 3);
  if (choice < 192) return table;
  table.source = TableSource::records;
  table.separator = 0;
  table.name_row = NameRow::detect;
  table.padding_bytes = choice % 4;
  for (unsigned i = 0; i <= choice / 4 % 5; ++i)
    table.schema.push_back({std::to_string(i), static_cast<DType>(1 + input.take<std::uint8_t>() % 14), 3});
  return table;
}

void run_table(Input input) {
  Options options;
  const auto bits = input.take<std::uint8_t>();
  options.goal = static_cast<Goal>(bits % 4);
  options.threads = 1 + (bits >> 3 & 1);
  options.checksum = (bits & 4) == 0;
  const TableOptions table = table_from(input);
  const Bytes content = input.rest(), frame = table_frame(content, table, options);

  const auto reader = Reader::open(reader_of(frame), frame.size());
  require(static_cast<bool>(reader));
  Bytes restored;
  require(reader->restore(sink_to(restored), decode_options).ok());
  require(restored == content);

  const FrameInfo& info = reader->info();
  if (info.columns.empty() || info.columns.size() > 100) return;
  std::vector<std::size_t> columns(info.columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  Bytes rows;
  require(reader->print_rows(columns, {0, info.element_count}, sink_to(rows), decode_options).ok() ||
          rows.size() > max_content_bytes);
  for (const std::size_t column : columns) {
    const std::uint64_t first = info.element_count / 3, count = std::min<std::uint64_t>(first, 10);
    const auto texts = reader->read_texts(column, {first, count}, decode_options);
    require(texts && texts->size() == count);
  }
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  floe::fuzz::run_table({data, size});
  return 0;
}
