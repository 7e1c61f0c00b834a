// Encoding of columns in device memory: arguments to kernels on a stream.
#include <algorithm>

#include "cuda/launch.hpp"
#include "series_cuda/column_types.hpp"
#include "series_cuda/encode_job.hpp"
#include "series_cuda/encode_limits.hpp"

namespace floe::cuda {
namespace {

using series_cuda::EncodeColumn;
using series_cuda::EncodeColumnsJob;
using series_cuda::EncodePlan;
using series_cuda::EncodeSetUpJob;
using series_cuda::EncodeTrees;

constexpr std::uint64_t most_encode_words = std::uint64_t{1} << 44;

/// A call, checked.
struct EncodeCall {
  EncodeColumnsJob job;
  EncodeTrees trees;
  std::uint64_t scratch_bytes = 0;
};

/// Adds a tree for the words of a type. Says how much scratch segments of `words` words need.
Result<std::uint64_t> add_tree(std::string_view text, series::Type type, std::uint64_t words, EncodeTrees& trees) {
  const Result<series::Plan> plan = series::plan_from_text(text, type);
  if (!plan) return plan.status();
  for (const series::PlanNode& node : plan->nodes) {
    if (!series_cuda::decodes(node.encoding)) return invalid("a tree has an encoding that devices do not have");
  }
  series::ByteWriter bytes;
  write_plan(*plan, bytes);
  if (trees.count == most_trees || trees.used + bytes.size() > most_tree_bytes) return invalid("too many trees for one call");
  trees.place[trees.count++] = trees.used;
  std::copy(bytes.bytes().begin(), bytes.bytes().end(), trees.bytes + trees.used);
  trees.used = static_cast<std::uint16_t>(trees.used + bytes.size());
  return series_cuda::encode_scratch_bytes(series_cuda::encode_plan_of(*plan), type, words);
}

Status check_memory(const ColumnEncode& from, std::uint64_t width) {
  if (from.word_count == 0) return from.result == nullptr ? invalid("a column without a result") : Status{};
  if (from.words == nullptr || reinterpret_cast<std::uintptr_t>(from.words) % width != 0) return invalid("the address of a column");
  if (from.out == nullptr || reinterpret_cast<std::uintptr_t>(from.out) % 16 != 0) return invalid("the address of an encoded column");
  if (from.segments == nullptr || from.result == nullptr) return invalid("a column without a directory or a result");
  return {};
}

/// Everything but addresses.
Result<EncodeCall> describe(std::span<const ColumnEncode> columns, std::span<const std::string_view> texts) {
  EncodeCall call;
  if (columns.size() > most_columns) return invalid("too many columns for one call");
  std::uint64_t tickets = 0;
  for (const ColumnEncode& from : columns) {
    const auto type = series_cuda::device_type(from.type);
    if (!type) return invalid("a column of text");
    if (from.segment_words == 0 || from.segment_words > most_segment_words) return invalid("the length of a column's segments");
    if (from.word_count > most_encode_words) return invalid("more words than any device holds");
    tickets += core::divide_up(from.word_count, from.segment_words);
    EncodeColumn& to = call.job.column[call.job.column_count++];
    to.words = static_cast<const std::uint8_t*>(from.words);
    to.word_count = from.word_count;
    to.tree_of_segment = from.tree_of_segment;
    to.out = static_cast<std::uint8_t*>(from.out);
    to.out_bytes = from.out_bytes;
    to.segments = from.segments;
    to.result = from.result;
    to.segment_words = from.segment_words;
    to.end_ticket = static_cast<std::uint32_t>(tickets);
    to.type = *type;
    // Trees are there once per column that uses them: one, or all for indices from device memory.
    const bool uses_all = from.tree_of_segment != nullptr;
    if (texts.empty() || (!uses_all && from.tree >= texts.size())) return invalid("a column's tree");
    const auto own = uses_all ? texts : texts.subspan(from.tree, 1);
    to.first_tree = call.trees.count;
    for (const std::string_view text : own) {
      const Result<std::uint64_t> scratch = add_tree(text, *type, std::min<std::uint64_t>(from.segment_words, from.word_count), call.trees);
      if (!scratch) return scratch.status();
      call.scratch_bytes = std::max(call.scratch_bytes, *scratch);
    }
    to.tree_count = static_cast<std::uint8_t>(own.size());
  }
  if (tickets > (1u << 30)) return invalid("more segments than a call can have");
  call.job.segment_count = static_cast<std::uint32_t>(tickets);
  return call;
}

constexpr std::uint64_t round_up(std::uint64_t bytes) { return core::align_up(bytes, 256); }
/// Before the scratch: ticket, trees, states.
std::uint64_t fixed_bytes(const EncodeCall& call) {
  return 256 + round_up(sizeof(EncodeTrees)) + round_up(8 * std::uint64_t{call.job.segment_count});
}

}  // namespace

Result<std::uint64_t> encode_workspace_size(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees) {
  const Result<EncodeCall> call = describe(columns, trees);
  if (!call) return call.status();
  return fixed_bytes(*call) + series_cuda::useful_encode_teams(call->job.segment_count, call->scratch_bytes) * call->scratch_bytes;
}

Result<std::uint64_t> encode_workspace_least(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees) {
  const Result<EncodeCall> call = describe(columns, trees);
  if (!call) return call.status();
  return fixed_bytes(*call) + call->scratch_bytes;
}

Status encode_columns_async(std::span<const ColumnEncode> columns, std::span<const std::string_view> trees, Workspace workspace,
                            cudaStream_t stream) {
  Result<EncodeCall> call = describe(columns, trees);
  if (!call) return call.status();
  EncodeColumnsJob& job = call->job;
  EncodeSetUpJob set_up;
  for (std::uint32_t i = 0; i < job.column_count; ++i) {
    if (const Status status = check_memory(columns[i], series::bytes_of(job.column[i].type)); !status.ok()) return status;
    set_up.result[i] = job.column[i].result;
  }
  if (columns.empty()) return {};
  const std::uint64_t fixed = fixed_bytes(*call);
  if (workspace.data == nullptr || reinterpret_cast<std::uintptr_t>(workspace.data) % 256 != 0)
    return invalid("the address of the workspace");
  if (workspace.bytes < fixed + call->scratch_bytes) return {ErrorCode::output_too_small, 0, "the workspace is too small"};
  auto* const data = static_cast<std::uint8_t*>(workspace.data);
  set_up.trees = call->trees;
  set_up.trees_to = reinterpret_cast<EncodeTrees*>(data + 256);
  set_up.ticket = job.ticket = reinterpret_cast<std::uint32_t*>(data);
  set_up.states = job.states = reinterpret_cast<std::uint64_t*>(data + 256 + round_up(sizeof(EncodeTrees)));
  set_up.segment_count = job.segment_count;
  set_up.column_count = job.column_count;
  job.trees = set_up.trees_to;
  job.scratch = data + fixed;
  job.scratch_bytes = call->scratch_bytes;
  CudaCalls calls;
  const DeviceShape shape = DeviceShape::of_current(calls);
  const series_cuda::EncodeKernels kernels = series_cuda::encode_kernels();
  launch(calls, kernels.set_up, {std::min(64u, 1 + job.segment_count / 256), 256, 0}, set_up, stream);
  if (job.segment_count > 0) {
    const std::uint64_t room = call->scratch_bytes == 0 ? job.segment_count : (workspace.bytes - fixed) / call->scratch_bytes;
    const std::uint64_t teams = std::min({room, std::uint64_t{job.segment_count}, std::uint64_t{2} * shape.multiprocessors});
    launch(calls, kernels.encode, {static_cast<std::uint32_t>(teams), series_cuda::team_threads, kernels.shared_bytes}, job, stream);
  }
  return calls.status();
}

}  // namespace floe::cuda
