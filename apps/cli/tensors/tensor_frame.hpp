// One tensor that becomes a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "frames/frame_writer.hpp"
#include "tensors/header.hpp"

namespace floe::cli {

/// What floe takes a tensor for.
SourceContent content_of(const Tensor& tensor);

class TensorFrame {
 public:
  /// `options`: those of the arguments, and what else the library shall do. `take` gets the frame and may
  /// throw.
  TensorFrame(const Arguments& arguments, const Options& options, const std::string& file,
              const Tensor& tensor, FrameWriter::Take take);
  TensorFrame(const TensorFrame&) = delete;
  TensorFrame& operator=(const TensorFrame&) = delete;

  /// The next bytes of the tensor. Throw a Failure, or what `take` threw.
  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  void write_scalar();

  Arguments arguments_;
  Options options_;
  std::string label_;
  DType dtype_;
  FrameWriter::Take take_;
  std::optional<FrameWriter> writer_;  ///< Of all but scalars, which have no dimension to be written along.
  std::vector<std::byte> scalar_;
};

}  // namespace floe::cli
