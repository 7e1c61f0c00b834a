#include "verification.hpp"

#include <fmt/format.h>

#include "failure.hpp"
#include "streaming.hpp"

namespace floe::cli {

void Verification::check(const OutputFile& output, const DecodeOptions& options) const {
  if (!source_) return;
  ContentHash decoded;
  ThrowingSink sink([&decoded](std::span<const std::byte> bytes) { decoded.add(bytes); });
  Decompressor decompressor(sink.sink(), options);
  decompressor.with_prefix(true);
  const auto check_status = [&](const Status& status) {
    if (status.code == ErrorCode::out_of_memory) throw library_failure(output.label(), status);
    if (!status.ok())
      throw Failure(ExitCode::verify_mismatch, output.label(),
                    fmt::format("verification failed: {}", status.message()));
  };
  std::vector<std::byte> block(read_bytes);
  for (std::uint64_t offset = 0;;) {
    const std::size_t count = output.read_back(offset, block);
    if (count == 0) break;
    check_status(decompressor.write(std::span(block).first(count)));
    offset += count;
  }
  check_status(decompressor.finish());
  if (!(decoded == *source_))
    throw Failure(ExitCode::verify_mismatch, output.label(),
                  "verification failed: what was written decodes to other data");
}

}  // namespace floe::cli
