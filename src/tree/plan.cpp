#include "tree/plan.hpp"

#include <algorithm>

namespace floe::trees {
namespace {

Status bad_node(std::size_t node, const char* reason) { return {ErrorCode::invalid_argument, node, reason}; }

/// Checks the sub-tree at `node` and moves behind it.
Status check_subtree(const Plan& plan, DType type, std::size_t depth, std::size_t& node) {
  const std::size_t index = node;
  if (index >= plan.nodes.size())
    return bad_node(index, "the tree lacks nodes: its encodings have more children");
  if (depth > max_plan_depth) return bad_node(index, "the tree is too deep");
  const PlanNode& at = plan.nodes[node++];
  const Encoding* encoding = find_encoding(static_cast<std::uint8_t>(at.encoding));
  if (encoding == nullptr) return bad_node(index, "unknown encoding");
  for (std::size_t i = 0; i < max_parameters; ++i) {
    const ParameterRange range = i < encoding->parameter_count ? encoding->ranges[i] : ParameterRange{};
    if (!is_within(at.parameters[i], range.min, range.max)) {
      return bad_node(index, "a parameter of this encoding is out of range");
    }
  }
  if (!encoding->accepts(type, at.parameters))
    return bad_node(index, "this encoding does not take words of this type");
  for (unsigned child = 0; child < encoding->children_of(at.parameters); ++child) {
    if (const Status status =
            check_subtree(plan, encoding->child_type(type, at.parameters, child), depth + 1, node);
        !status.ok())
      return status;
  }
  return {};
}

constexpr Status no_tree{ErrorCode::corrupt_frame, 0, "a plan is no tree, or too large"};
constexpr Status newer_tree{ErrorCode::unsupported_version, 0,
                            "a stream has an encoding that this version does not know"};

/// Reads the sub-tree of a node; its types are checked later.
Status read_subtree(ByteReader& in, std::size_t depth, Plan& plan) {
  const Encoding* encoding = find_encoding(in.get_byte());
  if (in.failed() || depth > max_plan_depth || plan.nodes.size() == max_plan_nodes) return no_tree;
  if (encoding == nullptr) return newer_tree;
  Parameters parameters{};
  for (unsigned i = 0; i < encoding->parameter_count; ++i) {
    const std::uint64_t parameter = in.get_varint();
    const bool is_codec = encoding->id == EncodingId::codec && i == 0;
    if (parameter > encoding->ranges[i].max) return is_codec ? newer_tree : no_tree;
    parameters[i] = static_cast<std::uint32_t>(parameter);
  }
  plan.nodes.push_back({encoding->id, parameters});
  for (unsigned child = 0; child < encoding->children_of(parameters); ++child) {
    if (const Status status = read_subtree(in, depth + 1, plan); !status.ok()) return status;
  }
  return in.failed() ? no_tree : Status{};
}

}  // namespace

Status check_plan(const Plan& plan, DType type) {
  if (plan.nodes.size() > max_plan_nodes) return bad_node(max_plan_nodes, "the tree has too many nodes");
  std::size_t node = 0;
  if (const Status status = check_subtree(plan, type, 1, node); !status.ok()) return status;
  if (node != plan.nodes.size())
    return bad_node(node, "the tree has more nodes than its encodings have children");
  return {};
}

std::size_t next_sibling(const Plan& plan, std::size_t node) {
  for (std::size_t missing = 1; missing > 0; ++node)
    missing +=
        encoding_of(plan.nodes[node].encoding).children_of(plan.nodes[node].parameters) - std::size_t{1};
  return node;
}

bool has_device_form(const Plan& plan) {
  return plan.nodes.size() <= max_device_plan_nodes &&
         std::ranges::all_of(plan.nodes, [](const PlanNode& node) {
           return has_device_form(node.encoding) && (node.encoding != EncodingId::stride_split ||
                                                     node.parameters[0] <= StrideSplitRules::max_on_devices);
         });
}

void write_plan(const Plan& plan, ByteWriter& out) {
  for (const PlanNode& node : plan.nodes) {
    out.put_byte(static_cast<std::uint8_t>(node.encoding));
    for (unsigned i = 0; i < encoding_of(node.encoding).parameter_count; ++i)
      out.put_varint(node.parameters[i]);
  }
}

std::size_t written_bytes(const Plan& plan) {
  ByteWriter out;
  write_plan(plan, out);
  return out.size();
}

Result<Plan> read_plan(ByteReader& in, DType type) {
  Plan plan;
  if (const Status status = read_subtree(in, 1, plan); !status.ok()) return status;
  if (const Status status = check_plan(plan, type); !status.ok())
    return Status{ErrorCode::corrupt_frame, 0, status.detail};
  return plan;
}

}  // namespace floe::trees
