"""A server's settings; `create_app` takes nothing else."""

from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

PORT = 8765
DATA = Path("~/.local/share/paraphrast")
LEAST_SECRET = 16  # characters
REQUESTS_PER_MINUTE = 600  # of one client of a server for others


@dataclass(frozen=True)
class Limits:
    """The limits of requests; ``GET /v1/limits`` returns them.

    ``requests_per_minute`` is per API key, and per account for its pages, or without
    accounts per address; 0, as in the single-user studio, means no limit.
    ``queue_length`` is the maximum number of requests that run or wait for the
    rewriter; others are asked to retry later. ``jobs`` is the maximum number of an
    owner's jobs, which are kept for ``job_days`` after they ended.
    """

    characters_per_text: int = 200_000
    texts_per_request: int = 256
    body_bytes: int = 8 * 2**20
    body_seconds: int = 30
    requests_per_minute: int = 0
    queue_length: int = 1_000
    jobs: int = 100
    job_days: int = 7

    def __post_init__(self) -> None:
        """Refuse what cannot be."""
        for name, value in vars(self).items():
            least = 0 if name == "requests_per_minute" else 1
            if value < least:
                raise ValueError(f"{name} must be at least {least}, not {value}.")


@dataclass(frozen=True)
class Settings:
    """How a server runs: on loopback without accounts, or for others with accounts.

    ``database`` is a SQLAlchemy URL; by default an SQLite file in the folder ``data``.
    ``secret`` signs session tokens. ``start_token`` is the token of the single-use link
    of ``paraphrast studio``; without accounts and without it, anybody who can reach the
    server may use it. ``compat`` enables the compatible APIs of other services.
    ``packs`` is the folder of packs.
    """

    database: str = ""
    secret: str = field(default="", repr=False)
    accounts: bool = False
    start_token: str = field(default="", repr=False)
    host: str = "127.0.0.1"
    port: int = PORT
    compat: bool = False
    data: Path = DATA
    packs: Path | None = None
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        """Refuse to serve others without accounts and a secret."""
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port must be 0 to 65535, not {self.port}.")
        if self.accounts and len(self.secret) < LEAST_SECRET:
            raise ValueError(
                f"accounts need a secret of at least {LEAST_SECRET} characters. Put "
                "one into the environment variable PARAPHRAST_SECRET."
            )
        if not self.accounts and not is_loopback(self.host):
            raise ValueError(
                f"{self.host!r} can be reached by others, and nobody would have to "
                "sign in. Switch accounts on with --accounts, or use 127.0.0.1."
            )

    @property
    def database_url(self) -> str:
        """Return the database's URL."""
        return self.database or f"sqlite:///{self.folder / 'paraphrast.sqlite3'}"

    @property
    def folder(self) -> Path:
        """Return the data folder, with the home directory expanded."""
        return self.data.expanduser()


def is_loopback(host: str) -> bool:
    """Say whether an address can be reached only from this machine."""
    if host == "localhost":
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
