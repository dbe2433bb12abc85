"""The notebook of the exercise in PyTorch, run from top to bottom as its student would."""

import pytest

pytest.importorskip("torch")

from notebook_tools import filled_in, points, read, run, texts

from lesson.course import load_course

COURSE = load_course()


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return run(read("torch_benchmark"), tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return run(filled_in("torch_benchmark", COURSE), tmp_path_factory.mktemp("run"))


def failed(notebook):
    return {
        cell.id: output.evalue
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if output.output_type == "error"
    }


def test_the_solution_gets_all_points(solved):
    assert failed(solved) == {}
    assert points(solved) == {"exercise5": COURSE.exercise("exercise5").points}


def test_nothing_but_the_stub_is_missing_from_an_untouched_notebook(untouched):
    assert points(untouched) == {"exercise5": 0}
    assert set(failed(untouched).values()) <= {"", "NotImplementedError"}
    check = next(cell for cell in untouched.cells if cell.id == "exercise5-check")
    assert "run_blocks" in str(check.outputs)


def test_its_cells_print_nothing_by_accident(solved):
    assert not [cell.id for cell in solved.cells if "Warning" in texts(cell) and not cell.id.startswith("what-")]
