// What codecs there are, and how large a frame can become.
#include <algorithm>
#include <array>

#include "container/frame_plan.hpp"
#include "floe/floe.hpp"
#include "container/footer.hpp"
#include "container/layout.hpp"

namespace floe {

std::string_view version() noexcept { return FLOE_VERSION; }

std::string_view instruction_set() noexcept { return registry::cpu_instruction_set(); }

std::span<const CodecInfo> codecs() noexcept {
  static const auto infos = [] {
    std::array<CodecInfo, registry::codec_count> list;
    std::ranges::transform(registry::all_codecs(), list.begin(), api::info_of);
    return list;
  }();
  return infos;
}

Result<CodecInfo> choose_codec(DType dtype, const Options& options) {
  const Result<api::FramePlan> plan = api::plan_frame(dtype, Extent::linear(0), options);
  if (!plan) return plan.status();
  return api::info_of(*plan->codec);
}

Result<std::uint64_t> max_compressed_size(DType dtype, const Extent& extent, const Options& options) {
  const Result<api::FramePlan> plan = api::plan_frame(dtype, extent, options);
  if (!plan) return plan.status();
  const std::uint64_t content = *extent.element_count() * size_of(dtype);
  const std::uint64_t segment = plan->header.segment_bytes();
  const auto bound = [&](std::uint64_t bytes) {
    const std::uint64_t chunks = core::divide_up(bytes, core::chunk_bytes);
    return format::segment_head_bytes(chunks, options.checksum) + format::padded(bytes);
  };
  const std::uint64_t rest = content % segment;
  return plan->header_bytes.size() + content / segment * bound(segment) + (rest == 0 ? 0 : bound(rest)) +
         format::footer_bytes(core::divide_up(content, segment));
}

}  // namespace floe
