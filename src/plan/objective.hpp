// The objective of planning: bits, and time weighed against bits. All numbers are integers, so that every
// machine chooses the same tree.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "encodings/encoding.hpp"
#include "plan/search/far/strides.hpp"
#include "plan/search/windows.hpp"
#include "tree/plan.hpp"

namespace floe::trees {

/// Costs are in 1/256 bit.
inline constexpr std::uint64_t cost_of_bit = 256;
inline constexpr std::uint64_t cost_of_byte = 8 * cost_of_bit;

/// What goals go by. `gpu` is balanced, for devices.
enum class Preset : std::uint8_t { max, ratio, balanced, fast, gpu };

struct Objective {
  std::uint32_t encode_nanosecond = 0;  ///< Cost of a nanosecond per value.
  std::uint32_t decode_nanosecond = 0;
  std::uint32_t search_depth = 4;  ///< Most encodings above each other that are tried at a time.
  /// Words of samples that a search may encode: it ends with the best that it has seen. At least so many, and
  /// for each 1024 words of the stream so many more.
  std::uint64_t search_work = 1 << 18;
  std::uint64_t work_per_kiloword = 0;
  std::uint32_t windows = 3;          ///< Of the sample that trees are searched with.
  std::uint32_t window_words = 4096;  ///< Of each of them.
  std::uint32_t rival_windows = 3;    ///< The same of another sample, on which the best ones are compared.
  std::uint32_t rival_window_words = 4096;
  std::uint32_t window_factor = 1;   ///< So many times as many windows as usual are among these.
  std::uint32_t max_candidates = 4;  ///< Encodings that are tried for a stream, the most promising ones.
  std::uint32_t promising_part =
      4;  ///< What promises no more bits above the fewest than this part of them is tried.
  std::uint32_t max_parts = 8;  ///< Of a segment; if its kind of data changes more often, it stays whole.
  std::uint32_t finalists = 3;  ///< Trees that are compared with other samples.
  std::uint32_t tolerated_part =
      16;  ///< Trees that cost no more above the cheapest one than this part may turn out better.
  std::uint32_t trials =
      1;  ///< Trees that a search encodes the whole stream with, because samples can deceive.
  bool for_devices = false;  ///< Only encodings that GPUs have.
  bool for_columns = false;  ///< Of tables: see objective_for_columns().
  std::uint32_t decode_megabytes_per_second =
      0;  ///< 10^6 bytes of words that shall be decoded in a second, going by times; 0: any.
  std::optional<EncodingTimes> times = {};  ///< Instead of those that are built in.
  std::optional<Preset> rival = {};         ///< Whose best tree of a stream takes part with its actual size.
  bool compares_streams = false;  ///< Streams are encoded by all faster goals, too; the fewest bytes count.
  bool is_budgeted =
      false;  ///< A candidate that times and facts speak against is not tried, because a device waits.
  bool tries_codecs = true;    ///< As trees of a stream.
  bool searches_piece = true;  ///< Trees are searched with a long window, too, where periods and slopes show.
  bool is_hasty = false;       ///< Segments are not cut, and try few trees.
  bool has_wide_words = false;       ///< See objective_for_wide_words().
  std::uint32_t table_bits = 0;      ///< Leaves of entropy have up to 2^table_bits tables where these pay.
  bool predicts = false;             ///< Predictions that take long are tried, too.
  bool remembers = true;             ///< Trees of kinds of data that were searched before are taken.
  bool compares_faster = false;      ///< As compares_streams, with other presets than max: of small tables.
  std::int32_t match_effort = -1;    ///< With which matches are looked for; below 0 they are not.
  bool only_chains = false;          ///< See chains_of().
  std::uint64_t excluded_roots = 0;  ///< Transforms that trees do not begin with, a bit for each.
  FarStrides strides = {};           ///< Of the other dimensions, at which differences are tried, too.
};

/// For devices: of the encodings that GPUs have, with the times of GPUs, of which a nanosecond is a long one,
/// and weights for them (docs/decisions/0005-planning.md): differences of times, say, are packed as they are
/// (ratio 32) instead of being split further (43), which takes five times as long.
constexpr Objective objective_of(Preset preset, bool for_devices = false) noexcept {
  Objective objective;
  switch (preset) {
    case Preset::max:
      objective = {0, 0, 5, 1 << 14, 1024, 12, 336, 12, 840, 1, 6, 1, 16, 4, 8, 3};
      objective.rival = Preset::balanced;
      objective.compares_streams = true;
      objective.remembers = false;
      objective.predicts = !for_devices;
      if (!for_devices) {
        objective.match_effort = 2;
        objective.table_bits = 3;
      }
      break;
    case Preset::ratio:
      objective = objective_of(Preset::balanced, for_devices);
      if (!for_devices) {
        objective.encode_nanosecond = 6;
        objective.match_effort = 1;
        objective.table_bits = 2;
      }
      objective.search_work = 1 << 15;
      objective.work_per_kiloword = 1024;
      objective.windows = 12;
      objective.window_words = 336;
      objective.rival_windows = 6;
      objective.rival_window_words = 840;
      objective.rival = Preset::balanced;
      break;
    case Preset::balanced:
    case Preset::gpu:
      for_devices = for_devices || preset == Preset::gpu;
      objective = {44, 26, 5, 1 << 13, 128, 8, 168, 4, 1008, 1, 3, 4, 3, 4};
      if (for_devices) {
        objective.encode_nanosecond = 5120;
        objective.decode_nanosecond = 10240;
      } else {
        objective.match_effort = 0;
      }
      objective.searches_piece = false;
      break;
    case Preset::fast:
      objective = {180, 240, 3, 1 << 12, 24, 8, 168, 4, 336, 1, 3, 8, 2, 2};
      if (for_devices) {
        objective.encode_nanosecond = 20480;
        objective.decode_nanosecond = 40960;
      }
      objective.searches_piece = false;
      break;
  }
  objective.for_devices = for_devices;
  return objective;
}

/// Whether searches are as short as those of Preset::fast.
constexpr bool is_fast(const Objective& objective) noexcept { return objective.search_depth <= 3; }

/// Whether arrays shall be encoded several times as fast as others encode them, and in few bytes all the
/// same: Preset::balanced. Columns need not.
constexpr bool weighs_encoding(const Objective& objective) noexcept {
  return !objective.rival && !is_fast(objective) && !objective.for_columns && !objective.for_devices;
}

/// Whether a search for the tree of a segment may end with that of a similar one: Preset::ratio, of arrays.
constexpr bool tries_similar_trees(const Objective& objective) noexcept {
  return objective.rival && objective.remembers && !objective.for_columns && !objective.for_devices &&
         objective.decode_megabytes_per_second == 0;
}

/// Whether floats are tried as integers times a step, plus an offset: not for `fast`, whose searches are
/// short. Devices only decode them: for `Profile::gpu` the CPU encodes such segments, where few bytes are
/// worth the time.
constexpr bool finds_lattices(const Objective& objective) noexcept {
  return (!objective.for_devices || objective.rival) && !objective.only_chains && !is_fast(objective);
}

/// Whether doubles are tried as floats that they were once, which devices do not decode.
constexpr bool narrows(const Objective& objective) noexcept {
  return !objective.for_devices && !is_fast(objective);
}

/// The same weights for arrays of words of 64 bits. Other compressors encode and decode twice as many bytes
/// of them per second, and floe shall be as many times as fast: where speed is all that matters, bits count
/// less, to judge cuts would take a third of the time that is wanted, and to try trees of neighbours a tenth.
constexpr Objective objective_for_wide_words(Objective objective, Preset preset) noexcept {
  constexpr std::uint32_t weight = 6;
  objective.has_wide_words = true;
  if (preset == Preset::fast) {
    objective.encode_nanosecond *= weight;
    objective.decode_nanosecond *= weight;
    objective.is_hasty = true;
  }
  return objective;
}

/// The same weights for segments that are so many times as long as usual.
constexpr Objective objective_for_long_segments(Objective objective, std::uint32_t factor) noexcept {
  objective.windows *= factor;
  objective.rival_windows *= factor;
  objective.window_factor *= factor;
  return objective;
}

/// The same weights for columns of tables, of which each is searched once for many segments of a million
/// rows: with more and longer samples, and more trees.
constexpr Objective objective_for_columns(Objective objective) noexcept {
  objective.search_work = std::max<std::uint64_t>(objective.search_work, 1 << 20);
  objective.windows = 4;
  objective.window_words = 1680;
  objective.rival_windows = 6;
  objective.rival_window_words = 2016;
  objective.max_candidates = std::max(objective.max_candidates + 3, 6U);
  objective.promising_part = std::min(objective.promising_part, 1U);
  objective.max_parts = 16;
  objective.finalists = 5;
  objective.tolerated_part = 8;
  if (!is_fast(objective)) {
    objective.finalists = 8;
    objective.tolerated_part = 4;
    objective.trials = 6;
  }
  if (weighs_encoding(objective)) objective.encode_nanosecond /= 2;  // as columns need not
  if (!objective.remembers) {                                        // max
    objective.search_work = 1 << 24;
    objective.search_depth = 7;
    objective.finalists = objective.trials = 12;
    objective.tolerated_part = 2;
  }
  objective.for_columns = objective.searches_piece = true;
  return objective;
}

/// The same weights for a search that is as short as those of Preset::fast.
constexpr Objective quick_objective(const Objective& objective) noexcept {
  Objective quick = objective_of(Preset::fast, objective.for_devices);
  quick.encode_nanosecond = objective.encode_nanosecond;
  quick.decode_nanosecond = objective.decode_nanosecond;
  quick.times = objective.times;
  quick.max_candidates = objective.trials > 1 ? 3 : 2;
  return quick;
}

/// The same weights for a search that tries more trees, and compares more of them.
constexpr Objective broader_objective(const Objective& objective) noexcept {
  Objective broader = objective;
  broader.search_work *= 4;
  broader.work_per_kiloword *= 4;
  broader.max_candidates += 2;
  broader.finalists *= 3;
  broader.tolerated_part /= 2;
  return broader;
}

/// The same weights for trees of encodings that take little time, and of which one stream is nearly all.
constexpr Objective chains_of(const Objective& objective) noexcept {
  Objective chains = objective;
  chains.only_chains = true;
  chains.predicts = false;
  return chains;
}
/// The same weights for trees that do not begin with this transform either.
constexpr Objective without_root(const Objective& objective, EncodingId id) noexcept {
  Objective others = objective;
  others.excluded_roots |= std::uint64_t{1} << static_cast<unsigned>(id);
  return others;
}
inline bool may_have_root(const Objective& objective, EncodingId id) noexcept {
  return !encoding_of(id).is_refused && (objective.excluded_roots >> static_cast<unsigned>(id) & 1) == 0;
}
constexpr bool is_in_chains(EncodingId id) noexcept {
  return id == EncodingId::sortable || id == EncodingId::decimal || id == EncodingId::delta ||
         id == EncodingId::divide || id == EncodingId::narrow || id == EncodingId::int_mult ||
         id == EncodingId::sparse || id == EncodingId::rle;
}

/// For columns that devices encode as soon as their trees are known: fast, and found with little work.
/// Portions of a column have no other words than the planning windows: trees are searched with half of each,
/// and compared on the whole ones. What has no more words than these is searched as a whole.
constexpr Objective budgeted_objective() noexcept {
  Objective objective = objective_of(Preset::fast, true);
  objective.is_budgeted = true;
  objective.search_work = 1 << 16;
  objective.work_per_kiloword = 0;
  objective.windows = planning_windows;
  objective.window_words = planning_window_words / 2;
  objective.finalists = 3;
  return objective;
}

/// For arrays that devices decode as fast as with `fast`. Their trees are searched as for `balanced`, because
/// a kind of segments keeps its tree.
constexpr Objective fast_array_objective_for_devices() noexcept {
  Objective objective = objective_of(Preset::balanced, true);
  objective.encode_nanosecond = objective_of(Preset::fast, true).encode_nanosecond;
  objective.decode_nanosecond = objective_of(Preset::fast, true).decode_nanosecond;
  return objective;
}

/// "max", "ratio", "balanced", "fast", "gpu".
constexpr std::string_view name_of(Preset preset) noexcept {
  return preset == Preset::max        ? "max"
         : preset == Preset::ratio    ? "ratio"
         : preset == Preset::balanced ? "balanced"
         : preset == Preset::fast     ? "fast"
                                      : "gpu";
}

/// Nodes of a tree.
constexpr std::size_t max_nodes(const Objective& objective) noexcept {
  return objective.for_devices ? max_device_plan_nodes : max_plan_nodes;
}

/// Time of an encoding itself, without its children.
constexpr EncodingTime time_of(const Objective& objective, const Encoding& encoding) noexcept {
  if (objective.for_devices) return encoding.device_time;
  return objective.times ? (*objective.times)[static_cast<std::size_t>(encoding.id)] : encoding.time;
}

/// Words of samples that a search for a tree of a stream may encode.
constexpr std::uint64_t search_work(const Objective& objective, std::uint64_t words) noexcept {
  return objective.search_work + words / 1024 * objective.work_per_kiloword;
}

/// What this time costs.
constexpr std::uint64_t time_cost(const Objective& objective, EncodingTime time,
                                  std::uint64_t words) noexcept {
  return (std::uint64_t{objective.encode_nanosecond} * time.encode_picoseconds +
          std::uint64_t{objective.decode_nanosecond} * time.decode_picoseconds) *
         words / 1000;
}
constexpr std::uint64_t time_cost(const Objective& objective, const Encoding& encoding,
                                  std::uint64_t words) noexcept {
  return time_cost(objective, time_of(objective, encoding), words);
}

}  // namespace floe::trees
