// Parts of ranks to one file.
#include <cstdio>
#include <new>

#include "division.hpp"
#include "floe/floe.hpp"
#include "floe/mpi.hpp"
#include "ranks.hpp"

namespace floe::mpi {
namespace {

constexpr std::uint64_t usual_stretch_bytes = std::uint64_t{64} << 20;

Status invalid(const char* detail) { return {ErrorCode::invalid_argument, 0, detail}; }

/// FNV-1a, of what must be the same on all ranks.
class Mark {
 public:
  void add(std::span<const std::byte> bytes) noexcept {
    for (const std::byte byte : bytes) value_ = (value_ ^ static_cast<std::uint64_t>(byte)) * 0x100000001b3;
  }
  void add(std::uint64_t number) noexcept { add(std::as_bytes(std::span(&number, 1))); }
  [[nodiscard]] std::uint64_t value() const noexcept { return value_; }

 private:
  std::uint64_t value_ = 0xcbf29ce484222325;
};

std::uint64_t mark_of(const PartedArray& array, const Extent& extent, const WriteOptions& options) {
  Mark mark;
  mark.add(array.header());
  mark.add(std::as_bytes(std::span(extent.size).first(extent.rank)));
  mark.add(std::as_bytes(std::span(options.compression.tree)));
  for (const std::uint64_t number :
       {static_cast<std::uint64_t>(options.compression.goal),
        static_cast<std::uint64_t>(options.compression.profile),
        static_cast<std::uint64_t>(options.compression.decode_megabytes_per_second), options.stretch_bytes})
    mark.add(number);
  return mark.value();
}

Result<std::uint64_t> stretch_of(const PartedArray& array, DType dtype, const WriteOptions& options) {
  const std::uint64_t unit = array.unit() * size_of(dtype);
  if (options.stretch_bytes == 0) return std::max(usual_stretch_bytes / unit, std::uint64_t{1}) * unit;
  if (options.stretch_bytes % unit != 0 || options.stretch_bytes > max_message_bytes)
    return invalid("stretch_bytes must be a multiple of the segments of the frame, at most 1 GiB");
  return options.stretch_bytes;
}

/// A stretch on its way to the file.
struct Stretch {
  std::span<const std::byte> elements;
  std::uint64_t element_count = 0, segment_count = 0, bytes = 0;
  CompressedPart kept;  ///< Or nothing.
};

/// What one rank writes.
class RankWriter {
 public:
  RankWriter(const PartedArray& array, std::uint64_t memory_bytes) : array_(array), memory_(memory_bytes) {}

  Status add(std::span<const std::byte> elements) {
    auto part = array_.compress(elements);
    if (!part) return part.status();
    Stretch& stretch = stretches_.emplace_back();
    stretch.elements = elements;
    stretch.element_count = part->element_count;
    stretch.segment_count = part->segment_count;
    stretch.bytes = part->bytes.size();
    bytes_ += stretch.bytes;
    segment_count_ += stretch.segment_count;
    if (stretch.bytes > memory_ - kept_bytes_) return {};
    kept_bytes_ += stretch.bytes;
    part->bytes.shrink_to_fit();
    stretch.kept = std::move(*part);
    return {};
  }

  /// Writes all stretches from `position` on.
  Status write(MPI_File file, PartPosition position) {
    for (Stretch& stretch : stretches_) {
      if (stretch.kept.bytes.size() != stretch.bytes) {
        auto again = array_.compress(stretch.elements);
        if (!again) return again.status();
        stretch.kept = std::move(*again);
      }
      const auto placed = array_.place(stretch.kept, position);
      if (!placed) return placed.status();
      segments_.insert(segments_.end(), placed->begin(), placed->end());
      if (const Status status = write_at(file, position.offset, stretch.kept.bytes); !status.ok())
        return status;
      stretch.kept = {};
      position = {position.offset + stretch.bytes, position.first_element + stretch.element_count,
                  position.first_segment + stretch.segment_count};
    }
    return {};
  }

  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::uint64_t segment_count() const noexcept { return segment_count_; }
  [[nodiscard]] const std::vector<PlacedSegment>& segments() const noexcept { return segments_; }

