#include "gpu/host/stream_slot.hpp"

#include <algorithm>
#include <cstring>
#include <tuple>

#include "core/bits.hpp"

namespace floe::gpu {
namespace {

/// Segments of tables have up to 2^20 rows; what is longer is bytes of texts, of which a single
/// multiprocessor would have too much.
constexpr std::uint64_t max_words = std::uint64_t{1} << 20;
constexpr std::uint64_t max_workspace_bytes = std::uint64_t{512} << 20;

std::uint64_t size_of(const tables::EncodedStream& stream) { return stream.count * size_of(stream.type); }

}  // namespace

StreamSlot::~StreamSlot() {
  const CurrentDevice current(device_);
  if (work_ == nullptr) return;
  (void)cudaStreamSynchronize(work_);
  (void)cudaStreamDestroy(work_);
}

Status StreamSlot::open() {
  const CurrentDevice current(device_);
  return to_status(cudaStreamCreateWithFlags(&work_, cudaStreamNonBlocking));
}

Status StreamSlot::begin(std::span<tables::EncodedStream> streams) {
  const CurrentDevice current(device_);
  lay_out(streams);
  if (items_.empty()) return {};
  Status status = copy_in();
  if (status.ok()) status = decode();
  return status.ok() ? copy_out() : status;
}

void StreamSlot::lay_out(std::span<tables::EncodedStream> streams) {
  items_.clear();
  groups_.clear();
  for (tables::EncodedStream& stream : streams) {
    stream.is_decoded = false;
    if (stream.count > 0 && stream.count <= max_words && !stream.bytes.empty())
      items_.push_back({&stream, 0});
  }
  const auto kind = [](const Item& item) { return std::tuple(item.stream->type, item.stream->count); };
  std::stable_sort(items_.begin(), items_.end(),
                   [&kind](const Item& a, const Item& b) { return kind(a) < kind(b); });
  in_bytes_ = words_bytes_ = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (i == 0 || kind(items_[i]) != kind(items_[i - 1])) {
      groups_.push_back({i, 0});
      words_bytes_ = core::align_up(words_bytes_, 256);
    }
    ++groups_.back().count;
    items_[i].words_at = words_bytes_;
    words_bytes_ += size_of(*items_[i].stream);
    in_bytes_ += core::align_up(items_[i].stream->bytes.size(), 16);
  }
  words_bytes_ = core::align_up(words_bytes_, 256);
}

Status StreamSlot::copy_in() {
  const std::uint64_t bytes = in_bytes_ + items_.size() * sizeof(cuda::SegmentEntry);
  if (const Status status = staging_.reserve(bytes); !status.ok()) return status;
  if (const Status status = in_.reserve(bytes); !status.ok()) return status;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    const tables::EncodedStream& stream = *items_[i].stream;
    const cuda::SegmentEntry entry{at, static_cast<std::uint32_t>(stream.bytes.size()),
                                   static_cast<std::uint32_t>(stream.count)};
    std::memcpy(staging_.data() + at, stream.bytes.data(), stream.bytes.size());
    std::memcpy(staging_.data() + in_bytes_ + i * sizeof entry, &entry, sizeof entry);
    at += core::align_up(stream.bytes.size(), 16);
  }
  return to_status(cudaMemcpyAsync(in_.data(), staging_.data(), bytes, cudaMemcpyHostToDevice, work_));
}

Status StreamSlot::decode() {
  std::uint64_t workspace_bytes = 0;
  for (const Group& group : groups_) {
    const tables::EncodedStream& stream = *items_[group.first].stream;
    const auto words = static_cast<std::uint32_t>(stream.count),
               width = static_cast<std::uint32_t>(size_of(stream.type));
    const auto wanted = cuda::decode_workspace_size(words, width, items_.size()),
               least = cuda::decode_workspace_size(words, width, 1);
    if (!wanted) return wanted.status();
    workspace_bytes = std::max({workspace_bytes, *least, std::min(*wanted, max_workspace_bytes)});
  }
  const std::uint64_t out_bytes = words_bytes_ + items_.size() * sizeof(std::uint32_t);
  const bool is_new = out_.size() < out_bytes;
  Status status = out_.reserve(out_bytes);
  if (status.ok() && is_new)
    status = to_status(cudaMemsetAsync(out_.data(), 0, out_.size(), work_));  // gaps are copied back, too
  if (status.ok()) status = workspace_.reserve(workspace_bytes);
  if (status.ok()) status = outcomes_.reserve(groups_.size() * sizeof(cuda::ItemResult));
  for (std::size_t first = 0; status.ok() && first < groups_.size(); first += cuda::max_columns) {
    std::vector<cuda::ColumnDecode> columns;
    for (std::size_t i = first; i < std::min(groups_.size(), first + cuda::max_columns); ++i) {
      const Group& group = groups_[i];
      const tables::EncodedStream& stream = *items_[group.first].stream;
      cuda::ColumnDecode& column = columns.emplace_back();
      column.column.data = in_.data();
      column.column.data_bytes = in_bytes_;
      column.column.segments =
          reinterpret_cast<const cuda::SegmentEntry*>(in_.data() + in_bytes_) + group.first;
      column.column.word_count = group.count * stream.count;
      column.column.segment_words = static_cast<std::uint32_t>(stream.count);
      column.column.type = stream.type;
      column.out = out_.data() + items_[group.first].words_at;
      column.out_bytes = group.count * size_of(stream);
      column.result = reinterpret_cast<cuda::ItemResult*>(outcomes_.data()) + i;
      column.codes = reinterpret_cast<std::uint32_t*>(out_.data() + words_bytes_) + group.first;
    }
    status = cuda::decode_columns_async(columns, {workspace_.data(), workspace_.size()}, work_);
  }
  return status;
}

Status StreamSlot::copy_out() {
  const std::uint64_t bytes = words_bytes_ + items_.size() * sizeof(std::uint32_t);
  if (const Status status = results_.reserve(bytes); !status.ok()) return status;
  return to_status(cudaMemcpyAsync(results_.data(), out_.data(), bytes, cudaMemcpyDeviceToHost, work_));
}

Status StreamSlot::finish() {
  if (items_.empty()) return {};
  const CurrentDevice current(device_);
  if (const Status status = to_status(cudaStreamSynchronize(work_)); !status.ok()) return status;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    std::uint32_t code = 0;
    std::memcpy(&code, results_.data() + words_bytes_ + i * sizeof code, sizeof code);
    tables::EncodedStream& stream = *items_[i].stream;
    stream.is_decoded = code == 0;
    if (stream.is_decoded) std::memcpy(stream.words, results_.data() + items_[i].words_at, size_of(stream));
  }
  return {};
}

}  // namespace floe::gpu
