"""What an archive is made of: the crates that cargo links into it for a target, and what else is in its bytes."""

import json
import os
import re
import subprocess
import tomllib

# Licences under which a dependency may be linked. One that is under none of them is refused.
ALLOWED = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}

# Crates whose manifest has `links`, and what in C they bring along. A newcomer has to be looked at, and added.
LINKS = {
    "libsqlite3-sys": "sqlite",
    "pyo3": None,
    "pyo3-ffi": None,
    "rayon-core": None,
}

# Crates without `links` that compile C sources of others.
COMPILES = {"wordline-littlefs-sys": "littlefs"}


class Component:
    """A crate, a library in C, or a runtime; `source` names the package of sources that a runtime is built from."""

    def __init__(self, name, version, licence, folder=None, checksum=None, is_ours=False, is_crate=False, authors=(), source=None):
        self.name = name
        self.version = version
        self.licence = licence
        self.folder = folder
        self.checksum = checksum
        self.is_ours = is_ours
        self.is_crate = is_crate
        self.authors = authors
        self.source = source

    @property
    def reference(self):
        if self.is_ours:
            return f"{self.name}@{self.version}"
        return f"pkg:{'cargo' if self.is_crate else 'generic'}/{self.name}@{self.version.replace('+', '%2B')}"


class Parts:
    """The components of an archive, by reference, and what each depends on."""

    def __init__(self):
        self.components = {}
        self.edges = {}

    def add(self, component, *below):
        reference = component.reference
        self.components[reference] = component
        self.edges.setdefault(reference, set())
        for parent in below:
            self.edges.setdefault(parent, set()).add(reference)
        return reference


def ask_cargo(root, *arguments):
    command = ["cargo", *arguments, "--locked"]
    ran = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        raise SystemExit(f"release: {' '.join(command)} ended with {ran.returncode}")
    return ran.stdout


def workspace_version(root):
    """The version of the command's package, which is that of the release."""
    packages = json.loads(ask_cargo(root, "metadata", "--format-version", "1", "--no-deps"))["packages"]
    return next(one["version"] for one in packages if one["name"] == "wordline")


class Cargo:
    """Questions to cargo about the workspace of a folder, as its lock file has it for a target."""

    def __init__(self, root, target):
        self.root = root
        self.target = target
        metadata = json.loads(self.ask("metadata", "--format-version", "1", "--filter-platform", target))
        self.packages = {(one["name"], one["version"]): one for one in metadata["packages"]}
        with open(os.path.join(root, "Cargo.lock"), "rb") as lock:
            locked = tomllib.load(lock)["package"]
        self.checksums = {(one["name"], one["version"]): one.get("checksum") for one in locked}

    def ask(self, *arguments):
        return ask_cargo(self.root, *arguments)

    def component(self, name, version):
        package = self.packages.get((name, version))
        if package is None:
            raise SystemExit(f"release: cargo tree names {name} {version}, which cargo metadata does not know")
        licence = spdx(package["license"] or "")
        if not is_allowed(licence):
            raise SystemExit(
                f"release: {name} {version} is under {licence!r}, which none of the licences of "
                f"scripts/release/components.py satisfies: {', '.join(sorted(ALLOWED))}"
            )
        if package["links"] and name not in LINKS:
            raise SystemExit(
                f"release: {name} {version} links {package['links']!r}: say in LINKS of scripts/release/components.py "
                "what of it is in C, and under which licence"
            )
        folder = os.path.dirname(package["manifest_path"])
        is_ours = package["source"] is None
        checksum = self.checksums.get((name, version))
        return Component(name, version, licence, folder, checksum, is_ours, True, package["authors"])

    def parts(self, roots):
        """What is linked into packages: normal dependencies of their features, without macros and what builds them."""
        parts = Parts()
        for root in roots:
            tree = self.ask(
                "tree", "-p", root, "--edges", "normal,no-proc-macro", "--target", self.target,
                "--prefix", "depth", "--charset", "ascii", "--format", "\t{p}\t",
            )  # fmt: skip
            above = []
            for line in tree.splitlines():
                depth, package, _ = line.split("\t")
                name, version = package.split(" ")[:2]
                parent = above[: int(depth)][-1:]
                reference = parts.add(self.component(name, version.removeprefix("v")), *parent)
                above = [*above[: int(depth)], reference]
        return parts


