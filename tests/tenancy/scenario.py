"""The tenant service from end to end, through HTTP, as its users and operators meet it.

Usage: scenario.py URL PLINTH DATA-FOLDER [keys | away PROCESS]

Every title names the requirements that its requests prove. `run` starts the server; with `keys` it is one
that was started again, and asks for an API key beside every token; `away` ends the process of its store.
"""

import os
import signal
import sys

from http_steps import Person, Receiver, Server, Steps

REASON = "The customer pauses for the winter"
UNKNOWN = "tenant-00000000-0000-4000-8000-000000000000"


class World:
    """Who is there, and what they have made so far."""

    def __init__(self, url, plinth, data):
        self.steps, self.server = Steps(url), Server(plinth, data)
        self.receiver = Receiver()
        # Whoever runs the platform, and somebody who makes tenants on it.
        self.root = self.server.token("platform-admin", "root@example.com")
        self.operator = self.server.token("operator", "operator@example.com")

    def create(self, name, token=None, expect=201, **more):
        headers = {key: more.pop(key) for key in ["idempotency_key"] if key in more}
        body = {"organizationName": name, "contactEmail": "office@example.com", "environment": "dev"}
        options = {**headers, "expect": expect}
        return self.steps.post("/v1.0/tenants", token or self.operator, {**body, **more}, **options)

    def active(self, name, **more):
        """A tenant that is ACTIVE."""
        tenant = at(self.create(name, **more)["tenantId"])
        self.steps.patch(f"{tenant}/status", self.root, {"status": "ACTIVE"})
        return tenant


def at(tenant):
    return f"/v1.0/tenants/{tenant}"


def people(world):
    steps = world.steps
    steps.title("Ada, Bob and Eve register, prove their addresses and log in")
    world.ada, world.bob, world.eve = (Person(steps, world.server, name) for name in ["ada", "bob", "eve"])


def create(world):
    steps = world.steps
    steps.title("US-TEN-001: an operator creates a tenant, which is PENDING (R002-2-1, R002-17C-1, R002-6.4b-1, R002-6.4b-2)")
    made = world.create("Acme Corporation", division="Retail", metadata={"industry": "food", "tier": "gold"})
    world.acme_id = made["tenantId"]
    world.acme = at(world.acme_id)
    steps.equal((made["status"], made["version"]), ("PENDING", 1), "status and version")
    steps.equal(made["createdBy"], "operator@example.com", "createdBy")
    steps.equal(made.headers["location"], world.acme, "Location")
    steps.equal(made["_links"]["self"]["href"], world.acme, "the link to itself")
    steps.true("park" not in made["_links"], "a PENDING tenant offers no park (C2-51)")

    steps.title("An organisation's name is taken, however it is written (R002-17C-2, R002-6.5b-5, R002-7.3-1, C2-15)")
    again = world.create("ACME  corporation", expect=409)
    steps.equal(again.error["code"], "CONFLICT", "the error's code")
    steps.equal(again.error["message"], "Organization 'ACME  corporation' already exists", "the message")
    steps.equal(again.error["details"]["reason"], "ORGANIZATION_EXISTS", "the reason")

    steps.title("Idempotency-Key: a create that is repeated makes one tenant (R002-4.1-1)")
    first = world.create("Once Only", idempotency_key="create-once-only")
    second = world.create("Once Only", idempotency_key="create-once-only")
    steps.equal(second["tenantId"], first["tenantId"], "the tenant of the second answer")
    steps.equal(second.headers["idempotent-replayed"], "true", "Idempotent-Replayed")
    other = world.create("Another One", idempotency_key="create-once-only", expect=422)
    steps.equal(other.error["code"], "IDEMPOTENCY_KEY_REUSED", "the error's code")


def view(world):
    steps = world.steps
    steps.title("US-TEN-002: the operator views the tenant, complete (R002-2-2, R002-1.3-2, R002-5.4-1, C2-32)")
    seen = steps.get(world.acme, world.operator)
    steps.equal(seen["metadata"], {"industry": "food", "tier": "gold"}, "metadata")
    steps.equal((seen["division"], seen["parkedAt"]), ("Retail", None), "division and parkedAt")
    steps.equal(seen.headers["etag"], '"v1"', "ETag")


