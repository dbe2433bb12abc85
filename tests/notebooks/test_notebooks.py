"""The lesson's notebooks: built the same every time, whole, and fit to be run as a student runs them."""

import ast
import json
import re

import nbformat
import pytest
from notebook_tools import FOLDER, ROOT, can_run, filled_in, html, points, read, run, texts

from grader.author.notebooks import TextError, notebook
from lesson.course import load_course

COURSE = load_course()
TOPICS = [topic.id for topic in COURSE.topics]
RUNNABLE = [topic for topic in TOPICS if can_run(topic)]
NBGRADER_KEYS = {"schema_version", "grade", "solution", "locked", "task", "grade_id", "points"}


@pytest.fixture(scope="module")
def untouched(tmp_path_factory):
    return {topic: run(read(topic), tmp_path_factory.mktemp("run")) for topic in RUNNABLE}


@pytest.fixture(scope="module")
def solved(tmp_path_factory):
    return {topic: run(filled_in(topic, COURSE), tmp_path_factory.mktemp("run")) for topic in RUNNABLE}


@pytest.mark.parametrize("topic", TOPICS)
def test_a_notebook_is_valid_and_without_outputs(topic):
    made = read(topic)
    nbformat.validate(made)
    assert (made.nbformat, made.nbformat_minor) == (4, 5)
    assert all(cell.outputs == [] and cell.execution_count is None for cell in made.cells if cell.cell_type == "code")
    ids = [cell.id for cell in made.cells]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-\w+)*", cell_id) for cell_id in ids)


@pytest.mark.parametrize("topic", TOPICS)
def test_code_cells_are_python_and_hold_every_function_once(topic):
    trees = [ast.parse(cell.source) for cell in read(topic).cells if cell.cell_type == "code"]
    defined = [node.name for tree in trees for node in tree.body if isinstance(node, ast.FunctionDef)]
    wanted = [name for exercise in COURSE.of_topic(topic) for name in exercise.functions]
    assert [name for name in defined if name in COURSE.functions] == wanted


@pytest.mark.parametrize("topic", TOPICS)
def test_no_solution_is_in_a_notebook(topic):
    from notebook_tools import functions_of

    text = (FOLDER / f"{topic}.ipynb").read_text(encoding="utf-8")
    solution = functions_of((ROOT / "solutions" / f"{topic}.py").read_text(encoding="utf-8"))
    graded = [name for exercise in COURSE.of_topic(topic) for name in exercise.functions]
    for name in [*graded, *(name for name in solution if name.startswith("_"))]:
        body = ast.parse(solution[name]).body[0].body[1:]
        for statement in body:
            line = ast.unparse(statement).splitlines()[0]
            assert len(line) < 30 or json.dumps(line)[1:-1] not in text, (name, line)


@pytest.mark.parametrize("topic", TOPICS)
def test_nbgrader_metadata_has_the_allowed_keys_and_the_points_of_the_course(topic):
    cells = [cell for cell in read(topic).cells if "nbgrader" in cell.metadata]
    metadata = [dict(cell.metadata.nbgrader) for cell in cells]
    assert all(set(each) <= NBGRADER_KEYS and each["schema_version"] == 3 for each in metadata)
    assert all(("points" in each) == each["grade"] for each in metadata)
    assert len({each["grade_id"] for each in metadata}) == len(metadata)
    graded = {each["grade_id"]: each["points"] for each in metadata if each["grade"]}
    assert graded == {f"{exercise.id}-check": exercise.points for exercise in COURSE.of_topic(topic)}
    for cell in cells:
        if cell.metadata.nbgrader.solution:
            assert cell.source.count("### BEGIN SOLUTION") == cell.source.count("### END SOLUTION") == 1
        if cell.metadata.nbgrader.grade:
            assert cell.source.endswith(".points")


@pytest.mark.parametrize("topic", TOPICS)
def test_markdown_has_no_directive_left_and_links_lead_somewhere(topic):
    prose = "\n\n".join(cell.source for cell in read(topic).cells if cell.cell_type == "markdown")
    assert "```{" not in prose
    assert not re.search(r"^\(\w+\)=", prose, re.MULTILINE)
    assert prose.count("<details>") == prose.count("</details>")
    anchors = {
        each: set(re.findall(r'<a id="([\w-]+)">', str([cell.source for cell in read(each).cells]))) for each in TOPICS
    }
    for page, anchor in re.findall(r"\]\(([\w.]*)#([\w-]+)\)", prose):
        assert anchor in anchors[page.removesuffix(".ipynb") or topic]


