"""Packages that pages of docs/ show whole, as pip would install them."""

import re
import tomllib


def install(page, folder):
    """The package of a page in a folder, as pip would leave it there; its dist-info."""
    text = page.read_text("utf-8")
    for name, content in re.findall(r"^`([\w/.]+)`\n\n```\w+\n(.*?)^```", text, re.M | re.S):
        folder.joinpath(name).parent.mkdir(exist_ok=True)
        folder.joinpath(name).write_text(content, "utf-8")
    settings = tomllib.loads(folder.joinpath("pyproject.toml").read_text())
    project, build = settings["project"], settings["tool"]["hatch"]["build"]
    # Hatchling finds by itself only a package that is named like the project.
    assert [folder / name for name in build["targets"]["wheel"]["packages"]] == [
        path.parent for path in folder.glob("*/__init__.py")
    ]
    about = folder / f"{project['name'].replace('-', '_')}-1.0.dist-info"
    about.mkdir()
    about.joinpath("METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    )
    lines = [
        f"[{group}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items())
        for group, entries in project["entry-points"].items()
    ]
    about.joinpath("entry_points.txt").write_text("\n".join(lines))
    return about


def snippet(page, name):
    """The code block of a page that calls this."""
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.M | re.S)
    (block,) = (block for block in blocks if f"\n{name}(" in block)
    return block