def provision(world):
    steps, hook = world.steps, "/provisioner"
    steps.title("A provisioner listens to requests of all tenants (R002-1.1-2, R002-8.1-1)")
    endpoint = {"url": world.receiver.url(hook), "eventTypes": ["tenant.*"]}
    steps.post("/ops/v1.0/webhooks/endpoints?accountId=platform", world.root, endpoint, expect=201)
    world.globex_id = world.create("Globex")["tenantId"]
    world.globex = at(world.globex_id)
    asked = world.receiver.event(steps, hook, "tenant.provision.requested", world.globex_id)
    steps.equal(asked["work"], "provision", "the work")

    steps.title("Its call-back makes PENDING ACTIVE; saying it again changes nothing (R002-7.5-1, C2-03, C2-47)")
    report = {"operationId": asked["operationId"], "outcome": "succeeded", "message": "2 containers run"}
    done = steps.post(asked["callback"], world.root, report)
    steps.equal(done["status"], "ACTIVE", "the status")
    again = steps.post(asked["callback"], world.root, report)
    steps.equal(again["version"], done["version"], "the version after the second time")
    wrong = {**report, "operationId": "op_unknown"}
    steps.post(asked["callback"], world.root, wrong, expect=409, code="OPERATION_NOT_CURRENT")

    steps.title("One that fails makes it FAILED; it can be tried again (R002-7.5-1, R002-5.8-1)")
    broken_id = world.create("Broken Promises")["tenantId"]
    broken = at(broken_id)
    asked = world.receiver.event(steps, hook, "tenant.provision.requested", broken_id)
    report = {"operationId": asked["operationId"], "outcome": "failed", "message": "no capacity"}
    steps.equal(steps.post(asked["callback"], world.root, report)["status"], "FAILED", "the status")
    retried = steps.patch(f"{broken}/status", world.root, {"status": "PENDING"})
    steps.true(retried["operation"]["operationId"] != asked["operationId"], "another operation is asked for")


def status(world):
    steps = world.steps
    steps.title("US-TEN-013: a valid transition is made, others are refused (R002-2-13, R002-1.3-6, R002-6.5b-6, R002-11.1-3)")
    refused = steps.patch(
        f"{world.acme}/status", world.root, {"status": "SUSPENDED"}, expect=422, code="INVALID_STATUS_TRANSITION"
    )
    steps.equal(refused.error["message"], "Cannot transition from PENDING to SUSPENDED", "the message")
    moved = steps.patch(f"{world.acme}/status", world.root, {"status": "ACTIVE"})
    steps.equal(moved["status"], "ACTIVE", "the status")


def assign(world):
    steps, users = world.steps, f"{world.acme}/users"
    steps.title("US-TEN-009: an admin assigns users, found by their addresses (R002-2-9, R002-4.5-1, R002-4.5-3, R002-6.7-2)")
    ada = steps.post(users, world.root, {"email": world.ada.address, "role": "Admin"}, expect=201)
    bob = steps.post(users, world.ada.token, {"email": world.bob.address, "role": "Viewer"}, expect=201)
    world.ada.id, world.bob.id = ada["userId"], bob["userId"]
    steps.equal((bob["role"], bob["active"], bob["assignedBy"]), ("Viewer", True, world.ada.address), "the assignment")

    steps.title("Somebody who is assigned, somebody unknown, a tenant that is not active (R002-4.5-2, C2-26, C2-48)")
    again = {"email": world.bob.address, "role": "Operator"}
    taken = steps.post(users, world.ada.token, again, expect=409, code="CONFLICT")
    steps.equal(taken.error["details"]["reason"], "USER_ALREADY_ASSIGNED", "the reason")
    nobody = {"email": "nobody@example.com", "role": "Viewer"}
    steps.post(users, world.ada.token, nobody, expect=404, code="USER_NOT_FOUND")
    pending = at(world.create("Still Pending")["tenantId"])
    steps.post(f"{pending}/users", world.root, again, expect=422, code="TENANT_NOT_ACTIVE")

    steps.title("US-TEN-010: an admin lists the users of a tenant (R002-2-10, R002-6.7-1, R002-6.7-3)")
    listed = steps.get(users, world.ada.token)
    found = {user["email"]: user["role"] for user in listed["items"]}
    wanted = {"operator@example.com": "Operator", world.ada.address: "Admin", world.bob.address: "Viewer"}
    steps.equal(found, wanted, "the users")
    steps.equal(steps.get(f"{users}/{world.bob.id}", world.ada.token)["email"], world.bob.address, "the address")

    steps.title("US-TEN-012: users see their own tenants (R002-2-12, R002-6.7-5)")
    own = steps.get("/v1.0/users/me/tenants", world.bob.token)
    steps.equal([(one["tenantId"], one["role"]) for one in own["items"]], [(world.acme_id, "Viewer")], "Bob's tenants")
    steps.get(f"/v1.0/users/{world.bob.id}/tenants", world.bob.token)
    steps.get(f"/v1.0/users/{world.bob.id}/tenants", world.eve.token, expect=404, code="USER_NOT_FOUND")


