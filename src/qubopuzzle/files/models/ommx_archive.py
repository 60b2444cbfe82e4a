"""OMMX artifacts: tar archives in the layout of OCI images, with a layer for each instance.

They are read and written here: OMMX 3 takes each one by way of its registry in the user's home.
"""

from __future__ import annotations

import json
import tarfile
from hashlib import sha256
from io import BytesIO
from typing import Any, NamedTuple

from qubopuzzle.errors import InputError, QubopuzzleError, TooLarge
from qubopuzzle.files.models.reading import SIZE_LIMIT

_INSTANCE = "application/org.ommx.v1.instance"
_INSTANCES = {_INSTANCE: 1, "application/org.ommx.v2.instance": 2}
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_INDEX = "application/vnd.oci.image.index.v1+json"
_TITLE = "org.ommx.v1.instance.title"
_MAGIC = 257, b"ustar"
"""Where a header of a tar archive has what."""


class Layer(NamedTuple):
    """An instance's bytes, which of OMMX's formats they are in (1 or 2), and its title."""

    data: bytes
    version: int
    title: str


def is_archive(data: bytes) -> bool:
    """Whether bytes begin as a tar archive does."""
    start, magic = _MAGIC
    return data.startswith(magic, start)


def pack(data: bytes, title: str = "") -> bytes:
    """The archive of an instance in the first format, which OMMX 2 and 3 read.

    The same bytes give the same archive. ``unpack`` is the other way:

    >>> unpack(pack(b"...", title="a"))
    Layer(data=b'...', version=1, title='a')
    """
    blobs: dict[str, bytes] = {}

    def described(media_type: str, blob: bytes, **more: Any) -> dict[str, Any]:
        name = sha256(blob).hexdigest()
        blobs[f"blobs/sha256/{name}"] = blob
        return {"mediaType": media_type, "digest": f"sha256:{name}", "size": len(blob), **more}

    manifest = {
        "schemaVersion": 2,
        "mediaType": _MANIFEST,
        "artifactType": "application/org.ommx.v1.artifact",
        "config": described("application/vnd.oci.empty.v1+json", b"{}"),
        "layers": [described(_INSTANCE, data, annotations={_TITLE: title} if title else {})],
    }
    index = [described(_MANIFEST, json.dumps(manifest).encode(), annotations={})]
    blobs["index.json"] = json.dumps(
        {"schemaVersion": 2, "mediaType": _INDEX, "manifests": index}
    ).encode()
    blobs["oci-layout"] = b'{"imageLayoutVersion": "1.0.0"}'
    buffer = BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, blob in blobs.items():
            member = tarfile.TarInfo(name)
            member.size = len(blob)
            archive.addfile(member, BytesIO(blob))
    return buffer.getvalue()


def unpack(data: bytes) -> Layer:
    """The one instance of an archive.

    Raises:
        InputError: for an archive that is damaged, or has no instance or several.
        TooLarge: for a part that unpacks to more than ``SIZE_LIMIT``.
    """
    try:
        with tarfile.open(fileobj=BytesIO(data), mode="r:") as archive:
            return _instance(archive)
    except QubopuzzleError:
        raise
    except (tarfile.TarError, EOFError, OverflowError, ValueError) as error:
        raise InputError(f"the archive is damaged: {error}") from None


def _instance(archive: tarfile.TarFile) -> Layer:
    members = {member.name.removeprefix("./"): member for member in archive.getmembers()}

    def read(name: str) -> bytes:
        member = members.get(name)
        if member is None or not member.isreg() or member.issparse():
            raise InputError(f"no OMMX artifact, or one that breaks off: no {name[:90]} in it")
        if member.size > SIZE_LIMIT:
            raise TooLarge(f"unpacked larger than {SIZE_LIMIT // 2**20} MiB")
        stored = archive.extractfile(member)
        return stored.read() if stored is not None else b""

    def blob(descriptor: dict[str, Any]) -> bytes:
        name = str(descriptor.get("digest")).removeprefix("sha256:")
        content = read(f"blobs/sha256/{name}")
        if sha256(content).hexdigest() != name:
            raise InputError(f"the archive is damaged: blob {name[:12]} has another digest")
        return content

    manifests = _listed(read("index.json"), "index.json", "manifests")
    layers = [layer for each in manifests for layer in _listed(blob(each), "a manifest", "layers")]
    instances = [layer for layer in layers if layer.get("mediaType") in _INSTANCES]
    if not instances:
        others = ", ".join(str(layer.get("mediaType"))[:60] for layer in layers[:3])
        raise InputError(f"no instance in the OMMX artifact, only {others or 'nothing'}")
    if len(instances) > 1:
        raise InputError(
            f"{len(instances)} instances in the OMMX artifact; one is read: save it alone"
        )
    notes = instances[0].get("annotations")
    title = notes.get(_TITLE) if isinstance(notes, dict) else None
    return Layer(blob(instances[0]), _INSTANCES[instances[0]["mediaType"]], str(title or ""))


def _listed(data: bytes, what: str, key: str) -> list[dict[str, Any]]:
    """The objects under a key of a JSON object."""
    try:
        objects = json.loads(data)[key]
    except (ValueError, RecursionError, KeyError, TypeError):
        objects = None
    if not isinstance(objects, list) or not all(isinstance(each, dict) for each in objects):
        raise InputError(f"no OMMX artifact: {what} of it lists no {key}")
    return objects
