import io
import subprocess
import sys
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest
from PIL import Image, ImageDraw

import qubopuzzle
from qubopuzzle.cli import main
from qubopuzzle.errors import InputError, SolverUnavailable
from qubopuzzle.puzzles.nonogram import Nonogram
from qubopuzzle.puzzles.nonogram import image as image_module
from qubopuzzle.puzzles.nonogram.image import _cells, from_image, nearest_unique
from qubopuzzle.puzzles.vocabulary.grids import read_shading


def _read(file, shape=None, seed=0, **options):
    puzzle, changed = from_image(file, shape, rng=np.random.default_rng(seed), **options)
    return SimpleNamespace(puzzle=puzzle, changed=changed)


def _file(image, kind="PNG", **options):
    data = io.BytesIO()
    image.save(data, kind, **options)
    data.seek(0)
    return data


def _image(cells, scale=4):
    """Each cell of 0 and 1 a black or white square."""
    grey = np.where(np.kron(cells, np.ones((scale, scale))), 0, 255)
    return Image.fromarray(grey.astype(np.uint8))


CELLS = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 0, 1, 0]])


def _disc(width=120, height=80):
    image = Image.new("RGB", (width, height), "yellow")
    ImageDraw.Draw(image).ellipse((30, 10, 90, 70), fill="navy")
    return image


def test_disc():
    made = _read(_file(_disc()))
    assert made.puzzle.shape == (20, 30)
    assert qubopuzzle.solve(made.puzzle, "sat", solutions=2).unique
    grid = made.puzzle.solution
    assert made.changed == []
    assert grid[10, 15] == 1
    assert not grid[:, :5].any()


def test_every_cell_is_as_in_the_image_or_named(tmp_path):
    gradient = np.add.outer(np.arange(60), np.arange(60)).astype(np.uint8)
    path = tmp_path / "gradient.png"
    Image.fromarray(gradient).save(path)
    made = _read(path, (20, 20), dither=True, most_changes=100)
    assert qubopuzzle.solve(made.puzzle, "sat", solutions=2).unique
    grey = Image.fromarray(gradient).resize((20, 20), Image.Resampling.BOX)
    differing = np.argwhere((np.asarray(grey.convert("1")) == 0) != made.puzzle.solution)
    assert made.changed == [(r, c) for r, c in differing.tolist()]
    again = _read(str(path), (20, 20), dither=True, most_changes=100)
    assert again.puzzle.rows == made.puzzle.rows


def test_threshold_and_invert():
    levels = Image.fromarray(np.array([[0, 100, 200]], dtype=np.uint8))
    for threshold, black in ((50, [1, 0, 0]), (100, [1, 0, 0]), (101, [1, 1, 0])):
        made = _read(_file(levels), (1, 3), threshold=threshold)
        assert made.puzzle.solution.tolist() == [black]
        made = _read(_file(levels), (1, 3), threshold=threshold, invert=True)
        assert made.puzzle.solution.tolist() == [[1 - cell for cell in black]]


def test_otsu_parts_dark_from_light():
    levels = Image.fromarray(np.array([[10, 20, 12, 90, 95, 99]], dtype=np.uint8))
    assert _read(_file(levels), (1, 6)).puzzle.solution.tolist() == [[1, 1, 1, 0, 0, 0]]


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_transparency_is_white(mode):
    image = Image.new("RGBA", (16, 12), (0, 0, 0, 0))  # black, but nothing of it is seen
    opaque = _image(CELLS).convert("RGBA")
    image.paste(opaque, mask=_image(1 - CELLS).convert("L"))
    made = _read(_file(image.convert(mode)), CELLS.shape)
    assert (made.puzzle.solution == CELLS).all()


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "I;16", "I", "F", "CMYK"])
def test_modes(mode):
    image = _image(CELLS)
    if mode in ("I;16", "I"):
        image = Image.fromarray(np.asarray(image).astype(np.uint16 if ";" in mode else "i4") * 257)
    else:
        image = image.convert(mode)
    made = _read(_file(image, "TIFF"), CELLS.shape)
    assert (made.puzzle.solution == CELLS).all()


def test_turned_by_exif():
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by 90 degrees, clockwise
    data = _file(_image(CELLS, 8).convert("RGB"), "JPEG", exif=exif, quality=95)
    made = _read(data, (4, 3))
    assert (made.puzzle.solution == np.rot90(CELLS, -1)).all()
    data.seek(0)
    assert _read(data).puzzle.shape == (30, 22)


def test_first_frame():
    frames = [_image(CELLS), _image(1 - CELLS)]
    data = _file(frames[0], "GIF", save_all=True, append_images=frames[1:])
    assert (_read(data, CELLS.shape).puzzle.solution == CELLS).all()


def _refused(file, match, **options):
    with pytest.raises(InputError, match=match) as caught:
        _read(file, **options)
    assert "\n" not in str(caught.value)


