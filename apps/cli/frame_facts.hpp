// What a frame says about itself, in words and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "floe/floe.hpp"

namespace floe::cli {

using Json = nlohmann::ordered_json;

/// "26x1800x3600".
std::string shape_text(const FrameInfo& info);
/// "f32 26x1800x3600, spratio".
std::string short_description(const FrameInfo& info);
/// Original bytes, with the prefix, per stored byte.
double ratio_of(const FrameInfo& info);
/// The facts of header and footer.
Json facts_as_json(const std::string& file, const FrameInfo& info);
/// Prints an array in a readable form. Bytes of names that are no UTF-8 are replaced.
void print_json(const Json& array);

}  // namespace floe::cli
