#include "recovery/stream_recovery.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "chunks/leaf_decoder.hpp"
#include "chunks/registry/codec_entry.hpp"
#include "core/buffer.hpp"
#include "recovery/table_repair.hpp"
#include "tree/stream_parts.hpp"

namespace floe::recovery {
namespace {

using chunks::CheckedLeaf;
using chunks::Leaf;

RecoveredWords all_lost(const DamagedStream& stream, const Status& cause) {
  if (stream.entry.count == 0) return {};
  std::memset(stream.words, 0, static_cast<std::size_t>(stream.entry.words_bytes()));
  return {{Slice{0, stream.entry.count}}, {}, cause};
}

Status corrupt(const DamagedStream& stream, const char* detail) {
  return {ErrorCode::corrupt_frame, stream.offset, detail};
}

chunks::LeafStream leaf_stream(const DamagedStream& stream, const Leaf& leaf, bool checksums) {
  return {leaf,         checksums, stream.entry.words_bytes(), stream.entry.stored_bytes, stream.entry.digest,
          stream.offset};
}

/// Chunks of a leaf whose table need not be intact, one by one.
class ChunkRecovery {
 public:
  ChunkRecovery(const DamagedStream& stream, CheckedLeaf leaf, bool is_table_intact, core::Workers& workers)
      : stream_(stream), leaf_(std::move(leaf)), is_table_intact_(is_table_intact), decoder_(workers) {
    coded_bytes_ = chunks::coded_bytes_of(leaf_.stream.content_bytes, leaf_.kind);
    // Coded bytes of a leaf with a history are the content of one without.
    leaf_.stream.content_bytes = coded_bytes_;
    history_ = std::exchange(leaf_.kind, chunks::kind_content) == chunks::kind_history;
  }

  RecoveredWords recover() {
    if (coded_bytes_ > 0 && !history_) coded_ = words();
    if (history_) coded_ = memory_.reserve(coded_bytes_);
    is_intact_.assign(leaf_.chunk_count, false);
    for (std::uint64_t first = 0; first < leaf_.chunk_count; first += chunks::chunks_per_group)
      decode_group(first, std::min(first + chunks::chunks_per_group, leaf_.chunk_count));
    if (history_) return resolve();
    RecoveredWords result{{}, {}, cause_};
    const std::uint64_t word_bytes = size_of(stream_.entry.type);
    for (std::uint64_t chunk = 0; chunk < leaf_.chunk_count; ++chunk) {
      if (is_intact_[chunk] && is_table_intact_) continue;
      add(is_intact_[chunk] ? result.unproven : result.lost, chunk * core::chunk_bytes / word_bytes,
          leaf_.chunk_bytes(chunk) / word_bytes);
    }
    return result;
  }

 private:
  [[nodiscard]] std::span<std::uint8_t> words() const {
    return {static_cast<std::uint8_t*>(stream_.words), static_cast<std::size_t>(stream_.entry.words_bytes())};
  }
  static void add(std::vector<Slice>& lost, std::uint64_t first, std::uint64_t count) {
    if (!lost.empty() && lost.back().first + lost.back().count == first) {
      lost.back().count += count;
    } else {
      lost.push_back({first, count});
    }
  }

  [[nodiscard]] bool is_possible(const core::BlockEntry& entry, std::uint64_t chunk) const {
    const std::size_t bytes = leaf_.chunk_bytes(chunk);
    return (entry.mode == chunks::mode_raw && entry.stored_bytes == bytes) ||
           (entry.mode == chunks::mode_coded && entry.stored_bytes > 0 && entry.stored_bytes < bytes);
  }

  /// Payloads are found from the front of the group on, and where an entry of the table is damaged, from its
  /// end on, too.
  void decode_group(std::uint64_t first, std::uint64_t end) {
    const std::uint64_t begin =
        leaf_.payloads_offset + leaf_.table.group_offset(first / chunks::chunks_per_group);
    std::uint64_t after =
        end == leaf_.chunk_count
            ? leaf_.stream.stored_bytes
            : leaf_.payloads_offset + leaf_.table.group_offset(end / chunks::chunks_per_group);
    std::uint64_t at = begin;
    for (std::uint64_t chunk = first; chunk < end; ++chunk) {
      decode(chunk, at);
      at += chunks::padded(leaf_.table.entry(chunk).stored_bytes);
    }
    if (is_table_intact_) return;
    for (std::uint64_t chunk = end; chunk-- > first;) {
      after -= std::min(after, chunks::padded(leaf_.table.entry(chunk).stored_bytes));
      if (!is_intact_[chunk]) decode(chunk, after);
    }
  }

