"""Judge policies that somebody, or a language model given the prompt, has worked out.

An answer has the form of `lesson.policy_form`:

    {"config": {…}, "memory_gb": 40, "policy": ["full", …], "predicted_peak_gb": 39.2, "overhead": 0.21}

and when nothing fits `"policy": null` with `"smallest_peak_gb"`. It is judged by what its plan really
costs, not by what it says of itself; wrong predictions are noted.

"Distance" is how much longer a step takes than with the best plan, in percent.
"""

import http.client
import json
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

from lesson.policy_cost import GB, layer_options, policy_cost
from lesson.policy_form import (
    ANSWER_KEYS,
    Unsupported,
    first_json,
    is_number,
    json_blocks,
    load_json,
    plain_question,
    spelled_out,
)
from solutions.planner.optimum import best_overhead

LARGEST_REPLY = 4_000_000
MOST_BRACES = 1000  # in running text, before the search for an answer is given up
LOOPBACK = ("127.0.0.1", "::1", "localhost")
TOLERANCE = 0.01  # of a predicted number
SAME_PERCENT = 1e-7  # two overheads that differ by less are the same

Status = Literal["answered", "refused", "malformed", "timeout", "error"]


@dataclass(frozen=True)
class Question:
    """A model and a memory budget, under a name."""

    name: str
    config: dict[str, Any]
    memory_gb: float

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain values."""
        return {"name": self.name, "config": self.config, "memory_gb": self.memory_gb}


@dataclass(frozen=True)
class Verdict:
    """What an answer is worth.

    Attributes
    ----------
    valid
        Whether it has the form of an answer to the question.
    fits
        Whether its plan fits; for a refusal, whether indeed nothing fits.
    refusal
        Whether it says that nothing fits.
    distance_percent
        How much longer a step takes than with the best plan; None unless the plan fits.
    peak_gb, overhead
        What the plan really costs; None where there is none.
    best_overhead, smallest_peak_gb
        The overhead of the best plan (None when nothing fits), and the least peak that any plan reaches.
    problems
        What is wrong, as sentences.
    """

    valid: bool
    fits: bool = False
    refusal: bool = False
    distance_percent: float | None = None
    peak_gb: float | None = None
    overhead: float | None = None
    best_overhead: float | None = None
    smallest_peak_gb: float | None = None
    problems: tuple[str, ...] = ()

    @property
    def optimal(self) -> bool:
        """Return whether no plan is better, or rightly that there is none."""
        return self.fits and (self.refusal or (self.distance_percent or 0.0) < SAME_PERCENT)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as plain values."""
        return {**vars(self), "problems": list(self.problems), "optimal": self.optimal}


@dataclass(frozen=True)
class Score:
    """What the answers to a set of questions are worth together.

    Attributes
    ----------
    cases, valid, feasible, optimal
        How many questions there were, and how many answers have the right form, fit, and are the best.
    mean_distance_percent
        Mean over the plans that fit; None when there is none.
    verdicts
        By the questions' names.
    """

    cases: int
    valid: int
    feasible: int
    optimal: int
    mean_distance_percent: float | None
    verdicts: dict[str, Verdict]

    def to_dict(self) -> dict[str, Any]:
        """Return the score as plain values."""
        return {
            **vars(self),
            "verdicts": {name: verdict.to_dict() for name, verdict in self.verdicts.items()},
        }


@dataclass(frozen=True)
class Reply:
    """What a server made of a question: how it went, the answer if any, details, and the time it took."""

    status: Status
    answer: dict[str, Any] | None
    detail: str
    seconds: float


@dataclass(frozen=True)
class _Terms:
    """What an answer is judged by: plain configuration, GPUs that share it, budget, best overhead, least peak."""

    config: dict[str, Any]
    share: int
    memory_gb: float
    best: float | None
    smallest: float


class _Invalid(Exception):
    """The answer does not have the form of an answer; the message says why."""


def judge(answer: object, question: Question | None = None) -> Verdict:
    """Return what an answer is worth.

    Parameters
    ----------
    answer
        In the form above. Anything else is an invalid answer, not an error.
    question
        The question it has to answer; without it, the one that the answer itself repeats.
    """
    try:
        fields, refusal = _read_form(answer)
        terms = _terms(fields, question)
        if refusal:
            return _judge_refusal(float(fields["smallest_peak_gb"]), terms)
        return _judge_plan(fields, terms)
    except _Invalid as error:
        return Verdict(False, problems=(str(error),))


