#include "frames/frame_restorer.hpp"

#include <algorithm>
#include <utility>

#include "input/foreign_file.hpp"
#include "input/npy_header.hpp"

namespace floe::cli {

std::size_t reversed_word_bytes(const FrameInfo& info) {
  if (info.content != Content::array || !begins_as_npy(info.prefix)) return 1;
  const NpyHeader header = parse_npy_header(info.prefix);
  return header.problem.empty() && header.is_big_endian && header.dtype == info.dtype ? size_of(info.dtype)
                                                                                      : 1;
}

FrameRestorer::FrameRestorer(std::string file, std::optional<std::uint64_t> file_bytes,
                             const DecodeOptions& options, Take take)
    : file_(std::move(file)),
      file_bytes_(file_bytes),
      take_(std::move(take)),
      sink_([this](std::span<const std::byte> bytes) { this->take(bytes); }),
      reader_(sink_.sink(), options) {
  reader_.with_prefix(true);
}

void FrameRestorer::write(std::span<const std::byte> bytes) {
  if (!std::exchange(has_begun_, true)) refuse_foreign(file_, bytes);
  sink_.check(reader_.write(bytes), file_, file_bytes_);
}

void FrameRestorer::finish() {
  if (!has_begun_) refuse_foreign(file_, {});
  sink_.check(reader_.finish(), file_, file_bytes_);
}

void FrameRestorer::take(std::span<const std::byte> bytes) {
  const FrameInfo& info = *reader_.info();
  if (!byte_order_) {
    byte_order_.emplace(reversed_word_bytes(info));
    prefix_left_ = info.prefix.size();
  }
  const std::size_t of_prefix = std::min(prefix_left_, bytes.size());
  prefix_left_ -= of_prefix;
  if (of_prefix != 0) take_(info, bytes.first(of_prefix));
  if (const auto words = byte_order_->reverse(bytes.subspan(of_prefix)); !words.empty()) take_(info, words);
}

}  // namespace floe::cli
