// Runs the decoder of devices by emulated lanes. Compiled once: it has the code of every type and every
// encoding.
#include "tests/series_cuda/emulated_decoder.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <vector>

#include "chunks/leaf.hpp"
#include "gpu/decode/decode_rooms.hpp"
#include "gpu/decode/decode_segment.hpp"
#include "gpu/decode/open_part.hpp"
#include "gpu/decode/verify_stream.hpp"
#include "gpu/unpack/unpack_entropy.hpp"
#include "gpu/unpack/unpack_tile.hpp"
#include "tests/support/emulated_block.hpp"

namespace floe::test {
namespace {

/// As bytes lie in device memory: at a multiple of 16, with zeros up to a multiple of 16.
class DeviceBytes {
 public:
  explicit DeviceBytes(std::span<const std::uint8_t> bytes)
      : memory_(static_cast<std::uint8_t*>(std::aligned_alloc(16, (bytes.size() + 16) / 16 * 16))),
        size_(bytes.size()) {
    std::copy(bytes.begin(), bytes.end(), memory_);
    std::fill(memory_ + size_, memory_ + (size_ + 15) / 16 * 16, std::uint8_t{0});
  }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  ~DeviceBytes() { std::free(memory_); }
  [[nodiscard]] const std::uint8_t* data() const { return memory_; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(size_); }

 private:
  std::uint8_t* memory_;
  std::size_t size_;
};

/// A warp that unpacks the vectors of a segment one after the other.
template <class Memory>
class EmulatedUnpacker {
 public:
  /// What it keeps from one vector to the next.
  struct State {
    std::array<std::array<std::uint64_t, gpu::max_unpack_stride>, 2> sums{};
    gpu::NextVector next;
    std::array<std::uint8_t*, gpu::warp_lanes> landing{};
  };
  EmulatedUnpacker(EmulatedWarp& warp, Memory& memory, State& state)
      : warp_(warp), memory_(memory), state_(state) {}
  EmulatedWarp& warp() { return warp_; }
  Memory& memory() { return memory_; }
  [[nodiscard]] const gpu::NextVector& next() const { return state_.next; }
  std::uint8_t*& landing() { return state_.landing.at(warp_.lane()); }
  void wait_for_turn(std::uint32_t vector) {
    warp_.sync();
    turn_ = vector;
  }
  [[nodiscard]] std::uint64_t sum(unsigned kind) const { return state_.sums[(turn_ + 1) % 2].at(kind); }
  void put_sum(unsigned kind, std::uint64_t sum) { state_.sums[turn_ % 2].at(kind) = sum; }
  void pass_turn(std::uint32_t) { warp_.sync(); }

 private:
  EmulatedWarp& warp_;
  Memory& memory_;
  State& state_;
  std::uint32_t turn_ = 0;
};

/// Unpacks the vectors of a chain of a segment that needs no block: each by unpack(worker, vector). False if
/// words are damaged.
template <class Memory, class Unpack>
bool unpack_vectors_emulated(const std::uint8_t* record, const gpu::UnpackChain& chain,
                             const Unpack& unpack) {
  using gpu::tile_words;
  static const auto memory = std::make_unique<Memory>();
  memory->chain = chain;
  const auto entry_of = [&](std::uint32_t vector) {
    return gpu::load_aligned<gpu::VectorEntry>(record + gpu::OpenedRecord::entries +
                                               (chain.first_entry + vector) * sizeof(gpu::VectorEntry));
  };
  typename EmulatedUnpacker<Memory>::State state;
  bool good = true;
  for (std::uint32_t vector = 0; vector * tile_words < memory->chain.count; ++vector) {
    memory->entry = entry_of(vector);
    state.next = {};
    if ((vector + 2) * tile_words <= memory->chain.count) {
      const gpu::VectorEntry next = entry_of(vector + 1);
      state.next = {memory->chain.bytes + next.packed, next.width, next.exception_count > 0};
    }
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EmulatedUnpacker unpacker(warp, *memory, state);
      const bool is_good = unpack(unpacker, vector);
      if (warp.lane() == 0) good = good && is_good;
    });
  }
  return good;
}

