import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sql } from "drizzle-orm";
import { z } from "zod";
import { calls } from "#contract/calls.ts";
import { filters } from "#store/schema/tables.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;
let seeker: Person;

beforeAll(async () => {
  world = await startHttpWorld();
  seeker = await world.signIn("seeker");
});
afterAll(() => world[Symbol.asyncDispose]());

const posts = Object.values(calls).filter(({ method }) => method === "POST");
const gets = Object.values(calls).filter(({ method }) => method === "GET");
const actions = [...posts, calls.signOut, calls.hidePurchases, calls.token];
const reads = gets.filter((call) => !actions.includes(call));

const isFilterCall = (path: string): boolean => path.startsWith("/filtres/");
const refused = (path: string): object => ({
  ...(isFilterCall(path) ? { success: false } : {}),
  error: expect.stringMatching(/^[A-ZÀ-Ý].+\.$/) as unknown,
  // A page that buys learns that nothing began.
  ...(path === "/purchase/click" ? { code: expect.any(String) as unknown } : {}),
});

describe("the origin guard", () => {
  const foreign: readonly (readonly [string, Record<string, string>])[] = [
    [
      "another site",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", origin: "https://evil.example" },
    ],
    [
      "another port",
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "image" },
    ],
    ["a sandboxed frame", { origin: "null" }],
    ["an old browser on another site", { origin: "https://evil.example" }],
  ];

  test.each(foreign)("lets %s do and read nothing, and gives it no CORS header", async (_who, headers) => {
    for (const { method, path } of [...actions, ...reads]) {
      const answer = await seeker.send(method, path, {
        headers,
        ...(method === "POST" ? { body: { tag: "a" } } : {}),
      });
      expect([path, answer.status, answer.body]).toEqual([path, 403, refused(path)]);
      expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
    }
    expect((await seeker.get("/auth/user")).body).toMatchObject({ user: { level: 1 } });
  });

  test("lets a typed address read, but not act", async () => {
    const headers = { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
    for (const { path } of [calls.signOut, calls.hidePurchases, calls.token])
      expect((await seeker.get(path, { headers })).status).toBe(403);
    for (const call of reads) {
      // A read that needs a parameter passes the guard and fails on the parameter.
      const needsMore = "query" in call && !call.query.safeParse({}).success;
      const { status } = await seeker.get(call.path, { headers });
      expect([call.path, status]).toEqual([call.path, needsMore ? 400 : 200]);
    }
  });

  test("lets links from anywhere lead to the sign-in, the health and the pages", async () => {
    const headers = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await world.anonymous.get("/auth/discord", { headers })).status).toBe(302);
    expect((await world.anonymous.get("/auth/discord/callback", { headers })).status).toBe(302);
    expect((await world.anonymous.get("/health", { headers })).status).toBe(200);
    expect((await world.anonymous.get("/synapse/articles", { headers })).status).not.toBe(403);
  });

  test("answers a preflight with no permission", async () => {
    const answer = await world.anonymous.send("OPTIONS", "/filtres/add", {
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect([answer.status, answer.headers["allow"]]).toEqual([405, "POST"]);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith("access-control"))).toEqual([]);
  });
});

