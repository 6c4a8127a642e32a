//! Divisions, groups, teams, and roles that flow down.

use serde_json::{Value, json};

use crate::world::{Person, World};

struct Tree {
    tenant: String,
    division: String,
    group: String,
    team: String,
}

impl Tree {
    /// A division with a group with a team, by paths.
    async fn grow(world: &World, name: &str) -> Tree {
        let tenant = world.active(name).await;
        let base = format!("/v1.0/tenants/{tenant}/divisions");
        let division = made(world, &base, "Technology").await;
        let group = made(world, &format!("{division}/groups"), "Platform").await;
        let team = made(world, &format!("{group}/teams"), "Storage").await;
        Tree { tenant, division, group, team }
    }
}

/// Makes a part of the tree, and gives its path.
async fn made(world: &World, path: &str, name: &str) -> String {
    let got = world.root(&format!("POST {path}")).json(&json!({ "name": name })).send().await;
    assert_eq!(got.status, 201, "{got:?}");
    got.header("location").to_owned()
}

/// R002-2-6, R002-2-7, R002-5.7-8, R002-6.2-1, R002-6.2-2, R002-6.6-1, R002-6.6-2, R002-6.6-3, R002-6.6-4,
/// R002-6.6-6, R002-6.6-7, R002-6.6-8, R002-6.6-9, C2-08, C2-11, C2-12.
#[tokio::test]
async fn a_tree_grows_and_is_renamed() {
    let world = World::new().await;
    let tree = Tree::grow(&world, "Acme").await;
    for (path, id, below) in [
        (&tree.division, "divisionId", Some("groups")),
        (&tree.group, "groupId", Some("teams")),
        (&tree.team, "teamId", None),
    ] {
        let got = world.root(&format!("GET {path}")).send().await;
        assert_eq!((got.status, got.header("etag")), (200, "\"v1\""), "{got:?}");
        assert!(path.ends_with(&got.text(id)), "{path} {got:?}");
        assert_eq!(got.json()["_links"]["self"]["href"], **path);
        let body = json!({ "name": "Another # name", "description": "for everything" });
        let put = format!("PUT {path}");
        let got = world.root(&put).header("if-match", "\"v1\"").json(&body).send().await;
        assert_eq!((got.status, got.text("name").as_str()), (200, "Another # name"), "{got:?}");
        let stale = world.root(&put).header("if-match", "\"v1\"").json(&body).send().await;
        assert_eq!((stale.status, stale.detail("reason")), (409, json!("VERSION_MISMATCH")));
        if let Some(below) = below {
            let got = world.root(&format!("GET {path}/{below}")).send().await;
            assert_eq!((got.status, got.json()["count"].clone()), (200, json!(1)), "{got:?}");
        }
    }
    let divisions = format!("/v1.0/tenants/{}/divisions", tree.tenant);
    let got = world.root(&format!("GET {divisions}")).send().await;
    assert_eq!(got.all("name"), ["Another # name"], "groups and teams are not divisions");
    assert_eq!(got.json()["items"][0]["children"], 1);
}

/// A name is one among its siblings, and free elsewhere and after a rename or deletion.
#[tokio::test]
async fn a_name_is_one_among_its_siblings() {
    let world = World::new().await;
    let tree = Tree::grow(&world, "Acme").await;
    let divisions = format!("POST /v1.0/tenants/{}/divisions", tree.tenant);
    let got = world.root(&divisions).json(&json!({ "name": "TECHNOLOGY" })).send().await;
    assert_eq!((got.status, got.detail("reason")), (409, json!("NAME_EXISTS")));
    let other = made(&world, divisions.strip_prefix("POST ").unwrap(), "Sales").await;
    made(&world, &format!("{other}/groups"), "Platform").await;
    let rename = json!({ "name": "Technology" });
    let got = world.root(&format!("PUT {other}")).json(&rename).send().await;
    assert_eq!(got.detail("reason"), "NAME_EXISTS", "{got:?}");
    let put = format!("PUT {}", tree.division);
    world.root(&put).json(&json!({ "name": "Engineering" })).send().await;
    assert_eq!(world.root(&format!("PUT {other}")).json(&rename).send().await.status, 200);
    for wrong in [
        json!({ "name": "x" }),
        json!({ "name": "x".repeat(51) }),
        json!({}),
        json!({ "name": "  " }),
    ] {
        assert_eq!(world.root(&divisions).json(&wrong).send().await.status, 400, "{wrong}");
    }
}