bool unpack_chain_emulated(const std::uint8_t* record, const gpu::UnpackChain& chain) {
  return unpack_vectors_emulated<gpu::UnpackMemory>(
      record, chain, [](auto& worker, std::uint32_t vector) { return gpu::unpack_tile(worker, vector); });
}

/// Makes the `words` words of a segment of runs. False if something is wrong with them.
bool unpack_runs_emulated(const std::uint8_t* record, std::uint32_t words) {
  auto values = gpu::load_aligned<gpu::UnpackChain>(record);
  auto lengths = gpu::load_aligned<gpu::UnpackChain>(record + gpu::OpenedRecord::other);
  const std::uint32_t runs = values.count + values.stride;
  std::vector<std::uint64_t> all_values(runs + 2), all_lengths(runs / 2 + 2);
  const gpu::ExpandedRuns expanded{reinterpret_cast<std::uint8_t*>(all_lengths.data()),
                                   reinterpret_cast<std::uint8_t*>(all_values.data()), runs, words,
                                   values.out};
  values.out = reinterpret_cast<std::uint8_t*>(all_values.data());
  lengths.out = reinterpret_cast<std::uint8_t*>(all_lengths.data());
  if (!unpack_chain_emulated(record, values) || !unpack_chain_emulated(record, lengths)) return false;
  static const auto memory = std::make_unique<gpu::RunsMemory>();
  bool good = true;
  gpu::with_word_of(values.out_bytes, [&]<class W>(W) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      EmulatedBlock group(warp, *memory);
      const bool is_good = gpu::expand_runs<W>(group, expanded);
      if (warp.lane() == 0) good = is_good;
    });
  });
  return good;
}

std::size_t missed = 0;

/// Unpacks a segment that is a leaf of entropy below a short chain, or two streams. False if its words are
/// damaged, or the rings did not give its digest.
template <unsigned warps, gpu::TableRoom room>
bool unpack_entropy_emulated(const gpu::UnpackChain& chain, const std::uint8_t* record,
                             std::span<const std::uint8_t> stream) {
  constexpr bool checks = room != gpu::TableRoom::of_short_frequencies;
  static const auto memory = std::make_unique<gpu::UnpackEntropyMemory<warps, room, checks>>();
  memory->chain = chain;
  memory->other = gpu::load_aligned<gpu::UnpackChain>(record + gpu::OpenedRecord::other);
  memory->outer = gpu::load_aligned<gpu::OuterSteps>(record + gpu::OpenedRecord::outer);
  std::vector<std::uint64_t> scratch(2 * (memory->outer.count + memory->other.count) + 16);
  memory->scratch = {reinterpret_cast<std::uint8_t*>(scratch.data()), 8 * scratch.size(), 0};
  bool good = true;
  std::uint32_t share = 0;
  // What comes through rings is the stream: its digest is found whoever takes which blocks.
  gpu::StreamCheck check;
  std::vector<std::uint32_t> sums(gpu::StreamSums::words(gpu::StreamSums::checksums(stream.size())));
  check.base = static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stream.data()));
  if (room == gpu::TableRoom::large)
    check.blocks = gpu::shares_of(chain, memory->outer, 1, 1 + chain.count % 3);
  if (checks && !memory->outer.has_streams()) {
    check.sums = sums.data();
    check.bytes = static_cast<std::uint32_t>(stream.size());
    check.digest = chunks::digest_of_bytes(stream, true);
  }
  const auto unpack = [&](auto& block) {
    if (block.rank() == 0) {
      memory->share = {share, check.blocks};
      memory->check = check;
    }
    block.sync();
    const bool is_good = gpu::unpack_entropy(block);
    if (block.rank() == 0) good = good && is_good;
    if (!is_good || check.sums == nullptr) return;
    const bool has_digest = gpu::has_digest(block, memory->check, stream.data(), share == 0, memory->sums[0]);
    if (block.rank() != 0 || has_digest) return;
    good = false;
    ++missed;
  };
  const bool has_sums = memory->outer.sum_count > 0 && !memory->outer.is_grid;  // whose warps wait for others
  if (memory->outer.kind == gpu::OuterSteps::words && !has_sums) {
    for (; share < check.blocks; ++share) {
      EmulatedWarp::run([&](EmulatedWarp& warp) {
        EmulatedBlock block(warp, *memory);
        unpack(block);
      });
    }
  } else {
    using Memory = std::remove_reference_t<decltype(*memory)>;
    // Sums need as many threads as a short stride has words.
    const unsigned least = has_sums ? 2 : 1;
    EmulatedBlock<Memory>::run(least + chain.count % (Memory::max_warps + 1 - least), *memory, unpack);
  }
  return good;
}

