"""Figures of a student's own functions: what is measured, and what is shown."""

import importlib
import importlib.util
import itertools
import subprocess
import sys

import pytest

from grader.author.diagrams import diagrams
from lesson.figures import Picture, Remark, layer_bytes, memory_over_time, policy_by_budget, segment_sweep
from lesson.instruments import budgets, layer_shares, memory_timeline, sweep
from solutions.cost_model import best_segment, segment_memory, segment_overhead
from solutions.policy import plan_policy
from solutions.recompute import (
    model_backward,
    model_backward_checkpointed,
    model_forward,
    model_forward_checkpointed,
)


@pytest.mark.parametrize(
    ("k", "after_forward", "peak"), [(1, 48.0, 53.9), (4, 12.0, 23.2), (7, 7.0, 21.1), (12, 4.0, 23.2), (48, 1.0, 55.2)]
)
def test_the_timeline_agrees_with_the_table_in_the_text(k, after_forward, peak):
    line = memory_timeline(model_forward_checkpointed, model_backward_checkpointed, k)
    assert line.after_forward == pytest.approx(after_forward, abs=0.4)
    assert line.peak == pytest.approx(peak, abs=0.5)
    assert max([*line.forward, *line.backward]) == line.peak


def test_the_timeline_is_a_staircase_and_one_tooth_for_each_segment():
    line = memory_timeline(model_forward_checkpointed, model_backward_checkpointed, 8, 24)
    assert line.forward[-1] > line.forward[len(line.forward) // 3] > line.forward[0]
    middle = (max(line.backward) + min(line.backward)) / 2
    above = [value > middle for value in line.backward]
    teeth = sum(1 for before, now in itertools.pairwise(above) if now and not before) + above[0]
    assert 2 <= teeth <= 4


def test_the_timeline_shows_who_keeps_everything():
    line = memory_timeline(lambda x, params, k: model_forward(x, params), lambda g, a, p, k: model_backward(g, a, p), 4)
    assert line.after_forward == pytest.approx(48, abs=0.5)


def test_however_the_arrays_are_multiplied_the_timeline_is_measured():
    import numpy as np

    def forward(x, params, k):
        for w1, b1, w2, b2 in params:
            x = np.maximum(np.dot(x, w1) + b1, 0)
            x = np.add(np.einsum("ij,jk->ik", x, w2), b2, out=np.empty_like(x))
        return x, [x]

    line = memory_timeline(forward, lambda g, saved, params, k: (g, [np.array(layer[0]) for layer in params]), 2, 6)
    assert len(line.forward) > 6 * 4
    assert line.peak > 1


def test_the_sweep_is_the_students_own():
    points = sweep(segment_memory, segment_overhead, 64, 17)
    assert min(points, key=lambda point: point[1])[0] == best_segment(64, 17) == 2
    assert [round(points[k - 1][1]) for k in (1, 2, 8)] == [80, 65, 143]


def test_shares_are_those_of_the_text():
    shares = layer_shares()
    assert shares["core"] == pytest.approx((80 / 114, 0.027), abs=0.001)
    assert sum(size for size, _work in shares.values()) == pytest.approx(1)
    assert sum(work for _size, work in shares.values()) == pytest.approx(1)


def test_budgets_ask_the_students_planner():
    config = {"layers": 96, "hidden": 12288, "heads": 96, "seq": 2048, "batch": 1}
    found = budgets(plan_policy, config, [300, 100, 40, 5])
    assert [dict(budget.counts) for budget in found[:1]] == [{"none": 96}]
    assert found[1].counts["selective"] == 89
    assert found[2].overhead == pytest.approx(0.198, abs=0.001)
    assert found[3].counts == {}


FIGURES = {
    "memory": lambda: memory_over_time(model_forward_checkpointed, model_backward_checkpointed, 4, 12).now,
    "sweep": lambda: segment_sweep(segment_memory, segment_overhead, 16).now,
    "shares": lambda: layer_bytes().now,
    "policy": lambda: policy_by_budget(plan_policy),
}


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_a_picture_with_a_text_that_says_the_same(name):
    picture = FIGURES[name]()
    assert isinstance(picture, Picture)
    html = picture._repr_html_()
    assert html.startswith("<img")
    assert f'alt="{repr(picture)[:20]}' in html
    assert "data:image/svg+xml;base64," in html
    assert picture.svg().count("<svg") == 1


def stub(*args, **kwargs):
    raise NotImplementedError


def broken(*args, **kwargs):
    raise TypeError("<b>no</b>")


@pytest.mark.parametrize(
    "figure",
    [lambda f: memory_over_time(f, f).now, lambda f: segment_sweep(f, f).now, policy_by_budget],
)
def test_what_is_not_written_yet_is_told_kindly(figure):
    told = figure(stub)
    assert isinstance(told, Remark)
    assert repr(told).startswith("This figure measures your own code. Write stub")
    told = figure(broken)
    assert "raised TypeError: <b>no</b>" in repr(told)
    assert "<b>no" not in told._repr_html_()


def test_without_matplotlib_the_numbers_are_told_in_words(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "matplotlib" else find(name))
    told = repr(layer_bytes().now)
    assert "%pip install matplotlib" in told
    assert "attention core: 70.2% of the bytes" in told


def test_matplotlib_is_imported_only_when_something_is_drawn():
    program = (
        "import sys, lesson.figures, grader.notebook; print({'matplotlib', 'ipywidgets', 'IPython'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_diagrams_stand_alone_and_say_what_they_show():
    for name, svg in diagrams().items():
        assert svg.startswith("<svg")
        assert "<title>" in svg
        assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
        assert f"hatch-{name.replace('_', '-')}" in svg
