"""The documents conform to the published JSON Schemas by a validator that is not ours."""

import json
import pathlib

import jsonschema

TABLES = pathlib.Path("tables")


def check(schema_name, files):
    schema = json.loads((TABLES / schema_name).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    for file in files:
        errors = [error.message for error in validator.iter_errors(json.loads(file.read_text()))]
        assert not errors, f"{file}: {errors}"
    return len(files)


documents = sorted(TABLES.glob("*/*.json"))
systems = [file for file in documents if file.name == "system.json"]
tables = [file for file in documents if file.name != "system.json"]
assert check("schema.json", tables) == 30
assert check("system.schema.json", systems) == 5
print("schema: 30 tables and 5 systems conform")