def access(world):
    steps = world.steps
    steps.title("Who may do what: a viewer reads, an operator does not change, others see nothing (R002-9.2-1 to R002-9.2-4, R002-9.2-6)")
    steps.get(world.acme, world.bob.token)
    steps.get(f"{world.acme}/users", world.bob.token, expect=403, code="FORBIDDEN")
    update = {"organizationName": "Acme Corporation", "contactEmail": "new@example.com"}
    steps.put(world.acme, world.bob.token, update, expect=403, code="FORBIDDEN")
    steps.put(world.acme, world.operator, update, expect=403, code="FORBIDDEN")
    steps.post(f"{world.acme}/lifecycle/park", world.operator, {"reason": REASON}, expect=403, code="FORBIDDEN")
    steps.get(world.acme, world.eve.token, expect=404, code="TENANT_NOT_FOUND")
    steps.get(world.globex, world.ada.token, expect=404, code="TENANT_NOT_FOUND")
    steps.get(world.globex, world.root)
    world.create("Eve's Own", token=world.eve.token, expect=403)


def update(world):
    steps = world.steps
    steps.title("US-TEN-003: an admin updates the tenant, with history and audit (R002-2-3, R002-1.3-4, R002-6.4-4, C2-19)")
    seen = steps.get(world.acme, world.ada.token)
    body = {"organizationName": "Acme Trading", "contactEmail": "new@example.com", "externalId": "crm-17"}
    changed = steps.put(world.acme, world.ada.token, body, if_match=seen.headers["etag"])
    steps.equal((changed["organizationName"], changed["division"]), ("Acme Trading", None), "what was replaced")
    steps.equal(changed["version"], seen["version"] + 1, "the version")
    late = steps.put(world.acme, world.ada.token, body, if_match=seen.headers["etag"], expect=409)
    steps.equal(late.error["details"]["reason"], "VERSION_MISMATCH", "the reason (C2-59)")
    history = steps.get(f"{world.acme}/events?eventType=TENANT_UPDATED", world.ada.token)
    steps.equal([one["actor"] for one in history["items"]], [world.ada.address], "who did it")
    audit = steps.get(f"/ops/v1.0/audit?accountId={world.acme_id}&action=TENANT_UPDATED", world.root)
    steps.equal(audit["count"], 1, "the entries of the audit log")
    steps.title("A name that was given up is free, the new one is taken (C2-15)")
    world.create("Acme Corporation")
    world.create("acme trading", expect=409)
    world.create("Somebody Else", externalId="crm-17", expect=409)


