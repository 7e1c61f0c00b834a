// Does any text come back from a table, and are any bytes safe to take for a table, or for a segment whose
// checksums match?
#include <numeric>
#include <string>

#include "container/table_parts.hpp"
#include "core/crc32c.hpp"
#include "floe/series.hpp"
#include "fuzz/support.hpp"
#include "pipeline/tables/segment_decoder.hpp"

namespace floe::fuzz {
namespace {

using namespace floe::tables;

constexpr DecodeOptions options{.threads = 1, .memory_limit_bytes = 64 << 20};

Sink sink_of(Bytes& to) {
  return [&to](std::span<const std::byte> bytes) {
    const auto* const first = reinterpret_cast<const std::uint8_t*>(bytes.data());
    to.insert(to.end(), first, first + bytes.size());
    return Status{};
  };
}

Bytes compressed(const Bytes& text, std::uint32_t segment_rows) {
  TableOptions table_options;
  table_options.threads = 1;
  table_options.segment_rows = segment_rows;
  Bytes table;
  auto compressor = TableCompressor::create(sink_of(table), table_options);
  require(static_cast<bool>(compressor));
  require(compressor->write(std::as_bytes(std::span(text))).ok() && compressor->finish().ok());
  return table;
}

void check_round_trip(const Bytes& text, const Bytes& table) {
  Bytes again;
  TableDecompressor decompressor(sink_of(again), options);
  require(decompressor.write(std::as_bytes(std::span(table))).ok() && decompressor.finish().ok());
  require(again == text);
}

void decode_anything(const Bytes& table) {
  Bytes text;
  TableDecompressor decompressor(sink_of(text), options);
  if (decompressor.write(std::as_bytes(std::span(table))).ok()) (void)decompressor.finish();
  const auto read_at = [&table](std::uint64_t offset, std::span<std::byte> bytes) {
    require(offset <= table.size() && bytes.size() <= table.size() - offset);
    if (!bytes.empty()) std::memcpy(bytes.data(), table.data() + offset, bytes.size());
    return Status{};
  };
  auto reader = TableReader::open(read_at, table.size());
  if (!reader || reader->info().segment_count == 0 || reader->info().columns.size() > 100) return;
  (void)reader->segment(0);
  std::vector<std::size_t> columns(reader->info().columns.size());
  std::iota(columns.begin(), columns.end(), 0);
  Bytes rows;
  (void)reader->print_rows(columns, {0, std::min<std::uint64_t>(reader->info().row_count, 1000)},
                           sink_of(rows), options);
  std::erase_if(columns,
                [&](std::size_t column) { return reader->info().columns[column].type == DType::text; });
  Bytes records;
  MissingValue missing{~std::size_t{0}, 0};
  const Slice all{0, reader->info().row_count};
  if (columns.empty() || all.count > 5000) return;
  const Status status = reader->write_records(columns, all, sink_of(records), options, &missing);
  if (status.code == ErrorCode::invalid_argument)
    require(missing.row < all.count && missing.column < reader->info().columns.size());
}

void reseal(std::vector<StreamEntry>& streams, std::span<const std::uint8_t>& payload) {
  for (StreamEntry& stream : streams) {
    stream.checksum = core::crc32c(payload.first(stream.stored_bytes));
    payload = payload.subspan(stream.stored_bytes);
  }
}

/// Changes bytes of the first segment behind its checksums.
void decode_forged(const Bytes& table, Input& changes) {
  const std::uint32_t header_bytes = *header_length(table);
  const std::span<const std::uint8_t> header_part = std::span(table).first(header_bytes);
  const TableHeader header = *read_header(header_part);
  const std::span<const std::uint8_t> rest = std::span(table).subspan(header_bytes);
  const auto head_bytes = segment_head_length(rest.first(8));
  if (!head_bytes) return;  // an empty table
  Bytes head_part(rest.begin(), rest.begin() + *head_bytes);
  const std::uint64_t payload_bytes =
      read_segment_head(head_part, header, checksum_of(header_part))->payload_bytes();
  Bytes payload(rest.begin() + *head_bytes,
                rest.begin() + static_cast<std::ptrdiff_t>(*head_bytes + payload_bytes));
  for (int i = changes.take<std::uint8_t>() % 8; i >= 0; --i) {
    Bytes& changed = changes.take<std::uint8_t>() % 2 == 0 && !payload.empty() ? payload : head_part;
    changed[changes.take<std::uint16_t>() % changed.size()] = changes.take<std::uint8_t>();
  }
  const auto seal = [](Bytes& part) {
    const std::uint32_t checksum = core::crc32c(std::span(part).first(part.size() - 4));
    std::memcpy(part.data() + part.size() - 4, &checksum, 4);
  };
  seal(head_part);
  auto head = read_segment_head(head_part, header, checksum_of(header_part));
  if (!head || head->payload_bytes() != payload.size()) return;
  std::span<const std::uint8_t> unsealed = payload;
  reseal(head->strays, unsealed);
  reseal(head->padding, unsealed);
  for (ColumnEntry& column : head->columns) reseal(column.streams, unsealed);
  Bytes text;
  (void)SegmentDecoder(header, options).decode(*head, payload, sink_of(text));
}

}  // namespace
}  // namespace floe::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace floe::fuzz;
  decode_anything({data, data + size});
  Input input(data, size);
  const std::uint32_t segment_rows = 1 + input.take<std::uint8_t>() % 32u;
  Input changes(data, std::min<std::size_t>(size, 33));
  const Bytes text = input.rest();
  const Bytes table = compressed(text, segment_rows);
  check_round_trip(text, table);
  decode_forged(table, changes);
  return 0;
}
