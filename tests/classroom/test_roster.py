"""Rosters as spreadsheets and people write them, and what becomes of everybody in them."""

import unicodedata

import pytest

from grader.classroom.roster import TableError, take_in
from grader.classroom.run import Unusable, intake_of

ANSWER = b"def relu(x):\n    return x\n"


@pytest.fixture
def given(tmp_path, course):
    """Take in a class of these files, with a roster; returns the pieces of each row, and what is unmatched."""

    def given(names, roster, encoding="utf-8"):
        folder = tmp_path / "class"
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(ANSWER)
        path = tmp_path / "roster.csv"
        path.write_bytes(roster if isinstance(roster, bytes) else roster.encode(encoding))
        intake = take_in([folder], course, path)
        return {entry.id: [piece.name for piece in entry.pieces] for entry in intake.entries}, intake.unmatched

    return given


@pytest.mark.parametrize(
    "roster",
    [
        "id,name,path\n1,Ana,ana.py\n2,Zoë,zoë.py\n",
        "id;name;path\n1;Ana;ana.py\n2;Zoë;zoë.py\n",
        "sep=;\nid;name;path\n1;Ana;ana.py\n2;Zoë;zoë.py\n",
        "id\tname\tpath\r\n1\tAna\tana.py\r\n2\tZoë\tzoë.py\r\n",
        "\nid,name,path\n,,\n1,Ana,ana.py\n\n ,  ,\n2,Zoë,zoë.py\n,,\n",
        " ID , Name , Email , Path \n 1 , Ana ,a@b.c, ana.py \n 2 , Zoë ,z@b.c, zoë.py \n",
        "id,name,path\n1,Ana,class/ana.py\n2,Zoë,class\\zoë.py\n",
        "id,name,path\n1,Ana,ANA.PY\n2,Zoë,Zoë.py\n",
        "id,name,path\n1,Ana,.\\ana.py\n2,Zoë,./zoë.py\n",
        unicodedata.normalize("NFD", "id,name,path\n1,Ana,ana.py\n2,Zoë,zoë.py\n"),
        "name,path,id\nAna,ana.py,1\nZoë,zoë.py,2\n",
        "id,name\n1,ana\n2,ZOË\n",
        "id,name,path\n1,Ana,\n2,Zoë,\n",
        "id,name,path\n1,Ana,a?a.*\n2,Zoë,z*\n",
        'id,name,path\n1,"Ana",ana.py\n2,"Zoë","zoë.py"\n',
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_roster_is_read_however_it_was_saved(given, roster, encoding):
    if encoding == "latin-1":
        roster = unicodedata.normalize("NFC", roster)
    rows, unmatched = given(["ana.py", "zoë.py"], roster, encoding)
    assert rows == {"1": ["ana.py"], "2": ["zoë.py"]}
    assert unmatched == ()


@pytest.mark.parametrize(
    ("entry", "roster"),
    [
        ("007.py", "id,name\n007,Ana\n"),
        ("007.py", "id,name\n7,Ana\n"),
        ("Alba, Ana.py", "id,name\nx1,Ana Alba\n"),
        ("alba_ana.py", "id,name\nx1,Ana Alba\n"),
        ("albaana.py", "id,name\nx1,Ana Alba\n"),
        ("núñez inés.py", "id,name\nx1,Ines Nunez\n"),
        ("aalba.py", "id,name,email\nx1,Ana Alba,AAlba@example.org\n"),
        ("hw3 final aa123.py", "id,name\naa123,Ana Alba\n"),
    ],
)
def test_a_student_without_a_path_is_found_by_id_or_name(given, entry, roster):
    rows, unmatched = given([entry, "other.py"], roster)
    assert [entry] in rows.values()
    assert len(rows) == 2
    assert len(unmatched) == 1


def test_several_lines_or_a_pattern_make_one_submission(given):
    rows, unmatched = given(
        ["a_1.py", "a_2.py", "b/x.py", "b2/y.py", "c.py"],
        "id,name,path\n1,Ana,a_1.py\n1,Ana,a_2.py\n2,Ben,b*\n3,Cem,c.py\n",
    )
    assert rows == {"1": ["a_1.py", "a_2.py"], "2": ["b", "b2"], "3": ["c.py"]}
    assert unmatched == ()


def test_files_of_one_student_keep_the_names_that_they_had(given):
    rows, _unmatched = given(
        ["albaana_4401_98001_recompute.py", "albaana_4401_98002_policy.py"],
        "id,path\n1,albaana_4401_98001_recompute.py\n1,albaana_4401_98002_policy.py\n",
    )
    assert rows == {"1": ["recompute.py", "policy.py"]}


def test_a_file_inside_a_folder_makes_no_second_row_of_it(given):
    assert given(["ana/recompute.py", "ana/notes.md"], "id,name,path\n1,Ana,ana/recompute.py\n")[0] == {
        "1": ["recompute.py"]
    }


@pytest.mark.parametrize("name", ["README.md", "grades", "env", "build", "index.html", "conftest.py", "venv"])
def test_an_entry_named_like_an_id_is_never_dropped(given, name):
    student = name.partition(".")[0]
    rows, unmatched = given([name if "." in name else f"{name}/a.py", "x.py"], f"id,name\n{student},Ana\n")
    assert rows[student] == [name]
    assert unmatched == ("Not in the roster: x.",)


def test_an_entry_named_like_the_id_of_another_keeps_its_row(given):
    rows, unmatched = given(["ana.py", "001.py"], "id,name,path\n001,Ana,ana.py\n")
    assert rows == {"001": ["ana.py"], "001 (001.py)": ["001.py"]}
    assert len(unmatched) == 1


def test_what_does_not_match_is_listed_with_the_nearest(given):
    rows, unmatched = given(["ana_alva.py", "zed.py"], "id,name\n1,Ana Alba\n2,Quentin Marsh\n")
    assert rows == {"1": [], "2": [], "ana_alva": ["ana_alva.py"], "zed": ["zed.py"]}
    assert unmatched == (
        "In the roster, but without a submission: 1 (Ana Alba); the nearest name is ana_alva.",
        "In the roster, but without a submission: 2 (Quentin Marsh).",
        "Not in the roster: ana_alva; the nearest without a submission is 1 (Ana Alba).",
        "Not in the roster: zed.",
    )


@pytest.mark.parametrize(
    ("roster", "sentence"),
    [
        ("number,name\n1,Ana\n", "line 1: the first line must name the column id"),
        ("sep=,\nnumber,name\n1,Ana\n", "line 2: the first line must name the column id"),
        ("", "line 1: the first line must name the column id"),
        ("id,name,path\n1,Ana,a\n\n1,Ben,b\n", "line 4: the id is there twice, for 'Ana' and for 'Ben'"),
        ("id,name,path\n1,Ana,a\n1,Ana,a\n", "line 3: the id is there twice"),
        ("id,name\n1,Ana\n1,Ana\n", "line 3: the id is there twice"),
        ("id,name,path\n,Ana,a\n", "line 2: the id is missing"),
        (b"\xff\xfea", "is not a text file"),
        ('id,name\n1,"' + "x" * 200_000 + '"\n', "is not a CSV file"),
    ],
)
def test_a_wrong_roster_is_named_with_the_line(given, tmp_path, roster, sentence):
    with pytest.raises(TableError) as raised:
        given(["ana.py"], roster)
    assert str(raised.value).startswith(str(tmp_path / "roster.csv"))
    assert sentence in str(raised.value)


def test_a_roster_that_is_a_folder_gets_a_sentence(tmp_path, course):
    with pytest.raises(Unusable, match="There is no file"):
        intake_of([tmp_path], course, tmp_path)


def test_a_path_into_an_archive_is_found(tmp_path, course):
    import zipfile

    with zipfile.ZipFile(tmp_path / "class.zip", "w") as archive:
        for name in ("ana", "ben"):
            archive.writestr(f"{name}/recompute.py", ANSWER)
    (tmp_path / "roster.csv").write_text("id,path\n1,Ana\n2,ben\n", encoding="utf-8")
    intake = take_in([tmp_path / "class.zip"], course, tmp_path / "roster.csv")
    assert [entry.id for entry in intake.entries] == ["1", "2"]
    assert intake.unmatched == ()
    assert all(entry.read().files == {"recompute.py": ANSWER} for entry in intake.entries)