def park(world):
    steps = world.steps
    hook = f"/hooks/{world.acme_id}"
    endpoint = {"url": world.receiver.url(hook), "eventTypes": ["tenant.*"]}
    steps.title("US-TEN-014: an admin parks an ACTIVE tenant (R002-2-14, R002-17C-3, R002-4.2-1, R002-4.2-2, R002-6.4b-5)")
    steps.post(f"/ops/v1.0/webhooks/endpoints?accountId={world.acme_id}", world.root, endpoint, expect=201)
    parked = steps.post(f"{world.acme}/lifecycle/park", world.ada.token, {"reason": REASON})
    steps.equal((parked["status"], parked["parkReason"]), ("PARKED", REASON), "status and reason")
    steps.equal(parked["parkedBy"], world.ada.address, "parkedBy")
    message = "Tenant parked successfully. Resources will be released within 5 minutes."
    steps.equal(parked["message"], message, "the message")
    steps.equal({"self", "unpark", "lifecycle"} - set(parked["_links"]), set(), "links that are missing")
    told = world.receiver.event(steps, hook, "tenant.parked", world.acme_id)
    steps.equal((told["reason"], told["parkedBy"]), (REASON, world.ada.address), "the event (R002-8.3-1, R002-7.5-7)")
    asked = world.receiver.event(steps, "/provisioner", "tenant.park.requested", world.acme_id)
    steps.post(asked["callback"], world.root, {"operationId": asked["operationId"], "outcome": "succeeded"})
    world.receiver.event(steps, hook, "tenant.park.succeeded", world.acme_id)
    shown = steps.get(f"{world.acme}/lifecycle", world.ada.token)
    steps.equal(shown["operation"]["state"], "succeeded", "what became of it (C2-47)")
    steps.post(f"{world.acme}/lifecycle/park", world.ada.token, {"reason": REASON}, expect=422)

    steps.title("US-TEN-015: an admin unparks it (R002-2-15, R002-17C-5, R002-4.3-1, R002-6.4b-6)")
    unparked = steps.post(f"{world.acme}/lifecycle/unpark", world.ada.token)
    steps.equal((unparked["status"], unparked["unparkedBy"]), ("ACTIVE", world.ada.address), "status and by whom")
    message = "Tenant unpark initiated. Resources will be reprovisioned within 15 minutes."
    steps.equal(unparked["message"], message, "the message")
    warning = "Full functionality may not be available immediately. Resource reprovisioning in progress."
    steps.equal(unparked["warning"], warning, "the warning")
    steps.true({"self", "park", "lifecycle"} <= set(unparked["_links"]), "it links to park and lifecycle")
    told = world.receiver.event(steps, hook, "tenant.unparked", world.acme_id)
    steps.equal(told["unparkedBy"], world.ada.address, "unparkedBy in the event (R002-8.3-2)")
    seen = steps.get(world.acme, world.ada.token)
    steps.equal((seen["parkedAt"], seen["parkReason"]), (None, None), "what was said of parking (C2-21)")
    steps.post(f"{world.acme}/lifecycle/unpark", world.ada.token, expect=422, code="INVALID_STATUS_TRANSITION")

    steps.title("The paths of before answer the same, and say what replaces them (R002-1.3-7, R002-1.3-8, C2-01)")
    old = steps.post(f"{world.acme}/park", world.ada.token, {"reason": REASON})
    steps.true(old.headers["deprecation"].startswith("@"), "Deprecation is a time")
    steps.true('rel="successor-version"' in old.headers["link"], "Link names the successor")
    steps.post(f"{world.acme}/unpark", world.ada.token)

    steps.title("A SUSPENDED tenant cannot be parked (R002-17C-4, R002-6.5b-10, R002-6.5-1, R002-6.5-2, C2-25)")
    steps.post(f"{world.acme}/lifecycle/suspend", world.ada.token, {"reason": "unpaid bills"})
    refused = steps.post(f"{world.acme}/lifecycle/park", world.ada.token, {"reason": REASON}, expect=422)
    wanted = {"currentStatus": "SUSPENDED", "requestedStatus": "PARKED", "allowedTransitions": ["ACTIVE", "DEPROVISIONED"]}
    steps.equal(refused.error["details"], wanted, "the details")
    steps.equal(steps.post(f"{world.acme}/lifecycle/resume", world.ada.token)["status"], "ACTIVE", "the status")

    steps.title("The lifecycle shows what is allowed and what was (C2-09)")
    shown = steps.get(f"{world.acme}/lifecycle", world.ada.token)
    steps.equal(shown["allowedTransitions"], ["SUSPENDED", "PARKED", "DEPROVISIONED"], "what is allowed")
    newest = [one["eventType"] for one in shown["history"]][:3]
    steps.equal(newest, ["TENANT_RESUMED", "TENANT_SUSPENDED", "TENANT_UNPARKED"], "the newest of its history")


