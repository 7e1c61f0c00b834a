// Pages: up to 2^20 values that stand for themselves, as databases store them. docs/format/page.md.
#pragma once

#include <cstdint>
#include <span>

#include "core/workers.hpp"
#include "floe/floe.hpp"
#include "pipeline/array_plan.hpp"
#include "pipeline/encode/group_encoder.hpp"

namespace floe::pipeline {

inline constexpr std::uint8_t page_version = 1;
inline constexpr std::size_t page_header_bytes = 16;

/// Encodes pages one after the other, and remembers the trees of the kinds of data that it has seen.
class PageWriter {
 public:
  explicit PageWriter(const ArrayPlan& plan);
  PageWriter(const PageWriter&) = delete;
  PageWriter& operator=(const PageWriter&) = delete;

  /// Writes the page of some values, aligned for their type, and returns its bytes. Errors: output_too_small.
  /// Throws std::bad_alloc.
  Result<std::size_t> encode(const trees::ColumnView& values, std::span<std::uint8_t> out);
  [[nodiscard]] DType dtype() const { return dtype_; }

 private:
  DType dtype_;
  core::Workers this_thread_{1, nullptr};
  Options options_;
  StreamCoder coder_;
  GroupEncoder encoder_{this_thread_, options_};
};

/// The most bytes of a page of so many bytes of values.
std::uint64_t page_bound(std::uint64_t values_bytes);

/// Errors: corrupt_frame, truncated_frame, unsupported_version.
Result<PageInfo> read_page_info(std::span<const std::uint8_t> page);

/// Decodes the values of a slice, which lies within the page, to `out`, which is aligned for them. Decoders
/// are made in `scratch`; those that do not fit come from the heap. Errors: as read_page_info. Throws
/// std::bad_alloc.
Status decode_page(std::span<const std::uint8_t> page, Slice slice, void* out, std::span<std::byte> scratch);

}  // namespace floe::pipeline
