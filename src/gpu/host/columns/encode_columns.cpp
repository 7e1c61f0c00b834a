// Encoding of columns in device memory: arguments to kernels on a stream.
#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "core/type.hpp"
#include "gpu/encode/encode_job.hpp"
#include "gpu/host/columns/encode_launches.hpp"

namespace floe::gpu {
namespace {

using cuda::ColumnEncode;
using cuda::Workspace;

constexpr std::uint64_t max_encode_words = std::uint64_t{1} << 44;

/// A call, checked.
struct EncodeCall {
  EncodeColumnsJob job;      ///< What blocks encode.
  EncodeColumnsJob again;    ///< What blocks encode if some word of a column fails to map.
  EncodeColumnsJob entropy;  ///< What smaller blocks encode.
  std::array<PackJob, pack_kinds> pack;
  EncodeTrees trees;
  EncodeNeeds needs, entropy_needs{true};  ///< Of blocks, and of smaller blocks; no scratch: there are none.
  std::uint64_t segments = 0, packed_segments = 0, tiles = 0;  ///< Of all columns; of those of `pack`.
  std::uint64_t divided_segments = 0;                          ///< Of those whose words are scaled.
};

/// Adds a tree for the words of a type.
Result<EncodePlan> add_tree(std::string_view text, DType type, EncodeTrees& trees) {
  const Result<trees::Plan> plan = trees::plan_from_text(text, type);
  if (!plan) return plan.status();
  if (!trees::has_device_form(*plan))
    return invalid("a tree has an encoding that devices do not have, or too many");
  trees::ByteWriter bytes;
  write_plan(*plan, bytes);
  if (trees.count == cuda::max_trees || trees.used + bytes.size() > cuda::max_tree_bytes)
    return invalid("too many trees for one call");
  trees.offset[trees.count++] = trees.used;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), trees.bytes + trees.used);
  trees.used = static_cast<std::uint16_t>(trees.used + bytes.size());
  return encode_plan_of(*plan);
}

/// What segments need of which each has one of some trees. `by_blocks`: with the kernel for every tree.
EncodeNeeds needs_of(std::span<const EncodePlan> plans, DType type, std::uint64_t words, bool by_blocks) {
  EncodeNeeds needs{!by_blocks};
  for (const EncodePlan& plan : plans) {
    const EncodeNeeds own = encode_needs(plan, type, words, by_blocks);
    const bool is_other_kernel = own.packs_entropy != needs.packs_entropy ||
                                 own.is_divided != (&plan == plans.data() ? own : needs).is_divided;
    if (is_other_kernel) return needs_of(plans, type, words, true);
    needs.add(own);
  }
  return needs;
}

/// A column with a tree of its own that is packed straight to its position.
std::optional<PackChain> chain_of(const ColumnEncode& from, std::string_view text, DType type) {
  if (from.word_count == 0 || pack_tiles_of(from.word_count, from.segment_words) > max_pack_tiles) return {};
  return pack_chain_of(encode_plan_of(trees::plan_from_text(text, type).value()), type);
}

void add_column(EncodeColumnsJob& job, EncodeColumn column, std::uint64_t segments) {
  column.end_ticket = job.segment_count += static_cast<std::uint32_t>(segments);
  job.column[job.column_count++] = column;
}

void add_column(PackJob& job, const ColumnEncode& from, PackColumn column) {
  take_over(from, column);
  column.segment_words = from.segment_words;
  column.end_tile = job.tile_count +=
      static_cast<std::uint32_t>(pack_tiles_of(from.word_count, from.segment_words));
  column.end_segment = job.segment_count +=
      static_cast<std::uint32_t>(core::divide_up(from.word_count, from.segment_words));
  job.column[job.column_count++] = column;
}