def hierarchy(world):
    steps, divisions, ada = world.steps, f"{world.acme}/divisions", world.ada.token
    steps.title("US-TEN-006: an admin makes a division, a group and a team (R002-2-6, R002-6.6-2, R002-6.6-7, R002-6.6-9)")
    division = steps.post(divisions, ada, {"name": "Retail"}, expect=201)
    division_at = division["_links"]["self"]["href"]
    group = steps.post(f"{division_at}/groups", ada, {"name": "North"}, expect=201)
    group_at = group["_links"]["self"]["href"]
    team = steps.post(f"{group_at}/teams", ada, {"name": "Night shift"}, expect=201)
    team_at = team["_links"]["self"]["href"]
    for path, name in [(divisions, "Retail"), (f"{division_at}/groups", "North"), (f"{group_at}/teams", "Night shift")]:
        listed = steps.get(path, ada)
        steps.equal([one["name"] for one in listed["items"]], [name], "the names (R002-6.6-1, R002-6.6-6, R002-6.6-8)")
    steps.post(divisions, ada, {"name": "RETAIL"}, expect=409, code="CONFLICT")

    steps.title("US-TEN-007: an admin renames them (R002-2-7, R002-6.6-4, C2-08, C2-11)")
    renamed = steps.put(division_at, ada, {"name": "Retail & Online", "description": "Shops of both kinds"})
    steps.equal((renamed["name"], renamed["version"]), ("Retail & Online", 2), "name and version")
    steps.equal(steps.get(team_at, ada)["name"], "Night shift", "the team below, which kept its place")

    steps.title("A role in a part of the tree flows down; teams have users (R002-6.2-1, C2-07)")
    steps.get(team_at, world.bob.token, expect=403, code="FORBIDDEN")
    steps.post(f"{division_at}/users", ada, {"email": world.bob.address, "role": "Operator"}, expect=201)
    steps.get(team_at, world.bob.token)
    member = steps.post(f"{team_at}/users", ada, {"email": world.bob.address, "role": "Viewer"}, expect=201)
    steps.equal(steps.get(f"{team_at}/users", ada)["count"], 1, "the users of the team")

    steps.title("US-TEN-008: only what is empty is deleted (R002-2-8, R002-6.6-5, C2-27)")
    steps.delete(division_at, ada, expect=422, code="HIERARCHY_NOT_EMPTY")
    steps.delete(team_at, ada, expect=422, code="HIERARCHY_NOT_EMPTY")
    steps.delete(member["_links"]["self"]["href"], ada, expect=204)
    steps.delete(team_at, ada, expect=204)
    steps.delete(group_at, ada, expect=204)
    steps.delete(f"{division_at}/users/{world.bob.id}", ada, expect=204)
    steps.delete(division_at, ada, expect=204)
    steps.get(division_at, ada, expect=404, code="DIVISION_NOT_FOUND")


