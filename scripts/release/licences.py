"""The licences of everything that an archive has in its bytes, as one text: each text once, and who it is of."""

import os
import re

import components

HERE = os.path.dirname(os.path.abspath(__file__))

NAMES = re.compile(r"(?i)^(licen[cs]e|copying|copyright|notice|unlicense)")

GLIBC = """\
The command is a statically linked program, which contains parts of the GNU C Library. That library is free software under
the GNU Lesser General Public License, version 2.1 or later, whose text follows. The list above names the package of its
sources. The sources of Wordline are all that is needed to link the command with another version of it: `make dist` builds
it, with the libraries of the machine.
"""

LIBGCC = """\
Parts of GCC's runtime library libgcc are in the program. They are under the GNU General Public License, version 3 or later, with
the GCC Runtime Library Exception, version 3.1, which lets programs that GCC's libraries are linked into be under any licence.
"""

SQLITE = """\
SQLite is in the public domain: its authors dedicate it, and disclaim copyright to the source code.
"""

RUST = """\
Rust's standard library is under MIT or Apache-2.0; rust-standard-library.html, beside this file, has its notices and
those of what it contains.
"""

# The licences whose texts lie beside every archive.
BESIDE = {"MIT", "Apache-2.0"}

# What stands for the text of something that no folder has.
WORDS = {"glibc": GLIBC, "libgcc": LIBGCC, "sqlite": SQLITE, "rust-std": RUST}


def texts(component):
    """The licences' texts of a component."""
    words = [WORDS[component.name]] if component.name in WORDS and not component.is_crate else []
    if component.name == "glibc":
        with open(os.path.join(HERE, "LGPL-2.1.txt"), encoding="utf-8") as text:
            words.append(text.read())
    if component.folder and not component.is_ours:
        for name in sorted(os.listdir(component.folder)):
            path = os.path.join(component.folder, name)
            if NAMES.match(name) and os.path.isfile(path):
                with open(path, encoding="utf-8", errors="replace") as text:
                    words.append(text.read())
    return ["\n".join(line.rstrip() for line in text.strip().splitlines()) + "\n" for text in words]


def holder(part):
    """Who has the copyright in a package that has its licence by name alone: as its source says, or its authors."""
    if not components.is_allowed(part.licence, BESIDE):
        raise SystemExit(f"release: {part.name} {part.version} has no text of its licence, {part.licence}, and needs one")
    source = os.path.join(part.folder or "", "src", "lib.rs")
    if os.path.isfile(source):
        with open(source, encoding="utf-8") as text:
            found = re.search(r"^// *(Copyright .*)$", text.read(2000), re.MULTILINE)
        if found:
            return found.group(1).strip()
    if not part.authors:
        raise SystemExit(f"release: {part.name} {part.version} has no text of its licence, and names no author")
    return f"by {', '.join(part.authors)}"


def third_party(parts):
    """The text of THIRD-PARTY-LICENSES.txt."""
    others = [part for _, part in sorted(parts.components.items()) if not part.is_ours]
    lines = ["Wordline contains the following, each under its licence. The texts follow the list, with numbers.\n"]
    numbers = {}
    for part in others:
        own = [numbers.setdefault(text, len(numbers) + 1) for text in texts(part)]
        which = f"; texts {', '.join(map(str, own))}" if own else f"; {holder(part)}; the text is in LICENSE-MIT or LICENSE-APACHE"
        source = f"; built from the source package {part.source}" if part.source else ""
        lines.append(f"{part.name} {part.version}: {part.licence}{source}{which}")
    for text, number in numbers.items():
        lines += ["", f"---- {number} " + "-" * 72, "", text]
    return "\n".join(lines) + "\n"
