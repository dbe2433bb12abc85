"""Judging answers, and asking a server for them (a stand-in on the loopback interface)."""

import json
import threading
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from lesson.policy_cost import layer_options, policy_cost
from solutions.planner.answers import Question, Reply, ask, find_answer, judge, score, standard_questions
from solutions.policy import plan_policy

CASE = Question("small", {"layers": 24, "hidden": 2048, "heads": 16, "seq": 2048, "batch": 4}, 12)


def smallest_peak(config):
    return min(config["layers"] * o.kept + o.transient for o in layer_options(config).values()) / 1e9


def best_answer(case):
    question = {"config": case.config, "memory_gb": case.memory_gb}
    try:
        plan = plan_policy(case.config, case.memory_gb)
    except ValueError:
        return {**question, "policy": None, "smallest_peak_gb": smallest_peak(case.config)}
    cost = policy_cost(case.config, plan)
    return {**question, "policy": plan, "predicted_peak_gb": cost.peak_gb, "overhead": cost.overhead}


def with_plan(case, plan):
    cost = policy_cost(case.config, plan)
    return {**best_answer(case), "policy": plan, "predicted_peak_gb": cost.peak_gb, "overhead": cost.overhead}


def test_the_best_answer():
    verdict = judge(best_answer(CASE), CASE)
    assert (verdict.valid, verdict.fits, verdict.optimal, verdict.problems) == (True, True, True, ())
    assert verdict.distance_percent == 0
    assert verdict.overhead == verdict.best_overhead
    assert verdict.smallest_peak_gb == pytest.approx(smallest_peak(CASE.config))
    assert judge(best_answer(CASE)) == verdict


def test_order_and_counts_do_not_matter():
    answer = best_answer(CASE)
    assert judge({**answer, "policy": answer["policy"][::-1]}, CASE).optimal
    assert judge({**answer, "policy": {"full": 7, "selective": 17}}, CASE).optimal


def test_a_slower_plan():
    verdict = judge(with_plan(CASE, ["full"] * 24), CASE)
    assert verdict.fits
    assert not verdict.optimal
    best = verdict.best_overhead
    assert verdict.distance_percent == pytest.approx(100 * ((4 / 3) / (1 + best) - 1))
    assert "longer than it has to" in verdict.problems[0]


def test_a_plan_that_does_not_fit():
    verdict = judge(with_plan(CASE, ["selective"] * 24), CASE)
    assert verdict.valid
    assert not verdict.fits
    assert verdict.distance_percent is None
    assert "more than there is" in verdict.problems[0]


def test_wrong_predictions_are_noted():
    verdict = judge({**best_answer(CASE), "predicted_peak_gb": 11, "overhead": 13.1}, CASE)
    assert verdict.optimal
    assert len(verdict.problems) == 2
    close = {**best_answer(CASE), "predicted_peak_gb": 11.8, "overhead": 0.1305}
    assert judge(close, CASE).problems == ()


def test_refusals():
    hopeless = Question("hopeless", CASE.config, 2)
    right = judge(best_answer(hopeless), hopeless)
    assert (right.valid, right.fits, right.refusal, right.optimal, right.problems) == (
        True,
        True,
        True,
        True,
        (),
    )
    vague = judge({**best_answer(hopeless), "smallest_peak_gb": 4}, hopeless)
    assert vague.fits
    assert "smallest reachable peak" in vague.problems[0]
    wrong = judge({"config": CASE.config, "memory_gb": 12, "policy": None, "smallest_peak_gb": 13}, CASE)
    assert (wrong.valid, wrong.fits, wrong.optimal) == (True, False, False)
    assert "Something does fit" in wrong.problems[0]
    bold = judge({**with_plan(CASE, ["full"] * 24), "memory_gb": 2}, hopeless)
    assert (bold.valid, bold.fits) == (True, False)
    assert "Nothing fits" in bold.problems[0]