 private:
  const PartedArray& array_;
  std::uint64_t memory_, kept_bytes_ = 0, bytes_ = 0, segment_count_ = 0;
  std::vector<Stretch> stretches_;
  std::vector<PlacedSegment> segments_;
};

/// The segments of all ranks, at the first one. Errors: out_of_memory.
Result<std::vector<PlacedSegment>> gather_segments(const Ranks& ranks,
                                                   const std::vector<PlacedSegment>& mine) {
  static_assert(sizeof(PlacedSegment) == 3 * sizeof(std::uint64_t));
  std::vector<int> counts, begins;
  std::vector<PlacedSegment> all;
  const std::vector<std::uint64_t> theirs = ranks.gather(mine.size());
  Status status;
  if (ranks.is_first()) {
    try {
      std::uint64_t sum = 0;
      for (const std::uint64_t count : theirs) {
        begins.push_back(static_cast<int>(sum));
        counts.push_back(static_cast<int>(count));
        sum += count;
      }
      if (sum > 0x7fffffff) status = invalid("an array has at most 2^31 segments");
      all.resize(sum);
    } catch (const std::bad_alloc&) {
      status = {ErrorCode::out_of_memory, 0, "no memory for the positions of all segments"};
    }
  }
  if (status = ranks.agree(status); !status.ok()) return status;
  MPI_Datatype segment;
  MPI_Type_contiguous(3, MPI_UINT64_T, &segment);
  MPI_Type_commit(&segment);
  MPI_Gatherv(mine.data(), static_cast<int>(mine.size()), segment, all.data(), counts.data(), begins.data(),
              segment, 0, ranks.communicator());
  MPI_Type_free(&segment);
  return all;
}

/// All that happens while the file is open. Collective.
Status fill(const Ranks& ranks, MPI_File file, const PartedArray& array, RankWriter& writer,
            PartPosition position) {
  const std::uint64_t end = array.header().size() + ranks.sum(writer.bytes());
  Status status = status_of(MPI_File_set_size(file, 0), "the file cannot be written");
  if (status = ranks.agree(status); !status.ok()) return status;
  if (status = ranks.agree(writer.write(file, position)); !status.ok()) return status;
  const auto segments = gather_segments(ranks, writer.segments());
  if (!segments) return segments.status();
  if (ranks.is_first()) {
    const auto footer = array.footer(*segments);
    status = footer ? write_at(file, 0, array.header()) : footer.status();
    if (status.ok()) status = write_at(file, end, *footer);
  }
  return ranks.agree(status);
}

/// Makes the file, under a name that says that it is not complete, and then gives it its own. Collective.
Status write_file(const Ranks& ranks, const std::string& path, const PartedArray& array, RankWriter& writer,
                  PartPosition position, MPI_Info hints) {
  const std::string temporary = path + ".tmp";
  MPI_File file = MPI_FILE_NULL;
  Status status = status_of(
      MPI_File_open(ranks.communicator(), temporary.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, hints, &file),
      "the file cannot be made");
  const bool is_open = status.ok();
  status = ranks.agree(status);
  if (status.ok()) status = fill(ranks, file, array, writer, position);
  if (is_open) {
    const Status closed = status_of(MPI_File_close(&file), "the file cannot be written");
    if (status.ok()) status = closed;
  }
  status = ranks.agree(status);
  if (ranks.is_first()) {
    if (status.ok() && std::rename(temporary.c_str(), path.c_str()) != 0)
      status = {ErrorCode::io_error, 0, "the complete file cannot get its name"};
    if (!status.ok()) std::remove(temporary.c_str());
  }
  return ranks.agree(status);
}

Status write_parts(const Ranks& ranks, const std::string& path, std::span<const std::byte> part, DType dtype,
                   const Extent& extent, const WriteOptions& options) {
  auto array = PartedArray::create(dtype, extent, options.compression);
  const auto stretch = array ? stretch_of(*array, dtype, options) : Result<std::uint64_t>(array.status());
  Status status = stretch.status();
  if (status.ok() && part.size() % size_of(dtype) != 0) status = invalid("a part has no whole elements");
  if (status = ranks.agree(status); !status.ok()) return status;
  if (!ranks.is_same(mark_of(*array, extent, options)))
    return invalid("ranks have other shapes, types or options than others");
  if (ranks.sum(part.size()) != *extent.element_count() * size_of(dtype))
    return invalid("the parts of all ranks are not the array");

  const Division division(ranks.gather(part.size()), ranks.rank(), *stretch);
  RankWriter writer(*array, options.memory_bytes);
  std::vector<std::byte> last;
  try {
    last = division.make_room();
  } catch (const std::bad_alloc&) {
    status = {ErrorCode::out_of_memory, 0, "no memory for a stretch"};
  }
  if (status = ranks.agree(status); !status.ok()) return status;
  division.exchange(ranks, part, last);
  for (auto i = division.first_stretch(); i < division.end_stretch() && status.ok(); ++i) {
    const bool is_shared = i + 1 == division.end_stretch() && !last.empty();
    const auto mine = is_shared ? std::span<const std::byte>(last)
                                : part.subspan(division.begin_of(i) - division.my_begin(),
                                               division.end_of(i) - division.begin_of(i));
    status = writer.add(mine);
  }
  if (status = ranks.agree(status); !status.ok()) return status;

  const PartPosition position{array->header().size() + ranks.sum_before(writer.bytes()),
                              division.begin_of(division.first_stretch()) / size_of(dtype),
                              ranks.sum_before(writer.segment_count())};
  return write_file(ranks, path, *array, writer, position, options.hints);
}

}  // namespace

Status write(MPI_Comm communicator, const std::string& path, std::span<const std::byte> part, DType dtype,
             const Extent& extent, const WriteOptions& options) {
  const Ranks ranks(communicator);
  return write_parts(ranks, path, part, dtype, extent, options);
}

}  // namespace floe::mpi
