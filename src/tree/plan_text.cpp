// Plans as text, for people: pre-order lists of the encodings' names.
#include <charconv>

#include "tree/plan.hpp"

namespace floe::series {
namespace {

class PlanParser {
 public:
  explicit PlanParser(std::string_view text) : text_(text), rest_(text) {}

  /// False if the text is no list of encodings; `reason` and `place` say why and where.
  bool parse(Plan& plan) {
    do {
      if (!parse_node(plan)) return false;
    } while (take(','));
    return rest_.empty() || fail("a comma is missing between two encodings");
  }
  [[nodiscard]] const char* reason() const { return reason_; }
  /// Bytes of the text before the rest.
  [[nodiscard]] std::size_t place() const { return text_.size() - rest_.size(); }
  /// Where in the text a node stands; the end of the text if there are not so many.
  [[nodiscard]] std::size_t place_of(std::size_t node) const { return node < node_places_.size() ? node_places_[node] : text_.size(); }

 private:
  bool parse_node(Plan& plan) {
    skip_spaces();
    const std::string_view before_name = rest_;
    node_places_.push_back(place());
    const Encoding* encoding = find_encoding(take_name());
    if (encoding == nullptr) {
      rest_ = before_name;
      return fail(rest_.empty() ? "the name of an encoding is missing" : "no encoding has this name");
    }
    if (plan.nodes.size() == max_plan_nodes) return fail("the tree has too many nodes");
    PlanNode node{encoding->id, {}};
    for (unsigned i = 0; i < encoding->parameter_count; ++i) node.parameters[i] = encoding->ranges[i].usual;
    if (take('(') && !parse_parameters(*encoding, node)) return false;
    plan.nodes.push_back(node);
    return true;
  }

  bool parse_parameters(const Encoding& encoding, PlanNode& node) {
    for (unsigned i = 0;; ++i) {
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
  std::vector<std::size_t> node_places_;
  const char* reason_ = "";
};

}  // namespace

std::string text_of(const Plan& plan) {
  std::string text;
  for (const PlanNode& node : plan.nodes) {
    const Encoding& encoding = encoding_of(node.encoding);
    if (!text.empty()) text += ',';
    text += encoding.name;
    unsigned shown = encoding.parameter_count;
    while (shown > 0 && node.parameters[shown - 1] == encoding.ranges[shown - 1].usual) --shown;
    for (unsigned i = 0; i < shown; ++i) {
      text += i == 0 ? '(' : ',';
      text += std::to_string(node.parameters[i]);
    }
    if (shown > 0) text += ')';
  }
  return text;
}

Result<Plan> plan_from_text(std::string_view text, DType type) {
  Plan plan;
  PlanParser parser(text);
  if (!parser.parse(plan)) return Status{ErrorCode::invalid_argument, parser.place(), parser.reason()};
  if (const Status status = check_plan(plan, type); !status.ok())
    return Status{status.code, parser.place_of(static_cast<std::size_t>(status.byte_offset)), status.detail};
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

}  // namespace floe::series