def invite(world):
    steps, server, ada = world.steps, world.server, world.ada.token
    invitations = f"{world.acme}/invitations"
    steps.title("An admin invites somebody, who gets a mail (R002-6.8-2, R002-6.8-3, C2-10)")
    invited = steps.post(invitations, ada, {"email": "carol@example.com", "role": "Operator"}, expect=201)
    one = invited["_links"]["self"]["href"]
    steps.true("token" not in invited.json, "the token is in the mail alone")
    first = server.code(steps, "carol@example.com")
    again = steps.post(invitations, ada, {"email": "carol@example.com", "role": "Viewer"}, expect=409)
    steps.equal(again.error["details"]["reason"], "INVITATION_PENDING", "the reason")

    steps.title("Sent again, the invitation has another token (R002-6.8-5)")
    steps.post(f"{one}/resend", ada)
    token = server.code(steps, "carol@example.com", count=2)
    steps.true(token != first, "the tokens differ")

    steps.title("The invited person registers, logs in and accepts, once, and nobody else can (C2-10)")
    steps.post("/v1.0/invitations/accept", world.eve.token, {"token": token}, expect=404, code="INVITATION_NOT_FOUND")
    carol = Person(steps, server, "carol", mails_before=2)
    steps.post("/v1.0/invitations/accept", carol.token, {"token": first}, expect=404, code="INVITATION_NOT_FOUND")
    accepted = steps.post("/v1.0/invitations/accept", carol.token, {"token": token})
    steps.equal((accepted["role"], accepted["tenantId"]), ("Operator", world.acme_id), "role and tenant")
    steps.get(world.acme, carol.token)
    steps.post("/v1.0/invitations/accept", carol.token, {"token": token}, expect=422, code="INVITATION_NOT_PENDING")
    steps.equal(steps.get(one, ada)["status"], "ACCEPTED", "the status")

    steps.title("An invitation that is revoked or cancelled stays, REVOKED (R002-6.8-1, R002-6.8-4, C2-06)")
    body = {"email": "dave@example.com", "role": "Viewer", "sendEmail": False}
    dave = steps.post(invitations, ada, body, expect=201)
    steps.true(dave["token"].startswith("inv_"), "a token that is not mailed is in the answer")
    steps.equal(steps.post(dave["_links"]["revoke"]["href"], ada)["status"], "REVOKED", "the status")
    dave = steps.post(invitations, ada, body, expect=201)
    steps.equal(steps.delete(dave["_links"]["self"]["href"], ada)["status"], "REVOKED", "the status")
    listed = steps.get(invitations, ada)
    steps.equal(sorted(one["status"] for one in listed["items"]), ["ACCEPTED", "REVOKED", "REVOKED"], "the invitations")


def remove(world):
    steps, users = world.steps, f"{world.acme}/users"
    steps.title("US-TEN-011: an admin removes a user; the last Admin stays (R002-2-11, R002-6.7-4, C2-49)")
    steps.delete(f"{users}/{world.bob.id}", world.ada.token, expect=204)
    steps.get(world.acme, world.bob.token, expect=404, code="TENANT_NOT_FOUND")
    steps.delete(f"{users}/{world.ada.id}", world.ada.token, expect=422, code="LAST_ADMIN")
    steps.patch(f"{users}/{world.ada.id}", world.ada.token, {"role": "Viewer"}, expect=422, code="LAST_ADMIN")
    back = steps.post(users, world.ada.token, {"email": world.bob.address, "role": "Admin"}, expect=201)
    steps.equal((back["userId"], back["active"]), (world.bob.id, True), "who is back")
    steps.delete(f"{users}/{world.ada.id}", world.bob.token, expect=204)


def lists(world):
    steps = world.steps
    steps.title("US-TEN-004: an operator lists tenants, page by page (R002-2-4, R002-1.3-3, R002-6.4b-3, R002-6.4b-4, C2-50)")
    for number in range(5):
        world.create(f"Listed {number}", environment="sit")
    first = steps.get("/v1.0/tenants?environment=sit&limit=2", world.operator)
    steps.equal(first["count"], 2, "the items of the first page")
    steps.true(first["nextToken"], "there is a next page")
    names, page = [one["organizationName"] for one in first["items"]], first
    while page["nextToken"]:
        page = steps.get(page["_links"]["next"]["href"], world.operator)
        names += [one["organizationName"] for one in page["items"]]
    steps.equal(sorted(names), [f"Listed {number}" for number in range(5)], "the names of all pages")
    steps.true("next" not in page["_links"], "the last page links to no other")

    steps.title("Filters: status, environment, both, name, external id (R002-5.7-2, R002-5.7-3, R002-5.7-4, C2-14)")
    steps.equal(steps.get("/v1.0/tenants?environment=sit&limit=3", world.root)["count"], 3, "the tenants of sit")
    pending = steps.get("/v1.0/tenants?status=PENDING&environment=sit", world.root)
    steps.equal(pending["count"], 5, "those that are PENDING")
    steps.equal(steps.get("/v1.0/tenants?status=ACTIVE&environment=sit", world.root)["count"], 0, "those that are ACTIVE")
    found = steps.get("/v1.0/tenants?organizationName=acme%20TRADING", world.root)
    steps.equal([one["tenantId"] for one in found["items"]], [world.acme_id], "the one of this name")
    for other in ["status=PARKED", "environment=prod", "externalId=crm-18"]:
        found = steps.get(f"/v1.0/tenants?organizationName=Acme%20Trading&{other}", world.root)
        steps.equal(found["count"], 0, f"those of this name with {other}")
    found = steps.get("/v1.0/tenants?externalId=crm-17", world.root)
    steps.equal([one["tenantId"] for one in found["items"]], [world.acme_id], "the one of this external id")
    newest = steps.get("/v1.0/tenants?limit=100", world.root)
    times = [one["createdAt"] for one in newest["items"]]
    steps.equal(times, sorted(times, reverse=True), "the order of creation, newest first")
    own = steps.get("/v1.0/tenants", world.bob.token)
    steps.equal([one["tenantId"] for one in own["items"]], [world.acme_id], "what Bob sees (R002-9.2-4)")


