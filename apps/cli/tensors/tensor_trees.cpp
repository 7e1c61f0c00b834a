#include "tensors/tensor_trees.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "base/failure.hpp"
#include "base/text.hpp"
#include "frames/frame_writer.hpp"

namespace floe::cli {
namespace {

bool fits(const GivenTree& given, const Tensor& tensor) {
  return check_tree(given.tree, tensor.element_type()).ok();
}

Arguments with_tree(const Arguments& arguments, std::optional<std::size_t> index) {
  Arguments with = arguments;
  with.trees.clear();
  with.tree_options.clear();
  if (!index) return with;
  with.trees.push_back({"", 0, arguments.trees[*index].tree});
  with.tree_options.push_back(arguments.tree_options[*index]);
  return with;
}

}  // namespace

void check_tensor_trees(const Arguments& arguments, const std::string& file,
                        const std::vector<Tensor>& tensors) {
  for (std::size_t i = 0; i < arguments.trees.size(); ++i) {
    const GivenTree& given = arguments.trees[i];
    const std::string option = printable(arguments.tree_options[i]);
    if (given.stream != 0) throw Failure(ExitCode::usage, file, option + ": a tensor has one stream");
    const auto found = std::find_if(tensors.begin(), tensors.end(), [&given](const Tensor& tensor) {
      return given.column.empty() ? fits(given, tensor) : tensor.name == given.column;
    });
    if (found == tensors.end() && !given.column.empty())
      throw Failure(ExitCode::usage, file, option + ": there is no tensor of this name");
    if (tensors.empty()) continue;
    const Tensor& tensor = found == tensors.end() ? tensors.front() : *found;
    (void)tree_for(with_tree(arguments, i), file + ": " + tensor.name, tensor.element_type());
  }
}

Arguments arguments_for(const Arguments& arguments, const Tensor& tensor) {
  std::optional<std::size_t> named, unnamed;
  for (std::size_t i = 0; i < arguments.trees.size(); ++i) {
    const GivenTree& given = arguments.trees[i];
    if (given.column == tensor.name && !given.column.empty()) named = i;
    if (given.column.empty() && fits(given, tensor)) unnamed = i;
  }
  return with_tree(arguments, named ? named : unnamed);
}

}  // namespace floe::cli
