#include "tensors/tensor_file.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/text.hpp"

namespace floe::cli {

void TensorFile::begin_next() {
  for (; index_ < tensors_->size(); ++index_) {
    left_ = (*tensors_)[index_].bytes();
    begin_tensor(index_);
    if (left_ != 0) return;
    end_tensor();
  }
}

void TensorFile::write(std::span<const std::byte> bytes) {
  if (tensors_ == nullptr) {
    bytes = header_.take(bytes);
    if (!header_.is_complete()) return;
    tensors_ = &take_header(header_.text(), header_.data_bytes());
    begin_next();
  }
  while (!bytes.empty()) {
    if (index_ == tensors_->size())
      throw Failure(ExitCode::corrupt, file_,
                    fmt::format("corrupt: there are bytes behind the last tensor (at byte {})",
                                header_.bytes().size() + (tensors_->empty() ? 0 : tensors_->back().end)));
    const std::size_t count = std::min<std::uint64_t>(left_, bytes.size());
    take_bytes(bytes.first(count));
    bytes = bytes.subspan(count);
    left_ -= count;
    if (left_ != 0) continue;
    end_tensor();
    ++index_;
    begin_next();
  }
}

void TensorFile::finish() {
  header_.finish();
  if (index_ == tensors_->size()) return;
  const Tensor& tensor = (*tensors_)[index_];
  throw Failure(
      ExitCode::corrupt, file_,
      fmt::format("is cut at byte {}: tensor {} needs {} more", header_.bytes().size() + tensor.end - left_,
                  printable(tensor.name), plural(left_, "byte")));
}

}  // namespace floe::cli