describe("methods and addresses", () => {
  const methods = [
    "GET",
    "POST",
    "PUT",
    "PATCH",
    "DELETE",
    "OPTIONS",
    "HEAD",
    "TRACE",
    "PROPFIND",
    "LOCK",
    "QUERY",
  ];

  test("a wrong method is 405 and names the right one", async () => {
    const methodsOf = Map.groupBy(Object.values(calls), ({ path }) => path);
    for (const [path, ofPath] of methodsOf) {
      const right: readonly string[] = ofPath.map(({ method }) => method);
      for (const wrong of methods.filter((one) => !right.includes(one))) {
        const answer = await seeker.send(wrong, path);
        expect([wrong, path, answer.status, answer.headers["allow"]]).toEqual([
          wrong,
          path,
          405,
          right.join(", "),
        ]);
      }
    }
    expect((await seeker.get("/auth/user")).body).toMatchObject({ user: { level: 1 } });
  });

  test.each([
    "/filtres",
    "/filtres/",
    "/filtres/get/",
    "/filtres/GET",
    "/FILTRES/get",
    "/filtres/edit2",
    "/auth",
    "/auth/user/1",
    "/api",
    "/admin",
    "/metrics",
    "/documentation",
    "/.env",
    "/.git/config",
    "/package.json",
    "/synapse.map",
    "/socket.io/",
    "//filtres/get",
    "/auth%2Fuser",
  ])("%s does not exist", async (path) => {
    const answer = await seeker.get(path);
    expect([answer.status, answer.body]).toEqual([404, refused(path === "/filtres" ? "/filtres/" : path)]);
  });

  test("a person gets a French page for an address that does not exist, an API caller JSON", async () => {
    const headers = { accept: "text/html,application/xhtml+xml" };
    const page = await world.anonymous.get("/nulle-part", { headers });
    expect([page.status, page.headers["content-type"]]).toEqual([404, "text/html; charset=utf-8"]);
    expect(page.text).toContain("Page introuvable");
    expect((await world.anonymous.get("/auth/nulle-part", { headers })).body).toEqual(
      refused("/auth/nulle-part"),
    );
  });

  test.each([
    "/%",
    "/%E0%A4%A",
    "/filtres/publics?q=%E0%A4%A",
    "/filtres/publics?q=%",
    "/auth/user?%ff",
    "/a%00b",
  ])("%s cannot be read and is 400", async (path) => {
    const answer = await seeker.get(path);
    expect([answer.status, answer.body]).toEqual([400, refused(path)]);
    expect(answer.headers["x-content-type-options"]).toBe("nosniff");
  });

  test("a parameter that comes twice is refused, an unknown one ignored", async () => {
    const twice = await seeker.get("/filtres/publics?q=a&q=b");
    expect(twice.body).toEqual({ success: false, error: "Le champ « q » doit être un texte." });
    expect((await seeker.get("/filtres/publics?x=1&__proto__=2")).status).toBe(200);
    expect((await seeker.get(`/filtres/publics?q=${"x".repeat(201)}`)).status).toBe(400);
  });

  test("an address with escapes is the same address", async () => {
    const answer = await seeker.get("/%66iltres/%67et");
    expect([answer.status, answer.headers["cache-control"]]).toEqual([200, "no-store"]);
  });
});

describe("bodies", () => {
  // Rate limits have their own tests.
  beforeEach(() => world.clock.advance(60_000));

  test.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "text/json",
    "x",
  ])("a body of %s is 415 on every call", async (type) => {
    for (const { path } of posts) {
      const answer = await seeker.post(path, '{"tag":"a"}', { headers: { "content-type": type } });
      expect([path, answer.status, answer.body]).toEqual([path, 415, refused(path)]);
    }
  });

  test("a body of 64 KB is read, one byte more is 413", async () => {
    const bodyOf = (bytes: number): string => `{"tag":"a"}${" ".repeat(bytes - 11)}`;
    expect((await seeker.post("/filtres/add", bodyOf(64 * 1024))).status).toBe(200);
    const larger: readonly object[] = [calls.importFilters, calls.blockSellers];
    for (const { path } of posts.filter((call) => !larger.includes(call))) {
      const answer = await seeker.post(path, bodyOf(64 * 1024 + 1));
      expect([path, answer.status, answer.body]).toEqual([path, 413, refused(path)]);
    }
  });

  test("an empty POST needs no content type, and is no filter", async () => {
    expect((await seeker.post("/auth/keepalive")).status).toBe(200);
    // A browser's fetch types an empty text as plain.
    for (const type of ["application/json", "text/plain;charset=UTF-8"]) {
      const typed = { headers: { "content-type": type } };
      expect((await seeker.post("/auth/keepalive", undefined, typed)).status).toBe(200);
      expect((await seeker.post("/auth/keepalive", "", typed)).status).toBe(200);
    }
    for (const { path } of posts.filter((call) => "body" in call)) {
      const answer = await seeker.post(path);
      expect([path, answer.body]).toEqual([path, refused(path)]);
      expect(answer.status).toBe(400);
    }
  });

  test("a type with its alphabet is JSON as well", async () => {
    const headers = { "content-type": "application/json; charset=utf-8" };
    expect((await seeker.post("/auth/keepalive", "{}", { headers })).status).toBe(200);
  });
});

describe("hosts", () => {
  const foreignHosts = [
    "127.0.0.1:3000",
    "localhost",
    "localhost:30000",
    "evil.example",
    "localhost:3000@evil.example",
  ];

  test.each(foreignHosts)("a call under the host %s is 421, a page is sent to ours", async (host) => {
    const headers = { host };
    for (const { method, path } of Object.values(calls)) {
      const answer = await seeker.send(method, path, { headers });
      expect([path, answer.status, answer.body]).toEqual([path, 421, refused(path)]);
    }
    for (const path of ["/", "/synapse/articles?a=b", "//evil.example/x", "/nulle-part", "/assets/x.js"]) {
      const answer = await world.anonymous.get(path, { headers });
      expect([answer.status, answer.headers["location"]]).toEqual([302, `http://localhost:3000${path}`]);
    }
    expect((await world.anonymous.post("/", {}, { headers })).status).toBe(421);
    expect((await world.anonymous.get("/health", { headers })).status).toBe(200);
  });

  test("an address with a host of its own redirects to ours, not to that", async () => {
    const answer = await world.anonymous.get("http://evil.example/synapse", {
      headers: { host: "evil.example" },
    });
    expect([answer.status, answer.headers["location"]]).toEqual([302, "http://localhost:3000/synapse"]);
  });

  test("a forwarded host is not believed without a proxy", async () => {
    const headers = {
      host: "evil.example",
      "x-forwarded-host": "localhost:3000",
      "x-forwarded-proto": "http",
    };
    expect((await seeker.get("/filtres/get", { headers })).status).toBe(421);
  });
});

