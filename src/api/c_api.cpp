// The C ABI: translates arguments and results, nothing else.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>

#include "core/guard.hpp"
#include "api/c/arguments.hpp"
#include "floe/floe.h"
#include "floe/floe.hpp"

namespace {

using floe::c_abi::bad_struct_size;
using floe::c_abi::known_part;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;

std::span<const std::byte> bytes(const void* data, std::size_t count) { return {static_cast<const std::byte*>(data), count}; }
std::span<std::byte> bytes(void* data, std::size_t count) { return {static_cast<std::byte*>(data), count}; }

/// Sizes of the structs in the first version of the ABI.
constexpr std::size_t first_decode_options_bytes = offsetof(floe_decode_options, executor_user) + sizeof(void*);
constexpr std::size_t first_frame_info_bytes = offsetof(floe_frame_info, prefix_bytes) + sizeof(uint64_t);

/// Null stays null; else `keeper` becomes what the pointer leads to.
const floe::Executor* to_cpp(floe_executor executor, void* user, floe::Executor& keeper) {
  if (executor == nullptr) return nullptr;
  keeper = [executor, user](std::uint32_t count, const floe::Task& task) {
    const floe_task call = [](void* context, std::uint32_t index) { (*static_cast<const floe::Task*>(context))(index); };
    executor(user, count, call, const_cast<floe::Task*>(&task));  // C has no pointer that only reads here; `call` does
  };
  return &keeper;
}

floe::Result<floe::Options> to_cpp(const floe_options* given, floe::Executor& keeper) {
  const auto known = known_part(given);
  if (!known) return known.status();
  auto options = to_cpp(*known);
  if (options) options->executor = to_cpp(known->executor, known->executor_user, keeper);
  return options;
}

floe::Result<floe::DecodeOptions> to_cpp(const floe_decode_options* given, floe::Executor& keeper) {
  const auto known = known_part(given, floe_decode_options_default, first_decode_options_bytes);
  if (!known) return known.status();
  return floe::DecodeOptions{known->threads, known->memory_limit_bytes, to_cpp(known->executor, known->executor_user, keeper)};
}

floe::Sink to_cpp(floe_sink sink, void* user) {
  return [sink, user](std::span<const std::byte> part) {
    if (sink(user, part.data(), part.size()) == 0) return floe::Status{};
    return floe::Status{floe::ErrorCode::io_error, 0, "the caller's sink stopped the stream"};
  };
}

const char* static_name(const floe::CodecInfo& codec) {
  return codec.name.data();  // codec names are string literals
}

}  // namespace

struct floe_compressor {
  floe::Executor executor;
  std::optional<floe::Compressor> stream;
};
struct floe_decompressor {
  floe::Executor executor;
  std::optional<floe::Decompressor> stream;
};

const char* floe_error_name(floe_error code) { return floe::name_of(static_cast<floe::ErrorCode>(code)); }

const char* floe_version(void) { return FLOE_VERSION; }

size_t floe_dtype_size(floe_dtype dtype) { return floe::size_of(to_cpp(dtype)); }

void floe_options_default(floe_options* options) {
  const floe::Options defaults;
  *options = {sizeof *options,
              static_cast<std::uint32_t>(defaults.goal),
              nullptr,
              defaults.threads,
              defaults.checksum,
              defaults.format_version,
              defaults.dimensionality,
              defaults.segment_bytes,
              nullptr,
              0,
              nullptr,
              nullptr};
}

void floe_decode_options_default(floe_decode_options* options) {
  const floe::DecodeOptions defaults;
  *options = {sizeof *options, defaults.threads, defaults.memory_limit_bytes, nullptr, nullptr};
}

floe_status floe_max_compressed_size(uint64_t* out, floe_dtype dtype, const floe_extent* extent, const floe_options* options) {
  if (out == nullptr || extent == nullptr) return to_c(null_pointer);
  floe::Executor executor;
  const auto known = to_cpp(options, executor);
  if (!known) return to_c(known.status());
  const auto bound = floe::max_compressed_size(to_cpp(dtype), to_cpp(*extent), *known);
  if (bound) *out = *bound;
  return to_c(bound.status());
}

floe_status floe_compress(void* out, size_t* out_bytes, const void* in, size_t in_bytes, floe_dtype dtype, const floe_extent* extent,
                          const floe_options* options) {
  if (out_bytes == nullptr || extent == nullptr || (in == nullptr && in_bytes != 0) || (out == nullptr && *out_bytes != 0))
    return to_c(null_pointer);
  floe::Executor executor;
  const auto known = to_cpp(options, executor);
  if (!known) return to_c(known.status());
  const auto written = floe::compress_into(bytes(out, *out_bytes), bytes(in, in_bytes), to_cpp(dtype), to_cpp(*extent), *known);
  if (written) *out_bytes = *written;
  return to_c(written.status());
}