/// R002-2-8, R002-6.6-5, C2-27: only what is empty is deleted.
#[tokio::test]
async fn only_what_is_empty_is_deleted() {
    let world = World::new().await;
    let tree = Tree::grow(&world, "Acme").await;
    for path in [&tree.division, &tree.group] {
        let got = world.root(&format!("DELETE {path}")).send().await;
        assert_eq!(got.error(), (422, "HIERARCHY_NOT_EMPTY".to_owned()));
        assert_eq!(got.detail("children"), 1);
    }
    let ada = world.person("ada").await;
    add(&world, &tree.team, &ada, "Viewer").await;
    let got = world.root(&format!("DELETE {}", tree.team)).send().await;
    assert_eq!((got.status, got.detail("users")), (422, json!(1)));
    let user = format!("DELETE {}/users/{}", tree.team, ada.user_id);
    assert_eq!(world.root(&user).send().await.status, 204);
    for (path, code) in [
        (&tree.team, "TEAM_NOT_FOUND"),
        (&tree.group, "GROUP_NOT_FOUND"),
        (&tree.division, "DIVISION_NOT_FOUND"),
    ] {
        assert_eq!(world.root(&format!("DELETE {path}")).send().await.status, 204, "{path}");
        let got = world.root(&format!("DELETE {path}")).send().await;
        assert_eq!(got.error(), (404, code.to_owned()));
    }
    made(&world, &format!("/v1.0/tenants/{}/divisions", tree.tenant), "Technology").await;
}

/// C2-27: what does not exist, and what is nobody's child.
#[tokio::test]
async fn parts_that_do_not_exist_are_missing() {
    let world = World::new().await;
    let (tree, other) = (Tree::grow(&world, "Acme").await, Tree::grow(&world, "Other").await);
    let group = tree.group.rsplit_once('/').unwrap().1;
    let crossed = format!("{}/groups/{group}", other.division);
    for (path, code) in [
        (format!("/v1.0/tenants/{}/divisions/div-x", tree.tenant), "DIVISION_NOT_FOUND"),
        (crossed.clone(), "GROUP_NOT_FOUND"),
        (format!("{crossed}/teams/team-x"), "TEAM_NOT_FOUND"),
        (format!("{}/groups", tree.division.replace("div-", "div_")), "DIVISION_NOT_FOUND"),
    ] {
        let got = world.root(&format!("GET {path}")).send().await;
        assert_eq!(got.error(), (404, code.to_owned()), "{path}");
    }
    let body = json!({ "name": "Orphans" });
    let got = world.root(&format!("POST {crossed}/teams")).json(&body).send().await;
    assert_eq!(got.status, 404, "{got:?}");
    world.root(&format!("DELETE /v1.0/tenants/{}", tree.tenant)).send().await;
    let got = world.root(&format!("POST {}/groups", tree.division)).json(&body).send().await;
    assert_eq!(got.error(), (422, "TENANT_NOT_ACTIVE".to_owned()));
}

