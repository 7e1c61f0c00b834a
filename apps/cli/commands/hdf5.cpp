// floe hdf5: what the tools of HDF5 and NetCDF need to compress with the filter.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "commands/commands.hpp"
#include "floe/floe.hpp"
#include "integrations/hdf5/parameters.hpp"

namespace floe::cli {
namespace {

std::vector<unsigned> parameters(const Arguments& arguments) {
  if (!arguments.codec.empty()) {
    const auto all = codecs();
    const auto codec = std::find_if(all.begin(), all.end(), [&arguments](const CodecInfo& candidate) {
      return candidate.name == arguments.codec;
    });
    return hdf5::user_parameters(arguments.goal, codec->id, {});
  }
  if (arguments.trees.empty()) return hdf5::user_parameters(arguments.goal, 0, {});
  const GivenTree& given = arguments.trees.back();
  if (!given.column.empty()) throw UsageError("--tree: datasets have no columns");
  if (given.tree.size() > hdf5::max_tree_bytes)
    throw UsageError(fmt::format("--tree: the filter takes trees of {} characters", hdf5::max_tree_bytes));
  return hdf5::user_parameters(arguments.goal, 0, given.tree);
}

}  // namespace

ExitCode run_hdf5(const Arguments& arguments) {
  const std::vector<unsigned> values = parameters(arguments);
  const std::string list = fmt::format("{}", fmt::join(values, ","));
  if (arguments.only_parameters) {
    fmt::print("-f UD={},0,{},{}\n-F *,{},{}\n", FLOE_HDF5_FILTER_ID, values.size(), list,
               FLOE_HDF5_FILTER_ID, list);
  } else {
    fmt::print("h5repack -f UD={},0,{},{} in.h5 out.h5\nnccopy -F '*,{},{}' in.nc out.nc\n",
               FLOE_HDF5_FILTER_ID, values.size(), list, FLOE_HDF5_FILTER_ID, list);
  }
  return ExitCode::ok;
}

}  // namespace floe::cli
