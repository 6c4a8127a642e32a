"""The generated templates: cfn-lint has nothing to say, and moto makes the same tables from them."""

import json
import pathlib
import subprocess
import sys

import peers

# Each rule that is switched off, with its reason.
IGNORED = {
    "I": "informational; nothing is wrong",
}

folder, endpoint = pathlib.Path(sys.argv[1]), sys.argv[2]
templates = sorted(folder.glob("*/*.json"))
assert len(templates) == 15, templates
lint = pathlib.Path(sys.executable).with_name("cfn-lint")
command = [lint, "--ignore-checks", *IGNORED, "--regions", "af-south-1", "--", *templates]
done = subprocess.run(command, capture_output=True, text=True)
assert done.returncode == 0, done.stdout + done.stderr
print(f"cloudformation: cfn-lint passes {len(templates)} templates")

peers.wait_for(endpoint)
peers.reset(endpoint)
stacks = peers.client("cloudformation", endpoint)
dynamodb = peers.client("dynamodb", endpoint)
for template in sorted((folder / "dev").glob("*.json")):
    stacks.create_stack(
        StackName=f"plinth-{template.stem}",
        TemplateBody=template.read_text(),
        Capabilities=["CAPABILITY_IAM"],
    )
    stack = stacks.describe_stacks(StackName=f"plinth-{template.stem}")["Stacks"][0]
    assert stack["StackStatus"] == "CREATE_COMPLETE", stack
documents = peers.documents("dev")
for name, document in documents.items():
    # moto does not read TTL from a template; what the template says is compared below.
    peers.compare(dynamodb, name, document, "dev", sees_ttl=False)
for template in (folder / "dev").glob("*.json"):
    for resource in json.loads(template.read_text())["Resources"].values():
        if resource["Type"] == "AWS::DynamoDB::Table":
            properties = resource["Properties"]
            ttl = properties.get("TimeToLiveSpecification", {}).get("AttributeName")
            document = documents[properties["TableName"]]
            assert ttl == document.get("timeToLive", {}).get("attribute"), properties["TableName"]
print(f"cloudformation: {len(documents)} tables made by moto are as the documents say")
