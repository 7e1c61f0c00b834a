#include "commands/published_streams.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/failure.hpp"
#include "research/published.hpp"

namespace floe::cli {
namespace {

Result<std::vector<std::byte>> decode(const Arguments& arguments, std::span<const std::byte> stream) {
  return arguments.container == Container::gfc
             ? published::decompress_gfc(stream, arguments.memory_limit_bytes)
             : published::decompress_fpcompress(stream, arguments.codec, arguments.memory_limit_bytes);
}

std::vector<std::byte> value_or_throw(Result<std::vector<std::byte>> result, const std::string& file) {
  if (!result) throw library_failure(file, result.status());
  return std::move(*result);
}

}  // namespace

std::vector<std::byte> compress_published(const Arguments& arguments, const std::string& file,
                                          std::span<const std::byte> in) {
  if (arguments.container == Container::gfc) {
    return value_or_throw(published::compress_gfc(in, {arguments.chunk_count, arguments.dimensionality}),
                          file);
  }
  return value_or_throw(published::compress_fpcompress(in, arguments.codec), file);
}

std::vector<std::byte> decompress_published(const Arguments& arguments, const std::string& file,
                                            std::span<const std::byte> stream) {
  return value_or_throw(decode(arguments, stream), file);
}

void verify_published(const Arguments& arguments, const OutputFile& output, std::span<const std::byte> in) {
  std::vector<std::byte> written(output.written_bytes());
  for (std::size_t offset = 0; offset < written.size();) {
    const std::size_t count = output.read_back(offset, std::span(written).subspan(offset));
    if (count == 0)
      throw Failure(ExitCode::verify_mismatch, output.label(),
                    "verification failed: the file is shorter than what was written");
    offset += count;
  }
  const auto decoded = decode(arguments, written);
  if (!decoded)
    throw Failure(ExitCode::verify_mismatch, output.label(),
                  fmt::format("verification failed: {}", decoded.status().message()));
  if (!std::ranges::equal(*decoded, in))
    throw Failure(ExitCode::verify_mismatch, output.label(),
                  "verification failed: what was written decodes to other data");
}

}  // namespace floe::cli
