// SPDX-License-Identifier: Apache-2.0
// Attention: by cuDNN where that serves, else a generated kernel in tiles. A block of threads has
// some queries of one head, takes the keys they see a tile at a time through shared memory, and
// keeps its part of the output in registers; softmax is online, and scores never exist as a whole.

#include <cmath>
#include <numeric>

#include "einsummable/base/text.h"
#include "einsummable/executor/cuda/kernels/attention_call.h"
#include "einsummable/executor/cuda/text.h"
#include "einsummable/executor/fused_expression.h"

namespace einsummable::cuda {
namespace {

constexpr int32_t kThreads = 128;
// What a block may share on every device, in bytes, less what aligning its arrays takes.
constexpr int64_t kShared = (48 << 10) - 256;

// Queries and keys of a tile.
struct Tile {
  int64_t queries = 0, keys = 0;
};

int64_t shared_bytes(const AttentionExtents& x, Tile tile, int64_t element) {
  const int64_t elements =
      tile.queries * (x.width + tile.keys + 3) + tile.keys * (x.width + 1 + x.value_width);
  return elements * element + tile.queries * 2 * int64_t{sizeof(int64_t)};
}

// The largest tile that fits; none if no row does.
std::optional<Tile> tile_of(const AttentionExtents& x, int64_t element) {
  constexpr Tile kTiles[] = {{16, 32}, {16, 16}, {8, 16}, {8, 8}, {4, 4}, {1, 1}};
  for (const Tile& tile : kTiles) {
    if (shared_bytes(x, tile, element) <= kShared) return tile;
  }
  return std::nullopt;
}

// A name for a number in the kernel's text.
std::string named(const std::string& name, int64_t value) {
  return "const long long " + name + " = " + std::to_string(value) + ";\n";
}

// The kernel's text, part after part in the order of the work.
class AttentionText {
 public:
  AttentionText(const KernelCall& call, const AttentionExtents& extents, Tile tile, DType computed)
      : call_(call),
        x_(extents),
        tile_(tile),
        type_("Value<" + element_type(computed) + ">"),
        computed_(computed) {}

  std::string text() const {
    return numbers() + shared() + tiles_begin() + load_queries() + key_loop() + finish() + "}\n";
  }

  int64_t tiles() const { return x_.heads_of_all() * tiles_of_head(); }

 private:
  int64_t tiles_of_head() const { return (x_.queries + tile_.queries - 1) / tile_.queries; }
  int64_t outputs_a_thread() const {
    return (tile_.queries * x_.value_width + kThreads - 1) / kThreads;
  }
  std::string load(size_t input, const std::string& offset) const {
    return type_ + "(load<" + element_type(call_.inputs[input].dtype) + ">(in" +
           std::to_string(input) + ", " + offset + ").value)";
  }

  std::string numbers() const {
    return named("QUERIES", x_.queries) + named("KEYS", x_.keys) + named("WIDTH", x_.width) +
           named("VALUES", x_.value_width) + named("TQ", tile_.queries) + named("TK", tile_.keys) +
           "const int t = thread_index();\nconst " + type_ + " nothing = -infinity<" +
           element_type(computed_) + ">();\n";
  }

  std::string shared() const {
    const auto array = [&](const std::string& type, const std::string& name, int64_t count) {
      return "ES_SHARED(" + type + ", " + name + ", " +
             std::to_string(std::max<int64_t>(count, 1)) + ");\n";
    };
    return array(type_, "q", tile_.queries * x_.width) +
           array(type_, "k", tile_.keys * (x_.width + 1)) +
           array(type_, "v", tile_.keys * x_.value_width) +
           array(type_, "scores", tile_.queries * tile_.keys) +
           array(type_, "most", tile_.queries) + array(type_, "sums", tile_.queries) +
           array(type_, "scales", tile_.queries) + array("long long", "lows", tile_.queries) +
           array("long long", "highs", tile_.queries);
  }

  // A tile of queries of one head: `i` counts heads of all batches, `first` is its first query.
  std::string tiles_begin() const {
    const Axes axes = x_.head_axes(call_);
    const std::string names[] = {"q_at", "k_at", "v_at", "y_at", "lse_at", "mask_at"};
    return "for (long long tile = block_index(); tile < " + std::to_string(tiles()) +
           "; tile += block_count()) {\nconst long long i = tile / " +
           std::to_string(tiles_of_head()) + ", first = tile % " + std::to_string(tiles_of_head()) +
           " * TQ;\n" + offsets(axes, "i", names);
  }

