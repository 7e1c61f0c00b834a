// A safetensors file that becomes one of frames.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tensors/tensor_file.hpp"
#include "tensors/tensor_frame.hpp"

namespace floe::cli {

class TensorWriter final : public TensorFile {
 public:
  /// `options`: those of the arguments, and what else the library shall do. `take` gets room for the header,
  /// then the frames, and may throw. `arguments` must outlive it.
  TensorWriter(const Arguments& arguments, Options options, std::string file,
               std::optional<std::uint64_t> file_bytes, FrameWriter::Take take)
      : TensorFile(std::move(file), file_bytes),
        arguments_(arguments),
        options_(std::move(options)),
        take_(std::move(take)) {}

  /// After finish(): what belongs into the room at the begin.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::size_t tensor_count() const noexcept { return header_.tensors.size(); }
  [[nodiscard]] std::uint64_t source_bytes() const noexcept {
    return header_bytes().size() + header_.data_bytes();
  }

 private:
  const std::vector<Tensor>& take_header(std::string_view text,
                                         std::optional<std::uint64_t> data_bytes) override;
  void begin_tensor(std::size_t index) override;
  void take_bytes(std::span<const std::byte> bytes) override { frame_->write(bytes); }
  void end_tensor() override;

  const Arguments& arguments_;
  Options options_;
  FrameWriter::Take take_;
  TensorHeader header_;
  std::uint64_t room_bytes_ = 0;  ///< For the header.
  std::optional<TensorFrame> frame_;
  std::vector<std::uint64_t> frame_bytes_;
};

}  // namespace floe::cli
