// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/prompt.h"

#include <array>
#include <cstdio>

#include "einsummable/exchange/language.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/synthesis/reply.h"
#include "einsummable/synthesis/reply_sections.h"

namespace einsummable::synthesis {

using namespace exchange;

namespace {

constexpr size_t part_bytes = 20'000;

constexpr std::string_view task =
    "You improve exchange programs: programs that move data between the devices of a machine and "
    "aggregate it on the way. A program counts if it is valid and its simulated time is lower than "
    "that of the best one so far.\n";

constexpr std::string_view rules =
    "The actions of one ordered pair of sites run one after the other in program order; transfers "
    "of different pairs share the links they have in common. Cutting atoms into pieces (SPLIT) "
    "lets a site pass on the first piece while the next arrives. Sums formed early send less.\n";

constexpr std::string_view answer =
    "Write one whole program in a fenced block: SPLIT if you use it, then the body. What stands "
    "above it (GPUS, PARTITIONS, IN, OUT) is fixed and need not be repeated.\n";

// The lines of a text up to a number of bytes.
std::string shortened(std::string_view text) {
  std::string out;
  size_t left = 0;
  for (std::string_view line : lines_of(text)) {
    if (left > 0 || out.size() + line.size() >= part_bytes) {
      ++left;
      continue;
    }
    out += std::string(line) + '\n';
  }
  if (left > 0) out += "... and " + std::to_string(left) + " more lines\n";
  return out;
}

std::string heading(std::string_view words) { return "\n# " + std::string(words) + "\n\n"; }

std::string fenced(std::string_view text) { return "```\n" + shortened(text) + "```\n"; }

// SPLIT and the body: what the preamble leaves open.
std::string rest_of(const Program& program) {
  const std::string text = print(program);
  std::string rest;
  bool begun = false;
  for (std::string_view line : lines_of(text)) {
    begun = begun || line.starts_with("SPLIT:") || line.starts_with("BODY:");
    if (begun) rest += std::string(line) + '\n';
  }
  return rest;
}

std::string members_text(const Program& preamble, const Members& members) {
  std::string text;
  for (size_t g = 0; g < preamble.partitions().size(); ++g) {
    if (!preamble.partitions()[g].open() || g >= members.size()) continue;
    text += text.empty() ? "Its partitions: " : "; ";
    text += name_text(preamble.partitions()[g].name) + " {";
    for (size_t i = 0; i < members[g].size(); ++i)
      text += (i > 0 ? ", " : "") + std::to_string(members[g][i].value);
    text += "}";
  }
  if (text.empty()) return text;
  return text + ". You may choose others: name them in PARTITIONS.\n";
}

}  // namespace

std::string milliseconds_text(double seconds) {
  std::array<char, 32> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.4g ms", 1e3 * seconds);
  return buffer.data();
}

std::string prompt_text(const Program& preamble, const Program& best, const Members& members,
                        const Appraisal& appraisal, const Brief& brief,
                        std::span<const std::string> failures) {
  std::string text(task);
  text += heading("The language") + std::string(language_page());
  text += heading("What takes time") + std::string(rules);
  if (!brief.machine.empty()) text += heading("The machine") + fenced(brief.machine);
  text += heading("The problem") + fenced(preamble_text(preamble));
  text += heading("The best program so far");
  text += "It takes " + milliseconds_text(appraisal.seconds) + ".";
  if (brief.bound > 0)
    text += " No program can take less than " + milliseconds_text(brief.bound) + ".";
  text += "\n" + members_text(preamble, members) + fenced(rest_of(best));
  if (!appraisal.critical_path.empty())
    text += "\nIts critical path:\n" + shortened(appraisal.critical_path);
  if (!failures.empty()) {
    text += heading("Why earlier replies were not taken");
    for (const std::string& failure : failures) text += "* " + failure + "\n";
  }
  return text + heading("Your answer") + std::string(answer);
}

}  // namespace einsummable::synthesis
