#include "pipeline/tables/decoded_columns.hpp"

#include <algorithm>

#include "pipeline/tables/parallel_tasks.hpp"
#include "pipeline/tables/segment_decoder.hpp"

namespace floe::tables {

Status DecodedColumns::open(const SegmentHead& head, std::span<const std::size_t> columns,
                            std::span<const std::vector<std::uint8_t>> stored, const DecodeOptions& options) {
  std::uint64_t taken_bytes = 0;
  for (const std::size_t column : columns) {
    const Status status = check_memory(head.columns[column].streams, taken_bytes, options.memory_limit_bytes);
    if (!status.ok()) return status;
  }
  contents.assign(columns.size(), {});
  printers.assign(columns.size(), {});
  std::vector<Status> outcomes(columns.size());
  run_tasks(static_cast<std::uint32_t>(columns.size()), options.threads, [&](std::uint32_t i) {
    Result<ColumnContent> content = decode_content(head.columns[columns[i]], stored[i]);
    outcomes[i] = content.status();
    if (!content) return;
    contents[i] = std::move(*content);
    outcomes[i] = printers[i].open(contents[i], head.row_count);
  });
  const auto failed = std::find_if(outcomes.begin(), outcomes.end(), [](const Status& outcome) { return !outcome.ok(); });
  if (failed != outcomes.end()) return *failed;
  return {};
}

}  // namespace floe::tables
