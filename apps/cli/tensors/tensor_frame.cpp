#include "tensors/tensor_frame.hpp"

#include "base/failure.hpp"
#include "tensors/tensor_trees.hpp"

namespace floe::cli {

SourceContent content_of(const Tensor& tensor) {
  SourceContent content;
  content.array.dtype = tensor.element_type();
  content.array.shape = tensor.element_shape();
  return content;
}

TensorFrame::TensorFrame(const Arguments& arguments, const Options& options, const std::string& file,
                         const Tensor& tensor, FrameWriter::Take take)
    : arguments_(arguments_for(arguments, tensor)),
      options_(options),
      label_(file + ": " + tensor.name),
      dtype_(tensor.element_type()),
      take_(std::move(take)) {
  SourceContent content = content_of(tensor);
  if (!content.array.shape.empty())
    writer_.emplace(arguments_, options_, FrameWriter::Source{label_, std::move(content), {}}, take_);
}

void TensorFrame::write(std::span<const std::byte> bytes) {
  if (writer_) return writer_->write(bytes);
  scalar_.insert(scalar_.end(), bytes.begin(), bytes.end());
}

void TensorFrame::finish() { writer_ ? writer_->finish() : write_scalar(); }

void TensorFrame::write_scalar() {
  const std::string tree = tree_for(arguments_, label_, dtype_);
  options_.tree = tree;
  options_.segment_bytes = arguments_.segment_bytes;
  const auto frame = floe::compress(scalar_, dtype_, Extent{{}, 0}, options_);
  if (!frame) throw library_failure(label_, frame.status());
  take_(*frame);
}

}  // namespace floe::cli
