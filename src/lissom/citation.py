"""How to cite lissom and the papers whose formulations it implements."""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Paper:
    """A published formulation; `where` is the journal (or archive) with volume and pages."""

    key: str
    authors: tuple[str, ...]
    title: str
    where: str
    year: int
    topic: str
    link: str = ""

    def text(self) -> str:
        """Return one reference, in the order authors, year, title, place."""
        names = ", ".join(self.authors)
        link = f" {self.link}" if self.link else ""
        return f"{names} ({self.year}). {self.title}. {self.where}.{link}"

    def bibtex(self) -> str:
        """Return one reference as a BibTeX entry."""
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "journal": self.where,
            "year": str(self.year),
            "url": self.link,
        }
        body = ",\n".join(f"  {name} = {{{value}}}" for name, value in fields.items() if value)
        return f"@article{{{self.key},\n{body}\n}}"


PAPERS = (
    Paper(
        key="park1995lie",
        authors=("F. C. Park", "J. E. Bobrow", "S. R. Ploen"),
        title="A Lie Group Formulation of Robot Dynamics",
        where="The International Journal of Robotics Research 14(6), 609-618",
        year=1995,
        topic="rigid arms on SE(3)",
    ),
    Paper(
        key="qian2013recursive",
        authors=("Z. Qian", "D. Zhang", "J. Liu"),
        title="Recursive Formulation for Dynamic Modeling and Simulation of Multilink Spatial Flexible "
        "Robotic Manipulators",
        where="Advances in Mechanical Engineering 5, 216014",
        year=2013,
        topic="flexible links and joints by 4x4 matrices",
        link="https://doi.org/10.1155/2013/216014",
    ),
    Paper(
        key="vidoni2017modeling",
        authors=("R. Vidoni", "P. Gallina", "P. Boscariol", "A. Gasparetto", "M. Giovagnoni"),
        title="Modeling the vibration of spatial flexible mechanisms through an equivalent rigid-link "
        "system/component mode synthesis approach",
        where="Journal of Vibration and Control 23(12), 1890-1907",
        year=2017,
        topic="equivalent rigid-link system",
    ),
    Paper(
        key="cibicik2021kinematics",
        authors=("A. Cibicik", "O. Egeland"),
        title="Kinematics and Dynamics of Flexible Robotic Manipulators Using Dual Screws",
        where="IEEE Transactions on Robotics 37(1), 206-224",
        year=2021,
        topic="linearised dynamics by dual screws",
    ),
    Paper(
        key="yaqubi2026screw",
        authors=("S. Yaqubi", "A. Kitzinger", "A. Müller", "H. Gattringer", "J. Mattila"),
        title="Screw-Theoretic PDE-Based Synthesis for Unified Representation of Multibody Flexible "
        "Manipulator Dynamics",
        where="arXiv:2601.16242",
        year=2026,
        topic="screw-theoretic PDE synthesis",
        link="https://arxiv.org/abs/2601.16242",
    ),
)


class Citation(str):
    """Text that shows itself as it reads, also as the value of an interactive line."""

    def __repr__(self) -> str:
        return str(self)


def cite(style: Literal["text", "bibtex"] = "text") -> Citation:
    """Return references to lissom itself and to the five papers that it builds on.

    Parameters
    ----------
    style : {"text", "bibtex"}
        A list to read, or entries to paste.

    Returns
    -------
    Citation
        Text that shows itself as it reads.

    Examples
    --------
    >>> print(lissom.cite("bibtex"))
    """
    from lissom.errors import LissomError
    from lissom.version import __version__

    if style == "bibtex":
        own = (
            "@software{lissom,\n  author = {{lissom contributors}},\n"
            "  title = {lissom: dynamics of robot arms whose links and joints bend},\n"
            f"  version = {{{__version__}}},\n  year = {{2026}}\n}}"
        )
        return Citation("\n\n".join([own, *(paper.bibtex() for paper in PAPERS)]))
    if style != "text":
        raise LissomError(f"style {style!r} is not known; choose 'text' or 'bibtex'")
    lines = [
        f"lissom contributors (2026). lissom: dynamics of robot arms whose links and joints bend, "
        f"version {__version__}.",
        "",
        "Please cite also the paper whose formulation you use:",
        *(f"- {paper.topic}: {paper.text()}" for paper in PAPERS),
    ]
    return Citation("\n".join(lines))
