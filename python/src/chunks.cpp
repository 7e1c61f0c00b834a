// Chunks of an array of several dimensions, each a frame, are decoded side by side to their positions in a
// box of it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "bindings.hpp"
#include "buffer.hpp"
#include "file_source.hpp"
#include "options.hpp"

namespace nb = nanobind;

namespace floe::python {
namespace {

using Position = std::vector<std::uint64_t>;

/// Where a frame is: in memory, or in a file.
struct Chunk {
  Position offset;  ///< Of its first element in the array.
  std::unique_ptr<Buffer> frame;
  std::uint64_t address = 0, stored_bytes = 0;
};

/// What a thread uses again and again.
struct Memory {
  std::vector<std::byte> frame, rows;
};

/// The box of the array that is wanted, which lies contiguous in memory, and the chunks of the array.
class Box {
 public:
  Box(std::span<std::byte> out, Position first, Position shape, Position chunk, std::uint64_t item_bytes)
      : out_(out), first_(std::move(first)), shape_(std::move(shape)), chunk_(std::move(chunk)) {
    const std::size_t rank = first_.size();
    if (rank == 0 || shape_.size() != rank || chunk_.size() != rank || item_bytes == 0 ||
        product(shape_) * item_bytes != out.size() || product(chunk_) == 0)
      throw nb::value_error("the box has another size");
    steps_ = steps_of(shape_, item_bytes);
    chunk_steps_ = steps_of(chunk_, item_bytes);
  }
  [[nodiscard]] std::size_t rank() const { return first_.size(); }

  /// Decodes what the box needs of a chunk.
  Status decode(const Chunk& chunk, int descriptor, const DecodeOptions& options, Memory& memory) const {
    Position begin(rank()), count(rank());  // of what is needed, in the chunk
    std::uint64_t to = 0;                   // where it begins in the box
    for (std::size_t axis = 0; axis < rank(); ++axis) {
      const std::uint64_t low = std::max(first_[axis], chunk.offset[axis]);
      const std::uint64_t high = std::min(first_[axis] + shape_[axis], chunk.offset[axis] + chunk_[axis]);
      if (low >= high) return {};
      begin[axis] = low - chunk.offset[axis];
      count[axis] = high - low;
      to += (low - first_[axis]) * steps_[axis];
    }
    const Result<Reader> reader = open(chunk, descriptor, count[0], memory.frame);
    if (!reader) return reader.status();
    const FrameInfo& info = reader->info();
    const std::uint64_t rows = chunk_[0], row_bytes = chunk_steps_[0];
    if (info.content != Content::array || info.array_bytes() != rows * row_bytes ||
        info.element_count % rows != 0)
      return {ErrorCode::corrupt_frame, 0, "a chunk holds another array than its dataset"};

    const std::uint64_t row_words = info.element_count / rows;
    const Slice slice{begin[0] * row_words, count[0] * row_words};
    if (std::equal(shape_.begin() + 1, shape_.end(), chunk_.begin() + 1) &&
        std::equal(shape_.begin() + 1, shape_.end(), count.begin() + 1))
      return reader->decompress_slice(out_.subspan(to, count[0] * row_bytes), slice, options);
    memory.rows.resize(count[0] * row_bytes);
    const Status status = reader->decompress_slice(memory.rows, slice, options);
    if (!status.ok()) return status;
    begin[0] = 0;
    const std::uint64_t from =
        std::inner_product(begin.begin(), begin.end(), chunk_steps_.begin(), std::uint64_t{0});
    copy(out_.data() + to, memory.rows.data() + from, count, 0);
    return {};
  }

 private:
  /// Reads a frame of which half or more is needed at once, unless a damaged file claims that it is longer
  /// than any.
  Result<Reader> open(const Chunk& chunk, int descriptor, std::uint64_t row_count,
                      std::vector<std::byte>& room) const {
    if (chunk.frame) return Reader::open(chunk.frame->bytes());
    const ReadAt read = read_from(descriptor, chunk.address);
    const std::uint64_t longest = 2 * chunk_[0] * chunk_steps_[0] + (1 << 16);
    if (2 * row_count < chunk_[0] || chunk.stored_bytes > longest)
      return Reader::open(read, chunk.stored_bytes);
    if (room.size() < chunk.stored_bytes) room.resize(chunk.stored_bytes);
    const std::span<std::byte> frame = std::span(room).first(chunk.stored_bytes);
    if (const Status status = read(0, frame); !status.ok()) return status;
    return Reader::open(frame);
  }
  static std::uint64_t product(const Position& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{1}, std::multiplies<>());
  }
  /// Bytes from one entry of each axis to the next.
  static Position steps_of(const Position& shape, std::uint64_t item_bytes) {
    Position steps(shape.size(), item_bytes);
    for (std::size_t axis = shape.size() - 1; axis > 0; --axis) steps[axis - 1] = steps[axis] * shape[axis];
    return steps;
  }
  void copy(std::byte* to, const std::byte* from, const Position& count, std::size_t axis) const {
    if (axis + 1 == rank()) {
      std::memcpy(to, from, count[axis] * steps_[axis]);
      return;
    }
    for (std::uint64_t i = 0; i < count[axis]; ++i)
      copy(to + i * steps_[axis], from + i * chunk_steps_[axis], count, axis + 1);
  }