def test_what_pillow_logs_of_a_damaged_image_is_not_shown(tmp_path):
    samples = b"\x15\x01\x03\x00\x01\x00\x00\x00"  # the tag, its type and how many values
    data = _file(Image.new("RGB", (4, 4)), "TIFF").getvalue()
    assert samples + b"\x03\x00" in data
    path = tmp_path / "damaged.tiff"
    path.write_bytes(data.replace(samples + b"\x03\x00", samples + b"\xff\xff"))
    words = [sys.executable, "-m", "qubopuzzle", "generate", "nonogram", "--image", str(path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "damaged.tiff: " in done.stderr


def test_files_that_are_no_image(tmp_path):
    text = tmp_path / "text.png"
    text.write_text("no image\n")
    _refused(text, "text.png: that is no image")
    whole = _file(Image.fromarray(np.random.default_rng(0).integers(0, 255, (64, 64), "u1")))
    short = tmp_path / "short.png"
    for length in (20, 60, 1000):
        short.write_bytes(whole.getvalue()[:length])
        _refused(short, "short.png: ")
    _refused(tmp_path, "directory")
    _refused(tmp_path / "none.png", "No such file")
    _refused(io.BytesIO(b""), "the image: that is no image")


@pytest.mark.parametrize(
    ("limited", "name"), [(image_module, "PIXEL_LIMIT"), (Image, "MAX_IMAGE_PIXELS")]
)
def test_large_images(monkeypatch, limited, name):
    data = _file(Image.new("L", (40, 40)))
    monkeypatch.setattr(limited, name, 1600)
    _cells(data, None)
    monkeypatch.setattr(limited, name, 799)
    _refused(data, r"over [0-9,]+ pixels; scale the image down")


@pytest.mark.parametrize("kind", ["EPS", "ICO"])
def test_no_program_is_run_and_no_image_within_another_is_read(kind):
    _refused(_file(Image.new("L", (8, 8)), kind), "no image that is read here")


@pytest.mark.parametrize(("grey", "colour"), [(0, "black"), (255, "white")])
def test_one_colour(grey, colour):
    _refused(_file(Image.new("L", (8, 8), grey)), "all cells are", shape=(4, 4))
    _refused(_file(Image.new("L", (8, 8), grey)), colour, shape=(4, 4), threshold=100)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"threshold": 0}, "threshold: expected a whole number from 1 to 255"),
        ({"threshold": 256}, "threshold: expected a whole number from 1 to 255"),
        ({"threshold": 9, "dither": True}, "dithering takes none"),
        ({"most_changes": -1}, "most changes: expected a whole number of at least 0, got -1"),
        ({"shape": (0, 5)}, "rows and columns"),
        ({"shape": (5, 101)}, "rows and columns"),
    ],
)
def test_options_that_cannot_be(options, match):
    _refused(_file(_disc()), match, **options)


def test_too_many_changes():
    checks = np.indices((12, 12)).sum(axis=0) % 2
    _refused(
        _file(_image(checks)),
        r"it takes \d+ changed .* more than 0",
        shape=(12, 12),
        most_changes=0,
    )
    diagonal = np.eye(20, dtype=np.int64)
    _refused(_file(_image(diagonal)), r"still open", shape=(20, 20), most_changes=1)


def test_no_pillow(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    with pytest.raises(SolverUnavailable, match=r"pip install 'qubopuzzle\[image\]'"):
        _read("any.png")


# --- few changes -----------------------------------------------------------------------


def _told(grid):
    return qubopuzzle.solve(Nonogram.from_picture(grid), "sat", solutions=2).unique


@pytest.mark.parametrize("seed", range(3))
def test_hardly_more_changes_than_must_be(seed):
    grid = np.eye(4, dtype=np.int64)[np.random.default_rng(seed).permutation(4)]
    made = nearest_unique(grid, np.random.default_rng(seed), 16)
    count = int((made != grid).sum())
    assert _told(made)
    for cells in combinations(range(16), count - 2):
        fewer = grid.copy()
        fewer.ravel()[list(cells)] ^= 1
        assert not _told(fewer)


def test_each_change_is_needed():
    grid = read_shading("picture", ["#..#..", ".##.#.", "#..#.#", ".#..#.", "..#..#", "#...#."])
    made = nearest_unique(grid, np.random.default_rng(0), 36)
    assert _told(made)
    for cell in np.flatnonzero(made != grid):
        without = made.copy()
        without.ravel()[cell] ^= 1
        assert not _told(without)


def test_a_picture_that_is_told_stays():
    grid = read_shading("picture", ["###", "#.#", "###"])
    assert (nearest_unique(grid, np.random.default_rng(0), 0) == grid).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--threshold", "0"], "threshold: expected a whole number from 1 to 255, got 0"),
        (["--most-changes", "0"], "changed cells"),
    ],
)
def test_an_option_of_zero_is_an_option(tmp_path, capsys, options, message):
    noise = np.random.default_rng(4).integers(0, 2, (20, 20)).tolist()
    file = tmp_path / "noise.png"
    _image(noise).save(file)
    image = ["generate", "nonogram", "--image", str(file), "--size", "20x20", "--seed", "1"]
    assert main([*image, *options]) == 2
    assert message in capsys.readouterr().err
    assert main(["generate", "nonogram", *options]) == 2
    assert f"{options[0]} goes with --image" in capsys.readouterr().err