/// Everything but addresses in the workspace. `packs`: chains are packed straight to their positions.
Result<EncodeCall> describe(std::span<const ColumnEncode> columns, std::span<const std::string_view> texts,
                            bool packs = true) {
  EncodeCall call;
  EncodeNeeds by_other_blocks;  // where those that pack entropy fail
  if (columns.size() > cuda::max_columns) return invalid("too many columns for one call");
  for (const ColumnEncode& from : columns) {
    if (size_of(from.type) == 0) return invalid("a column of text");
    const DType type = word_type(from.type);
    if (from.segment_words == 0 || from.segment_words > cuda::max_segment_words)
      return invalid("the length of a column's segments");
    if (from.word_count > max_encode_words) return invalid("more words than any device holds");
    // Trees are there once per column that uses them: one, or all for indices from device memory.
    const bool uses_all = from.tree_of_segment != nullptr;
    if (texts.empty() || (!uses_all && from.tree >= texts.size())) return invalid("a column's tree");
    const auto own = uses_all ? texts : texts.subspan(from.tree, 1);
    EncodeColumn to;
    take_over(from, to);
    to.tree_of_segment = from.tree_of_segment;
    to.segment_words = from.segment_words;
    to.type = type;
    to.first_tree = call.trees.count;
    std::vector<EncodePlan> plans;
    for (const std::string_view text : own) {
      const Result<EncodePlan> plan = add_tree(text, type, call.trees);
      if (!plan) return plan.status();
      plans.push_back(*plan);
    }
    const std::uint64_t words = std::min<std::uint64_t>(from.segment_words, from.word_count);
    EncodeNeeds needs = needs_of(plans, type, words, false);
    // Segments of quotients and others have kernels of their own, of which a call has one.
    const bool is_other_kernel = needs.packs_entropy && call.entropy.column_count > 0 &&
                                 needs.is_divided != call.entropy_needs.is_divided;
    if ((needs.can_fail && !packs) || is_other_kernel) needs = needs_of(plans, type, words, true);
    to.tree_count = static_cast<std::uint8_t>(own.size());
    const std::uint64_t segments = core::divide_up(from.word_count, from.segment_words);
    call.segments += segments;
    if (call.segments > (1u << 30)) return invalid("more segments than a call can have");
    const auto chain = uses_all || !packs ? std::nullopt : chain_of(from, own[0], type);
    if (chain) {
      PackJob& pack = call.pack[static_cast<unsigned>(chain->kind)];
      if (pack.tile_count + pack_tiles_of(from.word_count, from.segment_words) > max_pack_tiles)
        return invalid("more words than a call can have");
      add_column(pack, from, chain->column);
      call.packed_segments += segments;
      if (is_int_mult(chain->kind)) call.divided_segments += segments;
      call.tiles += pack_tiles_of(from.word_count, from.segment_words);
      if (can_fail(chain->kind)) add_column(call.again, to, segments);
    } else {
      add_column(needs.packs_entropy ? call.entropy : call.job, to, segments);
    }
    if (!chain || can_fail(chain->kind)) (needs.packs_entropy ? call.entropy_needs : call.needs).add(needs);
    if (needs.packs_entropy) by_other_blocks.add(needs_of(plans, type, words, true));
  }
  if (call.entropy_needs.can_fail) {  // then all of them are encoded again
    call.needs.add(by_other_blocks);
    for (std::uint32_t i = 0; i < call.entropy.column_count; ++i)
      add_column(call.again, call.entropy.column[i],
                 call.entropy.column[i].end_ticket - (i == 0 ? 0 : call.entropy.column[i - 1].end_ticket));
    call.segments += call.entropy.segment_count;
  }
  return call;
}

EncodeLayout layout_of(const EncodeCall& call) {
  return {512, call.segments, call.packed_segments, call.tiles, call.divided_segments, 1};
}
/// The counters: 32-bit numbers.
enum Counter : std::uint8_t {
  ticket_of_blocks,
  ticket_of_blocks_again,
  ticket_of_entropy,
  has_failed,
  ticket_of_kind,
  refused_of_column = 32
};
static_assert(ticket_of_kind + pack_kinds <= refused_of_column &&
              4 * (refused_of_column + cuda::max_columns) <= 512);

/// The workspace of a call, and its stream.
class EncodeLaunches {
 public:
  EncodeLaunches(EncodeCall& call, Workspace workspace, cudaStream_t stream)
      : call_(call),
        layout_(layout_of(call)),
        data_(static_cast<std::uint8_t*>(workspace.data)),
        stream_(stream),
        scratch_bytes_(workspace.bytes - layout_.scratch),
        shape_(DeviceShape::of_current(calls_)) {}

