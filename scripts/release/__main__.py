"""Licences, bills of materials, archives and checksums of a release. `scripts/dist` builds what goes into it.

  python3 scripts/release version                            of the workspace
  python3 scripts/release list                               the files of a release
  python3 scripts/release products                           what it consists of
  python3 scripts/release targets                            what it is built for
  python3 scripts/release archive PRODUCT TARGET STAGED OUT  documents and packs a folder or a wheel, with its bill, into OUT
  python3 scripts/release pack FOLDER FILE                   packs a folder as it is
  python3 scripts/release bill PRODUCT TARGET                prints a bill of materials
  python3 scripts/release sums OUT PRODUCT,... TARGET,...    checks that OUT has each promised file, and writes SHA256SUMS

SOURCE_DATE_EPOCH is the time of everything that is packed. CC is the compiler that links for the target.
"""

import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True

import bill  # noqa: E402
import components  # noqa: E402
import files  # noqa: E402
import licences  # noqa: E402
import packing  # noqa: E402

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))


def epoch():
    value = os.environ.get("SOURCE_DATE_EPOCH", "")
    if not value.isdecimal():
        raise SystemExit(f"release: SOURCE_DATE_EPOCH is {value!r}; it is the seconds since 1970 of the last commit")
    return int(value)


def described(product, target):
    """The parts of an archive, and the text of its bill."""
    if target not in files.TARGETS:
        raise SystemExit(f"release: no target {target!r}; there are {', '.join(files.TARGETS)}")
    version = components.workspace_version(ROOT)
    parts = components.Cargo(ROOT, target).parts(product.roots)
    roots = [reference for reference, part in parts.components.items() if part.name in product.roots]
    components.add_c_sources(parts)
    components.add_runtimes(parts, roots, product.name == "command", os.environ.get("CC", "cc"))
    return version, parts, bill.bill(product, product.archive(version, target), version, roots, parts)


def own_licences():
    found = {}
    for name in ("LICENSE-APACHE", "LICENSE-MIT"):
        with open(os.path.join(ROOT, name), "rb") as text:
            found[name] = text.read()
    sysroot = subprocess.run(["rustc", "--print", "sysroot"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    notices = os.path.join(sysroot, "share", "doc", "rust", "COPYRIGHT-library.html")
    try:
        with open(notices, "rb") as text:
            found["rust-standard-library.html"] = text.read()
    except OSError as why:
        raise SystemExit(f"release: {notices}: {why.strerror}; the notices of Rust's library come with its toolchain")
    return found


def archive(product, target, staged, out):
    version, parts, listed = described(product, target)
    texts = {**own_licences(), "THIRD-PARTY-LICENSES.txt": licences.third_party(parts).encode()}
    name = product.archive(version, target)
    made = os.path.join(out, name)
    if product.name == "wheel":
        additions = {f"licenses/{name}": text for name, text in texts.items()}
        additions["sboms/wordline.cdx.json"] = listed.encode()
        if os.path.basename(staged) != name:
            raise SystemExit(f"release: maturin built {os.path.basename(staged)}, and the release promises {name}")
        packing.pack_wheel(staged, made, epoch(), additions, sorted(texts))
    else:
        folder = os.path.join(staged, os.path.dirname(product.holds[-1]))
        os.makedirs(folder, exist_ok=True)
        for name, text in {**texts, "sbom.cdx.json": listed.encode()}.items():
            with open(os.path.join(folder, name), "wb") as file:
                file.write(text)
        packing.pack_tar(staged, made, epoch())
    missing = set(product.holds) - set(packing.names_in(made))
    if missing:
        raise SystemExit(f"release: {made} lacks {', '.join(sorted(missing))}")
    with open(os.path.join(out, product.bill(version, target)), "w", encoding="utf-8") as file:
        file.write(listed)


def sums(out, products, targets):
    expected = files.promised(components.workspace_version(ROOT), targets, products)
    found = sorted({*os.listdir(out), files.CHECKSUMS})
    if found != expected:
        raise SystemExit(
            f"release: {out} lacks {sorted(set(expected) - set(found))} and has beside them {sorted(set(found) - set(expected))}"
        )
    names = [name for name in expected if name != files.CHECKSUMS]
    with open(os.path.join(out, files.CHECKSUMS), "w", encoding="utf-8") as file:
        file.write(packing.sums(out, names))


def main(arguments):
    match arguments:
        case ["version"]:
            print(components.workspace_version(ROOT))
        case ["list"]:
            print("\n".join(files.promised(components.workspace_version(ROOT), files.TARGETS)))
        case ["products"]:
            print("\n".join(one.name for one in files.PRODUCTS))
        case ["targets"]:
            print("\n".join(files.TARGETS))
        case ["archive", name, target, staged, out]:
            archive(files.product(name), target, staged.rstrip("/"), out)
        case ["pack", folder, file]:
            packing.pack_tar(folder.rstrip("/"), file, epoch())
        case ["bill", name, target]:
            sys.stdout.write(described(files.product(name), target)[2])
        case ["sums", out, products, targets]:
            sums(out, [files.product(name) for name in products.split(",")], targets.split(","))
        case _:
            print(__doc__.strip(), file=sys.stderr)
            sys.exit(2)


main(sys.argv[1:])
