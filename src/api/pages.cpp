// Pages of values for databases and loggers.
#include "pipeline/pages.hpp"
#include "core/buffer.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"

namespace floe {
namespace {

/// Words are read where they lie, so they need their alignment; other values are copied.
bool is_aligned(const void* values, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(values) % alignment == 0;
}

}  // namespace

struct PageEncoder::State {
  explicit State(const pipeline::ArrayPlan& plan) : writer(plan) {}
  pipeline::PageWriter writer;
  std::vector<std::uint64_t> aligned;
};

PageEncoder::PageEncoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
PageEncoder::PageEncoder(PageEncoder&&) noexcept = default;
PageEncoder& PageEncoder::operator=(PageEncoder&&) noexcept = default;
PageEncoder::~PageEncoder() = default;

Result<PageEncoder> PageEncoder::create(DType dtype, const Options& options) {
  return core::guarded([&]() -> Result<PageEncoder> {
    const auto plan = pipeline::plan_array(dtype, 1, {}, options);
    if (!plan) return plan.status();
    return PageEncoder(std::make_unique<State>(*plan));
  });
}

Result<std::size_t> PageEncoder::encode(std::span<std::byte> out, std::span<const std::byte> values) {
  return core::guarded([&]() -> Result<std::size_t> {
    const DType dtype = state_->writer.dtype();
    const std::size_t word_bytes = size_of(dtype);
    if (values.size() % word_bytes != 0 || values.size() / word_bytes > max_page_values)
      return Status{ErrorCode::invalid_argument, 0, "a page has up to 2^20 whole values"};
    const void* words = values.data();
    if (!is_aligned(words, word_bytes)) {
      state_->aligned.resize(values.size() / sizeof(std::uint64_t) + 1);
      words = std::memcpy(state_->aligned.data(), values.data(), values.size());
    }
    return state_->writer.encode({dtype, words, values.size() / word_bytes}, core::as_u8(out));
  });
}

Result<std::uint64_t> max_page_size(DType dtype, std::uint64_t count) {
  if (!is_element_type(dtype) || count > max_page_values)
    return Status{ErrorCode::invalid_argument, 0, "a page has up to 2^20 values of an element type"};
  return pipeline::page_bound(count * size_of(dtype));
}

Result<PageInfo> page_info(std::span<const std::byte> page) {
  return pipeline::read_page_info(core::as_u8(page));
}

Status decode_page(std::span<std::byte> out, std::span<const std::byte> page, std::span<std::byte> scratch) {
  const Result<PageInfo> info = page_info(page);
  if (!info) return info.status();
  return decode_page_slice(out, page, {0, info->count}, scratch);
}

Status decode_page_slice(std::span<std::byte> out, std::span<const std::byte> page, Slice slice,
                         std::span<std::byte> scratch) {
  return core::guarded([&]() -> Status {
    const Result<PageInfo> info = page_info(page);
    if (!info) return info.status();
    const std::size_t word_bytes = size_of(info->dtype);
    if (slice.first > info->count || slice.count > info->count - slice.first)
      return {ErrorCode::invalid_argument, 0, "the slice reaches beyond the page"};
    if (out.size() != slice.count * word_bytes)
      return {ErrorCode::invalid_argument, 0, "the output's size is not that of the slice"};
    if (!is_aligned(out.data(), word_bytes))
      return {ErrorCode::invalid_argument, 0, "the output is not aligned for its values"};
    return pipeline::decode_page(core::as_u8(page), slice, out.data(), scratch);
  });
}

}  // namespace floe
