// The C ABI: versions, options, and arrays in one call.
#include <cstddef>

#include "api/c/arguments.hpp"
#include "api/c/callbacks.hpp"
#include "floe/floe.h"
#include "floe/floe.hpp"

namespace {

using floe::c_abi::bytes;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;
using floe::c_abi::with_options;

}  // namespace

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
