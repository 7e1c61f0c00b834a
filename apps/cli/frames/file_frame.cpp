#include "frames/file_frame.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/failure.hpp"
#include "input/foreign_file.hpp"

namespace floe::cli {

FileFrame::FileFrame(const InputFile& source, std::uint64_t memory_limit_bytes) : source_(source) {
  const std::uint64_t file_bytes = source.file_bytes();
  std::array<std::byte, foreign_probe_bytes> probe{};
  const auto begin = std::span(probe).first(std::min<std::uint64_t>(file_bytes, probe.size()));
  if (source.read_at(0, begin)) refuse_foreign(source.label(), begin);
  const ReadAt read_at = [this](std::uint64_t offset, std::span<std::byte> bytes) -> Status {
    try {
      if (source_.read_at(offset, bytes)) return {};
      return {ErrorCode::truncated_frame, offset, "the file ends here"};
    } catch (...) {
      thrown_ = std::current_exception();
      return {ErrorCode::io_error, offset, "the file cannot be read"};
    }
  };
  Result<Reader> reader = Reader::open(read_at, file_bytes, memory_limit_bytes);
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
  if (!status.ok()) throw library_failure(source_.label(), status, source_.file_bytes());
}

}  // namespace floe::cli
