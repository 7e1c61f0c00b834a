// floe codecs: which codecs there are, and which types they take.
#include <fmt/core.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "commands/commands.hpp"
#include "floe/floe.hpp"

namespace floe::cli {
namespace {

std::vector<std::string_view> dtypes_of(const CodecInfo& codec) {
  std::vector<std::string_view> names;
  for (unsigned number = 0; number <= 255; ++number) {
    const auto dtype = static_cast<DType>(number);
    if (is_element_type(dtype) && 8 * size_of(dtype) == codec.word_bits) names.push_back(name_of(dtype));
  }
  return names;
}

}  // namespace

ExitCode run_codecs(const Arguments& arguments) {
  Json all = Json::array();
  if (!arguments.json) fmt::print("{:<9} {:<8} {:<18} {}\n", "Codec", "Word", "Types", "What it is");
  for (const CodecInfo& codec : codecs()) {
    const auto dtypes = dtypes_of(codec);
    if (arguments.json) {
      all.push(Json::object({{"name", codec.name},
                             {"id", codec.id},
                             {"word_bits", codec.word_bits},
                             {"dtypes", Json::array_of(dtypes)},
                             {"summary", codec.summary}}));
    } else {
      fmt::print("{:<9} {:<8} {:<18} {}\n", codec.name, fmt::format("{} bit", codec.word_bits),
                 joined(dtypes, " "), codec.summary);
    }
  }
  if (arguments.json) print_json(all);
  return ExitCode::ok;
}

}  // namespace floe::cli
