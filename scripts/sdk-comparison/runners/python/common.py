"""What the programs of the SDKs for Python share; `common.mjs` in Python."""

import json
import sys
import time

NOTHING = 255
FALLBACK = "__default__"

directory = sys.argv[1]
with open(f"{directory}/place.json", encoding="utf-8") as file:
    _place = json.load(file)
settings, flags, contexts = _place["settings"], _place["flags"], _place["contexts"]
with open(f"{directory}/answers.bin", "rb") as file:
    _answers = file.read()
changing = {"key": settings["changing"], "kind": "string"}


def _print(line):
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _same(given, wanted):
    # In Python, True equals 1.
    return given == wanted and isinstance(given, bool) == isinstance(wanted, bool)


def compare(evaluator_of, local, most=None, divides=True):
    """evaluator_of returns, for a context, a function from a flag to its value; None is the caller's default.

    divides: whether the SDK divides units as the product does; if not, flags with percentages must be absent.
    """
    used = contexts if most is None else contexts[:most]
    result = {"contexts": len(used), "evaluations": 0, "listed": 0, "differences": 0, "examples": []}
    seen = set()
    for i, context in enumerate(used):
        evaluate = evaluator_of(context)
        for j, flag in enumerate(flags):
            is_listed = local and (len(flag["reasons"]) > 0 or (flag["isDivided"] and not divides))
            if is_listed and i >= settings["listedContexts"]:
                continue
            answer = NOTHING if is_listed else _answers[i * len(flags) + j]
            wanted = None if answer == NOTHING else flag["values"][answer]
            given = evaluate(flag)
            result["evaluations"] += 1
            result["listed"] += is_listed
            if _same(given, wanted):
                continue
            result["differences"] += 1
            if flag["key"] not in seen and len(seen) < 20:
                seen.add(flag["key"])
                example = {"flag": flag["key"], "isListed": is_listed, "wanted": wanted, "given": given}
                result["examples"].append({**example, "context": context})
    _print(result)


def watch(read):
    """Reports each new value of the flag that changes, until the last."""
    _print({"watching": True})
    last = None
    while last != settings["last"]:
        value = read()
        if value is not None and value != last:
            _print({"seen": value, "at": int(time.time() * 1000)})
            last = value
        time.sleep(0.002)
    # Threads of an SDK may still run.
    sys.stdout.flush()
    import os

    os._exit(0)