def errors(world):
    steps = world.steps
    steps.title("Every error has one form, with a code (R002-6.5b-1, R002-6.5b-9, R002-5.8-3 to R002-5.8-5, R002-5.8-9)")
    bad = {"organizationName": "A", "contactEmail": "nonsense", "environment": "mars"}
    refused = steps.post("/v1.0/tenants", world.operator, bad, expect=400, code="VALIDATION_ERROR")
    steps.equal(set(refused.json), {"error", "requestId", "timestamp"}, "the fields of the body")
    steps.equal(refused.error["message"], "Request validation failed", "the message")
    fields = {one["field"] for one in refused.error["details"]["errors"]}
    steps.true({"organizationName", "environment"} <= fields, "each field is named")
    steps.post(f"{world.acme}/lifecycle/park", world.root, {"reason": "short"}, expect=400, code="VALIDATION_ERROR")
    steps.post(f"{world.acme}/lifecycle/park", world.root, {}, expect=400, code="VALIDATION_ERROR")
    for query in ["limit=0", "limit=101", "nextToken=x", "status=GONE"]:
        steps.get(f"/v1.0/tenants?{query}", world.root, expect=400, code="VALIDATION_ERROR")

    steps.title("No token, a wrong token, a tenant that does not exist (R002-6.5b-2, R002-6.5b-4, R002-6.3-1, R002-11.1-2)")
    steps.get("/v1.0/tenants", expect=401, code="UNAUTHORIZED")
    steps.get("/v1.0/tenants", "not-a-token", expect=401, code="UNAUTHORIZED")
    absent = steps.get(at(UNKNOWN), world.root, expect=404, code="TENANT_NOT_FOUND")
    steps.equal(absent.error["message"], f"Tenant {UNKNOWN} not found", "the message")
    steps.equal(absent.error["details"], {"tenantId": UNKNOWN}, "the details")
    steps.get(at("42"), world.root, expect=404, code="TENANT_NOT_FOUND")

    steps.title("Who asks too often is told when to come back (R002-6.5b-7, R002-9.4-3)")
    for _ in range(3):
        steps.get(f"/v1.0/users/{world.ada.id}/tenants?limit=1", world.ada.token)
    limited = steps.get(f"/v1.0/users/{world.ada.id}/tenants", world.ada.token, expect=429, code="RATE_LIMITED")
    steps.true(int(limited.headers["retry-after"]) >= 1, "Retry-After is in seconds")


