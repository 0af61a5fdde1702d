// Rewrites `npm install` into `npm ci --ignore-scripts`. Node alone, no packages.
"use strict";

function handle(event) {
  const input = event.tool_input;
  if (typeof input?.command !== "string") return { action: "continue" };
  const command = input.command.replace(/\bnpm install(?=\s*($|[;&|]))/g, "npm ci --ignore-scripts");
  if (command === input.command) return { action: "continue" };
  return { action: "modify", input: { ...input, command } }; // the whole input: what is left out is gone
}

function answer(request) {
  switch (request.method) {
    case "initialize":
      return { result: { protocol_version: 1, capabilities: {} } };
    case "hook.handle":
      return { result: handle(request.params) };
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
