#include "frames/file_frame.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/failure.hpp"
#include "input/foreign_file.hpp"

namespace floe::cli {

FileFrame::FileFrame(const InputFile& source, std::uint64_t memory_limit_bytes)
    : FileFrame(source, memory_limit_bytes, source.label(), 0, source.file_bytes()) {}

FileFrame::FileFrame(const InputFile& source, std::uint64_t memory_limit_bytes, std::string label,
                     std::uint64_t offset, std::uint64_t bytes)
    : source_(source), label_(std::move(label)), bytes_(bytes) {
  std::array<std::byte, foreign_probe_bytes> probe{};
  const auto begin = std::span(probe).first(std::min<std::uint64_t>(bytes, probe.size()));
  if (source.read_at(offset, begin)) refuse_foreign(label_, begin);
  const ReadAt read_at = [this, offset](std::uint64_t at, std::span<std::byte> into) -> Status {
    try {
      if (source_.read_at(offset + at, into)) return {};
      return {ErrorCode::truncated_frame, at, "the file ends here"};
    } catch (...) {
      thrown_ = std::current_exception();
      return {ErrorCode::io_error, at, "the file cannot be read"};
    }
  };
  Result<Reader> reader = Reader::open(read_at, bytes, memory_limit_bytes);
  check(reader.status());
  reader_ = std::move(*reader);
}

StoredSegment FileFrame::segment(std::uint64_t index) {
  Result<StoredSegment> segment = reader_->segment(index);
  check(segment.status());
  return std::move(*segment);
}

void FileFrame::check(const Status& status) {
  if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  if (!status.ok()) throw library_failure(label_, status, bytes_);
}

}  // namespace floe::cli
