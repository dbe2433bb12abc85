"""`grader policy` as a person runs it; the server that is asked is a stand-in on the loopback interface."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from typer.testing import CliRunner

from grader.commands import main as cli
from lesson.policy_cost import layer_options, policy_cost
from solutions.planner.answers import standard_questions
from solutions.planner.plan import Hardware, ModelConfig, from_hf_config, plan_model
from solutions.policy import plan_policy

SHAPE = ("--layers", 32, "--hidden", 4096, "--heads", 32, "--seq", 4096, "--batch", 1)
LLAMA = {
    "model_type": "llama",
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "intermediate_size": 14336,
    "hidden_act": "silu",
    "vocab_size": 128256,
}


@pytest.fixture
def command(tmp_path, monkeypatch):
    """Run `grader policy` in an empty folder; returns exit code, what it printed, and its complaint."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")

    def command(*arguments):
        result = CliRunner().invoke(cli.app, ["policy", *map(str, arguments)])
        if result.exception and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result.exit_code, result.stdout, result.stderr

    return command


def best_answer(config, memory_gb):
    question = {"config": config, "memory_gb": memory_gb}
    try:
        plan = plan_policy(config, memory_gb)
    except ValueError:
        smallest = min(config["layers"] * o.kept + o.transient for o in layer_options(config).values()) / 1e9
        return {**question, "policy": None, "smallest_peak_gb": smallest}
    cost = policy_cost(config, plan)
    return {**question, "policy": plan, "predicted_peak_gb": cost.peak_gb, "overhead": cost.overhead}


# plan


def test_a_plan_as_a_table(command):
    code, output, _ = command("plan", *SHAPE, "--memory", "40GB")
    assert code == 0
    assert "layers 0-24" in output
    assert "selective" in output
    assert "39.73 GB of 40 GB" in output
    assert "why not weaker" in output


def test_a_plan_as_json_is_that_of_the_planner(command):
    code, output, _ = command("plan", *SHAPE, "--memory", "40GB", "--json")
    assert code == 0
    plan = plan_model(ModelConfig(32, 4096, 32, 4096, 1), Hardware(40 * 10**9))
    assert json.loads(output)["policy"] == list(plan.policy)
    assert json.loads(output)["predicted_peak_gb"] == plan.peak / 1e9


def test_gib_is_more_than_gb(command):
    overheads = [
        json.loads(command("plan", *SHAPE, "--memory", size, "--json")[1])["overhead"] for size in ("40GB", "40GiB")
    ]
    assert overheads[0] > overheads[1] > 0


def test_every_option_reaches_the_planner(command):
    # fmt: off
    code, output, _ = command(
        "plan", "--layers", 48, "--hidden", 8192, "--heads", 64, "--kv-heads", 8, "--head-size", 128, "--ffn", 28672,
        "--ffn-kind", "gated", "--seq", 8192, "--batch", 2, "--bytes-per-value", 2, "--flash-attention", "--vocabulary",
        128256, "--no-dropout", "--tied-embeddings", "--loss-chunks", 4, "--tensor-parallel", 8,
        "--sequence-parallel", "--pipeline-parallel", 4, "--interleaving", 2, "--microbatches", 8,
        "--expert-parallel", 2, "--gpu-memory", "80GB", "--reserved", "2GiB", "--weight-bytes", 2, "--gradient-bytes",
        4, "--optimizer-bytes", 12, "--data-parallel", 8, "--zero-stage", 1, "--host-bandwidth", "50GB/s", "--flops",
        "400TFLOP/s", "--json",
    )
    # fmt: on
    assert code == 0
    found = json.loads(output)
    # fmt: off
    model = ModelConfig(
        48, 8192, 64, 8192, 2, kv_heads=8, head_size=128, ffn=28672, ffn_kind="gated", bytes_per_value=2,
        flash_attention=True, vocabulary=128256, dropout=False, tied_embeddings=True, loss_chunks=4,
        tensor_parallel=8, sequence_parallel=True, pipeline_parallel=4, interleaving=2, microbatches=8,
        expert_parallel=2,
    )
    # fmt: on
    hardware = Hardware(
        memory=80 * 10**9,
        holds="everything",
        host_bandwidth=50e9,
        flops_per_second=400e12,
        weight_bytes=2,
        gradient_bytes=4,
        optimizer_bytes=12,
        data_parallel=8,
        zero_stage=1,
        reserved=2 * 2**30,
    )
    plan = plan_model(model, hardware)
    assert found["policy"] == list(plan.policy)
    assert found["peak_parts_gb"]["optimizer"] == plan.parts.optimizer / 1e9 > 0
    assert found["peak_parts_gb"]["reserved"] == 2 * 2**30 / 1e9
    assert found["memory_holds"] == "everything"


