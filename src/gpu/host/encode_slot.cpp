#include "gpu/host/encode_slot.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>

#include "core/bits.hpp"

namespace floe::gpu {
namespace {

/// Segments of tables have up to 2^20 rows; what is longer is bytes of texts, of which a single
/// multiprocessor would have too much.
constexpr std::uint64_t max_words = std::uint64_t{1} << 20;
constexpr std::uint64_t max_workspace_bytes = std::uint64_t{512} << 20;

std::uint64_t size_of(const tables::StreamWords& stream) { return stream.count * size_of(stream.type); }

/// Streams that can be segments of the same column.
auto kind_of(const tables::StreamWords* stream) {
  return std::tie(stream->type, stream->count, stream->tree);
}

/// The most bytes that a tree takes among those of a call.
std::uint64_t tree_bytes(const std::string& tree) {
  return 4 * (static_cast<std::uint64_t>(std::count(tree.begin(), tree.end(), ',')) + 1);
}

/// Whether a tree has a form for devices, and takes such words.
bool can_encode(const tables::StreamWords& stream) {
  cuda::ColumnEncode column;
  column.word_count = stream.count;
  column.segment_words = static_cast<std::uint32_t>(stream.count);
  column.type = stream.type;
  const std::string_view trees[] = {stream.tree};
  const auto least = cuda::min_encode_workspace_size({&column, 1}, trees);
  return least && *least <= max_workspace_bytes && tree_bytes(stream.tree) <= cuda::max_tree_bytes;
}

}  // namespace

EncodeSlot::~EncodeSlot() {
  const CurrentDevice current(device_);
  if (work_ == nullptr) return;
  (void)cudaStreamSynchronize(work_);
  (void)cudaStreamDestroy(work_);
}

Status EncodeSlot::open() {
  const CurrentDevice current(device_);
  return to_status(cudaStreamCreateWithFlags(&work_, cudaStreamNonBlocking));
}

Status EncodeSlot::begin(std::span<tables::StreamWords> streams) {
  const CurrentDevice current(device_);
  lay_out(streams);
  if (items_.empty()) return {};
  Status status = copy_in();
  if (status.ok()) status = encode();
  return status;
}

void EncodeSlot::lay_out(std::span<tables::StreamWords> streams) {
  std::vector<tables::StreamWords*> wanted;
  for (tables::StreamWords& stream : streams) {
    stream.is_encoded = false;
    if (stream.count > 0 && stream.count <= max_words && !stream.tree.empty()) wanted.push_back(&stream);
  }
  std::stable_sort(wanted.begin(), wanted.end(),
                   [](const auto* a, const auto* b) { return kind_of(a) < kind_of(b); });
  items_.clear();
  groups_.clear();
  words_bytes_ = out_bytes_ = 0;
  for (auto first = wanted.begin(); first != wanted.end();) {
    const auto end = std::find_if(first, wanted.end(),
                                  [&](const auto* stream) { return kind_of(stream) != kind_of(*first); });
    if (can_encode(**first)) {
      Group group{items_.size(), static_cast<std::size_t>(end - first), words_bytes_, out_bytes_, 0};
      const std::uint64_t words = group.count * (*first)->count;
      group.out_bytes = cuda::encoded_column_bound(words, static_cast<std::uint32_t>((*first)->count),
                                                   static_cast<std::uint32_t>(size_of((*first)->type)));
      words_bytes_ += core::align_up(group.count * size_of(**first), 256);
      out_bytes_ += core::align_up(group.out_bytes, 256);
      items_.insert(items_.end(), first, end);
      groups_.push_back(group);
    }
    first = end;
  }
}

Status EncodeSlot::copy_in() {
  if (const Status status = staging_.reserve(words_bytes_); !status.ok()) return status;
  if (const Status status = in_.reserve(words_bytes_); !status.ok()) return status;
  std::vector<std::uint64_t> places(items_.size());
  for (const Group& group : groups_) {
    for (std::size_t i = 0; i < group.count; ++i)
      places[group.first + i] = group.words_at + i * size_of(*items_[group.first]);
  }
  std::atomic<std::size_t> next{0};
  workers_.run(4, [&](std::uint32_t) {
    for (std::size_t i = next++; i < items_.size(); i = next++)
      std::memcpy(staging_.data() + places[i], items_[i]->words, size_of(*items_[i]));
  });
  return to_status(cudaMemcpyAsync(in_.data(), staging_.data(), words_bytes_, cudaMemcpyHostToDevice, work_));
}

cuda::ColumnEncode EncodeSlot::column_of(const Group& group) const {
  const tables::StreamWords& stream = *items_[group.first];
  cuda::ColumnEncode column;
  column.words = in_.data() + group.words_at;
  column.word_count = group.count * stream.count;
  column.segment_words = static_cast<std::uint32_t>(stream.count);
  column.type = stream.type;
  column.out = out_.data() + group.out_at;
  column.out_bytes = group.out_bytes;
  column.result = reinterpret_cast<cuda::ItemResult*>(outcomes_.data()) + (&group - groups_.data());
  column.segments =
      reinterpret_cast<cuda::SegmentEntry*>(outcomes_.data() + groups_.size() * sizeof(cuda::ItemResult)) +
      group.first;
  return column;
}

/// As many groups per call as it takes.
Status EncodeSlot::encode() {
  const std::uint64_t told_bytes =
      groups_.size() * sizeof(cuda::ItemResult) + items_.size() * sizeof(cuda::SegmentEntry);
  Status status = out_.reserve(out_bytes_);
  if (status.ok()) status = outcomes_.reserve(told_bytes);
  if (status.ok()) status = told_.reserve(told_bytes);
  for (std::size_t first = 0; status.ok() && first < groups_.size();) {
    std::size_t end = first;
    for (std::uint64_t bytes = 0; end < groups_.size() && end - first < cuda::max_columns; ++end) {
      bytes += tree_bytes(items_[groups_[end].first]->tree);
      if (bytes > cuda::max_tree_bytes) break;
    }
    status = encode_groups(std::span(groups_).subspan(first, end - first));
    first = end;
  }
  if (!status.ok()) return status;
  return to_status(
      cudaMemcpyAsync(told_.data(), outcomes_.data(), told_bytes, cudaMemcpyDeviceToHost, work_));
}

Status EncodeSlot::encode_groups(std::span<const Group> groups) {
  std::vector<cuda::ColumnEncode> columns;
  std::vector<std::string_view> trees;
  for (const Group& group : groups) {
    columns.push_back(column_of(group));
    columns.back().tree = static_cast<std::uint32_t>(trees.size());
    trees.emplace_back(items_[group.first]->tree);
  }
  const auto wanted = cuda::encode_workspace_size(columns, trees),
             least = cuda::min_encode_workspace_size(columns, trees);
  if (!wanted) return wanted.status();
  if (!least) return least.status();
  const std::uint64_t bytes = std::max(*least, std::min(*wanted, max_workspace_bytes));
  // Calls before may still use the memory, but cudaFree waits for them.
  if (const Status status = workspace_.reserve(bytes); !status.ok()) return status;
  return cuda::encode_columns_async(columns, trees, {workspace_.data(), workspace_.size()}, work_);
}

Status EncodeSlot::finish() {
  if (items_.empty()) return {};
  const CurrentDevice current(device_);
  if (const Status status = to_status(cudaStreamSynchronize(work_)); !status.ok()) return status;
  return fetch();
}

/// Copies the bytes that came out, and no more.
Status EncodeSlot::fetch() {
  std::vector<cuda::ItemResult> results(groups_.size());
  std::vector<cuda::SegmentEntry> entries(items_.size());
  const std::uint64_t results_bytes = results.size() * sizeof(cuda::ItemResult);
  std::memcpy(results.data(), told_.data(), results_bytes);
  std::memcpy(entries.data(), told_.data() + results_bytes, entries.size() * sizeof(cuda::SegmentEntry));
  std::uint64_t all_bytes = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i)
    all_bytes += core::align_up(std::min(results[i].bytes, groups_[i].out_bytes), 16);
  if (const Status status = results_.reserve(all_bytes); !status.ok()) return status;
  std::vector<std::uint64_t> places;
  std::uint64_t at = 0;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    const std::uint64_t bytes = std::min(results[i].bytes, groups_[i].out_bytes);
    places.push_back(at);
    const Status status = to_status(cudaMemcpyAsync(results_.data() + at, out_.data() + groups_[i].out_at,
                                                    bytes, cudaMemcpyDeviceToHost, work_));
    if (!status.ok()) return status;
    at += core::align_up(bytes, 16);
  }
  if (const Status status = to_status(cudaStreamSynchronize(work_)); !status.ok()) return status;
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    for (std::size_t k = groups_[i].first; k < groups_[i].first + groups_[i].count; ++k) {
      const cuda::SegmentEntry& entry = entries[k];
      tables::StreamWords& stream = *items_[k];
      stream.is_encoded = entry.bytes != 0 && entry.words == stream.count &&
                          entry.offset + entry.bytes <= std::min(results[i].bytes, groups_[i].out_bytes);
      if (!stream.is_encoded) continue;
      const auto* const from = reinterpret_cast<const std::byte*>(results_.data() + places[i] + entry.offset);
      stream.bytes.assign(from, from + entry.bytes);
    }
  }
  return {};
}

}  // namespace floe::gpu
