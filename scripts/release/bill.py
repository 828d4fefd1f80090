"""A bill of materials as CycloneDX 1.6, without times and chance: the same parts give the same bytes."""

import json
import uuid

SPACE = uuid.uuid5(uuid.NAMESPACE_URL, "https://cyclonedx.org/schema/bom-1.6.schema.json")


def bill(product, name, version, roots, parts):
    """The text of a bill. `name` is the archive's, `roots` are references of what it was built from."""
    whole = {
        "type": product.kind,
        "bom-ref": name,
        "name": name,
        "version": version,
        "description": product.title,
        "licenses": [{"expression": "MIT OR Apache-2.0"}],
    }
    dependencies = [{"ref": name, "dependsOn": sorted(roots)}]
    for reference in sorted(parts.edges):
        dependencies.append({"ref": reference, "dependsOn": sorted(parts.edges[reference])})
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": whole},
        "components": [component(parts.components[reference]) for reference in sorted(parts.components)],
        "dependencies": dependencies,
    }
    # A serial number has to be another for each bill, and the same for the same one.
    document["serialNumber"] = f"urn:uuid:{uuid.uuid5(SPACE, json.dumps(document, sort_keys=True))}"
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


def component(of):
    described = {
        "type": "library",
        "bom-ref": of.reference,
        "name": of.name,
        "version": of.version,
        "licenses": [licence(of.licence)],
    }
    if not of.is_ours:
        described["purl"] = of.reference
    if of.checksum:
        described["hashes"] = [{"alg": "SHA-256", "content": of.checksum}]
    return described


def licence(expression):
    # A single identifier is a licence; several are an expression.
    if " " in expression:
        return {"expression": expression}
    return {"license": {"id": expression}}