  void decode(std::uint64_t chunk, std::uint64_t at) {
    const core::BlockEntry entry = leaf_.table.entry(chunk);
    const std::uint64_t begin = chunk * core::chunk_bytes;
    const auto out = coded_.subspan(static_cast<std::size_t>(begin), leaf_.chunk_bytes(chunk));
    const std::uint64_t stored = chunks::padded(entry.stored_bytes);
    Status status = corrupt(stream_, "an entry of a chunk table makes no sense");
    if (is_possible(entry, chunk) && at <= stream_.bytes.size() && stored <= stream_.bytes.size() - at) {
      const auto payload =
          stream_.bytes.subspan(static_cast<std::size_t>(at), static_cast<std::size_t>(stored));
      // Damaged padding is no loss. Where the position is wrong, it may be another chunk.
      std::array<std::uint8_t, chunks::alignment> found{};
      const auto padding = payload.subspan(entry.stored_bytes);
      std::copy(padding.begin(), padding.end(), found.begin());
      std::fill(padding.begin(), padding.end(), std::uint8_t{0});
      status = decoder_.decode(leaf_, payload, begin, out);
      if (!status.ok()) std::copy_n(found.begin(), padding.size(), padding.begin());
      if (!status.ok()) status.byte_offset = stream_.offset + at;
    }
    is_intact_[chunk] = status.ok();
    if (status.ok()) return;
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    if (cause_.ok()) cause_ = status;
  }

  [[nodiscard]] bool is_there(std::uint64_t coded_byte) const {
    return is_intact_[coded_byte / core::chunk_bytes];
  }

  /// Words by values and distances; of a word that is lost, those that repeat it are lost, too.
  RecoveredWords resolve() {
    RecoveredWords result{{}, {}, cause_};
    const std::uint64_t count = stream_.entry.count;
    std::vector<bool> is_lost(static_cast<std::size_t>(count));
    std::uint8_t* const out = words().data();
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto value = core::load<std::uint64_t>(coded_.data() + 8 * i);
      const auto distance = core::load<std::uint64_t>(coded_.data() + 8 * (count + i));
      const bool is_known = is_there(8 * (count + i)) && distance <= i && (distance != 0 || is_there(8 * i));
      is_lost[i] = !is_known || (distance != 0 && is_lost[i - distance]);
      const std::uint64_t word = is_lost[i]      ? 0
                                 : distance == 0 ? value
                                                 : core::load<std::uint64_t>(out + 8 * (i - distance));
      core::store(out + 8 * i, word);
      if (!is_lost[i] && is_table_intact_) continue;
      add(is_lost[i] ? result.lost : result.unproven, i, 1);
      if (!is_lost[i]) continue;
      if (result.cause.ok())
        result.cause = corrupt(stream_, "a match of a segment leads before its first word");
    }
    return result;
  }