def test_a_text_of_signs_is_a_picture(tmp_path, monkeypatch):
    heart = [".#.#.", "#####", "#####", ".###.", "..#.."]
    made = _read(io.BytesIO("\n".join(heart).encode()))
    assert (made.puzzle.solution == read_shading("heart", heart)).all()
    assert made.changed == []
    file = tmp_path / "heart.txt"
    file.write_text("\n".join(heart).replace(".", " ").replace("#", "X"))
    assert _read(file).puzzle == made.puzzle
    assert (_read(file, invert=True).puzzle.solution == 1 - made.puzzle.solution).all()
    monkeypatch.setitem(sys.modules, "PIL", None)  # which a text does without
    assert main(["generate", "picross", "--image", str(file), "--seed", "1", "-o", str(file)]) == 0
    assert '"id": "heart"' in file.read_text()


@pytest.mark.parametrize(
    ("text", "how", "message"),
    [
        ("#.\n.#", {"threshold": 3}, "a text is cells: give no size, threshold, dither"),
        ("#.\n.#", {"shape": (2, 2)}, "a text is cells"),
        ("#" + "." * 100, {}, "over 100 rows or columns"),
        ("##\n##", {}, "all cells are black"),
    ],
)
def test_texts_that_make_no_nonogram(text, how, message):
    with pytest.raises(InputError, match=message):
        _read(io.BytesIO(text.encode()), **how)


def _flag(cells, colours, scale=4):
    inks = np.array(colours, dtype=np.uint8)[np.kron(cells, np.ones((scale, scale), dtype=int))]
    return Image.fromarray(inks)


FLAG = np.array([[1, 1, 0, 2], [1, 3, 3, 2], [0, 3, 3, 2], [1, 1, 0, 0]])
INKS = [(255, 255, 255), (240, 220, 0), (255, 0, 0), (0, 0, 160)]


def test_a_picture_in_colours():
    read = _read(_file(_flag(FLAG, INKS)), (4, 4), colours=3)
    assert (read.puzzle.solution == FLAG).all()
    assert not read.changed
    assert dict(read.puzzle.colours) == {"a": "#f0dc00", "b": "#ff0000", "c": "#0000a0"}
    assert qubopuzzle.solve(read.puzzle, "sat", solutions=2).unique


def test_a_dark_background():
    read = _read(_file(_flag(FLAG, INKS[::-1])), (4, 4), colours=3, invert=True)
    assert (read.puzzle.solution == FLAG).all()
    assert dict(read.puzzle.colours)["."] == "#0000a0"


@pytest.mark.parametrize("seed", range(4))
def test_noise_in_colours_is_changed_until_it_has_one_solution(seed):
    rng = np.random.default_rng(seed)
    image = _flag(rng.integers(0, 4, (8, 8)), INKS, scale=1)
    read = _read(_file(image), (8, 8), seed, colours=3, most_changes=30)
    assert qubopuzzle.solve(read.puzzle, "sat", solutions=2).unique
    assert len(read.changed) <= 30


def test_fewer_colours_than_asked_for_and_one():
    read = _read(_file(_flag(FLAG % 2, INKS)), (4, 4), colours=5)
    assert read.puzzle.colours == (("#", "#f0dc00"),)
    with pytest.raises(InputError, match="all cells are of one colour"):
        _read(_file(_flag(FLAG * 0, INKS)), (4, 4), colours=2)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"colours": 1}, "colours: expected a whole number from 2 to 7, got 1"),
        ({"colours": 8}, "colours: expected a whole number from 2 to 7, got 8"),
        ({"colours": 3, "dither": True}, "threshold and dithering are for black and white"),
        ({"colours": 3, "threshold": 9}, "threshold and dithering are for black and white"),
    ],
)
def test_colours_that_are_none(how, message):
    with pytest.raises(InputError, match=message):
        _read(_file(_flag(FLAG, INKS)), (4, 4), **how)


def test_colours_of_a_picture_on_the_command_line(tmp_path, capsys):
    file, written = tmp_path / "flag.png", tmp_path / "flag.non"
    _flag(FLAG, INKS).save(file)
    assert main(["generate", "nonogram", "--image", str(file), "--size", "4x4", "--colours", "3",
                 "--to", "non", "--output", str(written)]) == 0  # fmt: skip
    (puzzle,) = qubopuzzle.load(written)
    assert (puzzle.solution == FLAG).all()
    assert main(["show", str(written)]) == 0
    assert "2a" in capsys.readouterr().out
