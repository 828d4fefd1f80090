"""Packing depends on content alone, and licences are judged as their expressions say."""

import os
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import components
import files
import licences
import packing


def tree(folder, reverse, mode, when, text="text"):
    """The same files, made in another order, with other permissions and times."""
    content = {"bin/wordline": "program", "lib/a.so": "library", "share/doc/page": text, "share/empty/.keep": ""}
    for name in sorted(content, reverse=reverse):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(content[name])
        runs = name.startswith(("bin", "lib")) or reverse
        os.chmod(path, mode | (0o100 if runs else 0))
        os.utime(path, (when, when))
    os.symlink("a.so", os.path.join(folder, "lib/b.so"))


class Packing(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        self.addCleanup(self.place.cleanup)

    def path(self, *parts):
        path = os.path.join(self.place.name, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def bytes_of(self, path):
        with open(path, "rb") as file:
            return file.read()

    def packed(self, name, reverse=False, mode=0o644, when=1, text="text", epoch=1_700_000_000):
        folder = self.path(name, "wordline-1.0")
        tree(folder, reverse, mode, when, text)
        archive = self.path(f"{name}.tar.gz")
        packing.pack_tar(folder, archive, epoch)
        return self.bytes_of(archive)

    def test_a_tree_gives_the_same_bytes_whoever_made_it_and_when(self):
        one = self.packed("one")
        self.assertEqual(one, self.packed("two", reverse=True, mode=0o600, when=2_000_000))
        self.assertNotEqual(one, self.packed("three", text="texts"))
        self.assertNotEqual(one, self.packed("four", epoch=1_700_000_001))

    def test_an_archive_has_no_owner_and_one_time(self):
        self.packed("one", reverse=True, mode=0o600)
        with tarfile.open(self.path("one.tar.gz")) as tar:
            entries = {entry.name: entry for entry in tar}
        for entry in entries.values():
            self.assertEqual((entry.uid, entry.gid, entry.uname, entry.mtime), (0, 0, "", 1_700_000_000))
        self.assertEqual(entries["wordline-1.0/bin/wordline"].mode, 0o755)
        self.assertEqual(entries["wordline-1.0/share/doc/page"].mode, 0o644)
        self.assertEqual(entries["wordline-1.0/lib/b.so"].linkname, "a.so")

    def wheel(self, name, order, when):
        path = self.path(name, "wordline-1.0-py3-none-any.whl")
        content = {
            "wordline/__init__.py": "",
            "wordline/_wordline.abi3.so": "library",
            "wordline-1.0.dist-info/METADATA": "Metadata-Version: 2.4\nName: wordline\n\nBody\n\nLicense-File: no header\n",
            "wordline-1.0.dist-info/RECORD": "old",
            "wordline-1.0.dist-info/sboms/of-maturin.json": "/home/somebody",
        }
        with zipfile.ZipFile(path, "w") as wheel:
            for entry in sorted(content, reverse=order):
                wheel.writestr(zipfile.ZipInfo(entry, when), content[entry])
        packed = self.path(f"{name}.whl")
        packing.pack_wheel(path, packed, 1_700_000_000, {"licenses/LICENSE-MIT": b"words"}, ["LICENSE-MIT"])
        return packed

    def test_a_wheel_gives_the_same_bytes_and_records_each_file(self):
        one = self.wheel("one", False, (2000, 1, 1, 0, 0, 0))
        self.assertEqual(self.bytes_of(one), self.bytes_of(self.wheel("two", True, (2020, 1, 1, 0, 0, 0))))
        with zipfile.ZipFile(one) as wheel:
            metadata = wheel.read("wordline-1.0.dist-info/METADATA").decode()
            self.assertIn("\nName: wordline\nLicense-File: LICENSE-MIT\n\nBody\n\nLicense-File: no header\n", metadata)
            self.assertNotIn("wordline-1.0.dist-info/sboms/of-maturin.json", wheel.namelist())
            rows = wheel.read("wordline-1.0.dist-info/RECORD").decode().splitlines()
            self.assertEqual(sorted(row.split(",")[0] for row in rows), sorted(wheel.namelist()))
            for row in rows[:-1]:
                name, digest, size = row.split(",")
                data = wheel.read(name)
                self.assertEqual((digest, size), (f"sha256={packing.digest(data)}", str(len(data))))

    def test_checksums_are_of_what_lies_there(self):
        with open(self.path("out", "a"), "w", encoding="utf-8") as file:
            file.write("abc")
        expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a\n"
        self.assertEqual(packing.sums(self.path("out"), ["a"]), expected)


class Names(unittest.TestCase):
    def test_each_product_is_promised_for_each_target_with_a_bill(self):
        names = files.promised("9.8.7", files.TARGETS)
        self.assertEqual(len(set(names)), 1 + 2 * len(files.PRODUCTS) * len(files.TARGETS))
        for machine in ("x86_64", "aarch64"):
            for name in (
                f"wordline-9.8.7-{machine}-unknown-linux-gnu.tar.gz",
                f"wordline-c-9.8.7-{machine}-unknown-linux-gnu.tar.gz",
                f"wordline-9.8.7-cp310-abi3-{files.WHEEL_PLATFORM}_{machine}.whl",
                f"wordline-9.8.7-{machine}-unknown-linux-gnu.cdx.json",
            ):
                self.assertIn(name, names)


class Licences(unittest.TestCase):
    def test_an_expression_is_satisfied_as_it_says(self):
        for allowed in (
            "MIT",
            "GPL-3.0-only OR MIT",
            "(MIT OR GPL-2.0-only) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR GPL-3.0-only",
        ):
            self.assertTrue(components.is_allowed(allowed), allowed)
        for refused in ("", "GPL-3.0-only", "MIT AND GPL-3.0-only", "(MIT OR ISC) AND LGPL-3.0-only", "MIT (", "MIT ISC"):
            self.assertFalse(components.is_allowed(refused), refused)

    def test_older_manifests_write_a_slash(self):
        self.assertEqual(components.spdx("Unlicense/MIT"), "Unlicense OR MIT")

    def test_a_text_that_two_have_stands_once(self):
        parts = components.Parts()
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "LICENSE"), "w", encoding="utf-8") as file:
                file.write("The same words.  \n")
            for name in ("one", "two"):
                parts.add(components.Component(name, "1.0", "MIT", folder, is_crate=True))
            parts.add(components.Component("glibc", "2.36", "LGPL-2.1-or-later"))
            parts.add(components.Component("wordline-core", "1.0", "MIT", folder, is_ours=True, is_crate=True))
            text = licences.third_party(parts)
        self.assertEqual(text.count("The same words.\n"), 1)
        self.assertIn("one 1.0: MIT; texts 1\ntwo 1.0: MIT; texts 1\n", text)
        self.assertIn("GNU LESSER GENERAL PUBLIC LICENSE", text)
        self.assertNotIn("wordline-core", text)

    def list_of(self, *of):
        parts = components.Parts()
        for part in of:
            parts.add(part)
        return licences.third_party(parts)

    def test_without_a_text_only_licences_that_lie_beside_will_do(self):
        with tempfile.TemporaryDirectory() as folder:

            def crate(licence):
                return components.Component("one", "1.0", licence, folder, is_crate=True, authors=["Ada"])

            for enough in ("MIT", "Zlib OR MIT", "Apache-2.0 OR Zlib"):
                self.assertIn("by Ada; the text is in LICENSE-MIT or LICENSE-APACHE", self.list_of(crate(enough)))
            for refused in ("Zlib", "MIT AND Unicode-3.0", "BSD-3-Clause OR ISC", "Apache-2.0 WITH LLVM-exception"):
                with self.assertRaises(SystemExit, msg=refused) as stopped:
                    self.list_of(crate(refused))
                self.assertIn(refused, str(stopped.exception))

    def test_runtimes_name_the_sources_that_they_are_built_from(self):
        text = self.list_of(
            components.Component("glibc", "2.36", "LGPL-2.1-or-later", source="glibc 2.36-9"),
            components.Component("libgcc", "12.2.0", "GPL-3.0-or-later WITH GCC-exception-3.1", source="gcc-12 12.2.0-14"),
        )
        self.assertIn("glibc 2.36: LGPL-2.1-or-later; built from the source package glibc 2.36-9; texts ", text)
        self.assertIn("GCC-exception-3.1; built from the source package gcc-12 12.2.0-14; texts ", text)
        self.assertIn("GCC Runtime Library Exception", text)


