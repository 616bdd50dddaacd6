// SPDX-License-Identifier: Apache-2.0
#include "einsummable/synthesis/prompt.h"

#include <gtest/gtest.h>

#include "einsummable/exchange/language.h"
#include "einsummable/exchange/parser.h"

namespace einsummable::synthesis {
namespace {

using namespace exchange;

TEST(Prompt, HoldsAllThatAProposerNeeds) {
  const Program best = parse(
                           "GPUS: 0, 1, 2\nIN: A @ 0\nOUT: A @ 1\nSPLIT: A into 2\n"
                           "A.0 @ 0 -> 1; A.1 @ 0 -> 2 -> 1")
                           .program;
  Program preamble = parse("GPUS: 0, 1, 2\nIN: A @ 0\nOUT: A @ 1\n").program;
  const std::vector<std::string> failures = {"it holds no program", "not valid: A is never at 1"};
  const std::string text =
      prompt_text(preamble, best, {}, {.seconds = 0.01152, .critical_path = "link 0->1 busy 97 %"},
                  {.machine = "name = \"unit\"", .bound = 0.008}, failures);
  EXPECT_NE(text.find(language_page()), std::string::npos);
  const size_t after = text.find("# The machine");
  ASSERT_NE(after, std::string::npos);
  EXPECT_EQ(text.substr(after), R"(# The machine

```
name = "unit"
```

# The problem

```
exprog 1
GPUS: 0, 1, 2
IN: A @ 0
OUT: A @ 1
```

# The best program so far

It takes 11.52 ms. No program can take less than 8 ms.
```
SPLIT: A into 2
BODY:
A.0 @ 0 -> 1
A.1 @ 0 -> 2
A.1 @ 2 -> 1
```

Its critical path:
link 0->1 busy 97 %

# Why earlier replies were not taken

* it holds no program
* not valid: A is never at 1

# Your answer

Write one whole program in a fenced block: SPLIT if you use it, then the body. What stands above it (GPUS, PARTITIONS, IN, OUT) is fixed and need not be repeated.
)");
}

TEST(Prompt, NamesTheMembersOfOpenPartitions) {
  const Program open =
      parse("PARTITIONS: G {size 1}; H {2}; K {size 2}\nGPUS: 0, 1, 2, 3\nIN: A @ 0\nOUT: A @ 1\n")
          .program;
  const Program program =
      parse("GPUS: 0, 1, 2, 3\nPARTITIONS: G {size 1}; H {2}; K {size 2}\nIN: A @ 0\nOUT: A @ G\n")
          .program;
  const Members members = {{SiteId(0)}, {SiteId(2)}, {SiteId(1), SiteId(3)}};
  const std::string text = prompt_text(program, program, members, {}, {}, {});
  EXPECT_NE(text.find("Its partitions: G {0}; K {1, 3}. You may choose others: name them in "
                      "PARTITIONS.\n"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("# The machine"), std::string::npos);
  EXPECT_EQ(text.find("No program can take"), std::string::npos);
}

TEST(Prompt, LongPartsAreCutShort) {
  std::string body = "GPUS: 0, 1\nIN: A @ 0";
  for (int a = 0; a < 5'000; ++a) body += "; a" + std::to_string(a) + " @ 0";
  body += "\nOUT: A @ 1\nA @ 0 -> 1\n";
  for (int a = 0; a < 5'000; ++a) body += "a" + std::to_string(a) + " @ 0 -> 1\n";
  const Program program = parse(body).program;
  const std::string text = prompt_text(program, program, {}, {}, {}, {});
  EXPECT_LT(text.size(), 80'000u);
  EXPECT_NE(text.find(" more lines\n"), std::string::npos);
}

}  // namespace
}  // namespace einsummable::synthesis