bool look_up_emulated(const std::uint8_t* record, const gpu::UnpackChain& chain) {
  const DeviceBytes table({gpu::table_of(chain), std::size_t{chain.table_count} * chain.out_bytes});
  return unpack_vectors_emulated<gpu::CodesMemory>(record, chain, [&](auto& worker, std::uint32_t vector) {
    return gpu::unpack_codes(worker, vector, table.data());
  });
}

/// Unpacks a segment of `words` words that needs no block. False if its words are damaged.
bool unpack_emulated(const std::uint8_t* record, std::uint32_t words, std::span<const std::uint8_t> stream) {
  const auto chain = gpu::load_aligned<gpu::UnpackChain>(record);
  if (chain.state == gpu::UnpackChain::runs) return unpack_runs_emulated(record, words);
  if (chain.state == gpu::UnpackChain::short_entropy)
    return unpack_entropy_emulated<4, gpu::TableRoom::of_short_frequencies>(chain, record, stream);
  if (chain.state == gpu::UnpackChain::two_blocks)
    return unpack_entropy_emulated<2, gpu::TableRoom::small>(chain, record, stream);
  if (chain.state == gpu::UnpackChain::entropy) {
    if (!unpack_entropy_emulated<4, gpu::TableRoom::large>(chain, record, stream)) return false;
    const auto outer = gpu::load_aligned<gpu::OuterSteps>(record + gpu::OpenedRecord::outer);
    if (outer.kind != gpu::OuterSteps::codes || outer.vectors == nullptr) return true;
    return look_up_emulated(record, gpu::chain_of_codes(chain, outer, record));
  }
  if (chain.final != gpu::FinalKind::look_up) return unpack_chain_emulated(record, chain);
  return look_up_emulated(record, chain);
}

}  // namespace

ErrorCode decode_emulated(std::span<const std::uint8_t> bytes, Column& out, std::size_t scratch_bytes,
                          bool is_opened) {
  const DeviceBytes copy(bytes);
  static const auto memory = std::make_unique<gpu::DecodeMemory>();
  static const auto opening = std::make_unique<gpu::OpeningMemory>();
  const auto count = static_cast<std::uint32_t>(out.count());
  std::vector<std::uint64_t> opened(gpu::OpenedRecord::bytes(count) / 8);
  // As devices give it, with anything in it. Sanitizers mark all of a new one, of which little is touched.
  static std::unique_ptr<std::uint64_t[]> scratch;
  static std::size_t held_bytes = 0;
  if (scratch == nullptr || held_bytes != scratch_bytes) {
    scratch = std::make_unique_for_overwrite<std::uint64_t[]>(2 * (scratch_bytes / 8));
    held_bytes = scratch_bytes;
  }
  auto* const record = reinterpret_cast<std::uint8_t*>(opened.data());
  bool is_chain = false;
  auto* const first_scratch = reinterpret_cast<std::uint8_t*>(scratch.get());
  if (is_opened) {
    EmulatedWarp::run([&](EmulatedWarp& warp) {
      const std::uint32_t entries =
          gpu::open_for_block(warp, *opening, copy.data(), copy.size(), out.type, count,
                              {first_scratch, scratch_bytes, 0}, out.bytes.data(), 100000, record);
      gpu::put_record(warp, *opening, entries, record);
      if (warp.lane() == 0) is_chain = opening->chain.state != gpu::UnpackChain::none;
    });
    if (is_chain && unpack_emulated(record, count, {copy.data(), copy.size()})) return ErrorCode::ok;
  }
  std::uint32_t code = 0;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    EmulatedBlock block(warp, *memory);
    const std::uint32_t found =
        gpu::decode_segment(block, copy.data(), copy.size(), out.type, count, out.bytes.data(),
                            {first_scratch + scratch_bytes, scratch_bytes, 0},
                            is_opened ? record + gpu::OpenedRecord::part : nullptr, scratch_bytes);
    if (block.rank() == 0) code = found;
  });
  return static_cast<ErrorCode>(code);
}

