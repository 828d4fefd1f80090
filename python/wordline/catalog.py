"""The catalogue: parts, boards, memory modules, systems, and the targets that experiments name.

>>> import wordline
>>> part = wordline.catalog.part("em064lx")
>>> part.kind, part.default_board
('mram', 'stm32h755-qspi')
>>> "em064lx@stm32h755-qspi" in wordline.catalog.targets()
True
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import NamedTuple, Union

from wordline import _wordline
from wordline._errors import CatalogError
from wordline._run import folders_of

#: Folders with sheets of one's own.
Folders = Union[Iterable[Union[str, "os.PathLike[str]"]], str, "os.PathLike[str]"]


class Part(NamedTuple):
    """A part of the catalogue."""

    #: Name in targets.
    id: str
    #: Name as its maker writes it.
    name: str
    manufacturer: str
    #: Die, data-sheet revision and date.
    revision: str
    description: str
    #: Whether its sheet came with the program; otherwise it is your own.
    embedded: bool
    #: The kind of memory.
    kind: str
    #: Board that a target means when it names none.
    default_board: str | None
    #: The maker's series that it belongs to.
    family: str | None
    #: Whether it is still made.
    lifecycle: str
    #: Whether figures that its sheet does not state were estimated from other parts.
    estimated: bool


class Sheet(NamedTuple):
    """A board, a memory module or a system of the catalogue."""

    #: Name in targets.
    id: str
    #: Name as its maker writes it.
    name: str
    manufacturer: str
    #: Revision and date of what its figures refer to.
    revision: str
    description: str
    #: Whether its sheet came with the program; otherwise it is your own.
    embedded: bool


def parts(catalog: Folders = ()) -> list[Part]:
    """Every part."""
    known = _wordline.parts(folders_of(catalog))
    return [Part(*header, kind, board, family, state, guessed) for header, kind, board, family, state, guessed in known]


def part(id: str, catalog: Folders = ()) -> Part:
    """The part of a name; an unknown one is refused with the nearest names."""
    known = {one.id: one for one in parts(catalog)}
    if id not in known:
        near = _wordline.nearest(id, list(known))
        words = f"; did you mean {' or '.join(near)}?" if near else ""
        raise CatalogError(f"unknown part {id!r}{words}", "id", near)
    return known[id]


def boards(catalog: Folders = ()) -> list[Sheet]:
    """Every board."""
    return [Sheet(*header) for header in _wordline.boards(folders_of(catalog))]


def modules(catalog: Folders = ()) -> list[Sheet]:
    """Every memory module."""
    return [Sheet(*header) for header in _wordline.modules(folders_of(catalog))]


def systems(catalog: Folders = ()) -> list[Sheet]:
    """Every system for memory modules."""
    return [Sheet(*header) for header in _wordline.systems(folders_of(catalog))]


def targets(catalog: Folders = ()) -> list[str]:
    """Every part on its default board, and every memory module in every system, as experiments name them."""
    folders = folders_of(catalog)
    pairs = [f"{module.id}@{system.id}" for module in modules(folders) for system in systems(folders)]
    return [*_wordline.targets(folders), *pairs]
