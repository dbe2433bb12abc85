"""What keeps the project in order is in order itself: version, commit hook, workflows and issue forms."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from grader.commands.main import app

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
FORMS = sorted(path for path in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if path.name != "config.yml")
RELEASE = re.compile(r"^## \[(\d+\.\d+\.\d+)\] - (\S+)$", re.MULTILINE)
# Where the programs come from that a workflow calls: the system, and what `pip install` brings.
SYSTEM = {"sudo", "bash", "test", "python"}
INSTALLED = {"ruff", "mypy", "pytest", "grader"}


def load(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def names(paths: list[Path]) -> list[str]:
    return [path.name for path in paths]


def assert_is_a_command_of_the_grader(words: list[str]) -> None:
    command: Any = get_command(app)
    while hasattr(command, "commands") and words and not words[0].startswith("-"):
        command, words = command.commands[words[0]], words[1:]
    options = {name for parameter in command.params for name in parameter.opts}
    assert {word for word in words if word.startswith("--")} <= options


def test_changelog_citation_and_package_agree_on_the_version():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    releases = RELEASE.findall(changelog)
    citation = load(ROOT / "CITATION.cff")
    assert releases[0] == (PROJECT["project"]["version"], citation["date-released"])
    assert citation["version"] == PROJECT["project"]["version"]
    assert citation["license"] == PROJECT["project"]["license"]
    assert changelog.index("## [Unreleased]") < changelog.index(f"## [{releases[0][0]}]")
    days = [date.fromisoformat(day) for _version, day in releases]
    assert days == sorted(days, reverse=True)


class TestCommitSubject:
    """The hook that git calls with the message of a commit."""

    @pytest.fixture
    def hook(self, tmp_path):
        (entry,) = [
            hook["entry"] for repo in HOOKS["repos"] for hook in repo["hooks"] if "commit-msg" in hook.get("stages", [])
        ]

        def hook(message):
            (tmp_path / "message").write_text(message, encoding="utf-8")
            program, *arguments = shlex.split(entry)
            assert program == ".venv/bin/python"
            command = [sys.executable, *arguments, str(tmp_path / "message")]
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
            return done.returncode, done.stderr

        return hook

    @pytest.mark.parametrize(
        "message",
        [
            "x" * 72,
            "é" * 72 + "\n",
            "Fix it\n\n" + "x" * 100,
            f"\n# {'x' * 80}\n\nFix it\n# {'x' * 80}\n",
            "",
            "# only\n",
        ],
    )
    def test_short_ones_pass(self, hook, message):
        assert hook(message) == (0, "")

    @pytest.mark.parametrize("message", ["x" * 73, "é" * 73 + "\n", f"# said by git\n{'x' * 73}\n\nBody\n"])
    def test_long_ones_are_refused_in_one_sentence(self, hook, message):
        code, said = hook(message)
        assert code == 1
        assert said.startswith("The subject has 73 characters; at most 72 are allowed.")
        assert said.count("\n") == 1

    def test_installing_the_hooks_installs_this_one_and_it_runs_at_no_other_stage(self):
        assert set(HOOKS["default_install_hook_types"]) == {"pre-commit", "commit-msg"}
        assert HOOKS["default_stages"] == ["pre-commit"]


class TestWorkflows:
    """Nobody runs these here, so everything that they name must be there."""

    @pytest.fixture(params=WORKFLOWS, ids=names(WORKFLOWS))
    def workflow(self, request):
        return load(request.param)

    def steps(self, workflow):
        return [step for job in workflow["jobs"].values() for step in job["steps"]]

    def test_they_start_by_themselves_and_end_in_time(self, workflow):
        assert workflow[True]  # YAML 1.1 reads the key `on` so
        assert workflow["permissions"] == {"contents": "read"}
        for job in workflow["jobs"].values():
            assert job["timeout-minutes"] <= 120
            assert job["runs-on"] in ("ubuntu-latest", "macos-latest")

    def test_actions_are_the_general_ones_and_pinned(self, workflow):
        for step in self.steps(workflow):
            assert ("uses" in step) != ("run" in step)
            if "uses" in step:
                assert re.fullmatch(r"actions/(checkout|setup-python|setup-node)@v\d+", step["uses"])

    def test_what_they_call_exists(self, workflow):
        scripts = PROJECT["project"]["scripts"]
        extras = PROJECT["project"]["optional-dependencies"]
        for line in "\n".join(step["run"] for step in self.steps(workflow) if "run" in step).splitlines():
            if re.fullmatch(r"\w+=\S*", line):
                continue
            words = shlex.split(line.partition("||")[0])
            assert words[0] in SYSTEM | INSTALLED, line
            if words[0] == "grader":
                assert words[0] in scripts
                assert_is_a_command_of_the_grader(words[1:])
            if words[0] == "bash":
                assert (ROOT / words[1]).is_file()
            if words[:3] == ["python", "-m", "pip"]:
                assert (ROOT / words[words.index("-c") + 1]).is_file()
                (wanted,) = re.findall(r"\.(?:\[(.*)\])?$", words[words.index("-e") + 1])
                assert {extra for extra in wanted.split(",") if extra} <= set(extras)

    def test_everything_and_the_oldest_python_are_tried(self):
        runs = [step.get("run") for path in WORKFLOWS for step in self.steps(load(path))]
        assert "bash .ci/run" in runs
        oldest = PROJECT["project"]["requires-python"].removeprefix(">=")
        assert (
            oldest
            in load(ROOT / ".github" / "workflows" / "quick.yml")["jobs"]["tests"]["strategy"]["matrix"]["python"]
        )


class TestIssueForms:
    """A form that is not as the host wants it is not shown at all."""

    @pytest.fixture(params=FORMS, ids=names(FORMS))
    def form(self, request):
        return load(request.param)

    def test_they_have_what_a_form_needs(self, form):
        assert form["name"]
        assert form["description"]
        fields = [field for field in form["body"] if field["type"] != "markdown"]
        assert fields
        assert (
            len({field["id"] for field in fields})
            == len({field["attributes"]["label"] for field in fields})
            == len(fields)
        )
        for field in form["body"]:
            assert field["type"] in ("markdown", "input", "textarea")
            assert field["attributes"]["value" if field["type"] == "markdown" else "label"]

    def test_commands_that_they_ask_for_exist(self, form):
        texts = [field["attributes"].get("description", "") for field in form["body"]]
        commands = re.findall(r"`grader ([^`]+)`", "\n".join(texts))
        assert commands
        for command in commands:
            assert_is_a_command_of_the_grader(shlex.split(command))

    def test_a_wrong_verdict_comes_with_the_call_behind_it(self):
        (form,) = [load(path) for path in FORMS if path.name == "wrong_verdict.yml"]
        (output,) = [field for field in form["body"] if field.get("id") == "output"]
        assert output["validations"]["required"]
        assert "`grader replay " in output["attributes"]["description"]
        assert "`grader check " in output["attributes"]["description"]
