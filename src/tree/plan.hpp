// A plan: which encodings make up a tree, as a flat list of nodes in pre-order. How it is checked, stored and
// written as text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encodings/encoding.hpp"
#include "floe/types.hpp"

namespace floe::trees {

struct PlanNode {
  EncodingId encoding = EncodingId::raw;
  Parameters parameters{};
  friend bool operator==(const PlanNode&, const PlanNode&) = default;
};

/// The children of a node follow it, each with its whole sub-tree.
struct Plan {
  std::vector<PlanNode> nodes;
  friend bool operator==(const Plan&, const Plan&) = default;
};

inline constexpr std::size_t max_plan_nodes = 255;
/// Of trees that devices encode and decode.
inline constexpr std::size_t max_device_plan_nodes = 64;
/// The longest way from the root to a leaf, in nodes.
inline constexpr std::size_t max_plan_depth = 8;

/// Whether a plan is one tree of known encodings within the limits, whose types fit a stream of `type`.
/// Errors: invalid_argument, with the reason; byte_offset is then the index of the node.
Status check_plan(const Plan& plan, DType type);

/// The node after the sub-tree that begins at `node`. Precondition: a checked plan.
std::size_t next_sibling(const Plan& plan, std::size_t node);

/// Whether devices encode with a plan.
bool has_device_form(const Plan& plan);

void write_plan(const Plan& plan, ByteWriter& out);
/// What write_plan writes.
std::size_t written_bytes(const Plan& plan);
/// Reads and checks. Errors: corrupt_frame, with the reason; unsupported_version.
Result<Plan> read_plan(ByteReader& in, DType type);

/// In pre-order, with the parameters that are not usual in parentheses: "rle,bitpack,delta(2,1),bitpack".
std::string text_of(const Plan& plan);
/// The inverse; spaces are ignored, and parameters may be left out from the end. Errors: invalid_argument,
/// with the reason; byte_offset is then the position in the text.
Result<Plan> plan_from_text(std::string_view text, DType type);
/// Whether a text is a tree that takes words of any type. Errors: as plan_from_text.
Status check_plan_text(std::string_view text);

}  // namespace floe::trees