  const DamagedStream& stream_;
  CheckedLeaf leaf_;
  bool is_table_intact_;
  bool history_ = false;
  std::uint64_t coded_bytes_ = 0;
  chunks::LeafDecoder decoder_;
  core::Buffer memory_;
  std::span<std::uint8_t> coded_;
  std::vector<bool> is_intact_;
  Status cause_;
};

/// The leaf that the stream is, going by the front that it had; none if it is too short for its table.
std::optional<CheckedLeaf> unchecked_leaf(const DamagedStream& stream, const Leaf& leaf, bool checksums) {
  const std::uint8_t kind = stream.bytes[chunks::kind_at];
  if (leaf.codec == nullptr || kind > (leaf.codec->has_history ? chunks::kind_history : chunks::kind_content))
    return std::nullopt;
  const chunks::LeafStream of = leaf_stream(stream, leaf, checksums);
  const std::uint64_t header_bytes = of.header_bytes(stream.bytes);
  if (header_bytes > stream.entry.stored_bytes) return std::nullopt;
  const std::uint64_t chunk_count = chunks::chunk_count_of(of.content_bytes, kind);
  const auto table =
      stream.bytes.subspan(chunks::front_bytes, static_cast<std::size_t>(header_bytes - chunks::front_bytes));
  return CheckedLeaf{of, kind, chunk_count, header_bytes, {table, chunk_count, checksums}};
}

/// A leaf stream whose front is known. Its table is mended if that can be proven.
RecoveredWords recover_leaf(const DamagedStream& stream, const Leaf& leaf, bool checksums,
                            core::Workers& workers) {
  const auto of = leaf_stream(stream, leaf, checksums);
  auto checked = chunks::check_leaf(of, stream.bytes);
  if (!checked && checked.status().code == ErrorCode::unsupported_version)
    return all_lost(stream, checked.status());
  const auto unchecked = checked ? std::nullopt : unchecked_leaf(stream, leaf, checksums);
  if (unchecked && mend_table(*unchecked, stream.bytes)) checked = chunks::check_leaf(of, stream.bytes);
  if (checked) {
    const std::span out(static_cast<std::uint8_t*>(stream.words),
                        static_cast<std::size_t>(stream.entry.words_bytes()));
    const auto payloads = stream.bytes.subspan(static_cast<std::size_t>(checked->payloads_offset));
    if (chunks::LeafDecoder(workers).decode(*checked, payloads, 0, out).ok()) return {};
    return ChunkRecovery(stream, *checked, true, workers).recover();
  }
  // Chunks that match their checksums are something, but perhaps of another stream.
  if (!unchecked || !checksums) return all_lost(stream, checked.status());
  RecoveredWords words = ChunkRecovery(stream, *unchecked, false, workers).recover();
  if (words.cause.ok()) words.cause = checked.status();
  return words;
}

RecoveredWords recover_with(const DamagedStream& stream, bool checksums, core::Workers& workers) {
  const auto& entry = stream.entry;
  if (!checksums && !stream.are_bytes_there)
    return all_lost(stream, corrupt(stream, "bytes of a stream without checksums are missing"));
  auto leaf = chunks::leaf_of_front(stream.bytes, size_of(entry.type));
  const auto stored = stream.bytes.first(static_cast<std::size_t>(entry.stored_bytes));
  if (!leaf && chunks::digest_of_bytes(stored, checksums) == entry.digest) {
    const Status status = trees::decode_slice(stored, entry.type, entry.count, {0, entry.count}, stream.words,
                                              {}, stream.budget);
    if (status.ok()) return {};
    return all_lost(stream, {status.code, status.byte_offset + stream.offset, status.detail});
  }
  // A front that is damaged may look like another one.
  if (!leaf || !chunks::check_leaf(leaf_stream(stream, *leaf, checksums), stream.bytes)) {
    if (const auto mended =
            mended_front(leaf_stream(stream, {}, checksums), size_of(entry.type), stream.bytes))
      leaf = mended;
  }
  if (!leaf) return all_lost(stream, corrupt(stream, "a stream does not match its digest"));
  return recover_leaf(stream, *leaf, checksums, workers);
}

/// Whether the digest is that of a stream with or without checksums.
bool matches_digest(const DamagedStream& stream, bool checksums) {
  const auto leaf = chunks::leaf_of_front(stream.bytes, size_of(stream.entry.type));
  if (leaf) return bool(chunks::check_leaf(leaf_stream(stream, *leaf, checksums), stream.bytes));
  const auto stored = stream.bytes.first(static_cast<std::size_t>(stream.entry.stored_bytes));
  return chunks::digest_of_bytes(stored, checksums) == stream.entry.digest;
}

}  // namespace

RecoveredWords recover_words(DamagedStream& stream, core::Workers& workers) {
  if (stream.entry.count == 0) return {};
  const auto padding = stream.bytes.subspan(static_cast<std::size_t>(stream.entry.stored_bytes));
  std::fill(padding.begin(), padding.end(), std::uint8_t{0});
  if (stream.checksums == Checksums::unknown) {
    if (matches_digest(stream, true))
      stream.checksums = Checksums::yes;
    else if (matches_digest(stream, false))
      stream.checksums = Checksums::no;
  }
  return recover_with(stream, stream.checksums != Checksums::no, workers);
}

std::uint64_t recovery_bytes(const container::StreamEntry& entry) noexcept {
  return chunks::padded(entry.stored_bytes) + 3 * entry.words_bytes();
}

}  // namespace floe::recovery
