#include "pipeline/table_options.hpp"

#include "container/parts.hpp"
#include "pipeline/array_plan.hpp"
#include "pipeline/tree_choice.hpp"

namespace floe::pipeline {
namespace {

Status refused(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

}  // namespace

Status check_table_options(const TableOptions& table, const Options& options) {
  if (const Result<trees::Objective> objective = objective_of(options); !objective) return objective.status();
  if (!options.tree.empty()) return refused("trees of a table are given by column");
  if (!options.prefix.empty()) return refused("a table has no prefix");
  if (options.segment_bytes != 0) return refused("segments of a table are given by rows");
  if (table.segment_rows == 0 || table.segment_rows > container::max_segment_rows)
    return refused("a segment has 1 to 2^20 rows");
  if (table.schema.size() > container::max_columns) return refused("more than 65536 columns");
  if (table.padding_bytes > container::max_padding_bytes) return refused("more than 1 MiB of padding");
  for (const Column& column : table.schema) {
    if (column.name.size() > container::max_name_bytes)
      return refused("the name of a column is longer than 64 KiB");
    const bool is_narrow_float = column.type == DType::f16 || column.type == DType::bf16;
    const bool is_type = column.type == DType::text || size_of(column.type) != 0;
    if (!is_type || column.decimals > container::max_float_digits)
      return refused("a column of the schema makes no sense");
    if (table.source != TableSource::csv && column.type == DType::text)
      return refused("binary records cannot hold texts");
    if (table.source == TableSource::csv && is_narrow_float)
      return refused("cells of CSV text cannot be 16-bit floats");
  }
  for (const GivenTree& tree : table.trees) {
    if (const Status status = check_tree(tree.tree); !status.ok()) return status;
  }
  if (table.source == TableSource::csv) {
    if (table.padding_bytes != 0) return refused("only binary records have padding");
    if (table.separator == '\n' || table.separator == '\r' || table.separator == '"')
      return refused("this cannot separate cells");
    if (table.name_row > NameRow::no) return refused("unknown way to look for names of columns");
    return {};
  }
  if (table.source > TableSource::columns) return refused("a source of rows that is unknown");
  if (table.schema.empty()) return refused("binary records need a schema");
  if (table.source == TableSource::columns && table.padding_bytes != 0)
    return refused("only binary records have padding");
  return {};
}

}  // namespace floe::pipeline
