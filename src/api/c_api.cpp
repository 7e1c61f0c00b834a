// The C ABI: translates arguments and results, nothing else.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/c/arguments.hpp"
#include "api/c/callbacks.hpp"
#include "api/c/frame_info.hpp"
#include "core/guard.hpp"
#include "floe/floe.h"
#include "floe/floe.hpp"

namespace {

using floe::c_abi::bytes;
using floe::c_abi::known_part;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;

floe::Result<floe::Options> to_cpp(const floe_options* given, floe::Executor& keeper) {
  const auto known = known_part(given);
  if (!known) return known.status();
  auto options = to_cpp(*known);
  if (options) options->executor = to_cpp(known->executor, known->executor_user, keeper);
  return options;
}

/// Calls `work` with the options, and makes what it throws a status. `work` returns a status.
template <class COptions, class Work>
floe_status with_options(const COptions* given, const Work& work) {
  return to_c(floe::core::guarded([&]() -> floe::Status {
    floe::Executor executor;
    const auto known = to_cpp(given, executor);
    return known ? work(*known) : known.status();
  }));
}

/// Columns that the C++ calls take.
std::vector<std::size_t> to_cpp(const uint32_t* columns, uint32_t count) {
  return {columns, columns + count};
}

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
struct floe_reader {
  std::optional<floe::Reader> reader;
};
struct floe_stream_reader {
  floe::Executor executor;
  std::optional<floe::StreamReader> stream;
};

const char* floe_error_name(floe_error code) { return floe::name_of(static_cast<floe::ErrorCode>(code)); }

const char* floe_version(void) { return FLOE_VERSION; }
void floe_release_memory(void) { floe::release_memory(); }

size_t floe_dtype_size(floe_dtype dtype) { return floe::size_of(to_cpp(dtype)); }

void floe_options_default(floe_options* options) {
  const floe::Options defaults;
  *options = {sizeof *options,
              static_cast<std::uint32_t>(defaults.goal),
              nullptr,
              static_cast<std::uint32_t>(defaults.profile),
              defaults.threads,
              defaults.checksum,
              defaults.decode_megabytes_per_second,
              defaults.segment_bytes,
              nullptr,
              0,
              nullptr,
              nullptr,
              nullptr};
}

void floe_decode_options_default(floe_decode_options* options) {
  const floe::DecodeOptions defaults;
  *options = {sizeof *options, defaults.threads, defaults.memory_limit_bytes, nullptr, nullptr, nullptr};
}

void floe_accelerator_close(floe_accelerator* accelerator) { delete accelerator; }

void floe_table_options_default(floe_table_options* options) {
  const floe::TableOptions defaults;
  *options = {sizeof *options,       FLOE_CSV, nullptr, 0, 0, defaults.keep_text, 0, 0,
              defaults.segment_rows, nullptr,  0};
}

floe_status floe_check_tree(const char* tree, floe_dtype dtype) {
  if (tree == nullptr) return to_c(null_pointer);
  return to_c(floe::check_tree(tree, to_cpp(dtype)));
}

floe_status floe_max_compressed_size(uint64_t* out, floe_dtype dtype, const floe_extent* extent,
                                     const floe_options* options) {
  if (out == nullptr || extent == nullptr) return to_c(null_pointer);
  return with_options(options, [&](const floe::Options& known) {
    const auto bound = floe::max_compressed_size(to_cpp(dtype), to_cpp(*extent), known);
    if (bound) *out = *bound;
    return bound.status();
  });
}

floe_status floe_compress(void* out, size_t* out_bytes, const void* in, size_t in_bytes, floe_dtype dtype,
                          const floe_extent* extent, const floe_options* options) {
  if (out_bytes == nullptr || extent == nullptr || (in == nullptr && in_bytes != 0) ||
      (out == nullptr && *out_bytes != 0))
    return to_c(null_pointer);
  return with_options(options, [&](const floe::Options& known) {
    const auto written = floe::compress_into(bytes(out, *out_bytes), bytes(in, in_bytes), to_cpp(dtype),
                                             to_cpp(*extent), known);
    if (written) *out_bytes = *written;
    return written.status();
  });
}

floe_status floe_decompress_slice(void* out, size_t out_bytes, const void* frame, size_t frame_bytes,
                                  uint64_t first, uint64_t count, const floe_decode_options* options) {
  if ((out == nullptr && out_bytes != 0) || (frame == nullptr && frame_bytes != 0)) return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    const auto reader = floe::Reader::open(bytes(frame, frame_bytes));
    return reader ? reader->decompress_slice(bytes(out, out_bytes), {first, count}, known) : reader.status();
  });
}

