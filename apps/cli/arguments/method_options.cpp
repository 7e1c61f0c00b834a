// Options that say how to compress, with what, and what to print about it.
#include <fmt/core.h>

#include "arguments/option_groups.hpp"
#include "arguments/option_values.hpp"
#include "base/text.hpp"

namespace floe::cli {
namespace {

void add_codec_options(CommandLine& line, Arguments& a) {
  if (line.offers(bench)) {
    line.value(bench, "--codec", "A,B,C", "Measure only these codecs, or none; floe codecs lists them",
               [&a](std::string_view text) {
                 a.bench.codecs.clear();
                 a.bench.without_codecs = text == "none";
                 if (a.bench.without_codecs) return;
                 for (const auto name : split(text, ','))
                   a.bench.codecs.push_back(codec_value("--codec", name));
               });
  } else {
    line.value(compress | plan | decompress | hdf5, "--codec", "NAME",
               line.offers(compress | plan | hdf5)
                   ? "Encode all with the codec of this name; floe codecs lists them"
                   : "The codec of a stream of --container fpcompress",
               [&a](std::string_view text) { a.codec = codec_value("--codec", text); });
  }
  line.value(compress | plan | bench, "--dim", "N", "Codec gfc: how many values belong together, 1 to 32",
             [&a](std::string_view text) {
               a.dimensionality = static_cast<std::uint32_t>(number_value("--dim", text, 1, 32));
             });
}

void add_goal_options(CommandLine& line, Arguments& a) {
  if (line.offers(bench)) {
    line.value(bench, "--goal", "A,B,C", "Measure these goals, too: speed, balance, ratio, max",
               [&a](std::string_view text) {
                 a.bench.goals.clear();
                 for (const auto goal : split(text, ',')) a.bench.goals.push_back(goal_value("--goal", goal));
               });
    return;
  }
  line.value(compress | plan | hdf5, "--goal", "GOAL", "Aim: speed, balance (default), ratio or max",
             [&a](std::string_view text) { a.goal = goal_value("--goal", text); });
  line.flag(compress | plan | hdf5, "--fast", a.fast, "As --goal speed");
  line.flag(compress | plan | hdf5, "--best", a.best, "As --goal max");
}

}  // namespace

void add_method_options(CommandLine& line, Arguments& a) {
  line.begin_group("Method");
  add_goal_options(line, a);
  line.value(
      compress | plan | bench, "--decode-speed", "GB/S",
      "Trees that one thread decodes so fast, by the times of encodings, or the fastest",
      [&a](std::string_view text) { a.decode_megabytes_per_second = speed_value("--decode-speed", text); });
  line.value(compress | plan | bench, "--profile", "PROFILE",
             "cpu, or gpu: only encodings that GPUs decode fast; else gpu if there is a --device",
             [&a](std::string_view text) { a.profile = profile_value("--profile", text); });
  line.values(compress | plan | bench | hdf5, "--tree", line.offers(hdf5) ? "TREE" : "[COLUMN[#N]=]TREE",
              line.offers(bench) ? "Measure this tree, too; as often as needed"
              : line.offers(hdf5)
                  ? "Encode all chunks with this tree, which is then not searched for"
                  : "Encode with this tree: an array, or of a table the N-th stream (default 1) of a column, "
                    "or a tensor, or all columns or tensors that it fits; as often as needed",
              [&a](const std::vector<std::string>& texts) {
                for (const std::string& text : texts) {
                  a.trees.push_back(tree_value(text));
                  a.tree_options.push_back("--tree " + text);
                }
              });
  add_codec_options(line, a);
  line.value(
      compress | plan | bench, "--segment", "SIZE",
      "Arrays, tensors and bytes: what is encoded together, a multiple of 16K up to 1G. Default 1M; with "
      "--codec 64M; with --profile gpu 65536 words. Unless the goal is speed, 4M of words of one byte, and "
      "64M of words of 64 bits where dpratio is best; with ratio and max up to 16M where segments repeat "
      "each other. Tables: --segment-rows",
      [&a](std::string_view text) { a.segment_bytes = segment_value("--segment", text); });
  line.flag(compress | plan | bench, "--no-checksum", a.no_checksum, "Store no checksums");
}

void add_hdf5_options(CommandLine& line, Arguments& a) {
  line.begin_group("What is printed");
  line.flag(hdf5, "--parameters", a.only_parameters, "Only the options of h5repack and nccopy, a line each");
}

void add_container_options(CommandLine& line, Arguments& a) {
  line.value(compress | decompress, "--container", "KIND",
             "floe (default), or a publication's bare stream: fpcompress or gfc",
             [&a](std::string_view text) { a.container = container_value("--container", text); });
  line.value(compress, "--chunks", "N", "Container gfc: number of chunks, 1 to 65535 (default 1000)",
             [&a](std::string_view text) {
               a.chunk_count = static_cast<std::uint32_t>(number_value("--chunks", text, 1, 65535));
             });
}

void add_resource_options(CommandLine& line, Arguments& a) {
  line.begin_group("Resources");
  if (line.offers(bench)) {
    line.value(bench, "-T,--threads", "N,M",
               "Measure with so many threads, one number after the other; 0 is all (default 1)",
               [&a](std::string_view text) {
                 a.bench.threads.clear();
                 for (const auto number : split(text, ','))
                   a.bench.threads.push_back(threads_value("--threads", number));
               });
  } else {
    line.value(compress | decompress | test | plan | recover, "-T,--threads", "N",
               "Threads; 0 is all (default), never changes the result",
               [&a](std::string_view text) { a.threads = threads_value("--threads", text); });
  }
  line.value(compress | decompress | test | bench, "--device", "DEVICE",
             "What works beside the CPU: none (cpu, default), cuda, devices such as cuda:1 or cuda:0-7, or "
             "auto: those that there are",
             [&a](std::string_view text) { a.device = device_value("--device", text); });
  line.value(compress | decompress | test | recover, "--memory", "SIZE",
             "Most memory that decoding may take (default 4G)",
             [&a](std::string_view text) { a.memory_limit_bytes = size_value("--memory", text); });
  line.value(bench, "--callers", "N",
             "Call the library from N threads at the same time, each with its own data (default 1)",
             [&a](std::string_view text) {
               a.bench.callers = static_cast<std::uint32_t>(number_value("--callers", text, 1, max_threads));
             });
  line.value(bench, "--runs", "N", "Measure N times", [&a](std::string_view text) {
    a.bench.runs = static_cast<std::uint32_t>(number_value("--runs", text, 1, 1000000));
  });
  line.value(bench, "--seconds", "S", "Measure each row for S seconds, at least 3 times (default 1)",
             [&a](std::string_view text) { a.bench.seconds = seconds_value("--seconds", text); });
  line.value(bench, "--size", "A,B,C",
             "Measure with so many bytes, one size after the other: content is repeated, or taken from the "
             "middle",
             [&a](std::string_view text) {
               a.bench.sizes.clear();
               for (const auto size : split(text, ',')) a.bench.sizes.push_back(size_value("--size", size));
             });
  line.value(bench, "--size-limit", "SIZE", "Measure no more than the first SIZE bytes of each file",
             [&a](std::string_view text) { a.bench.limit_bytes = size_value("--size-limit", text); });
}

void add_message_options(CommandLine& line, Arguments& a) {
  line.begin_group("Messages");
  line.flag(compress | decompress | test | recover, "-q,--quiet", a.quiet, "Print errors only");
  line.flag(compress | decompress | test | inspect | plan, "-v,--verbose", a.verbose,
            line.offers(compress | decompress | test) ? "Print a summary also with -c, and what devices did"
                                                      : "Print all segments");
  line.flag(test | list | inspect | plan | codec_list | bench | recover | doctor, "--json", a.json,
            line.offers(recover) ? "Print what is lost as a JSON array for other programs"
                                 : "Print a JSON array for other programs");
}

}  // namespace floe::cli
