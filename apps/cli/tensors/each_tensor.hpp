// The tensors of a safetensors file on disk, one after the other, each as a source of its own.
#pragma once

#include <functional>
#include <string>

#include "arguments/arguments.hpp"
#include "input/input_file.hpp"
#include "input/source_content.hpp"

namespace floe::cli {

/// What is to be done with a tensor. `arguments`: with the tree that is for it.
using TakeTensor =
    std::function<void(const Arguments& arguments, InputFile& source, const SourceContent& content)>;

/// Whether a file is taken for one of tensors. Opens it to look, if its name is that of one.
bool are_tensors(const Arguments& arguments, const std::string& file);

/// Leaves tensors without elements out. Throws a Failure.
void for_each_tensor(const Arguments& arguments, const std::string& file, const TakeTensor& work);

}  // namespace floe::cli