floe_status floe_decompress(void* out, size_t out_bytes, const void* frame, size_t frame_bytes,
                            const floe_decode_options* options) {
  if ((out == nullptr && out_bytes != 0) || (frame == nullptr && frame_bytes != 0)) return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    const auto reader = floe::Reader::open(bytes(frame, frame_bytes));
    return reader ? reader->decompress(bytes(out, out_bytes), known) : reader.status();
  });
}

namespace {

/// Makes a reader by open(), which returns a Result.
template <class Open>
floe_status open_reader(floe_reader** out, const Open& open) {
  return to_c(floe::core::guarded([&]() -> floe::Status {
    floe::Result<floe::Reader> reader = open();
    if (reader) *out = new floe_reader{std::move(*reader)};
    return reader.status();
  }));
}

}  // namespace

floe_status floe_reader_open(floe_reader** out, const void* frame, size_t frame_bytes) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || (frame == nullptr && frame_bytes != 0)) return to_c(null_pointer);
  return open_reader(out, [&] { return floe::Reader::open(bytes(frame, frame_bytes)); });
}

floe_status floe_reader_open_at(floe_reader** out, floe_read_at read_at, void* user, uint64_t frame_bytes,
                                uint64_t memory_limit_bytes) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || read_at == nullptr) return to_c(null_pointer);
  return open_reader(
      out, [&] { return floe::Reader::open(to_cpp(read_at, user), frame_bytes, memory_limit_bytes); });
}

void floe_reader_close(floe_reader* reader) { delete reader; }

floe_status floe_reader_info(const floe_reader* reader, floe_frame_info* info) {
  if (reader == nullptr || info == nullptr) return to_c(null_pointer);
  return floe::c_abi::put_info(reader->reader->info(), info);
}

floe_status floe_reader_prefix(const floe_reader* reader, void* out, size_t out_bytes) {
  if (reader == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  return floe::c_abi::put_prefix(reader->reader->info(), out, out_bytes);
}

floe_status floe_reader_column(const floe_reader* reader, uint32_t index, floe_column* column) {
  if (reader == nullptr || column == nullptr) return to_c(null_pointer);
  return floe::c_abi::put_column(reader->reader->info(), index, column);
}

floe_status floe_reader_slice(const floe_reader* reader, void* out, size_t out_bytes, uint64_t first,
                              uint64_t count, const floe_decode_options* options) {
  if (reader == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    return reader->reader->decompress_slice(bytes(out, out_bytes), {first, count}, known);
  });
}

floe_status floe_reader_restore(const floe_reader* reader, floe_sink sink, void* user,
                                const floe_decode_options* options) {
  if (reader == nullptr || sink == nullptr) return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    return reader->reader->restore(to_cpp(sink, user), known);
  });
}

floe_status floe_reader_values(const floe_reader* reader, uint32_t column, uint64_t first, uint64_t count,
                               void* out, size_t out_bytes, uint8_t* valid,
                               const floe_decode_options* options) {
  if (reader == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  const std::span<std::uint8_t> flags(valid, valid == nullptr ? 0 : static_cast<std::size_t>(count));
  return with_options(options, [&](const floe::DecodeOptions& known) {
    return reader->reader->read_values(column, {first, count}, bytes(out, out_bytes), flags, known);
  });
}

floe_status floe_reader_print(const floe_reader* reader, const uint32_t* columns, uint32_t column_count,
                              uint64_t first, uint64_t count, floe_sink sink, void* user,
                              const floe_decode_options* options) {
  if (reader == nullptr || sink == nullptr || (columns == nullptr && column_count != 0))
    return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    return reader->reader->print_rows(to_cpp(columns, column_count), {first, count}, to_cpp(sink, user),
                                      known);
  });
}

