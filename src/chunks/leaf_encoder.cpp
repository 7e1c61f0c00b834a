#include "chunks/leaf_encoder.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>

#include "chunks/streaming.hpp"
#include "core/memory_overlap.hpp"
#include "core/ordered_offsets.hpp"

namespace floe::chunks {
namespace {

constexpr std::uint64_t range_chunks = 8;  // what a thread takes at once: some of them fit its cache
constexpr std::size_t staged_ranges =
    32;  // that a thread may keep until their positions are known, if another thread is slow
constexpr std::uint64_t smallest_good_piece_bytes = std::uint64_t{4} << 20;
constexpr std::size_t page_bytes = 4096;

/// What one thread does beside encoding a chunk that leaves the caches: memory works for the next one, and
/// the checksum of the one before is added up. In the caches that is not faster than to add up a payload when
/// it is complete.
class Beside {
 public:
  explicit Beside(decltype(registry::ChunkCoder::finish_checksum) function) : finish_checksum_(function) {}

  core::MemoryOverlap overlap;

  /// Adds up a payload, until complete_checksum() at the latest if it `may_wait`; it must not change until
  /// then.
  void add_up(const std::uint8_t* payload, std::size_t padded_bytes, bool may_wait, core::BlockEntry& entry) {
    overlap.checksum().start(payload, padded_bytes);
    entry_ = &entry;
    if (!may_wait) complete_checksum();
  }
  void complete_checksum() {
    if (entry_ != nullptr) entry_->checksum = finish_checksum_(overlap.checksum());
    entry_ = nullptr;
  }
  void finish() {
    complete_checksum();
    overlap.finish();
  }

 private:
  decltype(registry::ChunkCoder::finish_checksum) finish_checksum_;
  core::BlockEntry* entry_ = nullptr;  ///< Whose checksum is being made.
};

/// Encodes ranges of chunks of one piece of content, one chunk behind the other.
class RangeEncoder {
 public:
  /// `entries`: one for each chunk of the content.
  RangeEncoder(const Leaf& leaf, bool checksums, const CodedContent& content,
               std::span<core::BlockEntry> entries)
      : leaf_(leaf), checksums_(checksums), content_(content), entries_(entries) {}

  /// Of one thread: that of the codec, and chunks and payloads that wait, with room to place them.
  [[nodiscard]] static std::size_t workspace_bytes(const Leaf& leaf) {
    return 2 * waiting_bytes + padded(leaf.codec->cpu.workspace_bytes(core::chunk_bytes)) + page_bytes;
  }
  /// The part of such memory that is used. Payloads wait half a page apart from chunks: a load from where the
  /// last stores were in another page waits for them.
  [[nodiscard]] std::span<std::uint8_t> aligned(std::span<std::uint8_t> memory) const {
    const auto ahead = reinterpret_cast<std::uintptr_t>(content_.data()) + page_bytes / 2 -
                       reinterpret_cast<std::uintptr_t>(memory.data());
    return memory.subspan(core::align_up(ahead % page_bytes, core::MemoryOverlap::line_bytes) % page_bytes);
  }

  [[nodiscard]] Beside beside() const { return Beside(leaf_.codec->cpu.finish_checksum); }
  [[nodiscard]] std::size_t range_count() const { return core::divide_up(entries_.size(), range_chunks); }
  /// Whether so much is written that it should go past the caches.
  [[nodiscard]] bool streams() const { return content_.size() >= streaming_bytes; }

  /// Writes the payloads with their padding to the front of `to`, which has room for raw chunks, and returns
  /// their bytes. `to_final_place`: nobody will use them soon there; then they, and the entries, are complete
  /// after beside.finish().
  std::uint64_t encode(std::size_t range, std::span<std::uint8_t> to, bool to_final_place,
                       std::span<std::uint8_t> workspace, Beside& beside) const {
    const std::uint64_t end = std::min<std::uint64_t>((range + 1) * range_chunks, entries_.size());
    std::uint64_t position = 0;
    for (std::uint64_t chunk = range * range_chunks; chunk < end; ++chunk)
      position += encode_chunk(chunk, to.subspan(position), to_final_place, workspace, beside);
    return position;
  }

