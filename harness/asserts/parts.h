#pragma once

#include <vector>

#include "harness/asserts/evaluate.h"

/// What of a checked tensor a kernel reads (see AssertRule::parts). Parts of evaluate.h.
namespace minrepro::asserts {

/// Of ctc_loss's labels the first `target_lengths[b]` of row b (of all, one after the other, if they have one dimension), where `input_lengths[b]` > 0.
/// None if host code refuses the lengths. Source: LossCTC.cu, ctc_loss_log_alpha_gpu_kernel and the checks of ctc_loss_gpu_template.
std::vector<Part> labels_of_ctc(const TensorView& targets, const CallView& call);

/// Of each row what stands before its first negative number, as an int32. Source: MultiLabelMarginCriterion.cu.
std::vector<Part> before_the_first_negative(const TensorView& target, const CallView& call);

/// Without the first offset, which counts as 0, and without the last one if the call says `include_last_offset`. Source: EmbeddingBag.cu.
std::vector<Part> offsets_that_count(const TensorView& offsets, const CallView& call);

/// Whole, if there is a bag to fill; else nothing. Source: EmbeddingBag.cu, whose kernels loop over bags.
std::vector<Part> indices_in_bags(const TensorView& indices, const CallView& call);

/// Of the offsets of a jagged tensor those that make a row start before its values or reach behind them: rows are cut at `max_lengths`, and pairs that decrease
/// are padding. Source: NestedTensorTransformerFunctions.cu.
std::vector<Part> ends_that_are_reached(const TensorView& offsets, const CallView& call);

/// Without the last number of each row, which is not read: it is known. Source: TensorConversions.cpp, which replaces it.
std::vector<Part> all_but_the_last(const TensorView& view, const CallView& call);

/// The first row of a COO tensor's indices: what is compressed. Source: TensorConversions.cpp.
std::vector<Part> first_row(const TensorView& indices, const CallView& call);

}  // namespace minrepro::asserts