class Tools(unittest.TestCase):
    def dist(self, version):
        """What `scripts/dist` says with compilers of a version that build nothing, and the environment that they have."""
        with tempfile.TemporaryDirectory() as folder:
            seen = os.path.join(folder, "seen")
            for tool, says in {"rustc": version, "cargo": "0.0.1"}.items():
                path = os.path.join(folder, tool)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(f"#!/bin/sh\nenv >>{seen}\necho {tool} {says}\n")
                os.chmod(path, 0o755)
            odd = ["CPATH", "LIBRARY_PATH", "CXXFLAGS", "TARGET_CC", "PKG_CONFIG_PATH", "RUSTUP_TOOLCHAIN", "RUSTFLAGS"]
            environment = {
                "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
                "HOME": folder,
                "CARGO_TARGET_DIR": os.path.join(folder, "target"),
                "WORDLINE_DIRTY": "1",
                **dict.fromkeys(odd, "/odd"),
            }
            script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dist")
            ran = subprocess.run([script], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(ran.returncode, 2, ran.stdout)
            self.assertFalse(os.path.exists(environment["CARGO_TARGET_DIR"]), ran.stdout)
            with open(seen, encoding="utf-8") as file:
                return ran.stdout, dict(line.rstrip("\n").partition("=")[::2] for line in file)

    def test_only_the_pinned_compiler_makes_a_release(self):
        said, _ = self.dist("1.0.0")
        self.assertRegex(said, r"^dist: rustc is 'rustc 1\.0\.0', and rust-toolchain\.toml pins \d+\.\d+\.\d+$")
        pin = said.split()[-1]
        self.assertEqual(self.dist(pin)[0], f"dist: cargo is 'cargo 0.0.1', and rust-toolchain.toml pins {pin}\n")

    def test_little_of_the_environment_comes_through(self):
        _, seen = self.dist("1.0.0")
        self.assertEqual([name for name, value in seen.items() if value == "/odd"], [])
        self.assertEqual((seen["WORDLINE_DIRTY"], seen["TZ"]), ("1", "UTC"))


if __name__ == "__main__":
    unittest.main()
