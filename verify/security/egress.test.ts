import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { freePort } from "#verify/testing/free-port.ts";
import { signInAt } from "#verify/testing/person.ts";
import { spawnProduct } from "#verify/testing/product-process.ts";
import { sandboxClient } from "#verify/testing/sandbox-client.ts";
import { temporaryFolder } from "#verify/testing/temporary-folder.ts";
import { preparedFolder } from "#verify/testing/test-store.ts";
import { figure } from "./figures.ts";

/** Preloaded into the product: records every connection and name resolution. */
const RECORDER = `
import { appendFileSync } from "node:fs";
import net from "node:net";
import dns from "node:dns";
const note = (text) => appendFileSync(process.env.EGRESS_FILE, text + "\\n");
const connect = net.Socket.prototype.connect;
net.Socket.prototype.connect = function (...parts) {
  const options = Array.isArray(parts[0]) ? parts[0][0] : parts[0];
  const target = typeof options === "object" ? options : { port: parts[0], host: parts[1] };
  note(target.path === undefined ? (target.host ?? "localhost") + ":" + target.port : "file");
  return connect.apply(this, parts);
};
for (const name of ["lookup", "resolve", "resolve4", "resolve6"]) {
  const real = dns[name];
  dns[name] = (host, ...rest) => {
    note("name " + host);
    // Nothing of a test reaches anybody outside.
    if (host === "discord.com") return rest.at(-1)(Object.assign(new Error("no such name"), { code: "ENOTFOUND" }));
    return real(host, ...rest);
  };
}
`;

const DISCORD = new Set(["name discord.com", "discord.com:443"]);

test("the product opens connections to its marketplace and its sign-in provider, and to nobody else", async () => {
  await using folder = await temporaryFolder();
  await using data = await preparedFolder();
  const recorder = join(folder.path, "recorder.mjs");
  const notes = join(folder.path, "egress.txt");
  writeFileSync(recorder, RECORDER);
  writeFileSync(notes, "");
  const [port, sandboxPort] = [await freePort(), await freePort()];
  await using product = spawnProduct({
    PORT: String(port),
    SANDBOX_PORT: String(sandboxPort),
    DATA_DIR: data.path,
    NODE_OPTIONS: `--import=${pathToFileURL(recorder).href}`,
    EGRESS_FILE: notes,
  });
  await product.ready;
  const person = await signInAt(`http://localhost:${port}`, "thunder-dehors");
  // An attacker's address in every text that could cause it to be fetched.
  const url = "http://evil.example/x";
  await person.call("addFilter", { tag: url, info: url, mots: ["dehors"], autobuy: true, limit: 100 });
  await person.call("editSettings", { relais: [url], token: "sandbox-thunder-dehors" });
  for (const discord of [url, "https://discord.com.evil.example/api/webhooks/1/2", "http://169.254.169.254/"])
    expect((await person.raw("POST", "/vinted/alertes", { discord })).status).toBe(400);
  const sandbox = sandboxClient(`http://127.0.0.1:${sandboxPort}`);
  await sandbox.publish({ title: `dehors ${url}`, price: 5, seller: "evil.example" });
  await expect.poll(async () => (await person.call("purchases")).purch[0]?.status).toBe(1);
  await fetch(`http://localhost:${port}/auth/user`, {
    headers: { "x-forwarded-host": "evil.example", referer: url },
  });
  // Without a saved webhook, Discord must not be contacted.
  const lines = (): readonly string[] => readFileSync(notes, "utf8").split("\n");
  expect(lines().filter((line) => DISCORD.has(line))).toEqual([]);
  const webhook = `https://discord.com/api/webhooks/123456789012345678/${"e".repeat(64)}`;
  await person.call("editAlerts", { discord: webhook });
  expect((await person.raw("POST", "/vinted/alertes/essai")).status).toBe(503);
  expect(lines()).toContain("name discord.com");
  // The sandbox reports the free port of its mail server.
  const { port: mailPort } = (await (await fetch(`http://127.0.0.1:${sandboxPort}/smtp`)).json()) as {
    readonly port: number;
  };
  product.kill("SIGTERM");
  await product.ended;
  const recorded = lines().filter((line) => line !== "");
  const own = new Set([
    `127.0.0.1:${sandboxPort}`,
    `localhost:${sandboxPort}`,
    `127.0.0.1:${mailPort}`,
    "name localhost",
    "name 127.0.0.1",
    "file",
  ]);
  expect(recorded.filter((line) => line === `127.0.0.1:${sandboxPort}`).length).toBeGreaterThan(0);
  expect(recorded.filter((line) => !own.has(line) && !DISCORD.has(line))).toEqual([]);
  figure(
    "egress",
    `${recorded.length} connections and names looked up during a purchase: 0 other than the marketplace, the sign-in and the Discord of a saved webhook`,
  );
});