def spdx(licence):
    """A licence expression; older manifests write OR as a slash."""
    return " OR ".join(part.strip() for part in licence.split("/"))


def is_allowed(licence, allowed=frozenset(ALLOWED)):
    """Whether an expression can be satisfied with the allowed licences."""
    tokens = re.findall(r"[()]|[^\s()]+", licence)
    at = 0

    def one():
        nonlocal at
        if at < len(tokens) and tokens[at] == "(":
            at += 1
            held = either()
            at += 1
            return held
        words = tokens[at : at + 1]
        at += 1
        if at + 1 < len(tokens) and tokens[at] == "WITH":
            words += tokens[at : at + 2]
            at += 2
        return " ".join(words) in allowed

    def both():
        nonlocal at
        held = one()
        while at < len(tokens) and tokens[at] == "AND":
            at += 1
            held = one() and held
        return held

    def either():
        nonlocal at
        held = both()
        while at < len(tokens) and tokens[at] == "OR":
            at += 1
            held = both() or held
        return held

    return bool(tokens) and either() and at == len(tokens)


def first_match(path, pattern):
    with open(path, encoding="utf-8", errors="replace") as text:
        for line in text:
            found = re.search(pattern, line)
            if found:
                return found.group(1)
    raise SystemExit(f"release: no version in {path}: nothing matches {pattern}")


def add_c_sources(parts):
    """C sources that crates compile. They are in the archive where the crate is."""
    for reference, crate in list(parts.components.items()):
        brings = LINKS.get(crate.name) or COMPILES.get(crate.name)
        if brings == "sqlite":
            header = os.path.join(crate.folder, "sqlite3", "sqlite3.h")
            version = first_match(header, r'^#define SQLITE_VERSION\s+"([^"]+)"')
            parts.add(Component("sqlite", version, "blessing"), reference)
        elif brings == "littlefs":
            # The header has no third number; the manifest of the crate that vendors it has, and a test compares them.
            version = first_match(os.path.join(crate.folder, "Cargo.toml"), r"littlefs (\d+\.\d+\.\d+)")
            code = int(first_match(os.path.join(crate.folder, "littlefs", "lfs.h"), r"^#define LFS_VERSION (0x\w+)"), 16)
            if version.split(".")[:2] != [str(code >> 16), str(code & 0xFFFF)]:
                raise SystemExit(f"release: the manifest says littlefs {version}, its header {code >> 16}.{code & 0xFFFF}")
            parts.add(Component("littlefs", version, "BSD-3-Clause", os.path.join(crate.folder, "littlefs")), reference)


def source_package(library):
    """The distribution's package of sources that a library of the machine was built from, if it says so."""

    def asked(*command):
        try:
            ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        except FileNotFoundError:
            return ""
        return ran.stdout.strip() if ran.returncode == 0 else ""

    owner = asked("dpkg", "-S", os.path.realpath(library)).split(": ")[0]
    if not owner:
        return ""
    package = asked("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", owner)
    # Packages for another machine are built by one package from the sources of others.
    others = asked("dpkg-query", "-W", "-f", "${Built-Using}", owner)
    return f"{package}, using {others}" if package and others else package


def add_runtimes(parts, roots, is_static, compiler):
    """What the toolchains put into the bytes: Rust's library, and in a static program glibc and GCC's unwinder."""

    def asked(*command, **more):
        return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, **more).stdout

    rust = re.search(r"^release: (\S+)$", asked("rustc", "-vV"), re.MULTILINE).group(1)
    parts.add(Component("rust-std", rust, "MIT OR Apache-2.0"), *roots)
    if is_static:
        macros = asked(compiler, "-dM", "-E", "-include", "features.h", "-x", "c", "/dev/null")
        numbers = [re.search(rf"#define {name} (\d+)", macros).group(1) for name in ("__GLIBC__", "__GLIBC_MINOR__")]
        version = ".".join(numbers)
        source = source_package(asked(compiler, "-print-file-name=libc.a").strip()) or f"glibc-{version} of ftp.gnu.org"
        parts.add(Component("glibc", version, "LGPL-2.1-or-later", source=source), *roots)
        gcc = asked(compiler, "-dumpfullversion").strip()
        source = source_package(asked(compiler, "-print-libgcc-file-name").strip()) or f"gcc-{gcc} of ftp.gnu.org"
        parts.add(Component("libgcc", gcc, "GPL-3.0-or-later WITH GCC-exception-3.1", source=source), *roots)
