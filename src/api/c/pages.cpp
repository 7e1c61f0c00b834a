// The C ABI of pages.
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