def test_described_runs():
    """Number format, kernel and parallel degrees are understood, the latter as a share of every byte."""
    described = {"dtype": "bfloat16", "attention_kernel": "eager", "pipeline_parallel": 4}
    assert judge({**best_answer(CASE), "config": {**CASE.config, **described}}, CASE).optimal
    config = {**CASE.config, "tensor_parallel": 4, "sequence_parallel": True}
    answer = {**best_answer(CASE), "config": config, "memory_gb": 3}
    answer["predicted_peak_gb"] /= 4
    assert judge(answer).optimal
    assert judge(answer).problems == ()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"policy": ["full"] * 23}, "23 policies for 24 layers"),
        ({"policy": ["fast"] * 24}, "not a policy"),
        ({"policy": ["offload"] * 24}, "host_bandwidth"),
        ({"policy": "full"}, "policy must be a list"),
        ({"policy": {"all": 24}}, "policy must be a list"),
        ({"config": "24 layers"}, "not a JSON object"),
        ({"config": {"layers": 24}}, "hidden"),
        ({"config": {**CASE.config, "layers": 10**9}}, "layers"),
        ({"config": {**CASE.config, "dtype": "fp8"}}, "dtype"),
        ({"config": {**CASE.config, "tensor_parallel": 8}}, "sequence_parallel"),
        (
            {"config": {**CASE.config, "attention_kernel": "flash", "flash_attention": False}},
            "flash_attention",
        ),
        ({"config": {**CASE.config, "flash_attention": "no"}}, "flash_attention"),
        ({"config": {**CASE.config, "host_bandwidth": "fast"}}, "host_bandwidth"),
        ({"config": {**CASE.config, "tensor_parallel": "two"}}, "tensor_parallel"),
        ({"memory_gb": "12"}, "memory_gb is not a number"),
        ({"overhead": True}, "overhead is not a number"),
        ({"predicted_peak_gb": 10**400}, "predicted_peak_gb is not a number"),
        ({"memory_gb": 13}, "another configuration"),
        ({"config": {**CASE.config, "batch": 1}}, "another configuration"),
    ],
)
def test_invalid_answers(change, words):
    verdict = judge({**best_answer(CASE), **change}, CASE)
    assert not verdict.valid
    assert words in " ".join(verdict.problems)


def test_no_answer_at_all():
    for answer in (None, [], "full", {}):
        assert not judge(answer, CASE).valid
    assert "lacks config, memory_gb" in judge({}).problems[0]


def test_verdicts_are_plain_json():
    text = json.dumps(judge(best_answer(CASE), CASE).to_dict(), allow_nan=False)
    assert json.loads(text)["optimal"] is True


# The set of questions.


def test_cases_are_twenty_and_always_the_same():
    questions = standard_questions()
    assert len(questions) == len({case.name for case in questions}) == 20
    assert questions == standard_questions()
    json.dumps([case.to_dict() for case in questions], allow_nan=False)


def test_cases_cover_what_can_happen():
    seen = []
    for case in standard_questions():
        try:
            seen.append(frozenset(plan_policy(case.config, case.memory_gb)))
        except ValueError:
            seen.append(None)
    assert seen.count(None) == 3
    assert {"none", "selective", "full", "offload"} <= set().union(*(plan for plan in seen if plan))
    assert any(plan and len(plan) == 3 for plan in seen)
    assert any(plan == {"none"} for plan in seen)


def test_cases_stay_away_from_reachable_peaks():
    def outcome(case, factor):
        try:
            return policy_cost(case.config, plan_policy(case.config, case.memory_gb * factor)).overhead
        except ValueError:
            return None

    for case in standard_questions():
        assert outcome(case, 1 - 1e-5) == outcome(case, 1) == outcome(case, 1 + 1e-5), case.name


def test_a_perfect_score():
    result = score({case.name: best_answer(case) for case in standard_questions()})
    assert (result.cases, result.valid, result.feasible, result.optimal) == (20, 20, 20, 20)
    assert result.mean_distance_percent == 0
    json.dumps(result.to_dict(), allow_nan=False)


def test_a_mixed_score():
    questions = [CASE, Question("tiny", CASE.config, 2), Question("large", CASE.config, 50)]
    answers = {
        "small": json.dumps(with_plan(CASE, ["full"] * 24)),
        "tiny": Reply("timeout", None, "no complete reply in time", 1.0),
        "stranger": best_answer(CASE),
    }
    result = score(answers, questions)
    assert (result.cases, result.valid, result.feasible, result.optimal) == (3, 1, 1, 0)
    assert result.mean_distance_percent == result.verdicts["small"].distance_percent > 0
    assert result.verdicts["large"].problems == ("No answer.",)
    assert score({}, questions).mean_distance_percent is None


def test_finding_an_answer_in_text():
    answer = best_answer(CASE)
    plain = json.dumps(answer)
    assert find_answer(plain) == answer
    assert find_answer(f"First {{this}}, then:\n```json\n{plain}\n```\nDone.") == answer
    assert find_answer(f"So the answer is {plain}. Good luck {{}}!") == answer
    assert find_answer(f'```json\n{{"policy": 1}}\n```\n```json\n{plain}\n```') == answer
    for text in ("", "no", "{", '{"a": 1}', "```json\n{\n```", "[" * 100_000, '{"policy": NaN' + "}" * 3):
        assert find_answer(text) is None


# Asking a server.


