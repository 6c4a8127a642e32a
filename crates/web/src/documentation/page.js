// Shows the OpenAPI document, and lets one try its operations.
"use strict";

const byId = (id) => document.getElementById(id);

// Elements are made from text only, so nothing of the document is ever read as HTML.
function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
  for (const child of children) made.append(child);
  return made;
}

function resolve(api, schema) {
  const name = schema && schema.$ref && schema.$ref.split("/").pop();
  return name ? api.components.schemas[name] : schema;
}

// An example of a schema; what refers to itself ends after a few levels.
function example(api, given, depth = 0) {
  const schema = resolve(api, given) || {};
  if (schema.example !== undefined) return schema.example;
  if (schema.enum) return schema.enum[0];
  if (depth > 6) return null;
  const choice = (schema.oneOf || schema.anyOf || []).find((one) => one.type !== "null");
  if (choice) return example(api, choice, depth + 1);
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => example(api, one, depth + 1)));
  const type = Array.isArray(schema.type) ? schema.type.find((one) => one !== "null") : schema.type;
  if (type === "object" || schema.properties) {
    const entries = Object.entries(schema.properties || {});
    return Object.fromEntries(entries.map(([name, one]) => [name, example(api, one, depth + 1)]));
  }
  if (type === "array") return [example(api, schema.items, depth + 1)];
  if (type === "integer" || type === "number") return schema.minimum || 0;
  if (type === "boolean") return false;
  return schema.format === "date-time" ? "2026-01-31T23:59:59.000Z" : "text";
}

function rules(schema) {
  const shown = { ...schema };
  delete shown.description;
  return JSON.stringify(shown);
}

function parameterTable(operation) {
  const rows = operation.parameters.map((one) => {
    const label = `${operation.operationId} ${one.name}`;
    const input = element("input", { "data-name": one.name, "data-in": one.in, "aria-label": label });
    const name = element("td", {}, element("code", {}, one.name), ` ${one.in}${one.required ? ", required" : ""}`);
    return element("tr", {}, name, element("td", {}, one.description || "", " ", element("code", {}, rules(one.schema))), element("td", {}, input));
  });
  const head = element("tr", {}, ...["Parameter", "Meaning", "Value"].map((text) => element("th", { scope: "col" }, text)));
  return element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
}

function answers(api, operation) {
  return Object.entries(operation.responses).map(([status, response]) => {
    const content = response.content && response.content["application/json"];
    const parts = [element("summary", {}, `${status} ${response.description}`)];
    if (content) parts.push(element("pre", {}, JSON.stringify(example(api, content.schema), null, 2)));
    return element("details", {}, ...parts);
  });
}

async function attempt(path, method, box, output) {
  let url = path;
  const query = new URLSearchParams();
  const headers = { Accept: "application/json" };
  for (const input of box.querySelectorAll("input[data-name]")) {
    if (input.value === "") continue;
    const { name, in: place } = input.dataset;
    if (place === "path") url = url.replace(`{${name}}`, encodeURIComponent(input.value));
    if (place === "query") query.append(name, input.value);
    if (place === "header") headers[name] = input.value;
  }
  if (byId("token").value) headers.Authorization = `Bearer ${byId("token").value}`;
  else if (byId("key").value) headers["X-Api-Key"] = byId("key").value;
  const body = box.querySelector("textarea");
  if (body) headers["Content-Type"] = "application/json";
  if ([...query].length) url += `?${query}`;
  output.textContent = "…";
  try {
    const response = await fetch(url, { method: method.toUpperCase(), headers, body: body ? body.value : undefined });
    const text = await response.text();
    const lines = [...response.headers].map(([name, value]) => `${name}: ${value}`);
    output.textContent = `${response.status}\n${lines.join("\n")}\n\n${text}`;
  } catch (error) {
    output.textContent = `The server could not be reached: ${error.message}`;
  }
}

function show(api, path, method, operation) {
  const title = element("summary", {}, element("span", { class: "method" }, method.toUpperCase()), element("code", operation.deprecated ? { class: "deprecated" } : {}, path), ` ${operation.summary}`);
  const box = element("details", { id: operation.operationId, "data-text": `${method} ${path} ${operation.summary} ${operation.operationId}`.toLowerCase() }, title);
  const scope = operation["x-scope"] ? `, API key scope ${operation["x-scope"]}` : "";
  box.append(element("p", {}, `Permission: ${operation["x-permission"]}${scope}`));
  if (operation.parameters.length) box.append(parameterTable(operation));
  if (operation.requestBody) {
    const schema = operation.requestBody.content["application/json"].schema;
    const text = element("textarea", { "aria-label": `${operation.operationId} body`, spellcheck: "false" });
    text.value = JSON.stringify(example(api, schema), null, 2);
    box.append(element("h3", {}, "Body"), text, element("details", {}, element("summary", {}, "Schema"), element("pre", {}, JSON.stringify(resolve(api, schema), null, 2))));
  }
  const output = element("pre", { "aria-live": "polite" });
  const button = element("button", { type: "button" }, "Send");
  button.addEventListener("click", () => attempt(path, method, box, output));
  box.append(button, output, element("h3", {}, "Answers"), ...answers(api, operation));
  return box;
}

async function main() {
  const place = byId("operations");
  const api = await (await fetch("/docs/openapi.json")).json();
  byId("about").textContent = api.info.description;
  const groups = new Map();
  for (const [path, methods] of Object.entries(api.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const tag = operation.tags[0];
      if (!groups.has(tag)) groups.set(tag, element("section", {}, element("h2", {}, tag)));
      groups.get(tag).append(show(api, path, method, operation));
    }
  }
  place.replaceChildren(...groups.values());
  if (!groups.size) place.append(element("p", {}, "No service is mounted yet."));
  byId("search").addEventListener("input", (event) => {
    const text = event.target.value.toLowerCase();
    for (const box of place.querySelectorAll("details[data-text]")) box.hidden = !box.dataset.text.includes(text);
  });
  byId("credentials").addEventListener("submit", (event) => event.preventDefault());
}

main().catch((error) => { byId("operations").textContent = `The description could not be read: ${error.message}`; });