def test_a_hugging_face_config_and_what_wins_over_it(command, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    arguments = ("plan", "--model", "config.json", "--seq", 8192, "--batch", 1, "--memory", "60GB", "--json")
    code, output, _ = command(*arguments)
    assert code == 0
    plan = plan_model(from_hf_config(LLAMA, seq=8192, batch=1), Hardware(60 * 10**9))
    assert json.loads(output)["predicted_peak_gb"] == plan.peak / 1e9
    fewer = json.loads(command(*arguments, "--layers", 4, "--flash-attention")[1])
    assert len(fewer["policy"]) == 4
    assert fewer["config"]["flash_attention"] is True


def test_what_does_not_fit_is_refused_with_remedies(command):
    code, output, _ = command("plan", *SHAPE, "--memory", "4GB")
    assert code == 1
    assert "smallest reachable peak is 4.295 GB" in output
    assert "FlashAttention" in output
    code, output, _ = command("plan", *SHAPE, "--memory", "4GB", "--json")
    assert code == 1
    refusal = json.loads(output)
    assert refusal["policy"] is None
    assert refusal["smallest_peak_gb"] == pytest.approx(4.295, rel=1e-3)
    assert refusal["what_would_help"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((*SHAPE, "--memory", "40"), "no unit"),
        ((*SHAPE, "--memory", "40Gb"), "did you mean GB"),
        (SHAPE, "either --memory"),
        ((*SHAPE, "--memory", "40GB", "--gpu-memory", "80GB"), "either --memory"),
        ((*SHAPE, "--memory", "40GB", "--zero-stage", 1), "--zero-stage goes with --gpu-memory"),
        ((*SHAPE, "--memory", "40GB", "--reserved", "1GB"), "--reserved goes with --gpu-memory"),
        ((*SHAPE, "--memory", "40GB", "--host-bandwidth", "25"), "no unit"),
        ((*SHAPE, "--memory", "40GB", "--flops", "300T"), "unknown unit"),
        (("--seq", 8, "--batch", 1, "--memory", "1GB", "--layers", 2), "lacks --hidden, --heads"),
        ((*SHAPE, "--memory", "40GB", "--tensor-parallel", 5), "must divide heads"),
        (("--seq", 8, "--batch", 1, "--memory", "1GB", "--model", "nowhere.json"), "cannot be read"),
        (("--seq", 8, "--batch", 1, "--memory", "1GB", "--model", "broken.json"), "is not JSON"),
        (("--seq", 8, "--batch", 1, "--memory", "1GB", "--model", "list.json"), "one JSON object"),
        (("--seq", 8, "--batch", 1, "--memory", "1GB", "--model", "bytes.json"), "not text in UTF-8"),
    ],
)
def test_bad_input_gets_one_sentence(command, tmp_path, arguments, words):
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    (tmp_path / "list.json").write_text("[]", encoding="utf-8")
    (tmp_path / "bytes.json").write_bytes(b"\xff\xfe\xfd")
    code, output, complaint = command("plan", *arguments)
    assert (code, output) == (2, "")
    assert words in complaint
    assert complaint.count("\n") == 1


# check


def test_the_best_answer_is_judged(command, tmp_path):
    case = standard_questions()[2]
    answer = best_answer(case.config, case.memory_gb)
    (tmp_path / "answer.md").write_text(f"Sure!\n```json\n{json.dumps(answer)}\n```\n", encoding="utf-8")
    code, output, _ = command("check", "answer.md")
    assert code == 0
    assert "0.00 %" in output
    code, output, _ = command("check", "answer.md", "--json")
    assert json.loads(output)["optimal"] is True


def test_a_slow_and_a_large_answer(command, tmp_path):
    config = standard_questions()[2].config
    for name, plan in (("slow", ["full"] * 48), ("large", ["none"] * 48)):
        cost = policy_cost(config, plan)
        answer = {"config": config, "memory_gb": 25, "policy": plan, "predicted_peak_gb": cost.peak_gb}
        (tmp_path / f"{name}.json").write_text(json.dumps({**answer, "overhead": cost.overhead}), encoding="utf-8")
    code, output, _ = command("check", "slow.json")
    assert code == 0
    assert "longer than it has to" in output
    code, output, _ = command("check", "large.json")
    assert code == 1
    assert "more than there is" in output


def test_an_answer_to_another_question(command, tmp_path):
    first, second = standard_questions()[:2]
    (tmp_path / "answer.json").write_text(json.dumps(best_answer(first.config, first.memory_gb)), encoding="utf-8")
    (tmp_path / "question.json").write_text(json.dumps(second.to_dict()), encoding="utf-8")
    code, output, _ = command("check", "answer.json", "--question", "question.json")
    assert code == 1
    assert "another configuration" in output


def test_a_refusal_is_judged(command, tmp_path):
    case = standard_questions()[7]
    (tmp_path / "answer.json").write_text(json.dumps(best_answer(case.config, case.memory_gb)), encoding="utf-8")
    code, output, _ = command("check", "answer.json")
    assert code == 0
    assert "says that nothing fits" in output


