// SPDX-License-Identifier: Apache-2.0
#include "einsummable/base/text.h"

#include "einsummable/base/syntax_error.h"
#include "einsummable/graph/graph.h"
#include "einsummable/ops/registry.h"

namespace einsummable {
namespace {

std::string handle(TensorId id) { return "%" + std::to_string(id.value); }

std::string handles(const std::vector<TensorId>& ids) {
  std::vector<std::string> parts;
  for (TensorId id : ids) parts.push_back(handle(id));
  return join(parts, ", ");
}

std::string op_line(const GraphOp& op) {
  const std::string attributes = text(op.op->attributes());
  const std::string separator = op.inputs.empty() || attributes.empty() ? "" : ", ";
  return handles(op.outputs) + " = " + op.op->name() + "(" + handles(op.inputs) + separator +
         attributes + ") " + quote(op.name) + "\n";
}

}  // namespace

std::string text(const Graph& graph) {
  std::string out = "graph 1\n";
  for (size_t i = 0; i < graph.tensors().size(); ++i) {
    const GraphTensor& tensor = graph.tensors()[i];
    if (tensor.kind == GraphTensor::Kind::result) {
      if (tensor.output == 0) out += op_line(graph.op(tensor.producer));
      continue;
    }
    const bool input = tensor.kind == GraphTensor::Kind::input;
    out += handle(TensorId(static_cast<int64_t>(i))) + (input ? " = input " : " = parameter ") +
           text(tensor.type) + " " + quote(tensor.name) + "\n";
  }
  for (const GraphSave& save : graph.saves()) {
    out += "save " + handle(save.tensor) + " " + quote(save.name) + "\n";
  }
  return out;
}

class GraphReader {
 public:
  explicit GraphReader(std::string_view text) : lexer_(text) {}

  Graph read() {
    lexer_.expect("graph");
    if (lexer_.integer("a version") != 1) lexer_.fail("this version reads graphs of version 1");
    lexer_.end_line();
    while (!lexer_.at_end()) {
      const int line = lexer_.peek().line;
      try {
        read_line();
      } catch (const GraphError& error) {
        throw SyntaxError(line, 1, error.what());
      }
    }
    return std::move(graph_);
  }

 private:
  void read_line() {
    if (lexer_.accept("save")) {
      const TensorId tensor = known();
      graph_.save(tensor, name());
    } else {
      std::vector<int64_t> made = {new_handle()};
      while (lexer_.accept(",")) made.push_back(new_handle());
      lexer_.expect("=");
      const std::string word = lexer_.identifier("input, parameter or an operator");
      if (word == "input" || word == "parameter") {
        read_given(word == "input", made);
      } else {
        read_op(word, made);
      }
    }
    lexer_.end_line();
  }

  void read_given(bool input, const std::vector<int64_t>& made) {
    const auto dtype = dtype_from_name(lexer_.identifier("a dtype"));
    if (!dtype) lexer_.fail("the dtype before this is unknown");
    const Attribute shape = parse_attribute(lexer_, AttributeKind::integers);
    const auto* extents = std::get_if<std::vector<int64_t>>(&shape);
    if (!extents) lexer_.fail("a shape is a list of integers");
    const TensorId id =
        input ? graph_.input(*dtype, *extents, name()) : graph_.parameter(*dtype, *extents, name());
    check_numbering(made, {id});
  }

  void read_op(const std::string& word, const std::vector<int64_t>& made) {
    const OperatorInfo* info = find_operator(word);
    if (!info) lexer_.fail("there is no operator " + quote(word));
    std::vector<TensorId> inputs;
    Attributes attributes;
    lexer_.expect("(");
    bool first = true;
    while (!lexer_.accept(")")) {
      if (!first) lexer_.expect(",");
      first = false;
      if (lexer_.at("%")) {
        inputs.push_back(known());
        continue;
      }
      const std::string key = lexer_.identifier("an attribute");
      lexer_.expect("=");
      attributes.set(key, parse_attribute(lexer_, kind_of(*info, key)));
    }
    check_promoted(*info, inputs);
    check_numbering(made, graph_.apply(word, inputs, attributes, name()));
  }

  AttributeKind kind_of(const OperatorInfo& info, const std::string& key) {
    for (const AttributeInfo& attribute : info.attributes) {
      if (attribute.name == key) return attribute.kind;
    }
    lexer_.fail(std::string(info.name) + " has no attribute " + quote(key));
  }

  // A text holds its casts: promotion would add operators that have no line.
  void check_promoted(const OperatorInfo& info, const std::vector<TensorId>& inputs) {
    if (info.inputs.empty()) return;
    std::vector<TensorType> types;
    for (TensorId id : inputs) types.push_back(graph_.type(id));
    const std::vector<DType> dtypes = promoted_dtypes(info, types);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (dtypes[i] != types[i].dtype) {
        lexer_.fail("input " + std::to_string(i) + " of " + std::string(info.name) + " must be " +
                    std::string(short_name(dtypes[i])) + " here; write the cast");
      }
    }
  }

  void check_numbering(const std::vector<int64_t>& written, const std::vector<TensorId>& made) {
    std::vector<int64_t> numbers;
    for (TensorId id : made) numbers.push_back(id.value);
    if (written != numbers) {
      lexer_.fail("tensors are numbered in order: the line gives " + handles(made));
    }
  }

  int64_t new_handle() {
    lexer_.expect("%");
    return lexer_.integer("a tensor's number");
  }

  TensorId known() {
    const int64_t number = new_handle();
    if (number < 0 || number >= static_cast<int64_t>(graph_.tensors().size())) {
      lexer_.fail("there is no tensor %" + std::to_string(number) + " yet");
    }
    return TensorId(number);
  }

  std::string name() {
    std::string read = lexer_.string("a name");
    if (read.empty()) lexer_.fail("a name is not empty");
    return read;
  }

  Lexer lexer_;
  Graph graph_;
};

Graph parse_graph(std::string_view text) {
  try {
    return GraphReader(text).read();
  } catch (const SyntaxError& error) {
    throw GraphError(std::string("graph text, ") + error.what());
  }
}

}  // namespace einsummable