  Status enqueue(std::span<const ColumnEncode> columns) {
    EncodeSetUpJob set_up;
    for (const ColumnEncode& column : columns) set_up.result[set_up.column_count++] = column.result;
    set_up.trees = call_.trees;
    set_up.trees_to = reinterpret_cast<EncodeTrees*>(data_ + layout_.trees);
    set_up.zeros = reinterpret_cast<std::uint64_t*>(data_);
    set_up.zero_words = layout_.zero_bytes / 8;
    launch(calls_, set_up_kernel(),
           {static_cast<std::uint32_t>(std::min<std::uint64_t>(64, 1 + set_up.zero_words / 256)), 256, 0},
           set_up, stream_);
    auto* states = reinterpret_cast<std::uint64_t*>(data_ + layout_.states);
    encode(call_.job, call_.needs, ticket_of_blocks, states);
    states += call_.job.segment_count;
    encode(call_.entropy, call_.entropy_needs, ticket_of_entropy, states);
    states += call_.entropy.segment_count;
    pack(states);
    if (call_.again.column_count > 0) encode_again(states);
    return calls_.status();
  }

 private:
  [[nodiscard]] std::uint32_t* counter(unsigned which) const {
    return reinterpret_cast<std::uint32_t*>(data_) + which;
  }

  void encode(EncodeColumnsJob& job, const EncodeNeeds& needs, Counter ticket, std::uint64_t* states) {
    if (job.segment_count == 0) return;
    job.ticket = counter(ticket);
    job.states = states;
    job.trees = reinterpret_cast<EncodeTrees*>(data_ + layout_.trees);
    job.scratch = data_ + layout_.scratch;
    job.scratch_bytes = needs.scratch_bytes;
    job.has_two_parts = needs.has_two_parts;
    if (needs.can_fail) job.failed = counter(has_failed);
    const EncodeKernel kernel = needs.kernel(job.column[0].facts != nullptr);
    const std::uint64_t blocks =
        std::min({scratch_bytes_ / needs.scratch_bytes, std::uint64_t{job.segment_count},
                  std::uint64_t{kernel.blocks_per_multiprocessor} * shape_.multiprocessors});
    launch_encoding(calls_, shape_, kernel, blocks, job, stream_);
  }

  /// Kinds that can fail come first: their states are those of `again`, column by column.
  void pack(std::uint64_t* states) {
    auto* other_states = states + call_.again.segment_count;
    auto* arrivals = reinterpret_cast<std::uint32_t*>(data_ + layout_.arrivals);
    auto* goals = reinterpret_cast<std::uint64_t*>(data_ + layout_.goals);
    auto* tiles = reinterpret_cast<PackTile*>(data_ + layout_.tiles);
    auto* divisors = reinterpret_cast<SegmentDivisor*>(data_ + layout_.divisors);
    for (unsigned kind = 0; kind < pack_kinds; ++kind) {
      PackJob& job = call_.pack[kind];
      if (job.column_count == 0) continue;
      job.ticket = counter(ticket_of_kind + kind);
      job.failed = counter(has_failed);
      job.tiles = tiles, job.goals = goals, job.arrivals = arrivals;
      tiles += job.tile_count, goals += job.tile_count;
      for (std::uint32_t i = 0; i < job.column_count; ++i) {
        PackColumn& column = job.column[i];
        const std::uint64_t segments = core::divide_up(column.word_count, column.segment_words);
        arrivals += segments;
        if (is_int_mult(static_cast<PackKind>(kind))) {
          column.divisors = divisors;
          divisors += segments;
        }
        if (can_fail(static_cast<PackKind>(kind))) {
          const unsigned which = column_of_again(column.result);
          column.states = states + (which == 0 ? 0 : call_.again.column[which - 1].end_ticket);
          column.refused = counter(refused_of_column + which);
        } else {
          column.states = other_states;
          column.refused = counter(refused_of_column + cuda::max_columns - 1);
          other_states += segments;
        }
      }
      launch_packing(calls_, shape_, job, static_cast<PackKind>(kind), stream_);
    }
  }

  [[nodiscard]] unsigned column_of_again(const ItemResult* result) const {
    unsigned which = 0;
    while (call_.again.column[which].result != result) ++which;
    return which;
  }

  void encode_again(std::uint64_t* states) {
    EncodeColumnsJob& job = call_.again;
    EncodeSetUpJob set_up;
    for (std::uint32_t i = 0; i < job.column_count; ++i)
      set_up.result[set_up.column_count++] = job.column[i].result;
    set_up.zeros = states;
    set_up.zero_words = job.segment_count;
    set_up.refused = counter(refused_of_column);
    set_up.wanted = job.wanted = counter(has_failed);
    launch(calls_, set_up_kernel(), {16, 256, 0}, set_up, stream_);
    encode(job, call_.needs.again(), ticket_of_blocks_again, states);
  }

