// Injects what the model should know about the project. Node alone, no packages.
"use strict";

const fs = require("node:fs");
const path = require("node:path");

let config = {};

function branch() {
  try {
    const head = fs.readFileSync(path.join(config.project_root, ".git", "HEAD"), "utf8");
    return /^ref: refs\/heads\/(.+)$/m.exec(head)?.[1] ?? "no branch";
  } catch {
    return "no repository"; // also when the host did not say where the project is
  }
}

function handle(event) {
  switch (event.kind) {
    case "on_session_start":
      return { action: "inject", content: `Project: ${path.basename(config.project_root ?? "unknown")} (${branch()})` };
    case "before_message":
      return config.agreement ? { action: "inject", content: config.agreement } : { action: "continue" };
    default:
      return { action: "continue" };
  }
}

const TOOL = {
  name: "agreement",
  description: "What the team agreed on",
  input_schema: { type: "object", properties: {} },
};

function answer(request) {
  switch (request.method) {
    case "initialize":
      config = request.params.config;
      return { result: { protocol_version: 1, capabilities: { tools: [TOOL] } } };
    case "info.get": // asked of whoever offers tools; an error here would have the host restart us
      return { result: { name: "project-context", version: "1.0.0" } };
    case "hook.handle":
      return { result: handle(request.params) };
    case "tool.call":
      return { result: { content: String(config.agreement) } };
    case "shutdown":
      return { result: null };
    default:
      return { error: { code: -32601, message: `no method ${request.method}` } };
  }
}

function send(message) {
  const body = Buffer.from(JSON.stringify(message));
  process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}

let received = Buffer.alloc(0);
process.stdin.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  for (;;) {
    const end = received.indexOf("\r\n\r\n");
    if (end < 0) return;
    const length = Number(/^content-length:\s*(\d+)\s*$/im.exec(received.toString("latin1", 0, end))[1]);
    const body = end + 4;
    if (received.length < body + length) return;
    const request = JSON.parse(received.toString("utf8", body, body + length));
    received = received.subarray(body + length);
    if (request.id === undefined) continue; // a notification wants no answer
    send({ jsonrpc: "2.0", id: request.id, ...answer(request) });
    if (request.method === "shutdown") process.stdin.destroy();
  }
});
process.stdin.on("end", () => process.exit(0));
