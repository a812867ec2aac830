"""Documents that are ZIP archives: read with limits, written with files replaced."""

import io
import zipfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from paraphrast.errors import ParaphrastError

MOST_FILES = 10_000
MOST_BYTES = 512 * 2**20  # of all files, unpacked
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError)
_COMPOUND = b"\xd0\xcf\x11\xe0"  # an old Office file, or one with a password


@dataclass(frozen=True)
class Archive:
    """An archive that was read; ``name`` is what messages call it."""

    data: bytes
    name: str
    files: Mapping[str, zipfile.ZipInfo] = field(default_factory=dict)

    def read(self, path: str) -> bytes:
        """Return a file of the archive, unpacked."""
        info = self.files.get(path)
        if info is None:
            raise ParaphrastError(
                f"{self.name}: broken: it has no {path}. Save it again in its editor."
            )
        try:
            with zipfile.ZipFile(io.BytesIO(self.data)) as archive:
                return _read(archive, info)
        except _BROKEN as error:
            raise broken(self.name, error) from error

    def replace(self, new: Mapping[str, bytes]) -> bytes:
        """Return the archive with the contents of some files replaced."""
        if not new:
            return self.data
        written = io.BytesIO()
        try:
            with (
                zipfile.ZipFile(io.BytesIO(self.data)) as archive,
                zipfile.ZipFile(written, "w") as copy,
            ):
                copy.comment = archive.comment
                for info in archive.infolist():
                    kept = info.filename not in new
                    data = _read(archive, info) if kept else new[info.filename]
                    # A copy: what is written changes sizes and places in it.
                    fresh = zipfile.ZipInfo(info.filename, info.date_time)
                    fresh.compress_type = info.compress_type
                    fresh.external_attr = info.external_attr
                    copy.writestr(fresh, data)
        except _BROKEN as error:
            raise broken(self.name, error) from error
        return written.getvalue()


def open_archive(data: bytes, name: str) -> Archive:
    """Open an archive, and refuse one that is broken, locked or too large."""
    if data.startswith(_COMPOUND):
        raise ParaphrastError(
            f"{name}: protected by a password, or from an old version of Office. Save "
            "it without a password in the current format."
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            infos = archive.infolist()
    except _BROKEN as error:
        raise broken(name, error) from error
    if any(info.flag_bits & 1 for info in infos):
        raise locked(name)
    if len(infos) > MOST_FILES or sum(i.file_size for i in infos) > MOST_BYTES:
        raise ParaphrastError(
            f"{name}: unpacks to more than {MOST_FILES:,} files or "
            f"{MOST_BYTES // 2**20} MB. Split the document."
        )
    return Archive(data, name, {info.filename: info for info in infos})


def locked(name: str) -> ParaphrastError:
    """Return the error for a document with a password."""
    return ParaphrastError(f"{name}: protected by a password. Save it without one.")


def broken(name: str, error: Exception) -> ParaphrastError:
    """Return the error for a document that cannot be read."""
    why = str(error).partition("\n")[0].rstrip(".")
    return ParaphrastError(
        f"{name}: broken ({why}). Open it in its editor and save it again."
    )


def _read(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    """Unpack a file, and no more of it than the archive says there is."""
    with archive.open(info) as file:
        data = file.read(info.file_size + 1)
    if len(data) != info.file_size:
        raise zipfile.BadZipFile(f"{info.filename} does not have the stated size")
    return data
