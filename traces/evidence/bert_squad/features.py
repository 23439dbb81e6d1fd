# SPDX-License-Identifier: GPL-3.0-or-later
"""Long contexts are cut into overlapping windows, each with its answer."""


def window_answers(batch, offsets, owners, answers):
    """Start and end token of the answer in each window; 0, 0: none."""
    starts, ends = [], []
    for window, offset in enumerate(offsets):
        answer = answers[owners[window]]
        first = answer["answer_start"][0]
        last = first + len(answer["text"][0])
        kinds = batch.sequence_ids(window)
        left = kinds.index(1)
        right = len(kinds) - 1 - kinds[::-1].index(1)
        if offset[left][0] > first or offset[right][1] < last:
            starts.append(0)
            ends.append(0)
            continue
        while left < len(offset) and offset[left][0] <= first:
            left += 1
        while offset[right][1] >= last:
            right -= 1
        starts.append(left - 1)
        ends.append(right + 1)
    return starts, ends


def prepare(tokenizer, length, stride):
    def cut(rows):
        batch = tokenizer(rows["question"], rows["context"],
                          truncation="only_second", max_length=length,
                          stride=stride, return_overflowing_tokens=True,
                          return_offsets_mapping=True, padding="max_length")
        owners = batch.pop("overflow_to_sample_mapping")
        offsets = batch.pop("offset_mapping")
        starts, ends = window_answers(batch, offsets, owners, rows["answers"])
        batch["start_positions"], batch["end_positions"] = starts, ends
        return batch
    return cut
