#include "tensors/tensor_writer.hpp"

#include <fmt/core.h>

#include "base/failure.hpp"
#include "tensors/packed_tensors.hpp"
#include "tensors/tensor_trees.hpp"

namespace floe::cli {
namespace {

/// Twice as many still fit a number of 64 bits.
constexpr std::uint64_t max_data_bytes = std::uint64_t{1} << 60;

std::string_view text_of(const std::string& header) {
  return std::string_view(header).substr(header_length_bytes);
}

}  // namespace

const std::vector<Tensor>& TensorWriter::take_header(std::string_view text,
                                                     std::optional<std::uint64_t> data_bytes) {
  header_ = parse_tensor_header(file(), text, data_bytes);
  if (header_.data_bytes() > max_data_bytes)
    throw Failure(ExitCode::corrupt, file(),
                  fmt::format("corrupt: its tensors would have {} bytes", header_.data_bytes()));
  check_tensor_trees(arguments_, file(), header_.tensors);
  const std::string longest = packed_header(text, header_, nullptr, 0);
  room_bytes_ = longest.size();
  if (room_bytes_ > max_header_bytes)
    throw Failure(ExitCode::error, file(),
                  fmt::format("its compressed file would need a header of {} bytes, which no program reads; "
                              "--as bytes stores it as plain bytes",
                              room_bytes_));
  take_(std::as_bytes(std::span(longest)));
  return header_.tensors;
}

void TensorWriter::begin_tensor(std::size_t index) {
  frame_bytes_.push_back(0);
  frame_.emplace(arguments_, options_, file(), header_.tensors[index],
                 [this](std::span<const std::byte> bytes) {
                   frame_bytes_.back() += bytes.size();
                   take_(bytes);
                 });
}

void TensorWriter::end_tensor() {
  frame_->finish();
  frame_.reset();
}

std::string TensorWriter::header() const {
  return packed_header(text_of(header_bytes()), header_, &frame_bytes_, room_bytes_);
}

}  // namespace floe::cli
