// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/reply.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"
#include "einsummable/synthesis/reply_sections.h"

namespace einsummable::synthesis {

using namespace exchange;

namespace {

constexpr size_t most_blocks = 4;
constexpr size_t excerpt_bytes = 100;

// The lines of the canonical text that come before the first of these.
std::string head_of(const Program& program, std::initializer_list<std::string_view> ends) {
  Program bare = program;
  bare.set_body({});
  const std::string text = print(bare);
  std::string head;
  for (std::string_view line : lines_of(text)) {
    if (std::ranges::any_of(ends, [&](std::string_view end) { return line.starts_with(end); }))
      break;
    head += std::string(line) + '\n';
  }
  return head;
}

// The program of a reply in the ids of the preamble, by the names of atoms.
Program in_ids_of(const Program& preamble, const Program& read) {
  Program program = preamble;
  program.set_body({});
  if (preamble.splits().empty()) {
    std::unordered_map<std::string_view, AtomId> named;
    for (size_t a = 0; a < preamble.atoms().size(); ++a)
      named.emplace(preamble.atoms()[a].name, AtomId(static_cast<int64_t>(a)));
    for (const Split& split : read.splits()) {
      std::vector<int64_t> sizes;
      for (int32_t k = 0; k < split.count; ++k) sizes.push_back(read.atom(split.piece(k)).bytes);
      program.add_split(named.at(read.atom(split.atom).name), sizes);
    }
  }
  std::unordered_map<std::string_view, AtomId> named;
  for (size_t a = 0; a < program.atoms().size(); ++a)
    named.emplace(program.atoms()[a].name, AtomId(static_cast<int64_t>(a)));
  for (const Action& action : read.body()) {
    std::vector<AtomId> atoms;
    for (AtomId a : read.atoms(action.aggregate)) atoms.push_back(named.at(read.atom(a).name));
    program.add_action({program.aggregate(atoms), action.source, action.destinations});
  }
  return program;
}

class ReplyReader {
 public:
  ReplyReader(const Program& preamble, const ReplyLimits& limits)
      : preamble_(preamble), limits_(limits), head_(preamble_text(preamble)) {}

  Reply read(const ReplySections& sections) const {
    std::string text = head_;
    if (preamble_.splits().empty()) text += sections.split;
    text += "BODY:\n";
    const auto before = static_cast<size_t>(std::ranges::count(text, '\n'));
    text += sections.body;
    const ParseVerdict verdict = parse(text, parse_limits(text));
    if (!verdict.ok) return {.reason = parse_reason(verdict, text, before)};
    if (verdict.program.body().empty() && !sections.any_action)
      return {.reason = "it holds no action"};
    Reply reply;
    reply.program = in_ids_of(preamble_, verdict.program);
    Verdict checked =
        check(reply.program, {.members = members_in(sections), .budget = limits_.check});
    reply.ok = checked.ok();
    if (!reply.ok) reply.reason = excerpt("not valid: " + checked.reason, 4 * excerpt_bytes);
    reply.members = std::move(checked.members);
    return reply;
  }

 private:
  Limits parse_limits(const std::string& text) const {
    Limits parsing;
    parsing.text_bytes = text.size();
    parsing.actions = limits_.actions;
    return parsing;
  }

  static std::string parse_reason(const ParseVerdict& verdict, const std::string& text,
                                  size_t before) {
    const auto lines = lines_of(text);
    std::string reason = verdict.reason;
    const auto number = static_cast<size_t>(verdict.line);
    if (number >= 1 && number <= lines.size()) {
      const std::string_view line = lines[number - 1];
      const std::string where = number > before
                                    ? "line " + std::to_string(number - before) + " of the body"
                                    : std::string("the sections before the body");
      reason = where + ", \"" + std::string(line.substr(0, excerpt_bytes)) + "\": " + reason;
    }
    return excerpt(reason, 4 * excerpt_bytes);
  }

  // What the reply's PARTITIONS says of the preamble's open partitions; nothing if it is not of
  // them.
  Members members_in(const ReplySections& sections) const {
    if (preamble_.members() || sections.partitions.empty()) return {};
    const std::string text =
        head_of(preamble_, {"PARTITIONS:", "IN:"}) + sections.partitions + "IN:\nOUT:\n";
    const ParseVerdict verdict = parse(text, parse_limits(text));
    if (!verdict.ok || verdict.program.sites() != preamble_.sites()) return {};
    Members members;
    for (const Partition& wanted : preamble_.partitions()) {
      const auto& named = verdict.program.partitions();
      const auto found = std::ranges::find(named, wanted.name, &Partition::name);
      if (found == named.end() || found->size != wanted.size) return {};
      if (!wanted.open() && found->members != wanted.members) return {};
      members.push_back(found->members);
    }
    return members;
  }

  const Program& preamble_;
  const ReplyLimits& limits_;
  const std::string head_;
};

}  // namespace

std::string excerpt(std::string_view text, size_t bytes) {
  std::string out(text.substr(0, bytes));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '?';
  }
  return text.size() > bytes ? out + "..." : out;
}

std::string preamble_text(const Program& preamble) { return head_of(preamble, {"BODY:"}); }

Reply read_reply(std::string_view text, const Program& preamble, const ReplyLimits& limits) {
  if (text.size() > limits.bytes) {
    return {.reason = "it is " + std::to_string(text.size()) + " bytes long; at most " +
                      std::to_string(limits.bytes) + " are read"};
  }
  const std::vector<ReplySections> blocks = program_blocks(text);
  const ReplyReader reader(preamble, limits);
  Reply first = {.reason = "it holds no program"};
  for (size_t i = 0; i < std::min(blocks.size(), most_blocks); ++i) {
    Reply reply = reader.read(blocks[blocks.size() - 1 - i]);
    if (reply.ok) return reply;
    if (i == 0) first = std::move(reply);
  }
  return {.reason = std::move(first.reason)};
}

}  // namespace einsummable::synthesis
