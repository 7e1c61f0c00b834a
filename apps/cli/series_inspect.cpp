// floe series inspect: what compressed tables hold, without decoding them.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "for_each_file.hpp"
#include "series_commands.hpp"
#include "series_facts.hpp"
#include "streaming.hpp"
#include "text.hpp"

namespace floe::cli {
namespace {

tables::StoredSegment segment_of(const std::string& file, tables::TableReader& reader, std::uint64_t index) {
  Result<tables::StoredSegment> segment = reader.segment(index);
  if (!segment) throw library_failure(file, segment.status());
  return std::move(*segment);
}

void print_segment(const tables::TableInfo& info, const tables::StoredSegment& segment, std::uint64_t index) {
  fmt::print("segment {}: rows {} to {}, {}\n", index, segment.first_row,
             segment.first_row + segment.row_count, bytes_text(segment.stored_bytes));
  for (std::size_t i = 0; i < segment.columns.size(); ++i) {
    const tables::StoredColumn& column = segment.columns[i];
    fmt::print("  {:<20} {:>10}  {}\n", printable(info.columns[i].name), column.stored_bytes,
               column_text(column, segment.row_count));
    for (const std::string& tree : column.trees) fmt::print("  {:<20} {:>10}  {}\n", "", "", tree);
  }
}

}  // namespace

const char* source_text(tables::TableSource source) {
  return source == tables::TableSource::csv       ? "CSV text"
         : source == tables::TableSource::records ? "binary records"
                                                  : "columns";
}

std::string column_text(const tables::StoredColumn& column, std::uint64_t row_count) {
  const double bits =
      row_count == 0 ? 0 : 8.0 * static_cast<double>(column.stored_bytes) / static_cast<double>(row_count);
  const std::string range =
      column.range.is_known ? fmt::format(", {:g} to {:g}", column.range.least, column.range.greatest) : "";
  const std::string literals =
      column.literal_count != 0 ? fmt::format(", {} other cells", column.literal_count) : "";
  return fmt::format("{:>7.3f} bits/row  {}{}{}", bits, column.writing, range, literals);
}

void print_table(const std::string& file, tables::TableReader& reader, bool all_segments) {
  const tables::TableInfo& info = reader.info();
  fmt::print("{}\n", printable(file));
  fmt::print("  {} rows of {} columns, from {}; {} in {} segment{}\n", info.row_count, info.columns.size(),
             source_text(info.source), bytes_text(info.table_bytes), info.segment_count,
             info.segment_count == 1 ? "" : "s");
  for (const tables::Column& column : info.columns)
    fmt::print("  {:<20} {}\n", printable(column.name), name_of(column.type));
  const std::uint64_t shown =
      all_segments ? info.segment_count : std::min<std::uint64_t>(info.segment_count, 1);
  for (std::uint64_t i = 0; i < shown; ++i) print_segment(info, segment_of(file, reader, i), i);
  if (shown < info.segment_count)
    fmt::print("({} more segments; -v prints them)\n", info.segment_count - shown);
}

Json head_as_json(const std::string& file, const tables::TableInfo& info) {
  Json facts = {{"file", file},
                {"source", source_text(info.source)},
                {"rows", info.row_count},
                {"table_bytes", info.table_bytes},
                {"padding_bytes", info.padding_bytes}};
  facts["columns"] = Json::array();
  for (const tables::Column& column : info.columns)
    facts["columns"].push_back(
        {{"name", column.name}, {"type", name_of(column.type)}, {"decimals", column.decimals}});
  facts["segments"] = Json::array();
  return facts;
}

Json segment_as_json(const tables::StoredSegment& segment) {
  Json columns = Json::array();
  for (const tables::StoredColumn& column : segment.columns) {
    Json of_column = {{"stored_bytes", column.stored_bytes},
                      {"writing", column.writing},
                      {"other_cells", column.literal_count},
                      {"trees", column.trees}};
    if (column.range.is_known) of_column["range"] = {column.range.least, column.range.greatest};
    columns.push_back(std::move(of_column));
  }
  return {{"first_row", segment.first_row},
          {"rows", segment.row_count},
          {"stored_bytes", segment.stored_bytes},
          {"columns", std::move(columns)}};
}

Json table_as_json(const std::string& file, tables::TableReader& reader) {
  const tables::TableInfo& info = reader.info();
  Json facts = head_as_json(file, info);
  for (std::uint64_t i = 0; i < info.segment_count; ++i)
    facts["segments"].push_back(segment_as_json(segment_of(file, reader, i)));
  return facts;
}

ExitCode inspect_tables(const SeriesArguments& arguments) {
  Json all = Json::array();
  const ExitCode code = for_each_file(arguments.files, [&](const std::string& file) {
    const InputFile source = InputFile::open(file, false);
    ThrowingReader bytes(source);
    Result<tables::TableReader> reader = tables::TableReader::open(bytes.read_at(), source.file_bytes());
    bytes.check(reader.status());
    if (arguments.json) {
      all.push_back(table_as_json(source.label(), *reader));
    } else {
      print_table(source.label(), *reader, arguments.verbose);
    }
  });
  if (arguments.json) print_json(all);
  return code;
}

}  // namespace floe::cli
