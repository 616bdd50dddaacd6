// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/proposer.h"

#include <gtest/gtest.h>

#include "einsummable/base/error.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/printer.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

const std::string start = "GPUS: 0, 1, 2\nIN: A @ 0\nOUT: A @ 1\n";

// A second a transfer over 0 -> 1, a tenth over others; none over 2 -> 0.
Appraisal slow_link(const Program& program, const Members&) {
  Appraisal appraisal{.critical_path = "link 0->1"};
  for (const Action& action : program.body()) {
    for (const Place& d : action.destinations) {
      const bool direct = action.source == Place(SiteId(0)) && d == Place(SiteId(1));
      if (action.source == Place(SiteId(2)) && d == Place(SiteId(0)))
        throw TopologyError("there is no way from 2 to 0");
      appraisal.seconds += direct ? 1 : 0.1;
    }
  }
  return appraisal;
}

Proposed ask(const Proposer& proposer, const ProposeOptions& options = {}) {
  const Program preamble = parse(start).program;
  const Program best = parse(start + "A @ 0 -> 1").program;
  return propose(preamble, best, {}, {.machine = "three sites", .bound = 0.1}, proposer, slow_link,
                 options);
}

TEST(Proposer, ABetterProgramWins) {
  int calls = 0;
  const Proposed result = ask(
      [&](const std::string&) {
        ++calls;
        return "Go round the slow link:\n```\nA @ 0 -> 2 -> 1\n```\n";
      },
      {.good_enough = 0.2});
  EXPECT_TRUE(result.improved);
  EXPECT_EQ(calls, 1);
  EXPECT_DOUBLE_EQ(result.appraisal.seconds, 0.2);
  EXPECT_EQ(print(result.program), print(parse(start + "A @ 0 -> 2 -> 1").program));
  EXPECT_EQ(result.warning, "");
}

TEST(Proposer, ReasonsOfFailuresStandInTheNextRoundsPrompt) {
  const std::vector<std::string> replies = {"I do not know.",
                                            "```\nA @ 5 -> 1\n```",
                                            "```\nA @ 0 -> 2\n```",
                                            "```\nA @ 0 -> 1; A @ 1 -> 2\n```",
                                            "```\nA @ 0 -> 1; A @ 1 -> 2\n```",
                                            "```\nA @ 0 -> 1 -> 2 -> 0\n```"};
  std::vector<std::string> prompts;
  size_t next = 0;
  const Proposed result = ask(
      [&](const std::string& prompt) {
        prompts.push_back(prompt);
        return replies[next++ % replies.size()];
      },
      {.rounds = 2, .candidates = 6});
  EXPECT_FALSE(result.improved);
  EXPECT_EQ(result.asked, 12);
  EXPECT_EQ(result.valid, 2);
  ASSERT_EQ(prompts.size(), 12u);
  EXPECT_EQ(prompts[0], prompts[5]);
  EXPECT_EQ(prompts[0].find("not taken"), std::string::npos);
  const size_t at = prompts[6].find("# Why");
  ASSERT_NE(at, std::string::npos);
  const std::string reasons = prompts[6].substr(at, prompts[6].find("\n# Your answer") - at);
  EXPECT_EQ(reasons, R"(# Why earlier replies were not taken

* it holds no program
* line 1 of the body, "A @ 5 -> 1": site 5 is not one of GPUS
* not valid: OUT is not met: A is never at 1
* valid, but it takes 1100 ms; its critical path: link 0->1
* it is an earlier reply once more
* valid, but it does not run: there is no way from 2 to 0
)");
}

TEST(Proposer, TheBestSoFarIsWhatTheNextRoundIsTold) {
  std::vector<std::string> prompts;
  ask(
      [&](const std::string& prompt) {
        prompts.push_back(prompt);
        return std::string(prompts.size() == 1 ? "A @ 0 -> 2 -> 1" : "");
      },
      {.rounds = 2, .candidates = 1});
  EXPECT_NE(prompts[0].find("It takes 1000 ms."), std::string::npos);
  EXPECT_NE(prompts[1].find("It takes 200 ms. No program can take less than 100 ms."),
            std::string::npos);
  EXPECT_NE(prompts[1].find("BODY:\nA @ 0 -> 2\nA @ 2 -> 1\n"), std::string::npos);
}

TEST(Proposer, AProposerThatFailsIsNotAskedAgain) {
  int calls = 0;
  const Proposed result = ask([&](const std::string&) -> std::string {
    if (++calls == 2) throw ProposerFailure("the endpoint gave no answer in 5 s");
    return "A @ 0 -> 2 -> 1";
  });
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(result.warning, "the endpoint gave no answer in 5 s");
  EXPECT_TRUE(result.improved);
}

TEST(Proposer, OtherExceptionsAreNotHeldBack) {
  EXPECT_THROW(ask([](const std::string&) -> std::string { throw InternalError("a bug"); }),
               InternalError);
}

TEST(Proposer, OnlyTheLatestFailuresAreRepeated) {
  std::string last;
  int n = 0;
  const Proposed result = ask(
      [&](const std::string& prompt) {
        last = prompt;
        return "```\nx" + std::to_string(n++) + " @ 0\n```";
      },
      {.rounds = 5, .candidates = 4, .failures = 3});
  EXPECT_EQ(result.failures.size(), 20u);
  EXPECT_EQ(last.find("x12 @ 0"), std::string::npos);
  EXPECT_NE(last.find("x13 @ 0"), std::string::npos);
  EXPECT_NE(last.find("x15 @ 0"), std::string::npos);
}

}  // namespace
}  // namespace einsummable::synthesis
