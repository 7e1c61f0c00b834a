// The C ABI of writers, and what they are told of tables.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "api/c/arguments.hpp"
#include "api/c/callbacks.hpp"
#include "core/guard.hpp"
#include "floe/floe.h"
#include "floe/floe.hpp"

namespace {

using floe::c_abi::bytes;
using floe::c_abi::known_part;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;

floe::Result<floe::TableOptions> to_cpp(const floe_table_options* given) {
  const auto known = known_part(given, floe_table_options_default, sizeof(floe_table_options));
  if (!known) return known.status();
  if ((known->columns == nullptr && known->column_count != 0) ||
      (known->trees == nullptr && known->tree_count != 0))
    return null_pointer;
  floe::TableOptions table;
  table.source = static_cast<floe::TableSource>(std::min<std::uint32_t>(known->source, 255));
  table.name_row = static_cast<floe::NameRow>(std::min<std::uint32_t>(known->name_row, 255));
  table.keep_text = known->keep_text != 0;
  if (known->separator > 255)
    return floe::Status{floe::ErrorCode::invalid_argument, 0, "a separator is one byte"};
  table.separator = static_cast<char>(known->separator);
  table.padding_bytes = known->padding_bytes;
  table.segment_rows = known->segment_rows;
  for (std::uint32_t i = 0; i < known->column_count; ++i) {
    const floe_column& column = known->columns[i];
    if (column.name == nullptr) return null_pointer;
    table.schema.push_back({column.name, to_cpp(column.type),
                            static_cast<std::uint8_t>(std::min<std::uint32_t>(column.decimals, 255))});
  }
  for (std::uint32_t i = 0; i < known->tree_count; ++i) {
    const floe_given_tree& tree = known->trees[i];
    if (tree.column == nullptr || tree.tree == nullptr) return null_pointer;
    table.trees.push_back({tree.column, tree.stream, tree.tree});
  }
  return table;
}

}  // namespace

struct floe_writer {
  floe::Executor executor;
  std::optional<floe::Writer> stream;
};

void floe_table_options_default(floe_table_options* options) {
  const floe::TableOptions defaults;
  *options = {sizeof *options,       FLOE_CSV, nullptr, 0, 0, defaults.keep_text, 0, 0,
              defaults.segment_rows, nullptr,  0};
}

namespace {

/// Makes a writer by create(writer, options), which returns a Result.
template <class Create>
floe_status create_writer(floe_writer** out, const floe_options* options, const Create& create) {
  return to_c(floe::core::guarded([&]() -> floe::Status {
    auto writer = std::make_unique<floe_writer>();
    auto known = to_cpp(options, writer->executor);
    if (!known) return known.status();
    floe::Result<floe::Writer> stream = create(*known);
    if (!stream) return stream.status();
    writer->stream.emplace(std::move(*stream));
    *out = writer.release();
    return {};
  }));
}

}  // namespace

floe_status floe_writer_create_array(floe_writer** out, floe_sink sink, void* user, floe_dtype dtype,
                                     const uint64_t* inner, uint32_t inner_rank,
                                     const floe_options* options) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || sink == nullptr || (inner == nullptr && inner_rank != 0)) return to_c(null_pointer);
  return create_writer(out, options, [&](const floe::Options& known) {
    return floe::Writer::create(to_cpp(sink, user), to_cpp(dtype),
                                std::span<const std::uint64_t>(inner, inner_rank), known);
  });
}

floe_status floe_writer_create_table(floe_writer** out, floe_sink sink, void* user,
                                     const floe_table_options* table, const floe_options* options) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || sink == nullptr) return to_c(null_pointer);
  return create_writer(out, options, [&](const floe::Options& known) -> floe::Result<floe::Writer> {
    const auto of_table = to_cpp(table);
    if (!of_table) return of_table.status();
    return floe::Writer::create(to_cpp(sink, user), *of_table, known);
  });
}

floe_status floe_writer_write(floe_writer* writer, const void* data, size_t count) {
  if (writer == nullptr || (data == nullptr && count != 0)) return to_c(null_pointer);
  return to_c(writer->stream->write(bytes(data, count)));
}

floe_status floe_writer_write_columns(floe_writer* writer, const void* const* values, uint32_t column_count,
                                      uint64_t row_count) {
  if (writer == nullptr || (values == nullptr && column_count != 0)) return to_c(null_pointer);
  return to_c(writer->stream->write_columns({values, column_count}, row_count));
}

floe_status floe_writer_finish(floe_writer* writer) {
  return writer == nullptr ? to_c(null_pointer) : to_c(writer->stream->finish());
}

void floe_writer_close(floe_writer* writer) { delete writer; }