  std::span<std::byte> out_;
  Position first_, shape_, chunk_, steps_, chunk_steps_;
};

/// Chunks as they are found, and what became of them.
class Queue {
 public:
  Queue(const Box& box, int descriptor, const DecodeOptions& options)
      : box_(box), descriptor_(descriptor), options_(options) {}

  void add(Chunk chunk) {
    {
      const std::lock_guard lock(mutex_);
      chunks_.push_back(std::move(chunk));
      outcomes_.emplace_back();
    }
    changed_.notify_one();
  }
  /// No more will be added.
  void end() {
    {
      const std::lock_guard lock(mutex_);
      is_complete_ = true;
    }
    changed_.notify_all();
  }
  /// Decodes until there are no more; several threads may. None is destroyed: the memory of frames is
  /// Python's.
  void work() {
    Memory memory;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [this] { return is_complete_ || next_ < chunks_.size(); });
      if (next_ == chunks_.size()) return;
      const Chunk& chunk = chunks_[next_];
      Status& outcome = outcomes_[next_++];
      lock.unlock();
      try {
        outcome = box_.decode(chunk, descriptor_, options_, memory);
      } catch (const std::bad_alloc&) {
        outcome = {ErrorCode::out_of_memory, 0, "no memory for a chunk"};
      }
      lock.lock();
    }
  }
  /// When all threads are done. Throws what the first chunk that failed says.
  void check() const {
    for (const Status& outcome : outcomes_) outcome.or_throw();
  }

 private:
  const Box& box_;
  int descriptor_;
  DecodeOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Chunk> chunks_;  // whose elements stay where they are
  std::deque<Status> outcomes_;
  std::size_t next_ = 0;
  bool is_complete_ = false;
};

Chunk chunk_of(nb::handle one, std::size_t rank) {
  Chunk chunk{nb::cast<Position>(one[0]), nullptr};
  if (chunk.offset.size() != rank) throw nb::value_error("a chunk has another rank");
  const nb::object frame = one[1];
  if (nb::isinstance<nb::tuple>(frame)) {
    chunk.address = nb::cast<std::uint64_t>(frame[0]);
    chunk.stored_bytes = nb::cast<std::uint64_t>(frame[1]);
  } else {
    chunk.frame = std::make_unique<Buffer>(frame, false);
  }
  return chunk;
}

/// `chunks` gives tuples of a position and a frame: its bytes, or where it begins in the file `descriptor`
/// and how long it is; at most `chunk_count`. Other threads decode while this one asks for them.
void decompress_chunks(nb::handle out, Position first, Position shape, Position chunk_shape,
                       std::uint64_t item_bytes, const nb::iterable& chunks, std::size_t chunk_count,
                       int descriptor, std::uint32_t threads, std::uint64_t memory_limit) {
  const Buffer room(out, true);
  const Box box(room.room(), std::move(first), std::move(shape), std::move(chunk_shape), item_bytes);
  const std::size_t workers = std::max<std::size_t>(std::min<std::size_t>(threads, chunk_count), 1);
  Queue queue(box, descriptor, decode_options(chunk_count == 1 ? threads : 1, memory_limit));
  {
    std::vector<std::jthread> helpers;
    const auto finish = [&](bool is_given_up) {
      const nb::gil_scoped_release no_gil;
      queue.end();
      if (!is_given_up) queue.work();
      helpers.clear();
    };
    try {
      for (std::size_t i = 1; i < workers; ++i) helpers.emplace_back([&queue] { queue.work(); });
      for (const nb::handle one : chunks) queue.add(chunk_of(one, box.rank()));
    } catch (...) {
      finish(true);
      throw;
    }
    finish(false);
  }
  queue.check();
}

}  // namespace

void bind_chunks(nb::module_& module) {
  module.def("decompress_chunks", &decompress_chunks, nb::arg("out"), nb::arg("first"), nb::arg("shape"),
             nb::arg("chunk_shape"), nb::arg("item_bytes"), nb::arg("chunks"), nb::arg("chunk_count"),
             nb::arg("descriptor"), nb::arg("threads"), nb::arg("memory_limit"));
}

}  // namespace floe::python