def _read_form(answer: object) -> tuple[Mapping[str, Any], bool]:
    """Return the answer and whether it is a refusal."""
    if not isinstance(answer, Mapping):
        raise _Invalid("The answer is not a JSON object.")
    refusal = "policy" in answer and answer["policy"] is None
    needed = ("config", "memory_gb", "policy", "smallest_peak_gb") if refusal else ANSWER_KEYS
    if missing := [key for key in needed if key not in answer]:
        raise _Invalid(f"The answer lacks {', '.join(missing)}.")
    if not isinstance(answer["config"], Mapping):
        raise _Invalid("config is not a JSON object.")
    if wrong := [key for key in needed if key not in ("config", "policy") and not is_number(answer[key])]:
        raise _Invalid(f"{wrong[0]} is not a number.")
    return answer, refusal


def _terms(answer: Mapping[str, Any], question: Question | None) -> _Terms:
    try:
        config, share = plain_question(answer["config"])
    except Unsupported as error:
        raise _Invalid(f"config: {error}") from None
    memory_gb = float(answer["memory_gb"])
    if question is not None and (plain_question(question.config) != (config, share) or memory_gb != question.memory_gb):
        raise _Invalid("The answer is about another configuration or another budget.")
    smallest = min(config["layers"] * o.kept + o.transient for o in layer_options(config).values())
    best = None
    with suppress(ValueError):
        best = best_overhead(config, memory_gb * share)
    return _Terms(config, share, memory_gb, best, smallest / GB / share)


def _judge_refusal(stated: float, terms: _Terms) -> Verdict:
    best, smallest = terms.best, terms.smallest
    problems = []
    if best is not None:
        problems.append(f"Something does fit {terms.memory_gb:g} GB: the best plan adds {100 * best:.2f} % to a step.")
    if not _close(stated, smallest):
        problems.append(f"The smallest reachable peak is {smallest:.4g} GB, not {stated:.4g} GB.")
    return Verdict(
        True,
        fits=best is None,
        refusal=True,
        best_overhead=best,
        smallest_peak_gb=smallest,
        problems=tuple(problems),
    )


def _judge_plan(answer: Mapping[str, Any], terms: _Terms) -> Verdict:
    memory_gb, best = terms.memory_gb, terms.best
    plan = spelled_out(answer["policy"])
    if plan is None:
        raise _Invalid("policy must be a list with one policy per layer.")
    try:
        cost = policy_cost(terms.config, plan)
    except ValueError as error:
        raise _Invalid(str(error)) from None
    peak, overhead = cost.peak_gb / terms.share, cost.overhead
    problems = []
    distance = None
    if best is None:
        problems.append(f"Nothing fits {memory_gb:g} GB: the smallest reachable peak is {terms.smallest:.4g} GB.")
    elif peak > memory_gb * (1 + 1e-12):
        problems.append(f"The plan peaks at {peak:.4g} GB, {peak - memory_gb:.4g} GB more than there is.")
    else:
        distance = max(0.0, 100 * ((1 + overhead) / (1 + best) - 1))
        if distance >= SAME_PERCENT:
            problems.append(
                f"The best plan adds {100 * best:.2f} % to a step, this one {100 * overhead:.2f} %: "
                f"a step takes {distance:.2f} % longer than it has to."
            )
    if not _close(float(answer["predicted_peak_gb"]), peak):
        problems.append(f"The plan peaks at {peak:.4g} GB, not at {answer['predicted_peak_gb']:.4g} GB.")
    if not _close(float(answer["overhead"]), overhead):
        problems.append(f"The plan's overhead is {overhead:.4g}, not {answer['overhead']:.4g}.")
    return Verdict(
        True,
        fits=distance is not None,
        distance_percent=distance,
        peak_gb=peak,
        overhead=overhead,
        best_overhead=best,
        smallest_peak_gb=terms.smallest,
        problems=tuple(problems),
    )


