"""The archives of OMMX, which need no package of theirs."""

import json
import tarfile
from hashlib import sha256
from io import BytesIO

import pytest

from qubopuzzle import InputError
from qubopuzzle.errors import TooLarge
from qubopuzzle.files.models.ommx_archive import is_archive, pack, unpack

PACKED = pack(bytes(range(256)) * 5, title="a title")


def parts(data=PACKED):
    """Contents by name."""
    with tarfile.open(fileobj=BytesIO(data)) as archive:
        return {each.name: archive.extractfile(each).read() for each in archive.getmembers()}


def archive_of(contents, **changes):
    """An archive of contents by name; ``changes`` are to what tells of each."""
    found = BytesIO()
    with tarfile.open(fileobj=found, mode="w") as archive:
        for name, content in contents.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            for what, value in changes.items():
                setattr(member, what, value)
            archive.addfile(member, BytesIO(content))
    return found.getvalue()


def with_layers(media_types):
    """An archive whose manifest lists the instance under other types."""
    made = parts(PACKED)
    index = json.loads(made.pop("index.json"))
    name = "blobs/sha256/" + index["manifests"][0]["digest"].removeprefix("sha256:")
    manifest = json.loads(made.pop(name))
    (layer,) = manifest["layers"]
    manifest["layers"] = [{**layer, "mediaType": each} for each in media_types]
    blob = json.dumps(manifest).encode()
    digest = sha256(blob).hexdigest()
    index["manifests"][0]["digest"] = f"sha256:{digest}"
    return archive_of(
        made | {"index.json": json.dumps(index).encode(), f"blobs/sha256/{digest}": blob}
    )


def test_what_is_packed_is_unpacked():
    assert is_archive(PACKED)
    assert unpack(PACKED) == (bytes(range(256)) * 5, 1, "a title")
    assert unpack(pack(b"x")).title == ""
    assert pack(b"x") == pack(b"x")
    assert not is_archive(b"\n\0")
    named_otherwise = archive_of({f"./{name}": content for name, content in parts().items()})
    assert unpack(named_otherwise) == unpack(PACKED)


def test_the_newer_format_is_told_by_its_type():
    assert unpack(with_layers(["application/org.ommx.v2.instance"])).version == 2


def test_an_archive_that_breaks_off_is_one_line():
    whole, kept = unpack(PACKED), 0
    for end in range(300, len(PACKED), 37):
        try:
            kept += unpack(PACKED[:end]) == whole
        except InputError as error:
            assert "\n" not in str(error), end
            assert "artifact" in str(error) or "damaged" in str(error), end
    assert kept  # without some of the zeros that end an archive


def test_bytes_that_are_changed_never_give_another_instance():
    whole = unpack(PACKED)
    for place in range(0, len(PACKED), 61):
        changed = bytearray(PACKED)
        changed[place] ^= 0x21
        try:
            assert unpack(bytes(changed)).data == whole.data
        except InputError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (with_layers([]), "no instance in the OMMX artifact, only nothing"),
        (with_layers(["application/org.ommx.v1.solution"]), "only application/org.ommx.v1.sol"),
        (with_layers(["application/org.ommx.v1.instance"] * 2), "2 instances in the OMMX artifact"),
        (archive_of({"a.txt": b"no"}), "no OMMX artifact, or one that breaks off: no index.json"),
        (archive_of({"index.json": b"{"}), "index.json of it lists no manifests"),
        (archive_of({"index.json": b"[" * 10**5}), "index.json of it lists no manifests"),
        (archive_of({"index.json": b"[1]"}), "index.json of it lists no manifests"),
        (archive_of({"index.json": b'{"manifests": [1]}'}), "index.json of it lists no manifests"),
        (archive_of({"index.json": b'{"manifests": [{}]}'}), "no blobs/sha256/None in it"),
        (archive_of({"index.json": b'{"manifests": []}'}), "only nothing"),
        (archive_of(parts(), type=tarfile.SYMTYPE, linkname="/etc/passwd"), "no index.json"),
    ],
)
def test_no_artifact_of_one_instance(data, why):
    with pytest.raises(InputError, match=why):
        unpack(data)


def test_a_part_that_says_to_be_huge_is_refused():
    member = tarfile.TarInfo("index.json")
    member.size = 2**40
    with pytest.raises((InputError, TooLarge)) as refused:
        unpack(member.tobuf(tarfile.GNU_FORMAT) + b"\0" * 1024)
    assert "\n" not in str(refused.value)
