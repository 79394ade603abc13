#include "harness/torch/sim/generator.h"

#include <ATen/CPUGeneratorImpl.h>
#include <c10/util/Exception.h>

#include "harness/torch/sim/device_type.h"

namespace minrepro::sim {
namespace {

class SimGenerator final : public c10::GeneratorImpl {
 public:
  explicit SimGenerator(at::Generator inner)
      : GeneratorImpl(sim_device(), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)), inner_(std::move(inner)) {}

  void set_current_seed(uint64_t seed) override { inner_.set_current_seed(seed); }
  void set_offset(uint64_t offset) override { inner_.set_offset(offset); }
  uint64_t get_offset() const override { return inner_.get_offset(); }
  uint64_t current_seed() const override { return inner_.current_seed(); }
  uint64_t seed() override { return inner_.seed(); }
  void set_state(const c10::TensorImpl& state) override { inner_.unsafeGetGeneratorImpl()->set_state(state); }
  c10::intrusive_ptr<c10::TensorImpl> get_state() const override { return inner_.unsafeGetGeneratorImpl()->get_state(); }

  const at::Generator& inner() const { return inner_; }

 private:
  SimGenerator* clone_impl() const override { return new SimGenerator(inner_.clone()); }

  at::Generator inner_;
};

}  // namespace

const at::Generator& default_generator() {
  static const at::Generator* generator = new at::Generator(at::make_generator<SimGenerator>(at::detail::getDefaultCPUGenerator()));
  return *generator;
}

at::Generator new_generator() { return at::make_generator<SimGenerator>(at::detail::createCPUGenerator()); }

at::Generator cpu_generator_of(const at::Generator& generator) {
  if (!generator.defined()) return generator;
  TORCH_CHECK(generator.device().type() == kSim, "Expected a 'cuda' device type for generator but found '", generator.device().type(), "'");
  return static_cast<const SimGenerator*>(generator.unsafeGetGeneratorImpl())->inner();
}

}  // namespace minrepro::sim