floe_status floe_inspect(floe_frame_info* out, const void* frame, size_t frame_bytes) {
  if (out == nullptr || frame == nullptr) return to_c(null_pointer);
  if (out->struct_size < first_frame_info_bytes) return to_c(bad_struct_size);
  const auto view = floe::FrameView::parse(bytes(frame, frame_bytes));
  if (!view) return to_c(view.status());
  const floe::FrameInfo& info = view->info();
  floe_frame_info known{};
  known.struct_size = out->struct_size;
  known.dtype = static_cast<floe_dtype>(info.dtype);
  std::copy(info.extent.size.begin(), info.extent.size.end(), known.extent.size);
  known.extent.rank = info.extent.rank;
  known.element_count = info.element_count;
  known.codec = static_name(info.codec);
  known.format_version = info.format_version;
  known.dimensionality = info.dimensionality;
  known.has_checksums = info.has_checksums ? 1 : 0;
  known.segment_bytes = info.segment_bytes;
  known.segment_count = info.segment_count;
  known.digest = info.digest;
  known.prefix_bytes = info.prefix.size();
  std::memcpy(out, &known, std::min<std::size_t>(out->struct_size, sizeof known));
  return to_c({});
}

floe_status floe_prefix(void* out, size_t out_bytes, const void* frame, size_t frame_bytes) {
  if (frame == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  const auto view = floe::FrameView::parse(bytes(frame, frame_bytes));
  if (!view) return to_c(view.status());
  const auto& prefix = view->info().prefix;
  if (out_bytes != prefix.size()) return to_c({floe::ErrorCode::invalid_argument, 0, "the output's size is not that of the prefix"});
  std::copy(prefix.begin(), prefix.end(), static_cast<std::byte*>(out));
  return to_c({});
}

floe_status floe_decompress_slice(void* out, size_t out_bytes, const void* frame, size_t frame_bytes, uint64_t first, uint64_t count,
                                  const floe_decode_options* options) {
  if (frame == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  floe::Executor executor;
  const auto known = to_cpp(options, executor);
  if (!known) return to_c(known.status());
  const auto view = floe::FrameView::parse(bytes(frame, frame_bytes));
  if (!view) return to_c(view.status());
  return to_c(view->decompress_slice(bytes(out, out_bytes), {first, count}, *known));
}

floe_status floe_decompress(void* out, size_t out_bytes, const void* frame, size_t frame_bytes, const floe_decode_options* options) {
  if (frame == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  floe::Executor executor;
  const auto known = to_cpp(options, executor);
  if (!known) return to_c(known.status());
  const auto view = floe::FrameView::parse(bytes(frame, frame_bytes));
  if (!view) return to_c(view.status());
  return to_c(view->decompress(bytes(out, out_bytes), *known));
}

floe_status floe_compressor_create(floe_compressor** out, floe_sink sink, void* user, floe_dtype dtype, const uint64_t* inner,
                                   uint32_t inner_rank, const floe_options* options) {
  if (out == nullptr) return to_c(null_pointer);
  *out = nullptr;
  if (sink == nullptr || (inner == nullptr && inner_rank != 0)) return to_c(null_pointer);
  return to_c(floe::api::guarded([&]() -> floe::Status {
    auto created = std::make_unique<floe_compressor>();
    const auto known = to_cpp(options, created->executor);
    if (!known) return known.status();
    auto stream = floe::Compressor::create(to_cpp(sink, user), to_cpp(dtype), {inner, inner_rank}, *known);
    if (!stream) return stream.status();
    created->stream = std::move(*stream);
    *out = created.release();
    return {};
  }));
}

floe_status floe_compressor_write(floe_compressor* compressor, const void* data, size_t count) {
  if (compressor == nullptr || (data == nullptr && count != 0)) return to_c(null_pointer);
  return to_c(compressor->stream->write(bytes(data, count)));
}

floe_status floe_compressor_finish(floe_compressor* compressor) {
  if (compressor == nullptr) return to_c(null_pointer);
  return to_c(compressor->stream->finish());
}

void floe_compressor_destroy(floe_compressor* compressor) { delete compressor; }

floe_status floe_decompressor_create(floe_decompressor** out, floe_sink sink, void* user, const floe_decode_options* options) {
  if (out == nullptr) return to_c(null_pointer);
  *out = nullptr;
  if (sink == nullptr) return to_c(null_pointer);
  return to_c(floe::api::guarded([&]() -> floe::Status {
    auto created = std::make_unique<floe_decompressor>();
    const auto known = to_cpp(options, created->executor);
    if (!known) return known.status();
    created->stream.emplace(to_cpp(sink, user), *known);
    *out = created.release();
    return {};
  }));
}

floe_status floe_decompressor_write(floe_decompressor* decompressor, const void* data, size_t count) {
  if (decompressor == nullptr || (data == nullptr && count != 0)) return to_c(null_pointer);
  return to_c(decompressor->stream->write(bytes(data, count)));
}

floe_status floe_decompressor_finish(floe_decompressor* decompressor) {
  if (decompressor == nullptr) return to_c(null_pointer);
  return to_c(decompressor->stream->finish());
}

void floe_decompressor_destroy(floe_decompressor* decompressor) { delete decompressor; }