def test_the_same_input_makes_the_same_notebook_and_ids_do_not_depend_on_other_sections():
    topic = COURSE.topics[0]
    text = (ROOT / "lesson" / "text" / "en" / f"{topic.id}.md").read_text(encoding="utf-8")
    skeleton = (ROOT / "student_template" / f"{topic.id}.py").read_text(encoding="utf-8")
    built = notebook(text, skeleton, COURSE, topic)
    assert built == notebook(text, skeleton, COURSE, topic)
    longer = notebook(text.replace("(step2)=", "## New\n\nText.\n\n(step2)="), skeleton, COURSE, topic)
    before = [cell["id"] for cell in json.loads(built)["cells"]]
    after = [cell["id"] for cell in json.loads(longer)["cells"]]
    assert [each for each in after if each != "new-text"] == before


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("```{stub} model_backward\n```", ""), "no stub of model_backward"),
        (("{diagram} chain", "{diagram} chains"), "unknown diagram 'chains'"),
        (("{admonition}", "{note}"), "unknown directive 'note'"),
        (("title:", "heading:"), "no title"),
    ],
)
def test_a_text_that_cannot_be_built_is_refused(change, problem):
    topic = COURSE.topics[0]
    text = (ROOT / "lesson" / "text" / "en" / f"{topic.id}.md").read_text(encoding="utf-8")
    skeleton = (ROOT / "student_template" / f"{topic.id}.py").read_text(encoding="utf-8")
    assert change[0] in text
    with pytest.raises(TextError, match=problem):
        notebook(text.replace(*change), skeleton, COURSE, topic)


def test_given_functions_come_before_the_first_code_that_uses_them():
    from lesson.course import Check, Course, Exercise, Topic

    exercise = Exercise(
        id="one",
        topic="t",
        title="One",
        functions=("answer",),
        builds_on=(),
        hints=("a", "b", "c"),
        checks=(Check(id="right", title="Right", points=2),),
    )
    course = Course(title="C", topics=(Topic(id="t", title="T"),), exercises=(exercise,))
    skeleton = (
        '"""Doc."""\n\nimport math\n\nPair = tuple[int, int]\n\n\ndef given_helper(x):\n    return x\n\n\n'
        "def given_forward(x):\n    return given_helper(x)\n\n\ndef given_unused(x):\n    return x\n\n\n"
        'def answer(x):\n    """Doc."""\n    # TODO one: your code.\n    raise NotImplementedError\n'
    )
    text = "---\ntitle: T\n---\n\nHello.\n\n(one)=\n## One\n\n```{code-cell} python\ngiven_forward(1)\n```\n\n```{stub} answer\n```\n\n```{check} one\n```\n\n(two)=\n## Two\n\n```{check} two\n```\n\n## More\n\nSee [two](#two), [there](u.md#x), [one](t.md#one).\n"  # noqa: E501
    cells = json.loads(notebook(text, skeleton, course, course.topics[0]))["cells"]
    assert [cell["id"] for cell in cells] == [
        "intro-text",
        "one-text",
        "setup",
        "one-given",
        "one-code",
        "one-answer",
        "one-check",
        "more-text",
    ]
    sources = {cell["id"]: "".join(cell["source"]) for cell in cells}
    assert sources["setup"].endswith("import math\n\nfrom grader.notebook import check, hint\n\nPair = tuple[int, int]")
    assert re.findall(r"def (\w+)", sources["one-given"]) == ["given_helper", "given_forward", "given_unused"]
    assert sources["more-text"].endswith("See two, there, [one](t.ipynb#one).")


# Run as a student runs them.


@pytest.mark.slow
@pytest.mark.parametrize("topic", RUNNABLE)
def test_with_the_solutions_everything_runs_and_every_check_passes(solved, topic):
    for cell in solved[topic].cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", texts(cell)
            assert output.get("name") != "stderr", texts(cell)
    assert points(solved[topic]) == {exercise.id: exercise.points for exercise in COURSE.of_topic(topic)}


@pytest.mark.slow
@pytest.mark.parametrize("topic", RUNNABLE)
def test_with_the_solutions_figures_are_drawn(solved, topic):
    for cell in solved[topic].cells:
        if "-figure" in cell.id:
            assert "data:image/svg+xml;base64," in html(cell)
            kinds = [set(output.get("data", {})) for output in cell.outputs]
            live = any("application/vnd.jupyter.widget-view+json" in kind for kind in kinds)
            assert live or "policy_by_budget" in cell.source


@pytest.mark.slow
@pytest.mark.parametrize("topic", RUNNABLE)
def test_untouched_nothing_raises_and_checks_say_kindly_what_to_do(untouched, topic):
    for cell in untouched[topic].cells:
        for output in cell.get("outputs", []):
            assert output.output_type != "error", texts(cell)
            assert output.get("name") != "stderr", texts(cell)
        if cell.id.endswith("-check"):
            assert "Still to be written: " in html(cell)
            assert "Traceback" not in html(cell)
        if "-figure" in cell.id and "()" not in cell.source:
            assert "first, then run this cell again" in texts(cell)
    assert points(untouched[topic]) == {exercise.id: 0 for exercise in COURSE.of_topic(topic)}


@pytest.mark.slow
def test_a_figure_is_drawn_anew_when_a_slider_moves(tmp_path):
    cells = [
        "from lesson.figures import layer_bytes\nlive = layer_bytes()\nlive",
        "live.widgets['heads'].value = 8\nprint(live.now)",
    ]
    made = run(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells]), tmp_path)
    assert "heads 8" in texts(made.cells[1])
    assert "attention core: 16.4% of the bytes" in texts(made.cells[1])
    assert "heads 8" in html(made.cells[0])  # the picture itself was replaced