  // The keys that a query of the block sees: [lows, highs) in the block's own positions.
  std::string visible() const {
    std::string text = "long long low = 0, high = " + std::to_string(x_.visible.keys) +
                       ";\nconst long long row = first + t + " + std::to_string(x_.first_query) +
                       ";\n";
    if (!x_.visible.ends.empty()) {
      std::vector<std::string> ends;
      for (int64_t end : x_.visible.ends) ends.push_back(std::to_string(end));
      text += "ES_TABLE(long long, ends) = {" + join(ends, ", ") +
              "};\nint below = 0, above = " + std::to_string(ends.size() - 1) +
              ";\nwhile (below < above) {\nconst int middle = (below + above) / 2;\n"
              "if (ends[middle] > row) above = middle; else below = middle + 1;\n}\n"
              "low = below == 0 ? 0 : ends[below - 1];\nhigh = ends[below];\n";
    }
    if (x_.visible.causal) {
      text += "const long long last = row + " + std::to_string(x_.visible.offset() + 1) +
              ";\nhigh = last < high ? last : high;\n";
    }
    const std::string key = std::to_string(x_.first_key);
    return text + "low = low - " + key + " < 0 ? 0 : low - " + key + ";\nhigh = high - " + key +
           " > KEYS ? KEYS : high - " + key +
           ";\nlows[t] = low;\nhighs[t] = high < low ? low : high;\n";
  }

  std::string load_queries() const {
    return "for (long long n = t; n < TQ * WIDTH; n += " + std::to_string(kThreads) +
           ") {\nconst long long row = n / WIDTH, d = n % WIDTH;\nq[n] = first + row < QUERIES ? " +
           load(0, "q_at + (first + row) * " + x_.stride(call_, 0, 2) + " + d * " +
                       x_.stride(call_, 0, 1)) +
           " : " + type_ +
           "(0);\n}\nif (t < TQ) {\nmost[t] = nothing;\nsums[t] = 0;\n"
           "lows[t] = highs[t] = 0;\nif (first + t < QUERIES) {\n" +
           visible() + "}\n}\n" + type_ + " out[" +
           std::to_string(std::max<int64_t>(outputs_a_thread(), 1)) +
           "];\n#pragma unroll\nfor (int n = 0; n < " + std::to_string(outputs_a_thread()) +
           "; ++n) out[n] = 0;\nbarrier();\n"
           "long long begin = KEYS, end = 0;\nfor (int row = 0; row < TQ; ++row) {\n"
           "if (lows[row] < highs[row] && lows[row] < begin) begin = lows[row];\n"
           "if (lows[row] < highs[row] && highs[row] > end) end = highs[row];\n}\n";
  }

  std::string key_loop() const {
    return "for (long long from = begin; from < end; from += TK) {\n" + load_keys() + score() +
           weigh() + add_values() + "}\n";
  }

  std::string load_keys() const {
    const std::string threads = std::to_string(kThreads);
    return "for (long long n = t; n < TK * WIDTH; n += " + threads +
           ") {\nconst long long row = n / WIDTH, d = n % WIDTH;\nk[row * (WIDTH + 1) + d] = from "
           "+ "
           "row < KEYS ? " +
           load(1, "k_at + (from + row) * " + x_.stride(call_, 1, 2) + " + d * " +
                       x_.stride(call_, 1, 1)) +
           " : " + type_ + "(0);\n}\nfor (long long n = t; n < TK * VALUES; n += " + threads +
           ") {\nconst long long row = n / VALUES, d = n % VALUES;\nv[n] = from + row < KEYS ? " +
           load(2, "v_at + (from + row) * " + x_.stride(call_, 2, 2) + " + d * " +
                       x_.stride(call_, 2, 1)) +
           " : " + type_ + "(0);\n}\nbarrier();\n";
  }

  std::string score() const {
    std::string score = "score * " + constant(computed_, x_.scale);
    if (call_.inputs.size() > 3) {
      score += " + " + load(3, "mask_at + (first + row) * " + x_.mask_stride(call_, 2) +
                                   " + (from + key) * " + x_.mask_stride(call_, 1));
    }
    return "for (long long n = t; n < TQ * TK; n += " + std::to_string(kThreads) +
           ") {\nconst long long row = n / TK, key = n % TK;\n" + type_ +
           " score = nothing;\nif (lows[row] <= from + key && from + key < highs[row]) {\n"
           "score = 0;\nfor (int d = 0; d < WIDTH; ++d) score = fma(q[row * WIDTH + d], k[key * "
           "(WIDTH + 1) + d], score);\nscore = " +
           score + ";\n}\nscores[n] = score;\n}\nbarrier();\n";
  }