def standard_questions() -> list[Question]:
    """Return 20 questions: models of all sizes, with FlashAttention or offload or not, three hopeless."""
    pcie = {"host_bandwidth": 25e9, "flops_per_second": 150e12}
    fast_link = {"host_bandwidth": 200e9, "flops_per_second": 100e12}
    slow_gpu = {"host_bandwidth": 12e9, "flops_per_second": 60e12}
    shapes: dict[str, dict[str, int]] = {
        "gpt2-medium": {"layers": 24, "hidden": 1024, "heads": 16},
        "gpt2-xl": {"layers": 48, "hidden": 1600, "heads": 25},
        "1b": {"layers": 16, "hidden": 2048, "heads": 32},
        "3b": {"layers": 32, "hidden": 2560, "heads": 32},
        "7b": {"layers": 32, "hidden": 4096, "heads": 32},
        "13b": {"layers": 40, "hidden": 5120, "heads": 40},
        "22b": {"layers": 48, "hidden": 6144, "heads": 64},
        "70b": {"layers": 80, "hidden": 8192, "heads": 64},
        "175b": {"layers": 96, "hidden": 12288, "heads": 96},
        "1t": {"layers": 128, "hidden": 25600, "heads": 160},
    }
    flash = {"flash_attention": True}
    table: list[tuple[str, int, int, dict[str, Any], float]] = [
        ("gpt2-medium", 1024, 8, {}, 30),
        ("gpt2-medium", 1024, 32, {}, 12),
        ("gpt2-xl", 1024, 4, {}, 25),
        ("gpt2-xl", 1024, 16, flash, 20),
        ("7b", 512, 16, {}, 23),
        ("1b", 8192, 1, {}, 24),
        ("1b", 8192, 4, {**flash, **pcie}, 30),
        ("3b", 2048, 4, {}, 4.5),
        ("3b", 4096, 2, pcie, 20),
        ("7b", 4096, 1, {}, 40),
        ("7b", 4096, 1, flash, 12),
        ("7b", 8192, 2, {**flash, **fast_link}, 16),
        ("7b", 32768, 1, {}, 75),
        ("13b", 4096, 2, {**flash, **pcie}, 24),
        ("13b", 2048, 4, slow_gpu, 30),
        ("22b", 2048, 4, {}, 70),
        ("70b", 4096, 1, {**flash, **slow_gpu}, 18),
        ("70b", 131072, 1, flash, 120),
        ("175b", 2048, 1, {}, 60),
        ("1t", 2048, 1, pcie, 150),
    ]
    return [
        Question(
            f"{number:02d}-{shape}",
            {**shapes[shape], "seq": seq, "batch": batch, **extra},
            memory_gb,
        )
        for number, (shape, seq, batch, extra, memory_gb) in enumerate(table, 1)
    ]


def score(answers: Mapping[str, object], questions: Sequence[Question] | None = None) -> Score:
    """Return what answers, by the names of the questions, are worth; a missing one counts as invalid.

    Parameters
    ----------
    answers
        Name → answer: a dict, a `Reply`, or text that contains the answer as JSON.
    questions
        By default `standard_questions()`.
    """
    questions = standard_questions() if questions is None else questions
    verdicts = {}
    for question in questions:
        answer = answers.get(question.name)
        if isinstance(answer, Reply):
            detail = f"{answer.status}: {answer.detail}"
            answer = answer.answer if answer.status == "answered" else detail
        if isinstance(answer, str) and (found := find_answer(answer)) is not None:
            answer = found
        verdicts[question.name] = (
            Verdict(False, problems=("No answer.",)) if answer is None else judge(answer, question)
        )
    distances = [v.distance_percent for v in verdicts.values() if v.distance_percent is not None]
    return Score(
        len(questions),
        sum(verdict.valid for verdict in verdicts.values()),
        sum(verdict.fits for verdict in verdicts.values()),
        sum(verdict.optimal for verdict in verdicts.values()),
        sum(distances) / len(distances) if distances else None,
        verdicts,
    )


def find_answer(text: str) -> dict[str, Any] | None:
    """Return the last JSON object with a `policy` in a text: in a fenced block, or else anywhere."""
    fenced = [block.value for block in json_blocks(text) if isinstance(block.value, dict)]
    whole, _ = load_json(text)
    found = [value for value in [whole, *fenced] if isinstance(value, dict) and "policy" in value]
    if not found:
        found = [value for value in _bare_objects(text) if "policy" in value]
    return found[-1] if found else None


