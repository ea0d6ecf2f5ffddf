import { afterAll, beforeAll, expect, test } from "vitest";
import { calls } from "#contract/calls.ts";
import { startHttpWorld, type HttpWorld, type Person } from "#http/http-world.suite.ts";
import { figure } from "./figures.ts";

/** Guesses addresses: only declared ones may be found, and every answer must have its security headers. */
let world: HttpWorld;
let person: Person;

beforeAll(async () => {
  world = await startHttpWorld({ config: { areRateLimitsOn: false } });
  person = await world.signIn("thunder");
});
afterAll(() => world[Symbol.asyncDispose]());

const FOLDERS = [
  "",
  "/api",
  "/admin",
  "/auth",
  "/filtres",
  "/vinted",
  "/purchase",
  "/assets",
  "/synapse.old",
  "/v1",
];
const NAMES = [
  ".env",
  ".env.local",
  ".git/config",
  ".git/HEAD",
  ".htaccess",
  ".DS_Store",
  ".npmrc",
  "package.json",
  "package-lock.json",
  "master.keys",
  "operator.sock",
  "store.lock",
  "data/master.keys",
  "backup.tar.gz",
  "dump.sql",
  "index.js.map",
  "main.ts",
  "src/server/main.ts",
  "node_modules/fastify/package.json",
  "metrics",
  "debug",
  "debug/pprof",
  "status",
  "server-status",
  "swagger",
  "swagger.json",
  "openapi.json",
  "documentation",
  "docs",
  "graphql",
  "console",
  "users",
  "users/1",
  "grant",
  "erase",
  "export",
  "control/orders",
  "control/faults",
  "discord/oauth2/authorize",
  "actuator/health",
  "phpinfo.php",
  "wp-login.php",
  "config.json",
  "settings",
  "token",
  "sessions",
  "logs",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e/%2e%2e/etc/passwd",
  "....//....//etc/passwd",
];

test("five hundred guessed addresses lead nowhere", async () => {
  const known = new Set(world.app.declaredRoutes.keys());
  const guesses = FOLDERS.flatMap((folder) => NAMES.map((name) => `${folder}/${name}`));
  const unknown = guesses.filter((path) => !known.has(path));
  const found: string[] = [];
  for (const path of unknown) {
    for (const client of [world.anonymous, person]) {
      const answer = await client.get(path);
      if (answer.status !== 404 && answer.status !== 400) found.push(`${path} ${answer.status}`);
      expect(answer.text).not.toMatch(/root:|"dependencies"|sourcesContent|BEGIN |Index of/);
    }
  }
  expect(found).toEqual([]);
  expect(unknown.length).toBeGreaterThanOrEqual(490);
  figure("crawler", `${unknown.length} guessed addresses, asked by a stranger and by a subscriber: 0 found`);
});

/** The headers of every answer; changes must be deliberate. */
const ALWAYS = {
  "strict-transport-security": "max-age=31536000; includeSubDomains",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "x-dns-prefetch-control": "off",
  "x-permitted-cross-domain-policies": "none",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "origin-agent-cluster": "?1",
  "permissions-policy":
    "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), usb=()",
};
const NO_PAGE = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
const NEVER = ["x-powered-by", "server", "access-control-allow-origin", "access-control-allow-credentials"];

test("every declared route, asked in every way, carries its headers", async () => {
  const apiPaths = new Set<string>(Object.values(calls).map(({ path }) => path));
  let answerCount = 0;
  for (const [path, rules] of world.app.declaredRoutes) {
    if (path.includes("*")) continue;
    for (const method of [...rules.keys(), "OPTIONS", "PUT"]) {
      for (const client of [world.anonymous, person]) {
        // Only the anonymous client signs out: the person is needed for the other calls.
        if (client === person && path === calls.signOut.path) continue;
        const answer = await client.send(method, path, { headers: { origin: "http://localhost:3000" } });
        answerCount += 1;
        expect(answer.headers, `${method} ${path}`).toMatchObject(ALWAYS);
        expect(NEVER.filter((name) => name in answer.headers)).toEqual([]);
        const policy = String(answer.headers["content-security-policy"]);
        if (apiPaths.has(path) || answer.status >= 400) expect(policy).toBe(NO_PAGE);
        if (apiPaths.has(path)) expect(answer.headers["cache-control"]).toBe("no-store");
        for (const cookie of [answer.headers["set-cookie"] ?? []].flat().map(String))
          expect(cookie).toMatch(
            /^__Host-(sid|oauth)=[^;]*; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=(Strict|Lax)$/,
          );
      }
    }
  }
  figure(
    "headers",
    `${answerCount} answers of ${world.app.declaredRoutes.size} routes: all carry the same ten headers, 0 CORS, 0 foreign cookies`,
  );
});
