// One-shot compression.
#include <algorithm>
#include <cstring>

#include "api/array_checks.hpp"
#include "api/frame_encoder.hpp"
#include "core/guard.hpp"
#include "floe/floe.hpp"

namespace floe {
namespace {

/// Copies the parts of a frame one behind the other, unless they are in place already.
class Output {
 public:
  explicit Output(std::span<std::uint8_t> out) : out_(out) {}
  bool append(std::span<const std::uint8_t> part) {
    if (part.size() > rest().size()) return false;
    if (part.data() != rest().data()) std::memcpy(rest().data(), part.data(), part.size());
    written_ += part.size();
    return true;
  }
  [[nodiscard]] std::span<std::uint8_t> rest() const { return out_.subspan(written_); }
  [[nodiscard]] std::size_t written() const { return written_; }

 private:
  std::span<std::uint8_t> out_;
  std::size_t written_ = 0;
};

}  // namespace

Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype, const Extent& extent,
                                  const Options& options) {
  return api::guarded([&]() -> Result<std::size_t> {
    auto plan = api::plan_frame(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = api::check_input(in, dtype, extent); !status.ok()) return status;
    if (api::overlap(in, out)) return Status{ErrorCode::invalid_argument, 0, "input and output overlap"};
    const Status too_small{ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};

    api::FrameEncoder encoder(std::move(*plan), options);
    Output output(api::as_u8(out));
    if (!output.append(encoder.header())) return too_small;
    const std::uint64_t segment_bytes = encoder.plan().header.segment_bytes();
    for (std::uint64_t at = 0; at < in.size(); at += segment_bytes) {
      const auto content = api::as_u8(in.subspan(at, std::min<std::uint64_t>(segment_bytes, in.size() - at)));
      if (!output.append(encoder.segment(content, output.rest()))) return too_small;
    }
    if (!output.append(encoder.footer(extent.rank == 0 ? 1 : extent.size[0]))) return too_small;
    return output.written();
  });
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> in, DType dtype, const Extent& extent, const Options& options) {
  return api::guarded([&]() -> Result<std::vector<std::byte>> {
    auto plan = api::plan_frame(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = api::check_input(in, dtype, extent); !status.ok()) return status;

    api::FrameEncoder encoder(std::move(*plan), options);
    std::vector<std::byte> frame;
    const auto append = [&](std::span<const std::uint8_t> part) {
      const auto bytes = std::as_bytes(part);
      frame.insert(frame.end(), bytes.begin(), bytes.end());
    };
    append(encoder.header());
    const std::uint64_t segment_bytes = encoder.plan().header.segment_bytes();
    for (std::uint64_t at = 0; at < in.size(); at += segment_bytes) {
      append(encoder.segment(api::as_u8(in.subspan(at, std::min<std::uint64_t>(segment_bytes, in.size() - at)))));
    }
    append(encoder.footer(extent.rank == 0 ? 1 : extent.size[0]));
    return frame;
  });
}

}  // namespace floe