describe("every answer", () => {
  const paths = ["/auth/user", "/filtres/get", "/nulle-part", "/health", "/%", "/synapse", "/auth/discord"];

  test.each(paths)("has the security headers (%s)", async (path) => {
    const { headers } = await seeker.get(path);
    expect(headers).toMatchObject({
      "strict-transport-security": "max-age=31536000; includeSubDomains",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    });
    expect(headers["permissions-policy"]).toMatch(/camera=\(\).*geolocation=\(\).*microphone=\(\)/);
    expect(headers["content-security-policy"]).toMatch(/^default-src 'none'.*frame-ancestors 'none'/);
    expect(headers).not.toHaveProperty("x-powered-by");
    expect(headers).not.toHaveProperty("server");
  });

  test("of the API is not stored", async () => {
    for (const path of [
      "/auth/user",
      "/filtres/get",
      "/vinted/get",
      "/health",
      "/filtres/nix",
      "/nix",
      "/auth/discord",
    ])
      expect((await seeker.get(path)).headers["cache-control"]).toBe("no-store");
  });
});

describe("without a plan", () => {
  test("a suspended person keeps the session and loses the rest immediately", async () => {
    const person = await world.signIn("thunder");
    expect((await person.get("/filtres/get")).status).toBe(200);
    await world.store.users.setSuspended(person.user.id, true);
    expect((await person.get("/filtres/get")).body).toEqual({
      success: false,
      error: "Votre compte est suspendu : écrivez au support.",
    });
    expect((await person.get("/auth/user")).body).toMatchObject({ user: { level: 0, plan: "none" } });
    const denials = (await world.store.audit.ofUser(person.user.id, 10)).filter(
      ({ kind }) => kind === "access_denied",
    );
    expect(denials).toMatchObject([{ details: { denial: "suspended", route: "/filtres/get" } }]);
  });

  test("repeated refusals write a bounded number of log entries", async () => {
    const person = await world.signIn("alice");
    for (let time = 0; time < 40; time += 1) expect((await person.get("/filtres/get")).status).toBe(403);
    const trace = await world.store.audit.ofUser(person.user.id, 100);
    expect(trace.filter(({ kind }) => kind === "access_denied")).toHaveLength(10);
  });

  test("a plan that ends shuts the panel with the next call", async () => {
    const person = await world.signIn("thunder");
    await world.store.users.setPlan(person.user.id, "thunder", world.clock.nowMs() + 1_000);
    expect((await person.get("/filtres/get")).status).toBe(200);
    await world.clock.advance(1_000);
    expect((await person.get("/filtres/get")).status).toBe(403);
  });
});

test("an internal error is a French sentence with a number, logged without its message", async () => {
  const broken = await startHttpWorld();
  const person = await broken.signIn("seeker");
  await broken.store.db.execute(sql`drop table ${filters} cascade`);
  const answer = await person.get("/filtres/get");
  expect(answer.status).toBe(500);
  const { error } = z.strictObject({ success: z.literal(false), error: z.string() }).parse(answer.body);
  const reference = /^Une erreur est survenue de notre côté\. Référence : ([\w-]{12})\.$/.exec(error)?.[1];
  const [line] = broken.log.filter(({ message }) => message === "a request failed");
  expect(line).toMatchObject({ level: "error", fields: { requestId: reference, route: "/filtres/get" } });
  expect(JSON.stringify([line, answer.text])).not.toMatch(/select|does not exist/i);
  expect(JSON.stringify(line)).not.toContain(person.user.id);
  expect((await person.get("/auth/user")).status).toBe(200);
  await broken[Symbol.asyncDispose]();
});

test("the log names calls by their route, never by address, cookie or name", async () => {
  await seeker.get("/filtres/publics?q=canari");
  const logText = JSON.stringify(world.log);
  expect(logText).toContain('"route":"/filtres/publics"');
  expect(logText).not.toMatch(/canari|__Host-sid/);
  expect(logText).not.toContain(seeker.cookie.slice(-20));
});
