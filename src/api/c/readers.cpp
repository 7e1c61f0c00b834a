// The C ABI of readers: frames in memory or elsewhere, and frames that arrive in pieces.
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "api/c/arguments.hpp"
#include "api/c/callbacks.hpp"
#include "api/c/frame_info.hpp"
#include "core/guard.hpp"
#include "floe/floe.h"
#include "floe/floe.hpp"

namespace {

using floe::c_abi::bytes;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;
using floe::c_abi::with_options;

/// Columns that the C++ calls take.
std::vector<std::size_t> to_cpp(const uint32_t* columns, uint32_t count) {
  return {columns, columns + count};
}

}  // namespace

struct floe_reader {
  std::optional<floe::Reader> reader;
};
struct floe_stream_reader {
  floe::Executor executor;
  std::optional<floe::StreamReader> stream;
};

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