floe_status floe_reader_records(const floe_reader* reader, const uint32_t* columns, uint32_t column_count,
                                uint64_t first, uint64_t count, floe_sink sink, void* user,
                                const floe_decode_options* options) {
  if (reader == nullptr || sink == nullptr || (columns == nullptr && column_count != 0))
    return to_c(null_pointer);
  return with_options(options, [&](const floe::DecodeOptions& known) {
    return reader->reader->write_records(to_cpp(columns, column_count), {first, count}, to_cpp(sink, user),
                                         known);
  });
}

floe_status floe_stream_reader_create(floe_stream_reader** out, floe_sink sink, void* user,
                                      const floe_decode_options* options) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || sink == nullptr) return to_c(null_pointer);
  return to_c(floe::core::guarded([&]() -> floe::Status {
    auto reader = std::make_unique<floe_stream_reader>();
    const auto known = to_cpp(options, reader->executor);
    if (!known) return known.status();
    reader->stream.emplace(to_cpp(sink, user), *known);
    *out = reader.release();
    return {};
  }));
}

floe_status floe_stream_reader_write(floe_stream_reader* reader, const void* data, size_t count) {
  if (reader == nullptr || (data == nullptr && count != 0)) return to_c(null_pointer);
  return to_c(reader->stream->write(bytes(data, count)));
}

floe_status floe_stream_reader_finish(floe_stream_reader* reader) {
  return reader == nullptr ? to_c(null_pointer) : to_c(reader->stream->finish());
}

void floe_stream_reader_close(floe_stream_reader* reader) { delete reader; }

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

// ---- pages

struct floe_page_encoder {
  floe::PageEncoder encoder;
};

floe_status floe_page_encoder_create(floe_page_encoder** encoder, floe_dtype dtype,
                                     const floe_options* options) {
  if (encoder == nullptr) return to_c(null_pointer);
  *encoder = nullptr;
  return with_options(options, [&](const floe::Options& known) -> floe::Status {
    auto made = floe::PageEncoder::create(to_cpp(dtype), known);
    if (made) *encoder = new floe_page_encoder{std::move(*made)};
    return made.status();
  });
}

void floe_page_encoder_close(floe_page_encoder* encoder) { delete encoder; }

floe_status floe_max_page_size(uint64_t* out, floe_dtype dtype, uint64_t count) {
  if (out == nullptr) return to_c(null_pointer);
  const auto bound = floe::max_page_size(to_cpp(dtype), count);
  if (bound) *out = *bound;
  return to_c(bound.status());
}

floe_status floe_page_encode(floe_page_encoder* encoder, void* out, size_t* out_bytes, const void* values,
                             size_t values_bytes) {
  if (encoder == nullptr || out_bytes == nullptr || (values == nullptr && values_bytes != 0) ||
      (out == nullptr && *out_bytes != 0))
    return to_c(null_pointer);
  const auto written = encoder->encoder.encode(bytes(out, *out_bytes), bytes(values, values_bytes));
  if (written) *out_bytes = *written;
  return to_c(written.status());
}

floe_status floe_page_read_info(floe_page_info* info, const void* page, size_t page_bytes) {
  if (info == nullptr || (page == nullptr && page_bytes != 0)) return to_c(null_pointer);
  const auto known = floe::page_info(bytes(page, page_bytes));
  if (known) *info = {static_cast<floe_dtype>(known->dtype), known->count, known->has_checksum ? 1u : 0u};
  return to_c(known.status());
}

floe_status floe_page_decode(void* out, size_t out_bytes, const void* page, size_t page_bytes, uint64_t first,
                             uint64_t count, void* scratch, size_t scratch_bytes) {
  if ((out == nullptr && out_bytes != 0) || (page == nullptr && page_bytes != 0) ||
      (scratch == nullptr && scratch_bytes != 0))
    return to_c(null_pointer);
  return to_c(floe::decode_page_slice(bytes(out, out_bytes), bytes(page, page_bytes), {first, count},
                                      bytes(scratch, scratch_bytes)));
}
