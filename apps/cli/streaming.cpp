#include "streaming.hpp"

#include <utility>

#include "failure.hpp"
#include "read_ahead.hpp"

namespace floe::cli {

Sink ThrowingSink::sink() {
  return [this](std::span<const std::byte> bytes) -> Status {
    try {
      take_(bytes);
      return {};
    } catch (...) {
      thrown_ = std::current_exception();
      return {ErrorCode::io_error, 0, "the result cannot be written"};
    }
  };
}

void ThrowingSink::check(const Status& status, const std::string& file) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!status.ok()) throw library_failure(file, status);
}

ReadAt ThrowingReader::read_at() {
  return [this](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    try {
      if (source_.read_at(offset, bytes)) return {};
      return {ErrorCode::truncated_frame, offset, "the file ends here"};
    } catch (...) {
      thrown_ = std::current_exception();
      return {ErrorCode::io_error, offset, "the file cannot be read"};
    }
  };
}

void ThrowingReader::check(const Status& status) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!status.ok()) throw library_failure(source_.label(), status);
}

FileFrame::FileFrame(const InputFile& source) : bytes_(source) {
  Result<FrameReader> reader = FrameReader::open(bytes_.read_at(), source.file_bytes());
  bytes_.check(reader.status());
  reader_ = std::move(*reader);
}

ChunkCounts FileFrame::count_chunks() {
  const Result<ChunkCounts> counts = reader_->count_chunks();
  bytes_.check(counts.status());
  return *counts;
}

void FileFrame::decompress_slice(std::span<std::byte> out, Slice slice, const DecodeOptions& options) {
  bytes_.check(reader_->decompress_slice(out, slice, options));
}

void for_each_block(InputFile& source, std::span<const std::byte> begin,
                    const std::function<void(std::span<const std::byte>)>& take) {
  std::vector<std::byte> first;
  if (begin.empty()) {
    first = source.read_up_to(read_bytes);
    begin = first;
  }
  if (!begin.empty()) take(begin);
  if (begin.size() >= read_bytes) {  // a source that small needs no other thread
    ReadAhead ahead(source);
    for (auto block = ahead.next(); !block.empty(); block = ahead.next()) take(block);
  }
  source.check_unchanged();
}

}  // namespace floe::cli
