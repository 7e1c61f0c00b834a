// floe codecs: which codecs there are, and which types they take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>

#include "commands.hpp"
#include "frame_facts.hpp"

namespace floe::cli {
namespace {

constexpr std::array all_dtypes = {DType::f64, DType::f32, DType::f16, DType::bf16, DType::i8,  DType::i16,
                                   DType::i32, DType::i64, DType::u8,  DType::u16,  DType::u32, DType::u64};

std::vector<std::string_view> dtypes_of(const CodecInfo& codec) {
  std::vector<std::string_view> names;
  for (const DType dtype : all_dtypes) {
    Options options;
    options.codec = codec.name;
    const Result<CodecInfo> chosen = choose_codec(dtype, options);
    if (chosen && chosen->id == codec.id) names.push_back(name_of(dtype));
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
      all.push_back({{"name", codec.name},
                     {"id", codec.id},
                     {"word_bits", codec.word_bits},
                     {"dtypes", dtypes},
                     {"summary", codec.summary}});
    } else {
      fmt::print("{:<9} {:<8} {:<18} {}\n", codec.name, fmt::format("{} bit", codec.word_bits),
                 fmt::format("{}", fmt::join(dtypes, " ")), codec.summary);
    }
  }
  if (arguments.json) print_json(all);
  return ExitCode::ok;
}

}  // namespace floe::cli
