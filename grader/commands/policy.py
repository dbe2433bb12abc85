"""`grader policy`: plan for a real model, and judge the plans and prompts of others. It only parses and prints."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

if TYPE_CHECKING:
    from solutions.planner.answers import Question, Reply, Verdict
    from solutions.planner.plan import Hardware, ModelConfig

DOES_NOT_FIT = 1
NOT_RIGHT = 1
USAGE = 2
ANSWER_SUFFIXES = (".json", ".md", ".txt")
LARGEST_FILE = 4_000_000

app = typer.Typer(help="Plan recomputation for a real model; judge plans and prompts.", no_args_is_help=True)


class FeedForward(StrEnum):
    """The kinds of feed-forward network: two matrices or three."""

    GELU = "gelu"
    GATED = "gated"


# Every option of `plan` is a field of the planner's `ModelConfig` or `Hardware`; only those that are given are passed.
Number = Annotated[int | None, typer.Option(metavar="N", min=1)]
Bytes = Annotated[float | None, typer.Option(metavar="N", min=0, help="Per parameter, with --gpu-memory.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command()
def plan(
    seq: Annotated[int, typer.Option(metavar="N", min=1, help="Tokens of a sequence.")],
    batch: Annotated[int, typer.Option(metavar="N", min=1, help="Sequences of one microbatch on one GPU.")],
    memory: Annotated[
        str, typer.Option(metavar="SIZE", help="For activations only, such as 40GB (10^9 bytes each) or 40GiB (2^30).")
    ] = "",
    gpu_memory: Annotated[
        str, typer.Option(metavar="SIZE", help="The whole GPU; weights, gradients and optimizer are taken off.")
    ] = "",
    model: Annotated[
        Path | None, typer.Option(metavar="PATH", help="A Hugging Face config.json; other options win over it.")
    ] = None,
    layers: Number = None,
    hidden: Number = None,
    heads: Number = None,
    kv_heads: Number = None,
    head_size: Number = None,
    ffn: Annotated[int | None, typer.Option(metavar="N", min=1, help="Feed-forward width; 4 * hidden.")] = None,
    ffn_kind: Annotated[FeedForward | None, typer.Option(help="Two matrices, or three.")] = None,
    bytes_per_value: Annotated[int | None, typer.Option(metavar="N", min=1, help="2 for 16 bit.")] = None,
    flash_attention: Annotated[bool | None, typer.Option(help="A fused attention kernel.")] = None,
    dropout: Annotated[bool | None, typer.Option(help="Whether the model is trained with dropout.")] = None,
    vocabulary: Annotated[int | None, typer.Option(metavar="N", min=0, help="0 leaves the logits out.")] = None,
    tied_embeddings: Annotated[bool | None, typer.Option()] = None,
    loss_chunks: Annotated[int | None, typer.Option(metavar="N", min=1, help="Pieces of logits and loss.")] = None,
    tensor_parallel: Number = None,
    sequence_parallel: Annotated[bool | None, typer.Option()] = None,
    pipeline_parallel: Number = None,
    interleaving: Annotated[int | None, typer.Option(metavar="N", min=1, help="Pieces per pipeline stage.")] = None,
    microbatches: Number = None,
    expert_parallel: Number = None,
    host_bandwidth: Annotated[
        str, typer.Option(metavar="RATE", help="To the host, such as 25GB/s; needed, with --flops, for offload.")
    ] = "",
    flops: Annotated[str, typer.Option(metavar="RATE", help="As measured, such as 300TFLOP/s.")] = "",
    weight_bytes: Bytes = None,
    gradient_bytes: Bytes = None,
    optimizer_bytes: Bytes = None,
    data_parallel: Number = None,
    zero_stage: Annotated[int | None, typer.Option(metavar="N", min=0, max=3, help="What ZeRO shards.")] = None,
    reserved: Annotated[
        str, typer.Option(metavar="SIZE", help="Never available: context, buffers, fragmentation.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Choose a policy for every layer of a model, so that it fits and loses as little time as possible."""
    # fmt: off
    given = {
        "kv_heads": kv_heads, "head_size": head_size, "ffn": ffn, "ffn_kind": ffn_kind and ffn_kind.value,
        "bytes_per_value": bytes_per_value, "flash_attention": flash_attention, "dropout": dropout,
        "vocabulary": vocabulary, "tied_embeddings": tied_embeddings, "loss_chunks": loss_chunks,
        "tensor_parallel": tensor_parallel, "sequence_parallel": sequence_parallel,
        "pipeline_parallel": pipeline_parallel, "interleaving": interleaving, "microbatches": microbatches,
        "expert_parallel": expert_parallel,
    }
    # fmt: on
    rates = {
        "weight_bytes": weight_bytes,
        "gradient_bytes": gradient_bytes,
        "optimizer_bytes": optimizer_bytes,
        "data_parallel": data_parallel,
        "zero_stage": zero_stage,
    }
    shape = {"layers": layers, "hidden": hidden, "heads": heads}
    try:
        hardware = _hardware(memory, gpu_memory, host_bandwidth, flops, reserved, _known(rates))
        described = _model(model, {**shape, "seq": seq, "batch": batch}, _known(given))
    except ValueError as error:
        _stop(str(error))
    _print_plan(described, hardware, as_json)