@contextmanager
def server(respond):
    """Run a server on the loopback interface that answers each request with `respond(handler, body)`."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            respond(self, body)

        def log_message(self, *args):
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, *args):
            pass  # a client that gave up is part of the test

    httpd = Server(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_address[1]}/v1"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()


def send(handler, payload, status=200):
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    handler.send_response(status)
    handler.send_header("Content-Length", str(len(data)))
    handler.end_headers()
    handler.wfile.write(data)


def completion(content, **message):
    return {"choices": [{"message": {"role": "assistant", "content": content, **message}, "finish_reason": "stop"}]}


def question_of(body):
    return json.loads(body["messages"][1]["content"])


def test_asking_for_all_cases():
    requests = []

    def respond(handler, body):
        requests.append((handler.path, handler.headers["Authorization"], body))
        question = question_of(body)
        answer = best_answer(Question("", question["config"], question["memory_gb"]))
        send(handler, completion(f"Here it is.\n```json\n{json.dumps(answer)}\n```"))

    with server(respond) as endpoint:
        replies = ask(endpoint + "/", "some-model", "THE PROMPT", standard_questions(), 30, api_key="k")
    assert {reply.status for reply in replies.values()} == {"answered"}
    assert score(replies).optimal == 20
    path, authorization, body = requests[0]
    assert (path, authorization) == ("/v1/chat/completions", "Bearer k")
    assert body["model"] == "some-model"
    assert body["messages"][0] == {"role": "system", "content": "THE PROMPT"}


@pytest.mark.parametrize(
    ("payload", "status"),
    [
        (completion("I would rather talk about the weather."), "malformed"),
        (completion(None), "malformed"),
        (completion("", refusal="I cannot help with that."), "refused"),
        ({"choices": [{"message": {"content": ""}, "finish_reason": "content_filter"}]}, "refused"),
        ({"choices": []}, "malformed"),
        ({"error": "overloaded"}, "malformed"),
        ([1], "malformed"),
        (b"<html>", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"", "malformed"),
        (b"[" * 100_000, "malformed"),
    ],
)
def test_useless_replies_are_counted(payload, status):
    with server(lambda handler, body: send(handler, payload)) as endpoint:
        replies = ask(endpoint, "m", "p", [CASE], 10)
    assert replies["small"].status == status
    assert replies["small"].answer is None
    assert not score(replies, [CASE]).verdicts["small"].valid


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_of_the_server_are_counted(status):
    with server(lambda handler, body: send(handler, {"error": "no"}, status)) as endpoint:
        reply = ask(endpoint, "m", "p", [CASE], 10)["small"]
    assert reply.status == "error"
    assert str(status) in reply.detail


def test_a_reply_that_breaks_off():
    def respond(handler, body):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"choices"')

    with server(respond) as endpoint:
        assert ask(endpoint, "m", "p", [CASE], 10)["small"].status in ("error", "malformed")


def test_an_endless_reply():
    def respond(handler, body):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b" " * 65536)

    with server(respond) as endpoint:
        reply = ask(endpoint, "m", "p", [CASE], 60)["small"]
    assert reply.status == "error"
    assert "too long" in reply.detail


def test_silence_and_dripping_time_out_and_the_rest_goes_on():
    release = threading.Event()

    def respond(handler, body):
        memory_gb = question_of(body)["memory_gb"]
        if memory_gb == 1:
            release.wait(10)
        elif memory_gb == 2:
            handler.send_response(200)
            handler.end_headers()
            while not release.wait(0.02):
                handler.wfile.write(b" ")
                handler.wfile.flush()
        else:
            send(handler, completion(json.dumps(best_answer(CASE))))

    questions = [Question("silent", CASE.config, 1), Question("dripping", CASE.config, 2), CASE]
    start = time.monotonic()
    with server(respond) as endpoint:
        replies = ask(endpoint, "m", "p", questions, 1.0)
        release.set()
    assert [replies[name].status for name in ("silent", "dripping", "small")] == [
        "timeout",
        "timeout",
        "answered",
    ]
    assert time.monotonic() - start < 8
    result = score(replies, questions)
    assert (result.valid, result.optimal) == (1, 1)


def test_nobody_there():
    with server(lambda handler, body: None) as endpoint:
        pass
    reply = ask(endpoint, "m", "p", [CASE], 5)["small"]
    assert reply.status == "error"
    assert "no connection" in reply.detail


@pytest.mark.parametrize("endpoint", ["file:///etc/passwd", "localhost:8000", "ftp://x/v1", "http://"])
def test_only_http(endpoint):
    with pytest.raises(ValueError, match="http"):
        ask(endpoint, "m", "p", [CASE], 5)
