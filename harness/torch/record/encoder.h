#pragma once

#include <vector>

#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include "harness/torch/record/capture.h"
#include "harness/torch/record/identity.h"
#include "harness/torch/record/op_table.h"
#include "harness/trace/record_buffer.h"

namespace minrepro {

/// Puts boxed values into records. Looks at tensors without dispatching anything: no operator, no Python, no autograd. Not for several threads at once.
class Encoder {
 public:
  /// Whose value it is.
  enum class Role {
    kArgument,
    kViewedArgument,                      ///< a result may share its memory: what is in it may still be written behind the recorder's back
    kMutatedArgument,
    kEvidence,                            ///< argument of an operator that violates a rule: integers are kept whatever their size
    kEvidenceChecked,                     ///< the very argument that violates it: kept whatever it is
    kResult,                              ///< made or changed by the call
    kOpenResult,                          ///< made by a call that does not say what is in it (empty)
    kSameObjectResult,                    ///< one of the arguments again
  };

  Encoder(Identities& identities, Capture& capture) : identities_(identities), capture_(capture) {}

  void value(const c10::IValue& value, Role role, RecordBuffer& out, int depth = 0);

  /// The state of a generator that the user made, as its get_state() gives it; returns whether it could be kept.
  bool generator_state(const at::Generator& generator, RecordBuffer& out);

  /// Whether a tensor on a CUDA device was seen so far.
  bool saw_cuda() const { return saw_cuda_; }

  /// Where the tensor objects that are arguments of the present call are noted: a result that is one of them is no new object. Each thread has its own.
  void set_arguments(std::vector<const c10::TensorImpl*>* arguments) { arguments_ = arguments; }

 private:
  void tensor(const at::Tensor& tensor, Role role, RecordBuffer& out);
  /// Without the tag that says that a tensor follows.
  void body(const at::Tensor& tensor, Role role, RecordBuffer& out);
  void components(const at::Tensor& tensor, Role role, RecordBuffer& out);
  void list(const c10::IValue& value, Role role, RecordBuffer& out, int depth);
  void opaque(const c10::IValue& value, RecordBuffer& out);
  bool is_argument(const c10::TensorImpl* tensor) const;

  Identities& identities_;
  Capture& capture_;
  std::vector<const c10::TensorImpl*>* arguments_ = nullptr;
  bool saw_cuda_ = false;
};

}  // namespace minrepro
