// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/proposer.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <unordered_set>

#include "einsummable/base/error.h"

namespace einsummable::synthesis {
namespace {

constexpr size_t reason_bytes = 400;

class Proposing {
 public:
  Proposing(const exchange::Program& preamble, const Appraise& appraise,
            const ProposeOptions& options, Proposed& result)
      : preamble_(preamble), appraise_(appraise), options_(options), result_(result) {}

  // Takes the reply's program if it is the best so far; else notes why not.
  void consider(const std::string& text) {
    if (!seen_.insert(text).second) return fail("it is an earlier reply once more");
    Reply reply = read_reply(text, preamble_, options_.reply);
    if (!reply.ok) return fail(reply.reason);
    ++result_.valid;
    Appraisal appraisal;
    try {
      appraisal = appraise_(reply.program, reply.members);
    } catch (const Error& error) {
      return fail(std::string("valid, but it does not run: ") + error.what());
    }
    if (!(appraisal.seconds < result_.appraisal.seconds)) {
      return fail("valid, but it takes " + milliseconds_text(appraisal.seconds) +
                  (appraisal.critical_path.empty() ? "" : "; its critical path: ") +
                  appraisal.critical_path);
    }
    result_.program = std::move(reply.program);
    result_.members = std::move(reply.members);
    result_.appraisal = std::move(appraisal);
    result_.improved = true;
  }

 private:
  void fail(const std::string& reason) {
    result_.failures.push_back(excerpt(reason, reason_bytes));
  }

  const exchange::Program& preamble_;
  const Appraise& appraise_;
  const ProposeOptions& options_;
  Proposed& result_;
  std::unordered_set<std::string> seen_;
};

}  // namespace

Proposed propose(const exchange::Program& preamble, const exchange::Program& best,
                 const exchange::Members& members, const Brief& brief, const Proposer& proposer,
                 const Appraise& appraise, const ProposeOptions& options) {
  Proposed result{.program = best, .members = members, .appraisal = appraise(best, members)};
  Proposing proposing(preamble, appraise, options, result);
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  };
  for (int64_t round = 0; round < options.rounds; ++round) {
    const std::span<const std::string> failures(result.failures);
    const std::string prompt =
        prompt_text(preamble, result.program, result.members, result.appraisal, brief,
                    failures.last(std::min(failures.size(), options.failures)));
    for (int64_t k = 0; k < options.candidates; ++k) {
      if (result.appraisal.seconds <= options.good_enough) return result;
      if (seconds() >= options.time_limit_s) {
        result.warning = "the time limit was reached";
        return result;
      }
      std::string reply;
      try {
        reply = proposer(prompt);
      } catch (const ProposerFailure& failure) {
        result.warning = failure.what();
        return result;
      }
      ++result.asked;
      proposing.consider(reply);
    }
  }
  return result;
}

}  // namespace einsummable::synthesis