/// C2-11. Siblings' names were compared by their small letters alone, as those of organisations were.
#[tokio::test]
async fn siblings_have_one_name_in_every_form_of_unicode() {
    let world = World::new().await;
    let id = world.active("Acme").await;
    let post = format!("POST /v1.0/tenants/{id}/divisions");
    for (name, same) in [("Caf\u{e9}", "Cafe\u{301}"), ("Straße", "STRASSE"), ("ＡＢ", "ab")] {
        let made = world.root(&post).json(&json!({ "name": name })).send().await;
        assert_eq!(made.status, 201, "{made:?}");
        let got = world.root(&post).json(&json!({ "name": same })).send().await;
        assert_eq!((got.status, got.detail("reason")), (409, json!("NAME_EXISTS")), "{same}");
        let put = format!("PUT {}", made.header("location"));
        let got = world.root(&put).json(&json!({ "name": same })).send().await;
        assert_eq!((got.status, got.text("name").as_str()), (200, same), "{got:?}");
        let delete = format!("DELETE {}", made.header("location"));
        assert_eq!(world.root(&delete).send().await.status, 204);
    }
}

/// Gives somebody a role in a part of the tree.
async fn add(world: &World, path: &str, person: &Person, role: &str) {
    let body = json!({ "email": person.email, "role": role });
    let got = world.root(&format!("POST {path}/users")).json(&body).send().await;
    assert_eq!(got.status, 201, "{got:?}");
}

/// R002-6.2-1, C2-07: roles are held in a part of the tree, and flow down, and not up or aside.
#[tokio::test]
async fn roles_flow_down() {
    let world = World::new().await;
    let tree = Tree::grow(&world, "Acme").await;
    let aside = made(&world, &format!("/v1.0/tenants/{}/divisions", tree.tenant), "Sales").await;
    let ada = world.person("ada").await;
    add(&world, &tree.division, &ada, "Admin").await;
    let as_ada = |line: String| {
        let call = world.call(&line).bearer(&ada.token);
        async move { call.send().await.status }
    };
    // They see the tenant, and what is theirs and below.
    assert_eq!(as_ada(format!("GET /v1.0/tenants/{}", tree.tenant)).await, 200);
    for path in [&tree.division, &tree.group, &tree.team] {
        assert_eq!(as_ada(format!("GET {path}")).await, 200, "{path}");
        assert_eq!(as_ada(format!("GET {path}/users")).await, 200, "{path}");
    }
    assert_eq!(as_ada(format!("GET {aside}")).await, 403);
    assert_eq!(as_ada(format!("GET /v1.0/tenants/{}/divisions", tree.tenant)).await, 403);
    assert_eq!(as_ada(format!("GET /v1.0/tenants/{}/users", tree.tenant)).await, 403);
    let new = json!({ "name": "Compute" });
    let call = world.call(&format!("POST {}/teams", tree.group)).bearer(&ada.token);
    assert_eq!(call.json(&new).send().await.status, 201);
    let call = world.call(&format!("POST {aside}/groups")).bearer(&ada.token);
    assert_eq!(call.json(&new).send().await.status, 403);
    // Who has a role here is listed here, with the role.
    let got = world.root(&format!("GET {}/users", tree.division)).send().await;
    assert_eq!(
        (got.all("email"), got.all("role")),
        (vec![ada.email.clone()], vec!["Admin".to_owned()])
    );
    let again = json!({ "email": ada.email, "role": "Viewer" });
    let got = world.root(&format!("POST {}/users", tree.division)).json(&again).send().await;
    assert_eq!((got.status, got.detail("reason")), (409, json!("USER_ALREADY_ASSIGNED")));
    // Leaving the tenant ends all of it, and the division is empty then.
    let user = format!("DELETE /v1.0/tenants/{}/users/{}", tree.tenant, ada.user_id);
    assert_eq!(world.root(&user).send().await.status, 204);
    assert_eq!(as_ada(format!("GET {}", tree.division)).await, 404);
    let got = world.root(&format!("GET {}", tree.division)).send().await;
    assert_eq!(got.json()["users"], Value::from(0));
    world.assign(&tree.tenant, &ada, "Viewer").await;
    assert_eq!(as_ada(format!("GET {}", tree.division)).await, 403, "the old role is not back");
}