def ask(
    endpoint: str,
    model: str,
    prompt: str,
    questions: Sequence[Question],
    timeout: float = 120.0,
    *,
    api_key: str | None = None,
) -> dict[str, Reply]:
    """Put questions to an OpenAI-compatible server, one after the other.

    Whatever goes wrong with one question (a timeout, a broken or useless reply, a refusal, no server at
    all) is noted in its `Reply` and does not stop the others.

    Parameters
    ----------
    endpoint
        Base address such as "http://127.0.0.1:8000/v1".
    model, prompt
        The model's name; the prompt under test, sent as the system message.
    questions
    timeout
        Seconds for each question, from the first byte sent to the last one read.
    api_key
        Sent as a bearer token.

    Raises
    ------
    ValueError
        If the endpoint is not an http or https address.
    """
    parts = urllib.parse.urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{endpoint!r} is not an http or https address.")
    url = endpoint.rstrip("/")
    if not url.endswith("/chat/completions"):
        url += "/chat/completions"
    direct = [urllib.request.ProxyHandler({})] if parts.hostname in LOOPBACK else []
    opener = urllib.request.build_opener(*direct)
    headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {api_key}"} if api_key else {})
    replies = {}
    for question in questions:
        start = time.monotonic()
        text = json.dumps({"config": question.config, "memory_gb": question.memory_gb}, indent=1)
        messages = [{"role": "system", "content": prompt}, {"role": "user", "content": text}]
        body = json.dumps({"model": model, "messages": messages, "temperature": 0, "stream": False})
        request = urllib.request.Request(url, body.encode(), headers)  # noqa: S310 - http or https, see above
        status, answer, detail = _ask_one(opener, request, start + timeout)
        replies[question.name] = Reply(status, answer, detail, time.monotonic() - start)
    return replies


def _ask_one(
    opener: urllib.request.OpenerDirector, request: urllib.request.Request, deadline: float
) -> tuple[Status, dict[str, Any] | None, str]:
    try:
        with opener.open(request, timeout=max(0.001, deadline - time.monotonic())) as response:
            text = _read(response, deadline)
    except TimeoutError:
        return "timeout", None, "no complete reply in time"
    except urllib.error.HTTPError as error:
        error.close()
        return "error", None, f"the server answered {error.code}"
    except urllib.error.URLError as error:
        if isinstance(error.reason, TimeoutError):
            return "timeout", None, "no complete reply in time"
        return "error", None, f"no connection: {error.reason}"
    except (OSError, http.client.HTTPException, ValueError) as error:
        return "error", None, f"the reply broke off: {error}"
    return _read_reply(text)


def _read(response: http.client.HTTPResponse, deadline: float) -> str:
    """Read all of a reply before the deadline, also from a server that sends one byte at a time."""
    pieces, size = [], 0
    while piece := response.read1(65536):
        pieces.append(piece)
        size += len(piece)
        if time.monotonic() > deadline:
            raise TimeoutError
        if size > LARGEST_REPLY:
            raise ValueError("it is too long")
    return b"".join(pieces).decode("utf-8", "replace")


def _read_reply(text: str) -> tuple[Status, dict[str, Any] | None, str]:
    reply, problem = load_json(text)
    try:
        choice = reply["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (TypeError, KeyError, IndexError, AttributeError):
        return "malformed", None, problem or "the reply is not a chat completion"
    if refusal or choice.get("finish_reason") == "content_filter":
        return "refused", None, str(refusal or "filtered")[:200]
    answer = find_answer(content) if isinstance(content, str) else None
    if answer is None:
        return "malformed", None, "no JSON answer in the reply"
    return "answered", answer, ""


def _bare_objects(text: str) -> list[dict[str, Any]]:
    """Return the outermost JSON objects in running text."""
    found = []
    position = text.find("{")
    for _ in range(MOST_BRACES):
        if position < 0:
            break
        value, end = first_json(text, position)
        if isinstance(value, dict):
            found.append(value)
        position = text.find("{", end)
    return found


def _close(given: float, expected: float) -> bool:
    return abs(given - expected) <= TOLERANCE * abs(expected) + 1e-9
