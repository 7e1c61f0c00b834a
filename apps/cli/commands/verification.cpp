#include "commands/verification.hpp"

#include <fmt/core.h>

#include "base/failure.hpp"
#include "frames/frame_restorer.hpp"
#include "tensors/tensor_restorer.hpp"

namespace floe::cli {

template <class Restorer>
void Verification::compare(const OutputFile& output, Restorer& restorer, const ContentHash& decoded) const {
  std::vector<std::byte> block(read_bytes);
  try {
    for (std::uint64_t offset = 0;;) {
      const std::size_t count = output.read_back(offset, block);
      if (count == 0) break;
      restorer.write(std::span(block).first(count));
      offset += count;
    }
    restorer.finish();
  } catch (const Failure& failure) {
    if (failure.code() != ExitCode::corrupt) throw;
    throw Failure(ExitCode::verify_mismatch, output.label(),
                  fmt::format("verification failed: {}", failure.cause()));
  }
  if (!(decoded == *source_))
    throw Failure(ExitCode::verify_mismatch, output.label(),
                  "verification failed: what was written decodes to other data");
}

void Verification::check(const OutputFile& output, const DecodeOptions& options) const {
  if (!source_) return;
  ContentHash decoded;
  FrameRestorer frame(output.label(), output.written_bytes(), options,
                      [&decoded](const FrameInfo&, std::span<const std::byte> bytes) { decoded.add(bytes); });
  compare(output, frame, decoded);
}

void Verification::check_tensors(const OutputFile& output, const DecodeOptions& options) const {
  if (!source_) return;
  ContentHash decoded;
  TensorRestorer tensors(output.label(), output.written_bytes(), options,
                         [&decoded](std::span<const std::byte> bytes) { decoded.add(bytes); });
  compare(output, tensors, decoded);
}

}  // namespace floe::cli
