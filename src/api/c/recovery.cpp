// The C ABI of recovery.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

#include "api/c/callbacks.hpp"
#include "api/c/frame_info.hpp"
#include "core/guard.hpp"
#include "floe/floe.h"
#include "floe/recover.hpp"

namespace {

using floe::c_abi::bad_struct_size;
using floe::c_abi::null_pointer;
using floe::c_abi::to_c;
using floe::c_abi::to_cpp;

floe::Result<floe::RecoveryOptions> to_cpp(const floe_recovery_options* given) {
  constexpr std::size_t first_bytes = sizeof(floe_recovery_options);
  const auto known = floe::c_abi::known_part(given, floe_recovery_options_default, first_bytes);
  if (!known) return known.status();
  if (known->similar_frame == nullptr && known->similar_frame_bytes != 0) return null_pointer;
  if (known->separator > 255)
    return floe::Status{floe::ErrorCode::invalid_argument, 0, "a separator is one byte"};
  floe::RecoveryOptions options;
  options.similar_frame = floe::c_abi::bytes(known->similar_frame, known->similar_frame_bytes);
  options.separator = static_cast<char>(known->separator);
  options.fill_lost = known->fill_lost != 0;
  options.max_filled_bytes = known->max_filled_bytes;
  options.memory_limit_bytes = known->memory_limit_bytes;
  return options;
}

floe_status put_range(const std::vector<floe::LostRange>& ranges, std::uint64_t index, floe_lost_range* to) {
  if (index >= ranges.size())
    return to_c({floe::ErrorCode::invalid_argument, 0, "the map has no such range"});
  const floe::LostRange& range = ranges[index];
  *to = {static_cast<floe_loss>(range.what), range.column, range.first, range.count, to_c(range.cause)};
  return to_c({});
}

}  // namespace

struct floe_recovery {
  floe::Recovery recovery;
  floe::RecoveryMap map;
};

namespace {

template <class Open>
floe_status open_recovery(floe_recovery** out, const floe_recovery_options* given, const Open& open) {
  return to_c(floe::core::guarded([&]() -> floe::Status {
    const auto options = to_cpp(given);
    if (!options) return options.status();
    floe::Result<floe::Recovery> recovery = open(*options);
    if (recovery) *out = new floe_recovery{std::move(*recovery), {}};
    return recovery.status();
  }));
}

}  // namespace

void floe_recovery_options_default(floe_recovery_options* options) {
  const floe::RecoveryOptions defaults;
  *options = {sizeof *options,
              static_cast<std::uint32_t>(defaults.separator),
              defaults.fill_lost,
              nullptr,
              0,
              defaults.max_filled_bytes,
              defaults.memory_limit_bytes};
}

floe_status floe_recovery_open(floe_recovery** out, const void* bytes, size_t count,
                               const floe_recovery_options* options) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || (bytes == nullptr && count != 0)) return to_c(null_pointer);
  return open_recovery(out, options, [&](const floe::RecoveryOptions& known) {
    return floe::Recovery::open(floe::c_abi::bytes(bytes, count), known);
  });
}

floe_status floe_recovery_open_at(floe_recovery** out, floe_read_at read_at, void* user, uint64_t count,
                                  const floe_recovery_options* options) {
  if (out != nullptr) *out = nullptr;
  if (out == nullptr || read_at == nullptr) return to_c(null_pointer);
  return open_recovery(out, options, [&](const floe::RecoveryOptions& known) {
    return floe::Recovery::open(to_cpp(read_at, user), count, known);
  });
}

void floe_recovery_close(floe_recovery* recovery) { delete recovery; }

floe_status floe_recovery_info(const floe_recovery* recovery, floe_frame_info* info) {
  if (recovery == nullptr || info == nullptr) return to_c(null_pointer);
  return floe::c_abi::put_info(recovery->recovery.info(), info);
}

floe_status floe_recovery_prefix(const floe_recovery* recovery, void* out, size_t out_bytes) {
  if (recovery == nullptr || (out == nullptr && out_bytes != 0)) return to_c(null_pointer);
  return floe::c_abi::put_prefix(recovery->recovery.info(), out, out_bytes);
}

floe_status floe_recovery_column(const floe_recovery* recovery, uint32_t index, floe_column* column) {
  if (recovery == nullptr || column == nullptr) return to_c(null_pointer);
  return floe::c_abi::put_column(recovery->recovery.info(), index, column);
}

floe_status floe_recovery_restore(floe_recovery* recovery, floe_sink sink, void* user, floe_recovery_map* map,
                                  const floe_decode_options* options) {
  constexpr std::size_t first_bytes = sizeof(floe_recovery_map);
  if (recovery == nullptr || sink == nullptr) return to_c(null_pointer);
  if (map != nullptr && map->struct_size < first_bytes) return to_c(bad_struct_size);
  return to_c(floe::core::guarded([&]() -> floe::Status {
    floe::Executor executor;
    const auto known = to_cpp(options, executor);
    if (!known) return known.status();
    auto made = recovery->recovery.restore(to_cpp(sink, user), *known);
    if (!made) return made.status();
    recovery->map = std::move(*made);
    if (map == nullptr) return {};
    const floe::RecoveryMap& of = recovery->map;
    const floe_recovery_map all = {
        map->struct_size,    static_cast<std::uint32_t>(recovery->recovery.header_source()),
        of.is_complete(),    of.is_length_known,
        of.has_checksums,    of.recovered,
        of.intact_segments,  of.damaged_segments,
        of.missing_segments, of.unreadable_bytes,
        of.lost.size(),      of.unproven.size()};
    std::memcpy(map, &all, std::min<std::size_t>(map->struct_size, sizeof all));
    return {};
  }));
}

floe_status floe_recovery_lost(const floe_recovery* recovery, uint64_t index, floe_lost_range* range) {
  if (recovery == nullptr || range == nullptr) return to_c(null_pointer);
  return put_range(recovery->map.lost, index, range);
}

floe_status floe_recovery_unproven(const floe_recovery* recovery, uint64_t index, floe_lost_range* range) {
  if (recovery == nullptr || range == nullptr) return to_c(null_pointer);
  return put_range(recovery->map.unproven, index, range);
}
