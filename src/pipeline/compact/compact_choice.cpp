#include "pipeline/compact/compact_choice.hpp"

#include <utility>

#include "container/compact_frame.hpp"
#include "container/frame_index.hpp"

namespace floe::pipeline {
namespace {

/// Nothing if none is smaller than an ordinary frame.
std::vector<std::uint8_t> smallest_compact(SmallTable& table) {
  std::vector<std::uint8_t> smallest;
  std::uint64_t bytes = container::write_header(table.header).size() +
                        container::write_segment_header(table.segment, 0).size() +
                        table.segment.payload_bytes() + container::footer_bytes(1);
  const auto take_if_smaller = [&](std::vector<std::uint8_t> frame) {
    if (frame.empty() || frame.size() >= bytes) return;
    bytes = frame.size();
    smallest = std::move(frame);
  };
  // Texts take less time, and then say when words are not worth it.
  if (can_be_text(table.header, table.text))
    take_if_smaller(encode_text_frame(table.header, table.text, bytes));
  CompactTable compact{table.header, table.segment, {}};
  if (!table.words.empty() && can_be_compact(compact)) {
    // Searches of max would take ten times as long, for some bytes.
    const auto objective = trees::objective_for_columns(trees::objective_of(trees::Preset::ratio));
    take_if_smaller(encode_compact(std::move(compact), std::move(table.words), objective, bytes));
  }
  return smallest;
}

}  // namespace

Result<std::optional<ChosenCompact>> choose_compact(SmallTable table) {
  std::vector<std::uint8_t> frame = smallest_compact(table);
  if (frame.empty()) return std::optional<ChosenCompact>();
  const auto body = container::compact_body(frame);
  if (!body) return body.status();
  const auto expanded = is_text(*body) ? expand_table(table_of_text(table.header, table.text, body->size()))
                                       : expand_compact(frame, ~std::uint64_t{0});
  if (!expanded) return expanded.status();
  const auto index = container::read_frame_index(container::MemorySource(expanded->frame),
                                                 expanded->frame.size(), ~std::uint64_t{0});
  if (!index) return index.status();
  FrameInfo info = index->info;
  container::note_compact(info, frame.size());
  return std::optional<ChosenCompact>(ChosenCompact{std::move(frame), std::move(info)});
}

}  // namespace floe::pipeline
