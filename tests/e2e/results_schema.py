"""Validates results against the schema. Usage: results_schema.py SCHEMA COMMANDS NAME.DEFINITION.json...

COMMANDS lists the commands that have --json, one a line: each must be one of the schema's definitions."""
import json
import pathlib
import sys

import jsonschema  # python3-jsonschema


def closed(schema):
    """The schema with objects that hold only what it names: what is printed must be documented."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(value) for key, value in schema.items()}
    if isinstance(schema.get('properties'), dict) and schema.get('type') == 'object' and 'anyOf' not in schema:
        result.setdefault('additionalProperties', False)
    return result


def problems(schema, definition, result):
    validator = jsonschema.Draft202012Validator({'$ref': f'#/$defs/{definition}', '$defs': schema['$defs']})
    return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}" for error in validator.iter_errors(result)]


def main(schema_path, commands_path, *paths):
    schema = json.loads(pathlib.Path(schema_path).read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    failures = [f'{command} --json is not in the schema'
                for command in pathlib.Path(commands_path).read_text().split() if command not in schema['$defs']]
    whole = jsonschema.Draft202012Validator(schema)
    strict = closed(schema)
    for path in map(pathlib.Path, paths):
        result = json.loads(path.read_text())
        failures += [f'{path.name}: {problem}' for problem in problems(strict, path.name.split('.')[1], result)]
        if not whole.is_valid(result):
            failures.append(f'{path.name}: no result of any kind')
        # The check itself must be able to fail.
        for wrong in ({**result, 'undocumented': 1}, {**result, 'schema': 2}, {}):
            if not problems(strict, path.name.split('.')[1], wrong):
                failures.append(f'{path.name}: {list(wrong)[-1:]} passes')
    if failures or not paths:
        raise SystemExit('FAILED:\n' + '\n'.join(failures))


if __name__ == '__main__':
    main(*sys.argv[1:])