  // A row's largest score so far, and by how much that shrinks what it has already.
  std::string weigh() const {
    return "if (t < TQ) {\n" + type_ +
           " largest = most[t];\nfor (int key = 0; key < TK; ++key) largest = maximum(largest, "
           "scores[t * TK + key]);\nscales[t] = largest == most[t] ? " +
           type_ + "(1) : exp(most[t] - largest);\nmost[t] = largest;\n" + type_ +
           " sum = sums[t] * scales[t];\nfor (int key = 0; key < TK; ++key) {\nconst " + type_ +
           " weight = scores[t * TK + key] == nothing ? " + type_ +
           "(0) : exp(scores[t * TK + key] - largest);\nscores[t * TK + key] = weight;\nsum = sum "
           "+ "
           "weight;\n}\nsums[t] = sum;\n}\nbarrier();\n";
  }

  // What weighs nothing does not count, even if it is NaN.
  std::string add_values() const {
    return each_output(
               "const long long row = o / VALUES, d = o % VALUES;\n" + type_ +
               " sum = out[n] * scales[row];\nfor (int key = 0; key < TK; ++key) {\nconst " +
               type_ +
               " weight = scores[row * TK + key];\nif (weight != 0) sum = fma(weight, v[key "
               "* VALUES + d], sum);\n}\nout[n] = sum;\n") +
           "barrier();\n";
  }

  std::string finish() const {
    const Block& y = call_.outputs[0];
    std::string text = each_output(
        "const long long row = o / VALUES, d = o % VALUES;\nif (first + row < QUERIES) store<" +
        element_type(y.dtype) + ">(out0, y_at + (first + row) * " +
        std::to_string(y.strides[y.strides.size() - 2]) + " + d * " +
        std::to_string(y.strides.back()) + ", Cast<" + element_type(y.dtype) +
        ">::from(sums[row] == 0 ? " + type_ + "(0) : out[n] / sums[row]));\n");
    for (size_t o = 1; o < call_.outputs.size(); ++o) {
      const Block& lse = call_.outputs[o];
      const std::string number = std::to_string(o);
      text += "if (t < TQ && first + t < QUERIES) {\n" + lse_offset(o) + "store<" +
              element_type(lse.dtype) + ">(out" + number + ", lse + (first + t) * " +
              std::to_string(lse.strides.back()) + ", Cast<" + element_type(lse.dtype) +
              ">::from(sums[t] == 0 ? nothing : most[t] + log(sums[t])));\n}\n";
    }
    return text + "barrier();\n";
  }

  std::string lse_offset(size_t output) const {
    Shape heads = call_.outputs[output].shape;
    std::vector<int64_t> strides = call_.outputs[output].strides;
    heads.pop_back();
    strides.pop_back();
    const std::string names[] = {"lse"};
    return offsets(collapse(heads, {strides}), "i", names);
  }

  // Every output of the tile that this thread has: number `n` of its own, `o` of the tile's.
  static std::string unrolled(int64_t count, const std::string& body) {
    return "#pragma unroll\nfor (int n = 0; n < " + std::to_string(count) +
           "; ++n) {\nconst long long o = t + n * " + std::to_string(kThreads) +
           ";\nif (o < TQ * VALUES) {\n" + body + "}\n}\n";
  }
  std::string each_output(const std::string& body) const {
    return unrolled(outputs_a_thread(), body);
  }

  const KernelCall& call_;
  const AttentionExtents& x_;
  Tile tile_;
  std::string type_;
  DType computed_;
};

std::optional<PreparedTask> prepare_generated(const KernelCall& call, const AttentionExtents& x) {
  const auto is_wide = [](const Block& block) { return block.dtype == DType::f64; };
  const bool wide = std::ranges::any_of(call.inputs, is_wide) || is_wide(call.outputs[0]);
  const DType computed = wide ? DType::f64 : DType::f32;
  const auto tile = tile_of(x, size_of(computed));
  if (!tile) return std::nullopt;
  const AttentionText text(call, x, *tile, computed);
  if (text.tiles() == 0) return PreparedTask{};
  KernelSource source{.parameters = parameters(call.inputs, call.outputs),
                      .body = text.text(),
                      .threads = kThreads};
  return PreparedTask{
      .nodes = {GeneratedKernel{std::move(source), blocks_for(text.tiles(), 1),
                                arguments(call.inputs.size(), call.outputs.size())}}};
}

std::optional<PreparedTask> prepare(const KernelCall& call, const KernelOptions& options) {
  const AttentionExtents extents(call);
  if (options.library_attention) {
    if (auto library = prepare_library_attention(call, extents, options)) return library;
  }
  return prepare_generated(call, extents);
}

}  // namespace

KernelEntry attention_kernel() { return {"attention", prepare}; }

}  // namespace einsummable::cuda
