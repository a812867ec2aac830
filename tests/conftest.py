"""What all tests share: they see no pack but those that they bring along."""

import pytest

from paraphrast.neural import family


@pytest.fixture(autouse=True)
def no_bundled_pack(request, monkeypatch, tmp_path_factory):
    """Hide the pack that comes with paraphrast, unless a test is about it."""
    if not request.node.get_closest_marker("bundled"):
        empty = tmp_path_factory.getbasetemp() / "no-packs"
        monkeypatch.setattr(family, "BUNDLED", empty)
