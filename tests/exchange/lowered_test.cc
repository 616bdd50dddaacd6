// SPDX-License-Identifier: Apache-2.0
#include "einsummable/exchange/lowered.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/checker.h"
#include "einsummable/exchange/parser.h"
#include "einsummable/exchange/sends.h"

namespace einsummable::exchange {
namespace {

// "0 -> 2" for a transfer from item 0 to item 2; "3 of 0 1" for a form.
std::string text(const Lowered& lowered) {
  std::string out;
  for (const Lowered::Item& item : lowered.items) {
    out += std::to_string(item.site) + (item.given ? "* " : " ");
  }
  for (const Lowered::Transfer& t : lowered.transfers) {
    out += "| " + std::to_string(t.from) + " -> " + std::to_string(t.to) + ' ';
  }
  for (const Lowered::Form& form : lowered.forms) {
    out += "| " + std::to_string(form.item) + " of ";
    for (int32_t part : lowered.parts_of(form)) out += std::to_string(part) + ' ';
  }
  return out;
}

TEST(Lowered, HoldsWhatTheDerivationsNeedInTheOrderOfTheBody) {
  const Program program = parse(
                              "IN: A @ 0; B @ 1 (size: 1 GB)\nOUT: A+B @ 0, 1 (size: 0.5 GB)\n"
                              "B @ 1 -> 0; A @ 0 -> 1\nA+B @ 0 -> 1\nA+B @ 1")
                              .program;
  const Verdict verdict = check(program);
  ASSERT_TRUE(verdict.ok());
  const Lowered lowered = lower(program, verdict.members, verdict.derivations, verdict.parts);
  // Items: A @ 0, A @ 1, B @ 0, B @ 1, A+B @ 0, A+B @ 1. The transfer of A+B is not needed.
  EXPECT_EQ(text(lowered), "0* 1 0 1* 0 1 | 3 -> 2 | 0 -> 1 | 4 of 0 2 | 5 of 1 3 ");
  EXPECT_EQ(lowered.form_bytes(lowered.forms[0]), 2'500'000'000);
}

TEST(Lowered, SendsAreThereOnceAndNotToThemselves) {
  const Program program = parse(
                              "GPUS: 0, 1, 2\nPARTITIONS: G {0, 1, 2}\nIN: A @ 0\nOUT: A @ G\n"
                              "A @ 0 -> 2; A @ 0 -> G; A @ 2 -> 1, 2")
                              .program;
  std::string sends;
  each_send(program, *program.members(), [&](const Send& send) {
    sends += std::to_string(send.source.value) + ">" + std::to_string(send.destination.value) +
             " of " + std::to_string(send.action) + "; ";
  });
  EXPECT_EQ(sends, "0>2 of 0; 0>1 of 1; 2>1 of 2; ");
}

}  // namespace
}  // namespace einsummable::exchange
