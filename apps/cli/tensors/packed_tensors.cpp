#include "tensors/packed_tensors.hpp"

#include <fmt/core.h>
#include <zlib.h>

#include <array>
#include <limits>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "tensors/header_collector.hpp"
#include "tensors/header_text.hpp"

namespace floe::cli {
namespace {

constexpr std::string_view version = "1";
constexpr const char *version_key = "floe", *header_key = "floe.header", *checksum_key = "floe.header.crc32";

std::string checksum_of(std::string_view text) {
  return fmt::format("{:08x}", ::crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

[[noreturn]] void refuse(const std::string& file, const std::string& cause) {
  throw Failure(ExitCode::corrupt, file, fmt::format("{} (at byte {})", cause, header_length_bytes));
}

/// Frames and tensors are the same ones in the same order.
void compare(const std::string& file, const std::vector<Tensor>& frames, const std::vector<Tensor>& tensors) {
  if (frames.size() != tensors.size())
    refuse(file, fmt::format("corrupt: it has {}, and its original {}", plural(frames.size(), "frame"),
                             plural(tensors.size(), "tensor")));
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (frames[i].name != tensors[i].name)
      refuse(file, fmt::format("corrupt: frame {} is called {}, and tensor {} of its original {}", i,
                               printable(frames[i].name), i, printable(tensors[i].name)));
}

/// More than any length or offset of frames, with as many digits as the largest.
std::uint64_t largest_number(const TensorHeader& original) {
  const std::uint64_t bound = 2 * original.data_bytes() + 4096 * (original.tensors.size() + 1);
  std::uint64_t power = 1;
  for (std::uint64_t rest = bound; rest != 0; rest /= 10) power *= 10;
  return power;
}

}  // namespace

std::string tensors_description(std::uint64_t count) {
  return fmt::format("safetensors of {}", plural(count, "tensor"));
}

std::uint64_t PackedTensors::original_bytes() const noexcept {
  return header_length_bytes + original_text.size() + (tensors.empty() ? 0 : tensors.back().end);
}
std::uint64_t PackedTensors::stored_bytes() const noexcept {
  return header_bytes + (frames.empty() ? 0 : frames.back().end);
}
std::string PackedTensors::description() const { return tensors_description(tensors.size()); }

PackedTensors parse_packed_header(const std::string& file, std::string_view text,
                                  std::optional<std::uint64_t> data_bytes) {
  TensorHeader outer = parse_tensor_header(file, text, data_bytes);
  const auto written = outer.metadata.find(version_key), original = outer.metadata.find(header_key);
  if (written == outer.metadata.end() || original == outer.metadata.end())
    refuse(file, "a safetensors file that floe did not compress");
  if (written->second != version)
    refuse(file, fmt::format("a safetensors file that was compressed by a newer floe, as version {}",
                             printable(written->second)));
  if (outer.metadata[checksum_key] != checksum_of(original->second))
    refuse(file, "corrupt: the header of its original does not match its checksum");
  PackedTensors packed;
  packed.original_text = std::move(original->second);
  packed.tensors = parse_tensor_header(file + ": header of the original", packed.original_text, {}).tensors;
  packed.frames = std::move(outer.tensors);
  packed.header_bytes = header_length_bytes + text.size();
  compare(file, packed.frames, packed.tensors);
  return packed;
}

std::string packed_header(std::string_view original_text, const TensorHeader& original,
                          const std::vector<std::uint64_t>* frame_bytes, std::uint64_t bytes_at_least) {
  const std::string checksum = checksum_of(original_text);
  const std::array<std::pair<std::string_view, std::string_view>, 3> metadata{
      {{version_key, version}, {header_key, original_text}, {checksum_key, checksum}}};
  std::vector<FramePosition> positions;
  std::uint64_t largest = largest_number(original), position = 0;
  for (const Tensor& tensor : original.tensors) {
    if (frame_bytes == nullptr) {
      positions.push_back({tensor.name, largest, largest, largest});
    } else {
      const std::uint64_t bytes = (*frame_bytes)[positions.size()];
      positions.push_back({tensor.name, bytes, position, position + bytes});
      position += bytes;
    }
  }
  return tensor_header_text(metadata, positions, bytes_at_least);
}

bool holds_tensors(const InputFile& file) {
  std::array<std::byte, header_length_bytes + 1> probe{};
  return file.file_bytes() >= probe.size() && file.read_at(0, probe) && begins_as_tensors(probe);
}

std::string tensor_header_in(const InputFile& file) {
  const auto read = [&file](std::uint64_t offset, std::string& text) {
    if (!file.read_at(offset, std::as_writable_bytes(std::span(text))))
      throw Failure(ExitCode::corrupt, file.label(),
                    fmt::format("is cut before byte {}", offset + text.size()));
  };
  std::string length(header_length_bytes, '\0');
  read(0, length);
  std::string text(checked_header_length(file.label(), length, file.file_bytes()), '\0');
  read(header_length_bytes, text);
  return text;
}

std::optional<PackedTensors> packed_tensors_in(const InputFile& file) {
  if (!holds_tensors(file)) return std::nullopt;
  const std::string text = tensor_header_in(file);
  return parse_packed_header(file.label(), text, file.file_bytes() - header_length_bytes - text.size());
}

}  // namespace floe::cli
