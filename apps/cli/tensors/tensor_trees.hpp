// Which of the trees that the user gave is for which tensor?
#pragma once

#include <string>
#include <vector>

#include "arguments/arguments.hpp"
#include "tensors/header.hpp"

namespace floe::cli {

/// Throws a Failure if a tree is for no tensor of the file: a named one must be there and fit, any other must
/// fit one.
void check_tensor_trees(const Arguments& arguments, const std::string& file,
                        const std::vector<Tensor>& tensors);

/// With the tree for this tensor alone: the last that names it, else the last without a name that fits. None
/// if it is planned.
Arguments arguments_for(const Arguments& arguments, const Tensor& tensor);

}  // namespace floe::cli
