#include "tensors/tensor_restorer.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/failure.hpp"
#include "base/text.hpp"

namespace floe::cli {

namespace {

[[noreturn]] void refuse_frame(const std::string& file, const Tensor& tensor) {
  throw Failure(ExitCode::corrupt, file + ": " + tensor.name,
                fmt::format("corrupt: its frame is not of {} {}, as the header of the original says",
                            printable(tensor.dtype), shape_text(tensor.shape)));
}

}  // namespace

void check_frame(const std::string& file, const Tensor& tensor, const FrameInfo& info, bool is_complete) {
  const auto shape = std::span(info.extent.size).first(info.extent.rank);
  const std::vector<std::uint64_t> expected = tensor.element_shape();
  const bool is_same = info.content == Content::array && info.dtype == tensor.element_type() &&
                       info.prefix.empty() && shape.size() == expected.size();
  // How many outermost entries there are stands at the end of a frame.
  const std::ptrdiff_t first = is_complete || shape.empty() ? 0 : 1;
  if (!is_same || !std::equal(shape.begin() + first, shape.end(), expected.begin() + first))
    refuse_frame(file, tensor);
}

const std::vector<Tensor>& TensorRestorer::take_header(std::string_view text,
                                                       std::optional<std::uint64_t> data_bytes) {
  packed_ = parse_packed_header(file(), text, data_bytes);
  std::array<std::byte, header_length_bytes> length{};
  for (std::size_t i = 0; i < length.size(); ++i)
    length[i] = static_cast<std::byte>(packed_.original_text.size() >> (8 * i));
  take_(length);
  take_(std::as_bytes(std::span(packed_.original_text)));
  return packed_.frames;
}

void TensorRestorer::begin_tensor(std::size_t index) {
  index_ = index;
  restored_bytes_ = 0;
  frame_.emplace(file() + ": " + packed_.tensors[index].name, packed_.frames[index].bytes(), options_,
                 [this](const FrameInfo& info, std::span<const std::byte> bytes) {
                   const Tensor& tensor = packed_.tensors[index_];
                   if (restored_bytes_ == 0) check_frame(file(), tensor, info, false);
                   restored_bytes_ += bytes.size();
                   if (restored_bytes_ > tensor.bytes()) refuse_frame(file(), tensor);
                   take_(bytes);
                 });
}

void TensorRestorer::end_tensor() {
  frame_->finish();
  check_frame(file(), packed_.tensors[index_], frame_->info(), true);
  has_checksums_ &= frame_->info().has_checksums;
  frame_.reset();
}

}  // namespace floe::cli