  EncodeCall& call_;
  EncodeLayout layout_;
  std::uint8_t* data_;
  cudaStream_t stream_;
  std::uint64_t scratch_bytes_;
  CudaCalls calls_;
  DeviceShape shape_;
};

std::uint64_t min_workspace_of(const EncodeCall& call) {
  return layout_of(call).scratch + std::max(call.needs.scratch_bytes, call.entropy_needs.scratch_bytes);
}
/// With which a call is fastest.
std::uint64_t workspace_of(const EncodeCall& call) {
  const auto bytes = [](const EncodeNeeds& needs, std::uint64_t segments) {
    return needs.useful_blocks(segments) * needs.scratch_bytes;
  };
  return layout_of(call).scratch +
         std::max(bytes(call.needs, std::max(call.job.segment_count, call.again.segment_count)),
                  bytes(call.entropy_needs, call.entropy.segment_count));
}

Status check_encode_workspace(const EncodeCall& call, const Workspace& workspace) {
  if (workspace.data == nullptr || reinterpret_cast<std::uintptr_t>(workspace.data) % 256 != 0)
    return invalid("the address of the workspace");
  if (workspace.bytes < min_workspace_of(call))
    return {ErrorCode::output_too_small, 0, "the workspace is too small"};
  return {};
}

/// Of the only column of an encoding.
void ask_for_facts(EncodeColumnsJob& encoding, const CompressJob& job) {
  encoding.column[0].facts = job.facts;
  encoding.column[0].checksums = job.rules.checksums;
}

}  // namespace

Status encode_column_async(const CompressJob& job, const cuda::ColumnEncode& column, std::string_view tree,
                           cuda::Workspace workspace, cudaStream_t stream) {
  Result<EncodeCall> call = describe({&column, 1}, {&tree, 1});
  if (!call) return call.status();
  if (const Status status = check_memory(column); !status.ok()) return status;
  if (const Status status = check_encode_workspace(*call, workspace); !status.ok()) return status;
  ask_for_facts(call->entropy.column_count > 0 ? call->entropy : call->job, job);
  return EncodeLaunches(*call, workspace, stream).enqueue({&column, 1});
}

Status encode_items_async(const CompressJob& job, const cuda::ColumnEncode& like, std::string_view tree,
                          cuda::Workspace workspace, cudaStream_t stream) {
  Result<EncodeCall> call = describe({&like, 1}, {&tree, 1}, false);
  if (!call) return call.status();
  if (const Status status = check_encode_workspace(*call, workspace); !status.ok()) return status;
  EncodeColumnsJob& encoding = call->entropy.column_count > 0 ? call->entropy : call->job;
  encoding.items = job.items;
  encoding.item_count = job.item_count;
  encoding.header_bytes = job.rules.header_bytes;
  encoding.encoded = job.encoded;
  encoding.counters = job.counters;
  ask_for_facts(encoding, job);
  return EncodeLaunches(*call, workspace, stream).enqueue({});
}

Result<std::uint64_t> encode_items_workspace_size(const cuda::ColumnEncode& like, std::string_view tree) {
  const Result<EncodeCall> call = describe({&like, 1}, {&tree, 1}, false);
  if (!call) return call.status();
  return workspace_of(*call);
}

}  // namespace floe::gpu

namespace floe::cuda {

Result<std::uint64_t> encode_workspace_size(std::span<const ColumnEncode> columns,
                                            std::span<const std::string_view> trees) {
  const Result<gpu::EncodeCall> call = gpu::describe(columns, trees);
  if (!call) return call.status();
  return gpu::workspace_of(*call);
}

Result<std::uint64_t> min_encode_workspace_size(std::span<const ColumnEncode> columns,
                                                std::span<const std::string_view> trees) {
  const Result<gpu::EncodeCall> call = gpu::describe(columns, trees);
  if (!call) return call.status();
  return gpu::min_workspace_of(*call);
}

Status encode_columns_async(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees,
                            Workspace workspace, cudaStream_t stream) {
  Result<gpu::EncodeCall> call = gpu::describe(columns, trees);
  if (!call) return call.status();
  for (const ColumnEncode& column : columns) {
    if (const Status status = gpu::check_memory(column); !status.ok()) return status;
  }
  if (columns.empty()) return {};
  if (const Status status = gpu::check_encode_workspace(*call, workspace); !status.ok()) return status;
  return gpu::EncodeLaunches(*call, workspace, stream).enqueue(columns);
}

}  // namespace floe::cuda