@pytest.mark.parametrize("text", ["", "I do not know.", "{}", '{"config": 3}'])
def test_what_is_not_an_answer(command, tmp_path, text):
    (tmp_path / "answer.json").write_text(text, encoding="utf-8")
    code, output, complaint = command("check", "answer.json")
    assert (code, output) == (2, "")
    assert "no JSON object with a policy" in complaint


def test_what_is_not_a_question(command, tmp_path):
    case = standard_questions()[0]
    (tmp_path / "answer.json").write_text(json.dumps(best_answer(case.config, case.memory_gb)), encoding="utf-8")
    (tmp_path / "question.json").write_text('{"config": {}}', encoding="utf-8")
    code, _, complaint = command("check", "answer.json", "--question", "question.json")
    assert code == 2
    assert "not a question" in complaint


# cases and score


def test_cases_are_written_once(command, tmp_path):
    assert command("cases", "questions")[0] == 0
    names = sorted(path.stem for path in (tmp_path / "questions").iterdir())
    assert names == [case.name for case in standard_questions()]
    code, _, complaint = command("cases", "questions")
    assert code == 2
    assert "exists already" in complaint


def test_answers_are_scored(command, tmp_path):
    folder = tmp_path / "answers"
    folder.mkdir()
    for case in standard_questions()[:19]:
        answer = json.dumps(best_answer(case.config, case.memory_gb))
        (folder / f"{case.name}.md").write_text(f"```json\n{answer}\n```", encoding="utf-8")
    code, output, _ = command("score", "answers")
    assert code == 0
    assert "Of 20 answers 19 are valid, 19 fit with steps 0.00 % too long on average, and 19 are the best." in output
    code, output, _ = command("score", "answers", "--json")
    assert json.loads(output)["optimal"] == 19


def test_nothing_to_score(command, tmp_path):
    (tmp_path / "empty").mkdir()
    for arguments, words in (
        (("score", "empty"), "holds no answer"),
        (("score", "nowhere"), "no folder nowhere"),
        (("score", "empty", "--endpoint", "http://127.0.0.1:1/v1"), "belong together"),
        (("score", "empty", "--endpoint", "ftp://x", "--model", "m"), "http or https"),
        (("score", "empty", "--endpoint", "http://127.0.0.1:1", "--model", "m", "--prompt", "no.md"), "cannot be read"),
    ):
        code, _, complaint = command(*arguments)
        assert code == 2, arguments
        assert words in complaint


class _StandIn(BaseHTTPRequestHandler):
    """Answers every question rightly but three: one refused, one malformed, one that never comes."""

    seen: list[dict] = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body["authorization"] = self.headers.get("Authorization")
        self.seen.append(body)
        question = json.loads(body["messages"][1]["content"])
        message = {"content": json.dumps(best_answer(question["config"], question["memory_gb"]))}
        number = len(self.seen)
        if number == 1:
            message = {"content": None, "refusal": "I would rather not."}
        elif number == 2:
            message = {"content": "Use checkpointing, it is popular."}
        elif number == 3:
            self.server.release.wait(20)
            return
        data = json.dumps({"choices": [{"message": message}]}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *arguments):
        pass


@contextmanager
def stand_in():
    _StandIn.seen = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), _StandIn)
    server.release = threading.Event()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.release.set()
        server.shutdown()
        server.server_close()
        thread.join()


def test_a_server_is_asked(command, tmp_path, monkeypatch):
    monkeypatch.setenv("GRADER_API_KEY", "made up")
    (tmp_path / "prompt.md").write_text("Plan well.", encoding="utf-8")
    with stand_in() as url:
        code, output, _ = command(
            "score", "answers", "--endpoint", url, "--model", "tiny", "--prompt", "prompt.md", "--timeout", 1
        )
    assert code == 0
    assert "Replies: 17 answered, 1 refused, 1 malformed, 1 timeout." in output
    assert "17 are the best" in output
    assert len(list((tmp_path / "answers").iterdir())) == 17
    assert {body["messages"][0]["content"] for body in _StandIn.seen} == {"Plan well."}
    assert {(body["model"], body["authorization"]) for body in _StandIn.seen} == {("tiny", "Bearer made up")}
    code, output, _ = command("score", "answers", "--json")
    assert json.loads(output)["optimal"] == 17


def test_the_courses_prompt_is_asked_by_default(command):
    with stand_in() as url:
        code, output, _ = command("score", "answers", "--endpoint", url, "--model", "m", "--timeout", 1, "--json")
    assert code == 0
    assert json.loads(output)["replies"] == {"answered": 17, "refused": 1, "malformed": 1, "timeout": 1}
    assert "Ask before you calculate" in _StandIn.seen[0]["messages"][0]["content"]


def test_help_imports_neither_numpy_nor_the_solutions():
    program = (
        "import sys\nfrom typer.testing import CliRunner\nfrom grader.commands.main import app\n"
        "assert CliRunner().invoke(app, ['policy', '--help']).exit_code == 0\n"
        "print({'numpy', 'solutions', 'pytest'} & {name.partition('.')[0] for name in sys.modules})\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == "set()\n"