std::size_t missed_digests() { return missed; }

bool needs_no_block_emulated(std::span<const std::uint8_t> bytes, DType type, std::uint32_t count) {
  const DeviceBytes copy(bytes);
  static const auto opening = std::make_unique<gpu::OpeningMemory>();
  std::vector<std::uint64_t> opened(gpu::OpenedRecord::bytes(count) / 8), scratch(8192 + 25 * count),
      out(count);
  bool is_chain = false;
  EmulatedWarp::run([&](EmulatedWarp& warp) {
    gpu::open_for_block(warp, *opening, copy.data(), copy.size(), type, count,
                        {reinterpret_cast<std::uint8_t*>(scratch.data()), 8 * scratch.size(), 0},
                        reinterpret_cast<std::uint8_t*>(out.data()), 100000,
                        reinterpret_cast<std::uint8_t*>(opened.data()));
    if (warp.lane() == 0) is_chain = opening->chain.state != gpu::UnpackChain::none;
  });
  return is_chain;
}

void decode_streams_emulated(const gpu::DecodeJob& job) {
  static const auto memory = std::make_unique<gpu::DecodeMemory>();
  const DType type = word_type(job.dtype);
  std::vector<std::uint64_t> scratch(
      gpu::decode_scratch_bytes(job.max_stream_content / size_of(type), size_of(type)) / 8);
  gpu::DecodeColumnsJob segments;
  segments.streams = job.streams;
  segments.results = job.results;
  segments.column[0].type = type;
  segments.scratch = reinterpret_cast<std::uint8_t*>(scratch.data());
  segments.scratch_bytes = 8 * scratch.size();
  gpu::DecodeCounters counters{};
  segments.counters = &counters;
  gpu::VerifyMemory verify_memory;
  for (std::uint32_t unit = 0; unit < job.counters->unit_count; ++unit) {
    // Some are left to the decoder.
    if (unit % 2 == 1 && job.streams[unit].checksums != 0)
      job.streams[unit].check = gpu::StreamTask::by_decoder;
    EmulatedBlock<gpu::VerifyMemory>::run(1 + unit % 4, verify_memory,
                                          [&](auto& block) { gpu::verify_stream(block, segments, unit); });
  }
  const auto for_each_unit = [&](const auto& work) {
    for (std::uint32_t unit = 0; unit < job.counters->unit_count; ++unit) {
      EmulatedWarp::run([&](EmulatedWarp& warp) {
        EmulatedBlock block(warp, *memory);
        work(block, unit);
      });
    }
  };
  for_each_unit([&](auto& block, std::uint32_t unit) { gpu::decode_target(block, segments, unit, 0); });
  if (counters.damaged.count > 0)
    for_each_unit([&](auto& block, std::uint32_t unit) { gpu::clear_if_damaged(block, segments, unit); });
}

}  // namespace floe::test