def deprovision(world):
    steps = world.steps
    steps.title("What a tenant uses is known (C2-30, R002-13-3)")
    tenant = world.active("Departing Ltd")
    resources = f"{tenant}/resources"
    steps.put(f"{resources}/ecs-service/web-1", world.root, {"attributes": {"region": "af-south-1"}}, expect=201)
    steps.put(f"{resources}/bucket/media-1", world.root, expect=201)
    steps.equal(steps.get(f"{resources}?status=ACTIVE", world.root)["count"], 2, "the resources in use")

    steps.title("Delete: a dry run shows, without force it is refused (R002-4.4-1, R002-4.4-3, C2-27)")
    plan = steps.delete(f"{tenant}?dryRun=true", world.root)
    steps.equal((plan["wouldSucceed"], plan["activeResources"]), (False, 2), "the plan")
    steps.equal(steps.delete(f"{tenant}?dryRun=true&force=true", world.root)["wouldSucceed"], True, "the plan with force")
    steps.equal(steps.get(tenant, world.root)["status"], "ACTIVE", "the status after dry runs")
    refused = steps.delete(f"{tenant}?force=false", world.root, expect=422, code="ACTIVE_RESOURCES_EXIST")
    named = sorted(one["resourceId"] for one in refused.error["details"]["resources"])
    steps.equal(named, ["media-1", "web-1"], "the resources that are named")
    steps.delete(f"{resources}/bucket/media-1", world.root)

    steps.title("US-TEN-005: an admin gives the tenant up, with force (R002-2-5, R002-1.3-5, R002-4.4-4, C2-31)")
    gone = steps.delete(f"{tenant}?force=true", world.root)
    steps.equal((gone["status"], gone["deprovisionedBy"]), ("DEPROVISIONED", "root@example.com"), "status and by whom")
    kept = steps.get(tenant, world.root)
    steps.equal(kept["status"], "DEPROVISIONED", "the status: the tenant is kept (R002-16-1)")
    steps.delete(tenant, world.root, expect=422, code="INVALID_STATUS_TRANSITION")
    steps.put(f"{resources}/bucket/late", world.root, expect=422, code="TENANT_NOT_ACTIVE")
    world.create("departing ltd", expect=409)

    steps.title("Without resources, and from PENDING, no force is needed (C2-29; R002-4.4-2)")
    steps.delete(at(world.create("Never Started")["tenantId"]), world.root)
    history = steps.get(f"{tenant}/events", world.root)
    wanted = ["TENANT_DEPROVISIONED", "RESOURCE_RELEASED", "RESOURCE_REGISTERED", "RESOURCE_REGISTERED"]
    steps.equal([one["eventType"] for one in history["items"]][:4], wanted, "the history (R002-5.7-7)")


def keys(world):
    steps = world.steps
    steps.title("Every request needs a key beside its token (R002-6.3-2, R002-9.4-2, C2-56, C2-60)")
    made = []
    for scope in ["tenants:read", "keys:read"]:
        body = {"name": scope, "environment": "test", "scopes": [scope]}
        made.append(steps.post("/ops/v1.0/keys?accountId=platform", world.root, body, expect=201)["secret"])
    reads, other = made
    steps.get("/v1.0/tenants", world.root, expect=401, code="UNAUTHORIZED")
    steps.get("/v1.0/tenants", world.root, x_api_key="pk_test_unknown", expect=401, code="UNAUTHORIZED")
    steps.get("/v1.0/tenants", world.root, x_api_key=other, expect=403, code="FORBIDDEN")
    steps.get("/v1.0/tenants", x_api_key=reads, expect=401, code="UNAUTHORIZED")
    found = steps.get("/v1.0/tenants?organizationName=acme%20trading", world.root, x_api_key=reads)
    steps.equal(found["count"], 1, "the tenant of before the server was started again")


def away(world, process):
    steps = world.steps
    steps.title("The store is away: 503, to be repeated, and counted for the alarm (R002-11.2-2, R002-11.2-3, R002-10.2-3)")
    os.kill(process, signal.SIGKILL)
    failed = steps.get("/v1.0/tenants", world.root, expect=503, code="SERVICE_UNAVAILABLE")
    steps.true(int(failed.headers["retry-after"]) >= 1, "Retry-After is in seconds")
    world.create("Nobody Hears", expect=503)
    line = 'plinth_http_requests_total{service="tenant-management",method="GET",route="/v1.0/tenants",status="503"} 1'
    steps.true(line in steps.get("/metrics").text.splitlines(), f"metrics have {line}")


def main():
    world = World(*sys.argv[1:4])
    match sys.argv[4:]:
        case ["keys"]:
            return keys(world)
        case ["away", process]:
            return away(world, int(process))
    for part in [people, create, view, provision, status, assign, access, update, park, hierarchy, invite]:
        part(world)
    for part in [remove, lists, errors, deprovision]:
        part(world)
    print(f"\n{world.steps.requests} requests, {world.steps.checks} checks: all as the requirements say.")


if __name__ == "__main__":
    main()
