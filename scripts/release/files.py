"""The files of a release, by name. Documentation, tests and the check in a bare container take the names from here."""

TARGETS = ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"]

# The glibc that the wheel asks for, as maturin finds it. A wheel that asks for another is refused.
WHEEL_PLATFORM = "manylinux_2_34"

CHECKSUMS = "SHA256SUMS"


class Product:
    """One kind of archive: its name, the packages that it is built from, and the files that it must hold."""

    def __init__(self, name, kind, title, roots, holds):
        self.name = name
        self.kind = kind
        self.title = title
        self.roots = roots
        self.holds = holds

    def archive(self, version, target):
        machine = target.split("-", 1)[0]
        if self.name == "wheel":
            return f"wordline-{version}-cp310-abi3-{WHEEL_PLATFORM}_{machine}.whl"
        return f"{self.folder(version, target)}.tar.gz"

    def folder(self, version, target):
        prefix = "wordline" if self.name == "command" else "wordline-c"
        return f"{prefix}-{version}-{target}"

    def bill(self, version, target):
        """The bill of materials that lies beside the archive, and in it."""
        return f"{self.archive(version, target).removesuffix('.tar.gz')}.cdx.json"


def documents(folder):
    """What an archive says of its licences and parts."""
    names = ["LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY-LICENSES.txt", "rust-standard-library.html", "sbom.cdx.json"]
    return [f"{folder}/{name}" for name in names]


PRODUCTS = [
    Product(
        "command",
        "application",
        "The command wordline, statically linked, with man pages, completions and its plugin for QEMU",
        ["wordline", "wordline-apps-qemu"],
        [
            "bin/wordline",
            "lib/libwordline_apps_qemu.so",
            "share/bash-completion/completions/wordline",
            "share/fish/vendor_completions.d/wordline.fish",
            "share/man/man1/wordline.1",
            "share/man/man1/wordline-compare.1",
            "share/zsh/site-functions/_wordline",
            *documents("share/doc/wordline"),
        ],
    ),
    Product(
        "libraries",
        "library",
        "Wordline's C interfaces: headers, static and shared libraries, files for pkg-config, adapters",
        ["wordline-capi", "wordline-kv-capi", "wordline-flat-capi", "wordline-rtfs-capi"],
        [
            "include/wordline.hpp",
            "include/wordline_dram.h",
            "include/wordline_flat.h",
            "include/wordline_kv.h",
            "include/wordline_memory.h",
            "include/wordline_rtfs.h",
            "include/wordline_rtfs_lfs.h",
            "lib/libwordline_capi.a",
            "lib/libwordline_capi.so",
            "lib/libwordline_capi.so.1",
            "lib/libwordline_flat_capi.a",
            "lib/libwordline_kv_capi.a",
            "lib/libwordline_rtfs_capi.a",
            "lib/pkgconfig/wordline.pc",
            "lib/pkgconfig/wordline_flat.pc",
            "lib/pkgconfig/wordline_kv.pc",
            "lib/pkgconfig/wordline_rtfs.pc",
            "share/doc/wordline-c/examples/littlefs/lfs_emubd_wordline.c",
            "share/doc/wordline-c/examples/fatfs/diskio.c",
            *documents("share/doc/wordline-c"),
        ],
    ),
    Product(
        "wheel",
        "library",
        "The package wordline for Python 3.10 and later",
        ["wordline-python"],
        ["wordline/__init__.py", "wordline/_wordline.abi3.so", "wordline/_wordline.pyi", "wordline/py.typed"],
    ),
]


def product(name):
    for one in PRODUCTS:
        if one.name == name:
            return one
    raise SystemExit(f"release: no product {name!r}; there are {', '.join(one.name for one in PRODUCTS)}")


def promised(version, targets, products=PRODUCTS):
    """Every file of a release, sorted."""
    names = [CHECKSUMS]
    for target in targets:
        for one in products:
            names += [one.archive(version, target), one.bill(version, target)]
    return sorted(names)