 private:
  std::uint64_t encode_chunk(std::uint64_t chunk, std::span<std::uint8_t> to, bool to_final_place,
                             std::span<std::uint8_t> workspace, Beside& beside) const {
    const auto waiting = workspace.subspan(chunk % 2 * core::chunk_bytes);
    const auto content = content_.chunk(chunk, waiting.subspan(waiting_bytes, core::chunk_bytes));
    const bool whole_and_streams = streams() && content.size() == core::chunk_bytes;
    core::ChunkContext context = leaf_.context();
    context.bytes = content.size();
    if (whole_and_streams) {
      content_.expect(chunk + 1, beside.overlap);
      context.overlap = &beside.overlap;
    }

    // Payloads that stream wait in one of two areas until their way out is free; raw chunks wait where they
    // are.
    const bool waits = whole_and_streams && to_final_place;
    const auto destination = to.first(content.size());
    const auto payload = waits ? waiting.first(core::chunk_bytes) : destination;
    const std::uint8_t* bytes = payload.data();
    std::size_t stored =
        leaf_.codec->cpu.encode(content, payload, workspace.subspan(2 * waiting_bytes), context);
    beside.complete_checksum();
    core::BlockEntry& entry = entries_[chunk];
    entry.mode = stored == registry::raw_chunk ? mode_raw : mode_coded;
    if (stored == registry::raw_chunk) {
      stored = content.size();
      if (waits) {
        bytes = content.data();
      } else {
        std::memcpy(payload.data(), content.data(), stored);
      }
    }
    const auto padded_bytes = static_cast<std::size_t>(padded(stored));
    if (padded_bytes > stored) std::memset(payload.data() + stored, 0, padded_bytes - stored);
    entry.stored_bytes = static_cast<std::uint16_t>(stored);
    if (checksums_) beside.add_up(bytes, padded_bytes, waits, entry);
    if (waits) beside.overlap.copy(bytes, destination.data(), padded_bytes);
    return padded_bytes;
  }

  const Leaf& leaf_;
  bool checksums_;
  const CodedContent& content_;
  std::span<core::BlockEntry> entries_;
};

/// What one of several threads does: takes ranges, encodes them into memory of its own, and moves each one to
/// its position as soon as that is known. It uses again what it used last, so that this memory stays in its
/// cache.
class RangeWorker {
 public:
  static constexpr std::size_t range_bytes = range_chunks * core::chunk_bytes;
  static constexpr std::size_t staging_bytes = staged_ranges * range_bytes;

  RangeWorker(const RangeEncoder& encoder, core::OrderedOffsets& offsets, std::span<std::uint8_t> out,
              std::span<std::uint8_t> staging, std::span<std::uint8_t> workspace)
      : encoder_(encoder),
        offsets_(offsets),
        out_(out),
        staging_(staging),
        workspace_(workspace),
        beside_(encoder.beside()) {
    for (std::size_t slot = 0; slot < staged_ranges; ++slot) free_slots_[slot] = staged_ranges - 1 - slot;
  }

  void run() {
    for (auto range = offsets_.take(); range; range = offsets_.take()) {
      if (const auto offset = offsets_.offset(*range)) {
        offsets_.complete(*range, encoder_.encode(*range, out_.subspan(*offset), true, workspace_, beside_));
        continue;
      }
      while (free_count_ == 0) move_oldest(offsets_.wait_for_offset(oldest().range));
      const std::size_t slot = free_slots_[--free_count_];
      const std::uint64_t bytes = encoder_.encode(*range, memory_of(slot), false, workspace_, beside_);
      staged_[end_++ % staged_ranges] = {*range, bytes, slot};
      offsets_.complete(*range, bytes);
      while (begin_ < end_) {
        const auto offset = offsets_.offset(oldest().range);
        if (!offset) break;
        move_oldest(*offset);
      }
    }
    while (begin_ < end_) move_oldest(offsets_.wait_for_offset(oldest().range));
    beside_.finish();
  }

 private:
  struct Staged {
    std::size_t range = 0;
    std::uint64_t bytes = 0;
    std::size_t slot = 0;
  };

  [[nodiscard]] const Staged& oldest() const { return staged_[begin_ % staged_ranges]; }
  [[nodiscard]] std::span<std::uint8_t> memory_of(std::size_t slot) const {
    return staging_.subspan(slot * range_bytes, range_bytes);
  }
  void move_oldest(std::uint64_t offset) {
    const std::uint64_t bytes = oldest().bytes;
    const std::size_t slot = oldest().slot;
    ++begin_;
    if (!encoder_.streams()) {
      std::memcpy(out_.data() + offset, memory_of(slot).data(), bytes);
      free_slots_[free_count_++] = slot;
      return;
    }
    beside_.overlap.copy(memory_of(slot).data(), out_.data() + offset,
                         bytes);  // which ends the copy before this one
    if (moving_slot_) free_slots_[free_count_++] = *moving_slot_;
    moving_slot_ = slot;
  }

