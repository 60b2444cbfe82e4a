"""``qubopuzzle fetch``."""

from argparse import Namespace
from typing import TYPE_CHECKING

from qubopuzzle.cli.parser import Parser
from qubopuzzle.cli.terminal import SOLVED, print_table, say

if TYPE_CHECKING:
    from qubopuzzle.files.sets import InstanceSet


def add_arguments(parser: Parser) -> None:
    """What to fetch, and where to."""
    parser.add_argument(
        "sets",
        nargs="*",
        metavar="SET[:NAME]",
        help="instances to download, or a set to list; without, the sets are listed",
    )
    where = "QUBOPUZZLE_INSTANCES in the environment, or the user's cache"
    parser.option("--folder FOLDER", f"where instances are; without, {where}")


def run(args: Namespace) -> int:
    """List the sets, list the instances of sets, or download files and print their paths."""
    from qubopuzzle.files.sets import sets
    from qubopuzzle.files.sets.download import fetch

    known = sets()
    if not args.sets:
        rows = [[s.name, s.about, str(len(s.entries)), s.licence, s.page] for s in known.values()]
        print_table(["set", "what it is", "listed", "licence", "page"], rows, right=(2,))
        say(
            "", "`qubopuzzle fetch SET` lists one. A source SET:NAME is downloaded when it is read."
        )
        return SOLVED
    for name in args.sets:
        if name in known:
            _list(known[name], args.folder)
        else:
            say(str(fetch(name, args.folder)))
    return SOLVED


def _list(chosen: "InstanceSet", folder: str | None) -> None:
    from qubopuzzle.files.sets.download import folders

    places = folders(folder)
    rows = [
        [
            f"{chosen.name}:{entry.name}",
            "" if entry.best is None else f"{entry.best:.12g}",
            "" if entry.size is None else f"{entry.size:,}",
            "in the table" if entry.sha256 else "",
            "yes" if any((place / entry.file).is_file() for place in places) else "",
        ]
        for entry in chosen.entries.values()
    ]
    if rows:
        print_table(["instance", "best known", "bytes", "checksum", "here"], rows, right=(1, 2))
        say("")
    say(f"licence: {chosen.licence}; {chosen.page}")
    say(*(f"best known: {source}" for source in chosen.sources))
    if not all(entry.sha256 for entry in chosen.entries.values()):
        say("Where the table has no checksum, that of the first download is kept and compared.")
    for group in chosen.patterns:
        say(f"Others are {chosen.name}:{group.get('prefix', '')}NAME.")
