#include "pipeline/compact/compact_choice.hpp"

#include <algorithm>
#include <utility>

#include "chunks/chunk_table.hpp"
#include "container/compact_frame.hpp"
#include "container/frame_index.hpp"
#include "pipeline/compact/sketch.hpp"
#include "pipeline/describe.hpp"

namespace floe::pipeline {
namespace {

/// Texts are decoded at 3 MB/s, which has to be worth it: how much more words of the same table must take.
/// With `ratio` for a hundredth of a second, a third, and more; with `max` for a third, and more. The words
/// of many columns take longer to search than the text to encode, so that `ratio` demands less, and `balance`
/// tries the text, too. 0: no text at all.
std::uint64_t text_gain_of(const Options& options, std::uint64_t text_bytes, std::uint64_t columns) {
  constexpr std::uint64_t many_columns = 512;
  if (options.decode_megabytes_per_second != 0 || text_bytes > max_compact_text_bytes) return 0;
  constexpr std::uint64_t kib = 1024;
  if (options.goal == Goal::ratio) {
    const bool is_quick = text_bytes <= 1024 * kib || columns >= many_columns;
    return whole_gain / (text_bytes <= 32 * kib ? 16 : is_quick ? 8 : 4);
  }
  if (options.goal == Goal::max) return text_bytes <= 1024 * kib ? any_gain : whole_gain / 8;
  if (options.goal == Goal::balance && columns >= many_columns) return whole_gain;
  return 0;
}

/// Nothing if none has fewer than `max_bytes`.
std::vector<std::uint8_t> smallest_compact(SmallTable& table, const CompactSearch& search,
                                           std::uint64_t max_bytes) {
  std::vector<std::uint8_t> smallest;
  const auto take_if_smaller = [&](std::vector<std::uint8_t> frame, std::uint64_t than) {
    if (!frame.empty() && frame.size() < than) smallest = std::move(frame);
  };
  // Words are searched for at length only if the text does not say that they are not worth it.
  bool may_be_text = search.text_gain != 0 && can_be_text(table.header, table.text);
  const auto try_text = [&](std::uint64_t about_words) {
    if (!std::exchange(may_be_text, false)) return max_bytes;
    const std::uint64_t words = std::min({about_words, max_bytes, std::uint64_t{1} << 32}),
                        max_text = words * whole_gain / (whole_gain + search.text_gain);
    const bool ends_early = search.text_gain > any_gain;
    take_if_smaller(encode_text_frame(table.header, table.text, max_text, ends_early), max_text);
    if (!smallest.empty())
      max_bytes = std::min(max_bytes, smallest.size() + smallest.size() * search.text_gain / whole_gain);
    return max_bytes;
  };
  CompactTable compact{table.header, table.segment, {}};
  std::vector<std::uint8_t> words;
  if (!table.words.empty() && can_be_compact(compact))
    words = encode_compact(std::move(compact), std::move(table.words), search, try_text);
  try_text(max_bytes);
  take_if_smaller(std::move(words), max_bytes);
  return smallest;
}

/// What became of each stream, as of an ordinary frame.
Result<PlannedSegment> describe(const ExpandedFrame& expanded, const container::FrameIndex& index,
                                std::uint64_t frame_bytes) {
  PlannedSegment planned;
  core::Buffer scratch;
  const container::MemorySource source(expanded.frame);
  const auto open = container::open_segment(source, index, 0, scratch);
  if (!open) return open.status();
  const container::SegmentHeader& header = open->header;
  std::span<const std::uint8_t> rest =
      std::span(expanded.frame).subspan(static_cast<std::size_t>(open->payload_offset));
  const auto take = [&rest](const container::StreamEntry& entry) {
    const auto stored = rest.first(static_cast<std::size_t>(entry.stored_bytes));
    rest = rest.subspan(static_cast<std::size_t>(chunks::padded(entry.stored_bytes)));
    return stored;
  };
  for (const container::StreamEntry& entry : header.malformed) take(entry);
  auto share = expanded.shares.begin() + static_cast<std::ptrdiff_t>(header.malformed.size());
  for (const container::ColumnEntry& column : header.columns) {
    std::vector<std::span<const std::uint8_t>> streams;
    PlannedColumn& of_column = planned.columns.emplace_back();
    for (const container::StreamEntry& entry : column.streams) {
      streams.push_back(take(entry));
      of_column.streams.push_back({entry.type, entry.count, (share++)->stored_bytes, 1, {}, {}});
    }
    auto described = describe_column(column, index.header.table.schema, index.header.checksums, streams);
    if (!described) return described.status();
    planned.stored.columns.push_back(std::move(*described));
  }
  planned.stored.count = header.count;
  take_shares(planned.stored, header, expanded.shares, frame_bytes);
  return planned;
}

}  // namespace

std::uint64_t bytes_among_others(const rows::Words& words) {
  constexpr std::uint64_t stream_bytes = 12;  // rather one stream than two
  return Sketch({words.type(), words.data(), words.count()}).cost(0) / trees::cost_of_byte + stream_bytes;
}

CompactSearch compact_search_of(const Options& options, std::uint64_t text_bytes, std::uint64_t columns) {
  // Searches of max would take ten times as long, for some bytes.
  const bool is_about_size = options.goal == Goal::ratio || options.goal == Goal::max;
  const trees::Preset preset = is_about_size                   ? trees::Preset::ratio
                               : options.goal == Goal::balance ? trees::Preset::balanced
                                                               : trees::Preset::fast;
  CompactSearch search;
  search.objective = trees::objective_for_columns(trees::objective_of(preset));
  search.objective.decode_megabytes_per_second = options.decode_megabytes_per_second;
  search.tries_neighbours = is_about_size;
  search.finds_repetition = options.goal != Goal::speed;
  search.text_gain = text_gain_of(options, text_bytes, columns);
  if (options.goal == Goal::speed || options.decode_megabytes_per_second != 0) return search;
  Options faster = options;
  faster.goal = options.goal == Goal::balance ? Goal::speed : Goal::balance;
  search.faster = compact_search_of(faster, text_bytes, columns).faster;
  search.faster.push_back(compact_search_of(faster, text_bytes, columns));
  return search;
}

Result<std::optional<ChosenCompact>> choose_compact(SmallTable table, const CompactSearch& search,
                                                    std::uint64_t max_bytes) {
  ChosenCompact chosen;
  chosen.frame = smallest_compact(table, search, max_bytes);
  if (chosen.frame.empty()) return std::optional<ChosenCompact>();
  const auto body = container::compact_body(chosen.frame);
  if (!body) return body.status();
  chosen.is_text = is_text(*body);
  const auto expanded = chosen.is_text ? expand_table(table_of_text(table.header, table.text, body->size()))
                                       : expand_compact(chosen.frame, ~std::uint64_t{0});
  if (!expanded) return expanded.status();
  const auto index = container::read_frame_index(container::MemorySource(expanded->frame),
                                                 expanded->frame.size(), ~std::uint64_t{0});
  if (!index) return index.status();
  chosen.info = index->info;
  container::note_compact(chosen.info, chosen.frame.size());
  if (table.is_planned && index->segment_count() > 0) {
    auto planned = describe(*expanded, *index, chosen.frame.size());
    if (!planned) return planned.status();
    chosen.planned = std::move(*planned);
  }
  return std::optional<ChosenCompact>(std::move(chosen));
}

}  // namespace floe::pipeline