  const RangeEncoder& encoder_;
  core::OrderedOffsets& offsets_;
  std::span<std::uint8_t> out_;
  std::span<std::uint8_t> staging_;
  std::span<std::uint8_t> workspace_;
  Beside beside_;
  std::array<Staged, staged_ranges> staged_{};
  std::size_t begin_ = 0, end_ = 0;  ///< Of the staged ranges, counted from the first one ever.
  std::array<std::size_t, staged_ranges> free_slots_{};
  std::size_t free_count_ = staged_ranges;
  std::optional<std::size_t> moving_slot_;
};

}  // namespace

std::span<std::uint8_t> LeafEncoder::encode(std::span<const std::uint8_t> content, std::size_t lead_bytes,
                                            std::span<std::uint8_t> out) {
  if (leaf_.codec->has_history) {
    begin(2 * content.size(), lead_bytes, out);
    add(with_matches(content));
    const auto stream = write_front_and_table(kind_history);
    if (stream.size() < lead_bytes + content.size()) return stream;
  }
  begin(content.size(), lead_bytes, out);
  add(content);
  return finish();
}

CodedContent LeafEncoder::with_matches(std::span<const std::uint8_t> content) {
  const registry::SegmentHistory& history = leaf_.codec->segment_history;
  const std::size_t words = content.size() / 8;
  const std::uint32_t tasks = workers_.task_count(core::bytes_like_one_with_history * content.size());
  const std::size_t scratch_bytes = history.scratch_bytes(words, tasks),
                    scratch_offset = core::align_up(4 * words, 64);
  const auto memory = history_.reserve(scratch_offset + scratch_bytes);
  const std::span distances(reinterpret_cast<std::uint32_t*>(memory.data()), words);
  history.find_matches(content, distances, memory.subspan(scratch_offset), tasks,
                       [&](std::uint32_t count, const auto& work) {
                         std::atomic<std::uint32_t> next = 0;
                         workers_.run(count, [&](std::uint32_t) {
                           for (std::uint32_t index = next++; index < count; index = next++) work(index);
                         });
                       });
  return {content, distances, history.coded_words};
}

void LeafEncoder::begin(std::uint64_t max_content_bytes, std::size_t lead_bytes,
                        std::span<std::uint8_t> out) {
  const std::uint64_t bound = lead_bytes + stream_bound(max_content_bytes, checksums_);
  lead_bytes_ = lead_bytes;
  stream_ = out.size() >= bound ? out.first(bound) : memory_.reserve(bound);
  payloads_offset_ = bound - padded(max_content_bytes);
  payload_bytes_ = 0;
  coded_bytes_ = 0;
  entries_.clear();
}

void LeafEncoder::add(std::span<const std::uint8_t> content) { add(CodedContent(content)); }

void LeafEncoder::add(const CodedContent& content) {
  const std::size_t first_chunk = entries_.size();
  entries_.resize(first_chunk + content.chunk_count());
  const RangeEncoder encoder(leaf_, checksums_, content, std::span(entries_).subspan(first_chunk));
  const auto out = stream_.subspan(payloads_offset_ + payload_bytes_);
  coded_bytes_ += content.size();

  const std::uint32_t tasks = workers_.task_count(content.size());
  const std::size_t workspace_bytes = RangeEncoder::workspace_bytes(leaf_);
  if (tasks == 1) {
    const auto workspace = encoder.aligned(workspace_.reserve(workspace_bytes));
    Beside beside = encoder.beside();
    std::uint64_t bytes = 0;
    for (std::size_t range = 0; range < encoder.range_count(); ++range)
      bytes += encoder.encode(range, out.subspan(bytes), true, workspace, beside);
    beside.finish();
    payload_bytes_ += bytes;
    return;
  }
  const std::size_t task_bytes = RangeWorker::staging_bytes + workspace_bytes;
  const auto scratch = workspace_.reserve(tasks * task_bytes);
  core::OrderedOffsets offsets(encoder.range_count());
  workers_.run(tasks, [&](std::uint32_t task) {
    const auto own = scratch.subspan(task * task_bytes, task_bytes);
    RangeWorker(encoder, offsets, out, own.first(RangeWorker::staging_bytes),
                encoder.aligned(own.subspan(RangeWorker::staging_bytes)))
        .run();
  });
  payload_bytes_ += offsets.all_bytes();
}

std::span<std::uint8_t> LeafEncoder::finish() { return write_front_and_table(kind_content); }

std::uint64_t LeafEncoder::good_piece_bytes() {
  return std::max(smallest_good_piece_bytes, workers_.max_tasks() * (std::uint64_t{1} << 20));
}

/// The table ends where the payloads begin, so that it need not be known before how many chunks there will
/// be.
std::span<std::uint8_t> LeafEncoder::write_front_and_table(std::uint8_t kind) {
  const std::uint64_t bytes_of_table = table_bytes(entries_.size(), checksums_);
  const auto stream = stream_.subspan(payloads_offset_ - bytes_of_table - front_bytes - lead_bytes_,
                                      lead_bytes_ + front_bytes + bytes_of_table + payload_bytes_);
  const auto front = front_of(leaf_, kind);
  std::copy(front.begin(), front.end(), stream.begin() + static_cast<std::ptrdiff_t>(lead_bytes_));
  const auto bytes = stream.subspan(lead_bytes_ + front_bytes, bytes_of_table);
  const ChunkTable table(bytes, entries_.size(), checksums_);
  digest_ = {};
  digest_.add(block_of(front, checksums_));
  std::uint64_t offset = 0;
  for (std::uint64_t chunk = 0; chunk < entries_.size(); ++chunk) {
    if (chunk % chunks_per_group == 0) table.set_group_offset(chunk / chunks_per_group, offset);
    table.set_entry(chunk, entries_[chunk]);
    digest_.add(entries_[chunk]);
    offset += padded(entries_[chunk].stored_bytes);
  }
  std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(table.end()), bytes.end(), std::uint8_t{0});
  return stream;
}

}  // namespace floe::chunks
