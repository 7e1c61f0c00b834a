// One-shot compression of arrays.
#include <algorithm>
#include <cstring>
#include <functional>

#include "core/guard.hpp"
#include "floe/floe.hpp"
#include "pipeline/array_writer.hpp"

namespace floe {
namespace {

bool overlap(std::span<const std::byte> a, std::span<const std::byte> b) {
  const std::less<const std::byte*> before;
  return !a.empty() && !b.empty() && before(a.data(), b.data() + b.size()) &&
         before(b.data(), a.data() + a.size());
}

/// Precondition: the shape was planned, so that its size is no overflow.
Status check_input(std::span<const std::byte> in, DType dtype, const Extent& extent) {
  if (in.size() != *extent.element_count() * size_of(dtype))
    return {ErrorCode::invalid_argument, 0, "the input's size is not that of its shape"};
  return {};
}

/// Copies the parts of a frame one behind the other, unless they are in place already.
class MemorySink final : public container::FrameSink {
 public:
  explicit MemorySink(std::span<std::uint8_t> out) : out_(out) {}
  Status put(std::span<const std::uint8_t> part) override {
    if (part.size() > out_.size() - written_)
      return {ErrorCode::output_too_small, 0, "the output buffer cannot hold the frame"};
    if (!part.empty() && part.data() != out_.data() + written_)
      std::memmove(out_.data() + written_, part.data(), part.size());
    written_ += part.size();
    return {};
  }
  [[nodiscard]] std::span<std::uint8_t> room() override { return out_.subspan(written_); }
  [[nodiscard]] std::size_t written() const { return written_; }

 private:
  std::span<std::uint8_t> out_;
  std::size_t written_ = 0;
};

/// A frame that exceeds a fourth of its content gets memory for all of it, up to so much: to move frames
/// while they grow takes up to a third of the time.
class VectorSink final : public container::FrameSink {
 public:
  explicit VectorSink(std::size_t content_bytes)
      : room_(std::min(content_bytes + usual_overhead, max_room)) {}
  Status put(std::span<const std::uint8_t> part) override {
    const auto bytes = std::as_bytes(part);
    const std::size_t needed = frame.size() + bytes.size();
    if (needed > frame.capacity() && needed > room_ / 4 && needed < room_) frame.reserve(room_);
    frame.insert(frame.end(), bytes.begin(), bytes.end());
    return {};
  }
  std::vector<std::byte> frame;

 private:
  static constexpr std::size_t usual_overhead = 1024, max_room = std::size_t{64} << 20;
  const std::size_t room_;
};

Status write_array(container::FrameSink& sink, pipeline::ArrayPlan&& plan, std::span<const std::byte> in,
                   const Extent& extent, const Options& options) {
  pipeline::ArrayWriter writer(std::move(plan), options, sink);
  if (const Status status = writer.write_whole(core::as_u8(in)); !status.ok()) return status;
  return writer.finish(extent.rank == 0 ? 1 : extent.size[0]);
}

}  // namespace

Result<std::uint64_t> max_compressed_size(DType dtype, const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<std::uint64_t> {
    const auto plan = pipeline::plan_array(dtype, extent, options);
    if (!plan) return plan.status();
    return pipeline::frame_bound(*plan, *extent.element_count() * size_of(dtype));
  });
}

Result<std::size_t> compress_into(std::span<std::byte> out, std::span<const std::byte> in, DType dtype,
                                  const Extent& extent, const Options& options) {
  return core::guarded([&]() -> Result<std::size_t> {
    auto plan = pipeline::plan_array(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = check_input(in, dtype, extent); !status.ok()) return status;
    if (overlap(in, out)) return Status{ErrorCode::invalid_argument, 0, "input and output overlap"};
    MemorySink sink(core::as_u8(out));
    if (const Status status = write_array(sink, std::move(*plan), in, extent, options); !status.ok())
      return status;
    return sink.written();
  });
}

Result<std::vector<std::byte>> compress(std::span<const std::byte> in, DType dtype, const Extent& extent,
                                        const Options& options) {
  return core::guarded([&]() -> Result<std::vector<std::byte>> {
    auto plan = pipeline::plan_array(dtype, extent, options);
    if (!plan) return plan.status();
    if (const Status status = check_input(in, dtype, extent); !status.ok()) return status;
    VectorSink sink(in.size());
    if (const Status status = write_array(sink, std::move(*plan), in, extent, options); !status.ok())
      return status;
    return std::move(sink.frame);
  });
}

Status check_tree(std::string_view tree) {
  return core::guarded([&] { return trees::check_plan_text(tree); });
}

Status check_tree(std::string_view tree, DType dtype) {
  if (!is_element_type(dtype)) return {ErrorCode::invalid_argument, 0, "unknown element type"};
  return core::guarded([&] { return trees::plan_from_text(tree, dtype).status(); });
}

}  // namespace floe
