# SPDX-License-Identifier: GPL-3.0-or-later
"""Turns an instruction and its answer into one text."""

WITH_INPUT = (
    "Below is a task, with some input for it. Write an answer.\n\n"
    "### Task:\n{instruction}\n\n### Input:\n{input}\n\n### Answer:\n")
WITHOUT_INPUT = (
    "Below is a task. Write an answer.\n\n"
    "### Task:\n{instruction}\n\n### Answer:\n")


def to_text(example, end):
    form = WITH_INPUT if example.get("input") else WITHOUT_INPUT
    return form.format(**example) + example["output"] + end


def mask_prompt(tokens, answer_at):
    """Labels that count only the answer."""
    return [-100] * answer_at + tokens[answer_at:]
