"""Archives whose bytes depend on nothing but what is in them: names in order, one time, no owner, two sets of permissions."""

import base64
import gzip
import hashlib
import io
import os
import tarfile
import time
import zipfile

# The format of a zip file has no earlier time.
ZIP_EPOCH = 315532800


def paths_below(folder):
    """Files, links and folders below a folder, relative to it, in the order of their names' bytes."""
    found = []
    for place, folders, files in os.walk(folder):
        for name in folders + files:
            found.append(os.path.relpath(os.path.join(place, name), folder))
    return sorted(found, key=os.fsencode)


def pack_tar(folder, archive, epoch):
    """Packs a folder, under its own name, as a gzipped tar file."""
    root = os.path.basename(os.path.abspath(folder))
    plain = io.BytesIO()
    with tarfile.open(fileobj=plain, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in [".", *paths_below(folder)]:
            full = os.path.join(folder, path)
            entry = tarfile.TarInfo(os.path.normpath(os.path.join(root, path)))
            entry.mtime = epoch
            if os.path.islink(full):
                entry.type, entry.linkname, entry.mode = tarfile.SYMTYPE, os.readlink(full), 0o777
                tar.addfile(entry)
            elif os.path.isdir(full):
                entry.type, entry.mode = tarfile.DIRTYPE, 0o755
                tar.addfile(entry)
            elif os.path.isfile(full):
                entry.size = os.path.getsize(full)
                entry.mode = 0o755 if os.access(full, os.X_OK) and is_program(path) else 0o644
                with open(full, "rb") as content:
                    tar.addfile(entry, content)
            else:
                raise SystemExit(f"release: {full} is no file, folder or link")
    with open(archive, "wb") as out, gzip.GzipFile("", "wb", 9, out, mtime=0) as packed:
        packed.write(plain.getvalue())


def is_program(path):
    """Programs and shared libraries keep the permission to run; pages and headers never have it, whatever the umask."""
    return path.split(os.sep)[0] == "bin" or ".so" in os.path.basename(path)


def pack_wheel(wheel, archive, epoch, additions, licences):
    """Packs a wheel again with further files (name in `.dist-info/` to bytes), of which `licences` are named in METADATA."""
    with zipfile.ZipFile(wheel) as old:
        # The bill that maturin writes names folders of this machine, and knows of no C.
        names = [name for name in old.namelist() if not name.endswith("/") and ".dist-info/sboms/" not in name]
        content = {name: old.read(name) for name in names}
    info = next(name.split("/")[0] for name in content if name.endswith(".dist-info/METADATA"))
    content.update({f"{info}/{name}": data for name, data in additions.items()})
    metadata = content[f"{info}/METADATA"].decode()
    head, blank, body = metadata.partition("\n\n")
    lines = [line for line in head.split("\n") if not line.startswith("License-File:")]
    lines += [f"License-File: {name}" for name in licences]
    content[f"{info}/METADATA"] = ("\n".join(lines) + blank + body).encode()
    record = f"{info}/RECORD"
    content.pop(record)
    # Installers want the folder of metadata last, as it is written last.
    names = sorted(content, key=lambda name: (name.startswith(f"{info}/"), name))
    rows = [f"{name},sha256={digest(content[name])},{len(content[name])}" for name in names]
    content[record] = "\n".join([*rows, f"{record},,", ""]).encode()
    at = time.gmtime(max(epoch, ZIP_EPOCH))[:6]
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        for name in [*names, record]:
            entry = zipfile.ZipInfo(name, at)
            entry.create_system = 3
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if name.endswith(".so") else 0o100644) << 16
            new.writestr(entry, content[name])


def digest(data):
    """SHA-256 as the RECORD of a wheel has it."""
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def names_in(archive):
    """Files and links of an archive, without its outer folder where it has one."""
    if archive.endswith(".whl"):
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as tar:
        return [entry.name.split("/", 1)[1] for entry in tar if not entry.isdir()]


def sums(folder, names):
    """Lines as `sha256sum` writes and checks them."""
    lines = []
    for name in sorted(names):
        with open(os.path.join(folder, name), "rb") as content:
            lines.append(f"{hashlib.file_digest(content, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines)
