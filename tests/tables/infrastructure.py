"""The generated Terraform: it parses, it is formatted, and checkov finds nothing unexplained."""

import json
import pathlib
import shutil
import subprocess
import sys

import hcl2

# Each checkov rule that is skipped, with its reason.
SKIPPED = {
    "CKV_AWS_119": "the documents ask for the key that AWS manages (R000-4.2.1-4, C1-10), not for a customer's",
    "CKV_AWS_166": "the vault's key is the one AWS manages, as the tables' is",
}

out = pathlib.Path(sys.argv[1])
files = sorted((out / "terraform").rglob("*.tf"))
assert len(files) == 6 + 3 * 6, files
for file in files:
    with file.open() as text:
        hcl2.load(text)
calls = sum(file.read_text().count('"../modules/dynamodb_table"') for file in files)
assert calls == 90, calls
print(f"terraform: {len(files)} files parse, with {calls} tables in three environments")

if shutil.which("terraform"):
    done = subprocess.run(
        ["terraform", "fmt", "-check", "-diff", "-recursive", out / "terraform"],
        capture_output=True, text=True, env={"PATH": "/usr/local/bin:/usr/bin:/bin"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    print("terraform: terraform fmt would change nothing")
else:
    print("terraform: not installed, so that its formatter was not asked")

checkov = pathlib.Path(sys.executable).with_name("checkov")
for framework, folder in (("terraform", "terraform"), ("cloudformation", "cloudformation")):
    command = [
        sys.executable, checkov, "--directory", out / folder, "--framework", framework,
        "--skip-check", ",".join(SKIPPED), "--quiet", "--compact", "--output", "json",
        "--download-external-modules", "false",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    try:
        report = json.loads(done.stdout)
    except ValueError:
        raise SystemExit(done.stdout + done.stderr)
    failed = report["results"]["failed_checks"] if "results" in report else []
    lines = {f"{check['check_id']} {check['check_name']}: {check['resource']}" for check in failed}
    assert not lines, "\n".join(sorted(lines))
    passed = report.get("summary", report).get("passed", 0)
    assert passed > 0, report
    print(f"{framework}: checkov passes {passed} checks, {len(SKIPPED)} rules skipped with a reason")
