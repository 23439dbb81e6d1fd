# SPDX-License-Identifier: GPL-3.0-or-later
"""Behaviour of models and servers in 2026, for the server on the loopback
interface: thinking, loose JSON, small contexts, grammars that cannot be built,
streams only, few embeddings at a time."""
import base64
import json


def models(s):
    """Returns the models by name. `s`: the module server."""
    def thinks(handler, body, n):
        """Answers as a model that needs 1,000 tokens to think first."""
        if body.get("max_tokens", 0) < 1000:
            return 200, {}, s.chat("", finish="length",
                                 reasoning_content="Let me see, step 1 is ...")
        return 200, {}, s.chat(s.GOOD, reasoning_content="0.5 s it is.")

    def small_context(handler, body, n):
        """Answers as a model whose context holds 2,000 bytes and the tokens of
        the answer."""
        if len(s.said(body)) > 2000 or body.get("max_tokens", 0) > 500:
            return 400, {}, s.refuse("This model's maximum context length is 1024 "
                                   "tokens. However, you requested 4711 tokens.",
                                   "context_length_exceeded")
        return 200, {}, s.chat(s.GOOD)

    def no_grammar(status):
        """Answers as a server that cannot build a grammar from a schema, with
        `status`."""
        def act(handler, body, n):
            if s.schema_form(body) in ("json_schema", "structured_outputs"):
                return status, {}, s.refuse("Failed to parse grammar: unknown rule")
            return 200, {}, s.chat(s.GOOD)
        return act

    def events(*pieces, usage=True):
        """Returns the answer as a stream of events, as a server sends it."""
        rows = [{"model": "served-model", "system_fingerprint": "fp_1",
                 "choices": [{"index": 0, "delta": dict(piece),
                              "finish_reason": None}]} for piece in pieces]
        rows[-1]["choices"][0]["finish_reason"] = "stop"
        if usage:
            rows.append({"choices": [], "usage": s.USAGE})
        lines = ["data: " + json.dumps(row) + "\n\n" for row in rows]
        return (": hello\n\n" + "".join(lines) + "data: [DONE]\n\n").encode()

    STREAM = ({"role": "assistant"}, {"reasoning_content": "Hm."},
              {"content": s.GOOD[:9]}, {"content": s.GOOD[9:]})

    def stream_only(handler, body, n):
        if not body.get("stream"):
            return 400, {}, s.refuse("this server supports only streaming: stream "
                                   "must be true")
        if not body["stream_options"]["include_usage"]:
            return 400, {}, s.refuse("stream_options")
        return 200, {"X": "y"}, events(*STREAM)

    def few_inputs(handler, body, n):
        if len(body["input"]) > 4:
            return 422, {}, s.refuse("batch size %d > maximum allowed batch size 4"
                                   % len(body["input"]))
        return s.embed("float")(handler, body, n)

    def embed_no_key(handler, body, n):
        if handler.headers["Authorization"] is not None:
            return 401, {}, s.refuse("this key is not mine")
        return s.embed("float")(handler, body, n)

    def no_seed(handler, body, n):
        """Refuses an extra key as FastAPI does."""
        if "seed" in body:
            return 422, {}, {"detail": [{
                "type": "extra_forbidden", "loc": ["body", "seed"],
                "msg": "Extra inputs are not permitted", "input": 0}]}
        return 200, {}, s.chat(s.GOOD)

    return {
        "thinks": thinks,
        "thinks-in-text": s.says("<think>Let me see, step 1", finish="length"),
        "thinks-only": s.says("", reasoning_content="It is half a second."),
        "parts": s.says([{"type": "text", "text": s.GOOD[:9]},
                       {"type": "text", "text": s.GOOD[9:]}]),
        "quoted": s.says(
            '{"found": "true", "step_time": " 0.5", "unit": "s"}'),
        "trailing-comma": s.says(
            '{"found": true, "step_time": 0.5, "unit": "s",\n}'),
        "single-quotes": s.says(
            "{'found': True, 'step_time': 0.5, 'unit': 's', 'note': None}"),
        "tool-call": s.says(None, finish="tool_calls", tool_calls=[{
            "id": "1", "type": "function", "function": {
                "name": "step_time", "arguments": s.GOOD}}]),
        "no-seed": no_seed,
        "echo-base64": lambda handler, body, n: (401, {}, s.refuse(
            "bad: " + base64.b64encode(
                handler.headers["Authorization"].encode()).decode())),
        "comma-in-text": s.says(
            '{"found": true, "step_time": 0.5, "unit": ",}",}'),
        "long-optional": s.says(json.dumps({
            "found": True, "step_time": 0.5, "unit": "s" * 5000})),
        "long-bytes": s.says(json.dumps({"found": True, "step_time": 0.5,
                                       "unit": "a" + "\u00e4" * 4000})),
        "small-context": small_context,
        "no-context": s.always(400, code="context_length_exceeded"),
        "grammar-500": no_grammar(500),
        "grammar-422": no_grammar(422),
        "stream-only": stream_only,
        "stream-unasked": s.raw(events(*STREAM)),
        "stream-no-usage": s.raw(events(*STREAM, usage=False)),
        "stream-cut": s.raw(events(*STREAM)[:200]),
        "embed-few": few_inputs,
        "embed-no-key": embed_no_key,
    }
