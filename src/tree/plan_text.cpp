// Plans as text, for people: pre-order lists of the encodings' names.
#include <charconv>

#include "chunks/registry/codec_entry.hpp"
#include "tree/plan.hpp"

namespace floe::trees {
namespace {

/// The number of a codec of this name, for words of some width; 0 if there is none.
std::uint32_t first_codec_of(std::string_view name) {
  for (const registry::CodecEntry& codec : registry::all_codecs()) {
    if (codec.name == name) return codec.id;
  }
  return 0;
}

/// Codecs of the same name for other widths take the place of those that do not fit. Moves behind the
/// sub-tree of a node. Nodes may lack.
void fit_codecs(Plan& plan, DType type, std::size_t& node) {
  if (node >= plan.nodes.size()) return;
  PlanNode& at = plan.nodes[node++];
  if (at.encoding == EncodingId::codec) {
    const auto* const named = registry::find_codec(static_cast<std::uint16_t>(at.parameters[0]));
    const auto* const fitting =
        registry::find_codec(named->name, static_cast<std::uint32_t>(8 * size_of(type)));
    if (fitting != nullptr) at.parameters[0] = fitting->id;
  }
  const Encoding& encoding = encoding_of(at.encoding);
  const Parameters parameters = at.parameters;
  for (unsigned child = 0; child < encoding.children_of(parameters); ++child)
    fit_codecs(plan, encoding.child_type(type, parameters, child), node);
}

class PlanParser {
 public:
  explicit PlanParser(std::string_view text) : text_(text), rest_(text) {}

  /// False if the text is no list of encodings; `reason` and `position` say why and where.
  bool parse(Plan& plan) {
    do {
      if (!parse_node(plan)) return false;
    } while (take(','));
    return rest_.empty() || fail("a comma is missing between two encodings");
  }
  [[nodiscard]] const char* reason() const { return reason_; }
  /// Bytes of the text before the rest.
  [[nodiscard]] std::size_t position() const { return text_.size() - rest_.size(); }
  /// Where in the text a node stands; the end of the text if there are not so many.
  [[nodiscard]] std::size_t position_of(std::size_t node) const {
    return node < node_positions_.size() ? node_positions_[node] : text_.size();
  }

 private:
  bool parse_node(Plan& plan) {
    skip_spaces();
    const std::string_view before_name = rest_;
    node_positions_.push_back(position());
    const std::string_view name = take_name();
    const std::uint32_t codec = first_codec_of(name);
    const Encoding* encoding = codec != 0 ? &encoding_of(EncodingId::codec) : find_encoding(name);
    if (encoding == nullptr || (codec == 0 && encoding->id == EncodingId::codec)) {
      rest_ = before_name;
      return fail(rest_.empty() ? "the name of an encoding is missing" : "no encoding has this name");
    }
    if (plan.nodes.size() == max_plan_nodes) return fail("the tree has too many nodes");
    PlanNode node{encoding->id, {}};
    for (unsigned i = 0; i < encoding->parameter_count; ++i) node.parameters[i] = encoding->ranges[i].usual;
    if (codec != 0) node.parameters[0] = codec;
    if (take('(') && !parse_parameters(*encoding, codec != 0 ? 1 : 0, node)) return false;
    plan.nodes.push_back(node);
    return true;
  }

  /// `first`: the first parameter that stands in the text.
  bool parse_parameters(const Encoding& encoding, unsigned first, PlanNode& node) {
    for (unsigned i = first;; ++i) {
      skip_spaces();
      std::uint32_t number = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), number);
      if (error != std::errc()) return fail("a parameter is no number");
      if (i >= encoding.parameter_count) return fail("this encoding has fewer parameters");
      node.parameters[i] = number;
      rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
      if (take(')')) return true;
      if (!take(',')) return fail("a parenthesis is not closed");
    }
  }

  std::string_view take_name() {
    const std::size_t length = std::min(rest_.find_first_of(" \t,()"), rest_.size());
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }
  bool take(char character) {
    skip_spaces();
    if (rest_.empty() || rest_[0] != character) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void skip_spaces() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t"), rest_.size())); }
  bool fail(const char* reason) {
    reason_ = reason;
    return false;
  }

  std::string_view text_, rest_;
  std::vector<std::size_t> node_positions_;
  const char* reason_ = "";
};

}  // namespace

std::string text_of(const Plan& plan) {
  std::string text;
  for (const PlanNode& node : plan.nodes) {
    const Encoding& encoding = encoding_of(node.encoding);
    const bool is_codec = node.encoding == EncodingId::codec;
    const unsigned first = is_codec ? 1 : 0;
    if (!text.empty()) text += ',';
    text +=
        is_codec ? registry::find_codec(static_cast<std::uint16_t>(node.parameters[0]))->name : encoding.name;
    unsigned shown = encoding.parameter_count;
    while (shown > first && node.parameters[shown - 1] == encoding.ranges[shown - 1].usual) --shown;
    for (unsigned i = first; i < shown; ++i) {
      text += i == first ? '(' : ',';
      text += std::to_string(node.parameters[i]);
    }
    if (shown > first) text += ')';
  }
  return text;
}

Result<Plan> plan_from_text(std::string_view text, DType type) {
  Plan plan;
  PlanParser parser(text);
  if (!parser.parse(plan)) return Status{ErrorCode::invalid_argument, parser.position(), parser.reason()};
  std::size_t node = 0;
  fit_codecs(plan, type, node);
  if (const Status status = check_plan(plan, type); !status.ok())
    return Status{status.code, parser.position_of(static_cast<std::size_t>(status.byte_offset)),
                  status.detail};
  return plan;
}

Status check_plan_text(std::string_view text) {
  Status furthest;
  for (const DType type : word_types) {
    const Status status = plan_from_text(text, type).status();
    if (status.ok()) return status;
    if (furthest.ok() || status.byte_offset > furthest.byte_offset) furthest = status;
  }
  return furthest;
}

}  // namespace floe::trees
