#include "report/frame_facts.hpp"

#include <fmt/core.h>

#include <span>

#include "base/text.hpp"

namespace floe::cli {
namespace {

std::span<const std::uint64_t> dimensions(const FrameInfo& info) {
  return std::span(info.extent.size).first(info.extent.rank);
}

void add_array_facts(Json& facts, const FrameInfo& info) {
  facts.set("dtype", name_of(info.dtype));
  facts.set("shape", Json::array_of(dimensions(info)));
  facts.set("element_count", info.element_count);
  facts.set("array_bytes", info.array_bytes());
  facts.set("prefix_bytes", info.prefix.size());
}

void add_table_facts(Json& facts, const FrameInfo& info) {
  facts.set("source", source_text(info.source));
  facts.set("rows", info.element_count);
  facts.set("padding_bytes", info.padding_bytes);
  Json columns = Json::array();
  for (const Column& column : info.columns)
    columns.push(Json::object({{"name", column.name},
                               {"type", name_of(column.type)},
                               {"decimals", static_cast<unsigned>(column.decimals)}}));
  facts.set("columns", std::move(columns));
}

}  // namespace

std::string shape_text(const FrameInfo& info) { return shape_text(dimensions(info)); }

const char* source_text(TableSource source) {
  return source == TableSource::csv ? "CSV" : source == TableSource::records ? "records" : "columns";
}

std::string short_description(const FrameInfo& info) {
  if (info.content == Content::table)
    return fmt::format("table of {}, {}, {}", plural(info.columns.size(), "column"),
                       plural(info.element_count, "row"), source_text(info.source));
  if (info.dtype == DType::u8 && info.extent.rank == 1 && info.prefix.empty()) return "bytes";
  return fmt::format("{} {}", name_of(info.dtype), shape_text(info));
}

std::optional<std::uint64_t> original_bytes(const FrameInfo& info) {
  if (info.content == Content::array) return info.array_bytes() + info.prefix.size();
  if (info.source == TableSource::csv) return std::nullopt;
  std::uint64_t record_bytes = info.padding_bytes;
  for (const Column& column : info.columns) record_bytes += size_of(column.type);
  return info.element_count * record_bytes;
}

double ratio_of(std::uint64_t original_bytes, std::uint64_t stored_bytes) {
  return stored_bytes == 0 ? 0 : static_cast<double>(original_bytes) / static_cast<double>(stored_bytes);
}

std::string share_text(const AcceleratorShare& share, std::string_view done) {
  if (share.words_bytes == 0) return "";
  return fmt::format(", {:.0f} % of the words {} by devices",
                     100 * ratio_of(share.accelerated_bytes, share.words_bytes), done);
}

std::string count_text(const FrameInfo& info) {
  if (info.content == Content::array) return plural(info.element_count, "element");
  return fmt::format("{} of {}", plural(info.element_count, "row"), plural(info.columns.size(), "column"));
}

std::string column_text(const FrameInfo& info, const StoredColumn& column, std::uint64_t count) {
  const double bits = 8 * ratio_of(column.stored_bytes, count);
  std::string text =
      fmt::format("{:>7.3f} bits/{}", bits, info.content == Content::table ? "row" : "element");
  if (info.content == Content::table) text += "  " + column.cell_format;
  if (column.bounds.is_known) text += fmt::format(", {:g} to {:g}", column.bounds.min, column.bounds.max);
  if (column.exception_count != 0) text += fmt::format(", {} other cells", column.exception_count);
  return text;
}

Json facts_as_json(const std::string& file, const FrameInfo& info) {
  Json facts = Json::object({{"file", file},
                             {"content", info.content == Content::table ? "table" : "array"},
                             {"format_version", info.format_version}});
  info.content == Content::table ? add_table_facts(facts, info) : add_array_facts(facts, info);
  const auto original = original_bytes(info);
  facts.set("stored_bytes", info.frame_bytes);
  facts.set("ratio", original ? Json(ratio_of(*original, info.frame_bytes)) : Json());
  facts.set("max_segment_length", info.max_segment_length);
  facts.set("segment_count", info.segment_count);
  facts.set("checksums", info.has_checksums);
  facts.set("digest", info.has_checksums ? Json(fmt::format("{:016x}", info.digest)) : Json());
  return facts;
}

Json column_as_json(const StoredColumn& column) {
  Json json = Json::object({{"stored_bytes", column.stored_bytes},
                            {"cell_format", column.cell_format},
                            {"exceptions", column.exception_count},
                            {"trees", Json::array_of(column.trees)}});
  if (column.bounds.is_known)
    json.set("range", Json::array_of(std::initializer_list<double>{column.bounds.min, column.bounds.max}));
  return json;
}

Json segment_as_json(const StoredSegment& segment) {
  Json columns = Json::array();
  for (const StoredColumn& column : segment.columns) columns.push(column_as_json(column));
  Json json = Json::object({{"first", segment.first},
                            {"count", segment.count},
                            {"offset", segment.offset},
                            {"stored_bytes", segment.stored_bytes},
                            {"columns", std::move(columns)}});
  if (segment.chunks.chunks != 0)
    json.set("chunks", Json::object({{"count", segment.chunks.chunks},
                                     {"raw", segment.chunks.raw},
                                     {"coded", segment.chunks.coded},
                                     {"payload_bytes", segment.chunks.payload_bytes}}));
  return json;
}

}  // namespace floe::cli