def _print_plan(model: ModelConfig, hardware: Hardware, as_json: bool) -> None:
    from solutions.planner.plan import DoesNotFit, plan_model, plan_rows, plan_to_json
    from solutions.planner.units import format_gb

    try:
        found = plan_model(model, hardware)
    except DoesNotFit as refusal:
        if as_json:
            _print_json(refusal.to_dict())
        else:
            print(f"No plan fits {format_gb(refusal.memory)}.")
            print(f"The smallest reachable peak is {format_gb(refusal.smallest_peak)}.")
            rows = [
                (remedy.change, format_gb(remedy.smallest_peak), "fits" if remedy.fits else "still too much")
                for remedy in refusal.remedies
            ]
            _table(("what would help", "smallest peak", ""), rows)
        raise typer.Exit(DOES_NOT_FIT) from None
    except ValueError as error:
        _stop(str(error))
    if as_json:
        print(plan_to_json(found))
    else:
        _table(("what", "value"), plan_rows(found))


@app.command()
def check(
    answer: Annotated[Path, typer.Argument(metavar="ANSWER", help="A plan as JSON, or a text that contains one.")],
    question: Annotated[
        Path | None, typer.Option(metavar="PATH", help="What was asked, as written by `cases`.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Judge a plan that somebody, or a language model, has made; exits with 1 unless it is valid and fits."""
    from solutions.planner.answers import find_answer, judge

    found = find_answer(_read(answer))
    if found is None:
        _stop(f"{answer} contains no JSON object with a policy.")
    verdict = judge(found, None if question is None else _question(question))
    if as_json:
        _print_json(verdict.to_dict())
    else:
        _table(("what", "value"), _verdict_rows(verdict))
    if not (verdict.valid and verdict.fits):
        raise typer.Exit(NOT_RIGHT)


@app.command()
def cases(folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder that does not exist yet.")]) -> None:
    """Write 20 questions, each a configuration with a budget, to try a prompt on."""
    from solutions.planner.answers import standard_questions

    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        _stop(f"{folder} exists already; name a new folder, so that nothing is overwritten.")
    folder.mkdir(parents=True, exist_ok=True)
    for case in standard_questions():
        text = json.dumps(case.to_dict(), indent=2) + "\n"
        (folder / f"{case.name}.json").write_text(text, encoding="utf-8")
    print(f"{len(standard_questions())} questions are in {folder}. Name each answer like its question and score them.")


@app.command()
def score(
    answers: Annotated[
        Path, typer.Argument(metavar="DIR", help="Answers named like the questions of `cases`: .json, .md or .txt.")
    ],
    endpoint: Annotated[
        str, typer.Option(metavar="URL", help="Ask this OpenAI-compatible server first; its answers go to DIR.")
    ] = "",
    model: Annotated[str, typer.Option(metavar="NAME", help="Name of the model to ask.")] = "",
    prompt: Annotated[
        Path | None, typer.Option(metavar="PATH", help="The prompt to try; by default that of the course.")
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", min=0.001, help="For each question.")] = 120.0,
    api_key: Annotated[
        str, typer.Option(envvar="GRADER_API_KEY", show_default=False, help="Sent to the server as a bearer token.")
    ] = "",
    as_json: JsonOption = False,
) -> None:
    """Score a prompt by the answers it has led to: how many fit, and how far they are from the best."""
    from solutions.planner.answers import score as score_answers
    from solutions.planner.answers import standard_questions

    replies: dict[str, Reply] = {}
    if bool(endpoint) != bool(model):
        _stop("--endpoint and --model belong together.")
    if endpoint:
        replies = _ask(endpoint, model, prompt, timeout, api_key or None)
        answers.mkdir(parents=True, exist_ok=True)
        for name, reply in replies.items():
            if reply.answer is not None:
                text = json.dumps(reply.answer, indent=2, allow_nan=False) + "\n"
                (answers / f"{name}.json").write_text(text, encoding="utf-8")
    found: dict[str, object] = {**(replies or _stored(answers, standard_questions()))}
    if not found:
        _stop(f"{answers} holds no answer to any of the questions that `grader policy cases` writes.")
    result = score_answers(found)
    statuses = Counter(reply.status for reply in replies.values())
    if as_json:
        _print_json({**result.to_dict(), **({"replies": dict(statuses)} if replies else {})})
        return
    _table(
        ("question", "fits", "distance", "what is wrong"),
        [
            (
                name,
                "yes" if verdict.fits else "no",
                "" if verdict.distance_percent is None else f"{verdict.distance_percent:.2f} %",
                " ".join(verdict.problems),
            )
            for name, verdict in result.verdicts.items()
        ],
    )
    mean = result.mean_distance_percent
    slower = "" if mean is None else f" with steps {mean:.2f} % too long on average"
    print(
        f"Of {result.cases} answers {result.valid} are valid, {result.feasible} fit{slower}, "
        f"and {result.optimal} are the best."
    )
    if replies:
        print("Replies: " + ", ".join(f"{count} {status}" for status, count in statuses.most_common()) + ".")


def _hardware(
    memory: str, gpu_memory: str, host_bandwidth: str, flops: str, reserved: str, rates: dict[str, Any]
) -> Hardware:
    from solutions.planner.plan import Hardware, parse_bandwidth, parse_bytes, parse_flops

    if bool(memory) == bool(gpu_memory):
        raise ValueError("Say either --memory, for activations only, or --gpu-memory, for everything.")
    if memory and (rates or reserved):
        names = [f"--{name.replace('_', '-')}" for name in (*rates, *(["reserved"] if reserved else []))]
        raise ValueError(f"{', '.join(names)} goes with --gpu-memory: --memory is for activations only.")
    return Hardware(
        parse_bytes(memory or gpu_memory),
        "activations" if memory else "everything",
        parse_bandwidth(host_bandwidth) if host_bandwidth else None,
        parse_flops(flops) if flops else None,
        reserved=parse_bytes(reserved) if reserved else 0,
        **rates,
    )


def _model(path: Path | None, shape: dict[str, int | None], given: dict[str, Any]) -> ModelConfig:
    from solutions.planner.plan import ModelConfig, from_hf_config

    if path is None:
        missing = [f"--{name}" for name, value in shape.items() if value is None]
        if missing:
            raise ValueError(f"The model lacks {', '.join(missing)}; state them, or --model with a config.json.")
        return ModelConfig(**shape, **given)  # type: ignore[arg-type]
    config = _read_json(path)
    return from_hf_config(config, **_known(shape), **given)


def _known(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _question(path: Path) -> Question:
    from lesson.policy_form import is_number
    from solutions.planner.answers import Question

    question = _read_json(path)
    fields: dict[str, Any] = question if isinstance(question, dict) else {}
    if not isinstance(fields.get("config"), dict) or not is_number(fields.get("memory_gb")):
        _stop(f"{path} is not a question: it needs config and memory_gb.")
    return Question(path.stem, fields["config"], float(fields["memory_gb"]))


def _ask(endpoint: str, model: str, prompt: Path | None, timeout: float, api_key: str | None) -> dict[str, Reply]:
    from rich.console import Console
    from rich.progress import track

    from solutions.planner.answers import ask, standard_questions
    from solutions.policy import POLICY_PROMPT

    text = POLICY_PROMPT if prompt is None else _read(prompt)
    replies: dict[str, Reply] = {}
    try:
        for case in track(standard_questions(), "Asking", console=Console(stderr=True), transient=True):
            replies |= ask(endpoint, model, text, [case], timeout, api_key=api_key)
    except ValueError as error:
        _stop(str(error))
    return replies


def _stored(folder: Path, questions: Iterable[Question]) -> dict[str, str]:
    if not folder.is_dir():
        _stop(f"There is no folder {folder}.")
    found = {}
    for case in questions:
        for suffix in ANSWER_SUFFIXES:
            path = folder / f"{case.name}{suffix}"
            if path.is_file():
                found[case.name] = _read(path)
                break
    return found


def _verdict_rows(verdict: Verdict) -> list[tuple[str, str]]:
    def yes(value: bool) -> str:
        return "yes" if value else "no"

    rows = [("valid form", yes(verdict.valid))]
    if verdict.valid:
        rows.append(("says that nothing fits", "yes") if verdict.refusal else ("fits", yes(verdict.fits)))
        if verdict.refusal:
            rows.append(("which is right", yes(verdict.fits)))
        for name, value in (("peak", verdict.peak_gb), ("smallest reachable peak", verdict.smallest_peak_gb)):
            if value is not None:
                rows.append((name, f"{value:.4g} GB"))
        for name, value in (("overhead", verdict.overhead), ("overhead of the best plan", verdict.best_overhead)):
            if value is not None:
                rows.append((name, f"{100 * value:.2f} % of a step"))
        if verdict.distance_percent is not None:
            rows.append(("a step takes longer than it has to by", f"{verdict.distance_percent:.2f} %"))
    return rows + [("what is wrong", problem) for problem in verdict.problems]


def _read(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST_FILE:
            _stop(f"{path} is larger than {LARGEST_FILE // 10**6} MB.")
        return path.read_text(encoding="utf-8")
    except OSError as error:
        _stop(f"{path} cannot be read: {error.strerror or error}.")
    except UnicodeDecodeError:
        _stop(f"{path} is not text in UTF-8.")


def _read_json(path: Path) -> Any:
    from lesson.policy_form import load_json

    value, problem = load_json(_read(path))
    if problem is not None:
        _stop(f"{path} is not JSON: {problem}.")
    return value


def _print_json(value: object) -> None:
    print(json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False))


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from grader.words import printable

    table = Table(*head, box=box.SIMPLE_HEAD)
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    if table.rows:
        Console().print(table)


def _stop(sentence: str) -> NoReturn:
    print(sentence, file=sys.stderr)
    raise SystemExit(USAGE)
