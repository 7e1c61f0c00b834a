// The JSON of a safetensors header, as it stands there.
#pragma once

#include <string>
#include <string_view>

#include "tensors/header.hpp"

namespace floe::cli {

/// The tensors in the order of their entries, of which nothing but the syntax is checked. Memory of a few
/// times the text, whatever it says. Throws a Failure.
TensorHeader read_tensor_header(const std::string& file, std::string_view text);

}  // namespace floe::cli
